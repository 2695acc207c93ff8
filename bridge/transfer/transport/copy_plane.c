/* The two fastest axes of a chunk, as blocks for the kernels. */
#include "copy_impl.h"

#include <string.h>

/* ---- the two fastest axes --------------------------------------------------------------------------- */

/* Lines so short that each of their few stretches, such as the two sides of a halo, is better copied for
 * all lines. */
static bool is_narrow(const dap_walk *w, int a)
{
  enum { STRETCHES = 4, NARROW = 512 };
  int64_t count = 0;
  if (dap_walk_elements(w, a) * w->copy->from_item > NARROW) return false;
  dap_pieces pieces = dap_walk_pieces(w, a);
  for (dap_strided_run piece; count <= STRETCHES && dap_pieces_next(&pieces, &piece);)
    count += dap_walk_resolve(w, a, &piece).count;
  return count <= STRETCHES;
}

/* All stretches of `a`, one after the other, at a stretch of `b`. */
static void copy_narrow(const dap_walk *w, int a, const char *from, char *to, const dap_stretches *b)
{
  dap_pieces pieces = dap_walk_pieces(w, a);
  for (dap_strided_run piece; dap_pieces_next(&pieces, &piece);) {
    const dap_stretches s = dap_walk_resolve(w, a, &piece);
    for (int64_t i = 0; i < s.count; i++)
      dap_walk_stretch(w, from + s.from + i * s.from_step, to + s.to + i * s.to_step, &s, b);
  }
}

/* Stretches whose elements lie together at both ends, so that kernels would do no more than memcpy(). */
enum { MOST_PLAIN = 8 };
typedef struct plain {
  int count; /* 0: they are not all so, or too many */
  dap_stretches stretches[MOST_PLAIN];
} plain;

static void find_plain(const dap_walk *w, int a, plain *p)
{
  const int64_t item = w->copy->from_item;
  dap_pieces pieces = dap_walk_pieces(w, a);
  p->count = 0;
  if (w->copy->transform || w->copy->stream) return;
  for (dap_strided_run piece; dap_pieces_next(&pieces, &piece); p->count++) {
    const dap_stretches s = dap_walk_resolve(w, a, &piece);
    if (p->count == MOST_PLAIN || s.length == 1 || s.from_item != item || s.to_item != item) {
      p->count = 0;
      return;
    }
    p->stretches[p->count] = s;
  }
}

/* A line of them. */
static void copy_plain(const plain *p, int64_t item, const char *from, char *to)
{
  for (int k = 0; k < p->count; k++) {
    const dap_stretches *s = &p->stretches[k];
    for (int64_t i = 0; i < s->count; i++)
      memcpy(to + s->to + i * s->to_step, from + s->from + i * s->from_step, (size_t)(s->length * item));
  }
}

/* The same stretches, one as long as the other, at each element of a stretch of `b`: elements that are as
 * large as they. False: kernels have to look at them. */
static bool copy_large(const dap_walk *w, const dap_stretches *a, const dap_stretches *b, const char *from,
                       char *to)
{
  enum { LARGE = 128 /* bytes */ };
  const int64_t item = w->copy->from_item, bytes = a->length * item;
  if (w->copy->transform || a->from_item != item || a->to_item != item || bytes < LARGE) return false;
  w->copy->kernels->copy(&(dap_block){.from = from + a->from,
                                      .to = to + a->to,
                                      .n = {b->length, a->count},
                                      .from_step = {b->from_item, a->from_step},
                                      .to_step = {b->to_item, a->to_step},
                                      .itemsize = bytes,
                                      .stream = w->copy->stream});
  return true;
}

/* Source and destination run along the same axis: line by line, in the order of the destination. */
static void copy_rows(const dap_walk *w, int a, int b, const char *from, char *to)
{
  const dap_pieces all = dap_walk_pieces(w, a);
  const bool narrow = is_narrow(w, a);
  plain lines;
  find_plain(w, a, &lines);
  dap_pieces pb = dap_walk_pieces(w, b);
  for (dap_strided_run piece_b; dap_pieces_next(&pb, &piece_b);) {
    const dap_stretches sb = dap_walk_resolve(w, b, &piece_b);
    for (int64_t i = 0; i < sb.count; i++) {
      const int64_t from_b = sb.from + i * sb.from_step, to_b = sb.to + i * sb.to_step;
      if (narrow) {
        copy_narrow(w, a, from + from_b, to + to_b, &sb);
        continue;
      }
      dap_pieces pa = all;
      dap_strided_run piece_a;
      (void)dap_pieces_next(&pa, &piece_a);
      dap_stretches sa = dap_walk_resolve(w, a, &piece_a);
      if (pa.at >= pa.end && sa.count == 1) {
        dap_walk_stretch(w, from + from_b + sa.from, to + to_b + sa.to, &sa, &sb);
        continue;
      }
      if (pa.at >= pa.end && copy_large(w, &sa, &sb, from + from_b, to + to_b)) continue;
      for (int64_t j = 0; j < sb.length && lines.count > 0; j++)
        copy_plain(&lines, w->copy->from_item, from + from_b + j * sb.from_item, to + to_b + j * sb.to_item);
      for (int64_t j = 0; j < sb.length && lines.count == 0; j++) {
        pa = all;
        while (dap_pieces_next(&pa, &piece_a)) {
          sa = dap_walk_resolve(w, a, &piece_a);
          dap_walk_line(w, from + from_b + j * sb.from_item + sa.from, to + to_b + j * sb.to_item + sa.to,
                        &sa);
        }
      }
    }
  }
}

/* ---- few short stretches --------------------------------------------------------------------------- */

/* All stretches of `s` at each element of a stretch of `b`. */
static void copy_items(const dap_stretches *s, const dap_stretches *b, int64_t item, const char *from,
                       char *to)
{
  const bool is_row = s->from_item == item && s->to_item == item;
  dap_block block = {.n = {b->length, is_row ? s->count : s->length},
                     .from_step = {b->from_item, is_row ? s->from_step : s->from_item},
                     .to_step = {b->to_item, is_row ? s->to_step : s->to_item},
                     .itemsize = is_row ? s->length * item : item};
  for (int64_t i = 0; i < (is_row ? 1 : s->count); i++) {
    block.from = from + i * s->from_step;
    block.to = to + i * s->to_step;
    dap_items_copy(&block);
  }
}

/* Of a small chunk whose lines are short stretches: to tell a kernel of each takes longer than to copy it.
 * False: it is not one. */
static bool copy_small(const dap_walk *w, int a, int b, const char *from, char *to)
{
  enum { ELEMENTS = 2048, PIECES = 8, SHORT = 64 /* bytes */ };
  const int64_t item = w->copy->from_item;
  dap_stretches lines[PIECES];
  int count = 0;
  if (w->copy->transform || dap_walk_elements(w, a) * dap_walk_elements(w, b) > ELEMENTS) return false;
  dap_pieces pa = dap_walk_pieces(w, a);
  for (dap_strided_run piece; dap_pieces_next(&pa, &piece); count++) {
    if (count == PIECES) return false;
    lines[count] = dap_walk_resolve(w, a, &piece);
    if (piece.length * item > SHORT) return false;
  }
  dap_pieces pb = dap_walk_pieces(w, b);
  for (dap_strided_run piece; dap_pieces_next(&pb, &piece);) {
    const dap_stretches sb = dap_walk_resolve(w, b, &piece);
    for (int64_t i = 0; i < sb.count; i++)
      for (int n = 0; n < count; n++)
        copy_items(&lines[n], &sb, item, from + sb.from + i * sb.from_step + lines[n].from,
                   to + sb.to + i * sb.to_step + lines[n].to);
  }
  return true;
}

/* Elements of `b` are listed, and at each those of `a` lie together at both ends, as components do. False:
 * not so. */
static bool copy_listed(const dap_walk *w, int a, int b, const char *from, char *to)
{
  dap_pieces pieces = dap_walk_pieces(w, a);
  dap_strided_run piece;
  const int64_t item = w->copy->from_item, to_item = w->copy->to_item;
  if (!dap_problem_is_listed(w->copy->channel->exchange->problem, b)) return false;
  if (!dap_pieces_next(&pieces, &piece) || pieces.at < pieces.end) return false;
  const dap_stretches s = dap_walk_resolve(w, a, &piece);
  if (s.count > 1 || (s.length > 1 && (s.from_item != item || s.to_item != to_item))) return false;
  return dap_walk_listed(w, b, from + s.from, to + s.to, s.length);
}

void dap_walk_plane(const dap_walk *w, const char *from, char *to)
{
  const int a = w->axes[w->ndim - 1], b = w->axes[w->ndim - 2];
  if (copy_listed(w, a, b, from, to)) return;
  if (dap_walk_elements(w, b) == 1 && copy_listed(w, b, a, from, to)) return;
  if (copy_small(w, a, b, from, to)) return;
  if (dap_walk_elements(w, b) == 1 || dap_magnitude(w->from_strides[a]) <= dap_magnitude(w->from_strides[b]))
    copy_rows(w, a, b, from, to);
  else
    dap_walk_across(w, a, b, from, to);
}
