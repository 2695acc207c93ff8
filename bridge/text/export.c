/* Writes the parts of all processes as one document. Each process makes its text, and process 0 receives and
 * writes one stretch of all texts at a time, so that it needs little memory. */
#include "comm_impl.h"
#include "text_impl.h"

#include <dapbridge/export.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 1 << 20 /* bytes that go to process 0 at once */ };

typedef struct writer {
  MPI_Comm comm, texts; /* the caller's, for agreements; the context's, for messages with texts */
  int rank, nprocs;
  FILE *stream;
  char *text;         /* [length] of this process, with the separators around it */
  int64_t length;     /* bytes */
  int64_t *starts;    /* [nprocs + 1] byte of the document where each process's text begins, and the end */
  char *stretch;      /* [STRETCH] on process 0 */
  int *counts, *away; /* [nprocs] on process 0: bytes of each process in a stretch, and their places */
} writer;

/* ---- stretches -------------------------------------------------------------------------------------- */

/* Writes `count` bytes of the stretch on process 0; 0: flushes the stream. */
static dap_status write_bytes(const writer *w, int64_t count, dap_error *err)
{
  if (w->rank > 0) return DAP_OK;
  errno = 0;
  const bool is_written =
      count > 0 ? fwrite(w->stretch, 1, (size_t)count, w->stream) == (size_t)count : fflush(w->stream) == 0;
  DAP_REQUIRE(is_written, err, DAP_ERR_LIBRARY, "the stream cannot be written to: %s",
              errno ? strerror(errno) : "output error");
  return DAP_OK;
}

/* Returns the place in process r's text of its part of the STRETCH bytes from `at` on, and sets the part's
 * length. */
static int64_t part_in(const writer *w, int r, int64_t at, int *length)
{
  const int64_t first = dap_larger(at, w->starts[r]);
  const int64_t stop = dap_smaller(at + STRETCH, w->starts[r + 1]);
  *length = stop > first ? (int)(stop - first) : 0;
  return first - w->starts[r];
}

static dap_status gather_stretch(const writer *w, int64_t at, dap_error *err)
{
  int length, all = 0;
  const int64_t first = part_in(w, w->rank, at, &length);
  for (int r = 0; r < w->nprocs && w->rank == 0; r++) {
    (void)part_in(w, r, at, &w->counts[r]);
    w->away[r] = all;
    all += w->counts[r];
  }
  DAP_TRY(dap_gather_bytes(w->texts,
                           &(dap_gathering){.mine = length > 0 ? w->text + first : w->text,
                                            .length = length,
                                            .all = w->stretch,
                                            .lengths = w->counts,
                                            .first = w->away,
                                            .room = all},
                           err));
  return write_bytes(w, all, err);
}

/* Writes all texts. Processes agree after each step, so that all stop if one cannot go on. */
static dap_status write_all(const writer *w, dap_error *err)
{
  dap_status s = dap_allgather(w->texts, &w->length, w->starts + 1, 1, MPI_INT64_T, err);
  for (int r = 0; r < w->nprocs && !s; r++) w->starts[r + 1] += w->starts[r];
  s = dap_agree(w->comm, s, err);
  for (int64_t at = 0; !s && at < w->starts[w->nprocs]; at += STRETCH) {
    s = gather_stretch(w, at, err);
    s = dap_agree(w->comm, s, err);
  }
  return s ? s : dap_agree(w->comm, write_bytes(w, 0, err), err);
}

/* ---- the text ------------------------------------------------------------------------------------------ */

/* Makes the JSON of this process's array, as an entry of the list of all. */
static dap_status make_text(writer *w, const dap_array *local, dap_error *err)
{
  const char *before = w->rank == 0 ? "[" : ",\n ", *behind = w->rank == w->nprocs - 1 ? "]\n" : "";
  const size_t lead = strlen(before), tail = strlen(behind);
  size_t bytes = 0;
  DAP_TRY(dap_array_json(local, NULL, 0, &bytes, err));
  w->text = malloc(lead + bytes + tail + 1);
  DAP_REQUIRE(w->text, err, DAP_ERR_NOMEM, "no memory for %zu bytes of text", bytes);
  memcpy(w->text, before, lead);
  DAP_TRY(dap_array_json(local, w->text + lead, bytes + 1, &bytes, err));
  memcpy(w->text + lead + bytes, behind, tail);
  w->length = (int64_t)(lead + bytes + tail);
  return DAP_OK;
}

static dap_status prepare(writer *w, const dap_array *local, dap_error *err)
{
  const size_t count = (size_t)w->nprocs;
  DAP_REQUIRE(w->rank > 0 || w->stream, err, DAP_ERR_ARG, "stream must not be NULL on process 0");
  DAP_TRY(make_text(w, local, err));
  w->starts = calloc(count + 1, sizeof *w->starts);
  DAP_REQUIRE(w->starts, err, DAP_ERR_NOMEM, "no memory for the lengths of %zu texts", count);
  if (w->rank > 0) return DAP_OK;
  w->stretch = malloc(STRETCH);
  w->counts = malloc(count * sizeof *w->counts);
  w->away = malloc(count * sizeof *w->away);
  DAP_REQUIRE(w->stretch && w->counts && w->away, err, DAP_ERR_NOMEM, "no memory to receive texts");
  return DAP_OK;
}

/* Exports the arrays, unless this process has already failed with `s`. err is not NULL. */
static dap_status export(MPI_Comm comm, const char *function, dap_status s, const dap_array *local,
                         FILE *stream, dap_error *err)
{
  dap_context *context = NULL;
  DAP_TRY(dap_context_get(comm, function, &context, err));
  writer w = {.comm = comm,
              .texts = context->comm,
              .rank = context->rank,
              .nprocs = context->nprocs,
              .stream = stream};
  if (!s) s = prepare(&w, local, err);
  s = dap_agree_call(comm, function, s, err);
  if (!s) s = write_all(&w, err);
  dap_context_release(&context);
  free(w.text);
  free(w.starts);
  free(w.stretch);
  free(w.counts);
  free(w.away);
  return s;
}

dap_status dap_array_export(MPI_Comm comm, const dap_array *local, FILE *stream, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  return export(comm, "dap_array_export", DAP_OK, local, stream, err);
}

/* ---- layouts ------------------------------------------------------------------------------------------- */

/* Agrees that the layout and the version are the same everywhere, and that parts are everywhere or
 * nowhere. */
static dap_status agree_on_form(MPI_Comm comm, const char *version, dap_darray array, int *rank,
                                dap_error *err)
{
  static const char *const names[] = {"the version", "whether there is a part"};
  const uint64_t words[] = {version ? dap_hash(0, version, strlen(version)) : 0, array.local != NULL};
  DAP_TRY(dap_layout_agree(comm, "dap_layout_export", array.layout, err));
  const dap_status s = dap_mpi_check(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err);
  return dap_agree_all(comm, &(dap_agreement){.status = s, .words = words, .names = names, .count = 2}, err);
}

/* Makes the array of process `rank` of the layout, with the buffer of its part. *made owns nothing. */
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
