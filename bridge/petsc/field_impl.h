/* Fields: an index of what their files share. */
#ifndef DAP_FIELD_IMPL_H
#define DAP_FIELD_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc.h>

#include "petsc_impl.h"

/* ---- ghosted_box.c: a distributed buffer as points with ghosts around them ---------------------------- */

/* One axis, on all processes along it. If they have ranges, the buffer of process c holds ghosts[c][0] ghost
 * points, its points, and ghosts[c][1] ghost points. */
typedef struct dap_box_axis {
  int procs;
  int64_t size;          /* points of all processes */
  int64_t *points;       /* [procs] */
  int64_t (*ghosts)[2];  /* [procs] low, high */
  int64_t margin[2];     /* outermost ghosts that are elements of the layout */
  DMBoundaryType outer;  /* the boundary outside the outermost points */
  const char *scattered; /* how the axis lies in words; NULL: each process has one range, in process order */
} dap_box_axis;

/* The axes are the array's. The first grid_ndim are those of a DMDA. The others are degrees of freedom, and
 * lie on one process. */
typedef struct dap_ghosted_box {
  int ndim;
  int grid_ndim;
  dap_box_axis axis[DAP_MAX_NDIM]; /* [ndim] */
  int coords[DAP_MAX_NDIM];        /* [ndim] of this process */
  int64_t strides[DAP_MAX_NDIM];   /* [ndim] bytes, of this process's buffer */
  dap_layout *layout;              /* of the elements in the buffers: points and margins */
} dap_ghosted_box;

/* Elements of a box's layout. */
typedef struct dap_box_range {
  int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM]; /* [ndim] */
} dap_box_range;

/* Functions of boxes. Not collective; everything except coords and strides is the same on every process.
 * init: makes the array's box; a zeroed one on error. `member` -1 stands for the place of process 0.
 * axis_init: makes zeroed memory for an axis of a new box.
 * release: frees all memory of a box.
 * width: the widest ghosts of any process on any axis. dof: degrees of freedom of a point.
 * extent: this process's extent along an axis, with ghosts.
 * offset: bytes from the beginning of this process's buffer to its first point. layout_offset: the same to
 * the first element of the layout's part.
 * edge: margin that is boundary padding outside the grid. stripped: margin that repeats the other end of the
 * grid. has_stripped: whether any axis has such.
 * whole: all elements.
 * narrow: `length` elements of a range along `axis`, `skip` elements from its low (side 0) or high end.
 * stripped_range: finds the stripped padding at an end of an axis, and the elements that it repeats at the
 * other end. False: there is none.
 * ranges_fit: whether PETSc takes the axis with so many processes, of which the shortest range is
 * `shortest`. */
dap_status dap_box_init(const dap_layout *layout, const dap_petsc_field_options *options, int member,
                        const int64_t strides[], dap_ghosted_box *box, dap_error *err);
dap_status dap_box_axis_init(dap_box_axis *axis, int procs, dap_error *err);
void dap_box_release(dap_ghosted_box *box);
int64_t dap_box_width(const dap_ghosted_box *box);
int64_t dap_box_dof(const dap_ghosted_box *box);
int64_t dap_box_extent(const dap_ghosted_box *box, int axis);
int64_t dap_box_offset(const dap_ghosted_box *box);
int64_t dap_box_layout_offset(const dap_ghosted_box *box);
int64_t dap_box_edge(const dap_ghosted_box *box, int axis, int side);
int64_t dap_box_stripped(const dap_ghosted_box *box, int axis, int side);
bool dap_box_has_stripped(const dap_ghosted_box *box);
dap_box_range dap_box_whole(const dap_ghosted_box *box);
dap_box_range dap_box_narrow(dap_box_range r, int axis, int side, int64_t skip, int64_t length);
bool dap_box_stripped_range(const dap_ghosted_box *array, int axis, int side, dap_box_range *padding,
                            dap_box_range *points);
bool dap_ranges_fit(const dap_ghosted_box *array, int axis, int procs, int64_t shortest, int64_t width);

/* ---- ownership.c: the points of a DMDA that each process has ------------------------------------------- */

/* By axis of the array. */
typedef struct dap_ownership {
  int ndim;
  int procs[DAP_GRID_MAX];
  int64_t *points[DAP_GRID_MAX]; /* [procs] */
  int *ranks;                    /* of the processes, row-major by the array's axes; NULL: i */
} dap_ownership;

/* of_array: takes the array's own ranges.
 * even: spreads points evenly over the grid of `nprocs` processes that suits the array best.
 * init: makes memory for as many processes as ownership->procs says. release: frees it.
 * grid_text: writes ndim numbers, "11 x 13".
 * rank_at: the rank of the process at a row-major place of the process grid. */
dap_status dap_ownership_of_array(const dap_ghosted_box *array, dap_ownership *ownership, dap_error *err);
dap_status dap_ownership_even(const dap_ghosted_box *array, int64_t width, int nprocs,
                              dap_ownership *ownership, dap_error *err);
dap_status dap_ownership_init(dap_ownership *ownership, dap_error *err);
void dap_ownership_release(dap_ownership *ownership);
enum { DAP_GRID_TEXT = 80 };
void dap_grid_text(int ndim, const int64_t numbers[], char text[DAP_GRID_TEXT]);
int dap_rank_at(const dap_layout *layout, int place);

/* ghosted_box_dmda.c: makes the box of a DMDA's vector for the array `from`, contiguous in `order`, with the
 * ranges of `ownership` and ghosts of `width` (0 for a global vector). `member` is as in dap_box_init(). */
dap_status dap_box_of_dmda(const dap_ghosted_box *from, const dap_ownership *ownership, int64_t width,
                           dap_order order, int member, dap_ghosted_box *box, dap_error *err);

/* ---- views of fields ----------------------------------------------------------------------------------- */

/* Targets of the view. */
enum { DAP_FIELD_LOCAL, DAP_FIELD_GLOBAL, DAP_FIELD_VECTORS };

/* The grid of a DMDA, as PETSc will have it. */
typedef struct dap_grid {
  dap_order order; /* C: x is the last axis; F: the first */
  int64_t width;
  bool star;
  dap_stencil matrix; /* of its matrices, if it differs */
  bool is_even;       /* points are spread evenly, as the array's ranges make no DMDA */
  dap_ghosted_box vectors[DAP_FIELD_VECTORS];
} dap_grid;

/* Facts about a DMDA that it and the forms of its fields remember. */
typedef struct dap_dm_memo {
  int users;
  dap_order order; /* of the last field */
  dap_stencil matrix;
  bool is_over; /* the DMDA was destroyed */
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

/* Functions of dap_adapter: in field_vote.c, field_form.c, field_share.c, field_plan.c, field_reverse.c and
 * field_open.c. */
uint64_t dap_field_vote(const dap_view *view);
dap_status dap_field_prepare(dap_view *view, dap_error *err);
dap_status dap_field_lay(dap_view *view, int target, dap_error *err);
bool dap_field_is_over(const void *form);
void dap_field_release(void *form);
dap_status dap_field_share(dap_view *view, int target, char reason[], dap_error *why);
dap_status dap_field_plan(dap_view *view, dap_error *err);
dap_status dap_field_plan_unwrap(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
dap_status dap_field_unwrap(dap_view *view, dap_padding padding, dap_error *err);
bool dap_field_is_usable(const dap_view *view, const void *form);
dap_status dap_field_open(dap_view *view, dap_error *err);
dap_status dap_field_close(dap_view *view, dap_error *err);

/* field_vote.c.
 * own_dm: the DMDA of the options; NULL: none, or no part of the field.
 * dm_is_agreed: whether a DMDA is given on all processes that have a part, or on none. dm_is_given: on all.
 * order: which axis is x, as `wanted`. If that is 0, it is the first axis where every buffer is contiguous
 * in F order and not every one in C order, else the last. The same on every process. */
DM dap_field_own_dm(const dap_view *view);
bool dap_field_dm_is_agreed(const dap_view *view);
bool dap_field_dm_is_given(const dap_view *view);
dap_order dap_field_order(const dap_view *view, dap_order wanted);

/* The axis of the array along direction d of a DMDA. */
static inline int dap_axis_along(dap_order order, int grid_ndim, int d)
{
  return order == DAP_ORDER_C ? grid_ndim - 1 - d : d;
}

/* width.c: sets the stencils of ghost points and matrices, unless a given DMDA has set them, and checks that
 * PETSc can count the points. Not collective; the same on every process. */
dap_status dap_grid_set_width(const dap_view *view, dap_error *err);

/* user_dmda.c: checks that the DMDA of the options has the array's points. Sets order and stencils of the
 * form's grid, and *ownership, the DMDA's. Collective on view->comm, with processes that have no part;
 * agreed. */
dap_status dap_user_dmda_inspect(dap_view *view, dap_ownership *ownership, dap_error *err);

/* field_share.c: DAP_OK if a DMDA can have the array's ranges, else DAP_ERR_SHARE with the first condition
 * that fails. Not collective; the same on every process. */
dap_status dap_share_ranges(const dap_ghosted_box *array, int64_t width, dap_error *why);

/* ---- DMDAs --------------------------------------------------------------------------------------------- */

/* dmda.c: makes the DM, and checks that PETSc counts its points as `grid` does. Collective on `comm`. */
dap_status dap_dm_create(MPI_Comm comm, const dap_grid *grid, DM *dm, dap_error *err);

/* dmda_matrix.c: lets DMCreateMatrix() use this stencil from now on, also on DMDAs that are refined or
 * coarsened from this one. Does nothing for a stencil of width 0. Not collective. */
PetscErrorCode dap_dm_set_matrix(DM dm, const dap_stencil *stencil);

/* dmda_memo.c: remembers facts with a DMDA. Not collective.
 * get_order: which axis was x in the last field on the DMDA; 0: there was none.
 * remember: remembers it, and sets *memo if that is NULL. forget: gives a memo back.
 * get_matrix, remember_matrix: the stencil of its matrices. */
PetscErrorCode dap_dm_get_order(DM dm, dap_order *order);
PetscErrorCode dap_dm_remember(DM dm, dap_order order, dap_dm_memo **memo);
void dap_dm_forget(dap_dm_memo *memo);
PetscErrorCode dap_dm_get_matrix(DM dm, dap_stencil *stencil);
PetscErrorCode dap_dm_remember_matrix(DM dm, const dap_stencil *stencil);

#endif
