/* Keeps factors (linalg_factors.h) as an object of a Fortran variable, together with the array whose memory
 * they may use. It also calls the expert solver. */
#include "fortran_linalg_call.h"

#include <dapbridge/linalg_factors.h>
#include <stdio.h>

typedef struct dap_f_factors {
  dap_f_object object;
  dap_linalg_factors *factors;
  void *array;
  int64_t size;
} dap_f_factors;

static bool end(void *object)
{
  dap_f_factors *factors = object;
  dap_linalg_factors_destroy(&factors->factors);
  dap_f_release(&factors->array);
  return true;
}

static size_t describe(const void *object, char *text, size_t capacity)
{
  const long long size = ((const dap_f_factors *)object)->size;
  const int length = snprintf(text, capacity, "factors of a %lld x %lld matrix", size, size);
  return length > 0 ? (size_t)length : 0;
}

static const dap_f_kind factors_kind = {"factors", sizeof(dap_f_factors), end, describe, NULL};

static dap_linalg_factors *factors_of(const dap_f_factors *factors)
{
  return factors ? factors->factors : NULL;
}

/* Gives the variable a new object, and returns the place for its factors. Without memory it returns NULL,
 * which makes the call an error on all processes. */
static dap_linalg_factors **begin_making(void **variable, dap_f_array *a)
{
  dap_f_factors *made = dap_f_new(&factors_kind, NULL);
  dap_f_put(variable, made);
  if (!made) return NULL;
  dap_f_share(&made->array, a);
  made->size = a && a->layout && dap_layout_ndim(a->layout) == 2 ? dap_layout_size(a->layout, 0) : 0;
  return &made->factors;
}

/* A matrix whose factors are in a copy is not needed any more. */
static dap_status end_making(void **variable, dap_status status, const dap_f_outcome *outcome)
{
  if (status)
    dap_f_put(variable, NULL);
  else if (!outcome->report.uses[0].shared)
    dap_f_release(&((dap_f_factors *)*variable)->array);
  return status;
}

dap_status dap_f_linalg_lu(const MPI_Fint *comm, dap_f_array *a, void **variable,
                           const dap_linalg_options *options, dap_f_outcome *outcome)
{
  const dap_linalg_options all = dap_f_with_report(options, outcome);
  dap_linalg_factors **made = begin_making(variable, a);
  const dap_status status = dap_linalg_lu(dap_f_comm(comm), dap_f_darray(a), &all, made, &outcome->error);
  return end_making(variable, status, outcome);
}

dap_status dap_f_linalg_cholesky(const MPI_Fint *comm, const char *uplo, dap_f_array *a, void **variable,
                                 const dap_linalg_options *options, dap_f_outcome *outcome)
{
  const dap_linalg_options all = dap_f_with_report(options, outcome);
  dap_linalg_factors **made = begin_making(variable, a);
  const dap_status status =
      dap_linalg_cholesky(dap_f_comm(comm), *uplo, dap_f_darray(a), &all, made, &outcome->error);
  return end_making(variable, status, outcome);
}

dap_status dap_f_linalg_factors_solve(const dap_f_factors *factors, const char *trans, const dap_f_array *b,
                                      const dap_linalg_options *options, dap_f_outcome *outcome)
{
  const dap_linalg_options all = dap_f_with_report(options, outcome);
  return dap_linalg_factors_solve(factors_of(factors), *trans, dap_f_darray(b), &all, &outcome->error);
}

dap_status dap_f_linalg_factors_inverse(const dap_f_factors *factors, const dap_f_array *x,
                                        const dap_linalg_options *options, dap_f_outcome *outcome)
{
  const dap_linalg_options all = dap_f_with_report(options, outcome);
  return dap_linalg_factors_inverse(factors_of(factors), dap_f_darray(x), &all, &outcome->error);
}

dap_status dap_f_linalg_factors_determinant(const dap_f_factors *factors, double sign[2], double *log,
                                            dap_error *err)
{
  return dap_linalg_factors_determinant(factors_of(factors), sign, log, err);
}

dap_status dap_f_linalg_factors_condition(const dap_f_factors *factors, const char *norm, double *rcond,
                                          dap_error *err)
{
  return dap_linalg_factors_condition(factors_of(factors), *norm, rcond, err);
}

/* forward, backward [nrhs]: either may be NULL. They must have one element for each column of B. */
dap_status dap_f_linalg_solve_refined(const MPI_Fint *comm, const char *trans, const dap_f_array *a,
                                      const dap_f_array *b, const dap_f_array *x, const int64_t *nrhs,
                                      double *forward, double *backward, dap_linalg_refinement *refinement,
                                      const dap_linalg_options *options, dap_f_outcome *outcome)
{
  const dap_linalg_options all = dap_f_with_report(options, outcome);
  const dap_darray right = dap_f_darray(b);
  const bool is_wide = right.layout && dap_layout_ndim(right.layout) == 2;
  const bool is_room = !right.layout || *nrhs >= (is_wide ? dap_layout_size(right.layout, 1) : 1);
  const dap_darray none = {0};
  const dap_status status =
      dap_linalg_solve_refined(dap_f_comm(comm), *trans, dap_f_darray(a), is_room ? right : none,
                               dap_f_darray(x), forward, backward, refinement, &all, &outcome->error);
  if (is_room) return status;
  return dap_fail(&outcome->error, DAP_ERR_ARG, "forward or backward has fewer elements than B has columns");
}
