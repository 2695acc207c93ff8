/**
 * @file
 * A distributed array as a PETSc vector without a grid, and PETSc's vectors as arrays.
 *
 * Use such vectors for the right-hand sides and unknowns of a KSP, SNES or TS whose operator your program
 * provides. For fields on a grid with ghost points use petsc.h. PETSc is not thread-safe, so neither are
 * these functions.
 *
 * **Ghosts.** In a mesh code each process has the nodes that it owns. It also has ghosts, which are nodes of
 * other processes that its cells touch. All these nodes form an unstructured ('u') axis whose index lists
 * overlap (dist.h explains which process owns an index). If every list has the owned indices first and the
 * ghosts after them, the vector is ghosted: dapbridge calls VecCreateGhostBlockWithArray() for the array's
 * buffer. If lists have another order, the elements are moved to a vector without ghosts.
 *
 *     VecGhostUpdateBegin(vec, INSERT_VALUES, SCATTER_FORWARD); // owners' values to the ghosts
 *     VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE);     // ghosts are added to the owners' values
 *     VecGhostGetLocalForm(vec, &local);                         // the list as a vector of this process
 *     VecSetValuesLocal(vec, n, positions, values, ADD_VALUES);  // by positions in the list, for assembly
 *
 * All these calls except the third write to the vector, so the view needs DAP_WRITE. PETSc does not update
 * ghosts automatically. The functions restore, store and halo overwrite ghosts with their owners' values, so
 * first add the ghosts' values to those of the owners.
 */
#ifndef DAPBRIDGE_PETSC_VECTOR_H
#define DAPBRIDGE_PETSC_VECTOR_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscao.h>
#include <petscvec.h>

/* The functions have different symbols in each build of PETSc. */
/** @cond */
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
/** @endcond */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An array as a vector.
 *
 * dap_petsc_vector_get() fills the struct. dap_petsc_vector_restore() or dap_petsc_vector_discard() ends the
 * view. The struct must not be copied in between. All members except moved_bytes are the same on every
 * process. Processes without a part have no vec and no ao. The communicator and the layout may be freed while
 * the view lives. A shared vec must not be used after the view has ended.
 *
 * `ao` is set for a shared 'u' axis. It maps elements (application ordering) to entries (PETSc ordering). If
 * each node has n components, component c of node i is element i n + c. Without `ao`, entry g is element g in
 * the order of options.order.
 */
typedef struct dap_petsc_vector {
  Vec vec;     /**< one entry for each element; VecGetLocalSize() gives the local sizes for a matrix */
  AO ao;       /**< maps elements to entries, see above; if it is NULL, entry g is element g */
  bool shared; /**< the vector's memory is the array's buffer */
  char reason[DAP_ERROR_TEXT]; /**< why the vector is shared, or why not */
  int64_t moved_bytes;         /**< bytes that this process has copied or sent for the view; 0 if shared */
  dap_view_handle handle;      /**< internal */
} dap_petsc_vector;

/** Options of a vector. NULL or a zeroed struct means the defaults. Options are the same on every process. */
typedef struct dap_petsc_vector_options {
  dap_sharing sharing; /**< whether the vector may be a copy */
  dap_part part;       /**< the part of the array that becomes the vector; zeroed: all */
  dap_order order;     /**< 0 or C: the last index varies fastest, as in numpy's ravel(); F: the first */
  /** entry g must be element g; the elements of lists in another order are then moved, and there is no AO */
  bool natural;
  int64_t block_size; /**< for VecSetBlockSize(): a divisor of the number of elements; 0 means 1 */
  bool lossy;         /**< allow lossy casts of the elements, see dap_dtype_holds() */
} dap_petsc_vector_options;

/**
 * Gets an array with any number of axes as a PETSc vector.
 *
 * The vector is shared if, on every process, the owned elements are contiguous, and form one range of entries
 * or one list of a 'u' axis. If ghosts follow the owned elements, the vector is ghosted. Otherwise PETSc
 * allocates the vector, which starts with the array's elements (DAP_READ) or zeros. See bridge/docs/petsc.md,
 * "When a vector is shared". Collective.
 *
 *     dap_petsc_vector_get(comm, a, DAP_READ_WRITE, NULL, &v, &err);
 *     KSPSolve(ksp, b, v.vec);
 *     dap_petsc_vector_restore(&v, &err);
 *
 * @param comm     rank i is the layout's process i
 * @param array    its buffer must exist until the view has ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param vector   receives the view, to be ended by restore or discard; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: there are more entries than PetscInt can count
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, a part with DAP_WRITE leaves out a replicated axis, or
 *    block_size does not divide the number of elements
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the latter also before PetscInitialize
 * @see dap_petsc_field_get()
 */
DAP_API dap_status dap_petsc_vector_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_vector_options *options, dap_petsc_vector *vector,
                                        dap_error *err);

/**
 * Ends a view. With DAP_WRITE the vector is first written to the array.
 *
 * Ghosts and communication padding are filled. *vector keeps only shared, reason and moved_bytes. The view
 * ends even on error. Collective on the view's communicator.
 *
 * @param vector  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is a bitwise copy; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_vector_discard(), dap_petsc_vector_store()
 */
DAP_API dap_status dap_petsc_vector_restore(dap_petsc_vector *vector, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Changes made to a shared vector remain, and its ghosts are not updated. *vector keeps only shared, reason
 * and moved_bytes. The view ends even on error. Collective on the view's communicator.
 *
 * @param vector  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is a bitwise copy; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_vector_restore()
 */
DAP_API dap_status dap_petsc_vector_discard(dap_petsc_vector *vector, dap_error *err);

/**
 * Copies the array's current elements to a moved vector.
 *
 * A shared vector is marked as changed, so PETSc discards cached norms. Also call the function after you have
 * written to a shared buffer directly. Collective on the view's communicator.
 *
 * @param vector  a live view with DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_store()
 */
DAP_API dap_status dap_petsc_vector_load(dap_petsc_vector *vector, dap_error *err);

/**
 * Writes the vector's entries to the array. The view stays live.
 *
 * Ghosts and communication padding of the array are filled. Collective on the view's communicator.
 *
 * @param vector  a live view with DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_load(), dap_petsc_vector_restore()
 */
DAP_API dap_status dap_petsc_vector_store(dap_petsc_vector *vector, dap_error *err);

/**
 * Fills the array's ghosts and communication padding with their owners' values, in place.
 *
 * A moved vector is not changed. Collective on the view's communicator.
 *
 * @param vector  a live view with DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_vector_halo(dap_petsc_vector *vector, dap_error *err);

/**
 * Adds the values in the array's ghosts and padding to their owners' elements, in place.
 *
 * For a ghosted vector this has the effect of VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE), but the
 * function also accepts other vectors. A moved vector is not changed until dap_petsc_vector_load() is called.
 * Along a replicated axis each copy is updated separately. Sums have the same bits in every run. Collective
 * on the view's communicator.
 *
 * @param vector   a live view with DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE: their sum
 * @param padding  what happens to padding and ghosts
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not such a view (only this process returns the error), arguments are invalid or
 *    differ between processes, or `combine` is DAP_COMBINE_MAX or _MIN for complex elements
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_halo(), dap_plan_create_halo_reverse()
 */
DAP_API dap_status dap_petsc_vector_halo_reverse(dap_petsc_vector *vector, dap_combine combine,
                                                 dap_padding padding, dap_error *err);

/**
 * Writes a description of the view to `text`.
 *
 * The text is one line: "vector of 37 entries; shared, 0 bytes moved: <reason>". Like snprintf(), the
 * function truncates the text to fit and terminates it with NUL. Not collective.
 *
 * @param vector    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return the length of the full text, without the NUL
 */
DAP_API size_t dap_petsc_vector_describe(const dap_petsc_vector *vector, char *text, size_t capacity);

/**
 * Makes an array with one 'b' axis from a vector, in the vector's memory.
 *
 * The array does not contain ghost entries (VecCreateGhost()), and its elements keep the order of PETSc's
 * entries. To get a DMDA's axes, call dap_petsc_field_import(). The array keeps a reference to the vector.
 * Nobody may use the vector until dap_array_release() returns its memory and marks it as changed. The array
 * of a vector that is locked for reading is read-only (bridge/docs/petsc.md). Collective on the vector's
 * communicator.
 *
 * @param vector  a vector of type VECSEQ or VECMPI
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the array's layout, to be freed with dap_layout_destroy(), or NULL on error; may be
 *                NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless `vector` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `vector` is NULL (only this process returns the error), or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the vector has another type
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

/**
 * Makes an array of padded blocks from a DMDA's local vector, in the vector's memory.
 *
 * Ghost points between processes become communication padding. Ghost points outside the grid become boundary
 * padding. If they repeat the other end of a periodic direction, they become communication padding outside
 * `size`, as in protocol 0.9. The function does not update ghost points. The array keeps a reference to the
 * vector. Nobody may use the vector until dap_array_release() returns its memory and marks it as changed. The
 * array of a vector that is locked for reading is read-only (bridge/docs/petsc.md). Collective on the DMDA's
 * communicator.
 *
 * @param local   a local vector of a DMDA (VecGetDM())
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the array's layout, to be freed with dap_layout_destroy(), or NULL on error; may be
 *                NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless `local` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `local` is not a DMDA's (only this process returns the error) or not a local vector, or
 *    `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the DMDA has DM_BOUNDARY_TWIST, an unusual order of processes, or ghost points that
 *    differ from the stencil's
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_import()
 */
DAP_API dap_status dap_petsc_field_import_local(Vec local, dap_array *array, dap_layout **layout,
                                                dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
