#define _XOPEN_SOURCE 700 /* pread(), pwrite(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"

#include "fail.h"

#include <dapbridge/file.h>
#include <dapbridge/plan.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static dap_error err;

/* The leak sanitizer calls this. Open MPI's collective reads never free some buffers of processes that read
 * for others. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_fcoll_\n";
}

/* ---- dapbridge ---------------------------------------------------------------------------------------- */

static dap_file_options options(void)
{
  return (dap_file_options){.format = dap_file_raw(), .drop_layout = true};
}

static void save_dap(files_case *c)
{
  const dap_file_options o = options();
  bench_require(dap_file_save(MPI_COMM_WORLD, (dap_darray){c->layout, &c->array}, c->path, &o, &err), &err);
}

static void load_dap(files_case *c)
{
  const dap_file_options o = options();
  bench_require(dap_file_load(MPI_COMM_WORLD, (dap_darray){c->layout, &c->array}, c->path, &o, &err), &err);
}

/* ---- MPI-IO with a darray type ------------------------------------------------------------------------ */

static MPI_File open_darray(files_case *c, int mode)
{
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, c->path, mode, MPI_INFO_NULL, &file)) bench_fail("MPI_File_open fails");
  if (MPI_File_set_view(file, 0, MPI_DOUBLE, c->darray, "native", MPI_INFO_NULL))
    bench_fail("MPI_File_set_view fails");
  return file;
}

static void save_darray(files_case *c)
{
  MPI_File file = open_darray(c, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  if (MPI_File_write_all(file, c->array.data, (int)dap_array_count(&c->array), MPI_DOUBLE, MPI_STATUS_IGNORE))
    bench_fail("MPI_File_write_all fails");
  MPI_File_sync(file);
  MPI_File_close(&file);
}

static void load_darray(files_case *c)
{
  MPI_File file = open_darray(c, MPI_MODE_RDONLY);
  if (MPI_File_read_all(file, c->array.data, (int)dap_array_count(&c->array), MPI_DOUBLE, MPI_STATUS_IGNORE))
    bench_fail("MPI_File_read_all fails");
  MPI_File_close(&file);
}

/* ---- through rank 0 ----------------------------------------------------------------------------------- */

static void move_bytes(const char *path, bool saves, int64_t at, char *data, int64_t bytes)
{
  const int file = open(path, saves ? O_CREAT | O_WRONLY : O_RDONLY, 0666);
  if (file < 0) bench_fail("%s cannot be opened", path);
  while (bytes > 0) {
    const ssize_t count =
        saves ? pwrite(file, data, (size_t)bytes, at) : pread(file, data, (size_t)bytes, at);
    if (count <= 0) bench_fail("%s cannot be written or read", path);
    at += count;
    data += count;
    bytes -= count;
  }
  if (saves) fsync(file);
  close(file);
}

static void save_gathered(files_case *c)
{
  const int64_t bytes = c->n * c->n * (int64_t)sizeof(double);
  char *whole = c->rank == 0 ? bench_alloc(bytes) : NULL;
  const dap_side side = dap_side_of((dap_darray){c->layout, &c->array});
  dap_plan *plan = NULL;
  bench_require(dap_plan_create_gather(MPI_COMM_WORLD, &side, 0, 0, NULL, &plan, &err), &err);
  bench_require(dap_plan_run(plan, c->array.data, whole, &err), &err);
  dap_plan_destroy(&plan);
  if (c->rank == 0) move_bytes(c->path, true, 0, whole, bytes);
  free(whole);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void load_scattered(files_case *c)
{
  const int64_t bytes = c->n * c->n * (int64_t)sizeof(double);
  char *whole = c->rank == 0 ? bench_alloc(bytes) : NULL;
  const dap_side side = dap_side_of((dap_darray){c->layout, &c->array});
  dap_plan *plan = NULL;
  if (c->rank == 0) move_bytes(c->path, false, 0, whole, bytes);
  bench_require(dap_plan_create_scatter(MPI_COMM_WORLD, 0, &side, 0, NULL, &plan, &err), &err);
  bench_require(dap_plan_run(plan, whole, c->array.data, &err), &err);
  dap_plan_destroy(&plan);
  free(whole);
}

/* ---- the limit ---------------------------------------------------------------------------------------- */

/* Each process writes its bytes in one piece, and ignores their places in the array. */
static void save_pieces(files_case *c)
{
  move_bytes(c->path, true, c->first, c->array.data, dap_array_bytes(&c->array));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void load_pieces(files_case *c)
{
  move_bytes(c->path, false, c->first, c->array.data, dap_array_bytes(&c->array));
}

const files_method files_methods[FILES_METHODS] = {{"dapbridge", save_dap, load_dap, false},
                                                   {"darray", save_darray, load_darray, false},
                                                   {"gather", save_gathered, load_scattered, false},
                                                   {"limit", save_pieces, load_pieces, true}};
