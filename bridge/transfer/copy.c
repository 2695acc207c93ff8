/* A chunk of a flow, from one strided place to another: walks over the slow axes and gives the kernels blocks of
 * the two fastest. */
#include "transfer_impl.h"

#include <string.h>

/* ---- positions in bytes ------------------------------------------------------------------------- */

/* A piece of an axis at both ends, in bytes: `count` stretches of `length` elements. */
typedef struct stretches {
  int64_t from, to; /* of the first element */
  int64_t length, from_item, to_item;
  int64_t count, from_step, to_step;
} stretches;

typedef struct walk {
  const dap_copy *copy;
  int ndim;
  int axes[DAP_MAX_NDIM]; /* [ndim] slowest first; the last two are those of the blocks */
  int64_t from_strides[DAP_MAX_NDIM], to_strides[DAP_MAX_NDIM]; /* [ndim] bytes, by axis */
  bool from_packed, to_packed;
} walk;

static int64_t elements_of(const walk *w, int k)
{
  return w->copy->chunk->hi[k] - w->copy->chunk->lo[k];
}

static dap_pieces pieces_of(const walk *w, int k)
{
  return dap_pieces_of(w->copy->flow->axes[k], w->copy->chunk->lo[k], w->copy->chunk->hi[k]);
}

/* Single elements at equal steps become one stretch. */
static stretches resolve(const walk *w, int k, const dap_comb *piece)
{
  const int64_t fs = w->from_strides[k], ts = w->to_strides[k];
  const int64_t packed = piece->before - w->copy->chunk->lo[k];
  stretches s = {.from = (w->from_packed ? packed : piece->from) * fs,
                 .to = (w->to_packed ? packed : piece->to) * ts,
                 .length = piece->length,
                 .from_item = fs,
                 .to_item = ts,
                 .count = piece->count,
                 .from_step = (w->from_packed ? piece->length : piece->from_step) * fs,
                 .to_step = (w->to_packed ? piece->length : piece->to_step) * ts};
  if (s.length > 1 || s.count == 1) return s;
  s.length = s.count;
  s.from_item = s.from_step;
  s.to_item = s.to_step;
  s.count = 1;
  return s;
}

/* ---- blocks --------------------------------------------------------------------------------------- */

static void copy_block(const walk *w, const dap_block *block)
{
  const dap_transform *transform = w->copy->transform;
  if (!transform) {
    w->copy->kernels->copy(block);
    return;
  }
  for (int64_t j = 0; j < block->n[1]; j++)
    dap_transform_row(transform, block->from + j * block->from_step[1], block->from_step[0],
                      block->to + j * block->to_step[1], block->to_step[0], block->n[0]);
}

/* Elements of `a` times those of `b`, a stretch of each. */
static void copy_stretch(const walk *w, const char *from, char *to, const stretches *a, const stretches *b)
{
  copy_block(w, &(dap_block){.from = from,
                             .to = to,
                             .n = {a->length, b->length},
                             .from_step = {a->from_item, b->from_item},
                             .to_step = {a->to_item, b->to_item},
                             .itemsize = w->copy->from_item,
                             .stream = w->copy->stream});
}

/* All stretches of `a` at one place of `b`. */
static void copy_line(const walk *w, const char *from, char *to, const stretches *a)
{
  copy_block(w, &(dap_block){.from = from,
                             .to = to,
                             .n = {a->length, a->count},
                             .from_step = {a->from_item, a->from_step},
                             .to_step = {a->to_item, a->to_step},
                             .itemsize = w->copy->from_item,
                             .stream = w->copy->stream});
}

/* ---- listed elements -------------------------------------------------------------------------------- */

static inline int64_t point(const dap_words *words, int64_t i)
{
  return words->width == 4 ? (int64_t)((const uint32_t *)words->data)[i] : ((const int64_t *)words->data)[i];
}

/* memcpy with a constant size becomes one load and one store. */
#define COPY_POINTS(size)                                                                                    \
  for (int64_t i = lo; i < hi; i++)                                                                          \
  memcpy(to + (w->to_packed ? i - lo : point(&o->to, i)) * ts,                                               \
         from + (w->from_packed ? i - lo : point(&o->from, i)) * fs, (size))

/* A line along an axis whose elements are listed one by one. */
static void copy_points(const walk *w, int k, const char *from, char *to)
{
  const dap_overlap *o = w->copy->flow->axes[k];
  const int64_t lo = w->copy->chunk->lo[k], hi = w->copy->chunk->hi[k];
  const int64_t fs = w->from_strides[k], ts = w->to_strides[k];
  switch (w->copy->from_item) {
  case 4:
    COPY_POINTS(4);
    break;
  case 8:
    COPY_POINTS(8);
    break;
  case 16:
    COPY_POINTS(16);
    break;
  default:
    COPY_POINTS((size_t)w->copy->from_item);
    break;
  }
}

/* ---- the two fastest axes --------------------------------------------------------------------------- */

enum {
  PANEL = 128 /* bytes along the destination's fastest axis: what a strided source is read in at a time */
};

/* Source and destination run along the same axis: line by line, in the order of the destination. */
static void copy_rows(const walk *w, int a, int b, const char *from, char *to)
{
  const dap_pieces all = pieces_of(w, a);
  dap_pieces pb = pieces_of(w, b);
  for (dap_comb piece_b; dap_pieces_next(&pb, &piece_b);) {
    const stretches sb = resolve(w, b, &piece_b);
    for (int64_t i = 0; i < sb.count; i++) {
      const int64_t from_b = sb.from + i * sb.from_step, to_b = sb.to + i * sb.to_step;
      dap_pieces pa = all;
      dap_comb piece_a;
      (void)dap_pieces_next(&pa, &piece_a);
      stretches sa = resolve(w, a, &piece_a);
      if (pa.at >= pa.end && sa.count == 1) {
        copy_stretch(w, from + from_b + sa.from, to + to_b + sa.to, &sa, &sb);
        continue;
      }
      for (int64_t j = 0; j < sb.length; j++) {
        pa = all;
        while (dap_pieces_next(&pa, &piece_a)) {
          sa = resolve(w, a, &piece_a);
          copy_line(w, from + from_b + j * sb.from_item + sa.from, to + to_b + j * sb.to_item + sa.to, &sa);
        }
      }
    }
  }
}

/* Elements of the next panel, which ends at a line of the cache if it can. */
static int64_t panel_length(const char *to, int64_t itemsize, int64_t left)
{
  const int64_t over = (int64_t)((uintptr_t)to % 64);
  const int64_t length = over % itemsize == 0 ? (PANEL - over) / itemsize : PANEL / itemsize;
  return dap_smaller(left, dap_larger(length, 1));
}

/* All of `b` for one panel of `a`. */
static void copy_panel(const walk *w, int b, const char *from, char *to, const stretches *a)
{
  dap_pieces pb = pieces_of(w, b);
  for (dap_comb piece; dap_pieces_next(&pb, &piece);) {
    const stretches sb = resolve(w, b, &piece);
    for (int64_t i = 0; i < sb.count; i++)
      copy_stretch(w, from + sb.from + i * sb.from_step, to + sb.to + i * sb.to_step, a, &sb);
  }
}

/* The source runs along `b`, the destination along `a`: by panels of `a`, so that the source is read in a few
 * parallel streams and whole lines of the destination are written. A single block is the kernel's to cut. */
static void copy_across(const walk *w, int a, int b, const char *from, char *to)
{
  dap_pieces pa = pieces_of(w, a), pb = pieces_of(w, b);
  dap_comb piece;
  const bool single = dap_pieces_next(&pb, &piece) && pb.at >= pb.end && resolve(w, b, &piece).count == 1;
  while (dap_pieces_next(&pa, &piece)) {
    const stretches sa = resolve(w, a, &piece);
    for (int64_t i = 0; i < sa.count; i++) {
      const char *source = from + sa.from + i * sa.from_step;
      char *target = to + sa.to + i * sa.to_step;
      stretches panel = sa;
      for (int64_t j = 0; j < sa.length; j += panel.length) {
        panel.length = sa.length - j;
        if (!single) panel.length = panel_length(target + j * sa.to_item, w->copy->from_item, panel.length);
        copy_panel(w, b, source + j * sa.from_item, target + j * sa.to_item, &panel);
      }
    }
  }
}

static int64_t magnitude(int64_t stride)
{
  return stride < 0 ? -stride : stride;
}

static void copy_plane(const walk *w, const char *from, char *to)
{
  const int a = w->axes[w->ndim - 1], b = w->axes[w->ndim - 2];
  if (elements_of(w, b) == 1 || magnitude(w->from_strides[a]) <= magnitude(w->from_strides[b]))
    copy_rows(w, a, b, from, to);
  else
    copy_across(w, a, b, from, to);
}

static void copy_axis(const walk *w, const char *from, char *to)
{
  dap_pieces pa = pieces_of(w, w->axes[0]);
  if (dap_overlap_is_points(pa.overlap) && !w->copy->transform) {
    copy_points(w, w->axes[0], from, to);
    return;
  }
  for (dap_comb piece; dap_pieces_next(&pa, &piece);) {
    const stretches sa = resolve(w, w->axes[0], &piece);
    copy_line(w, from + sa.from, to + sa.to, &sa);
  }
}

/* ---- all axes --------------------------------------------------------------------------------------- */

static void copy_level(const walk *w, int level, const char *from, char *to)
{
  const int a = w->axes[w->ndim - 1];
  const bool points = dap_overlap_is_points(w->copy->flow->axes[a]) && !w->copy->transform;
  if (level == w->ndim - 2 && !points) {
    copy_plane(w, from, to);
    return;
  }
  if (level == w->ndim - 1) {
    copy_points(w, a, from, to);
    return;
  }
  dap_pieces p = pieces_of(w, w->axes[level]);
  for (dap_comb piece; dap_pieces_next(&p, &piece);) {
    const stretches s = resolve(w, w->axes[level], &piece);
    for (int64_t i = 0; i < s.count; i++)
      for (int64_t j = 0; j < s.length; j++)
        copy_level(w, level + 1, from + s.from + i * s.from_step + j * s.from_item,
                   to + s.to + i * s.to_step + j * s.to_item);
  }
}

/* Packed elements lie in the exchange's order. */
static void set_strides(const walk *w, const int64_t *given, int64_t itemsize, int64_t strides[])
{
  for (int i = w->ndim - 1; i >= 0; i--) {
    const int k = w->copy->flow->exchange->order[i];
    strides[k] = given ? given[k] : itemsize;
    itemsize *= elements_of(w, k);
  }
}

/* Moves the axis with the least stride, of those with more than one element, to place `at`. */
static void bring(walk *w, const int64_t strides[], int at)
{
  int best = at;
  for (int i = at; i >= 0; i--) {
    const int64_t n = elements_of(w, w->axes[i]), best_n = elements_of(w, w->axes[best]);
    if (n > 1 && (best_n <= 1 || magnitude(strides[w->axes[i]]) < magnitude(strides[w->axes[best]])))
      best = i;
  }
  const int axis = w->axes[best];
  for (int i = best; i < at; i++) w->axes[i] = w->axes[i + 1];
  w->axes[at] = axis;
}

/* The destination's fastest axis last, before it the source's; or if that is the same, the destination's next. */
static void set_axes(walk *w)
{
  for (int i = 0; i < w->ndim; i++) w->axes[i] = w->copy->flow->exchange->order[i];
  bring(w, w->to_strides, w->ndim - 1);
  const int a = w->axes[w->ndim - 1];
  bring(w, w->from_strides, w->ndim - 2);
  const int b = w->axes[w->ndim - 2];
  if (magnitude(w->from_strides[a]) <= magnitude(w->from_strides[b])) bring(w, w->to_strides, w->ndim - 2);
}

static void copy_element(const dap_copy *copy, const char *from, char *to)
{
  if (copy->transform)
    dap_transform_row(copy->transform, from, 0, to, 0, 1);
  else
    memcpy(to, from, (size_t)copy->from_item);
}

void dap_copy_run(const dap_copy *copy, const char *from, const int64_t *from_strides, char *to,
                  const int64_t *to_strides)
{
  walk w = {.copy = copy,
            .ndim = copy->flow->exchange->ends->ndim,
            .from_packed = !from_strides,
            .to_packed = !to_strides};
  if (w.ndim == 0) {
    copy_element(copy, from, to);
    return;
  }
  set_strides(&w, from_strides, copy->from_item, w.from_strides);
  set_strides(&w, to_strides, copy->to_item, w.to_strides);
  if (w.ndim == 1) {
    w.axes[0] = 0;
    copy_axis(&w, from, to);
    return;
  }
  set_axes(&w);
  copy_level(&w, 0, from, to);
}
