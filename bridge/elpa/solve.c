/* Calls ELPA for eigenvalues, and for vectors if they are wanted. Vectors of two stages are checked, and
 * found in one stage if they are wrong. */
#include "elpa_impl.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Collective. */
static dap_status call_elpa(const dap_elpa_problem *p, dap_error *err)
{
  return dap_agree(p->matrices->comm, p->a->handle ? solve_here(p, err) : DAP_OK, err);
}

/* ---- two stages ------------------------------------------------------------------------------------ */

/* Returns a number from -1 to 1 without a pattern. */
static double probe(int64_t j)
{
  return sin(12.9898 * (double)(j + 1));
}

/* Returns the matrix's row (axis 0) or column (axis 1) of a local one. */
static int64_t global(const dap_elpa_matrix *a, int axis, int64_t local)
{
  const int64_t block = a->block_size;
  return (local / block * a->grid[axis] + a->place[axis]) * block + local % block;
}

/* Returns a local element of the vectors. */
static double complex element(const dap_elpa_problem *p, int64_t row, int64_t col)
{
  const int64_t i = col * p->a->local_nrows + row;
  const void *z = p->matrices->z->data;
  switch (p->lib->dtype) {
  case DAP_F4:
    return ((const float *)z)[i];
  case DAP_F8:
    return ((const double *)z)[i];
  case DAP_C8:
    return ((const float complex *)z)[i];
  default:
    return ((const double complex *)z)[i];
  }
}

/* Computes to = Z from, or with `adjoint` Z^H from, for the columns that are wanted. Collective. */
static dap_status multiply(const dap_elpa_problem *p, bool adjoint, const double complex *from,
                           double complex *to, dap_error *err)
{
  const dap_elpa_matrix *a = p->a;
  for (int64_t col = 0; col < a->local_ncols; col++) {
    const int64_t j = global(a, 1, col);
    for (int64_t row = 0; j < p->matrices->count && global(a, 0, row) < a->size; row++) {
      const int64_t i = global(a, 0, row);
      if (adjoint)
        to[j] += conj(element(p, row, col)) * from[i];
      else
        to[i] += element(p, row, col) * from[j];
    }
  }
  MPI_Comm comm = p->matrices->comm;
  const int code = MPI_Allreduce(MPI_IN_PLACE, to, 2 * a->size, MPI_DOUBLE, MPI_SUM, comm);
  return dap_agree(comm, code ? dap_fail(err, DAP_ERR_LIBRARY, "MPI_Allreduce failed") : DAP_OK, err);
}

/* Finds whether Z^H Z x is x except for rounding. work[3 n] must be zeros. Collective. */
static dap_status are_orthonormal(const dap_elpa_problem *p, double complex *work, bool *are, dap_error *err)
{
  const int64_t n = p->a->size, count = p->matrices->count;
  const double eps = p->lib->real == DAP_F4 ? (double)FLT_EPSILON : DBL_EPSILON;
  double complex *x = work, *y = x + n, *u = y + n;
  uint64_t right = 1;
  for (int64_t j = 0; j < count; j++) x[j] = probe(j);
  DAP_TRY(multiply(p, false, x, y, err));
  DAP_TRY(multiply(p, true, y, u, err));
  for (int64_t j = 0; j < count; j++) /* a NaN is not right */
    right = right && cabs(u[j] - x[j]) <= 64 * (double)n * eps;
  const dap_status status = dap_agree_bits(p->matrices->comm, "dap_linalg_eigh", DAP_OK, &right, err);
  *are = right;
  return status;
}

static dap_status solve_in_two(dap_elpa_problem *p, void *copy, size_t bytes, double complex *work,
                               dap_error *err)
{
  void *a = p->a->matrix.data;
  bool are;
  if (bytes && copy) memcpy(copy, a, bytes);
  DAP_TRY(call_elpa(p, err));
  DAP_TRY(are_orthonormal(p, work, &are, err));
  if (are) return DAP_OK;
  if (bytes && copy) memcpy(a, copy, bytes);
  p->stages = 1;
  return call_elpa(p, err);
}

/* For a matrix of rank 1 or so ELPA returns ELPA_OK with vectors that are not orthogonal (2022.11). A guess
 * from its source, src/elpa2: each step of the reduction to a band leaves a column that is smaller by
 * rounding than the one before, until the squares of its elements underflow. So this keeps a copy of the
 * matrix, and checks the vectors by one product. */
dap_status dap_elpa_solve(dap_elpa_problem *p, dap_error *err)
{
  if (p->stages == 1 || !p->matrices->z) return call_elpa(p, err);
  const size_t items = (size_t)p->a->local_nrows * (size_t)p->a->local_ncols;
  const size_t bytes = items * (size_t)dap_dtype_size(p->lib->dtype);
  void *copy = malloc(bytes + 1);
  double complex *work = calloc(3 * (size_t)p->a->size, sizeof *work);
  dap_status status = copy && work ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a copy of A");
  status = dap_agree(p->matrices->comm, status, err);
  if (!status) status = solve_in_two(p, copy, bytes, work, err);
  free(work);
  free(copy);
  return status;
}
