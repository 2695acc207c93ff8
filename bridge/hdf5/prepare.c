/* Changes a file's structure on one process. */
#define _GNU_SOURCE /* fallocate; NOLINT(bugprone-reserved-identifier) */
#include "hdf5_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_empty_file(const char *file)
{
  struct stat found;
  return stat(file, &found) == 0 && found.st_size == 0;
}

static dap_status set_steps(hid_t dataset, int64_t steps, const dap_file_name *name, dap_error *err)
{
  hsize_t shape[H5S_MAX_RANK] = {0}, limit[H5S_MAX_RANK] = {0};
  hid_t space = H5Dget_space(dataset);
  const int ndim = H5Sget_simple_extent_dims(space, shape, limit);
  if (space >= 0) (void)H5Sclose(space);
  DAP_REQUIRE(ndim > 0 && limit[0] >= (hsize_t)steps, err, DAP_ERR_UNSUPPORTED,
              "%.300s: the dataset's first axis cannot grow to %lld", name->shown, (long long)steps);
  shape[0] = (hsize_t)steps;
  if (H5Dset_extent(dataset, shape) < 0) return dap_hdf5_fail(name, "the dataset cannot be extended", err);
  return DAP_OK;
}

static dap_status change_dataset(hid_t file, const dap_file_name *name, const dap_hdf5_change *change,
                                 dap_file_info *info, hid_t *dataset, dap_error *err)
{
  const bool is_new = change->access == DAP_FILE_CREATE;
  DAP_TRY(is_new ? dap_hdf5_make(file, name, change, info, dataset, err)
                 : dap_hdf5_find(file, name, dataset, NULL, err));
  if (!is_new && change->steps >= 0) DAP_TRY(set_steps(*dataset, change->steps, name, err));
  DAP_TRY(dap_hdf5_allocate(*dataset, name, change->steps > 0 ? change->steps - 1 : 0, err));
  return dap_hdf5_describe(*dataset, name, info, err);
}

static dap_status close_file(hid_t file, hid_t dataset, const dap_file_name *name, dap_error *err)
{
  dap_status status = DAP_OK;
  if (dataset >= 0 && H5Oclose(dataset) < 0)
    status = dap_hdf5_fail(name, "the dataset cannot be closed", err);
  if (H5Fclose(file) < 0 && !status) status = dap_hdf5_fail(name, "cannot be closed", err);
  return status;
}

static int set_length(int fd, off_t length)
{
  return ftruncate(fd, length) == 0 ? 0 : errno;
}

/* Makes the file as long as it will be. With `fills` it reserves the room where the file system can do that.
 * Returns errno, or 0. */
static int lengthen(int fd, hid_t file, bool fills)
{
  struct stat found;
  hsize_t size = 0;
  if (fstat(fd, &found) != 0) return errno;
  if (H5Fget_filesize(file, &size) < 0 || size <= (hsize_t)found.st_size) return 0;
  if (fills && fallocate(fd, 0, found.st_size, (off_t)size - found.st_size) == 0) return 0;
  if (!fills || errno == EOPNOTSUPP) return set_length(fd, (off_t)size);
  const int error = errno;
  (void)set_length(fd, found.st_size); /* a part of the room may have been reserved */
  return error;
}

/* HDF5 keeps its changes in memory until the file is closed. So what others have in the file survives if
 * this change fails, or has no room. */
dap_status dap_hdf5_prepare(int fd, const dap_file_name *name, const dap_hdf5_change *change,
                            dap_file_info *info, dap_error *err)
{
  dap_hdf5_faults faults = {0};
  hid_t file = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  const bool is_new = change->access == DAP_FILE_CREATE && is_empty_file(name->file);
  DAP_TRY(dap_hdf5_driver_open(name, is_new, &faults, &file, err));
  dap_status status = change_dataset(file, name, change, info, &dataset, err);
  const bool fills = change->access == DAP_FILE_CREATE || change->steps >= 0; /* all new room gets elements */
  if (!status && !is_new) faults.error = lengthen(fd, file, fills);
  faults.discards = status != DAP_OK;
  const dap_status closed = close_file(file, dataset, name, status ? NULL : err);
  if (faults.error) return dap_hdf5_fail_errno(name, "cannot be written", faults.error, err);
  return status ? status : closed;
}

void dap_hdf5_undo(const dap_file_name *name, const dap_hdf5_change *change)
{
  dap_hdf5_faults faults = {0};
  hid_t file = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  if (dap_hdf5_driver_open(name, false, &faults, &file, NULL)) return;
  if (change->access == DAP_FILE_CREATE)
    (void)H5Ldelete(file, name->dataset, H5P_DEFAULT);
  else if (change->steps > 0 && !dap_hdf5_find(file, name, &dataset, NULL, NULL))
    (void)set_steps(dataset, change->steps - 1, name, NULL);
  (void)close_file(file, dataset, name, NULL);
}
