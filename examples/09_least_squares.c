/* Fits a cubic to measurements. Each process has taken a different number of them. A (m, n) and B (m,)
 * have uneven blocks of rows. X (n,) is complete on every process, so all processes know the coefficients.
 * Succeeds if the measurements were made with these coefficients. Runs on any number of processes. */
#include "log.h"

#include <dapbridge/linalg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 1000, N = 4 };

static const double truth[N] = {1, 0, -3, 2}; /* y = 1 - 3 t^2 + 2 t^3 */

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The first process has half of the measurements, the next one half of the others, and so on. */
static dap_layout *make_layout(int ndim, int nprocs)
{
  dap_error err;
  dap_layout *layout;
  int64_t *lengths = (int64_t *)malloc((size_t)nprocs * sizeof *lengths), left = M;
  for (int r = 0; r < nprocs; r++) {
    lengths[r] = r < nprocs - 1 ? left / 2 : left;
    left -= lengths[r];
  }
  const dap_dist dists[] = {dap_dist_lengths(M, nprocs, lengths), dap_dist_even(N, 1)};
  check(dap_layout_create(ndim, dists, &layout, &err), &err);
  free(lengths);
  return layout;
}

/* A's rows are powers of a measurement's time. B's elements are measured values, with some noise. */
static void measure(const dap_layout *layout, int rank, dap_array *a, dap_array *b)
{
  double *powers = (double *)a->data, *y = (double *)b->data;
  dap_error err;
  for (int64_t i = 0; i < b->shape[0]; i++) {
    int64_t number;
    check(dap_layout_globalize(layout, rank, &i, &number, NULL, &err), &err);
    const double t = (double)number / M;
    y[i] = 1e-3 * sin((double)(number * number));
    for (int k = 0; k < N; k++) {
      powers[i * N + k] = pow(t, k);
      y[i] += truth[k] * pow(t, k);
    }
  }
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_error err;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist everywhere = dap_dist_replicated(N, nprocs);
  dap_layout *rows = make_layout(2, nprocs), *values = make_layout(1, nprocs), *coefficients;
  check(dap_layout_create(1, &everywhere, &coefficients, &err), &err);
  dap_array a, b, x;
  check(dap_array_init(&a, rows, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&b, values, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&x, coefficients, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  measure(values, rank, &a, &b);

  const dap_darray matrix = {rows, &a}, right = {values, &b}, solution = {coefficients, &x};
  dap_linalg_report report = {0};
  dap_linalg_options options = {.report = &report};
  check(dap_linalg_least_squares(MPI_COMM_WORLD, matrix, right, solution, &options, &err), &err);

  const double *fitted = (const double *)x.data;
  double error = 0;
  for (int k = 0; k < N; k++) error = fmax(error, fabs(fitted[k] - truth[k]));
  if (rank == 0) {
    for (int k = 0; k < report.count; k++)
      printf("%s: %s: %s\n", report.uses[k].name, report.uses[k].shared ? "shared" : "moved",
             report.uses[k].reason);
    printf("y = %.2f %+.2f t %+.2f t^2 %+.2f t^3\n", fitted[0], fitted[1], fitted[2], fitted[3]);
  }
  dap_array_release(&x);
  dap_array_release(&b);
  dap_array_release(&a);
  dap_layout_destroy(&coefficients);
  dap_layout_destroy(&values);
  dap_layout_destroy(&rows);
  MPI_Finalize();
  return error < 0.01 ? 0 : 1;
}
