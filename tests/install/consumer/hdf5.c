/* Uses the component hdf5: saves an array by rows, reads it by HDF5 itself, and loads it. */
#include <dapbridge/hdf5.h>
#include <hdf5.h>
#include <stdio.h>

enum { SIZE = 12 };

static int is_dataset(void)
{
  hid_t file = H5Fopen("consumer.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/a/numbers", H5P_DEFAULT);
  const int found = set >= 0;
  H5Dclose(set);
  H5Fclose(file);
  return found;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_error err = {0};
  dap_layout *rows = NULL;
  dap_array a;
  const char *path = "consumer.h5:/a/numbers";
  const dap_file_options options = {.format = dap_file_hdf5()};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dist = dap_dist_even(SIZE, nprocs);
  int good = !dap_layout_create(1, &dist, &rows, &err) &&
             !dap_array_init(&a, rows, rank, DAP_F8, DAP_ORDER_C, NULL, &err);
  for (int64_t i = 0; good && i < a.shape[0]; i++) ((double *)a.data)[i] = (double)(100 * rank + i);
  if (good) good = !dap_file_save(MPI_COMM_WORLD, (dap_darray){rows, &a}, path, &options, &err);
  if (good && rank == 0) good = is_dataset();
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int64_t i = 0; good && i < a.shape[0]; i++) ((double *)a.data)[i] = -1;
  if (good) good = !dap_file_load(MPI_COMM_WORLD, (dap_darray){rows, &a}, path, &options, &err);
  for (int64_t i = 0; good && i < a.shape[0]; i++) good = ((double *)a.data)[i] == (double)(100 * rank + i);
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0)
    printf("hdf5: %d.%d: %s\n", H5_VERS_MAJOR, H5_VERS_MINOR, good ? "saved and loaded" : err.text);
  dap_array_release(&a);
  dap_layout_destroy(&rows);
  MPI_Finalize();
  return !good;
}
