/* Computes the reciprocal condition number. */
#include "system_impl.h"

#include <float.h>

enum { A };

/* A condition number is at least 1, except for rounding and the empty matrix. Returns 0 if it overflows. */
double dap_linalg_reciprocal(double norm, double norm_of_inverse)
{
  const double number = norm * norm_of_inverse;
  if (number < 1) return 1;
  return number <= DBL_MAX ? 1 / number : 0;
}

static dap_status condition(dap_linalg_call *call)
{
  double *rcond = call->arguments.context;
  dap_scalapack_matrix *a;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getrf"}, &a));
  const char norm = dap_linalg_chosen(call, 0);
  double anorm, inverse_norm;
  DAP_TRY(dap_linalg_norm_of(call, norm, a, &anorm)); /* before the factors overwrite it */
  dap_lu lu;
  DAP_TRY(dap_lu_factor(call, a, &lu));
  *rcond = 0;
  if (lu.singular) return DAP_OK;
  DAP_TRY(dap_linalg_norm_of_inverse(call, a, 0, dap_linalg_norm_seen(norm, a->op), &inverse_norm));
  *rcond = dap_linalg_reciprocal(lu.sigma * anorm, inverse_norm);
  return DAP_OK;
}

dap_status dap_linalg_condition(MPI_Comm comm, char norm, dap_darray a, double *rcond,
                                const dap_linalg_options *options, dap_error *err)
{
  double value = 0;
  const dap_linalg_arguments arguments = {__func__,
                                          condition,
                                          &value,
                                          .operands = {{"A", a, DAP_LINALG_WORK, "nn"}},
                                          .choices = {{"norm", norm, "1I"}},
                                          .null = rcond ? NULL : "rcond"};
  const dap_status status = dap_linalg_run(comm, &arguments, options, err);
  if (!status) *rcond = value;
  return status;
}
