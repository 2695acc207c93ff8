/* Where a moved view goes: the process grid, the block size, the layout; and its moves. */
#include "elpa_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_BLOCK = 32 }; /* measured: docs/elpa.md */

/* ---- the grid ---------------------------------------------------------------------------------------- */

/* Process p of P has no blocks of `block` if p * block >= size: the last one first. ELPA then fails
 * ("processor column with zero width"), or its processes wait for each other. */
dap_status dap_elpa_occupied(int64_t size, int64_t block, const int procs[2], dap_status status,
                             dap_error *err)
{
  static const char *const names[2] = {"row", "column"};
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(size == 0 || (procs[k] - 1) * block < size, err, status,
                "blocks of %" PRId64 " leave process %s %d of %d empty, for which ELPA has no answer", block,
                names[k], procs[k] - 1, procs[k]);
  return DAP_OK;
}

/* As equal as can be; more columns than rows. Not all processes if there are more than rows of the matrix. */
static void choose_grid(int64_t size, int nprocs, int procs[2])
{
  const int64_t most = size < 1 ? 1 : size;
  int64_t rows = 1;
  for (int64_t f = 1; f * f <= nprocs && f <= most; f++)
    if (nprocs % f == 0) rows = f;
  const int64_t cols = nprocs / rows;
  procs[0] = (int)rows;
  procs[1] = (int)(cols < most ? cols : most);
}

/* The usual one, or less so that every process has a block. */
static int64_t choose_block(int64_t size, const int procs[2])
{
  const int64_t share = size / (procs[0] > procs[1] ? procs[0] : procs[1]);
  return share < 1 ? 1 : share < USUAL_BLOCK ? share : USUAL_BLOCK;
}

static dap_status choose(dap_view *view, dap_error *err)
{
  dap_elpa_form *form = dap_elpa_form_of(view);
  const dap_elpa_options *o = dap_elpa_options_of(view);
  const dap_view *like = dap_elpa_state_of(view)->like;
  const dap_elpa_form *other = like ? dap_elpa_form_of(like) : NULL;
  for (int k = 0; k < 2; k++) form->procs[k] = other ? other->procs[k] : o->grid[k];
  if (!form->procs[0]) choose_grid(form->size, view->nprocs, form->procs);
  form->block = other ? other->block : o->block_size ? o->block_size : choose_block(form->size, form->procs);
  const size_t count = (size_t)form->procs[0] * (size_t)form->procs[1];
  free(form->ranks); /* of the attempt to share */
  form->ranks = calloc(count, sizeof *form->ranks);
  DAP_REQUIRE(form->ranks, err, DAP_ERR_NOMEM, "no memory for %zu ranks", count);
  memcpy(form->ranks, other ? other->ranks : view->ranks, count * sizeof *form->ranks);
  return dap_elpa_occupied(form->size, form->block, form->procs, DAP_ERR_UNSUPPORTED, err);
}

/* ---- the layout -------------------------------------------------------------------------------------- */

/* All n columns, in the order of axes that `op` gives. */
static dap_status make_layout(const dap_elpa_form *form, char op, dap_layout **layout, dap_error *err)
{
  dap_dist dists[2];
  for (int k = 0; k < 2; k++)
    dists[dap_elpa_axis(op, k)] = dap_dist_cyclic(form->size, form->procs[k], form->block);
  return dap_layout_create(2, dists, layout, err);
}

/* Process (i, j) of the array's layout is (j, i) of the grid with op 'T'. */
static dap_status make_ranks(const dap_elpa_form *form, int **ranks, dap_error *err)
{
  const int *procs = form->procs;
  const int row = dap_elpa_axis(form->op, 0), col = dap_elpa_axis(form->op, 1);
  const int across = procs[dap_elpa_axis(form->op, 1)]; /* processes along the array's second axis */
  *ranks = calloc((size_t)procs[0] * (size_t)procs[1], sizeof **ranks);
  DAP_REQUIRE(*ranks, err, DAP_ERR_NOMEM, "no memory for the grid's ranks");
  for (int p = 0; p < procs[0]; p++)
    for (int q = 0; q < procs[1]; q++) {
      int at[2];
      at[row] = p;
      at[col] = q;
      (*ranks)[at[0] * across + at[1]] = form->ranks[p * procs[1] + q];
    }
  return DAP_OK;
}

dap_status dap_elpa_lay(dap_view *view, int target, dap_error *err)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  const dap_view *like = dap_elpa_state_of(view)->like;
  dap_layout *layout = NULL;
  int *ranks = NULL;
  DAP_TRY(choose(view, err));
  DAP_TRY(make_layout(form, form->op, &layout, err));
  dap_status status = make_ranks(form, &ranks, err);
  if (status) {
    dap_layout_destroy(&layout);
  } else {
    const int64_t item = dap_dtype_size(view->dtype);
    int64_t strides[2];
    strides[dap_elpa_axis(form->op, 0)] = item;
    strides[dap_elpa_axis(form->op, 1)] = item * (like ? dap_elpa_state_of(like)->rows : 0);
    status = dap_view_lay(view, target, layout, ranks, form->op == 'T' ? DAP_ORDER_C : DAP_ORDER_F,
                          like ? strides : NULL, err);
  }
  free(ranks);
  return status;
}

/* ---- moves ------------------------------------------------------------------------------------------- */

/* The array's columns are the first of the matrix. */
static dap_status plan_columns(dap_view *view, dap_error *err)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  const dap_view_target *t = &view->targets[0];
  const int64_t shape[2] = {form->size, form->columns};
  const dap_view_end array = {.target = DAP_VIEW_ARRAY};
  const dap_view_end matrix = {
      .target = 0,
      .side = {.layout = t->layout, .ranks = t->ranks, .strides = t->strides, .part = {.shape = shape}}};
  const dap_view_move in = {.from = array, .to = matrix}, out = {.from = matrix, .to = array};
  if (view->access & DAP_READ) DAP_TRY(dap_view_plan(view, DAP_VIEW_IN, &in, err));
  if (view->access & DAP_WRITE) DAP_TRY(dap_view_plan(view, DAP_VIEW_OUT, &out, err));
  return DAP_OK;
}

dap_status dap_elpa_plan(dap_view *view, dap_error *err)
{
  dap_elpa_form *form = dap_elpa_form_of(view);
  DAP_TRY(dap_agree(view->comm, make_layout(form, 'N', &form->layout, err), err));
  return form->columns < form->size ? plan_columns(view, err) : dap_view_plan_usual(view, err);
}
