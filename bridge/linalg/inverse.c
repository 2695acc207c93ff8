/* Computes the inverse of a matrix. The op does not matter, because transposing and inverting can change
 * places. */
#include "system_impl.h"

enum { A };

/* getri does not read pivots when it is asked for workspace. IWORK's size fits if the bound of WORK does. */
dap_status dap_lu_inversion(dap_linalg_call *call, const dap_scalapack_matrix *a, dap_inversion *s)
{
  const dap_scalapack_int ask = -1;
  dap_scalapack_int unused = 0;
  s->w = (dap_workspace){.routine = "getri", .bound = dap_room_panels(a->desc[DAP_NB], a)};
  while (dap_workspace_next(call, &s->w) && s->w.calls == 1)
    call->lib->getri(&a->n, DAP_MATRIX(a), &unused, s->w.work, &s->w.lwork, &s->liwork, &ask, &s->w.info);
  DAP_TRY(s->w.status);
  return dap_linalg_work(call, s->liwork, dap_linalg_integer(), &s->iwork);
}

dap_status dap_lu_invert(dap_linalg_call *call, const dap_lu *lu, dap_inversion *s)
{
  const dap_scalapack_matrix *a = lu->matrix;
  call->lib->getri(&a->n, DAP_MATRIX(a), lu->pivots, s->w.work, &s->w.lwork, s->iwork, &s->liwork,
                   &s->w.info);
  (void)dap_workspace_next(call, &s->w);
  DAP_TRY(s->w.status);
  dap_linalg_multiply_by(call, a, 'A', lu->sigma);
  return dap_linalg_finite_result(call, a, "the inverse");
}

static dap_status invert(dap_linalg_call *call)
{
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
  const dap_linalg_arguments arguments = {__func__, invert, .operands = {{"A", a, DAP_LINALG_UPDATE, "nn"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
