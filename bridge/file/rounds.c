/* Cuts the file's array into rounds, and each round into boxes, one for each writer. */
#include "file_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 /* bytes */ };

/* ---- the axis that is cut -------------------------------------------------------------------------- */

static int64_t count_elements(const dap_file_axes *axes)
{
  int64_t count = 1;
  for (int i = 0; i < axes->naxes; i++) count *= axes->size[i];
  return count;
}

/* Chooses the axis to cut: the slowest axis for which one index, with all of the faster axes, fits the memory
 * of a writer. In a round each writer has a range of this axis, at one index of each slower axis. */
static void choose_cut(dap_file_rounds *r, int64_t item, int64_t memory)
{
  r->row = item;
  r->cut = r->axes->naxes - 1;
  while (r->cut > 0 && r->row * r->axes->size[r->cut] <= memory) r->row *= r->axes->size[r->cut--];
  r->most = dap_larger(memory / r->row, 1);
}

/* Sets how many writers share the axis that is cut, and how many share the axis before it. If the axis that
 * is cut is too short for all writers, groups of them have neighbouring indices of the axis before it. */
static void deal(dap_file_rounds *r)
{
  const int64_t size = r->cut < 0 ? 1 : r->axes->size[r->cut];
  const int64_t needed = (size + r->most - 1) / r->most;
  r->round.along = (int)dap_smaller(needed, r->writers);
  r->round.across = 1;
  if (r->cut > 0 && needed <= r->writers)
    r->round.across = (int)dap_smaller(r->writers / r->round.along, r->axes->size[r->cut - 1]);
  if (r->cut >= 0 && r->round.across == 1) r->round.along = (int)dap_smaller(r->writers, size);
}

dap_status dap_file_rounds_create(const dap_file_call *call, int64_t memory, dap_file_rounds *r,
                                  dap_error *err)
{
  const int64_t item = dap_dtype_size(call->info.dtype);
  *r = (dap_file_rounds){.axes = &call->axes,
                         .writers = call->writers.count,
                         .all = count_elements(&call->axes),
                         .align = call->options.align ? call->options.align : DAP_FILE_ALIGN,
                         .offset = call->info.offset};
  DAP_REQUIRE(memory >= item, err, DAP_ERR_ARG,
              "options: memory_bytes %" PRId64 " is too small for an element", call->options.memory_bytes);
  r->round.lengths = calloc((size_t)r->writers, sizeof *r->round.lengths);
  DAP_REQUIRE(r->round.lengths, err, DAP_ERR_NOMEM, "no memory for the pieces of %d writers", r->writers);
  if (r->all == 0) return DAP_OK;
  choose_cut(r, item, memory);
  deal(r);
  r->bytes = r->row * dap_smaller(r->most, r->cut < 0 ? 1 : r->axes->size[r->cut]);
  return DAP_OK;
}

void dap_file_rounds_release(dap_file_rounds *r)
{
  free(r->round.lengths);
  r->round.lengths = NULL;
}

/* ---- the ranges of a round ------------------------------------------------------------------------- */

/* Returns the bytes in the file before an index of the axis that is cut, at the round's indices of slower
 * axes. It is exact if the part has all of the faster axes. It is used for alignment only, so another result
 * does no harm. */
static int64_t position(const dap_file_rounds *r, int64_t index)
{
  const dap_file_axes *axes = r->axes;
  int64_t at = r->offset, step = r->row;
  for (int i = r->cut; i >= 0; i--) {
    at += step *
          ((i == r->cut ? index : r->round.start[i]) + (axes->file[i] < 0 ? 0 : axes->start[axes->file[i]]));
    step *= axes->size[i];
  }
  return at;
}

/* Returns the index in (low, high] that begins at a multiple of `align` and is nearest to `wanted`; -1:
 * none. */
static int64_t find_aligned(const dap_file_rounds *r, int64_t low, int64_t wanted, int64_t high,
                            int64_t align)
{
  enum { TRIES = 64 };
  const int64_t base = position(r, 0);
  int64_t multiple = (base + wanted * r->row) / align;
  for (int i = 0; i < TRIES; i++) {
    /* downwards and upwards in turn */
    const int64_t at = (multiple + (i % 2 ? (i + 1) / 2 : -(i / 2))) * align - base;
    if (at % r->row == 0 && at / r->row > low && at / r->row <= high) return at / r->row;
  }
  return -1;
}

/* Returns the end of a writer's range that begins at `begin` and has about `wanted` indices. */
static int64_t find_end(const dap_file_rounds *r, int64_t begin, int64_t wanted)
{
  const int64_t size = r->axes->size[r->cut], high = dap_smaller(begin + r->most, size);
  if (begin + wanted >= size) return size;
  int64_t end = find_aligned(r, begin + wanted / 2, begin + wanted, high, r->align);
  if (end < 0) end = find_aligned(r, begin + wanted / 2, begin + wanted, high, PAGE);
  return end < 0 ? begin + wanted : end;
}

/* Cuts the axis from the round's first index on, so that the remaining rounds are about equal. */
static void cut_round(dap_file_rounds *r)
{
  dap_file_round *round = &r->round;
  const int64_t begin = round->start[r->cut], left = r->axes->size[r->cut] - begin;
  const int64_t rounds = (left + r->most * round->along - 1) / (r->most * round->along);
  const int64_t wanted = dap_larger((left + rounds * round->along - 1) / (rounds * round->along), 1);
  int64_t at = begin;
  for (int w = 0; w < round->along; w++) {
    const int64_t end = at < begin + left ? find_end(r, at, wanted) : at;
    round->lengths[w] = end - at;
    at = end;
  }
  round->shape[r->cut] = at - begin;
}

/* ---- the next round -------------------------------------------------------------------------------- */

static void first(dap_file_rounds *r)
{
  for (int i = 0; i < r->axes->naxes; i++) r->round.shape[i] = i < r->cut ? 1 : r->axes->size[i];
}

/* Goes to the next round: along the axis that is cut, then along slower ones. */
static void step(dap_file_rounds *r)
{
  dap_file_round *round = &r->round;
  for (int i = r->cut; i >= 0; i--) {
    round->start[i] += round->shape[i];
    if (round->start[i] < r->axes->size[i]) return;
    round->start[i] = 0;
  }
}

bool dap_file_rounds_next(dap_file_rounds *r)
{
  dap_file_round *round = &r->round;
  if (r->moved >= r->all) return false;
  if (r->moved == 0)
    first(r);
  else
    step(r);
  if (r->cut > 0)
    round->shape[r->cut - 1] =
        dap_smaller(round->across, r->axes->size[r->cut - 1] - round->start[r->cut - 1]);
  if (r->cut >= 0) cut_round(r);
  int64_t count = 1;
  for (int i = 0; i < r->axes->naxes; i++) count *= round->shape[i];
  r->moved += count;
  return true;
}

dap_file_piece dap_file_round_piece(const dap_file_rounds *r, int writer)
{
  const dap_file_axes *axes = r->axes;
  const dap_file_round *round = &r->round;
  dap_file_piece piece = {.ndim = axes->ndim, .count = 1};
  const int across = writer / round->along, along = writer % round->along;
  const bool is_in = writer >= 0 && across < (r->cut > 0 ? round->shape[r->cut - 1] : 1);
  for (int p = 0; p < axes->ndim; p++) {
    piece.start[p] = axes->start[p];
    piece.shape[p] = 1;
  }
  for (int i = 0; i < axes->naxes; i++) {
    int64_t start = round->start[i], length = round->shape[i];
    if (i == r->cut) {
      for (int w = 0; w < along; w++) start += round->lengths[w];
      length = round->lengths[along];
    } else if (i == r->cut - 1) {
      start += across;
      length = 1;
    }
    piece.count *= length;
    if (axes->file[i] < 0) continue;
    piece.start[axes->file[i]] += start;
    piece.shape[axes->file[i]] = length;
  }
  if (!is_in) piece.count = 0;
  if (piece.count == 0) memset(piece.shape, 0, sizeof piece.shape);
  return piece;
}
