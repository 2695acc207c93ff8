/* Share or move: matrix.h's predicate, asked on all processes, and what the call adds to it. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- the buffer ------------------------------------------------------------------------------- */

dap_status dap_scalapack_place(const dap_scalapack_request *request, char op, void **data,
                               dap_scalapack_int *lld, dap_error *why)
{
  *data = NULL;
  *lld = 1;
  if (request->member < 0) return DAP_OK;
  int64_t leading;
  DAP_TRY(dap_matrix_place(request->layout, request->member, &request->array, op, data, &leading, why));
  DAP_REQUIRE(leading <= dap_scalapack_int_max, why, DAP_ERR_SHARE,
              "a leading dimension of %" PRId64 " exceeds ScaLAPACK's %d-bit integers", leading,
              (int)(8 * sizeof *lld));
  *lld = (dap_scalapack_int)leading;
  return DAP_OK;
}

static unsigned vote(const dap_scalapack_request *request)
{
  void *data;
  dap_scalapack_int lld;
  if (request->member < 0) return ~0u;
  unsigned votes = dap_matrix_vote(request->layout, request->member, &request->array);
  if (dap_scalapack_place(request, 'N', &data, &lld, NULL)) votes &= ~(unsigned)DAP_MATRIX_CAN_N;
  if (dap_scalapack_place(request, 'T', &data, &lld, NULL)) votes &= ~(unsigned)DAP_MATRIX_CAN_T;
  return votes;
}

/* ---- the layout ------------------------------------------------------------------------------- */

/* A sub-matrix is seen where it lies if the routine takes its beginning. */
static dap_status fit_part(const dap_scalapack_request *request, dap_scalapack_form *form, dap_error *why)
{
  static const char *const names[2] = {"row", "column"};
  for (int k = 0; k < 2; k++) {
    const int axis = dap_scalapack_swap(form->op, k);
    const int64_t start = request->start[axis];
    form->start[k] = start;
    const bool whole = start == 0 && request->shape[axis] == dap_layout_size(request->layout, axis);
    DAP_REQUIRE(whole || request->needs.offset != DAP_OFFSET_NONE, why, DAP_ERR_SHARE,
                "the whole matrix is needed, not %" PRId64 " %ss from %" PRId64 " on", request->shape[axis],
                names[k], start);
    DAP_REQUIRE(start % form->block[k] == 0 || request->needs.offset == DAP_OFFSET_ANY, why, DAP_ERR_SHARE,
                "the sub-matrix begins in %s %" PRId64 ", inside a block of %" PRId64, names[k], start,
                form->block[k]);
  }
  return DAP_OK;
}

static void describe(const dap_scalapack_request *request, const dap_matrix_form *as,
                     dap_scalapack_form *form)
{
  const size_t length = dap_matrix_describe(as, form->reason, sizeof form->reason);
  bool in_order = true;
  for (int i = 0; i < request->nprocs; i++) in_order = in_order && request->ranks[i] == i;
  if (!in_order && length < sizeof form->reason)
    (void)snprintf(form->reason + length, sizeof form->reason - length,
                   ", with the ranks in the array's order");
}

/* Block sizes of the array as it lies, if ScaLAPACK can take it so with form->op, and
 * the place in the array's grid where its first block is. The same on every process. */
static dap_status fit(const dap_scalapack_request *request, dap_scalapack_form *form, dap_error *why)
{
  dap_matrix_form as;
  int64_t wish[2] = {64, 64};
  if (request->like) dap_scalapack_like_blocks(request, wish);
  DAP_TRY(dap_matrix_fit(request->layout, form->op, &request->needs, wish, &as, why));
  for (int k = 0; k < 2; k++) {
    form->size[k] = as.size[k];
    form->block[k] = as.block[k];
    DAP_REQUIRE(as.block[k] <= dap_scalapack_int_max, why, DAP_ERR_SHARE,
                "blocks of %" PRId64 " exceed ScaLAPACK's %d-bit integers", as.block[k],
                (int)(8 * sizeof(dap_scalapack_int)));
  }
  for (int k = 0; k < 2; k++) form->source[k] = as.source[k] > 0 ? as.source[k] : 0;
  describe(request, &as, form);
  return fit_part(request, form, why);
}

/* ---- the decision ----------------------------------------------------------------------------- */

static char choose_op(const dap_scalapack_request *request, unsigned votes)
{
  const int *axes = request->options.axes;
  if (request->options.op) return request->options.op;
  if (request->like) return request->like->op;
  if ((axes[0] < 0 || axes[1] < 0) && votes & DAP_MATRIX_CAN_N) return 'N'; /* a vector has no order */
  return dap_matrix_choose_op(votes);
}

/* The map of the array's own processes, so that the first block is at (0, 0). Collective. */
static dap_status own_map(const dap_scalapack_request *request, dap_scalapack_form *form, dap_error *err)
{
  const int procs[2] = {dap_layout_procs(request->layout, 0), dap_layout_procs(request->layout, 1)};
  const dap_status status = dap_blacs_map_of(&form->map, procs, request->ranks, form->op, form->source, err);
  form->source[0] = form->source[1] = 0;
  return dap_agree(request->comm, status, err);
}

/* As it would be shared, or the reason why not: the same on every process. Collective. */
static dap_status try_to_share(const dap_scalapack_request *request, unsigned votes, dap_scalapack_form *form,
                               dap_error *why)
{
  if (request->options.sharing == DAP_SHARE_NEVER)
    return dap_fail(why, DAP_ERR_SHARE, "the options ask for a copy");
  DAP_TRY(fit(request, form, why));
  DAP_TRY(own_map(request, form, why));
  if (request->given) DAP_TRY(dap_scalapack_fit_beside(request, form, why));
  if (votes & (form->op == 'N' ? DAP_MATRIX_CAN_N : DAP_MATRIX_CAN_T)) return DAP_OK;
  void *data;
  dap_scalapack_int lld;
  return dap_agree(request->comm, dap_scalapack_place(request, form->op, &data, &lld, why), why);
}

dap_status dap_scalapack_decide(const dap_scalapack_request *request, dap_scalapack_form *form,
                                dap_error *err)
{
  unsigned votes = vote(request);
  const int code = MPI_Allreduce(MPI_IN_PLACE, &votes, 1, MPI_UNSIGNED, MPI_BAND, request->comm);
  DAP_TRY(dap_blacs_mpi(request->comm, code, "MPI_Allreduce", err));
  *form = (dap_scalapack_form){.op = choose_op(request, votes)};
  dap_error why = {0};
  const dap_status status = try_to_share(request, votes, form, &why);
  form->shared = !status;
  if (form->shared) return DAP_OK;
  dap_blacs_map_free(&form->map);
  if (status != DAP_ERR_SHARE || request->options.sharing == DAP_SHARE_OR_FAIL) {
    if (why.rank < 0) why.rank = 0; /* found on every process alike */
    if (err) *err = why;
    return status;
  }
  (void)snprintf(form->reason, sizeof form->reason, "%s", why.text);
  return dap_agree(request->comm, dap_scalapack_target(request, form, err), err);
}
