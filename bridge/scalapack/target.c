/* Chooses the process grid, the block sizes and the layout of a moved view. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Blocks are large enough for fast products, and small enough for an even load and for panels, which are
 * factorised by slower operations and weigh more in small matrices. Measured: bridge/docs/linalg.md, "Block
 * sizes and grids". */
static int64_t usual_block(const int64_t size[2])
{
  const int64_t shorter = size[0] < size[1] ? size[0] : size[1];
  return shorter < 2048 ? 32 : 64;
}

/* Splits `nprocs` into two factors that are as equal as possible. procs[longer] is not the smaller one. */
static void squarest(int nprocs, int longer, int procs[2])
{
  int small = 1;
  for (int f = 1; (int64_t)f * f <= nprocs; f++) {
    if (nprocs % f == 0) small = f;
  }
  procs[1 - longer] = small;
  procs[longer] = nprocs / small;
}

/* Up to this number of processes, a square matrix that is factorised is on one row of them. Each panel is
 * then on one process, which finds pivots and reflectors without messages. Measured:
 * bridge/docs/linalg.md. */
enum { ROW_MOST = 4 };

/* Chooses the processes per axis of the array. */
static void choose_grid(const dap_view *view, int procs[2])
{
  const int *grid = dap_scalapack_options_of(view)->grid;
  const int nprocs = view->nprocs;
  if (grid[0] || grid[1]) {
    procs[0] = grid[0] ? grid[0] : nprocs / grid[1];
    procs[1] = grid[1] ? grid[1] : nprocs / procs[0];
    return;
  }
  for (int k = 0; k < 2; k++) procs[k] = dap_layout_procs(view->layout, k);
  if (procs[0] > 1 && procs[1] > 1) return;
  /* columns of square matrices are on more processes: then a panel is on few, and its pivots take few
   * messages */
  const dap_matrix_needs *needs = &dap_scalapack_state_of(view)->needs;
  const bool is_square = view->shape[0] == view->shape[1];
  const int longer = is_square ? dap_scalapack_swap(dap_scalapack_form_of(view)->op, needs->tall_grid ? 0 : 1)
                               : view->shape[0] < view->shape[1];
  squarest(nprocs, longer, procs);
  if (is_square && needs->factorised && !needs->tall_grid && !needs->occupied && nprocs <= ROW_MOST)
    procs[longer] = nprocs, procs[1 - longer] = 1;
}

/* Reduces the processes along an axis to its elements, if each process needs some and the grid is free. */
static void leave_none_empty(const dap_view *view, int procs[2])
{
  const int *grid = dap_scalapack_options_of(view)->grid;
  for (int k = 0; k < 2 && dap_scalapack_state_of(view)->needs.occupied && !grid[0] && !grid[1]; k++)
    if (procs[k] > view->shape[k]) procs[k] = view->shape[k] > 0 ? (int)view->shape[k] : 1;
}

/* Returns the usual block size, or less so that every process along the dimension gets a part. 0: the
 * dimension does not count, because it is on one process, or has fewer elements than processes. */
static int64_t dimension_block(int64_t size, int procs, int64_t usual)
{
  if (procs == 1) return 0;
  const int64_t share = size / procs;
  return share < usual ? share : usual;
}

/* Bounds a block size by the needs. The caller has not asked for one. */
static int64_t bounded(const dap_view *view, int64_t block)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  const dap_matrix_needs *needs = &dap_scalapack_state_of(view)->needs;
  const int *procs = form->map.procs;
  const bool several = needs->several_blocks && procs[0] * (int64_t)procs[1] > 1;
  if (several && block > form->size[1] - 1) block = form->size[1] - 1;
  if (needs->most_block && block > needs->most_block) block = needs->most_block;
  for (int k = 0; k < 2 && needs->occupied; k++)
    if (procs[k] > 1 && block > (form->size[k] - 1) / (procs[k] - 1))
      block = (form->size[k] - 1) / (procs[k] - 1);
  if (block < needs->least_block) block = needs->least_block;
  return block < 1 ? 1 : block;
}

/* Returns the size of a short axis on one process beside a long one, which then is one block (see
 * DAP_LONG_SIZE). */
static int64_t fitted(const dap_view *view, int k, int64_t block)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  const int64_t *size = form->size;
  const bool is_free = form->map.procs[k] == 1 && size[k] > 0;
  const bool is_square = dap_scalapack_state_of(view)->needs.square_blocks;
  return is_free && !is_square && size[1 - k] >= DAP_LONG_SIZE && size[k] < block ? size[k] : block;
}

/* Chooses the block sizes. The dimension that allows the larger blocks decides, so that blocks of narrow
 * matrices are not too small. */
static void choose_blocks(const dap_view *view)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  const int64_t *wanted = dap_scalapack_options_of(view)->block_size; /* per axis */
  int64_t usual = 0;
  for (int k = 0; k < 2; k++) {
    const int64_t size = dimension_block(form->size[k], form->map.procs[k], usual_block(form->size));
    if (size > usual) usual = size;
  }
  if (usual == 0) usual = usual_block(form->size);
  for (int k = 0; k < 2; k++) {
    const int axis = dap_scalapack_swap(form->op, k);
    const int64_t wish = wanted[axis] ? wanted[axis] : wanted[1 - axis];
    form->block[k] = wish ? wish : bounded(view, fitted(view, k, usual));
  }
}

/* Refuses a view that cannot be what the routine needs, because of its size or another view's blocks. */
static dap_status check_needs(const dap_view *view, dap_error *err)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  dap_matrix_needs needs = dap_scalapack_state_of(view)->needs;
  dap_matrix_form matrix = {.op = form->op};
  dap_error why = {.rank = -1};
  for (int k = 0; k < 2; k++) {
    matrix.size[k] = form->size[k];
    matrix.block[k] = form->block[k];
    matrix.procs[k] = form->map.procs[k];
    if (form->size[k] == 0) needs.several_blocks = needs.spans_grid = false; /* nothing is computed */
  }
  if (!dap_matrix_check_form(&needs, &matrix, &why)) return DAP_OK;
  return dap_fail(err, DAP_ERR_UNSUPPORTED, "%s", why.text);
}

static bool must_lead(const dap_view *view)
{
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  return state->neighbour && state->needs.align == DAP_ALIGN_LEADING;
}

/* Fills the form. */
static dap_status choose(dap_view *view, dap_error *err)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  dap_blacs_map_free(&form->map); /* the attempt to share has made it */
  const bool is_free = !dap_scalapack_options_of(view)->op && !dap_scalapack_state_of(view)->neighbour;
  if (is_free && dap_scalapack_is_row_pair(view, form->op, dap_scalapack_extent(view, 0)))
    form->op = form->op == 'N' ? 'T' : 'N'; /* the view is a part of a larger array */
  for (int k = 0; k < 2; k++) {
    form->size[k] = dap_scalapack_extent(view, k);
    form->source[k] = 0;
    form->start[k] = 0;
  }
  if (dap_scalapack_options_of(view)->columns) form->size[1] = dap_scalapack_options_of(view)->columns;
  if (form->grid) {
    DAP_TRY(dap_scalapack_move_aligned(view, err));
  } else {
    int procs[2];
    choose_grid(view, procs);
    leave_none_empty(view, procs);
    DAP_TRY(dap_blacs_map_of(&form->map, procs, view->ranks, form->op, (const int[2]){0, 0}, err));
  }
  if (!dap_scalapack_state_of(view)->neighbour) choose_blocks(view);
  return check_needs(view, err);
}

/* Process (i, j) of the layout is process (i, j) of the matrix's grid, so the grid's map has the ranks. */
dap_status dap_scalapack_lay_out(const dap_scalapack_form *form, dap_layout **layout, int **ranks,
                                 dap_error *err)
{
  const int *procs = form->map.procs, nprocs = procs[0] * procs[1];
  dap_dist dists[2];
  for (int k = 0; k < 2; k++) {
    const int dimension = dap_scalapack_swap(form->op, k);
    dists[k] = dap_dist_cyclic(form->size[dimension], procs[dimension], form->block[dimension]);
    dists[k].first_owner = form->source[dimension];
  }
  DAP_TRY(dap_layout_create(2, dists, layout, err));
  *ranks = calloc((size_t)nprocs, sizeof **ranks);
  DAP_REQUIRE(*ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", nprocs);
  for (int i = 0; i < nprocs; i++) {
    int coords[DAP_MAX_NDIM];
    dap_layout_coords(*layout, i, coords);
    (*ranks)[i] = dap_blacs_map_rank(&form->map, coords[dap_scalapack_swap(form->op, 0)],
                                     coords[dap_scalapack_swap(form->op, 1)]);
  }
  return DAP_OK;
}

/* Checks that integers count the elements of the process that has the first block, and so most elements. */
static dap_status check_reach(const dap_view *view, const dap_layout *layout, dap_error *err)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  int64_t most[2];
  for (int k = 0; k < 2; k++)
    most[k] = dap_layout_owned(layout, dap_scalapack_swap(form->op, k), form->source[k]);
  const int64_t leading =
      must_lead(view) ? dap_scalapack_leading(dap_scalapack_state_of(view)->neighbour) : 0;
  return dap_scalapack_check_reach(view, most[0] > leading ? most[0] : leading, most[1], DAP_ERR_RANGE, err);
}

/* Lays the view out contiguously, or with the leading dimension of the neighbour. */
static dap_status lay(dap_view *view, int target, dap_layout *layout, const int ranks[], dap_error *err)
{
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  const char op = dap_scalapack_form_of(view)->op;
  const int64_t item = dap_dtype_size(view->dtype);
  const bool leads = must_lead(view);
  int64_t strides[2];
  strides[dap_scalapack_swap(op, 0)] = item;
  strides[dap_scalapack_swap(op, 1)] = leads ? item * dap_scalapack_leading(state->neighbour) : 0;
  return dap_view_lay(view, target, layout, ranks, op == 'T' ? DAP_ORDER_C : DAP_ORDER_F,
                      leads ? strides : NULL, err);
}

dap_status dap_scalapack_lay(dap_view *view, int target, dap_error *err)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  dap_layout *layout = NULL;
  int *ranks = NULL;
  DAP_TRY(choose(view, err));
  dap_status s = dap_scalapack_lay_out(form, &layout, &ranks, err);
  if (!s) s = check_reach(view, layout, err);
  if (s)
    dap_layout_destroy(&layout);
  else
    s = lay(view, target, layout, ranks, err);
  free(ranks);
  return s;
}
