/* Computes the determinant: the product of U's diagonal, with a change of sign for each swap of rows. The
 * transpose has the same determinant. */
#include "system_impl.h"

#include <math.h>

enum { A };

static void multiply(dap_determinant *p, const double u[2])
{
  const double size = hypot(u[0], u[1]), re = u[0] / size, im = u[1] / size;
  const double was[2] = {p->sign[0], p->sign[1]};
  p->sign[0] = was[0] * re - was[1] * im;
  p->sign[1] = was[0] * im + was[1] * re;
  p->log += log(size);
  /* Signs of real matrices stay exact. Others would drift from absolute value 1. */
  const double drift = hypot(p->sign[0], p->sign[1]);
  for (int c = 0; c < 2 && drift > 0; c++) p->sign[c] /= drift;
}

/* Every process multiplies the whole diagonal, in the same order. */
dap_status dap_linalg_determinant_of(dap_linalg_call *call, const dap_lu *lu, dap_determinant *result)
{
  const int64_t n = lu->matrix->m;
  const dap_linalg_part part = dap_linalg_part_of(call, lu->matrix);
  double *diagonal;
  *result = (dap_determinant){.log = -INFINITY};
  if (lu->singular) return DAP_OK;
  DAP_TRY(dap_linalg_work(call, 2 * n, DAP_F8, &diagonal));
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, 0, at);) {
    const int64_t j = dap_linalg_global(&part, 0, at[0]);
    double *u = diagonal + 2 * j;
    dap_linalg_value(&part, at[0], at[1], u);
    for (int c = 0; c < 2 && lu->pivots && lu->pivots[at[0]] != j + 1; c++) u[c] = -u[c];
  }
  DAP_TRY(dap_linalg_sums(call, diagonal, 2 * n));
  *result = (dap_determinant){.sign = {1, 0}, .log = -(double)n * log(lu->sigma)};
  for (int64_t j = 0; j < n; j++) multiply(result, diagonal + 2 * j);
  return DAP_OK;
}

static dap_status determinant(dap_linalg_call *call)
{
  dap_scalapack_matrix *a;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getrf"}, &a));
  dap_lu lu;
  DAP_TRY(dap_lu_factor(call, a, &lu));
  return dap_linalg_determinant_of(call, &lu, call->arguments.context);
}

dap_status dap_linalg_determinant(MPI_Comm comm, dap_darray a, double sign[2], double *log,
                                  const dap_linalg_options *options, dap_error *err)
{
  dap_determinant p;
  const char *null = !sign ? "sign" : !log ? "log" : NULL;
  const dap_linalg_arguments arguments = {__func__, determinant, &p,
                                          .operands = {{"A", a, DAP_LINALG_WORK, "nn"}}, .null = null};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  for (int c = 0; c < 2; c++) sign[c] = p.sign[c];
  *log = p.log;
  return DAP_OK;
}
