/* Computes heat that flows between all pairs of N points; more flows between closer points. The equation
 * is u' = -L u with a dense L, and the steps are implicit: (1 + dt L) u(t + dt) = u(t). The matrix is the
 * same in every step, so its Cholesky factors are computed once, in its own memory. u has one element for
 * each point, and changes in place. Succeeds if products with the matrix undo the steps. Runs on any
 * number of processes. */
#include "log.h"

#include <dapbridge/linalg_factors.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 800, BLOCK = 32, STEPS = 20 };
static const double dt = 0.01;

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns the heat that flows from point j to point i != j. */
static double flow(int64_t i, int64_t j)
{
  const double distance = (double)llabs((long long)(i - j));
  return 1 / (distance * distance);
}

/* An element of 1 + dt L; the rows of L add up to 0, because no heat is lost. */
static double element(int64_t i, int64_t j)
{
  double sum = 0;
  if (i != j) return -dt * flow(i, j);
  for (int64_t k = 0; k < N; k++) sum += k != i ? flow(i, k) : 0;
  return 1 + dt * sum;
}

/* Returns the first u: heat in the middle third. */
static double first(int64_t i)
{
  return i >= N / 3 && i < 2 * N / 3 ? 1 : 0;
}

static void fill_matrix(const dap_layout *layout, int rank, const dap_array *a)
{
  double *at = (double *)a->data;
  dap_error err;
  for (int64_t i = 0; i < a->shape[0]; i++)
    for (int64_t j = 0; j < a->shape[1]; j++) {
      const int64_t local[] = {i, j};
      int64_t global[2];
      check(dap_layout_globalize(layout, rank, local, global, NULL, &err), &err);
      at[i * a->shape[1] + j] = element(global[0], global[1]);
    }
}

/* Sets the first u, or returns how far u is from it. */
static double start(const dap_layout *layout, int rank, const dap_array *u, bool sets)
{
  double off = 0, *at = (double *)u->data;
  dap_error err;
  for (int64_t k = 0; k < u->shape[0]; k++) {
    int64_t i;
    check(dap_layout_globalize(layout, rank, &k, &i, NULL, &err), &err);
    if (sets) at[k] = first(i);
    off = fmax(off, fabs(at[k] - first(i)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &off, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return off;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_error err;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dists[] = {dap_dist_cyclic(N, nprocs, BLOCK), dap_dist_local(N)};
  dap_layout *rows, *points;
  dap_array a, u, v;
  check(dap_layout_create(2, dists, &rows, &err), &err);
  check(dap_layout_create(1, dists, &points, &err), &err);
  check(dap_array_init(&a, rows, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&u, points, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&v, points, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  const dap_darray matrix = {rows, &a}, now = {points, &u}, next = {points, &v};
  fill_matrix(rows, rank, &a);
  (void)start(points, rank, &u, true);

  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_linalg_factors *factors;
  double began = MPI_Wtime();
  check(dap_linalg_cholesky(MPI_COMM_WORLD, 'L', matrix, &options, &factors, &err), &err);
  const double factoring = MPI_Wtime() - began;
  if (rank == 0) printf("A: %s: %s\n", report.uses[0].shared ? "shared" : "moved", report.uses[0].reason);

  began = MPI_Wtime();
  for (int step = 0; step < STEPS; step++)
    check(dap_linalg_factors_solve(factors, 'N', now, &options, &err), &err);
  const double stepping = (MPI_Wtime() - began) / STEPS;
  if (rank == 0) printf("B: %s: %s\n", report.uses[1].shared ? "shared" : "moved", report.uses[1].reason);
  dap_linalg_factors_destroy(&factors); /* from now on, the program may use A's memory */

  fill_matrix(rows, rank, &a);
  for (int step = 0; step < STEPS; step++) {
    const bool back = step % 2;
    check(dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, matrix, back ? next : now, NULL,
                              back ? now : next, NULL, &err),
          &err);
  }
  const double error = start(points, rank, STEPS % 2 ? &v : &u, false);
  if (rank == 0)
    printf("factors %.3f s, each of %d steps %.4f s, error %.1e\n", factoring, STEPS, stepping, error);
  dap_array_release(&v);
  dap_array_release(&u);
  dap_array_release(&a);
  dap_layout_destroy(&points);
  dap_layout_destroy(&rows);
  MPI_Finalize();
  return error < 1e-10 ? 0 : 1;
}
