/* The parts of all processes as one document: each makes its text, and process 0 asks for one after the other
 * and writes it, so that it has no more than a piece of one at a time. */
#include <dapbridge/export.h>
#include <dapbridge/json.h>

#include "comm_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 /* bytes of a message */ };

/* ---- one after the other --------------------------------------------------------------------------- */

typedef struct writer {
  dap_tags tags;
  int rank, nprocs;
  FILE *stream;
  char *piece; /* [PIECE] on process 0 */
} writer;

static dap_status write_bytes(const writer *w, const char *bytes, size_t count, dap_error *err)
{
  errno = 0;
  DAP_REQUIRE(fwrite(bytes, 1, count, w->stream) == count, err, DAP_ERR_LIBRARY,
              "the stream cannot be written to: %s", errno ? strerror(errno) : "output error");
  return DAP_OK;
}

static dap_status flush(const writer *w, dap_error *err)
{
  errno = 0;
  DAP_REQUIRE(fflush(w->stream) == 0, err, DAP_ERR_LIBRARY, "the stream cannot be written to: %s",
              errno ? strerror(errno) : "output error");
  return DAP_OK;
}

/* The text of process `from`, in pieces, which are received even where they cannot be written. */
static dap_status copy_text(const writer *w, int from, dap_error *err)
{
  int64_t left = 0;
  dap_status s = write_bytes(w, ",\n ", 3, err);
  int code = MPI_Recv(&left, 1, MPI_INT64_T, from, w->tags.first, w->tags.comm, MPI_STATUS_IGNORE);
  for (; left > 0 && code == MPI_SUCCESS; left -= PIECE) {
    const int count = (int)dap_smaller(left, PIECE);
    code = MPI_Recv(w->piece, count, MPI_BYTE, from, w->tags.first, w->tags.comm, MPI_STATUS_IGNORE);
    if (!s && code == MPI_SUCCESS) s = write_bytes(w, w->piece, (size_t)count, err);
  }
  return s ? s : dap_mpi_check(code, "MPI_Recv", err);
}

/* Process 0: asks each process for its text, or once something failed tells it that none is wanted. */
static dap_status write_all(const writer *w, const char *text, int64_t length, dap_error *err)
{
  dap_status s = write_bytes(w, "[", 1, err);
  if (!s) s = write_bytes(w, text, (size_t)length, err);
  for (int r = 1; r < w->nprocs; r++) {
    const int64_t is_wanted = !s;
    const int code = MPI_Send(&is_wanted, 1, MPI_INT64_T, r, w->tags.first, w->tags.comm);
    if (!s) s = dap_mpi_check(code, "MPI_Send", err);
    if (!s) s = copy_text(w, r, err);
  }
  if (!s) s = write_bytes(w, "]\n", 2, err);
  return s ? s : flush(w, err);
}

static dap_status send_text(const writer *w, const char *text, int64_t length, dap_error *err)
{
  int64_t is_wanted = 0;
  int code = MPI_Recv(&is_wanted, 1, MPI_INT64_T, 0, w->tags.first, w->tags.comm, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS || !is_wanted) return dap_mpi_check(code, "MPI_Recv", err);
  code = MPI_Send(&length, 1, MPI_INT64_T, 0, w->tags.first, w->tags.comm);
  for (int64_t at = 0; at < length && code == MPI_SUCCESS; at += PIECE)
    code =
        MPI_Send(text + at, (int)dap_smaller(length - at, PIECE), MPI_BYTE, 0, w->tags.first, w->tags.comm);
  return dap_mpi_check(code, "MPI_Send", err);
}

/* ---- the text ------------------------------------------------------------------------------------------ */

static dap_status make_text(const dap_array *local, char **text, int64_t *length, dap_error *err)
{
  size_t bytes = 0;
  DAP_TRY(dap_array_json(local, NULL, 0, &bytes, err));
  *text = malloc(bytes + 1);
  DAP_REQUIRE(*text, err, DAP_ERR_NOMEM, "no memory for %zu bytes of text", bytes);
  *length = (int64_t)bytes;
  return dap_array_json(local, *text, bytes + 1, &bytes, err);
}

static dap_status prepare(writer *w, const dap_array *local, char **text, int64_t *length, dap_error *err)
{
  DAP_REQUIRE(w->rank > 0 || w->stream, err, DAP_ERR_ARG, "stream must not be NULL on process 0");
  DAP_TRY(make_text(local, text, length, err));
  w->piece = w->rank == 0 ? malloc(PIECE) : NULL;
  DAP_REQUIRE(w->piece || w->rank > 0, err, DAP_ERR_NOMEM, "no memory to receive texts");
  return DAP_OK;
}

/* `s`: how it is on this process so far; err is not NULL. */
static dap_status export(MPI_Comm comm, const char *function, dap_status s, const dap_array *local,
                         FILE *stream, dap_error *err)
{
  dap_context *context = NULL;
  char *text = NULL;
  int64_t length = 0;
  DAP_TRY(dap_context_get(comm, function, &context, err));
  writer w = {.rank = context->rank, .nprocs = context->nprocs, .stream = stream};
  if (!s) s = prepare(&w, local, &text, &length, err);
  s = dap_agree_call(comm, function, s, err);
  if (!s) s = dap_context_tags(context, 1, &w.tags, err);
  if (!s) {
    s = w.rank == 0 ? write_all(&w, text, length, err) : send_text(&w, text, length, err);
    s = dap_agree(comm, s, err);
  }
  dap_context_release(&context);
  free(w.piece);
  free(text);
  return s;
}

dap_status dap_array_export(MPI_Comm comm, const dap_array *local, FILE *stream, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  return export(comm, "dap_array_export", DAP_OK, local, stream, err);
}

/* ---- of a layout --------------------------------------------------------------------------------------- */

/* The layout and the version are the same everywhere, and there are parts everywhere or nowhere. */
static dap_status agree_on_form(MPI_Comm comm, const char *version, dap_darray array, int *rank,
                                dap_error *err)
{
  static const char *const names[] = {"the version", "whether there is a part"};
  const uint64_t words[] = {version ? dap_hash(0, version, strlen(version)) : 0, array.local != NULL};
  DAP_TRY(dap_layout_agree(comm, "dap_layout_export", array.layout, err));
  const dap_status s = dap_mpi_check(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err);
  return dap_agree_all(comm, &(dap_agreement){.status = s, .words = words, .names = names, .count = 2}, err);
}

/* What the layout says of process `rank`, with the buffer of its part; *made owns nothing. */
static dap_status describe(const char *version, dap_darray array, int rank, dap_array *made, dap_error *err)
{
  if (array.local) {
    DAP_TRY(dap_local_check_form(array.local, err));
    DAP_TRY(dap_array_match(array, rank, err));
    *made = *array.local;
    made->release = NULL;
  }
  return dap_array_describe(made, array.layout, rank, version, err);
}

dap_status dap_layout_export(MPI_Comm comm, const char *version, dap_darray array, FILE *stream,
                             dap_error *err)
{
  dap_error own = {0};
  int rank = 0;
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  DAP_TRY(agree_on_form(comm, version, array, &rank, err));
  dap_array made = {0};
  const dap_status s = describe(version, array, rank, &made, err);
  return export(comm, "dap_layout_export", s, &made, stream, err);
}
