/* Runs two programs at the same time: a solver, and an analysis that the solver starts, on other processes
 * and with another layout. After each step the solver sends its field. The analysis prints the sum and the
 * largest element of the field, and compares the field with that of the whole plate. This file is both
 * programs: the analysis detects that another program has started it. */
#include "log.h"

#include <dapbridge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, STEPS = 5, ANALYSTS = 2 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void make_array(const dap_dist dists[], dap_layout **layout, dap_array *array)
{
  int rank;
  dap_error err;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(dap_layout_create(2, dists, layout, &err), &err);
  check(dap_array_init(array, *layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
}

/* Makes a step in rows 1 to `rows` - 2. The edges keep their values. */
static void make_step(int64_t rows, double *u, double *next)
{
  memcpy(next, u, (size_t)(rows * N) * sizeof *u);
  for (int64_t i = 1; i < rows - 1; i++)
    for (int64_t j = 1; j < N - 1; j++) {
      const double *p = &u[i * N + j];
      next[i * N + j] = (p[0] + p[-N] + p[N] + p[-1] + p[1]) / 5;
    }
  memcpy(u, next, (size_t)(rows * N) * sizeof *u);
}

/* Starts with a hot column. */
static void start(int64_t rows, double *u)
{
  for (int64_t i = 1; i < rows - 1; i++) u[i * N + N / 2] = 100;
}

/* Computes heat in rows of a plate, padded by a row of each neighbour. */
static void solve(MPI_Comm analysis, int nprocs)
{
  const dap_dist dists[] = {dap_dist_padded(N, nprocs, 1), dap_dist_local(N)};
  dap_layout *layout;
  dap_array field;
  dap_error err;
  make_array(dists, &layout, &field);
  const dap_darray array = {layout, &field};
  const dap_side side = dap_side_of(array);
  dap_plan *halo, *send;
  check(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, NULL, &halo, &err), &err);
  check(dap_plan_create(analysis, &side, NULL, 0, NULL, &send, &err), &err);

  double *u = (double *)field.data, *next = (double *)malloc((size_t)dap_array_bytes(&field));
  start(field.shape[0], u);
  for (int step = 0; step < STEPS; step++) {
    check(dap_plan_run(halo, u, u, &err), &err);
    make_step(field.shape[0], u, next);
    check(dap_plan_run(send, u, NULL, &err), &err);
  }
  free(next);
  dap_plan_destroy(&halo);
  dap_plan_destroy(&send);
  dap_array_release(&field);
  dap_layout_destroy(&layout);
}

/* Returns how many elements were wrong. */
static int analyse(MPI_Comm solver, int nprocs)
{
  const dap_dist dists[] = {dap_dist_local(N), dap_dist_cyclic(N, nprocs, 4)};
  dap_layout *layout;
  dap_array copy;
  dap_error err;
  static double plate[N * N], next[N * N];
  int rank, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  start(N, plate);
  make_array(dists, &layout, &copy);
  const dap_darray array = {layout, &copy};
  const dap_side side = dap_side_of(array);
  dap_plan *receive;
  check(dap_plan_create(solver, NULL, &side, 0, NULL, &receive, &err), &err);
  for (int step = 0; step < STEPS; step++) {
    const double *u = (const double *)copy.data;
    double sum = 0, largest = 0, total, most;
    check(dap_plan_run(receive, NULL, copy.data, &err), &err);
    make_step(N, plate, next);
    for (int64_t i = 0; i < copy.shape[0]; i++)
      for (int64_t j = 0; j < copy.shape[1]; j++, u++) {
        const int64_t local[] = {i, j};
        int64_t global[2];
        check(dap_layout_globalize(layout, rank, local, global, NULL, &err), &err);
        wrong += !(fabs(*u - plate[global[0] * N + global[1]]) < 1e-12);
        sum += *u;
        largest = fmax(largest, *u);
      }
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&largest, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("step %d: sum %.6f, largest %.6f\n", step, total, most);
  }
  dap_plan_destroy(&receive);
  dap_array_release(&copy);
  dap_layout_destroy(&layout);
  return wrong;
}

int main(int argc, char **argv)
{
  MPI_Comm other;
  int nprocs, wrong = 0, theirs = 0;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Comm_get_parent(&other);
  if (other == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, ANALYSTS, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
    solve(other, nprocs);
  } else {
    wrong = analyse(other, nprocs);
  }
  MPI_Allreduce(&wrong, &theirs, 1, MPI_INT, MPI_SUM, other); /* each group receives the other group's */
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return wrong + theirs > 0;
}
