/* Tests programs that end with Cblacs_exit() after the last view. It ends MPI, or the program ends MPI
 * afterwards. */
#include <dapbridge/linalg.h>
#include <dapbridge/scalapack_calls.h>

#include <stdio.h>
#include <string.h>

/* Sends something through BLACS, so that it has buffers. */
static dap_status use(MPI_Comm comm)
{
  int rank, nprocs;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &nprocs);
  const dap_dist dists[2] = {dap_dist_even(12, nprocs), dap_dist_even(12, 1)};
  dap_layout *layout;
  dap_array array;
  dap_error err = {0};
  dap_status status = dap_layout_create(2, dists, &layout, &err);
  if (!status) status = dap_array_init(&array, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err);
  if (status) return status;
  double *values = array.data;
  for (int64_t e = 0; e < dap_array_count(&array); e++) values[e] = (double)(e % 13) + rank;
  double norm = 0, sign[2], log = 0;
  const dap_darray a = {layout, &array};
  status = dap_linalg_norm(comm, '1', a, &norm, NULL, &err);
  if (!status) status = dap_linalg_determinant(comm, a, sign, &log, NULL, &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  if (status) (void)fprintf(stderr, "%s\n", err.text);
  return status;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  const bool again = argc > 1 && !strcmp(argv[1], "again");
  dap_status status = use(MPI_COMM_WORLD);
  if (again) {
    Cblacs_exit(1);
    if (!status) status = use(MPI_COMM_WORLD);
  }
  Cblacs_exit(0);
  int finalized = 0;
  MPI_Finalized(&finalized);
  return !status && finalized ? 0 : 1;
}
