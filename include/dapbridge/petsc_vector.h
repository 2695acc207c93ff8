/* dapbridge/petsc_vector.h: a distributed array as a PETSc vector without a grid, and PETSc's vectors as
 * arrays.
 *
 * For the right-hand sides and unknowns of a KSP, SNES or TS with the caller's own operator; for fields on
 * a grid, with ghost points, see petsc.h. PETSc is not thread-safe, so neither are these functions.
 *
 * Errors of the functions that take a live view (restore, discard, load, store, halo): DAP_ERR_ARG, on that
 * process alone, for a view that is not live or a copy of one, and nothing happens; DAP_ERR_NOMEM and
 * DAP_ERR_LIBRARY, the same on every process. restore and discard accept NULL, a zeroed view and one that
 * has ended, and end the view even if they fail; after PetscFinalize they return DAP_ERR_LIBRARY. */
#ifndef DAPBRIDGE_PETSC_VECTOR_H
#define DAPBRIDGE_PETSC_VECTOR_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscao.h>
#include <petscvec.h>

/* The functions have different symbols in each build of PETSc. */
#define dap_petsc_vector_get DAP_PETSC_NAME(vector_get)
#define dap_petsc_vector_restore DAP_PETSC_NAME(vector_restore)
#define dap_petsc_vector_discard DAP_PETSC_NAME(vector_discard)
#define dap_petsc_vector_load DAP_PETSC_NAME(vector_load)
#define dap_petsc_vector_store DAP_PETSC_NAME(vector_store)
#define dap_petsc_vector_halo DAP_PETSC_NAME(vector_halo)
#define dap_petsc_vector_halo_reverse DAP_PETSC_NAME(vector_halo_reverse)
#define dap_petsc_vector_describe DAP_PETSC_NAME(vector_describe)
#define dap_petsc_vector_import DAP_PETSC_NAME(vector_import)
#define dap_petsc_field_import_local DAP_PETSC_NAME(field_import_local)

#ifdef __cplusplus
extern "C" {
#endif

/* Ghosts. A process of a mesh code has its own nodes and, as ghosts, those of others that its cells touch: a
 * 'u' axis whose lists overlap (layout.h: who owns an index is given, or is the lowest process that has it).
 * Where on every process the owned indices come first in the list and the ghosts behind them, the vector is
 * ghosted: PETSc's VecCreateGhostBlockWithArray() in the array's own buffer, each entry once.
 *     VecGhostUpdateBegin(vec, INSERT_VALUES, SCATTER_FORWARD)   owners' values to the ghosts, and ...End()
 *     VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE)      what ghosts hold is added to the owners'
 *     VecGhostGetLocalForm(vec, &local)                          the list as a vector of this process
 *     VecSetValuesLocal(vec, n, positions, values, ADD_VALUES)   by positions in the list, for assembly
 * All but the third write, so the view needs DAP_WRITE. PETSc updates ghosts only when told to; restore,
 * store and halo below update them from their owners, so what is to be added to owners must have been before.
 * Other lists with ghosts are moved, to a vector without. */

/* An array as a vector: filled by dap_petsc_vector_get(), ended by dap_petsc_vector_restore() or
 * dap_petsc_vector_discard(), and not to be copied in between. All but moved_bytes is the same on every
 * process; vec and ao are NULL on those that have nothing of the part asked for. */
typedef struct dap_petsc_vector {
  Vec vec; /* one entry for each element; VecGetLocalSize() gives the local sizes for a matrix */
  /* NULL: entry g is element g, in the order asked for. Else (a shared 'u' axis): maps elements (application
   * ordering) to entries (PETSc ordering). Component c of node i, of n components, is element i n + c. */
  AO ao;
  bool shared;                 /* the vector's memory is the array's own buffer */
  char reason[DAP_ERROR_TEXT]; /* why it is shared, or why not */
  int64_t moved_bytes;         /* bytes that this process copied or sent for the view so far; 0 if shared */
  dap_view_handle handle;      /* internal */
} dap_petsc_vector;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_petsc_vector_options {
  dap_sharing sharing;
  dap_part part; /* the part of the array that becomes the vector. Zeroed: all */
  /* How the elements of several axes are numbered. 0 or DAP_ORDER_C: the last index varies fastest, as in C
   * arrays and numpy's ravel(); DAP_ORDER_F: the first. */
  dap_order order;
  bool natural;       /* entry g must be element g: a 'u' axis in another order is moved, not given an AO */
  int64_t block_size; /* of the vector (VecSetBlockSize()); must divide the number of elements. 0: 1 */
  bool lossy;         /* allow lossy casts of the elements, see dap_dtype_holds() */
} dap_petsc_vector_options;

/* Gets an array with any number of axes as a vector. Collective on `comm`, which must be exactly the
 * layout's processes. The program has called PetscInitialize(). `array`'s structs and `comm` may be freed
 * afterwards; its buffer must stay until the view has ended. With DAP_READ alone a debug build of PETSc
 * rejects writing to the vector. PETSc caches norms: after writing to a shared buffer directly, call
 * dap_petsc_vector_load() on all processes.
 *
 * Shared if on every process the owned elements are contiguous in the order asked for, whole blocks, and
 *   - one range of entries, in process order: one axis that is block, also irregular or padded, cyclic with
 *     at most one block per process, or 'u' with ascending lists; of several axes only the slowest may be
 *     distributed; or
 *   - one list of a 'u' axis, the slowest one, as in nodes x components in C order: entries are numbered by
 *     their position in the lists, in process order. `ao` maps elements to entries, and VecSetValuesLocal()
 *     takes positions in this process's list. Each process stores all of `ao`: 2 PetscInt for each element.
 * If there are ghosts, or owners are given, the vector is ghosted (above): lists are contiguous as a whole,
 * and block_size divides the number of elements of one index. Of a replicated axis one process would have
 * all entries; it is moved.
 * Otherwise the vector is PETSc's own, in natural order, distributed evenly in whole blocks by ranges of
 * the slowest axis, and gets the elements, converted to PetscScalar, with DAP_READ and zeros without. A
 * communicator of its own replaces `comm` if ranks are not in the order of the elements, or only some
 * processes have the part.
 * Errors, the same on every process: those of dap_view_get() (adapter.h), and DAP_ERR_ARG (an order or
 * block size out of range), DAP_ERR_RANGE (more entries than PetscInt can count), DAP_ERR_UNSUPPORTED
 * (block_size does not divide the number of elements). On error *vector is zeroed. */
DAP_API dap_status dap_petsc_vector_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_vector_options *options, dap_petsc_vector *vector,
                                        dap_error *err);

/* Ends a view. Collective on the communicator of dap_petsc_vector_get(), which may have been freed. With
 * DAP_WRITE the array, all ghosts of its elements on a 'u' axis and its communication padding then have the
 * vector's entries. The references to vec and ao are released, and *vector is zeroed except for shared,
 * reason and moved_bytes. A shared vector must afterwards not be used through other references. Errors: as
 * above. */
DAP_API dap_status dap_petsc_vector_restore(dap_petsc_vector *vector, dap_error *err);

/* The same without writing anything back; changes made to a shared vector remain, and ghosts are as they
 * were left. */
DAP_API dap_status dap_petsc_vector_discard(dap_petsc_vector *vector, dap_error *err);

/* For a view that remains live. load: the array has been written to; a moved vector gets its elements, a
 * shared one is marked as changed, so that cached norms are discarded. store: the array gets the vector's
 * entries, and its ghosts and communication padding are filled. halo: only these are filled, from the array's
 * elements. Collective like dap_petsc_vector_restore().
 * Errors: as above, and DAP_ERR_ARG for a view without DAP_READ (load) or DAP_WRITE (store, halo), on that
 * process alone. */
DAP_API dap_status dap_petsc_vector_load(dap_petsc_vector *vector, dap_error *err);
DAP_API dap_status dap_petsc_vector_store(dap_petsc_vector *vector, dap_error *err);
DAP_API dap_status dap_petsc_vector_halo(dap_petsc_vector *vector, dap_error *err);

/* The other way, in the array's buffer: what its ghosts and its communication padding hold is added to the
 * elements that they stand for, or their largest or smallest is taken; then ghosts and padding are kept,
 * cleared or refreshed. For a ghosted vector this is VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE)
 * and ...End(), and works for arrays whose vector is not ghosted, too: moved vectors stay as they are until
 * dap_petsc_vector_load(). Along a replicated axis each copy is updated on its own. Sums are the same to the
 * last bit in every run. Collective like dap_petsc_vector_restore(). combine DAP_COMBINE_NONE: the sum.
 * Errors: those of dap_view_halo_reverse(). */
DAP_API dap_status dap_petsc_vector_halo_reverse(dap_petsc_vector *vector, dap_combine combine,
                                                 dap_padding padding, dap_error *err);

/* Writes a description of the view, "vector of 37 entries; shared, 0 bytes moved: <reason>", to `text` of
 * `capacity` bytes; as dap_layout_describe(). Not collective. */
DAP_API size_t dap_petsc_vector_describe(const dap_petsc_vector *vector, char *text, size_t capacity);

/* Gets a vector of type VECSEQ or VECMPI as an array of one 'b' axis that shares its memory. Collective on
 * the vector's communicator, whose ranks are the array's processes. A vector of a DMDA is given in PETSc's
 * order of its points; with dap_petsc_field_import() and dap_petsc_field_import_local() it has the DMDA's
 * axes. Ghost entries of a vector (VecCreateGhost()) are not part of the array. Reference to the vector,
 * locks, release and *layout as for dap_petsc_field_import().
 * Errors, the same on every process: DAP_ERR_ARG (array is NULL), DAP_ERR_UNSUPPORTED (another type),
 * DAP_ERR_NOMEM, DAP_ERR_LIBRARY; for a NULL vector DAP_ERR_ARG on that process alone. On error *array is
 * zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

/* Gets a local vector of a DMDA (found by VecGetDM()) as an array of padded blocks that shares its memory,
 * with the axes of dap_petsc_field_import(). Ghost points between processes become communication padding;
 * those outside the grid (DM_BOUNDARY_GHOSTED, DM_BOUNDARY_MIRROR) boundary padding, inside size; those
 * that repeat the other end of a periodic direction communication padding outside size, as in protocol 0.9.
 * They are not updated. Collective on the DMDA's communicator. Reference to the vector, locks, release and
 * *layout as for dap_petsc_field_import().
 * Errors, the same on every process: DAP_ERR_ARG (array is NULL; not a local vector of the DMDA),
 * DAP_ERR_UNSUPPORTED (DM_BOUNDARY_TWIST; processes that are not in the usual order; ghost points that
 * differ from the stencil's), DAP_ERR_NOMEM, DAP_ERR_LIBRARY; for a NULL vector, or one without a DMDA,
 * DAP_ERR_ARG on that process alone. On error *array is zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_field_import_local(Vec local, dap_array *array, dap_layout **layout,
                                                dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
