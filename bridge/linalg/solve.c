/* Solves linear systems by LU factors. */
#include "system_impl.h"

enum { A, B };

static dap_status solve(dap_linalg_call *call)
{
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
  const dap_linalg_system system = {0, dap_linalg_chosen(call, 0), lu.sigma, a, &swaps};
  return dap_linalg_solution(call, &system, s);
}

dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, solve, .operands = {{"A", a, DAP_LINALG_WORK, "nn"}, {"B", b, DAP_LINALG_UPDATE, "n[r]"}},
      .choices = {{"trans", trans, "NTC"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
