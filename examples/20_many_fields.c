/* Carries eight fields across one periodic grid, each in its own direction, by one point in a step. After
 * as many steps as the grid has points along an axis, all fields are back at their start. Each step
 * updates the halos of all fields at once, with as many messages as for one field. */
#include "log.h"

#include <dapbridge.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 48, FIELDS = 8 };

static const int direction[FIELDS][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1},
                                         {0, 1},   {1, -1}, {1, 0},  {1, 1}};

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
  int rank, nprocs, dims[2] = {0, 0};
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, dims);
  dap_error err;

  dap_layout *layout;
  dap_dist dists[] = {dap_dist_padded(N, dims[0], 1), dap_dist_padded(N, dims[1], 1)};
  for (int k = 0; k < 2; k++) dists[k].periodic = dists[k].wraps = true;
  check(dap_layout_create(2, dists, &layout, &err), &err);
  dap_array arrays[FIELDS];
  void *u[FIELDS];
  for (int f = 0; f < FIELDS; f++) {
    check(dap_array_init(&arrays[f], layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    u[f] = arrays[f].data;
  }

  /* One plan is for all fields, which have the same layout, strides and type. The other is for one field. */
  dap_plan *halo, *single;
  const dap_side side = dap_side_of((dap_darray){layout, &arrays[0]});
  const dap_plan_options options = {.arrays = FIELDS};
  check(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, &options, &halo, &err), &err);
  check(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, NULL, &single, &err), &err);

  const int64_t rows = arrays[0].shape[0], columns = arrays[0].shape[1], count = rows * columns;
  double *next = (double *)malloc((size_t)dap_array_bytes(&arrays[0]));
  for (int f = 0; f < FIELDS; f++)
    for (int64_t i = 0; i < count; i++) ((double *)u[f])[i] = (double)(rank * count + i) + f / 8.;

  for (int step = 0; step < N; step++) {
    check(dap_plan_run_many(halo, (const void *const *)u, u, &err), &err);
    for (int f = 0; f < FIELDS; f++) {
      double *field = (double *)u[f];
      memcpy(next, field, (size_t)dap_array_bytes(&arrays[f]));
      for (int64_t i = 1; i < rows - 1; i++)
        for (int64_t j = 1; j < columns - 1; j++)
          next[i * columns + j] = field[(i - direction[f][0]) * columns + j - direction[f][1]];
      memcpy(field, next, (size_t)dap_array_bytes(&arrays[f]));
    }
  }

  int64_t wrong = 0, all = 0;
  for (int f = 0; f < FIELDS; f++)
    for (int64_t i = 1; i < rows - 1; i++)
      for (int64_t j = 1; j < columns - 1; j++)
        wrong += ((double *)u[f])[i * columns + j] != (double)(rank * count + i * columns + j) + f / 8.;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  const int64_t many = dap_plan_summarize(halo).messages_sent, one = dap_plan_summarize(single).messages_sent;
  if (rank == 0)
    printf("%d fields after %d steps on %d x %d processes: %d wrong; a process sends %d messages a step, for "
           "one field %d\n",
           FIELDS, N, dims[0], dims[1], (int)all, (int)many, (int)one);
  free(next);
  dap_plan_destroy(&halo);
  dap_plan_destroy(&single);
  for (int f = 0; f < FIELDS; f++) dap_array_release(&arrays[f]);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return all > 0 || one != many;
}
