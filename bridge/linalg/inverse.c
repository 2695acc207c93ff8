/* The inverse. That of the transpose is the transposed one, so the op does not matter. */
#include "room_impl.h"
#include "system_impl.h"

#include <inttypes.h>

enum { A };

/* getri does not look at pivots to say how much it needs. */
dap_status dap_lu_inversion(dap_linalg_call *call, const dap_scalapack_matrix *a, dap_inversion *s)
{
  const dap_scalapack_int ask = -1;
  dap_scalapack_int info, unused = 0;
  double asked[2] = {0};
  call->lib->getri(&a->n, a->data, &a->ia, &a->ja, a->desc, &unused, asked, &ask, &s->liwork, &ask, &info);
  DAP_TRY(dap_linalg_info(call, "getri, asked for its workspace", &info));
  const dap_room_matrix on = dap_room_of(a);
  const int64_t bound = dap_room_panels(on.block[1], &on); /* it fits only if IWORK's size does */
  DAP_TRY(dap_linalg_work_room(call, call->lib->dtype, bound, 0, asked, &s->lwork, &s->work));
  return dap_linalg_work(call, s->liwork, dap_linalg_integer(), &s->iwork);
}

dap_status dap_lu_invert(dap_linalg_call *call, const dap_lu *lu, const dap_inversion *s)
{
  const dap_scalapack_matrix *a = lu->matrix;
  dap_scalapack_int info;
  call->lib->getri(&a->n, a->data, &a->ia, &a->ja, a->desc, lu->pivots, s->work, &s->lwork, s->iwork,
                   &s->liwork, &info);
  DAP_TRY(dap_linalg_info(call, "getri", &info));
  dap_linalg_multiply_by(call, a, lu->sigma);
  return dap_linalg_finite_result(call, a, "the inverse");
}

static dap_status invert(dap_linalg_call *call)
{
  DAP_TRY(dap_linalg_square(call, A));
  dap_scalapack_matrix *a;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getri"}, &a));
  dap_lu lu;
  dap_inversion room;
  DAP_TRY(dap_lu_inversion(call, a, &room));
  DAP_TRY(dap_lu_factor(call, a, &lu));
  DAP_TRY(dap_lu_regular(call, &lu));
  return dap_lu_invert(call, &lu, &room);
}

dap_status dap_linalg_inverse(MPI_Comm comm, dap_darray a, const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__, .work = invert, .operands = {{"A", a, DAP_LINALG_UPDATE, .ndim = 2}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
