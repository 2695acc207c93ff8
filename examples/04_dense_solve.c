/* Solves A x = b twice, where A (n, n) and b (n, 1) are distributed arrays in C order. In cyclic blocks on
 * a grid of processes, ScaLAPACK computes in the arrays' own buffers. Uneven blocks of rows are moved.
 * Succeeds if both solutions are right. Runs on any number of processes. */
#include "log.h"

#include <dapbridge/linalg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 2000, BLOCK = 64 };

/* A distributed array with its layout. */
typedef struct matrix {
  dap_layout *layout;
  dap_array array;
} matrix;

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns numbers without a pattern, the same on any number of processes. b is column N. */
static double element(int64_t i, int64_t j)
{
  const double k = (double)(i * (N + 1) + j);
  return sin(k * k);
}

/* Makes columns [first, first + extent of `columns`) of (A, b). */
static matrix make(dap_dist rows, dap_dist columns, int64_t first, int rank)
{
  matrix m;
  dap_error err;
  const dap_dist dists[] = {rows, columns};
  check(dap_layout_create(2, dists, &m.layout, &err), &err);
  check(dap_array_init(&m.array, m.layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  double *at = (double *)m.array.data;
  for (int64_t i = 0; i < m.array.shape[0]; i++)
    for (int64_t j = 0; j < m.array.shape[1]; j++) {
      const int64_t local[] = {i, j};
      int64_t global[2];
      check(dap_layout_globalize(m.layout, rank, local, global, NULL, &err), &err);
      at[i * m.array.shape[1] + j] = element(global[0], first + global[1]);
    }
  return m;
}

static void release(matrix *m)
{
  dap_array_release(&m->array);
  dap_layout_destroy(&m->layout);
}

/* Returns ||b - A x|| / (||A|| ||x|| n eps), which is small for a right solution. Overwrites b. */
static double residual(dap_darray a, dap_darray x, dap_darray b)
{
  const double eps = 0x1p-52, minus_one[] = {-1, 0}, one[] = {1, 0};
  double norm_a, norm_x, norm_r;
  dap_error err;
  check(dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', minus_one, a, x, one, b, NULL, &err), &err);
  check(dap_linalg_norm(MPI_COMM_WORLD, 'I', a, &norm_a, NULL, &err), &err);
  check(dap_linalg_norm(MPI_COMM_WORLD, 'I', x, &norm_x, NULL, &err), &err);
  check(dap_linalg_norm(MPI_COMM_WORLD, 'I', b, &norm_r, NULL, &err), &err);
  return norm_r / (norm_a * norm_x * N * eps);
}

/* Returns whether the system was solved, in arrays with these distributions. */
static bool solve(dap_dist rows, dap_dist columns, dap_dist column, int rank)
{
  matrix a = make(rows, columns, 0, rank), x = make(rows, column, N, rank);
  const dap_darray factors = {a.layout, &a.array}, solution = {x.layout, &x.array};
  dap_linalg_report report = {0};
  dap_linalg_options options = {.report = &report};
  dap_error err;
  const double start = MPI_Wtime();
  check(dap_linalg_solve(MPI_COMM_WORLD, 'N', factors, solution, &options, &err), &err);
  const double seconds = MPI_Wtime() - start;
  for (int k = 0; k < report.count && rank == 0; k++)
    printf("%s: %s: %s\n", report.uses[k].name, report.uses[k].shared ? "shared" : "moved",
           report.uses[k].reason);

  release(&a); /* it holds A's factors now */
  a = make(rows, columns, 0, rank);
  matrix b = make(rows, column, N, rank);
  const dap_darray again = {a.layout, &a.array}, right = {b.layout, &b.array};
  const double error = residual(again, solution, right);
  if (rank == 0) printf("%.3f s, residual %.4f\n\n", seconds, error);
  release(&b);
  release(&x);
  release(&a);
  return error < 10;
}

int main(int argc, char **argv)
{
  int rank, nprocs, grid[] = {0, 0};
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, grid);
  const bool in_place = solve(dap_dist_cyclic(N, grid[0], BLOCK), dap_dist_cyclic(N, grid[1], BLOCK),
                              dap_dist_cyclic(1, grid[1], BLOCK), rank);

  /* Half of the rows on the first process, half of the others on the next, and so on. */
  int64_t *lengths = (int64_t *)malloc((size_t)nprocs * sizeof *lengths), left = N;
  for (int r = 0; r < nprocs; r++) {
    lengths[r] = r < nprocs - 1 ? left / 2 : left;
    left -= lengths[r];
  }
  const bool moved =
      solve(dap_dist_lengths(N, nprocs, lengths), dap_dist_even(N, 1), dap_dist_even(1, 1), rank);
  free(lengths);
  MPI_Finalize();
  return in_place && moved ? 0 : 1;
}
