/* Defines calls that use HDF5 files. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): getpid() */
#include "call_rows.h"

#include <dapbridge/hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* With chunks, HDF5 moves elements on each process. Otherwise it moves them as one piece. */
static dap_file_options options_of(bool has_chunks, dap_file_mode mode)
{
  static const int axes[] = {1, 2};
  dap_file_options options = {.format = dap_file_hdf5(), .mode = mode};
  if (has_chunks) options.part = (dap_part){.naxes = 2, .axes = axes};
  return options;
}

static char old[256], new[256]; /* names of two files, which no other program uses */

static void remove_old(void)
{
  (void)remove(old);
}

/* Returns the name of a dataset in a file, in static memory that the next call overwrites. The first call
 * makes the old file, and is collective. */
static const char *path_of(const call_arguments *g, const char *file, const char *dataset)
{
  static char path[512];
  if (!old[0]) {
    const char *folder = getenv("TMPDIR");
    const dap_file_options replace = options_of(false, DAP_FILE_REPLACE),
                           append = options_of(false, DAP_FILE_APPEND);
    int program = (int)getpid();
    (void)MPI_Bcast(&program, 1, MPI_INT, 0, g->comm);
    if (!folder || !*folder) folder = "/tmp";
    (void)snprintf(old, sizeof old, "%.200s/dapbridge-rows-%d-old.h5", folder, program);
    (void)snprintf(new, sizeof new, "%.200s/dapbridge-rows-%d-new.h5", folder, program);
    if (dap_file_save(g->comm, g->array[A], path_of(g, old, "/u"), &replace, NULL) ||
        dap_file_save(g->comm, g->array[A], path_of(g, old, "/steps"), &append, NULL) || atexit(remove_old))
      abort();
  }
  (void)snprintf(path, sizeof path, "%s:%s", file, dataset);
  return path;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Saves to a dataset of a file. A new file is removed at once. */
#define SAVE(what, file, dataset, has_chunks, mode)                                                          \
  VARIANT(dap_file_save, what, COLLECTIVE(0))                                                                \
  {                                                                                                          \
    const dap_file_options options = options_of(has_chunks, mode);                                           \
    const dap_status s = dap_file_save(g->comm, g->array[A], path_of(g, file, dataset), &options, err);      \
    (void)MPI_Barrier(g->comm);                                                                              \
    (void)remove(new);                                                                                       \
    (void)MPI_Barrier(g->comm);                                                                              \
    return s;                                                                                                \
  }
SAVE(", HDF5", new, "/g/u", false, DAP_FILE_REPLACE)
SAVE(", a step of HDF5", new, "/u", false, DAP_FILE_APPEND)
SAVE(", HDF5 in place", old, "/u", false, DAP_FILE_UPDATE)
SAVE(", a step of HDF5 in place", old, "/steps", true, DAP_FILE_UPDATE)

#define LOAD(what, file, dataset, has_chunks)                                                                \
  VARIANT(dap_file_load, what, COLLECTIVE(0))                                                                \
  {                                                                                                          \
    const dap_file_options options = options_of(has_chunks, DAP_FILE_REPLACE);                               \
    return dap_file_load(g->comm, g->array[A], path_of(g, file, dataset), &options, err);                    \
  }
LOAD(", HDF5", old, "/u", false)
LOAD(", a step of HDF5", old, "/steps", true)

VARIANT(dap_file_query, ", HDF5", COLLECTIVE(0))
{
  const dap_file_options options = {.format = dap_file_hdf5()};
  dap_file_info info;
  dap_layout *layout = NULL;
  const dap_status s = dap_file_query(g->comm, path_of(g, old, "/u"), &options, &info, &layout, err);
  dap_layout_destroy(&layout);
  return s;
}
