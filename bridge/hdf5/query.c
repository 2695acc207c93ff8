/* Reads what an HDF5 file says of a dataset. */
#define _DEFAULT_SOURCE /* open; NOLINT(bugprone-reserved-identifier) */
#include "hdf5_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static dap_status describe_shape(hid_t dataset, const dap_file_name *name, dap_file_info *info,
                                 dap_error *err)
{
  hsize_t shape[H5S_MAX_RANK];
  hid_t space = H5Dget_space(dataset);
  if (space < 0) return dap_hdf5_fail(name, "the dataset's shape cannot be read", err);
  const H5S_class_t class = H5Sget_simple_extent_type(space);
  const int ndim = H5Sget_simple_extent_dims(space, shape, NULL);
  (void)H5Sclose(space);
  DAP_REQUIRE(class != H5S_NULL && ndim >= 0, err, DAP_ERR_UNSUPPORTED,
              "%.300s: the dataset has no elements and no shape (H5S_NULL)", name->shown);
  DAP_REQUIRE(ndim <= DAP_MAX_NDIM, err, DAP_ERR_UNSUPPORTED,
              "%.300s: the dataset has %d axes, and arrays have at most %d", name->shown, ndim, DAP_MAX_NDIM);
  info->ndim = ndim;
  for (int k = 0; k < ndim; k++) {
    DAP_REQUIRE(shape[k] <= INT64_MAX, err, DAP_ERR_RANGE, "%.300s: axis %d of the dataset exceeds 2^63 - 1",
                name->shown, k);
    info->shape[k] = (int64_t)shape[k];
  }
  return DAP_OK;
}

static dap_status describe_type(hid_t dataset, const dap_file_name *name, dap_file_info *info, dap_error *err)
{
  hid_t type = H5Dget_type(dataset);
  if (type < 0) return dap_hdf5_fail(name, "the dataset's type cannot be read", err);
  const dap_status status = dap_hdf5_type_find(type, name, &info->dtype, &info->swapped, err);
  (void)H5Tclose(type);
  return status;
}

/* Returns whether the dataset is in this file, and not in one that an external link leads to. */
static bool is_in_file(hid_t dataset, const char *file)
{
  char found[PATH_MAX];
  return H5Fget_name(dataset, found, sizeof found) >= 0 && !strcmp(found, file);
}

/* Returns the bytes before the dataset; -1: it is not contiguous in this file. */
static int64_t find_offset(hid_t dataset, const char *file)
{
  hid_t made = H5Dget_create_plist(dataset);
  haddr_t at = HADDR_UNDEF;
  if (made < 0) return -1;
  if (H5Pget_layout(made) == H5D_CONTIGUOUS && H5Pget_external_count(made) == 0 && is_in_file(dataset, file))
    at = H5Dget_offset(dataset);
  (void)H5Pclose(made);
  return at == HADDR_UNDEF || at > INT64_MAX ? -1 : (int64_t)at;
}

dap_status dap_hdf5_describe(hid_t dataset, const dap_file_name *name, dap_file_info *info, dap_error *err)
{
  DAP_TRY(describe_shape(dataset, name, info, err));
  DAP_TRY(describe_type(dataset, name, info, err));
  info->order = DAP_ORDER_C;
  info->offset = find_offset(dataset, name->file);
  return DAP_OK;
}

static dap_status open_to_read(const dap_file_name *name, hid_t *file, dap_error *err)
{
  const int fd = open(name->file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return dap_hdf5_fail_errno(name, "cannot be opened", errno, err);
  (void)close(fd);
  /* H5Fis_hdf5() is negative if another program has the file open. Then H5Fopen() says so. */
  DAP_REQUIRE(H5Fis_hdf5(name->file) != 0, err, DAP_ERR_FILE, "%.300s: this is not an HDF5 file",
              name->shown);
  *file = H5Fopen(name->file, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (*file < 0) return dap_hdf5_fail(name, "cannot be opened", err);
  return DAP_OK;
}

dap_status dap_hdf5_query(const dap_file_format *format, const dap_file_name *name,
                          const dap_file_options *options, dap_file_info *info, char *layout, size_t capacity,
                          dap_error *err)
{
  hid_t file = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
  bool is_there = true;
  (void)format, (void)options;
  dap_status status = open_to_read(name, &file, err);
  if (!status) status = dap_hdf5_find(file, name, &dataset, &is_there, err);
  if (!status) status = dap_hdf5_describe(dataset, name, info, err);
  if (!status) dap_hdf5_layout_read(dataset, layout, capacity);
  if (!is_there) info->ndim = -1;
  if (dataset >= 0) (void)H5Oclose(dataset);
  if (file >= 0) (void)H5Fclose(file);
  return status;
}
