/* Assembles finite elements on the nodes of a grid. Each process takes the elements whose first node it
 * owns. It adds their contributions to their four nodes in its own buffer, including padding. The reverse
 * halo update adds the values in the padding to the nodes of the owners, and returns the sums to all
 * processes. */
#include "log.h"

#include <dapbridge.h>

#include <math.h>
#include <stdio.h>

enum { N = 101 /* nodes along each axis */ };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Along one axis, an inner node belongs to two elements, and a node at an end to one. */
static int elements_at(int64_t node)
{
  return node == 0 || node == N - 1 ? 1 : 2;
}

int main(int argc, char **argv)
{
  int rank, nprocs, dims[2] = {0, 0}, coords[2];
  const double area = 1.0 / ((N - 1) * (N - 1)); /* of an element */
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, dims);
  dap_error err;

  dap_layout *layout;
  const dap_dist dists[] = {dap_dist_padded(N, dims[0], 1), dap_dist_padded(N, dims[1], 1)};
  check(dap_layout_create(2, dists, &layout, &err), &err);
  dap_array load;
  check(dap_array_init(&load, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);

  dap_plan *assemble;
  const dap_darray array = {layout, &load};
  const dap_side side = dap_side_of(array);
  dap_plan_options options = {0};
  options.padding = DAP_PADDING_REFRESH;
  check(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &options, &assemble, &err), &err);

  const int64_t rows = load.shape[0], columns = load.shape[1], corner[2] = {0, 0};
  int64_t first[2], pad[2][2]; /* the node at local (0, 0) */
  check(dap_layout_globalize(layout, rank, corner, first, NULL, &err), &err);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < 2; k++) dap_layout_halo(layout, k, coords[k], pad[k]);

  double *b = (double *)load.data;
  for (int64_t i = 0; i < rows * columns; i++) b[i] = 0;
  for (int64_t i = pad[0][0]; i < rows - 1; i++)
    for (int64_t j = pad[1][0]; j < columns - 1; j++)
      for (int node = 0; node < 4; node++) b[(i + node / 2) * columns + j + node % 2] += area / 4;
  check(dap_plan_run(assemble, b, b, &err), &err);

  double error = 0, largest, sum = 0, total;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) {
      const double want = area / 4 * elements_at(first[0] + i) * elements_at(first[1] + j);
      const int is_owned =
          i >= pad[0][0] && i < rows - pad[0][1] && j >= pad[1][0] && j < columns - pad[1][1];
      error = fmax(error, fabs(b[i * columns + j] - want));
      if (is_owned) sum += b[i * columns + j];
    }
  MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("load of %d x %d nodes on %d x %d processes: sum %.12f, largest error %s\n", N, N, dims[0],
           dims[1], total, largest < 1e-15 ? "below 1e-15" : "too large");
  dap_plan_destroy(&assemble);
  dap_array_release(&load);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return largest >= 1e-15;
}
