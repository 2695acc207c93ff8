/* dapbridge/petsc_vector.h: a distributed array as a PETSc vector without a grid, and PETSc's vectors as arrays.
 *
 * For the right-hand sides and unknowns of a KSP, SNES or TS whose operator is the caller's own. Fields on a grid,
 * with ghost points, are petsc.h's. PETSc is not thread-safe, so neither are these functions. */
#ifndef DAPBRIDGE_PETSC_VECTOR_H
#define DAPBRIDGE_PETSC_VECTOR_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscao.h>
#include <petscvec.h>

/* The library for this build of PETSc has its own names for the functions. */
#define dap_petsc_vector_get DAP_PETSC_NAME(vector_get)
#define dap_petsc_vector_restore DAP_PETSC_NAME(vector_restore)
#define dap_petsc_vector_discard DAP_PETSC_NAME(vector_discard)
#define dap_petsc_vector_load DAP_PETSC_NAME(vector_load)
#define dap_petsc_vector_store DAP_PETSC_NAME(vector_store)
#define dap_petsc_vector_halo DAP_PETSC_NAME(vector_halo)
#define dap_petsc_vector_describe DAP_PETSC_NAME(vector_describe)
#define dap_petsc_vector_import DAP_PETSC_NAME(vector_import)
#define dap_petsc_field_import_local DAP_PETSC_NAME(field_import_local)

#ifdef __cplusplus
extern "C" {
#endif

/* An array seen as a vector: filled by dap_petsc_vector_get(), ended by dap_petsc_vector_restore() or
 * _discard(), and not to be copied in between. All but moved_bytes is the same on every process; those
 * that have nothing of the part asked for have neither vec nor ao. */
typedef struct dap_petsc_vector {
  Vec vec; /* an entry for each element. Whoever makes a matrix for it asks VecGetLocalSize() for its sizes */
  AO ao;   /* NULL: entry g is element g, in the order asked for. Else, of a shared 'u' axis: element
              (application) <-> entry (PETSc) */
  bool shared;                 /* the vector's memory is the array's own buffer */
  char reason[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed, in words */
  int64_t moved_bytes;         /* that this process copied or sent for the view so far; 0 when shared */
  dap_view_handle handle;      /* the library's */
} dap_petsc_vector;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_petsc_vector_options {
  dap_sharing sharing;
  dap_part part; /* of the array: the vector is of its elements alone. Zeroed: all */
  /* In which the elements of several axes are numbered. 0 or DAP_ORDER_C: the last index runs fastest, as in
   * C arrays and numpy's ravel(); DAP_ORDER_F: the first. */
  dap_order order;
  bool natural;       /* entry g must be element g: a 'u' axis in another order is moved, not given an AO */
  int64_t block_size; /* of the vector (VecSetBlockSize()); must divide the number of elements. 0: 1 */
  bool lossy;         /* allow casts that can lose something of the elements */
} dap_petsc_vector_options;

/* Gives an array as a vector. Collective on `comm`, which must be exactly the layout's processes; any number
 * of axes. Elements of another type than PetscScalar's, or in the other byte order, are converted. Starts
 * PETSc if need be.
 *
 * Shared when on every process the owned elements are contiguous in the order asked for, whole blocks, and
 *   - one range of entries, in process order: one axis that is block, irregular or padded (the interior),
 *     cyclic with at most a block each, 'u' with ascending lists; of several axes only the slowest (of more
 *     than one element) may be distributed; or
 *   - one list of a 'u' axis in which no element is twice: entries are numbered by the position in the list,
 *     the lists in process order. `ao` translates; VecSetValuesLocal() takes positions in this process's
 *     list. Each process holds all of `ao`: 2 PetscInt for each element of the array.
 * If one process cannot share, none does. What is not shared is a vector of PETSc's, in natural order,
 * zeroed, into which DAP_READ moves the elements. It is spread evenly, in whole blocks, by ranges of the
 * slowest axis: as PETSC_DECIDE would of one axis. vec and ao live on `comm`; where ranks are not in the
 * order of the elements, or only some processes have the part, on a communicator of their own.
 *
 * The array and `comm` may be dropped afterwards; the buffer must stay until the view has ended. With
 * DAP_READ alone a debug build of PETSc refuses to write to the vector. PETSc remembers norms: after a write
 * to a shared buffer behind its back all processes call dap_petsc_vector_load(), which lets it notice.
 * Errors, the same on every process: those of dap_view_get() (adapter.h), and DAP_ERR_ARG (an order or block
 * size outside its range), DAP_ERR_RANGE (more entries than PetscInt counts), DAP_ERR_UNSUPPORTED (a number
 * of elements that block_size does not divide). On error *vector is zeroed. */
DAP_API dap_status dap_petsc_vector_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_vector_options *options, dap_petsc_vector *vector,
                                        dap_error *err);

/* Ends a view. Collective on the communicator of dap_petsc_vector_get(), which may have been freed. With
 * DAP_WRITE the array then holds the result, on every process that owns an element, has it in its list or in
 * its communication padding. The view's references to vec and ao are dropped and *vector is zeroed, but for
 * shared, reason and moved_bytes. A shared vector must not be used afterwards through another reference.
 * Accepts NULL, a zeroed and a restored one.
 * Errors: those of dap_view_restore(); DAP_ERR_LIBRARY also when PETSc was finalised before. */
DAP_API dap_status dap_petsc_vector_restore(dap_petsc_vector *vector, dap_error *err);

/* The same, but nothing is moved back: a moved vector's entries are lost, a shared array's stay written. */
DAP_API dap_status dap_petsc_vector_discard(dap_petsc_vector *vector, dap_error *err);

/* For a view that goes on. load: the array was written to: a moved vector gets its elements anew, a shared one
 * forgets its norms. store: the array gets the vector's entries, and its communication padding is filled.
 * halo: only that padding is filled, from what the array holds. Collective, as dap_petsc_vector_restore().
 * Errors: those of dap_view_load(). */
DAP_API dap_status dap_petsc_vector_load(dap_petsc_vector *vector, dap_error *err);
DAP_API dap_status dap_petsc_vector_store(dap_petsc_vector *vector, dap_error *err);
DAP_API dap_status dap_petsc_vector_halo(dap_petsc_vector *vector, dap_error *err);

/* Writes the view in words to `text` of `capacity` bytes, as dap_layout_describe(): "vector of 37 entries;
 * shared, 0 bytes moved: <reason>". Not collective. */
DAP_API size_t dap_petsc_vector_describe(const dap_petsc_vector *vector, char *text, size_t capacity);

/* Gives a vector of type VECSEQ or VECMPI as an array of one 'b' axis that shares its memory. Collective on the
 * vector's communicator, whose ranks are the array's processes. A vector of a DMDA is given in PETSc's order of its
 * points; dap_petsc_field_import() and dap_petsc_field_import_local() give it its axes. The entries that a ghosted vector
 * (VecCreateGhost()) keeps of other processes are no part of it.
 * Loan, locks, release and *layout as dap_petsc_field_import().
 * Errors, the same on every process: DAP_ERR_ARG (NULL array), DAP_ERR_UNSUPPORTED (another type), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. A NULL vector names no communicator: DAP_ERR_ARG on that process alone. On error *array is zeroed
 * and *layout is NULL. */
DAP_API dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

/* Gives a local vector of a DMDA (known to VecGetDM()) as an array of padded blocks that shares its memory, axes as
 * dap_petsc_field_import() gives them: ghost points between processes are communication padding; those outside the grid
 * boundary padding, inside size (DM_BOUNDARY_GHOSTED, DM_BOUNDARY_MIRROR); those that repeat the other end of a periodic
 * direction are communication padding, outside of size, as protocol 0.9 has it. Collective on the DMDA's communicator.
 * Ghost points have what the vector has; nothing is updated.
 * Loan, locks, release and *layout as dap_petsc_field_import().
 * Errors, the same on every process: DAP_ERR_ARG (NULL array, a vector that is not one of the DMDA's local ones),
 * DAP_ERR_UNSUPPORTED (DM_BOUNDARY_TWIST; processes that are not in the usual order; ghost points that differ from
 * the stencil's), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. A NULL vector, or one without a DMDA, names no communicator: DAP_ERR_ARG on
 * that process alone. On error *array is zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_field_import_local(Vec local, dap_array *array, dap_layout **layout,
                                                dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
