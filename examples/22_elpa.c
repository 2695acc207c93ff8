/* Computes the lowest modes of N masses on springs with ELPA. They solve K x = w M x, where K is the
 * stiffness and M the masses. The masses at the ends are heavier. K is in C order, M in F order, both in
 * cyclic blocks. The modes come back by rows: one process has the values of a mass in all modes. Succeeds
 * if the modes fulfil the equation. Runs on any number of processes. */
#include "log.h"

#include <dapbridge/elpa.h>

#include <math.h>
#include <stdio.h>

enum { N = 300, MODES = 12, BLOCK = 32 };

static dap_error err;

static void check(dap_status status)
{
  if (status == DAP_OK) return;
  (void)fprintf(stderr, "%s\n", err.text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double mass(int64_t i)
{
  return i == 0 || i == N - 1 ? 4 : 1;
}

static double stiffness(int64_t i, int64_t j)
{
  return i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0;
}

static void fill(const dap_layout *layout, int rank, dap_array *array, bool is_mass)
{
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++) {
      const int64_t local[] = {i, j};
      int64_t g[2];
      check(dap_layout_globalize(layout, rank, local, g, NULL, &err));
      double *at = (double *)((char *)array->data + i * array->strides[0] + j * array->strides[1]);
      *at = !is_mass ? stiffness(g[0], g[1]) : g[0] == g[1] ? mass(g[0]) : 0;
    }
}

/* Returns the largest element of K x - w M x for this process's masses except the first and the last. Also
 * finds its part of x M x for the first mode; all parts add up to 1. */
static double residual(const dap_layout *layout, int rank, const dap_array *modes, const double *w,
                       double *norm)
{
  const double *x = modes->data;
  double most = 0;
  for (int64_t i = 0; i < modes->shape[0]; i++) {
    const int64_t local[] = {i, 0};
    int64_t g[2];
    check(dap_layout_globalize(layout, rank, local, g, NULL, &err));
    *norm += mass(g[0]) * x[i * MODES] * x[i * MODES];
    for (int k = 0; k < MODES && i > 0 && i + 1 < modes->shape[0]; k++) {
      const double *at = x + i * MODES + k;
      most = fmax(most, fabs(2 * at[0] - at[-MODES] - at[MODES] - w[k] * at[0]));
    }
  }
  return most;
}

int main(int argc, char **argv)
{
  int rank, nprocs, grid[] = {0, 0};
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, grid);

  const dap_dist cyclic[] = {dap_dist_cyclic(N, grid[0], BLOCK), dap_dist_cyclic(N, grid[1], BLOCK)};
  const dap_dist rows[] = {dap_dist_even(N, nprocs), dap_dist_local(MODES)};
  const dap_dist everywhere = dap_dist_replicated(MODES, nprocs);
  dap_layout *blocks, *by_rows, *whole;
  check(dap_layout_create(2, cyclic, &blocks, &err));
  check(dap_layout_create(2, rows, &by_rows, &err));
  check(dap_layout_create(1, &everywhere, &whole, &err));
  dap_array k, m, w, x;
  check(dap_array_init(&k, blocks, rank, DAP_F8, DAP_ORDER_C, NULL, &err));
  check(dap_array_init(&m, blocks, rank, DAP_F8, DAP_ORDER_F, NULL, &err));
  check(dap_array_init(&w, whole, rank, DAP_F8, DAP_ORDER_C, NULL, &err));
  check(dap_array_init(&x, by_rows, rank, DAP_F8, DAP_ORDER_C, NULL, &err));
  fill(blocks, rank, &k, false);
  fill(blocks, rank, &m, true);

  /* ELPA computes the smallest eigenvalues, one for each element of W. */
  dap_elpa_report report;
  const dap_elpa_solve_options options = {.stages = 2, .report = &report};
  check(dap_elpa_eigh_generalized(MPI_COMM_WORLD, 'L', (dap_darray){blocks, &k}, (dap_darray){blocks, &m},
                                  (dap_darray){whole, &w}, (dap_darray){by_rows, &x}, &options, &err));

  double norm = 0, error = residual(by_rows, rank, &x, w.data, &norm);
  MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < report.count; i++) /* A is K, B is M, Z the modes */
      printf("%s: %s: %s\n", report.uses[i].name, report.uses[i].shared ? "shared" : "moved",
             report.uses[i].reason);
    printf("%d stages on a %d x %d grid\n", report.stages, report.grid[0], report.grid[1]);
    printf("lowest frequency %.6f\nlargest residual %.0e\n", sqrt(((double *)w.data)[0]), error);
  }
  dap_array_release(&x);
  dap_array_release(&w);
  dap_array_release(&m);
  dap_array_release(&k);
  dap_layout_destroy(&whole);
  dap_layout_destroy(&by_rows);
  dap_layout_destroy(&blocks);
  MPI_Finalize();
  return error < 1e-12 && fabs(norm - 1) < 1e-12 ? 0 : 1;
}
