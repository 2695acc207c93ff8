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
 * DMCreateGlobalVector() and DMCreateLocalVector().
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
 * the vector's memory. With DAP_READ such a vector starts with the array's elements, otherwise with zeros.
 * See bridge/docs/petsc.md, "When a field is shared". Make solvers on PetscObjectComm((PetscObject)field.dm),
 * which need not be `comm`.
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
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, or the dm has other points
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast would be lossy
 *  - DAP_ERR_RANGE: there are more points than PetscInt can count
 *  - DAP_ERR_UNSUPPORTED: the array has axes or padding, or the dm has boundaries, that a field cannot have
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the latter also before PetscInitialize
 */
DAP_API dap_status dap_petsc_field_get(MPI_Comm comm, dap_darray array, dap_access access,
                                       const dap_petsc_field_options *options, dap_petsc_field *field,
                                       dap_error *err);

/**
 * Ends a view, and first writes the vectors to the array if the view has DAP_WRITE.
 *
 * The array receives the values of the global vector if the field has one, otherwise those of the local
 * vector. Ghost points that are boundary padding come from the local vector. Communication padding and
 * stripped padding are filled from their owners. *field is zeroed, except shared_..., reason_... and
 * moved_bytes. A shared vector must not be used afterwards. The view ends even on error. Collective on the
 * communicator of dap_petsc_field_get(), which may have been freed.
 *
 * @param field  the view; NULL, a zeroed one and one that has ended are allowed
 * @param err    receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy of the view's struct. Only this process returns the error, and
 *    the call has no effect.
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the same on every process; the latter also after PetscFinalize
 * @see dap_petsc_field_discard(), dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_restore(dap_petsc_field *field, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Values of moved vectors are lost. Changes made to a shared vector remain, and no padding is filled. *field
 * is zeroed, except shared_..., reason_... and moved_bytes. The view ends even on error. Collective on the
 * communicator of dap_petsc_field_get(), which may have been freed.
 *
 * @param field  the view; NULL, a zeroed one and one that has ended are allowed
 * @param err    receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy of the view's struct. Only this process returns the error, and
 *    the call has no effect.
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the same on every process; the latter also after PetscFinalize
 * @see dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_discard(dap_petsc_field *field, dap_error *err);

/**
 * Copies the array's current elements to the moved vectors, ghost points included.
 *
 * Shared vectors are marked as changed, so that PETSc discards cached norms. If the two vectors are the same
 * memory, PETSc does not notice that writing to one changes the other. Then call VecGetArray() and
 * VecRestoreArray() on the other one. Collective on the communicator of dap_petsc_field_get().
 *
 * @param field  a live view with DAP_READ
 * @param err    receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_READ. Only this process returns the error, and nothing
 *    happens.
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the same on every process
 * @see dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_load(dap_petsc_field *field, dap_error *err);

/**
 * Writes the vectors to the array, as dap_petsc_field_restore() does. The view stays live.
 *
 * Processes without a part must call the function, too. Collective on the communicator of
 * dap_petsc_field_get().
 *
 * @param field  a live view with DAP_WRITE
 * @param err    receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_WRITE. Only this process returns the error, and nothing
 *    happens.
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the same on every process
 * @see dap_petsc_field_load(), dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_store(dap_petsc_field *field, dap_error *err);

/**
 * Fills the array's communication padding with its owners' values, in place.
 *
 * The function fills padding of any width, with corners and stripped padding. Moved vectors are not changed.
 * The padding is the ghost points of a shared local vector, so a program need not copy points by
 * DMGlobalToLocal(). Collective on the communicator of dap_petsc_field_get().
 *
 * @param field  a live view with DAP_WRITE
 * @param err    receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_WRITE. Only this process returns the error, and nothing
 *    happens.
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the same on every process
 */
DAP_API dap_status dap_petsc_field_halo(dap_petsc_field *field, dap_error *err);

/**
 * Adds the values in the array's padding and ghosts to the points on their owners, in place.
 *
 * Corners and stripped padding are included. For a shared local vector the function does the same as
 * DMLocalToGlobal(dm, local, ADD_VALUES, global), without a global vector. With a star stencil corners must
 * be 0. Moved vectors are not changed. Sums are the same to the last bit in every run. Along a replicated
 * axis each copy is updated separately. Stripped padding may change even if padding is kept. Collective on
 * the communicator of dap_petsc_field_get().
 *
 * @param field    a live view with DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE: their sum
 * @param padding  what happens to padding and ghosts: they are kept, set to 0, or refreshed by their owners
 * @param err      receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_WRITE (on this process only), or an argument is invalid,
 *    differs, or is DAP_COMBINE_MAX or _MIN with complex elements
 *  - DAP_ERR_UNSUPPORTED: stripped padding, if `combine` is not the sum or if a 'u' axis has copies
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the same on every process
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
 * Makes an array from a DMDA's global vector. The array uses the vector's memory.
 *
 * The array has one axis for each direction of the DMDA, x last, and one more for several degrees of freedom.
 * The array does not have ghost points. A periodic direction becomes a periodic axis. The array keeps a
 * reference to the vector. Nobody may use the vector until dap_array_release() returns its memory and marks
 * it as changed. If the vector is locked for reading, the array is read-only, provided that this build of
 * PETSc records such locks. Collective on the vector's communicator.
 *
 * @param vector  a global vector of a DMDA (VecGetDM())
 * @param array   receives the array, to be ended with dap_array_release(); zeroed on error
 * @param layout  receives its layout, to be freed with dap_layout_destroy(); may be NULL; NULL on error
 * @param err     receives the text of an error; may be NULL
 * @return the same status on every process, unless `vector` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `vector` is NULL (on this process only) or not a global vector of a DMDA, or `array` is
 *    NULL
 *  - DAP_ERR_UNSUPPORTED: the DMDA's processes are not in the usual order
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_import_local()
 */
DAP_API dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
