/* Gives HDF5 a driver for files that are written, which calls the system and hides its errors from HDF5.
 * After a failed write or truncation the driver writes nothing more, and the caller finds the error in its
 * struct. Source: HDF5, "Virtual File Layer" (H5FD_class_t). */
#define _DEFAULT_SOURCE /* pread, pwrite, ftruncate; NOLINT(bugprone-reserved-identifier) */
#include "hdf5_impl.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct driver_file {
  H5FD_t base; /* HDF5's part comes first */
  int fd;
  haddr_t eoa, eof;
  dap_hdf5_faults *faults;
} driver_file;

enum { PART = 1 << 30 }; /* bytes that one call moves */

static void keep_error(driver_file *f)
{
  if (!f->faults->error) f->faults->error = errno;
}

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t limit)
{
  (void)limit;
  const void *info = H5Pget_driver_info(access);
  driver_file *f = calloc(1, sizeof *f);
  dap_hdf5_faults *faults = NULL;
  struct stat found;
  if (info) memcpy(&faults, info, sizeof faults);
  if (faults && !f) faults->lacks_memory = true;
  if (!faults || !f) {
    free(f);
    return NULL;
  }
  f->faults = faults;
  f->fd = open(name, ((flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (f->fd < 0 || fstat(f->fd, &found) != 0) {
    if (f->fd >= 0) (void)close(f->fd);
    free(f);
    return NULL;
  }
  f->eof = (haddr_t)found.st_size;
  return &f->base;
}

static herr_t close_file(H5FD_t *base)
{
  driver_file *f = (driver_file *)base;
  if (close(f->fd) != 0) keep_error(f);
  free(f);
  return 0;
}

static int compare(const H5FD_t *a, const H5FD_t *b)
{
  const uintptr_t left = (uintptr_t)a, right = (uintptr_t)b; /* no file is open twice */
  return (left > right) - (left < right);
}

static herr_t query(const H5FD_t *base, unsigned long *flags)
{
  (void)base;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

static haddr_t get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)base)->eoa;
}

static herr_t set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((driver_file *)base)->eoa = address;
  return 0;
}

static haddr_t get_eof(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)base)->eof;
}

/* Bytes behind the file's end are zeros. */
static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *to)
{
  driver_file *f = (driver_file *)base;
  char *next = to;
  (void)type, (void)transfer;
  while (size > 0) {
    const ssize_t got = pread(f->fd, next, size < PART ? size : PART, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      memset(next, 0, size);
      return 0;
    }
    next += got;
    at += (haddr_t)got;
    size -= (size_t)got;
  }
  return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                          const void *from)
{
  driver_file *f = (driver_file *)base;
  const char *next = from;
  (void)transfer;
  if (f->faults->discards || (f->faults->only_data && type != H5FD_MEM_DRAW)) return 0;
  while (size > 0 && !f->faults->error) {
    const ssize_t put = pwrite(f->fd, next, size < PART ? size : PART, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      keep_error(f);
      break;
    }
    next += put;
    at += (haddr_t)put;
    size -= (size_t)put;
    if (at > f->eof) f->eof = at;
  }
  return 0;
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t is_closing)
{
  driver_file *f = (driver_file *)base;
  (void)transfer, (void)is_closing;
  if (f->faults->discards || f->faults->only_data || f->faults->error || f->eoa == f->eof) return 0;
  if (ftruncate(f->fd, (off_t)f->eoa) != 0) keep_error(f);
  f->eof = f->eoa;
  return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value =
        (H5FD_class_value_t)300, /* HDF5 leaves values from 256 to 511 to tests; it is not stored in files */
#endif
    .name = "dapbridge",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(dap_hdf5_faults *),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_eoa,
    .set_eoa = set_eoa,
    .get_eof = get_eof,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = truncate_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Makes or opens the file. Large datasets begin at a page, so that writers of different rows share few
 * pages. */
static hid_t open_with(hid_t access, const char *file, bool is_new, dap_hdf5_faults **faults)
{
  hid_t id = H5FDregister(&driver);
  if (id < 0 || H5Pset_driver(access, id, faults) < 0 || H5Pset_alignment(access, 1 << 16, 1 << 12) < 0)
    return H5I_INVALID_HID;
  (void)H5FDunregister(id); /* `access` keeps it */
  if ((*faults)->only_data && H5Pset_cache(access, 0, 1, 0, 0) < 0) return H5I_INVALID_HID;
  return is_new ? H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(file, H5F_ACC_RDWR, access);
}

dap_status dap_hdf5_driver_open(const dap_file_name *name, bool is_new, dap_hdf5_faults *faults, hid_t *file,
                                dap_error *err)
{
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  dap_status status = DAP_OK;
  *file = access < 0 ? access : open_with(access, name->file, is_new, &faults);
  if (*file < 0 && faults->lacks_memory)
    status = dap_fail(err, DAP_ERR_NOMEM, "%.300s: no memory for an open file", name->shown);
  else if (*file < 0)
    status = dap_hdf5_fail(name, "cannot be opened for writing", err);
  if (access >= 0) (void)H5Pclose(access);
  return status;
}
