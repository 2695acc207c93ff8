/* Saves an array over a file, and kills the last process at its first write: file_killed <path>. */
#define _XOPEN_SOURCE 700 /* pwrite(), kill(); NOLINT(bugprone-reserved-identifier) */
#include <dapbridge/file.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

enum { ROWS = 64, COLUMNS = 32 };

static int is_victim;

/* NOLINTBEGIN(bugprone-reserved-identifier): names that the linker requires */
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at)
{
  if (is_victim) (void)kill(getpid(), SIGKILL);
  return __real_pwrite(fd, data, bytes, at);
}
/* NOLINTEND(bugprone-reserved-identifier) */

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_layout *layout = NULL;
  dap_array array;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dists[] = {dap_dist_local(ROWS), dap_dist_even(COLUMNS, nprocs)};
  if (argc != 2 || dap_layout_create(2, dists, &layout, NULL) ||
      dap_array_init(&array, layout, rank, DAP_F8, DAP_ORDER_C, NULL, NULL))
    MPI_Abort(MPI_COMM_WORLD, 2);
  is_victim = rank == nprocs - 1;
  const dap_file_options options = {.format = dap_file_raw(), .writers = nprocs};
  const dap_status s = dap_file_save(MPI_COMM_WORLD, (dap_darray){layout, &array}, argv[1], &options, NULL);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  MPI_Finalize();
  return s != DAP_OK;
}
