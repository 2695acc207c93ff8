/* Uses the component elpa: computes the eigenvalues of a diagonal matrix, by rows. */
#include <dapbridge/elpa.h>
#include <elpa/elpa.h>
#include <math.h>
#include <stdio.h>

enum { SIZE = 12 };

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_error err = {0};
  dap_layout *rows = NULL, *values = NULL;
  dap_array a, w;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dists[2] = {dap_dist_even(SIZE, nprocs), dap_dist_local(SIZE)};
  const dap_dist whole = dap_dist_replicated(SIZE, nprocs);
  int good = !dap_layout_create(2, dists, &rows, &err) && !dap_layout_create(1, &whole, &values, &err) &&
             !dap_array_init(&a, rows, rank, DAP_F8, DAP_ORDER_C, NULL, &err) &&
             !dap_array_init(&w, values, rank, DAP_F8, DAP_ORDER_C, NULL, &err);
  for (int64_t i = 0; good && i < a.shape[0]; i++) {
    const int64_t local[2] = {i, 0};
    int64_t global[2];
    good = !dap_layout_globalize(rows, rank, local, global, NULL, &err);
    ((double *)a.data)[i * SIZE + global[0]] = (double)global[0];
  }
  if (good)
    good = !dap_elpa_eigh(MPI_COMM_WORLD, 'L', (dap_darray){rows, &a}, (dap_darray){values, &w},
                          (dap_darray){0}, NULL, &err);
  for (int k = 0; good && k < SIZE; k++) good = fabs(((double *)w.data)[k] - k) < 1e-12;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("elpa: API %d: %s\n", ELPA_API_VERSION, good ? "eigenvalues" : err.text);
  dap_array_release(&w);
  dap_array_release(&a);
  dap_layout_destroy(&values);
  dap_layout_destroy(&rows);
  MPI_Finalize();
  return !good;
}
