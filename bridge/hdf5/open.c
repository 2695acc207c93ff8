/* Opens and closes a file on the processes that read or write it. It locks a file that is written as HDF5
 * does, so that no other program opens it meanwhile. */
#define _DEFAULT_SOURCE /* open, flock, fsync; NOLINT(bugprone-reserved-identifier) */
#include "hdf5_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static void free_file(dap_hdf5_file **f)
{
  if (!*f) return;
  free((char *)(*f)->name.file);
  free((char *)(*f)->name.dataset);
  free((char *)(*f)->name.shown);
  free(*f);
  *f = NULL;
}

static dap_hdf5_file *make_file(const dap_file_name *name, dap_file_access access, int64_t steps,
                                const dap_file_info *info)
{
  dap_hdf5_file *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->name =
      (dap_file_name){dap_hdf5_copy(name->file), dap_hdf5_copy(name->dataset), dap_hdf5_copy(name->shown)};
  f->info = *info;
  f->change = (dap_hdf5_change){.access = access, .steps = steps};
  f->fd = -1;
  f->file = f->dataset = f->type = H5I_INVALID_HID;
  if (!f->name.file || !f->name.dataset || !f->name.shown) free_file(&f);
  return f;
}

/* Locks the file. A file system without locks is not an error. */
static dap_status lock(const dap_hdf5_file *f, dap_error *err)
{
  const char *wish = getenv("HDF5_USE_FILE_LOCKING");
  if (wish && (!strcmp(wish, "FALSE") || !strcmp(wish, "0"))) return DAP_OK;
  DAP_REQUIRE(flock(f->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, err, DAP_ERR_FILE,
              "%.300s: the file cannot be written, because another program has it open", f->name.shown);
  return DAP_OK;
}

static dap_status open_fd(dap_hdf5_file *f, bool may_make, dap_error *err)
{
  f->fd = open(f->name.file, O_RDWR | O_CLOEXEC);
  if (f->fd < 0 && errno == ENOENT && may_make) {
    f->fd = open(f->name.file, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
    f->is_made = f->fd >= 0;
  }
  if (f->fd < 0) return dap_hdf5_fail_errno(&f->name, "cannot be opened for writing", errno, err);
  return DAP_OK;
}

/* Prepares the file on the first process, which keeps the lock until it closes the file. */
static dap_status prepare(dap_hdf5_file *f, const char *layout, dap_error *err)
{
  const dap_hdf5_change change = {f->change.access, f->change.steps, layout};
  DAP_TRY(open_fd(f, change.access == DAP_FILE_CREATE, err));
  DAP_TRY(lock(f, err));
  DAP_TRY(dap_hdf5_prepare(f->fd, &f->name, &change, &f->info, err));
  f->undoes = !f->is_made;
  return DAP_OK;
}

/* Tells all processes whether the file is ready on the first one, and where the elements are. */
static dap_status share_offset(MPI_Comm comm, dap_status status, dap_file_info *info, dap_error *err)
{
  int64_t words[2] = {status, info->offset};
  DAP_REQUIRE(MPI_Bcast(words, 2, MPI_INT64_T, 0, comm) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "HDF5: MPI_Bcast failed");
  if (status) return status;
  info->offset = words[1];
  DAP_REQUIRE(words[0] == DAP_OK, err, (dap_status)words[0], "another process could not open the file");
  return DAP_OK;
}

static dap_status open_elements(MPI_Comm comm, dap_hdf5_file *f, dap_error *err)
{
  const dap_file_format *raw = dap_file_raw();
  const bool writes = f->change.access != DAP_FILE_READ;
  if (f->info.offset >= 0)
    return raw->open(raw, comm, &f->name, writes ? DAP_FILE_WRITE : DAP_FILE_READ, -1, "", &f->info,
                     &f->bytes, err);
  if (writes && f->fd < 0) DAP_TRY(open_fd(f, false, err));
  return dap_hdf5_chunks_open(f, err);
}

static dap_status open_all(MPI_Comm comm, dap_hdf5_file *f, const char *layout, int rank, dap_error *err)
{
  if (f->change.access != DAP_FILE_READ) {
    const dap_status status = rank == 0 ? prepare(f, layout, err) : DAP_OK;
    DAP_TRY(share_offset(comm, status, &f->info, err));
  }
  return open_elements(comm, f, err);
}

dap_status dap_hdf5_open(const dap_file_format *format, MPI_Comm comm, const dap_file_name *name,
                         dap_file_access access, int64_t steps, const char *layout, dap_file_info *info,
                         void **state, dap_error *err)
{
  int rank = 0;
  (void)format;
  *state = NULL;
  DAP_REQUIRE(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "HDF5: MPI_Comm_rank failed");
  dap_hdf5_file *f = make_file(name, access, steps, info);
  if (!f) {
    const dap_status status = dap_fail(err, DAP_ERR_NOMEM, "%.300s: no memory for an open file", name->shown);
    return access == DAP_FILE_READ ? status : share_offset(comm, status, info, err);
  }
  const dap_status status = open_all(comm, f, layout, rank, err);
  if (status) {
    (void)dap_hdf5_close(f, true, NULL);
    return status;
  }
  *info = f->info;
  *state = f;
  return DAP_OK;
}

static dap_status close_chunks(dap_hdf5_file *f, dap_error *err)
{
  dap_status status = DAP_OK;
  if (f->type >= 0) (void)H5Tclose(f->type);
  if (f->dataset >= 0) (void)H5Oclose(f->dataset);
  if (f->file >= 0 && H5Fclose(f->file) < 0) status = dap_hdf5_fail(&f->name, "cannot be closed", err);
  if (f->faults.error) status = dap_hdf5_fail_errno(&f->name, "cannot be written", f->faults.error, err);
  return status;
}

static dap_status close_fd(const dap_hdf5_file *f, bool failed, dap_error *err)
{
  if (f->fd < 0) return DAP_OK;
  const int synced = failed ? 0 : fsync(f->fd), sync_error = errno;
  const int closed = close(f->fd);
  if (failed) return DAP_OK;
  if (synced != 0) return dap_hdf5_fail_errno(&f->name, "cannot be synced", sync_error, err);
  return closed != 0 ? dap_hdf5_fail_errno(&f->name, "cannot be closed", errno, err) : DAP_OK;
}

dap_status dap_hdf5_close(void *state, bool failed, dap_error *err)
{
  dap_hdf5_file *f = state;
  dap_error later;
  dap_status status = f->bytes ? dap_file_raw()->close(f->bytes, failed, err) : DAP_OK;
  const dap_status chunks = close_chunks(f, status ? &later : err);
  if (!status) status = chunks;
  if (failed && f->undoes) dap_hdf5_undo(&f->name, &f->change);
  if (failed && f->is_made) (void)unlink(f->name.file);
  const dap_status closed = close_fd(f, failed, status ? &later : err);
  free_file(&f);
  return status ? status : closed;
}
