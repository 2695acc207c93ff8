/* Calls ELPA for eigenvalues, and for vectors if they are wanted. */
#include "elpa_impl.h"

/* Calls ELPA on a process of the grid. */
static dap_status solve_here(const dap_elpa_problem *p, dap_error *err)
{
  const dap_elpa_matrix *a = p->a;
  const dap_scalapack_matrix *z = p->matrices->z;
  int code = ELPA_OK;
  elpa_set_integer(a->handle, "solver", p->stages == 2 ? ELPA_SOLVER_2STAGE : ELPA_SOLVER_1STAGE, &code);
  DAP_TRY(dap_elpa_says(code, "ELPA's solver", err));
  if (z)
    p->lib->eigenvectors(a->handle, a->matrix.data, p->matrices->values, z->data, &code);
  else
    p->lib->eigenvalues(a->handle, a->matrix.data, p->matrices->values, &code);
  return dap_elpa_says(code, z ? "elpa_eigenvectors" : "elpa_eigenvalues", err);
}

dap_status dap_elpa_solve(const dap_elpa_problem *p, dap_error *err)
{
  return dap_agree(p->matrices->comm, p->a->handle ? solve_here(p, err) : DAP_OK, err);
}
