/* Two stages, and one where that went wrong: in a matrix of rank 1 or so each step of ELPA's reduction to a
 * band leaves a column that is smaller by rounding than the one before, until its squares are too small for a
 * number (a guess from its source, src/elpa2). The vectors then are not orthogonal, with ELPA_OK (2022.11).
 * So a copy is kept, and one product tells. */
#include "elpa_elements.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static dap_status mpi(dap_elpa_call *call, int code)
{
  const dap_status status = code ? dap_fail(call->err, DAP_ERR_LIBRARY, "MPI_Allreduce failed") : DAP_OK;
  return dap_agree(call->comm, status, call->err);
}

/* Numbers from -1 to 1 without a pattern. */
static double probe(int64_t j)
{
  return sin(12.9898 * (double)(j + 1));
}

/* y = Z x, the sum of what processes have of it; x (j) = probe(j) for the columns that are wanted. */
static void add_product(const dap_elpa_call *call, const dap_elpa_part *z, double *y)
{
  for (int64_t col = 0; col < z->extents[1]; col++) {
    const int64_t j = dap_elpa_global(z, 1, col);
    for (int64_t row = 0; row < z->extents[0] && j < call->wanted; row++) {
      const void *at = dap_elpa_element(z, z->view->matrix.data, row, col);
      double *sum = y + 2 * dap_elpa_global(z, 0, row);
      for (int c = 0; c < z->components; c++) sum[c] += dap_elpa_component(z, at, c) * probe(j);
    }
  }
}

/* u = Z^H y. */
static void add_adjoint(const dap_elpa_call *call, const dap_elpa_part *z, const double *y, double *u)
{
  for (int64_t col = 0; col < z->extents[1]; col++) {
    const int64_t j = dap_elpa_global(z, 1, col);
    for (int64_t row = 0; row < z->extents[0] && j < call->wanted; row++) {
      const void *at = dap_elpa_element(z, z->view->matrix.data, row, col);
      const double *with = y + 2 * dap_elpa_global(z, 0, row);
      const double re = dap_elpa_component(z, at, 0),
                   im = z->components == 2 ? dap_elpa_component(z, at, 1) : 0;
      u[2 * j] += re * with[0] + im * with[1];
      u[2 * j + 1] += re * with[1] - im * with[0];
    }
  }
}

/* Whether Z^H Z x is x but for rounding. work: [4 n] zeros. Collective. */
static dap_status are_orthonormal(dap_elpa_call *call, double *work, bool *are)
{
  const dap_elpa_part z = dap_elpa_part_of(call, DAP_ELPA_Z);
  const int64_t n = call->size;
  const double eps = call->lib->real == DAP_F4 ? (double)FLT_EPSILON : DBL_EPSILON;
  double *y = work, *u = work + 2 * n;
  int right = 1;
  add_product(call, &z, y);
  DAP_TRY(mpi(call, MPI_Allreduce(MPI_IN_PLACE, y, (int)(2 * n), MPI_DOUBLE, MPI_SUM, call->comm)));
  add_adjoint(call, &z, y, u);
  DAP_TRY(mpi(call, MPI_Allreduce(MPI_IN_PLACE, u, (int)(2 * n), MPI_DOUBLE, MPI_SUM, call->comm)));
  for (int64_t j = 0; j < call->wanted; j++) /* not so of NaN */
    right = right && hypot(u[2 * j] - probe(j), u[2 * j + 1]) <= 64 * (double)n * eps;
  DAP_TRY(mpi(call, MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, call->comm)));
  *are = right;
  return DAP_OK;
}

/* Returns the bytes of the local part of A. */
static size_t bytes_of(const dap_elpa_call *call)
{
  const dap_elpa_matrix *a = &call->views[DAP_ELPA_A];
  return a->matrix.data
             ? (size_t)a->local_nrows * (size_t)a->local_ncols * (size_t)dap_dtype_size(call->lib->dtype)
             : 0;
}

static dap_status run(dap_elpa_call *call, void *copy, double *work)
{
  const dap_elpa_matrix *a = &call->views[DAP_ELPA_A];
  bool are;
  if (a->matrix.data && copy) memcpy(copy, a->matrix.data, bytes_of(call));
  DAP_TRY(dap_elpa_solve(call));
  DAP_TRY(are_orthonormal(call, work, &are));
  if (are) return DAP_OK;
  if (a->matrix.data && copy) memcpy(a->matrix.data, copy, bytes_of(call));
  call->report->stages = 1;
  return dap_elpa_solve(call);
}

dap_status dap_elpa_solve_in_two(dap_elpa_call *call)
{
  void *copy = malloc(bytes_of(call) + 1);
  double *work = calloc(4 * (size_t)call->size, sizeof *work);
  dap_status status = copy && work ? DAP_OK : dap_fail(call->err, DAP_ERR_NOMEM, "no memory for a copy of A");
  status = dap_agree(call->comm, status, call->err);
  if (!status) status = run(call, copy, work);
  free(work);
  free(copy);
  return status;
}
