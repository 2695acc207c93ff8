/* Reads and writes the format .npy.
 *
 * Source: numpy, "numpy.lib.format": the magic string "\x93NUMPY", a byte each of major and minor version,
 * the header's length in 2 bytes (version 1) or 4 (2 and 3), little-endian, and the header, a Python
 * dictionary that ends in a newline. Elements begin at a multiple of 64 bytes. */
#include "file_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAGIC = 6,
  LEAST = 10,        /* bytes before the header in version 1 */
  ROOM = 12,         /* in later ones */
  MOST = 1 << 20,    /* bytes of a header that is read */
  ALIGN = 64,        /* of the first element */
  GROWTH = 21,       /* digits that numpy leaves for the axis that may grow */
  HEADER = 64 + 1024 /* bytes of a header that is written: at most 32 extents of 20 characters */
};
static const char magic[] = "\x93NUMPY";

/* ---- read ------------------------------------------------------------------------------------------ */

static int64_t read_little(const unsigned char *bytes, int count)
{
  int64_t value = 0;
  for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/* Sets where the header begins, and its length. */
static dap_status read_start(int fd, const char *shown, int64_t file, int64_t *begin, int64_t *length,
                             dap_error *err)
{
  unsigned char start[ROOM] = {0};
  DAP_REQUIRE(file >= LEAST, err, DAP_ERR_FILE, "%.300s: the file has %" PRId64 " bytes, too few for .npy",
              shown, file);
  DAP_TRY(dap_posix_read(fd, shown, 0, start, dap_smaller(file, ROOM), err));
  DAP_REQUIRE(memcmp(start, magic, MAGIC) == 0, err, DAP_ERR_FILE,
              "%.300s: the file does not begin like .npy", shown);
  const int major = start[MAGIC], minor = start[MAGIC + 1];
  DAP_REQUIRE(major >= 1 && major <= 3 && minor == 0, err, DAP_ERR_UNSUPPORTED,
              "%.300s: .npy of version %d.%d, and this library reads 1.0, 2.0 and 3.0", shown, major, minor);
  const int width = major == 1 ? 2 : 4;
  *begin = LEAST - 2 + width;
  *length = read_little(start + LEAST - 2, width);
  DAP_REQUIRE(*length <= MOST, err, DAP_ERR_FILE,
              "%.300s: the header has %" PRId64 " bytes, and at most %d are read", shown, *length, (int)MOST);
  DAP_REQUIRE(*begin + *length <= file, err, DAP_ERR_FILE, "%.300s: the file ends within its header", shown);
  return DAP_OK;
}

static dap_status read_header(int fd, const char *shown, int64_t file, dap_file_info *info, dap_error *err)
{
  int64_t begin = 0, length = 0;
  DAP_TRY(read_start(fd, shown, file, &begin, &length, err));
  char *text = malloc((size_t)length + 1);
  DAP_REQUIRE(text, err, DAP_ERR_NOMEM, "no memory for a header of %" PRId64 " bytes", length);
  dap_status s = dap_posix_read(fd, shown, begin, text, length, err);
  text[length] = '\0';
  if (!s) s = dap_npy_parse(text, length, shown, info, err);
  info->offset = begin + length;
  free(text);
  return s;
}

static dap_status query(const dap_file_format *format, const dap_file_name *name,
                        const dap_file_options *options, dap_file_info *info, char *layout, size_t capacity,
                        dap_error *err)
{
  (void)format;
  (void)options;
  if (capacity > 0) layout[0] = '\0';
  bool exists;
  int64_t file, needed;
  int fd = -1;
  DAP_TRY(dap_posix_look(name->file, name->shown, &exists, &file, err));
  DAP_TRY(dap_posix_open(name->file, name->shown, false, &fd, err));
  const dap_status s = read_header(fd, name->shown, file, info, err);
  (void)dap_posix_close(fd, name->shown, false, NULL);
  DAP_TRY(s);
  DAP_TRY(dap_flat_length(info, name->shown, &needed, err));
  DAP_REQUIRE(file >= needed, err, DAP_ERR_FILE,
              "%.300s: the file has %" PRId64 " bytes, and by its header %" PRId64, name->shown, file,
              needed);
  return DAP_OK;
}

/* ---- write ----------------------------------------------------------------------------------------- */

/* numpy calls an array that is contiguous in both orders C-ordered. */
static bool is_fortran(const dap_file_info *info)
{
  int longer = 0;
  for (int k = 0; k < info->ndim; k++) {
    if (info->shape[k] == 0) return false;
    longer += info->shape[k] > 1;
  }
  return info->order == DAP_ORDER_F && longer > 1;
}

/* Writes the header as numpy does, byte for byte, and returns its length. */
static int64_t write_header(const dap_file_info *info, char header[HEADER])
{
  char type[DAP_TYPESTR];
  dap_dtype_write_numpy(info->dtype, info->swapped, type);
  dap_text text = dap_text_start(header + LEAST, HEADER - LEAST);
  const bool fortran = is_fortran(info);
  dap_text_add(&text, "{'descr': '%s', 'fortran_order': %s, 'shape': (", type, fortran ? "True" : "False");
  for (int k = 0; k < info->ndim; k++) dap_text_add(&text, k ? ", %" PRId64 : "%" PRId64, info->shape[k]);
  dap_text_add(&text, "%s), }", info->ndim == 1 ? "," : "");
  size_t length = text.length;
  if (info->ndim > 0) { /* room for the axis that may grow */
    const int digits = snprintf(NULL, 0, "%" PRId64, info->shape[fortran ? info->ndim - 1 : 0]);
    length += (size_t)(GROWTH - digits);
  }
  const size_t end = (LEAST + length + 1) / ALIGN * ALIGN + ALIGN;
  memset(header + LEAST + text.length, ' ', end - LEAST - text.length);
  header[end - 1] = '\n';
  memcpy(header, magic, MAGIC);
  header[MAGIC] = 1;
  header[MAGIC + 1] = 0;
  header[LEAST - 2] = (char)((end - LEAST) & 0xff);
  header[LEAST - 1] = (char)((end - LEAST) >> 8);
  return (int64_t)end;
}

static dap_status open_npy(const dap_file_format *format, MPI_Comm comm, const dap_file_name *name,
                           dap_file_access access, int64_t steps, const char *layout, dap_file_info *info,
                           void **state, dap_error *err)
{
  (void)format;
  (void)steps;
  (void)layout;
  char header[HEADER];
  if (access == DAP_FILE_CREATE) info->offset = write_header(info, header);
  return dap_flat_open(comm, name, access, info, header, state, err);
}

const dap_file_format *dap_file_npy(void)
{
  static const dap_file_format npy = {.version = DAP_FILE_FORMAT_VERSION,
                                      .name = "npy",
                                      .query = query,
                                      .open = open_npy,
                                      .read = dap_flat_read,
                                      .write = dap_flat_write,
                                      .close = dap_flat_close};
  return &npy;
}
