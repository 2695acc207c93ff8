/* Fields inside: an index of what the files behind them offer each other. */
#ifndef DAP_FIELD_IMPL_H
#define DAP_FIELD_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc.h>

#include "petsc_impl.h"

/* ---- ghosted_box.c: a distributed buffer as points with ghosts around them ---------------------------- */

/* One axis, on all processes along it. Where they have ranges, the buffer of process c holds ghosts[c][0]
 * ghost points, its points, ghosts[c][1] ghost points. */
typedef struct dap_box_axis {
  int procs;
  int64_t size;          /* points in all */
  int64_t *points;       /* [procs] */
  int64_t (*ghosts)[2];  /* [procs] low, high */
  int64_t margin[2];     /* of the outermost ghosts, those that are elements of the layout */
  DMBoundaryType outer;  /* what lies outside the outermost points */
  const char *scattered; /* in words how, if it is not so that each process has one range, in process order */
} dap_box_axis;

/* The axes are the array's: grid_ndim of a DMDA, the others of its degrees of freedom, on one process. */
typedef struct dap_ghosted_box {
  int ndim;
  int grid_ndim;
  dap_box_axis axis[DAP_MAX_NDIM]; /* [ndim] */
  int coords[DAP_MAX_NDIM];        /* [ndim] of this process */
  int64_t strides[DAP_MAX_NDIM];   /* [ndim] bytes, of this process's buffer */
  dap_layout *layout;              /* of the elements in the buffers: points and margins */
} dap_ghosted_box;

/* The array's box; a zeroed one on error. `member` -1: of process 0's place. Not collective; all but
 * coords and strides is the same everywhere. */
dap_status dap_box_init(const dap_layout *layout, const dap_petsc_field_options *options, int member,
                        const int64_t strides[], dap_ghosted_box *box, dap_error *err);

void dap_box_release(dap_ghosted_box *box);

/* Widest ghosts of any process on any axis. */
int64_t dap_box_width(const dap_ghosted_box *box);

/* Degrees of freedom of a point. */
int64_t dap_box_dof(const dap_ghosted_box *box);

/* This process's extent along `axis`, ghosts included. */
int64_t dap_box_extent(const dap_ghosted_box *box, int axis);

/* Bytes from the beginning of this process's buffer to its first point. */
int64_t dap_box_offset(const dap_ghosted_box *box);

/* The same to the first element of the layout's part of it. */
int64_t dap_box_layout_offset(const dap_ghosted_box *box);

/* Margin that is boundary padding outside the grid, and that repeats the other end of it. */
int64_t dap_box_edge(const dap_ghosted_box *box, int axis, int side);
int64_t dap_box_stripped(const dap_ghosted_box *box, int axis, int side);
bool dap_box_has_stripped(const dap_ghosted_box *box); /* on any axis */

/* Elements of a box's layout. */
typedef struct dap_box_range {
  int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM]; /* [ndim] */
} dap_box_range;

/* All of them; of a range `length` elements along `axis`: the first or the last of all, or with `skip` those
 * further in. */
dap_box_range dap_box_whole(const dap_ghosted_box *box);
dap_box_range dap_box_narrow(dap_box_range r, int axis, int side, int64_t skip, int64_t length);

/* Finds the stripped padding of an array at an end of an axis, and the elements that it repeats at the other
 * end. False: there is none. */
bool dap_box_stripped_range(const dap_ghosted_box *array, int axis, int side, dap_box_range *padding,
                            dap_box_range *points);

/* Does PETSc take the axis with so many processes, the shortest of whose ranges is `shortest`? */
bool dap_ranges_fit(const dap_ghosted_box *array, int axis, int procs, int64_t shortest, int64_t width);

/* Memory for an axis of a new box, zeroed; dap_box_release() frees it. */
dap_status dap_box_axis_init(dap_box_axis *axis, int procs, dap_error *err);

/* ---- ownership.c: which process has which points of a DMDA -------------------------------------------- */

/* By axis of the array. */
typedef struct dap_ownership {
  int ndim;
  int procs[DAP_GRID_MAX];
  int64_t *points[DAP_GRID_MAX]; /* [procs] */
  int *ranks;                    /* of the processes, row-major by the array's axes; NULL: i */
} dap_ownership;

/* As the array's own. */
dap_status dap_ownership_of_array(const dap_ghosted_box *array, dap_ownership *ownership, dap_error *err);

/* Evenly, on the grid of `nprocs` processes that suits the array best. */
dap_status dap_ownership_even(const dap_ghosted_box *array, int64_t width, int nprocs,
                              dap_ownership *ownership, dap_error *err);

/* Memory for as many processes as ownership->procs says; dap_ownership_release() frees it. */
dap_status dap_ownership_init(dap_ownership *ownership, dap_error *err);

void dap_ownership_release(dap_ownership *ownership);

/* "11 x 13" of ndim numbers. */
enum { DAP_GRID_TEXT = 80 };
void dap_grid_text(int ndim, const int64_t numbers[], char text[DAP_GRID_TEXT]);

/* The rank of the process at a place of the process grid, row-major. */
int dap_rank_at(const dap_layout *layout, int place);

/* ---- ghosted_box_dmda.c: the boxes of a DMDA's vectors ------------------------------------------------- */

/* The box of a DMDA's vector for the array `from`: with the ranges that `ownership` says; ghosts of
 * `width` (0 for a global vector); contiguous in `order`. `member` as above. */
dap_status dap_box_of_dmda(const dap_ghosted_box *from, const dap_ownership *ownership, int64_t width,
                           dap_order order, int member, dap_ghosted_box *box, dap_error *err);

/* ---- field_vote.c, field_form.c: what fields of one kind on one DMDA have in common --------------- */

/* Targets of the view. */
enum { DAP_FIELD_LOCAL, DAP_FIELD_GLOBAL, DAP_FIELD_VECTORS };

/* The grid of a DMDA, as PETSc will have it. */
typedef struct dap_grid {
  dap_order order; /* C: x is the last axis; F: the first */
  int64_t width;
  bool star;
  dap_stencil matrix; /* of its matrices, if that is another one */
  bool is_even;       /* the array's ranges make no DMDA */
  dap_ghosted_box vectors[DAP_FIELD_VECTORS];
} dap_grid;

/* Facts about a DMDA that it and the forms of its fields remember. */
typedef struct dap_dm_memo {
  int users;
  dap_order order; /* of the last field */
  dap_stencil matrix;
  bool is_over; /* the DMDA was destroyed, whoever did it */
} dap_dm_memo;

/* dap_view.form. The layer keeps it for later fields of this kind on the DMDA (keeps_forms). */
typedef struct dap_field_form {
  dap_ghosted_box array;
  dap_grid grid;
  dap_dm_memo *memo; /* NULL without a part of the field */
  /* The plans that add stripped padding to the other end of the grid, axis by axis; NULL: not planned. */
  dap_plan *unwrap[2 * DAP_GRID_MAX];
} dap_field_form;

/* dap_view.state */
typedef struct dap_field_state {
  dap_view_vec vectors[DAP_FIELD_VECTORS]; /* first */
  DM dm;
} dap_field_state;

/* The options give a DMDA, on every process that has a part. */
DM dap_field_own_dm(const dap_view *view); /* the one of the options; NULL: none, or no part of the field */
bool dap_field_dm_is_agreed(const dap_view *view); /* a DMDA is given on all processes, or on none */
bool dap_field_dm_is_given(const dap_view *view);

/* Which axis is x: as `wanted`; if that is 0 the first where every buffer is contiguous in F order and not
 * every one in C order, else the last. The same on every process. */
dap_order dap_field_order(const dap_view *view, dap_order wanted);

/* Functions of dap_adapter. */
uint64_t dap_field_vote(const dap_view *view);
dap_status dap_field_prepare(dap_view *view, dap_error *err);
dap_status dap_field_lay(dap_view *view, int target, dap_error *err);
bool dap_field_is_over(const void *form);
void dap_field_release(void *form);

/* ---- width.c ------------------------------------------------------------------------------------- */

/* Sets the stencils, of ghost points and matrices, unless a given DMDA has set them; can PETSc count the
 * points? Not collective; the same on every process. */
dap_status dap_grid_set_width(const dap_view *view, dap_error *err);

/* ---- user_dmda.c: a DMDA of the caller's -------------------------------------------------------------- */

/* Does the DMDA of the options have the array's points? Sets order and stencils of the form's grid, and
 * *ownership, the DMDA's. Collective on view->comm, with processes that have no part; agreed. */
dap_status dap_user_dmda_inspect(dap_view *view, dap_ownership *ownership, dap_error *err);

/* ---- field_share.c: may a vector be the array's buffer? ------------------------------------------- */

/* DAP_OK, or DAP_ERR_SHARE with the first condition that fails: can a DMDA have the array's ranges? Not
 * collective; the same on every process. */
dap_status dap_share_ranges(const dap_ghosted_box *array, int64_t width, dap_error *why);

/* Functions of dap_adapter. */
dap_status dap_field_share(dap_view *view, int target, char reason[], dap_error *why);

/* ---- field_plan.c: what moves between the array and the vectors ------------------------------------- */

/* Functions of dap_adapter. */
dap_status dap_field_plan(dap_view *view, dap_error *err);

/* ---- field_reverse.c: stripped padding added to the points that it repeats ------------------------- */

/* Functions of dap_adapter: plan_reverse, add_reverse, is_usable. */
dap_status dap_field_plan_unwrap(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
dap_status dap_field_unwrap(dap_view *view, dap_padding padding, dap_error *err);
bool dap_field_is_usable(const dap_view *view, const void *form);

/* ---- dmda.c: the making of a DMDA ------------------------------------------------------------------ */

/* Makes the DM and checks that PETSc counts its points as `grid` does. Collective on `comm`. */
dap_status dap_dm_create(MPI_Comm comm, const dap_grid *grid, DM *dm, dap_error *err);

/* ---- dmda_matrix.c: matrices by another stencil than that of the ghost points ----------------------- */

/* From now on DMCreateMatrix() makes them so, also of DMDAs that are refined or coarsened from this one.
 * Nothing for a stencil of width 0. Not collective. */
PetscErrorCode dap_dm_set_matrix(DM dm, const dap_stencil *stencil);

/* ---- dmda_memo.c: what is remembered with a DMDA ---------------------------------------------------- */

/* Which axis was x in the last field on the DMDA; 0: there was none. Not collective. */
PetscErrorCode dap_dm_get_order(DM dm, dap_order *order);

/* Remembers it, with the DMDA and, if *memo is NULL, there. Not collective. */
PetscErrorCode dap_dm_remember(DM dm, dap_order order, dap_dm_memo **memo);
void dap_dm_forget(dap_dm_memo *memo);

/* The stencil of its matrices. Not collective. */
PetscErrorCode dap_dm_get_matrix(DM dm, dap_stencil *stencil);
PetscErrorCode dap_dm_remember_matrix(DM dm, const dap_stencil *stencil);

/* ---- field_open.c: the DMDA and its vectors --------------------------------------------------------- */

/* Functions of dap_adapter. */
dap_status dap_field_open(dap_view *view, dap_error *err);
dap_status dap_field_close(dap_view *view, dap_error *err);

#endif
