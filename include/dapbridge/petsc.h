/**
 * @file
 * A distributed array as a PETSc field: a DMDA with a global and a local vector.
 *
 * To solve a PDE, get the array as a field, solve on the field's dm, and restore the field. The array's last
 * axis is the DMDA's x, which varies fastest in memory and in rank order. So a C-order block array with halos
 * can be used as a local (ghosted) vector directly. Vectors are shared if possible, and moved otherwise.
 *
 * Set matrix_width and matrix_star to the operator's stencil. Otherwise solvers on dm are slow. By default
 * each row of a matrix has an entry for each point of a box as wide as the padding. With width 2 in three
 * dimensions, these are 125 entries. See bridge/docs/petsc.md.
 *
 * For each build of PETSc there is a separate library (petsc_build.h). PETSc is not thread-safe, so neither
 * are these functions. The program must call PetscInitialize() before the first view, and PetscFinalize() at
 * its end. Before PetscInitialize() each view is refused with DAP_ERR_LIBRARY on all processes.
 */
#ifndef DAPBRIDGE_PETSC_H
#define DAPBRIDGE_PETSC_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscdmda.h>

/* The functions have different symbol names for each build of PETSc. */
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

/** The vectors of a field. Pass one of these values, or their sum. */
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
 * view lives. Shared vectors must not be used after the view has ended.
 */
typedef struct dap_petsc_field {
  DM dm;      /**< a DMDA; each point holds one element of the array, or dof elements */
  Vec global; /**< the points of each process; NULL unless options.vectors includes it */
  Vec local;  /**< the points with ghost points around them; NULL unless options.vectors includes it */
  bool shared_global; /**< the global vector's memory is the array's buffer */
  /** the local vector's memory is the array's buffer; if both vectors are shared, they are the same memory */
  bool shared_local;
  char reason_global[DAP_ERROR_TEXT]; /**< why the global vector is shared, or why not */
  char reason_local[DAP_ERROR_TEXT];  /**< why the local vector is shared, or why not */
  int64_t moved_bytes;                /**< bytes that this process has copied or sent for the view so far */
  dap_view_handle handle;             /**< internal */
} dap_petsc_field;

/**
 * Options of dap_petsc_field_get(). All except `dm` are the same on every process. NULL or a zeroed struct
 * means the defaults.
 *
 * **Ghost points.** By default a distributed array without padding has no ghost points. Then no row of a
 * matrix may refer to a point of another process. To allow this, set `width` to 1 or more.
 *
 * **Matrices.** matrix_width and matrix_star apply only to matrices of dm, including those on coarser and
 * finer grids. Ghost points and sharing do not depend on these options. So one dm serves KSP, SNES and TS.
 *
 * **A dm for many fields.** A loop can pass the first field's dm as options.dm, after PetscObjectReference().
 * Then dapbridge makes only one DMDA for any number of buffers. bridge/docs/petsc.md, "Fields", describes all
 * options.
 */
typedef struct dap_petsc_field_options {
  dap_sharing sharing; /**< whether vectors may be copies */
  unsigned vectors;    /**< DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL, or their sum; 0 means both */

  int64_t width; /**< width of the stencil in points; 0 means the array's widest halo */
  bool star;     /**< DMDA_STENCIL_STAR, which leaves ghost corners unfilled; else DMDA_STENCIL_BOX */

  int64_t matrix_width; /**< stencil width of dm's matrices, 1 to `width`; 0 means `width` */
  bool matrix_star;     /**< dm's matrices have a star stencil; `star` implies it */

  dap_order order; /**< which axis is x: the last (C) or the first (F); 0: chosen as petsc.md describes */
  int dof_axes;    /**< number of last axes that are degrees of freedom, such as 1 for shape (y, x, 3) */

  DMBoundaryType boundary; /**< boundary padding becomes points (DM_BOUNDARY_NONE) or ghosts (_GHOSTED) */
  bool strip_periodic; /**< periodic axes: boundary padding repeats the other end; else it becomes points */

  bool lossy; /**< allow lossy casts of the elements, see dap_dtype_holds() */

  dap_part part; /**< keeps some axes complete (shape is NULL); start gives the indices along the others */
  DM dm;         /**< a DMDA to use, NULL on processes without a part; if NULL on all, dapbridge makes one */
} dap_petsc_field_options;

/**
 * Gets an array as a PETSc field: a DMDA with a global and a local vector.
 *
 * Each vector is shared if the array's buffer can be its memory on every process. Otherwise PETSc allocates
 * the vector, which starts with the array's elements (DAP_READ) or with zeros. bridge/docs/petsc.md, "When a
 * field is shared", gives details. Create solvers on PetscObjectComm((PetscObject)field.dm), which can differ
 * from `comm`.
 *
 *     dap_petsc_field_get(comm, a, DAP_READ_WRITE, &options, &field, &err);
 *     KSPSetDM(ksp, field.dm);
 *     KSPSolve(ksp, b, field.global);
 *     dap_petsc_field_restore(&field, &err);
 *
 * Collective.
 *
 * @param comm     rank i is the layout's process i
 * @param array    has 1 to 3 axes, plus options->dof_axes axes; its buffer must exist until the view has
 *                 ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param field    receives the view, to be ended by restore or discard; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or the dm has other points
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
 * Ends a view. If the view has DAP_WRITE, the vectors are first written to the array.
 *
 * The array receives the global vector if there is one, otherwise the local vector. Boundary padding that is
 * ghost points is filled from the local vector. Communication padding and stripped padding receive their
 * owners' values. *field keeps only shared_..., reason_... and moved_bytes. The view ends even on error.
 * Collective on the view's communicator.
 *
 * @param field  the view; may be NULL, zeroed, or ended
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy; only this process fails, and nothing happens
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
 * @param field  the view; may be NULL, zeroed, or ended
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_discard(dap_petsc_field *field, dap_error *err);

/**
 * Copies the array's current elements to the moved vectors, including their ghost points.
 *
 * Shared vectors are marked as changed, so PETSc discards cached norms. If both vectors share memory and you
 * change one, mark the other by VecGetArray() and VecRestoreArray(). Collective on the view's communicator.
 *
 * @param field  a live view with DAP_READ
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_load(dap_petsc_field *field, dap_error *err);

/**
 * Writes the vectors to the array, as dap_petsc_field_restore() does. The view stays live.
 *
 * Processes without a part must also call the function. Collective on the view's communicator.
 *
 * @param field  a live view with DAP_WRITE
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_load(), dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_store(dap_petsc_field *field, dap_error *err);

/**
 * Fills the array's communication padding with the owners' values, in place.
 *
 * Padding of any width, corners and stripped padding are filled. In a shared local vector the padding is the
 * ghost points, so DMGlobalToLocal() is not needed. Moved vectors are not changed. Collective on the view's
 * communicator.
 *
 * @param field  a live view with DAP_WRITE
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_field_halo(dap_petsc_field *field, dap_error *err);

/**
 * Adds the values in the array's padding and ghosts to their owners' points, in place.
 *
 * For a shared local vector this has the effect of DMLocalToGlobal(dm, local, ADD_VALUES, global), but needs
 * no global vector. Corners are included; with a star stencil they must be 0. Stripped padding is also
 * included, and can change even with DAP_PADDING_KEEP. Moved vectors are not changed. Sums have the same bits
 * in every run. Along a replicated axis each copy is updated separately. Collective on the view's
 * communicator.
 *
 * @param field    a live view with DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE: their sum
 * @param padding  what happens to padding and ghosts
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not such a view (only this process returns the error), arguments are invalid or
 *    differ between processes, or `combine` is DAP_COMBINE_MAX or _MIN for complex elements
 *  - DAP_ERR_UNSUPPORTED: there is stripped padding, and `combine` is not the sum or a 'u' axis has copies
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_halo(), dap_plan_create_halo_reverse()
 */
DAP_API dap_status dap_petsc_field_halo_reverse(dap_petsc_field *field, dap_combine combine,
                                                dap_padding padding, dap_error *err);

/**
 * Writes a description of the view to `text`.
 *
 * The description contains the DMDA, a line for each vector, and the number of bytes moved. After the view
 * has ended, the description does not contain the DMDA. Like snprintf(), the function truncates the text to
 * fit and terminates it with NUL. Not collective.
 *
 * @param field     the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return the length of the full text, without the NUL
 */
DAP_API size_t dap_petsc_field_describe(const dap_petsc_field *field, char *text, size_t capacity);

/**
 * Makes an array from a DMDA's global vector, in the vector's memory.
 *
 * The array has an axis for each direction of the DMDA, with x last. If there are several degrees of freedom,
 * they form a further axis. The array has no ghost points. A periodic direction becomes a periodic axis. The
 * array keeps a reference to the vector. Nobody may use the vector until dap_array_release() returns its
 * memory and marks it as changed. The array of a vector that is locked for reading is read-only
 * (bridge/docs/petsc.md). Collective on the vector's communicator.
 *
 * @param vector  a global vector of a DMDA (VecGetDM())
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the array's layout, to be freed with dap_layout_destroy(), or NULL on error; may be
 *                NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless `vector` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `vector` is NULL (only this process returns the error) or not a DMDA's global vector, or
 *    `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the DMDA's processes are not in the usual order
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_import_local()
 */
DAP_API dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
