/* Rows of files of HDF5. */
#define _XOPEN_SOURCE 700 /* mkdtemp(); NOLINT(bugprone-reserved-identifier) */
#include "allocation_rows.h"

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

static dap_status save(const call_arguments *g, const char *name, dap_file_mode mode, dap_error *err)
{
  const dap_file_options options = {.format = dap_file_hdf5(), .mode = mode};
  return dap_file_save(g->comm, g->array[A], path_of(name), &options, err);
}

void allocation_hdf5_begin(void)
{
  int procs, rank;
  call_arguments g;
  const char *parent = getenv("TMPDIR");
  (void)MPI_Comm_size(MPI_COMM_WORLD, &procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)snprintf(folder, sizeof folder, "%.200s/dapbridge-rows-XXXXXX", parent && *parent ? parent : "/tmp");
  if (rank == 0 && !mkdtemp(folder)) abort();
  (void)MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  calls_begin(&g, procs, rank);
  if (save(&g, "old.h5:/u", DAP_FILE_REPLACE, NULL)) abort();
  if (save(&g, "old.h5:/steps", DAP_FILE_APPEND, NULL)) abort();
  calls_end(&g);
}

void allocation_hdf5_end(void)
{
  int rank;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) return;
  (void)remove(path_of("old.h5"));
  (void)rmdir(folder);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* A file that goes at once. */
static dap_status save_once(const call_arguments *g, const char *file, const char *name, dap_file_mode mode,
                            dap_error *err)
{
  const dap_status s = save(g, name, mode, err);
  (void)MPI_Barrier(g->comm);
  (void)remove(path_of(file));
  (void)MPI_Barrier(g->comm);
  return s;
}

static dap_status save_new(const call_arguments *g, dap_error *err)
{
  return save_once(g, "new.h5", "new.h5:/g/u", DAP_FILE_REPLACE, err);
}

static dap_status append(const call_arguments *g, dap_error *err)
{
  return save_once(g, "steps.h5", "steps.h5:/u", DAP_FILE_APPEND, err);
}

static dap_status update(const call_arguments *g, dap_error *err)
{
  return save(g, "old.h5:/u", DAP_FILE_UPDATE, err);
}

static dap_status load(const call_arguments *g, dap_error *err)
{
  const dap_file_options options = {.format = dap_file_hdf5()};
  return dap_file_load(g->comm, g->array[A], path_of("old.h5:/u"), &options, err);
}

static dap_file_options options_of_step(dap_file_mode mode)
{
  static const int axes[] = {1, 2};
  return (dap_file_options){.format = dap_file_hdf5(), .mode = mode, .part = {.naxes = 2, .axes = axes}};
}

/* Chunks, which HDF5 moves on each process. */
static dap_status update_step(const call_arguments *g, dap_error *err)
{
  const dap_file_options options = options_of_step(DAP_FILE_UPDATE);
  return dap_file_save(g->comm, g->array[A], path_of("old.h5:/steps"), &options, err);
}

static dap_status load_step(const call_arguments *g, dap_error *err)
{
  const dap_file_options options = options_of_step(DAP_FILE_REPLACE);
  return dap_file_load(g->comm, g->array[A], path_of("old.h5:/steps"), &options, err);
}

static dap_status query(const call_arguments *g, dap_error *err)
{
  const dap_file_options options = {.format = dap_file_hdf5()};
  dap_file_info info;
  dap_layout *layout = NULL;
  const dap_status s = dap_file_query(g->comm, path_of("old.h5:/u"), &options, &info, &layout, err);
  dap_layout_destroy(&layout);
  return s;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

const call allocation_rows_hdf5[] = {
    ALLOCATION_ROW("dap_file_save, HDF5", save_new, true, NO_HANDLE),
    ALLOCATION_ROW("dap_file_save, a step of HDF5", append, true, NO_HANDLE),
    ALLOCATION_ROW("dap_file_save, HDF5 in place", update, true, NO_HANDLE),
    ALLOCATION_ROW("dap_file_save, a step of HDF5 in place", update_step, true, NO_HANDLE),
    ALLOCATION_ROW("dap_file_load, HDF5", load, true, NO_HANDLE),
    ALLOCATION_ROW("dap_file_load, a step of HDF5", load_step, true, NO_HANDLE),
    ALLOCATION_ROW("dap_file_query, HDF5", query, true, NO_HANDLE),
    {.name = NULL},
};
