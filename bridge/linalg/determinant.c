/* The determinant: the product of U's diagonal, with a change of sign for each swap of rows. The transpose
 * has the same one. */
#include "system_impl.h"

#include <math.h>

enum { A };

static void multiply(dap_determinant *p, double re, double im, double log)
{
  const double was[2] = {p->sign[0], p->sign[1]};
  p->sign[0] = was[0] * re - was[1] * im;
  p->sign[1] = was[0] * im + was[1] * re;
  p->log += log;
  /* Signs of real matrices stay exact. Others would drift from absolute value 1. */
  const double size = hypot(p->sign[0], p->sign[1]);
  for (int c = 0; c < 2 && size > 0; c++) p->sign[c] /= size;
}

/* Multiplies this process's elements of the diagonal. */
static dap_determinant local_product(const dap_linalg_call *call, const dap_lu *lu)
{
  dap_determinant p = {.sign = {1, 0}};
  const dap_linalg_part part = dap_linalg_part_of(call, lu->matrix);
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, 0, at);) {
    double u[2];
    dap_linalg_value(&part, at[0], at[1], u);
    const double size = hypot(u[0], u[1]);
    const bool swapped = lu->pivots && lu->pivots[at[0]] != dap_linalg_global(&part, 0, at[0]) + 1;
    multiply(&p, (swapped ? -u[0] : u[0]) / size, (swapped ? -u[1] : u[1]) / size, log(size));
  }
  return p;
}

/* Multiplies the products of all processes, in the same order on every process. */
static dap_status combine(dap_linalg_call *call, dap_determinant *p)
{
  enum { WORDS = 3 };
  const double mine[WORDS] = {p->sign[0], p->sign[1], p->log};
  double *all;
  DAP_TRY(dap_linalg_work(call, (int64_t)WORDS * call->nprocs, DAP_F8, &all));
  DAP_TRY(dap_linalg_mpi(call, MPI_Allgather(mine, WORDS, MPI_DOUBLE, all, WORDS, MPI_DOUBLE, call->comm),
                         "MPI_Allgather"));
  *p = (dap_determinant){.sign = {1, 0}};
  for (int r = 0; r < call->nprocs; r++, all += WORDS) multiply(p, all[0], all[1], all[2]);
  return DAP_OK;
}

dap_status dap_linalg_determinant_of(dap_linalg_call *call, const dap_lu *lu, dap_determinant *result)
{
  if (lu->singular) {
    *result = (dap_determinant){.log = -INFINITY};
    return DAP_OK;
  }
  *result = local_product(call, lu);
  DAP_TRY(combine(call, result));
  result->log -= (double)lu->matrix->m * log(lu->sigma);
  return DAP_OK;
}

static dap_status determinant(dap_linalg_call *call)
{
  DAP_TRY(dap_linalg_square(call, A));
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
                                          .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2}}, .null = null};
  DAP_TRY(dap_linalg_run(comm, &arguments, options, err));
  for (int c = 0; c < 2; c++) sign[c] = p.sign[c];
  *log = p.log;
  return DAP_OK;
}
