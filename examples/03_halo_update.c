/* Performs Jacobi sweeps on a 2-D grid with one layer of communication padding. The start u = row + 2
 * column is harmonic. The sweeps leave it unchanged only if every halo update is right. */
#include "log.h"

#include <dapbridge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 120, SWEEPS = 50 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
  int rank, nprocs, dims[2] = {0, 0}, coords[2];
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, dims);
  dap_error err;

  dap_layout *layout;
  const dap_dist dists[] = {dap_dist_padded(N, dims[0], 1), dap_dist_padded(N, dims[1], 1)};
  check(dap_layout_create(2, dists, &layout, &err), &err);
  dap_array field;
  check(dap_array_init(&field, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);

  dap_plan *halo;
  const dap_darray array = {layout, &field};
  const dap_side side = dap_side_of(array);
  check(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, NULL, &halo, &err), &err);

  /* The local extents, and the position of the buffer in the whole array. */
  const int64_t rows = field.shape[0], columns = field.shape[1];
  int64_t corner[2] = {0, 0}, first[2];
  check(dap_layout_globalize(layout, rank, corner, first, NULL, &err), &err);
  dap_layout_coords(layout, rank, coords);
  int64_t pad[2][2];
  for (int k = 0; k < 2; k++) dap_layout_halo(layout, k, coords[k], pad[k]);

  double *u = (double *)field.data, *next = (double *)malloc((size_t)dap_array_bytes(&field));
  for (int64_t i = pad[0][0]; i < rows - pad[0][1]; i++)
    for (int64_t j = pad[1][0]; j < columns - pad[1][1]; j++)
      u[i * columns + j] = (double)(first[0] + i + 2 * (first[1] + j));

  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    check(dap_plan_run(halo, u, u, &err), &err);
    memcpy(next, u, (size_t)dap_array_bytes(&field));
    for (int64_t i = 1; i < rows - 1; i++)
      for (int64_t j = 1; j < columns - 1; j++) {
        const double *p = &u[i * columns + j];
        next[i * columns + j] = (p[-1] + p[1] + p[-columns] + p[columns]) / 4;
      }
    memcpy(u, next, (size_t)dap_array_bytes(&field));
  }

  double error = 0, largest;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      error = fmax(error, fabs(u[i * columns + j] - (double)(first[0] + i + 2 * (first[1] + j))));
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d sweeps on %d x %d processes: largest error %g\n", SWEEPS, dims[0], dims[1], largest);
  free(next);
  dap_plan_destroy(&halo);
  dap_array_release(&field);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return largest > 0;
}
