/* Finds eigenvalues by another library, which works on the views of the call.
 *
 * It finds the k smallest, where number k is the last one that is wanted. Its vectors go to Z if Z has n
 * columns and all of them are wanted, else to workspace, whose columns are then copied. */
#include "eigh_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Multiplies M by a power of 2 if its elements are far from 1. ELPA (2022.11) compares some quantities with
 * absolute bounds, so elements around 1e-27 give wrong eigenvalues. Collective. */
static dap_status scale(dap_linalg_call *call, const dap_eigh_problem *p, double *sigma)
{
  enum { USUAL = 16, MOST = 1022 };
  double most;
  int exponent;
  DAP_TRY(dap_linalg_norm_of(call, 'M', p->a, &most));
  (void)frexp(most, &exponent);
  const bool is_usual = most == 0 || abs(exponent) <= USUAL;
  *sigma = is_usual ? 1 : ldexp(1, exponent < -MOST ? MOST : -exponent);
  dap_linalg_multiply_by(call, p->a, 'A', *sigma);
  return DAP_OK;
}

/* Calls the backend. Collective. */
static dap_status solve(dap_linalg_call *call, const dap_eigh_problem *p, const dap_scalapack_matrix *vectors)
{
  const dap_eigh_backend *backend = call->options.eigh.backend;
  const dap_eigh_matrices matrices = {
      .comm = call->comm,
      .dtype = call->lib->dtype,
      .a = p->a,
      .z = p->z ? vectors : NULL,
      .count = p->wanted.range == DAP_EIGH_BY_INDEX ? p->wanted.stop : p->n,
      .values = p->w,
      .method = call->report->method,
  };
  (void)snprintf(matrices.method, sizeof call->report->method, "%s", backend->name);
  return dap_agree(call->comm, backend->solve(backend, &matrices, call->err), call->err);
}

dap_status dap_linalg_eigh_backend(dap_linalg_call *call, dap_eigh_problem *p)
{
  dap_scalapack_matrix vectors;
  double sigma;
  DAP_TRY(dap_linalg_eigh_vectors(call, p, &vectors));
  if (!p->whole && dap_linalg_is_inside(p->a)) {
    dap_linalg_mirror(call, p->uplo, 'C', p->a, &vectors);
    dap_linalg_make_diagonal_real(call, p->a);
  }
  DAP_TRY(scale(call, p, &sigma));
  DAP_TRY(solve(call, p, &vectors));
  DAP_TRY(dap_linalg_tridiagonal_share(call, p));
  dap_linalg_scale_back(call, p->n, sigma, p->w);
  DAP_TRY(dap_linalg_eigh_choose(call, p));
  if (p->z) dap_linalg_eigh_columns(call->lib->dtype, &vectors, p->first, p->count, p->z);
  return DAP_OK;
}
