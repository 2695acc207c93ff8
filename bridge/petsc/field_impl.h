/* Declares what the files of fields share. */
#ifndef DAP_FIELD_IMPL_H
#define DAP_FIELD_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc.h>

#include "petsc_impl.h"

/* ---- ghosted_box.c: buffers and vectors as points with ghosts around them --------------------------- */

typedef struct dap_box_axis {
  int procs;
  int64_t size;          /* points of all processes */
  int64_t margin[2];     /* outermost ghosts that are elements of the layout */
  DMBoundaryType outer;  /* the boundary outside the outermost points */
  const char *scattered; /* how the axis lies in words; NULL: each process has one range, in process order */
} dap_box_axis;

/* The array's buffer, or a DMDA's local or global vector. The axes are the array's. The first grid_ndim are
 * those of a DMDA. The others are degrees of freedom, and lie on one process. */
typedef struct dap_ghosted_box {
  int ndim;
  int grid_ndim;
  bool is_array;
  int64_t width;                   /* of the ghosts in a vector */
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
 * init: makes the array's box. `member` -1 stands for the place of process 0.
 * of_dmda: makes the box of a DMDA's vector for the array `from`, contiguous in `order`, with the ranges of
 * `points` and ghosts of `width` (0 for a global vector). The caller releases both kinds, also on error.
 * points, ghosts: those of the process at a coordinate of an axis, ghosts at the low (side 0) or high end.
 * width: the widest ghosts of any process on any axis. dof: degrees of freedom of a point.
 * extent: this process's extent along an axis, with ghosts.
 * offset: bytes from the beginning of this process's buffer to its first point. layout_offset: the same to
 * the first element of the layout's part.
 * edge: margin that is boundary padding outside the grid. stripped: margin that repeats the other end of the
 * grid. has_stripped: whether any axis has such. whole: all elements.
 * narrow: `length` elements of a range along `axis`, `skip` elements from its low (side 0) or high end.
 * stripped_range: finds the stripped padding at an end of an axis, and the elements that it repeats at the
 * other end. False: there is none.
 * ranges_fit: whether PETSc takes the axis with this number of processes if the shortest range is
 * `shortest`. */
dap_status dap_box_init(const dap_layout *layout, const dap_petsc_field_options *options, int member,
                        const int64_t strides[], dap_ghosted_box *box, dap_error *err);
dap_status dap_box_of_dmda(const dap_ghosted_box *from, const dap_layout *points, int64_t width,
                           dap_order order, int member, dap_ghosted_box *box, dap_error *err);
void dap_box_release(dap_ghosted_box *box);
int64_t dap_box_points(const dap_ghosted_box *box, int axis, int coord);
int64_t dap_box_ghosts(const dap_ghosted_box *box, int axis, int coord, int side);
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

/* ---- points.c: layouts of a DMDA's points on its processes, with the array's axes ---------------------- */

/* of_array: takes the array's own ranges and ranks.
 * even: spreads points evenly over the grid of `nprocs` processes that suits the array best.
 * create: takes lengths[procs] of the first axis, then those of the next ones (NULL: even), and the process
 * at each row-major place of the process grid (NULL: place).
 * grid_text: writes ndim numbers, "11 x 13". */
dap_status dap_points_of_array(const dap_ghosted_box *array, dap_layout **points, dap_error *err);
dap_status dap_points_even(const dap_ghosted_box *array, int64_t width, int nprocs, dap_layout **points,
                           dap_error *err);
dap_status dap_points_create(const dap_ghosted_box *array, const int procs[], const int64_t *lengths,
                             const int ranks[], dap_layout **points, dap_error *err);
enum { DAP_GRID_TEXT = 80 };
void dap_grid_text(int ndim, const int64_t numbers[], char text[DAP_GRID_TEXT]);

/* ---- views of fields ----------------------------------------------------------------------------------- */

/* Targets of the view. */
enum { DAP_FIELD_LOCAL, DAP_FIELD_GLOBAL, DAP_FIELD_VECTORS };

/* The grid of a DMDA, as PETSc will have it. */
typedef struct dap_grid {
  dap_order order; /* C: x is the last axis; F: the first */
  int64_t width;
  bool star;
  dap_stencil matrix; /* of its matrices, if it differs */
  bool is_even;       /* points are spread evenly, because the array's ranges make no DMDA */
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
  int unwrapped;     /* ends of axes whose moves of DAP_VIEW_REVERSE are planned */
} dap_field_form;

static inline dap_field_form *dap_field_form_of(const dap_view *view)
{
  return view->form;
}

/* Functions of dap_adapter: in field_vote.c, field_form.c, field_share.c, field_plan.c, field_reverse.c and
 * dmda.c. */
uint64_t dap_field_vote(const dap_view *view);
dap_status dap_field_prepare(dap_view *view, dap_error *err);
dap_status dap_field_lay(dap_view *view, int target, dap_error *err);
bool dap_field_is_over(const void *form);
void dap_field_release(void *form);
dap_status dap_field_share(dap_view *view, int target, char reason[], dap_error *why);
dap_status dap_field_plan(dap_view *view, dap_error *err);
dap_status dap_field_plan_unwrap(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
dap_status dap_field_clear_stripped(dap_view *view, dap_padding padding, dap_error *err);
dap_status dap_field_open(dap_view *view, dap_error *err);

/* field_vote.c.
 * own_dm: the DMDA of the options; NULL: none, or no part of the field.
 * dm_is_agreed: whether a DMDA is given on all processes that have a part, or on none. dm_is_given: on all.
 * order: which axis is x, as the options say, or as in the last field on the DMDA. Without either it is the
 * first axis where every buffer is contiguous in F order and not every one in C order, else the last. The
 * same on every process. */
DM dap_field_own_dm(const dap_view *view);
bool dap_field_dm_is_agreed(const dap_view *view);
bool dap_field_dm_is_given(const dap_view *view);
dap_order dap_field_order(const dap_view *view);

/* Returns the axis of the array along direction d of a DMDA, and the other way round. */
static inline int dap_axis_along(dap_order order, int grid_ndim, int d)
{
  return order == DAP_ORDER_C ? grid_ndim - 1 - d : d;
}

/* width.c: sets the stencils of ghost points and matrices, unless a given DMDA has set them, and checks that
 * PETSc can count the points. Not collective; the same on every process. */
dap_status dap_grid_set_width(const dap_view *view, dap_error *err);

/* user_dmda.c: checks that the DMDA of the options has the array's points. Sets the stencils of the form's
 * grid, and makes the layout of the DMDA's points. Collective on view->comm, with processes that have no
 * part; agreed. */
dap_status dap_user_dmda_inspect(dap_view *view, dap_layout **points, dap_error *err);

/* field_plan.c: returns a range of the array or of a target as the end of a move. It refers to the range. */
dap_view_end dap_field_end(const dap_view *view, int target, const dap_box_range *r);

/* field_share.c: DAP_OK if a DMDA can have the array's ranges, else DAP_ERR_SHARE with the first condition
 * that fails. Not collective; the same on every process. */
dap_status dap_share_ranges(const dap_ghosted_box *array, int64_t width, dap_error *why);

/* ---- DMDAs --------------------------------------------------------------------------------------------- */

/* dmda_matrix.c: lets DMCreateMatrix() use this stencil from now on, also on DMDAs that are refined or
 * coarsened from this one. Does nothing for a stencil of width 0. Not collective. */
PetscErrorCode dap_dm_set_matrix(DM dm, const dap_stencil *stencil);

/* dmda_memo.c: finds the memo of a DMDA, or makes one, which has one user. forget: removes a user. Not
 * collective. */
PetscErrorCode dap_dm_memo_of(DM dm, dap_dm_memo **memo);
void dap_dm_forget(dap_dm_memo *memo);

#endif
