/* Rows of files of HDF5. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): getpid() */
#include "rows.h"

#include "call_rows.h"

#include <dapbridge/hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int program; /* the first process's number, which no other program has */

/* The name of a file, or of a dataset in it. Static memory, overwritten by the next call. */
static const char *path_of(const char *name)
{
  static char path[512];
  const char *folder = getenv("TMPDIR");
  (void)snprintf(path, sizeof path, "%.200s/dapbridge-rows-%d-%s", folder && *folder ? folder : "/tmp",
                 program, name);
  return path;
}

/* With chunks, which HDF5 moves on each process, or as one piece. */
static dap_file_options options_of(bool has_chunks, dap_file_mode mode)
{
  static const int axes[] = {1, 2};
  dap_file_options options = {.format = dap_file_hdf5(), .mode = mode};
  if (has_chunks) options.part = (dap_part){.naxes = 2, .axes = axes};
  return options;
}

void rows_hdf5_begin(void)
{
  int procs, rank;
  call_arguments g;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  program = (int)getpid();
  (void)MPI_Bcast(&program, 1, MPI_INT, 0, MPI_COMM_WORLD);
  calls_begin(&g, procs, rank, DAP_ORDER_C);
  const dap_file_options replace = options_of(false, DAP_FILE_REPLACE),
                         append = options_of(false, DAP_FILE_APPEND);
  if (dap_file_save(g.comm, g.array[A], path_of("old.h5:/u"), &replace, NULL) ||
      dap_file_save(g.comm, g.array[A], path_of("old.h5:/steps"), &append, NULL))
    abort();
  calls_end(&g);
}

void rows_hdf5_end(void)
{
  int rank;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) (void)remove(path_of("old.h5"));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* A save to the file with this dataset; a new one goes at once. */
#define SAVE(what, name, has_chunks, mode)                                                                   \
  VARIANT(dap_file_save, what, COLLECTIVE(0))                                                                \
  {                                                                                                          \
    const dap_file_options options = options_of(has_chunks, mode);                                           \
    const dap_status s = dap_file_save(g->comm, g->array[A], path_of(name), &options, err);                  \
    (void)MPI_Barrier(g->comm);                                                                              \
    (void)remove(path_of("new.h5"));                                                                         \
    (void)MPI_Barrier(g->comm);                                                                              \
    return s;                                                                                                \
  }
SAVE(", HDF5", "new.h5:/g/u", false, DAP_FILE_REPLACE)
SAVE(", a step of HDF5", "new.h5:/u", false, DAP_FILE_APPEND)
SAVE(", HDF5 in place", "old.h5:/u", false, DAP_FILE_UPDATE)
SAVE(", a step of HDF5 in place", "old.h5:/steps", true, DAP_FILE_UPDATE)

#define LOAD(what, name, has_chunks)                                                                         \
  VARIANT(dap_file_load, what, COLLECTIVE(0))                                                                \
  {                                                                                                          \
    const dap_file_options options = options_of(has_chunks, DAP_FILE_REPLACE);                               \
    return dap_file_load(g->comm, g->array[A], path_of(name), &options, err);                                \
  }
LOAD(", HDF5", "old.h5:/u", false)
LOAD(", a step of HDF5", "old.h5:/steps", true)

VARIANT(dap_file_query, ", HDF5", COLLECTIVE(0))
{
  const dap_file_options options = {.format = dap_file_hdf5()};
  dap_file_info info;
  dap_layout *layout = NULL;
  const dap_status s = dap_file_query(g->comm, path_of("old.h5:/u"), &options, &info, &layout, err);
  dap_layout_destroy(&layout);
  return s;
}
