/* Solves linear systems by LU factors. */
#include "system_impl.h"

enum { A, B };

static dap_status solve(dap_linalg_call *call)
{
  DAP_TRY(dap_linalg_square(call, A));
  DAP_TRY(dap_linalg_fits(call, B, dap_linalg_rows(call, A), dap_linalg_cols(call, B)));
  dap_scalapack_matrix *a, *s;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getrf"}, &a));
  DAP_TRY(dap_linalg_view_right_side(call, B, a, &s));
  dap_lu lu;
  DAP_TRY(dap_lu_factor(call, a, &lu));
  DAP_TRY(dap_lu_regular(call, &lu));
  dap_scalapack_int *pivots;
  dap_swaps swaps;
  DAP_TRY(dap_lu_pivots(call, &lu, &pivots));
  DAP_TRY(dap_lu_align(call, pivots, s, &swaps));
  dap_linalg_multiply_by(call, s, 'A', lu.sigma);
  DAP_TRY(dap_linalg_substitute(call, 0, call->arguments.choices[0].value, a, &swaps, s));
  return lu.sigma == 1 ? DAP_OK : dap_linalg_finite_result(call, s, "the solution");
}

dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, solve,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2}, {"B", b, DAP_LINALG_UPDATE, .ndim = 0}},
      .choices = {{"trans", trans, "NTC"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
