/* ELPA called on the grid: eigenvalues, and vectors if they are wanted. */
#include "elpa_impl.h"

static dap_status solve_here(dap_elpa_call *call, dap_error *err)
{
  const dap_elpa_matrix *a = &call->views[DAP_ELPA_A], *z = &call->views[DAP_ELPA_Z];
  const dap_elpa_routines *lib = call->lib;
  int code = ELPA_OK;
  if (!a->matrix.data) return DAP_OK;
  elpa_set_integer(a->handle, "solver", call->report->stages == 2 ? ELPA_SOLVER_2STAGE : ELPA_SOLVER_1STAGE,
                   &code);
  DAP_TRY(dap_elpa_says(code, "ELPA's solver", err));
  if (!call->operands[DAP_ELPA_Z].given) {
    lib->eigenvalues(a->handle, a->matrix.data, call->values, &code);
    return dap_elpa_says(code, "elpa_eigenvalues", err);
  }
  lib->eigenvectors(a->handle, a->matrix.data, call->values, z->matrix.data, &code);
  return dap_elpa_says(code, "elpa_eigenvectors", err);
}

dap_status dap_elpa_solve(dap_elpa_call *call)
{
  return dap_agree(call->comm, solve_here(call, call->err), call->err);
}
