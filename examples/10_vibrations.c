/* Computes how N equal masses on a string swing. The eigenvalues W of the stiffness K are the squared
 * frequencies, and Z's columns are the shapes. K is in cyclic blocks. W and Z are complete on every
 * process. Succeeds if both agree with a formula. Runs on any number of processes. */
#include "log.h"

#include <dapbridge/linalg.h>

#include <math.h>
#include <stdio.h>

enum { N = 300, BLOCK = 32 };

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Fills K: springs connect each mass to its neighbours on both sides. */
static void fill(const dap_layout *layout, int rank, dap_array *array)
{
  double *k = (double *)array->data;
  dap_error err;
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++) {
      const int64_t local[] = {i, j};
      int64_t global[2];
      check(dap_layout_globalize(layout, rank, local, global, NULL, &err), &err);
      const int64_t distance = global[0] > global[1] ? global[0] - global[1] : global[1] - global[0];
      k[i * array->shape[1] + j] = distance == 0 ? 2 : distance == 1 ? -1 : 0;
    }
}

/* Finds the largest errors of W and Z. The signs of Z's columns are arbitrary, so they are ignored. */
static void compare(const double *w, const double *z, double errors[2])
{
  const double angle = acos(-1) / (N + 1), height = sqrt(2.0 / (N + 1));
  errors[0] = errors[1] = 0;
  for (int shape = 0; shape < N; shape++) {
    errors[0] = fmax(errors[0], fabs(w[shape] - 2 + 2 * cos((shape + 1) * angle)));
    for (int mass = 0; mass < N; mass++) {
      const double known = height * fabs(sin((mass + 1) * (shape + 1) * angle));
      errors[1] = fmax(errors[1], fabs(fabs(z[mass * N + shape]) - known));
    }
  }
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

  const dap_dist cyclic[] = {dap_dist_cyclic(N, grid[0], BLOCK), dap_dist_cyclic(N, grid[1], BLOCK)};
  const dap_dist everywhere[] = {dap_dist_replicated(N, nprocs), dap_dist_even(N, 1)};
  dap_layout *blocks, *whole_vector, *whole_matrix;
  check(dap_layout_create(2, cyclic, &blocks, &err), &err);
  check(dap_layout_create(1, everywhere, &whole_vector, &err), &err);
  check(dap_layout_create(2, everywhere, &whole_matrix, &err), &err);
  dap_array stiffness, frequencies, shapes;
  check(dap_array_init(&stiffness, blocks, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&frequencies, whole_vector, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  check(dap_array_init(&shapes, whole_matrix, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  fill(blocks, rank, &stiffness);

  const dap_darray k = {blocks, &stiffness}, w = {whole_vector, &frequencies}, z = {whole_matrix, &shapes};
  dap_linalg_report report = {0};
  dap_linalg_options options = {.report = &report};
  check(dap_linalg_eigh(MPI_COMM_WORLD, 'L', k, w, z, &options, &err), &err);

  double errors[2];
  compare((const double *)frequencies.data, (const double *)shapes.data, errors);
  if (rank == 0) {
    for (int i = 0; i < report.count; i++) /* A is K */
      printf("%s: %s: %s\n", report.uses[i].name, report.uses[i].shared ? "shared" : "moved",
             report.uses[i].reason);
    printf("largest error: W %.0e, Z %.0e\n", errors[0], errors[1]);
  }
  dap_array_release(&shapes);
  dap_array_release(&frequencies);
  dap_array_release(&stiffness);
  dap_layout_destroy(&whole_matrix);
  dap_layout_destroy(&whole_vector);
  dap_layout_destroy(&blocks);
  MPI_Finalize();
  return errors[0] < 1e-12 && errors[1] < 1e-10 ? 0 : 1;
}
