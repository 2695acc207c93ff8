/* Share or move: ScaLAPACK's predicate (matrix.h), and what ELPA needs beyond it. */
#include "elpa_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the buffer ------------------------------------------------------------------------------------ */

dap_status dap_elpa_place(const dap_view *view, void **data, int64_t *lld, dap_error *why)
{
  *data = NULL;
  *lld = 1;
  if (view->member < 0) return DAP_OK;
  const dap_darray array = {view->layout, &view->local};
  DAP_TRY(dap_matrix_local(array, view->member, dap_elpa_form_of(view)->op, data, lld, why));
  DAP_REQUIRE(*lld <= INT_MAX, why, DAP_ERR_SHARE,
              "a leading dimension of %" PRId64 " exceeds ELPA's 32-bit integers", *lld);
  return DAP_OK;
}

uint64_t dap_elpa_vote(const dap_view *view)
{
  if (view->member < 0) return ~UINT64_C(0);
  return dap_matrix_vote((dap_darray){view->layout, &view->local}, view->member);
}

/* Not square: vectors, which are columns. */
dap_status dap_elpa_prepare(dap_view *view, dap_error *err)
{
  const dap_elpa_options *o = dap_elpa_options_of(view);
  const dap_view *like = dap_elpa_state_of(view)->like;
  dap_elpa_form *form = dap_elpa_form_of(view);
  (void)err;
  form->size = view->shape[0];
  form->columns = view->shape[1];
  form->op = o->op                        ? o->op
             : form->columns < form->size ? 'N'
             : like                       ? dap_elpa_form_of(like)->op
                                          : dap_matrix_choose_op((unsigned)view->votes);
  return DAP_OK;
}

/* ---- the layout ------------------------------------------------------------------------------------- */

/* Who is where on the grid of the array's own processes, so that the first block is at (0, 0). */
static dap_status set_ranks(dap_view *view, const int source[2], dap_error *err)
{
  dap_elpa_form *form = dap_elpa_form_of(view);
  const int row = dap_elpa_axis(form->op, 0), col = dap_elpa_axis(form->op, 1);
  free(form->ranks);
  form->ranks = calloc((size_t)form->procs[0] * (size_t)form->procs[1], sizeof *form->ranks);
  DAP_REQUIRE(form->ranks, err, DAP_ERR_NOMEM, "no memory for a %d x %d process grid", form->procs[0],
              form->procs[1]);
  int *next = form->ranks;
  for (int p = 0; p < form->procs[0]; p++)
    for (int q = 0; q < form->procs[1]; q++) {
      int at[2];
      at[row] = (int)(((int64_t)p + source[0]) % form->procs[0]);
      at[col] = (int)(((int64_t)q + source[1]) % form->procs[1]);
      *next++ = view->ranks[dap_layout_rank(view->layout, at)];
    }
  return DAP_OK;
}

/* Whether both are on the same processes in the same way. */
static dap_status fit_like(const dap_view *view, dap_error *why)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  const dap_view *like = dap_elpa_state_of(view)->like;
  if (!like) return DAP_OK;
  const dap_elpa_form *other = dap_elpa_form_of(like);
  DAP_REQUIRE(form->block == other->block, why, DAP_ERR_SHARE,
              "its blocks are %" PRId64 " x %" PRId64 ", those of the matrix it is used with %" PRId64
              " x %" PRId64,
              form->block, form->block, other->block, other->block);
  const size_t bytes = (size_t)form->procs[0] * (size_t)form->procs[1] * sizeof *form->ranks;
  DAP_REQUIRE(form->procs[0] == other->procs[0] && form->procs[1] == other->procs[1] &&
                  memcmp(form->ranks, other->ranks, bytes) == 0,
              why, DAP_ERR_SHARE, "its process grid is not that of the matrix it is used with");
  return DAP_OK;
}

/* ELPA has one leading dimension for all matrices of a call. */
static dap_status fit_leading(const dap_view *view, dap_error *why)
{
  const dap_view *like = dap_elpa_state_of(view)->like;
  void *data;
  int64_t lld;
  DAP_TRY(dap_elpa_place(view, &data, &lld, why));
  if (!like || view->member < 0) return DAP_OK;
  const int rows = dap_elpa_state_of(like)->rows;
  DAP_REQUIRE(lld == rows, why, DAP_ERR_SHARE,
              "its leading dimension is %" PRId64 ", that of the matrix it is used with %d", lld, rows);
  return DAP_OK;
}

/* Last of all: what cannot be shared at all says why. */
static dap_status fit_speed(const dap_view *view, dap_error *why)
{
  const dap_elpa_form *form = dap_elpa_form_of(view);
  const int64_t size[2] = {form->size, form->size}, block[2] = {form->block, form->block};
  return dap_elpa_request_of(view)->fast ? dap_matrix_check_speed(size, block, view->nprocs, why) : DAP_OK;
}

dap_status dap_elpa_share(dap_view *view, int target, char reason[], dap_error *why)
{
  static const dap_matrix_needs needs = {.square_blocks = true};
  dap_elpa_form *form = dap_elpa_form_of(view);
  const dap_view *like = dap_elpa_state_of(view)->like;
  const int64_t wish = like ? dap_elpa_form_of(like)->block : 32;
  dap_matrix_form as;
  (void)target;
  DAP_REQUIRE(form->columns == form->size, why, DAP_ERR_SHARE,
              "ELPA needs room for %" PRId64 " columns, and the array has %" PRId64, form->size,
              form->columns);
  DAP_TRY(dap_matrix_fit(view->layout, form->op, &needs, (const int64_t[2]){wish, wish}, &as, why));
  DAP_REQUIRE(as.block[0] <= INT_MAX, why, DAP_ERR_SHARE,
              "blocks of %" PRId64 " exceed ELPA's 32-bit integers", as.block[0]);
  form->block = as.block[0];
  for (int k = 0; k < 2; k++) {
    form->procs[k] = as.procs[k];
    if (as.source[k] < 0) as.source[k] = 0;
  }
  DAP_TRY(dap_elpa_occupied(form->size, form->block, form->procs, DAP_ERR_SHARE, why));
  DAP_TRY(set_ranks(view, as.source, why));
  DAP_TRY(fit_like(view, why));
  (void)dap_matrix_describe(&as, reason, DAP_ERROR_TEXT);
  DAP_TRY(fit_leading(view, why));
  return fit_speed(view, why);
}
