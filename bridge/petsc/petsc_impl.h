/* Declares what the PETSc adapters of fields, vectors and matrices share. They use only public functions of
 * the core. */
#ifndef DAP_PETSC_IMPL_H
#define DAP_PETSC_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/comm.h>
#include <petscdmda.h>

#include "check.h"

/* Element type of an array that can share PETSc's memory. */
#if defined(PETSC_USE_COMPLEX)
#define DAP_PETSC_DTYPE (sizeof(PetscReal) == 8 ? DAP_C16 : sizeof(PetscReal) == 4 ? DAP_C8 : DAP_NONE)
#else
#define DAP_PETSC_DTYPE (sizeof(PetscReal) == 8 ? DAP_F8 : sizeof(PetscReal) == 4 ? DAP_F4 : DAP_NONE)
#endif

enum { DAP_GRID_MAX = 3 /* axes of a DMDA */ };

/* The stencil of a DMDA's matrices. Width 0: that of its ghost points. */
typedef struct dap_stencil {
  int64_t width;
  bool star;
} dap_stencil;

/* Members of dap_adapter that the adapters of vectors and matrices share. */
#define DAP_PETSC_ADAPTER                                                                                    \
  .dtype = DAP_PETSC_DTYPE, .dtype_name = "PetscScalar", .fills_halos = true, .part_comm = true,             \
  .keeps_forms = true, .is_alive = dap_petsc_is_here, .state_size = sizeof(dap_petsc_state),                 \
  .close = dap_petsc_close

/* Returns this process's coordinate along an axis of the view's layout; 0 on a process without a part. */
static inline int dap_petsc_coord(const dap_view *view, int axis)
{
  int coords[DAP_MAX_NDIM] = {0};
  if (view->member >= 0) dap_layout_coords(view->layout, view->member, coords);
  return coords[axis];
}

/* ---- errors.c: foreign error codes as statuses -------------------------------------------------- */

dap_status dap_petsc_mpi(int code, const char *what, dap_error *err);

/* PETSc's error while errors are caught. */
typedef struct dap_caught {
  struct dap_caught *outer; /* this one is within that; or NULL */
  bool pushed;
  bool no_memory; /* the error was PETSC_ERR_MEM */
  char text[320];
} dap_caught;

/* Gives the status of `call`, whose errors PETSc returns and does not print. Calls may be nested, because the
 * end of an object of the program can release an array or restore a view. */
#define DAP_CATCH(call, what, err)                                                                           \
  (dap_catch_begin(&(dap_caught){.outer = NULL}), dap_catch_end((call), (what), (err)))
void dap_catch_begin(dap_caught *caught);
dap_status dap_catch_end(PetscErrorCode code, const char *what, dap_error *err);

/* is_started: DAP_ERR_BUFFER if no array has PetscScalar's type, and DAP_ERR_LIBRARY unless the program has
 * initialised PETSc. The check of each adapter asks it, so all processes agree on the answer. Not
 * collective.
 * is_here: DAP_ERR_LIBRARY if PETSc has been finalised, and with it the objects of a view. Not collective,
 * but the same on every process, because finalising is collective. */
dap_status dap_petsc_is_started(dap_error *err);
dap_status dap_petsc_is_here(dap_error *err);

/* ---- contiguous.c: whether PETSc can work in the array's buffer ---------------------------------------- */

/* Returns the axis that is i-th in memory, the fastest first, if the last `inner` of `ndim` axes are the
 * fastest and the others are in `order`. */
int dap_faster_axis(int ndim, int inner, dap_order order, int i);

/* A block of elements in a buffer. */
typedef struct dap_memory_block {
  const void *data;
  int ndim, inner;                /* the last `inner` axes are the fastest, as in dap_faster_axis() */
  const int64_t *shape, *strides; /* [ndim] elements, bytes */
} dap_memory_block;

/* Returns DAP_OK if the block lies without gaps in the order of dap_faster_axis() and is aligned, else
 * DAP_ERR_SHARE. Not collective. */
dap_status dap_share_memory(const char *what, const dap_memory_block *block, dap_order order, dap_error *why);

/* Says how an axis lies, for reasons: "axis 0 is ...". */
static inline const char *dap_petsc_axis_kind(dap_axis axis)
{
  if (axis.replicated || axis.partial) return axis.partial ? "in partial sums" : "replicated";
  return axis.dist_type == 'u' ? "unstructured" : axis.dist_type == 'c' ? "cyclic" : "in blocks";
}

/* ---- layouts.c ----------------------------------------------------------------------------------------- */

/* Makes the layout of PETSc's ranges begins [procs + 1] of entries or, if ndim is 2, of rows with `columns`
 * columns. */
dap_status dap_petsc_layout_of(int ndim, const PetscInt begins[], int procs, int64_t columns,
                               dap_layout **layout, dap_error *err);

/* Returns the rank of the process at a row-major place of the process grid. */
int dap_rank_at(const dap_layout *layout, int place);

/* Makes a layout with the rank of the process at each row-major place; NULL: the place. */
dap_status dap_petsc_layout_create(int ndim, const dap_dist dist[], const int ranks[], dap_layout **layout,
                                   dap_error *err);

/* Elements that are added to each axis of a layout: at both ends, where the number can be negative, and on
 * the first grid_ndim axes as ghosts, also across the ends of periodic axes. */
typedef struct dap_surrounding {
  int grid_ndim;
  int64_t width;                   /* of ghosts */
  int64_t margin[DAP_MAX_NDIM][2]; /* [axes] boundary padding if there are ghosts */
} dap_surrounding;
/* Makes a layout with the ranges and ranks of `from` and its surrounding, without its padding. */
dap_status dap_petsc_layout_surround(const dap_layout *from, const dap_surrounding *with, dap_layout **layout,
                                     dap_error *err);

/* ---- vectors.c: vectors of views, and of a DMDA ------------------------------------------------- */

/* A vector of a view. If the view is read-only it is locked for reading, except while its memory is written
 * to. On a process without a part there is no vector, and these functions do nothing. Not collective. */
typedef struct dap_view_vec {
  Vec vec;
  bool is_readonly, is_locked;
} dap_view_vec;

PetscErrorCode dap_view_vec_lock(dap_view_vec *v);
PetscErrorCode dap_view_vec_destroy(dap_view_vec *v);

/* Functions of dap_adapter: get_memory, restore_memory, changed. */
dap_status dap_view_vec_get_array(dap_view *view, int target, dap_access access, void **memory,
                                  dap_error *err);
dap_status dap_view_vec_restore_array(dap_view *view, int target, dap_access access, void *memory,
                                      dap_error *err);
dap_status dap_view_vec_changed(dap_view *view, int target, dap_error *err);

/* Raises the vector's state after its memory was written to unseen. A new vector on memory of its caller
 * needs this as well. Its state is 0. The state of norms that nobody has computed is also 0, so PETSc would
 * take these norms for computed norms of 0. */
PetscErrorCode dap_vec_changed(Vec vector);

/* ---- objects.c: PETSc's objects of a view ------------------------------------------------------------- */

/* dap_view.state of every adapter. NULL: there is no such object. */
typedef struct dap_petsc_state {
  dap_view_vec vectors[2]; /* of each target of a field, or of a vector */
  DM dm;                   /* a field's */
  AO ao;                   /* of a vector that is a list */
  Mat mat;
  Mat dense; /* holds the elements of a MATSCALAPACK while they are moved */
} dap_petsc_state;

static inline dap_petsc_state *dap_petsc_state_of(const dap_view *view)
{
  return view->state;
}

/* A step makes objects. `numbers` is memory for the steps. */
typedef PetscErrorCode dap_petsc_step(MPI_Comm comm, dap_view *view, PetscInt numbers[]);

typedef struct dap_petsc_making {
  const char *what; /* for errors: "making the matrix" */
  dap_petsc_step *const *steps;
  int count;        /* of steps */
  const int *place; /* of this process in the order that the objects need; NULL: that of the part */
  int64_t room;     /* numbers */
} dap_petsc_making;

/* make: runs steps on the processes that have the part. They agree after each step, because a process on
 * which one fails would not come to the next, which may be collective. The communicator is PETSc's copy of
 * the caller's, if the part is on all its processes, because PETSc keeps data with it. Collective; agreed.
 * close: dap_adapter.close. */
dap_status dap_petsc_make(dap_view *view, const dap_petsc_making *making, dap_error *err);
dap_status dap_petsc_close(dap_view *view, dap_error *err);

/* Makes a local or global vector of a DMDA, on `data` if it is shared, else on zeroed memory of PETSc.
 * Collective on the DM's communicator. */
PetscErrorCode dap_vec_of_dm(DM dm, bool is_local, bool shared, void *data, Vec *vector);

#endif
