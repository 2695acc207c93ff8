/* Reads and writes pieces of an array whose elements follow each other in the file. */
#define _XOPEN_SOURCE 700 /* files; NOLINT(bugprone-reserved-identifier) */
#include "file_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- open and close -------------------------------------------------------------------------------- */

dap_status dap_flat_length(const dap_file_info *info, const char *shown, int64_t *bytes, dap_error *err)
{
  int64_t count = dap_dtype_size(info->dtype);
  bool fits = true;
  *bytes = 0;
  for (int k = 0; k < info->ndim; k++)
    if (info->shape[k] == 0) count = 0;
  for (int k = 0; k < info->ndim && count > 0; k++)
    fits = fits && dap_multiply(count, info->shape[k], &count);
  fits = fits && dap_add(count, info->offset, bytes);
  DAP_REQUIRE(fits, err, DAP_ERR_RANGE, "%.300s: the array exceeds 2^63 - 1 bytes", shown);
  return DAP_OK;
}

/* Sets the file's length, because a full file system may not report an error before, and writes the
 * header. */
static dap_status begin_file(const dap_flat *flat, const dap_file_info *info, const char *header,
                             dap_error *err)
{
  int64_t bytes;
  DAP_TRY(dap_flat_length(info, flat->shown, &bytes, err));
  if (ftruncate(flat->fd, bytes) != 0)
    return dap_posix_fail(errno, flat->shown, "cannot get its length", err);
  return header ? dap_posix_write(flat->fd, flat->shown, 0, header, info->offset, err) : DAP_OK;
}

static void describe(const dap_file_info *info, dap_flat *flat)
{
  flat->ndim = info->ndim;
  flat->item = dap_dtype_size(info->dtype);
  flat->offset = info->offset;
  for (int k = 0; k < info->ndim; k++)
    flat->extent[info->order == DAP_ORDER_F ? info->ndim - 1 - k : k] = info->shape[k];
}

dap_status dap_flat_open(MPI_Comm comm, const dap_file_name *name, dap_file_access access,
                         const dap_file_info *info, const char *header, void **state, dap_error *err)
{
  int rank = 0;
  *state = NULL;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  dap_flat *flat = calloc(1, sizeof *flat);
  DAP_REQUIRE(flat, err, DAP_ERR_NOMEM, "no memory for a file");
  *flat = (dap_flat){.fd = -1, .writes = access != DAP_FILE_READ, .shown = name->shown};
  describe(info, flat);
  dap_status s = dap_posix_open(name->file, name->shown, flat->writes, &flat->fd, err);
  if (!s && rank == 0 && access == DAP_FILE_CREATE) s = begin_file(flat, info, header, err);
  if (!s)
    *state = flat;
  else
    (void)dap_flat_close(flat, true, NULL);
  return s;
}

dap_status dap_flat_close(void *state, bool failed, dap_error *err)
{
  dap_flat *flat = state;
  const dap_status s =
      flat->fd >= 0 ? dap_posix_close(flat->fd, flat->shown, flat->writes && !failed, err) : DAP_OK;
  free(flat->sieve);
  free(flat);
  return s;
}

/* ---- pieces ---------------------------------------------------------------------------------------- */

/* A piece in the file: rows of `run` bytes, `pitch` apart, for each index of the slower axes. */
typedef struct stretches {
  int slower;               /* axes before the rows */
  int64_t rows, run, pitch; /* bytes */
} stretches;

static stretches find_stretches(const dap_flat *flat, const dap_file_piece *piece)
{
  stretches s = {.rows = 1, .run = flat->item};
  int p = piece->ndim - 1;
  int64_t step = flat->item; /* bytes between indices of axis p */
  for (; p >= 0; p--) {
    s.run *= piece->shape[p];
    step *= flat->extent[p];
    if (piece->shape[p] != flat->extent[p]) break;
  }
  s.pitch = step;
  if (p > 0) s.rows = piece->shape[--p];
  s.slower = p > 0 ? p : 0;
  return s;
}

/* Returns the bytes of the file before the piece's row at these indices of the slower axes. */
static int64_t find_place(const dap_flat *flat, const dap_file_piece *piece, const int64_t index[],
                          int slower)
{
  int64_t at = 0;
  for (int p = 0; p < piece->ndim; p++)
    at = at * flat->extent[p] + piece->start[p] + (p < slower ? index[p] : 0);
  return flat->offset + at * flat->item;
}

static bool step(const dap_file_piece *piece, int slower, int64_t index[])
{
  for (int p = slower - 1; p >= 0; p--) {
    if (++index[p] < piece->shape[p]) return true;
    index[p] = 0;
  }
  return false;
}

/* ---- short rows ------------------------------------------------------------------------------------ */

enum { SIEVE = 1 << 18, SHORT = 1 << 14, PAGE = 4096 /* bytes */ };

/* Returns whether rows are read faster together with what lies between them. */
static bool is_sieved(const stretches *s)
{
  return s->rows > 1 && s->run < SHORT && s->pitch <= SIEVE / 4 &&
         (s->pitch <= PAGE || s->pitch <= 4 * s->run);
}

static dap_status read_sieved(dap_flat *flat, const stretches *s, int64_t at, char *to, dap_error *err)
{
  if (!flat->sieve) flat->sieve = malloc(SIEVE);
  DAP_REQUIRE(flat->sieve, err, DAP_ERR_NOMEM, "no memory for %d bytes of a file", (int)SIEVE);
  const int64_t most = (SIEVE - s->run) / s->pitch + 1;
  for (int64_t row = 0; row < s->rows; row += most) {
    const int64_t count = dap_smaller(most, s->rows - row);
    DAP_TRY(dap_posix_read(flat->fd, flat->shown, at + row * s->pitch, flat->sieve,
                           (count - 1) * s->pitch + s->run, err));
    for (int64_t i = 0; i < count; i++, to += s->run) memcpy(to, flat->sieve + i * s->pitch, (size_t)s->run);
  }
  return DAP_OK;
}

/* ---- read and write -------------------------------------------------------------------------------- */

static dap_status read_rows(dap_flat *flat, const stretches *s, int64_t at, char *to, dap_error *err)
{
  if (is_sieved(s)) return read_sieved(flat, s, at, to, err);
  for (int64_t row = 0; row < s->rows; row++)
    DAP_TRY(dap_posix_read(flat->fd, flat->shown, at + row * s->pitch, to + row * s->run, s->run, err));
  return DAP_OK;
}

dap_status dap_flat_read(void *state, const dap_file_piece *piece, void *data, dap_error *err)
{
  dap_flat *flat = state;
  if (piece->count == 0) return DAP_OK;
  const stretches s = find_stretches(flat, piece);
  int64_t index[DAP_MAX_NDIM] = {0};
  char *to = data;
  do {
    DAP_TRY(read_rows(flat, &s, find_place(flat, piece, index, s.slower), to, err));
    to += s.rows * s.run;
  } while (step(piece, s.slower, index));
  return DAP_OK;
}

dap_status dap_flat_write(void *state, const dap_file_piece *piece, const void *data, dap_error *err)
{
  const dap_flat *flat = state;
  if (piece->count == 0) return DAP_OK;
  const stretches s = find_stretches(flat, piece);
  int64_t index[DAP_MAX_NDIM] = {0};
  const char *from = data;
  do {
    const int64_t at = find_place(flat, piece, index, s.slower);
    for (int64_t row = 0; row < s.rows; row++, from += s.run)
      DAP_TRY(dap_posix_write(flat->fd, flat->shown, at + row * s.pitch, from, s.run, err));
  } while (step(piece, s.slower, index));
  return DAP_OK;
}
