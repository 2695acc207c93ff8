/* A first program: solves A x = b. Each process has some rows of A and b. All elements of x are 1. The
 * same program in Python is python/start.py, in Fortran fortran/start.f90. Succeeds if x is right. Runs on
 * any number of processes. */
#include <dapbridge/linalg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns A(i, j): numbers without a pattern, the same on any number of processes. */
static double element(int64_t i, int64_t j)
{
  const double k = (double)(i * N + j);
  return sin(k * k);
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);

  /* The layout: rows in blocks that are as even as possible, and each row on one process. */
  const dap_dist rows = dap_dist_even(N, nprocs), matrix[] = {rows, dap_dist_local(N)};
  dap_layout *layout_a, *layout_b;
  dap_error err;
  check(dap_layout_create(2, matrix, &layout_a, &err), &err);
  check(dap_layout_create(1, &rows, &layout_b, &err), &err);

  /* This process's part. The memory could be your own, instead of NULL. */
  dap_array a, b;
  check(dap_array_init(&a, layout_a, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&b, layout_b, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  double *mine = (double *)a.data, *x = (double *)b.data;
  for (int64_t i = 0; i < b.shape[0]; i++) {
    int64_t row; /* its number in the whole matrix */
    check(dap_layout_globalize(layout_b, rank, &i, &row, NULL, &err), &err);
    for (int64_t j = 0; j < N; j++) {
      mine[i * N + j] = element(row, j);
      x[i] += mine[i * N + j]; /* b is the sum of each row, so that x is 1 */
    }
  }

  const dap_darray whole_a = {layout_a, &a}, whole_b = {layout_b, &b};
  check(dap_linalg_solve(MPI_COMM_WORLD, 'N', whole_a, whole_b, NULL, &err), &err); /* x is where b was */

  double error = 0;
  for (int64_t i = 0; i < b.shape[0]; i++) error = fmax(error, fabs(x[i] - 1));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("%d equations, largest error %.1e\n", N, error);

  dap_array_release(&b);
  dap_array_release(&a);
  dap_layout_destroy(&layout_b);
  dap_layout_destroy(&layout_a);
  MPI_Finalize();
  return error < 1e-6 ? 0 : 1;
}
