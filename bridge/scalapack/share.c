/* Decides whether a view is shared, by matrix.h's predicate and the conditions of the call. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the buffer ------------------------------------------------------------------------------- */

uint64_t dap_scalapack_vote(const dap_view *view)
{
  void *data;
  dap_scalapack_int lld;
  if (view->member < 0) return ~UINT64_C(0);
  unsigned votes = dap_matrix_vote((dap_darray){view->layout, &view->local}, view->member);
  if (dap_scalapack_place(view, 'N', &data, &lld, NULL)) votes &= ~(unsigned)DAP_MATRIX_CAN_N;
  if (dap_scalapack_place(view, 'T', &data, &lld, NULL)) votes &= ~(unsigned)DAP_MATRIX_CAN_T;
  return votes;
}

char dap_scalapack_choose_op(const dap_view *view)
{
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  const dap_view *neighbour = dap_scalapack_state_of(view)->neighbour;
  if (o->op) return o->op;
  if (neighbour) return dap_scalapack_form_of(neighbour)->op;
  for (int k = 0; k < 2; k++) /* a matrix of 1 x 2 becomes a column */
    if (dap_scalapack_is_row_pair(view, "NT"[k], dap_layout_size(view->layout, k))) return "TN"[k];
  return dap_scalapack_is_vector(o) && (view->votes & DAP_MATRIX_CAN_N || !(view->votes & DAP_MATRIX_CAN_T))
             ? 'N'
             : dap_matrix_choose_op((unsigned)view->votes);
}

/* ---- the layout ------------------------------------------------------------------------------- */

/* Checks that the routine takes a sub-matrix that begins where this one does. */
static dap_status fit_part(dap_view *view, dap_error *why)
{
  static const char *const names[2] = {"row", "column"};
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  DAP_REQUIRE(!dap_scalapack_is_row_pair(view, form->op, form->size[0]), why, DAP_ERR_SHARE,
              "on several processes the routine is wrong with two columns of a matrix of one row");
  const dap_offset offset = dap_scalapack_state_of(view)->needs.offset;
  for (int k = 0; k < 2; k++) {
    const int64_t start = view->start[dap_scalapack_swap(form->op, k)];
    const int64_t extent = dap_scalapack_extent(view, k);
    form->start[k] = start;
    DAP_REQUIRE(extent == form->size[k] || offset != DAP_OFFSET_NONE, why, DAP_ERR_SHARE,
                "the whole matrix is needed, not %" PRId64 " %ss from %" PRId64 " on", extent, names[k],
                start);
    DAP_REQUIRE(start % form->block[k] == 0 || offset == DAP_OFFSET_ANY, why, DAP_ERR_SHARE,
                "the sub-matrix begins in %s %" PRId64 ", inside a block of %" PRId64
                ", and must begin a block",
                names[k], start, form->block[k]);
  }
  return DAP_OK;
}

static void describe(const dap_view *view, const dap_matrix_form *as, char reason[])
{
  const size_t length = dap_matrix_describe(as, reason, DAP_ERROR_TEXT);
  bool in_order = true;
  for (int i = 0; i < view->nprocs; i++) in_order = in_order && view->ranks[i] == i;
  if (!in_order && length < DAP_ERROR_TEXT)
    (void)snprintf(reason + length, DAP_ERROR_TEXT - length, ", with the ranks in the array's order");
}

/* Finds the block sizes of the array with the form's op, and the place of its first block on the array's
 * grid. Fails if ScaLAPACK cannot take it so. The result is the same on every process. */
static dap_status fit(dap_view *view, char reason[], dap_error *why)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  dap_matrix_form as;
  int64_t wish[2] = {0, 0};
  if (state->neighbour) dap_scalapack_aligned_blocks(view, wish);
  DAP_TRY(dap_matrix_fit(view->layout, form->op, &state->needs, wish, &as, why));
  for (int k = 0; k < 2; k++) {
    form->size[k] = as.size[k];
    form->block[k] = as.block[k];
    DAP_REQUIRE(as.block[k] <= DAP_SCALAPACK_INT_MAX, why, DAP_ERR_SHARE,
                "blocks of %" PRId64 " exceed ScaLAPACK's %d-bit integers", as.block[k],
                (int)(8 * sizeof(dap_scalapack_int)));
    form->source[k] = as.source[k] > 0 ? as.source[k] : 0;
  }
  describe(view, &as, reason);
  return fit_part(view, why);
}

/* Sets the map of the array's own processes, with the first block at (0, 0). */
static dap_status set_own_map(dap_view *view, dap_error *err)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  const int procs[2] = {dap_layout_procs(view->layout, 0), dap_layout_procs(view->layout, 1)};
  DAP_TRY(dap_blacs_map_of(&form->map, procs, view->ranks, form->op, form->source, err));
  form->source[0] = form->source[1] = 0;
  return DAP_OK;
}

static dap_status fit_leading(const dap_view *view, dap_scalapack_int lld, dap_error *why)
{
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  if (!state->neighbour || state->needs.align < DAP_ALIGN_LEADING || view->member < 0) return DAP_OK;
  const dap_scalapack_int other = dap_scalapack_leading(state->neighbour);
  DAP_REQUIRE(lld == other, why, DAP_ERR_SHARE,
              "its leading dimension is %lld, that of the matrix it is used with %lld", (long long)lld,
              (long long)other);
  return DAP_OK;
}

/* Checks that the layout is fast enough. It comes last, so that an array that cannot be shared says why. */
static dap_status fit_speed(const dap_view *view, dap_error *why)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  const int64_t size[2] = {dap_scalapack_extent(view, 0), dap_scalapack_extent(view, 1)};
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  const bool is_free = o->sharing == DAP_SHARE_IF_POSSIBLE && !o->block_size[0] && !o->block_size[1];
  if (!is_free || !dap_scalapack_state_of(view)->needs.factorised) return DAP_OK;
  const int *procs = form->map.procs;
  const int64_t block[2] = {procs[0] == 1 ? 0 : form->block[0], procs[1] == 1 ? 0 : form->block[1]};
  return dap_matrix_check_speed(size, block, view->nprocs, why);
}

dap_status dap_scalapack_share(dap_view *view, int target, char reason[], dap_error *why)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  void *data;
  dap_scalapack_int lld;
  (void)target;
  DAP_REQUIRE(!dap_scalapack_is_wider(view), why, DAP_ERR_SHARE,
              "room for %" PRId64 " columns is needed, and the array has %" PRId64,
              dap_scalapack_options_of(view)->columns, dap_scalapack_extent(view, 1));
  DAP_TRY(fit(view, reason, why));
  DAP_TRY(set_own_map(view, why));
  if (form->grid) DAP_TRY(dap_scalapack_fit_aligned(view, why));
  DAP_TRY(dap_scalapack_place(view, form->op, &data, &lld, why));
  DAP_TRY(fit_leading(view, lld, why));
  return fit_speed(view, why);
}
