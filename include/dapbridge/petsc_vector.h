/**
 * @file
 * Views of distributed arrays as PETSc vectors without a grid, and arrays that use the memory of PETSc
 * vectors.
 *
 * Use these views for the right-hand sides and unknowns of a KSP, SNES or TS whose operator your program
 * provides. For a grid with ghost points, use a field (petsc.h). A vector that uses the array's buffer is
 * *shared*. A vector that is a copy is *moved*. Neither PETSc nor these functions are thread-safe. An array
 * made from a vector that is locked for reading is read-only (bridge/docs/petsc.md).
 *
 * A view's communicator must contain exactly the processes of the array's layout, in the same order: rank i
 * is process i of the layout. If PetscInitialize() has not been called, getting a view fails with
 * DAP_ERR_LIBRARY on all processes.
 *
 * **Ghosts.** In a mesh code, each process stores the nodes that it owns, and *ghosts*: nodes of its cells
 * that other processes own. The nodes form an unstructured ('u') axis of the array: each process has a list
 * of indices, and the lists overlap. dist.h explains which process owns an index. If the ghosts come after
 * the owned indices in every list, the vector is *ghosted*: dapbridge creates it in the array's buffer with
 * VecCreateGhostBlockWithArray(). If a list has any other order, dapbridge moves the elements to a vector
 * without ghosts.
 *
 *     VecGhostUpdateBegin(vec, INSERT_VALUES, SCATTER_FORWARD); // owners' values to the ghosts
 *     VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE);     // ghosts are added to the owners' values
 *     VecGhostGetLocalForm(vec, &local);                         // the list as a vector of this process
 *     VecSetValuesLocal(vec, n, positions, values, ADD_VALUES);  // by positions in the list, for assembly
 *
 * All these PETSc functions except VecGhostGetLocalForm() write to the vector, so the access must include
 * DAP_WRITE. PETSc does not update ghosts automatically. The restore, store and halo functions of this header
 * overwrite each ghost with its owner's value. If ghosts contain contributions to the owners' values, add
 * these contributions before you call one of these functions.
 */
#ifndef DAPBRIDGE_PETSC_VECTOR_H
#define DAPBRIDGE_PETSC_VECTOR_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscao.h>
#include <petscvec.h>

/* Each build of PETSc has its own symbol names for these functions. */
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
 * A view of an array as a vector.
 *
 * dap_petsc_vector_get() fills the struct. dap_petsc_vector_restore() or dap_petsc_vector_discard() ends the
 * view, even if the call fails. Afterwards only shared, reason and moved_bytes are set. After
 * PetscFinalize(), the functions that end views only free memory, and return DAP_ERR_LIBRARY. All functions
 * that take a view, except dap_petsc_vector_describe(), are collective on the view's communicator.
 *
 * The communicator and the layout may be freed while the view is live. The struct must not be copied: a
 * function that is called with a copy fails with DAP_ERR_ARG and has no effect. Do not use a shared vector
 * after the view has ended. On processes without a part of the array, vec and ao are NULL. `shared` and
 * `reason` are the same on every process.
 *
 * options.order determines how the elements are numbered. If `ao` is NULL, entry g of the vector is element
 * g. `ao` is set if the vector is shared and its entries are in the order of the lists of a 'u' axis. The AO
 * maps elements (application ordering) to entries (PETSc ordering). If each node has n components, component
 * c of node i is element n * i + c. Create your matrices with the local sizes that VecGetLocalSize() returns.
 */
typedef struct dap_petsc_vector {
  Vec vec;                     /**< the vector, with one entry for each element */
  AO ao;                       /**< maps elements to entries; NULL if entry g is element g */
  bool shared;                 /**< true if the vector uses the array's buffer as its memory */
  char reason[DAP_ERROR_TEXT]; /**< why the vector is shared or moved */
  int64_t moved_bytes; /**< number of bytes that this process has copied or sent for the view; 0 if shared */
  dap_view_handle handle; /**< internal */
} dap_petsc_vector;

/**
 * Options of dap_petsc_vector_get(). NULL or a zeroed struct means the defaults. All options must be the same
 * on every process.
 */
typedef struct dap_petsc_vector_options {
  dap_sharing sharing; /**< whether the vector may be a copy */
  dap_part part;       /**< the part of the array that becomes the vector; zeroed: the whole array */
  dap_order order; /**< which index varies fastest: the last (DAP_ORDER_C or 0) or the first (DAP_ORDER_F) */
  /** true if entry g must be element g; the vector is then moved if lists of a 'u' axis are not in order */
  bool natural;
  int64_t block_size; /**< block size of the vector; must divide the number of elements; 0 means 1 */
  bool lossy;         /**< allow casts that can lose values; see dap_dtype_holds() */
} dap_petsc_vector_options;

/**
 * Gets any array as a PETSc vector.
 *
 * The vector is shared if the owned elements of each process are contiguous and are either one range of the
 * vector's entries or the elements of one list of a 'u' axis. Only one axis may be on several processes. Axes
 * whose indices vary more slowly than the index of this axis may have at most one element. A moved vector
 * initially contains the array's elements (with DAP_READ) or zeros. Collective.
 *
 *     dap_petsc_vector_get(comm, a, DAP_READ_WRITE, NULL, &v, &err);
 *     KSPSolve(ksp, b, v.vec);
 *     dap_petsc_vector_restore(&v, &err);
 *
 * @param comm     contains exactly the layout's processes, in the same order
 * @param array    the array; its buffer must exist until the view ends
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param vector   receives the view, to be restored or discarded; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: PetscInt cannot count all entries
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, block_size does not divide the number of elements, or a part to
 *    be written leaves out a replicated axis
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_get(); bridge/docs/petsc.md, "When a vector is shared"
 */
DAP_API dap_status dap_petsc_vector_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_vector_options *options, dap_petsc_vector *vector,
                                        dap_error *err);

/**
 * Writes the vector to the array if the access includes DAP_WRITE, and ends the view.
 *
 * Ghosts and communication padding of the array are also filled. Collective.
 *
 * @param vector  the view; may be NULL, zeroed, or already ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_discard(), dap_petsc_vector_store()
 */
DAP_API dap_status dap_petsc_vector_restore(dap_petsc_vector *vector, dap_error *err);

/**
 * Ends a view without writing to the array.
 *
 * Changes to a shared vector remain in the array. Ghosts are not updated. Collective.
 *
 * @param vector  the view; may be NULL, zeroed, or already ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_restore()
 */
DAP_API dap_status dap_petsc_vector_discard(dap_petsc_vector *vector, dap_error *err);

/**
 * Copies the array's current elements to a moved vector.
 *
 * A shared vector is marked as changed, so PETSc discards its cached norms. Call this function after a direct
 * write to the array's buffer. Collective.
 *
 * @param vector  a live view whose access includes DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not a live view with DAP_READ; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_store()
 */
DAP_API dap_status dap_petsc_vector_load(dap_petsc_vector *vector, dap_error *err);

/**
 * Writes the vector to the array, like dap_petsc_vector_restore(), but does not end the view.
 *
 * Collective.
 *
 * @param vector  a live view whose access includes DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_load(), dap_petsc_vector_restore()
 */
DAP_API dap_status dap_petsc_vector_store(dap_petsc_vector *vector, dap_error *err);

/**
 * Fills the array's ghosts and communication padding with the owners' values, in place.
 *
 * A moved vector is not changed. Collective.
 *
 * @param vector  a live view whose access includes DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_vector_halo(dap_petsc_vector *vector, dap_error *err);

/**
 * Combines the values in the array's ghosts and padding with the owners' values of the same elements, in
 * place.
 *
 * For a ghosted vector, summing has the same effect as VecGhostUpdateBegin(vec, ADD_VALUES, SCATTER_REVERSE).
 * The function also works if the vector is not ghosted. A moved vector is not changed until
 * dap_petsc_vector_load() is called. Collective.
 *
 * @param vector   a live view whose access includes DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE means their sum
 * @param padding  contents of padding and ghosts afterwards
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *vector is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or `combine` is DAP_COMBINE_MAX or _MIN
 *    for complex elements
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_vector_halo(), dap_plan_create_halo_reverse()
 */
DAP_API dap_status dap_petsc_vector_halo_reverse(dap_petsc_vector *vector, dap_combine combine,
                                                 dap_padding padding, dap_error *err);

/**
 * Writes a description of the view to `text`, as one line without a newline.
 *
 * An example is "vector of 37 entries; shared, 0 bytes moved: <reason>". Like snprintf(), the function
 * truncates the line to fit. Not collective.
 *
 * @param vector    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return length of the full description, without the NUL
 */
DAP_API size_t dap_petsc_vector_describe(const dap_petsc_vector *vector, char *text, size_t capacity);

/**
 * Makes an array with one block ('b') axis that uses the memory of a PETSc vector.
 *
 * The array does not contain a vector's ghost entries (VecCreateGhost()). Its elements are in the order of
 * the vector's entries. To get an array with the axes of a DMDA, call dap_petsc_field_import(). The array
 * keeps a reference to the vector. Do not use the vector until dap_array_release() has marked it as changed.
 * Collective on the vector's communicator.
 *
 * @param vector  a vector of type VECSEQ or VECMPI
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error. May be NULL.
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `vector` is NULL; only this process returns the error
 *  - DAP_ERR_ARG: `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the vector is neither a VECSEQ nor a VECMPI
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

/**
 * Makes an array of padded blocks that uses the memory of a DMDA's local vector.
 *
 * Ghost points between processes become communication padding. Ghost points outside the grid become boundary
 * padding. However, ghost points that repeat the other end of a periodic axis become communication padding
 * that is not counted in `size`, as in protocol 0.9. Ghost points are not updated. The array keeps a
 * reference to the vector. Do not use the vector until dap_array_release() has marked it as changed.
 * Collective on the DMDA's communicator.
 *
 * @param local   a local vector of a DMDA (VecGetDM())
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error. May be NULL.
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the vector does not belong to a DMDA; only this process returns the error
 *  - DAP_ERR_ARG: the vector is not a local vector, or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the DMDA has DM_BOUNDARY_TWIST, an unusual order of processes, or ghost points that
 *    do not match its stencil
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_import()
 */
DAP_API dap_status dap_petsc_field_import_local(Vec local, dap_array *array, dap_layout **layout,
                                                dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
