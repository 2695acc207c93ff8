/* Inverts each matrix A[:, s, :] of an array with 3 axes, in the array's own buffer, where the matrix's
 * rows are M rows apart. The elements of A[:, s, :] are 1, and those on the diagonal s + 2, so the inverse
 * is known. Succeeds if all elements are right. Runs on any number of processes. */
#include "log.h"

#include <dapbridge/linalg.h>
#include <dapbridge/part.h>

#include <math.h>
#include <stdio.h>

enum { N = 300, M = 3, BLOCK = 32 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The two functions return element (i, j) of A[:, s, :], and of its inverse. */
static double element(int64_t i, int64_t s, int64_t j)
{
  return i == j ? 2.0 + (double)s : 1;
}

static double inverse_element(int64_t i, int64_t s, int64_t j)
{
  const double more = (double)(s + 1);
  return (i == j ? 1 / more : 0) - 1 / (more * (more + N));
}

/* Fills the array, or, after its matrices were inverted, returns the distance from the right inverses. */
static double visit(const dap_layout *layout, int rank, dap_array *array, bool is_inverted)
{
  double *at = (double *)array->data, error = 0;
  dap_error err;
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t s = 0; s < array->shape[1]; s++)
      for (int64_t j = 0; j < array->shape[2]; j++) {
        const int64_t local[] = {i, s, j}, place = (i * array->shape[1] + s) * array->shape[2] + j;
        int64_t global[3];
        check(dap_layout_globalize(layout, rank, local, global, NULL, &err), &err);
        if (is_inverted)
          error = fmax(error, fabs(at[place] - inverse_element(global[0], global[1], global[2])));
        else
          at[place] = element(global[0], global[1], global[2]);
      }
  return error;
}

int main(int argc, char **argv)
{
  int rank, nprocs, grid[] = {0, 0};
  dap_error err;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, grid);
  const dap_dist dists[] = {dap_dist_cyclic(N, grid[0], BLOCK), dap_dist_even(M, 1),
                            dap_dist_cyclic(N, grid[1], BLOCK)};
  dap_layout *layout;
  dap_array array;
  check(dap_layout_create(3, dists, &layout, &err), &err);
  check(dap_array_init(&array, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  visit(layout, rank, &array, false);

  const dap_darray batch = {layout, &array};
  int64_t moved = 0;
  for (int s = 0; s < M; s++) {
    const int axes[] = {0, 2};
    const int64_t start[] = {0, s, 0};
    const dap_part matrix = {.naxes = 2, .axes = axes, .start = start}; /* A[:, s, :] */
    dap_layout *layout_of_part;
    dap_array part;
    dap_linalg_report report = {0};
    dap_linalg_options options = {.report = &report};
    check(dap_layout_part(layout, &matrix, &layout_of_part, NULL, &err), &err);
    check(dap_array_part(batch, rank, &matrix, &part, &err), &err);
    const dap_darray a = {layout_of_part, &part};
    check(dap_linalg_inverse(MPI_COMM_WORLD, a, &options, &err), &err);
    moved += report.uses[0].moved_bytes;
    dap_array_release(&part);
    dap_layout_destroy(&layout_of_part);
  }

  double error = visit(layout, rank, &array, true);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d matrices inverted, %lld bytes moved, largest error %.0e\n", (int)M, (long long)moved, error);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return error < 1e-12 ? 0 : 1;
}
