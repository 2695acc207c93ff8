/* Rows of files of HDF5. */
#define _XOPEN_SOURCE 700 /* mkdtemp(); NOLINT(bugprone-reserved-identifier) */
#include "rows.h"

#include "call_rows.h"

#include <dapbridge/hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOLDER = 256 /* bytes */ };
static char folder[FOLDER];

/* "<folder>/<name>". Static memory, overwritten by the next call. */
static const char *path_of(const char *name)
{
  static char path[2 * FOLDER];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
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

static dap_status save(const call_arguments *g, const char *name, const dap_file_options *options,
                       dap_error *err)
{
  return dap_file_save(g->comm, g->array[A], path_of(name), options, err);
}

void rows_hdf5_begin(void)
{
  int procs, rank;
  call_arguments g;
  const char *parent = getenv("TMPDIR");
  (void)MPI_Comm_size(MPI_COMM_WORLD, &procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)snprintf(folder, sizeof folder, "%.200s/dapbridge-rows-XXXXXX", parent && *parent ? parent : "/tmp");
  if (rank == 0 && !mkdtemp(folder)) abort();
  (void)MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  calls_begin(&g, procs, rank, DAP_ORDER_C);
  const dap_file_options replace = options_of(false, DAP_FILE_REPLACE),
                         append = options_of(false, DAP_FILE_APPEND);
  if (save(&g, "old.h5:/u", &replace, NULL) || save(&g, "old.h5:/steps", &append, NULL)) abort();
  calls_end(&g);
}

void rows_hdf5_end(void)
{
  int rank;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) return;
  (void)remove(path_of("old.h5"));
  (void)rmdir(folder);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* A save to the file with this dataset; a new one goes at once. */
#define SAVE(what, name, has_chunks, mode)                                                                   \
  VARIANT(dap_file_save, what, COLLECTIVE(0))                                                                \
  {                                                                                                          \
    const dap_file_options options = options_of(has_chunks, mode);                                           \
    const dap_status s = save(g, name, &options, err);                                                       \
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
