/**
 * @file
 * A view of a distributed array as a PETSc field: a DMDA with a global and a local vector.
 *
 * To solve a PDE, get your array as a field, solve the equations on the field's DMDA (`dm`), and restore the
 * field. The last axis of a C-order array becomes the DMDA's x axis. In both the array and the DMDA, the
 * index along this axis varies fastest in memory, and processes are numbered along this axis first. So the
 * buffer of a C-order block array with halos can serve directly as a local (ghosted) vector. A vector that
 * uses the array's buffer is *shared*. A vector that is a copy is *moved*.
 *
 * Set the options matrix_width and matrix_star to match the width and shape of your operator's stencil. By
 * default, the stencil is a box as wide as the array's padding. Each row of a matrix then has an entry for
 * every point of this box. Large boxes make solvers slow: in three dimensions, padding of width 2 gives 125
 * entries per row. See bridge/docs/petsc.md.
 *
 * dapbridge has a separate library for each build of PETSc (petsc_build.h). Neither PETSc nor these functions
 * are thread-safe. The program must call PetscInitialize() before it gets the first view, and PetscFinalize()
 * at the end. If PetscInitialize() has not been called, getting a view fails with DAP_ERR_LIBRARY on all
 * processes.
 *
 * A view's communicator must contain exactly the processes of the array's layout, in the same order: rank i
 * is process i of the layout.
 *
 * An array made from a vector that is locked for reading is read-only (bridge/docs/petsc.md).
 */
#ifndef DAPBRIDGE_PETSC_H
#define DAPBRIDGE_PETSC_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscdmda.h>

/* Each build of PETSc has its own symbol names for these functions. */
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

/** The vectors of a field. The option `vectors` is one of these values, or their sum. */
enum {
  DAP_PETSC_GLOBAL = 1, /**< the vector of the points that each process owns */
  DAP_PETSC_LOCAL = 2   /**< the vector of the owned points and of the ghost points around them */
};

/**
 * A view of an array as a field.
 *
 * dap_petsc_field_get() fills the struct. dap_petsc_field_restore() or dap_petsc_field_discard() ends the
 * view, even if the call fails. Afterwards only the shared_..., reason_... and moved_bytes members are set.
 * After PetscFinalize(), the functions that end views only free memory, and return DAP_ERR_LIBRARY. All
 * functions that take a view, except dap_petsc_field_describe(), are collective on the view's communicator.
 * Processes without a part of the array must call them too.
 *
 * The communicator and the layout may be freed while the view is live. The struct must not be copied: a
 * function that is called with a copy fails with DAP_ERR_ARG and has no effect. Do not use a shared vector
 * after the view has ended. If both vectors are shared, they use the same memory. After a change to one of
 * these vectors, call VecGetArray() and VecRestoreArray() on the other, so that PETSc treats it as changed
 * too. The vectors have the same properties as vectors from DMCreateGlobalVector() and DMCreateLocalVector().
 * Create solvers on PetscObjectComm((PetscObject)field.dm), which can differ from the caller's communicator.
 * On processes without a part of the array, dm, global and local are NULL. The shared_... and reason_...
 * members are the same on every process.
 */
typedef struct dap_petsc_field {
  DM dm;      /**< the DMDA; each grid point holds one element of the array, or several (options.dof_axes) */
  Vec global; /**< vector of the points that each process owns; NULL if options.vectors excludes it */
  Vec local;  /**< vector of the owned points and the ghost points; NULL if options.vectors excludes it */
  bool shared_global;                 /**< true if the global vector uses the array's buffer as its memory */
  bool shared_local;                  /**< true if the local vector uses the array's buffer as its memory */
  char reason_global[DAP_ERROR_TEXT]; /**< why the global vector is shared or moved */
  char reason_local[DAP_ERROR_TEXT];  /**< why the local vector is shared or moved */
  int64_t moved_bytes;    /**< number of bytes that this process has copied or sent for the view so far */
  dap_view_handle handle; /**< internal */
} dap_petsc_field;

/**
 * Options of dap_petsc_field_get(). NULL or a zeroed struct means the defaults. All options except `dm` must
 * be the same on every process. bridge/docs/petsc.md, "Fields", describes the options in full.
 *
 * **Ghost points.** By default, a field has no ghost points if the array is distributed and has no padding. A
 * row of a matrix then cannot have entries for points on other processes. To allow such entries, set `width`
 * to 1 or more.
 *
 * **Boundary padding.** By default, PETSc treats boundary padding as grid points. With DM_BOUNDARY_GHOSTED,
 * this padding becomes ghost points outside the grid. With strip_periodic, the boundary padding of periodic
 * axes becomes ghost points that repeat the values at the other end of the axis.
 *
 * **Parts.** part.axes selects the array's axes that form the field. A field uses all elements along these
 * axes, so part.shape must be NULL. part.start gives the index along each axis that is left out.
 *
 * **Matrices.** matrix_width and matrix_star apply only to matrices that PETSc creates for the field's dm, or
 * for coarser and finer grids of this dm. These options affect neither the ghost points nor whether vectors
 * are shared. So KSP, SNES and TS can all use one dm.
 *
 * **One DMDA for many fields.** To use one DMDA for many fields, call PetscObjectReference() once on the
 * first field's dm, before you restore that field. Otherwise dapbridge destroys the DMDA together with the
 * field. Pass this dm as options.dm for all later fields, without further calls to PetscObjectReference().
 * dapbridge then creates only one DMDA for any number of fields. At the end, release your reference with
 * DMDestroy().
 */
typedef struct dap_petsc_field_options {
  dap_sharing sharing; /**< whether vectors may be copies */
  unsigned vectors;    /**< DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL, or their sum; 0 means both vectors */

  int64_t width; /**< width of the stencil in points; 0 means the width of the array's widest halo */
  bool star;     /**< true: DMDA_STENCIL_STAR, which does not fill ghost corners; false: DMDA_STENCIL_BOX */

  int64_t matrix_width; /**< stencil width of matrices, 1 to `width`; 0 means `width` */
  bool matrix_star;     /**< true: the stencil of matrices is a star; implied by `star` */

  /** the axis that becomes x: the last grid axis (DAP_ORDER_C) or the first (DAP_ORDER_F); 0: see petsc.md */
  dap_order order;
  int dof_axes; /**< number of trailing axes that hold degrees of freedom, such as 1 for shape (y, x, 3) */

  /** what boundary padding becomes: grid points (DM_BOUNDARY_NONE) or ghost points (DM_BOUNDARY_GHOSTED) */
  DMBoundaryType boundary;
  bool strip_periodic; /**< true: boundary padding of periodic axes becomes ghost points (it is *stripped*) */

  bool lossy; /**< allow casts that can lose values; see dap_dtype_holds() */

  dap_part part; /**< the field's axes, and the index along each other axis; part.shape must be NULL */
  DM dm;         /**< the DMDA to use (NULL on processes without a part); NULL everywhere: a new DMDA */
} dap_petsc_field_options;

/**
 * Gets an array as a PETSc field: a DMDA with global and local vectors.
 *
 * A vector is shared if it can use the array's buffer on every process. Otherwise PETSc allocates the vector,
 * which initially contains the array's elements (with DAP_READ) or zeros. See bridge/docs/petsc.md, "When a
 * field is shared".
 *
 *     dap_petsc_field_get(comm, a, DAP_READ_WRITE, &options, &field, &err);
 *     KSPSetDM(ksp, field.dm);
 *     KSPSolve(ksp, b, field.global);
 *     dap_petsc_field_restore(&field, &err);
 *
 * Collective.
 *
 * @param comm     contains exactly the layout's processes, in the same order
 * @param array    array with 1 to 3 grid axes, plus options->dof_axes; its buffer must exist until the view
 *                 ends
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param field    receives the view, to be restored or discarded; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or options->dm does not fit the array
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: there are more points than PetscInt can count
 *  - DAP_ERR_UNSUPPORTED: a field cannot represent the array's axes or padding, or the boundaries of
 *    options->dm
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: PETSc or MPI failed, or PetscInitialize() has not been called
 */
DAP_API dap_status dap_petsc_field_get(MPI_Comm comm, dap_darray array, dap_access access,
                                       const dap_petsc_field_options *options, dap_petsc_field *field,
                                       dap_error *err);

/**
 * Writes the vectors to the array if the access includes DAP_WRITE, and ends the view.
 *
 * The array receives the elements of the global vector, or of the local vector if there is no global vector.
 * bridge/docs/petsc.md, "What the array has afterwards", lists the values that padding receives. Collective.
 *
 * @param field  the view; may be NULL, zeroed, or already ended
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_discard(), dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_restore(dap_petsc_field *field, dap_error *err);

/**
 * Ends a view without writing to the array.
 *
 * Changes to a shared vector remain in the array. Padding is not updated. Collective.
 *
 * @param field  the view; may be NULL, zeroed, or already ended
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_discard(dap_petsc_field *field, dap_error *err);

/**
 * Copies the array's current elements to the moved vectors, including ghost points.
 *
 * Shared vectors are marked as changed, so PETSc discards their cached norms. Collective.
 *
 * @param field  a live view whose access includes DAP_READ
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_READ; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_store()
 */
DAP_API dap_status dap_petsc_field_load(dap_petsc_field *field, dap_error *err);

/**
 * Writes the vectors to the array, like dap_petsc_field_restore(), but does not end the view.
 *
 * Collective.
 *
 * @param field  a live view whose access includes DAP_WRITE
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_load(), dap_petsc_field_restore()
 */
DAP_API dap_status dap_petsc_field_store(dap_petsc_field *field, dap_error *err);

/**
 * Fills the array's communication padding and stripped padding with the owners' values, in place.
 *
 * Padding of any width is filled, including corners. For a shared local vector, DMGlobalToLocal() is then
 * not needed. Moved vectors are not changed. Collective.
 *
 * @param field  a live view whose access includes DAP_WRITE
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_field_halo(dap_petsc_field *field, dap_error *err);

/**
 * Combines the values in the array's padding and ghosts with the owners' values of the same points, in place.
 *
 * For a shared local vector, summing has the same effect as DMLocalToGlobal(dm, local, ADD_VALUES, global),
 * but does not need a global vector. The values in corners are always included, so set corners to 0 if the
 * stencil is a star. The values in stripped padding are also added, and can change even with
 * DAP_PADDING_KEEP. Moved vectors are not changed. Collective.
 *
 * @param field    a live view whose access includes DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE means their sum
 * @param padding  contents of padding and ghosts afterwards
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *field is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or `combine` is DAP_COMBINE_MAX or _MIN
 *    for complex elements
 *  - DAP_ERR_UNSUPPORTED: there is stripped padding, and either `combine` does not select the sum, or a 'u'
 *    axis has ghosts or copies
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_field_halo(), dap_plan_create_halo_reverse(); bridge/docs/petsc.md, "Halo updates of a
 * field"
 */
DAP_API dap_status dap_petsc_field_halo_reverse(dap_petsc_field *field, dap_combine combine,
                                                dap_padding padding, dap_error *err);

/**
 * Writes a description of the view to `text`: the DMDA, both vectors, and the number of bytes moved.
 *
 * After the view has ended, the description leaves out the DMDA. Like snprintf(), the function truncates the
 * description to fit. Not collective.
 *
 * @param field     the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return length of the full description, without the NUL
 */
DAP_API size_t dap_petsc_field_describe(const dap_petsc_field *field, char *text, size_t capacity);

/**
 * Makes an array that uses the memory of a DMDA's global vector.
 *
 * The array has an axis for each dimension of the DMDA, and x is the last of these axes. If there are several
 * degrees of freedom, they form a further axis after x. The array has no ghost points. A periodic dimension
 * becomes a periodic axis. The array keeps a reference to the vector. Do not use the vector until
 * dap_array_release() has marked it as changed. Collective on the vector's communicator.
 *
 * @param vector  a global vector of a DMDA (VecGetDM())
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error. May be NULL.
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `vector` is NULL; only this process returns the error
 *  - DAP_ERR_ARG: `vector` is not a DMDA's global vector, or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the DMDA's processes are not in PETSc's usual order
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_petsc_field_import_local()
 */
DAP_API dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
