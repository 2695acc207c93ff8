/* dapbridge/petsc_vector.h: a distributed array as a PETSc vector without a grid, and PETSc's vectors as arrays.
 *
 * For the right-hand sides and unknowns of a KSP, SNES or TS whose operator is the caller's own. Fields on a grid,
 * with ghost points, are petsc.h's. PETSc is not thread-safe, so neither are these functions. */
#ifndef DAPBRIDGE_PETSC_VECTOR_H
#define DAPBRIDGE_PETSC_VECTOR_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/petsc_build.h>
#include <petscao.h>
#include <petscvec.h>

/* The library for this build of PETSc has its own names for the functions. */
#define dap_petsc_vector_get DAP_PETSC_NAME(vector_get)
#define dap_petsc_vector_restore DAP_PETSC_NAME(vector_restore)
#define dap_petsc_vector_import DAP_PETSC_NAME(vector_import)
#define dap_petsc_import_local DAP_PETSC_NAME(import_local)

#ifdef __cplusplus
extern "C" {
#endif

/* An array seen as a vector. Filled by dap_petsc_vector_get(); ended by dap_petsc_vector_restore(). All but
 * moved_bytes is the same on every process. */
typedef struct dap_petsc_vector {
  Vec vec; /* one entry for each element. Who creates a matrix for it asks VecGetLocalSize() for its sizes */
  AO ao; /* NULL: entry g is element g, in the order asked for. Else of a shared 'u' axis: element (application)
              <-> entry (PETSc) */
  bool shared;                 /* the vector's memory is the array's own buffer */
  char reason[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed, in words */
  int64_t moved_bytes; /* bytes this process copied or sent for the view so far, to turn their order round
                                  too; 0 when shared */
  struct dap_petsc_vector_state *state; /* the library's; NULL: not a live view */
} dap_petsc_vector;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_petsc_vector_options {
  dap_sharing sharing;
  dap_order
      order;    /* in which the elements of several axes are numbered. 0 or DAP_ORDER_C: the last index runs
                         fastest, as in C arrays and numpy's ravel(); DAP_ORDER_F: the first */
  bool natural; /* entry g must be element g: a 'u' axis in another order is moved, not given an AO */
  int64_t block_size; /* of the vector (VecSetBlockSize()); must divide the number of elements. 0: 1 */
  bool lossy;         /* as of dap_petsc_options */
} dap_petsc_vector_options;

/* Gives the array whose local part is `array`, laid out as `layout` says, as a vector. Collective on `comm`, which
 * must be exactly the layout's processes; any number of axes; elements of PetscScalar's type, or converted as
 * dap_petsc_field_get() does. The array's dictionaries are not read again. Starts PETSc as dap_petsc_field_get() does.
 *
 * Shared when on every process the owned elements are contiguous in the order asked for, whole blocks, and
 *   - one range of entries, in process order: one axis that is block, irregular or padded (the interior), cyclic with
 *     at most a block each, 'u' with ascending lists; of several axes only the slowest (of more than one element) may
 *     be distributed; or
 *   - one list of a 'u' axis in which no element is twice: entries are numbered by the position in the list, the
 *     lists in process order. `ao` translates; VecSetValuesLocal() takes positions in this process' list. Each
 *     process holds all of `ao`: 2 PetscInt for each element of the array.
 * If one process cannot share, none does. Where the processes' ranks are not in the order of their elements, vec and
 * ao live on a reordered communicator. What is not shared is a vector of PETSc's on `comm`, in natural order, zeroed, into
 * which DAP_READ moves the elements. It is spread evenly, in whole blocks, by ranges of the slowest axis: as
 * PETSC_DECIDE would of one axis.
 *
 * `array` may be dropped afterwards; its buffer must stay until dap_petsc_vector_restore(). With DAP_READ alone a debug
 * build of PETSc refuses to write to the vector. PETSc remembers norms: after a write to a shared buffer behind its back
 * all processes call VecGetArray() and VecRestoreArray(), those without an entry too; with DAP_READ between
 * VecLockReadPop() and VecLockReadPush().
 * Errors, the same on every process: DAP_ERR_ARG (NULL, an access or option outside its range or not the same on
 * every process, layouts that differ, a communicator of another size), DAP_ERR_BUFFER (a lossy cast without leave, extents that are not the
 * layout's, no data, DAP_WRITE to a read-only buffer or one with a zero stride), DAP_ERR_RANGE (more entries than
 * PetscInt counts), DAP_ERR_UNSUPPORTED (a number of elements that block_size does not divide), DAP_ERR_SHARE (with
 * DAP_SHARE_OR_FAIL), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error *vector is zeroed. */
DAP_API dap_status dap_petsc_vector_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                                        dap_access access, const dap_petsc_vector_options *options,
                                        dap_petsc_vector *vector, dap_error *err);

/* Ends a view. Collective on the communicator of dap_petsc_vector_get(), which may have been freed. With DAP_WRITE the
 * array then holds the result, on every process that owns an element, has it in its list or in its communication
 * padding. (In a shared array that padding is filled too, which is not counted in moved_bytes.)
 * The view's references to vec and ao are dropped and *vector is zeroed, but for shared, reason and moved_bytes. A
 * shared vector must not be used afterwards through another reference. Accepts NULL, a zeroed and a restored one.
 * Errors, the same on every process: DAP_ERR_NOMEM, DAP_ERR_LIBRARY, also when PETSc was finalised before. The view
 * is ended all the same. */
DAP_API dap_status dap_petsc_vector_restore(dap_petsc_vector *vector, dap_error *err);

/* Gives a vector of type VECSEQ or VECMPI as an array of one 'b' axis that shares its memory. Collective on the
 * vector's communicator, whose ranks are the array's processes. A vector of a DMDA is given in PETSc's order of its
 * points; dap_petsc_import() and dap_petsc_import_local() give it its axes. The entries that a ghosted vector
 * (VecCreateGhost()) keeps of other processes are no part of it.
 * Loan, locks, release and *layout as dap_petsc_import().
 * Errors, the same on every process: DAP_ERR_ARG (NULL array), DAP_ERR_UNSUPPORTED (another type), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. A NULL vector names no communicator: DAP_ERR_ARG on that process alone. On error *array is zeroed
 * and *layout is NULL. */
DAP_API dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

/* Gives a local vector of a DMDA (known to VecGetDM()) as an array of padded blocks that shares its memory, axes as
 * dap_petsc_import() gives them: ghost points between processes are communication padding; those outside the grid
 * boundary padding, inside size (DM_BOUNDARY_GHOSTED, DM_BOUNDARY_MIRROR); those that repeat the other end of a periodic
 * direction are communication padding, outside of size, as protocol 0.9 has it. Collective on the DMDA's communicator.
 * Ghost points have what the vector has; nothing is updated.
 * Loan, locks, release and *layout as dap_petsc_import().
 * Errors, the same on every process: DAP_ERR_ARG (NULL array, a vector that is not one of the DMDA's local ones),
 * DAP_ERR_UNSUPPORTED (DM_BOUNDARY_TWIST; processes that are not in the usual order; ghost points that differ from
 * the stencil's), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. A NULL vector, or one without a DMDA, names no communicator: DAP_ERR_ARG on
 * that process alone. On error *array is zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_import_local(Vec local, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
