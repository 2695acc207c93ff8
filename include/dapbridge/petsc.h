/**
 * @file
 * A distributed array as a PETSc field: a DMDA with a global and a local vector.
 *
 * To solve a PDE, get the array as a field, solve on its dm, and restore it. The array's last axis is the
 * DMDA's x, the fastest in memory and in rank order. So a C-order block array with halos can be used as a
 * local (ghosted) vector directly. Vectors are shared if possible, and moved otherwise.
 *
 * Set matrix_width and matrix_star to the points of the operator's stencil, or solvers on dm are slow. By
 * default a row of a matrix has an entry for each point of a box as wide as the padding: 125 with width 2 in
 * three dimensions. See bridge/docs/petsc.md.
 *
 * For each build of PETSc there is a separate library (petsc_build.h). PETSc is not thread-safe, so neither
 * are these functions. The program calls PetscInitialize() before the first view and PetscFinalize() at its
 * end. Without PetscInitialize() each view is refused with DAP_ERR_LIBRARY on all processes.
 */
#ifndef DAPBRIDGE_PETSC_H
#define DAPBRIDGE_PETSC_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscdmda.h>

/* The functions have different symbols in each build of PETSc. */
/** @cond */
#define dap_petsc_field_get DAP_PETSC_NAME(field_get)
#define dap_petsc_field_restore DAP_PETSC_NAME(field_restore)
#define dap_petsc_field_discard DAP_PETSC_NAME(field_discard)
#define dap_petsc_field_load DAP_PETSC_NAME(field_load)
#define dap_petsc_field_store DAP_PETSC_NAME(field_store)
#define dap_petsc_field_halo DAP_PETSC_NAME(field_halo)
#define dap_petsc_field_halo_reverse DAP_PETSC_NAME(field_halo_reverse)
#define dap_petsc_field_describe DAP_PETSC_NAME(field_describe)
#define dap_petsc_field_import DAP_PETSC_NAME(field_import)
/** @endcond */

#ifdef __cplusplus
extern "C" {
#endif

/** The vectors of a field: one of these, or their sum. */
enum {
  DAP_PETSC_GLOBAL = 1, /**< the points of each process */
  DAP_PETSC_LOCAL = 2   /**< the points of each process, with ghost points around them */
};

/**
 * An array seen as a field.
 *
 * dap_petsc_field_get() fills the struct. dap_petsc_field_restore() or dap_petsc_field_discard() ends the
 * view. The struct must not be copied in between. All members except moved_bytes are the same on every
 * process. Processes without a part have no dm and no vectors. The vectors have all properties of those from
 * DMCreateGlobalVector() and DMCreateLocalVector(). The communicator and the layout may be freed while the
 * view lives. Shared vectors must not be used after it has ended.
 */
typedef struct dap_petsc_field {
  DM dm;      /**< a DMDA; each point is one element of the array, or dof elements */
  Vec global; /**< the points of each process; NULL unless options.vectors includes it */
  Vec local;  /**< the points with ghost points around them; NULL unless options.vectors includes it */
  bool shared_global; /**< the global vector's memory is the array's buffer */
  /** the local vector's memory is the array's buffer; if both vectors are shared, they are the same memory */
  bool shared_local;
  char reason_global[DAP_ERROR_TEXT]; /**< why the global vector is shared, or why not */
  char reason_local[DAP_ERROR_TEXT];  /**< why the local vector is shared, or why not */
  int64_t moved_bytes;                /**< bytes that this process copied or sent for the view so far */
  dap_view_handle handle;             /**< internal */
} dap_petsc_field;

/**
 * Options of dap_petsc_field_get(), the same on every process, except `dm`. NULL or a zeroed struct means the
 * defaults.
 *
 * **Ghost points.** By default a distributed array without padding has no ghost points. Then no row of a
 * matrix may refer to a point of another process. Ask for a width of 1 or more.
 *
 * **Matrices.** matrix_width and matrix_star apply only to matrices of dm, including those on coarser and
 * finer grids. Ghost points and sharing do not depend on them. So one dm serves KSP, SNES and TS.
 *
 * **A dm for many fields.** A loop can pass the first field's dm as options.dm, after PetscObjectReference().
 * Then dapbridge makes only one DMDA for any number of buffers. bridge/docs/petsc.md, "Fields", has the
 * details of all options.
 */
typedef struct dap_petsc_field_options {
  dap_sharing sharing; /**< whether vectors may be copies */
  unsigned vectors;    /**< DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL, or their sum; 0 means both */

  int64_t width; /**< width of the stencil in points; 0 means the array's widest halo */
  bool star;     /**< DMDA_STENCIL_STAR, which leaves ghost corners unfilled; else DMDA_STENCIL_BOX */

  int64_t matrix_width; /**< stencil width of dm's matrices, 1 to `width`; 0 means `width` */
  bool matrix_star;     /**< dm's matrices have a star stencil; `star` implies it */

  dap_order order; /**< which axis is x: the last (C) or the first (F); 0: chosen as in petsc.md */
  int dof_axes;    /**< number of last axes that are degrees of freedom: 1 for an array (y, x, 3) */

  DMBoundaryType boundary; /**< boundary padding is points (DM_BOUNDARY_NONE) or ghosts (_GHOSTED) */
  bool strip_periodic;     /**< boundary padding of periodic axes repeats the other end; else it is points */

  bool lossy; /**< allow lossy casts of the elements, see dap_dtype_holds() */

  dap_part part; /**< keeps some axes whole (shape NULL); start has the indices along the others */
  DM dm;         /**< a DMDA to use, NULL on processes without a part; NULL on all: dapbridge makes one */
} dap_petsc_field_options;

/**
 * Gets an array as a PETSc field: a DMDA with a global and a local vector.
 *
 * Each vector is shared if the array's buffer can be its memory on every process. Otherwise PETSc allocates
 * the vector, which starts with the array's elements (DAP_READ) or with zeros. bridge/docs/petsc.md, "When a
 * field is shared", has details. Make solvers on PetscObjectComm((PetscObject)field.dm), which need not be
 * `comm`.
 *
 *     dap_petsc_field_get(comm, a, DAP_READ_WRITE, &options, &field, &err);
 *     KSPSetDM(ksp, field.dm);
 *     KSPSolve(ksp, b, field.global);
 *     dap_petsc_field_restore(&field, &err);
 *
 * Collective.
 *
 * @param comm     the layout's processes, in rank order
 * @param array    1 to 3 axes, and options->dof_axes more; the buffer must exist until the view has ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param field    receives the view, to be ended by restore or discard; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs, or the dm has other points
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: there are more points than PetscInt can count
 *  - DAP_ERR_UNSUPPORTED: a field cannot have the array's axes or padding, or the dm's boundaries
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the latter also before PetscInitialize
 */
DAP_API dap_status dap_petsc_field_get(MPI_Comm comm, dap_darray array, dap_access access,
                                       const dap_petsc_field_options *options, dap_petsc_field *field,
                                       dap_error *err);

/**
 * Ends a view, and first writes the vectors to the array if the view has DAP_WRITE.
 *
 * The array receives the global vector if there is one, otherwise the local one. Boundary padding that is
 * ghost points comes from the local vector. Communication padding and stripped padding are filled from their
 * owners. *field keeps only shared_..., reason_... and moved_bytes. The view ends even on error. Collective
 * on the view's communicator.
 *
 * @param field  the view; NULL, zeroed and ended ones are allowed
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_field_discard(), dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_restore(dap_petsc_field *field, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Changes made to a shared vector remain, and no padding is filled. *field keeps only shared_..., reason_...
 * and moved_bytes. The view ends even on error. Collective on the view's communicator.
 *
 * @param field  the view; NULL, zeroed and ended ones are allowed
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_discard(dap_petsc_field *field, dap_error *err);

/**
 * Copies the array's current elements to the moved vectors, ghost points included.
 *
 * Shared vectors are marked as changed, so PETSc discards cached norms. If both vectors share memory, mark
 * one after each change of the other, by VecGetArray() and VecRestoreArray(). Collective on the view's
 * communicator.
 *
 * @param field  a live view with DAP_READ
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_load(dap_petsc_field *field, dap_error *err);

/**
 * Writes the vectors to the array, as dap_petsc_field_restore() does. The view stays live.
 *
 * Processes without a part must call the function, too. Collective on the view's communicator.
 *
 * @param field  a live view with DAP_WRITE
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_load(), dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_store(dap_petsc_field *field, dap_error *err);

/**
 * Fills the array's communication padding with its owners' values, in place.
 *
 * Padding of any width, corners and stripped padding are filled. The padding is the ghost points of a shared
 * local vector, which then needs no DMGlobalToLocal(). Moved vectors are not changed. Collective on the
 * view's communicator.
 *
 * @param field  a live view with DAP_WRITE
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_field_halo(dap_petsc_field *field, dap_error *err);

/**
 * Adds the values in the array's padding and ghosts to the points on their owners, in place.
 *
 * For a shared local vector this is DMLocalToGlobal(dm, local, ADD_VALUES, global), without a global vector.
 * Corners are included; with a star stencil they must be 0. Stripped padding is included, and may change even
 * if padding is kept. Moved vectors are not changed. Sums have the same bits in every run. Along a replicated
 * axis each copy is updated separately. Collective on the view's communicator.
 *
 * @param field    a live view with DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE: their sum
 * @param padding  what happens to padding and ghosts
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view (on this process only), or an argument is invalid, differs, or is
 *    DAP_COMBINE_MAX or _MIN with complex elements
 *  - DAP_ERR_UNSUPPORTED: stripped padding, if `combine` is not the sum or a 'u' axis has copies
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_halo(), dap_plan_create_halo_reverse()
 */
DAP_API dap_status dap_petsc_field_halo_reverse(dap_petsc_field *field, dap_combine combine,
                                                dap_padding padding, dap_error *err);

/**
 * Writes a description of the view to `text`.
 *
 * The description has the DMDA, a line for each vector, and the bytes moved. For a field that has ended the
 * description has no DMDA. Like snprintf(), it truncates the text to fit and terminates it with NUL. Not
 * collective.
 *
 * @param field     the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  bytes of `text`
 * @return the length of the full text, without NUL
 */
DAP_API size_t dap_petsc_field_describe(const dap_petsc_field *field, char *text, size_t capacity);

/**
 * Makes an array from a DMDA's global vector, in the vector's memory.
 *
 * The array has an axis for each direction of the DMDA, x last, and one more for several degrees of freedom.
 * It has no ghost points. A periodic direction becomes a periodic axis. The array keeps a reference to the
 * vector. Nobody may use the vector until dap_array_release() returns its memory and marks it as changed. The
 * array of a vector that is locked for reading is read-only (bridge/docs/petsc.md). Collective on the
 * vector's communicator.
 *
 * @param vector  a global vector of a DMDA (VecGetDM())
 * @param array   receives the array, to be ended with dap_array_release(); zeroed on error
 * @param layout  receives its layout, to be freed with dap_layout_destroy(); may be NULL; NULL on error
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless `vector` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `vector` is NULL (on this process only) or not such a vector, or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the DMDA's processes are not in the usual order
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_import_local()
 */
DAP_API dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
