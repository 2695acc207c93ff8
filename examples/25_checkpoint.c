/* Saves an array as a .npy file that numpy reads, and continues with one process less, as after a restart.
 * The program queries the file's shape and type, and loads the whole array and then some rows. Checks
 * every element. Runs on any number of processes. */
#include "log.h"

#include <dapbridge.h>
#include <inttypes.h>

enum { ROWS = 1000, COLUMNS = 600, FIRST = 10, SOME = 5 };
static const char path[] = "25_checkpoint.npy";

static void check(dap_status status, const dap_error *err)
{
  if (status == DAP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Sets the elements of this process to `ROWS * column + row + first`, or counts those that are not. */
static int64_t visit(dap_darray a, int rank, int64_t first, bool sets)
{
  const dap_array *local = a.local;
  dap_error err;
  int64_t wrong = 0;
  for (int64_t i = 0; i < local->shape[0]; i++)
    for (int64_t j = 0; j < local->shape[1]; j++) {
      int64_t at[] = {i, j}, global[2];
      check(dap_layout_globalize(a.layout, rank, at, global, NULL, &err), &err);
      double *element = (double *)((char *)local->data + i * local->strides[0] + j * local->strides[1]);
      const double value = (double)(ROWS * global[1] + global[0] + first);
      if (sets) *element = value;
      wrong += *element != value;
    }
  return wrong;
}

static void save(void)
{
  int rank, nprocs, grid[] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  MPI_Dims_create(nprocs, 2, grid);
  const dap_dist dists[] = {dap_dist_cyclic(ROWS, grid[0], 64), dap_dist_cyclic(COLUMNS, grid[1], 64)};
  dap_error err;
  dap_layout *layout;
  dap_array local;
  check(dap_layout_create(2, dists, &layout, &err), &err);
  check(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_F, &local, NULL, &err), &err);
  const dap_darray a = {layout, &local};
  (void)visit(a, rank, 0, true);
  check(dap_file_save(MPI_COMM_WORLD, a, path, NULL, &err), &err);
  dap_array_release(&local);
  dap_layout_destroy(&layout);
}

/* Loads the whole array, or the part that the options select. */
static int64_t load(MPI_Comm comm, const dap_file_options *options, int64_t first)
{
  int rank;
  MPI_Comm_rank(comm, &rank);
  dap_error err;
  dap_file_info info;
  dap_layout *layout;
  dap_array local;
  check(dap_file_query(comm, path, options, &info, &layout, &err), &err); /* also makes a layout */
  check(dap_array_alloc(comm, layout, info.dtype, DAP_ORDER_C, &local, NULL, &err), &err);
  const dap_darray a = {layout, &local};
  check(dap_file_load(comm, a, path, options, &err), &err);
  int64_t wrong = visit(a, rank, first, false);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, comm);
  if (rank == 0)
    printf("%" PRId64 " x %" PRId64 " of %s, %s: %" PRId64 " wrong\n", dap_layout_size(layout, 0),
           dap_layout_size(layout, 1), dap_dtype_name(info.dtype), info.has_layout ? "as stored" : info.note,
           wrong);
  dap_array_release(&local);
  dap_layout_destroy(&layout);
  return wrong;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  MPI_Init(&argc, &argv);
  log_if_wanted();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  save();

  int64_t wrong = 0;
  MPI_Comm fewer;
  MPI_Comm_split(MPI_COMM_WORLD, rank < nprocs - 1 || rank == 0 ? 0 : MPI_UNDEFINED, rank, &fewer);
  if (fewer != MPI_COMM_NULL) {
    const dap_file_options rows = {
        .part = {.start = (int64_t[]){FIRST, 0}, .shape = (int64_t[]){SOME, COLUMNS}}};
    wrong = load(fewer, NULL, 0) + load(fewer, &rows, FIRST);
    MPI_Comm_free(&fewer);
  }
  if (rank == 0) {
    (void)remove(path);
    (void)remove("25_checkpoint.npy.dap");
  }
  MPI_Finalize();
  return wrong != 0;
}
