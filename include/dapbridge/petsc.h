/* dapbridge/petsc.h: a distributed array as a PETSc field: a DMDA with a global and a local vector.
 *
 * Say which points the operator has, or solvers on dm are slow: by default matrices have an entry for each
 * point of a box as wide as the padding, with width 2 in three dimensions 125 a row. An implicit step on 49^3
 * points takes 0.93 s so, and 0.15 s with .width = 1, .star = true, .vectors = DAP_PETSC_GLOBAL (a user's
 * figures, of another machine than this project's). matrix_width and matrix_star are of matrices alone.
 *
 * The three steps of a PDE solve: get the array as a field, solve on its dm, restore. The array's last
 * axis is the DMDA's x, the fastest in memory and in rank order, so a C-order block array with halos is a
 * local (ghosted) vector as it stands. What can be shared is shared; the rest is moved.
 *
 * Each build of PETSc has a library of its own: petsc_build.h. PETSc is not thread-safe, so neither are
 * these functions. The program calls PetscInitialize() before the first view, and
 * PetscFinalize() at its end. Without PetscInitialize() each view is refused with DAP_ERR_LIBRARY, on all
 * processes. */
#ifndef DAPBRIDGE_PETSC_H
#define DAPBRIDGE_PETSC_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscdmda.h>

/* The library for this build of PETSc has its own names for the functions. */
#define dap_petsc_field_get DAP_PETSC_NAME(field_get)
#define dap_petsc_field_restore DAP_PETSC_NAME(field_restore)
#define dap_petsc_field_discard DAP_PETSC_NAME(field_discard)
#define dap_petsc_field_load DAP_PETSC_NAME(field_load)
#define dap_petsc_field_store DAP_PETSC_NAME(field_store)
#define dap_petsc_field_halo DAP_PETSC_NAME(field_halo)
#define dap_petsc_field_halo_reverse DAP_PETSC_NAME(field_halo_reverse)
#define dap_petsc_field_describe DAP_PETSC_NAME(field_describe)
#define dap_petsc_field_import DAP_PETSC_NAME(field_import)

#ifdef __cplusplus
extern "C" {
#endif

/* Which vectors of a field are wanted: a sum of these. */
enum { DAP_PETSC_GLOBAL = 1, DAP_PETSC_LOCAL = 2 };

/* An array seen as a field: filled by dap_petsc_field_get(), ended by dap_petsc_field_restore() or
 * _discard(), and not to be copied in between. All but moved_bytes is the same on every process; those
 * that have nothing of the part asked for have no dm and no vectors. The vectors have all that
 * DMCreateGlobalVector() and DMCreateLocalVector() give one. */
typedef struct dap_petsc_field {
  DM dm;                              /* a DMDA; its points are the array's elements, or dof of them each */
  Vec global;                         /* the points of each process; NULL if not wanted */
  Vec local;                          /* the same with ghost points around them; NULL if not wanted */
  bool shared_global;                 /* its memory is the array's own buffer */
  bool shared_local;                  /* the same; if both hold, the two vectors are one memory */
  char reason_global[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed, in words */
  char reason_local[DAP_ERROR_TEXT];
  int64_t moved_bytes;    /* that this process copied or sent for the view so far; 0 when all is shared */
  dap_view_handle handle; /* the library's */
} dap_petsc_field;

/* What the solver needs. NULL or zeroed: the defaults. The same on every process, but for dm. */
typedef struct dap_petsc_field_options {
  dap_sharing sharing; /* of every vector that is wanted */
  unsigned vectors;    /* DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL; 0: both */

  /* Width of the stencil in points. 0: the array's widest halo. An array spread over processes without
   * padding then has no ghost points, and no row of a matrix may name a point of another process: ask for
   * 1 or more. (Where nothing is spread or periodic: 1.) */
  int64_t width;
  bool star; /* DMDA_STENCIL_STAR, which leaves ghost corners unfilled; else ..._BOX */

  /* The stencil of dm's matrices, by default the one above: a box of width 2 in three dimensions has 125
   * points, so each row of a matrix, and of its factors, has 125 entries, where the seven-point formula has
   * 7. matrix_width: 1 .. `width`; 0: `width`. matrix_star: a star; `star` implies it. Ghost points and what
   * is shared do not depend on these. So dm is the one DM to give to KSP, SNES and TS: DMCreateMatrix() makes
   * matrices for this stencil, of coarser and finer grids too, while local vectors, those of
   * DMDASNESSetFunctionLocal() among them, have all the ghost points. The matrix cannot name points that are
   * no ghost points, or colours (-snes_fd_color) would mix entries up. It is of the types aij, baij, sbaij,
   * sell or dense, or DMCreateMatrix() fails with PETSC_ERR_SUP; DMDASetBlockFills() and
   * DMSetMatrixPreallocateOnly() do not reach it, and a DMClone() has it no more. */
  int64_t matrix_width;
  bool matrix_star;

  /* Which axis is x. DAP_ORDER_C: the last, before dof_axes; DAP_ORDER_F: the first. 0: as in the last
   * field of `dm`, if one is given; else the one that is fastest in every buffer; else the last. */
  dap_order order;

  /* How many of the last axes (axes, not components: 1 for an array of y, x, 3), each on one process and
   * unpadded, are folded into degrees of freedom, the last of them fastest. */
  int dof_axes;

  /* What boundary padding is. DM_BOUNDARY_NONE: points like all others; DM_BOUNDARY_GHOSTED: ghost points
   * outside the grid. strip_periodic: that of periodic axes is ghost points that repeat the other end (the
   * grid has size - low - high points); else points like all others. */
  DMBoundaryType boundary;
  bool strip_periodic;

  bool lossy; /* allow casts that can lose something of the elements */

  /* A field of some of the array's axes, dof_axes included, in the field's order, on the processes that
   * own the index along the others. Whole axes only: start counts along those left out, and shape must be
   * NULL. */
  dap_part part;

  /* A DMDA to use: an earlier field's, or any other with the array's points, on its processes; NULL where
   * a process has no part. NULL on all: a new one. Its stencils, of matrices too, are its own (options may
   * repeat them). Ghost points that it has and the array has not repeat the other end where it is periodic,
   * and are 0 elsewhere; it need not be periodic where the array is, unless strip_periodic.
   * The communicator keeps what was planned for its last 16 kinds of field (same dm, layout, strides,
   * type, alignment, access and options). So a loop that takes a reference to the first field's dm before
   * restore (PetscObjectReference(), and DMDestroy() in the end) and passes it on pays once, for any
   * number of buffers. */
  DM dm;
} dap_petsc_field_options;

/* Gives an array as a field. Collective on `comm`, which must be exactly the layout's processes in rank
 * order. One to three axes, and options->dof_axes more. Elements of another type than PetscScalar's, or in
 * the other byte order, are converted.
 *
 * The local vector is shared when every axis is in ranges, the buffer is contiguous and its padding is
 * exactly the ghost points of the DMDA: `width` at each interface and at each outer edge that has ghost
 * points. The global vector is shared when the owned part of the buffer is contiguous: no padding but
 * along the slowest axis. If one process cannot share, none does. F-order buffers are shared too, with the
 * first axis as x; degrees of freedom must be the fastest in memory in any case. What is not shared is a
 * vector of PETSc's, zeroed, into which DAP_READ moves the elements, ghost points included.
 *
 * Where the array's ranges make no DMDA (cyclic, unstructured, narrower than the stencil) dm has an even
 * distribution of its own. With F order, or ranks in an order of their own, it lives on a reordered
 * communicator, and of some axes on part of `comm`: solvers are made on
 * PetscObjectComm((PetscObject)field.dm). With DAP_READ alone a debug build of PETSc refuses to write to
 * the vectors.
 *
 * The array and `comm` may be dropped afterwards; the buffer must stay until the view has ended.
 * Errors, the same on every process: those of dap_view_get() (adapter.h), and DAP_ERR_ARG (an option
 * outside its range, such as matrix_width; a dm that has other points, processes or stencils),
 * DAP_ERR_UNSUPPORTED (number of axes; a part that has a shape; a dof axis that is distributed or padded;
 * boundary padding wider than `width` or than the period; too few points for any grid; a dm with mirrored
 * or twisted boundaries), DAP_ERR_RANGE (more points than PetscInt counts), DAP_ERR_REMOTE (an index along a
 * 'u' axis of which not all processes know the owner). On error *field is zeroed. */
DAP_API dap_status dap_petsc_field_get(MPI_Comm comm, dap_darray array, dap_access access,
                                       const dap_petsc_field_options *options, dap_petsc_field *field,
                                       dap_error *err);

/* Ends a view. Collective on the communicator of dap_petsc_field_get(), which may have been freed. With
 * DAP_WRITE the array then holds the result: the points of the global vector if it was wanted, else those
 * of the local one; boundary padding that was ghost points as the local vector has it, untouched if that
 * was not wanted; and all communication padding, and stripped outer padding, from its owners (not counted
 * in moved_bytes; of a field of some axes the padding along these). The view's references to dm and the
 * vectors are dropped and *field is zeroed, but for shared_..., reason_... and moved_bytes. A shared
 * vector must not be used afterwards through another reference.
 * Accepts NULL, a zeroed field and a restored one.
 * Errors: those of dap_view_restore(); DAP_ERR_LIBRARY also when PETSc was finalised before. */
DAP_API dap_status dap_petsc_field_restore(dap_petsc_field *field, dap_error *err);

/* The same, but nothing is moved back: what moved vectors hold is lost, a shared array's elements stay
 * written, and no padding is filled. */
DAP_API dap_status dap_petsc_field_discard(dap_petsc_field *field, dap_error *err);

/* For a view that goes on. load: what the array holds goes to the vectors that are moved, ghost points
 * too, as dap_petsc_field_get() did with DAP_READ; PETSc notices that the memory of shared ones was
 * written to, and forgets their norms. (Who writes to one of two vectors that are one memory calls
 * VecGetArray() and VecRestoreArray() on the one that did not notice.) store: the array holds what
 * dap_petsc_field_restore() would leave there. Collective as that, processes without a part included.
 * Errors: those of dap_view_load(). */
DAP_API dap_status dap_petsc_field_load(dap_petsc_field *field, dap_error *err);
DAP_API dap_status dap_petsc_field_store(dap_petsc_field *field, dap_error *err);

/* The halo update of the caller's buffer, in place, whatever its padding (of other widths at each side,
 * interface or axis): all communication padding, corners included, and stripped outer padding is filled
 * from its owners; moved vectors stay as they are. Of a shared local vector these are its ghost points, as
 * DMLocalToLocalBegin() and ...End() fill them, for which a program needs not copy the points as
 * DMGlobalToLocal() does; PETSc notices the change. Collective as above. Errors: those of dap_view_halo(). */
DAP_API dap_status dap_petsc_field_halo(dap_petsc_field *field, dap_error *err);

/* The reverse, in place in the caller's buffer, whatever its padding: what is in the communication padding,
 * corners included, in stripped outer padding and in ghosts of 'u' axes is added to the points that it stands
 * for, beside what these have (combine DAP_COMBINE_SUM or _NONE; or DAP_COMBINE_MAX, _MIN: the largest, the
 * smallest). Then that padding is kept, set to 0, or gets its owners' values, as `padding` says. Of a shared
 * local vector that is what DMLocalToGlobal(dm, local, ADD_VALUES, global) does into a zeroed global vector,
 * without one (of a star stencil PETSc leaves corners out, which are added here: they must be 0); PETSc
 * notices the change. Moved vectors stay as they are, and ghost points outside the grid
 * (DM_BOUNDARY_GHOSTED) are elements of the array like all others. Sums are the same to the last bit in every
 * run. Plans are kept as those of dap_petsc_field_halo(). Stripped padding that is to be kept may be changed.
 * Along a replicated axis each copy is updated on its own. Collective as above.
 * Errors: those of dap_view_halo_reverse(); DAP_ERR_UNSUPPORTED, where stripped padding is to be combined by
 * another way than the sum, or beside a 'u' axis that has ghosts or is replicated. */
DAP_API dap_status dap_petsc_field_halo_reverse(dap_petsc_field *field, dap_combine combine,
                                                dap_padding padding, dap_error *err);

/* Writes the field in words to `text` of `capacity` bytes, as dap_layout_describe(): the DMDA, then a line
 * for each vector, and the bytes moved; of a field that has ended all but the DMDA. Not collective. */
DAP_API size_t dap_petsc_field_describe(const dap_petsc_field *field, char *text, size_t capacity);

/* Gives a global vector of a DMDA (known to VecGetDM()) as an array that shares its memory, with one axis
 * for each of the DMDA's, x last, and one more if it has several degrees of freedom. Collective on the
 * vector's communicator, whose ranks are the array's processes. Ghost points are no part of it; a periodic
 * direction is marked so.
 * The array keeps a reference to the vector, which must not be touched until dap_array_release() restores
 * its memory and marks it as changed. *layout (NULL: not wanted) is the caller's. A vector locked for
 * reading gives a read-only array, if PETSc keeps locks: an optimised build of 3.18 does not, one of 3.22
 * does. Errors, the same on every process: DAP_ERR_ARG (no DM, a DM that is no DMDA, a vector that is not
 * one of its global ones), DAP_ERR_UNSUPPORTED (processes that are not in the usual order), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. A NULL vector names no communicator: DAP_ERR_ARG on that process alone. On error *array
 * is zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
