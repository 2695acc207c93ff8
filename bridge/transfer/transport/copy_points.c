/* An axis whose elements are listed one by one, or in short runs: at each, bytes that lie together at both
 * ends, such as an element, or a node's components. To tell a kernel of each takes longer than to copy it. */
#include "copy_impl.h"

#include <string.h>

/* ---- one by one ------------------------------------------------------------------------------------- */

/* One end: where the elements are. */
typedef struct end {
  dap_packed at;       /* positions, from element `first` of the overlap on; no data: one after the other */
  int64_t first, step; /* step: bytes from one position to the next */
} end;

static inline int64_t offset(end e, int64_t i)
{
  if (!e.at.data) return i * e.step;
  const int64_t k = e.first + i;
  return (e.at.width == 4 ? ((const uint32_t *)e.at.data)[k] : ((const int64_t *)e.at.data)[k]) * e.step;
}

/* What is read anywhere in memory is asked for so many elements ahead. */
enum { AHEAD = 24 };

/* Bytes of elements that are changed at a time: they stay in the first cache. */
enum { CHANGED = 4096 };

/* memcpy with a constant size becomes a few loads and stores. */
static inline __attribute__((always_inline)) void copy_each(int64_t count, end source, const char *from,
                                                            end destination, char *to, size_t bytes)
{
  for (int64_t i = 0; i < count; i++) {
    if (source.at.data) __builtin_prefetch(from + offset(source, i + AHEAD < count ? i + AHEAD : i));
    memcpy(to + offset(destination, i), from + offset(source, i), bytes);
  }
}

static void copy_all(int64_t count, end source, const char *from, end destination, char *to, int64_t bytes)
{
  switch (bytes) {
  case 4:
    copy_each(count, source, from, destination, to, 4);
    break;
  case 8:
    copy_each(count, source, from, destination, to, 8);
    break;
  case 16:
    copy_each(count, source, from, destination, to, 16);
    break;
  case 24:
    copy_each(count, source, from, destination, to, 24);
    break;
  case 32:
    copy_each(count, source, from, destination, to, 32);
    break;
  default:
    copy_each(count, source, from, destination, to, (size_t)bytes);
    break;
  }
}

/* From element `i` on. */
static end later(end e, int64_t i)
{
  if (e.at.data) e.first += i;
  return e;
}

static int64_t skipped(end e, int64_t i)
{
  return e.at.data ? 0 : i * e.step;
}

/* Elements that change on the way, `each` at a position: those of some positions are brought together,
 * changed, and put where they belong. To change them one by one takes far longer. */
static void change_all(const dap_walk *w, int64_t count, end source, const char *from, end destination,
                       char *to, int64_t each)
{
  const dap_copy *copy = w->copy;
  const dap_transform *t = copy->transform;
  _Alignas(DAP_LINE) char taken[CHANGED], made[CHANGED];
  const int64_t from_bytes = each * copy->from_item, to_bytes = each * copy->to_item;
  const int64_t most = CHANGED / dap_larger(from_bytes, to_bytes);
  const end packed_from = {.step = from_bytes}, packed_to = {.step = to_bytes};
  const bool is_packed = !source.at.data && source.step == from_bytes;
  const bool reads_to = t->beta[0] != 0 || t->beta[1] != 0;
  for (int64_t i = 0; i < count; i += most) {
    const int64_t n = dap_smaller(most, count - i);
    const end s = later(source, i), d = later(destination, i);
    char *const there = to + skipped(destination, i);
    const char *const theirs = from + skipped(source, i);
    if (!is_packed) copy_all(n, s, theirs, packed_from, taken, from_bytes);
    if (reads_to) copy_all(n, d, there, packed_to, made, to_bytes);
    dap_transform_row(t, is_packed ? theirs : taken, copy->from_item, made, copy->to_item, n * each);
    copy_all(n, packed_to, made, d, there, to_bytes);
  }
}

static void copy_points(const dap_walk *w, int k, const char *from, char *to, int64_t bytes)
{
  const dap_overlap *o = w->copy->channel->axes[k];
  const int64_t lo = w->copy->chunk->lo[k], count = dap_walk_elements(w, k);
  const dap_packed none = {0};
  const end source = {w->from_packed ? none : o->from, lo, w->from_strides[k]};
  end destination = {w->to_packed ? none : o->to, lo, w->to_strides[k]};
  /* they ascend in the destination, so that ends as far apart as there are elements have no gaps between */
  if (destination.at.data && dap_overlap_to(o, lo + count - 1) - dap_overlap_to(o, lo) == count - 1) {
    to += offset(destination, 0);
    destination.at = none;
  }
  if (w->copy->transform) {
    change_all(w, count, source, from, destination, to, bytes / w->copy->from_item);
    return;
  }
  if (!source.at.data && !destination.at.data && source.step == bytes && destination.step == bytes)
    memcpy(to, from, (size_t)(count * bytes));
  else
    copy_all(count, source, from, destination, to, bytes);
}

/* ---- in runs ---------------------------------------------------------------------------------------- */

static void copy_stretch(const dap_stretches *s, const char *from, char *to, int64_t bytes)
{
  if (s->from_item == bytes && s->to_item == bytes) {
    memcpy(to, from, (size_t)(s->length * bytes));
    return;
  }
  for (int64_t j = 0; j < s->length; j++) memcpy(to + j * s->to_item, from + j * s->from_item, (size_t)bytes);
}

static void copy_runs(const dap_walk *w, int k, const char *from, char *to, int64_t bytes)
{
  dap_pieces pieces = dap_walk_pieces(w, k);
  for (dap_strided_run piece; dap_pieces_next(&pieces, &piece);) {
    const dap_stretches s = dap_walk_resolve(w, k, &piece);
    for (int64_t i = 0; i < s.count; i++)
      copy_stretch(&s, from + s.from + i * s.from_step, to + s.to + i * s.to_step, bytes);
  }
}

bool dap_walk_listed(const dap_walk *w, int k, const char *from, char *to, int64_t bytes)
{
  enum { SHORT = 512 /* bytes of a run on average */ };
  const dap_overlap *o = w->copy->channel->axes[k];
  const dap_problem *problem = w->copy->channel->exchange->problem;
  if (dap_overlap_is_points(o)) { /* of lists, or of blocks that hardly meet */
    const int64_t each = bytes / w->copy->from_item;
    if (w->copy->transform && each * dap_larger(w->copy->from_item, w->copy->to_item) > CHANGED) return false;
    copy_points(w, k, from, to, bytes);
    return true;
  }
  if (w->copy->transform) return false;
  if (!dap_problem_is_listed(problem, k)) return false;
  if (o->runs[0].count > 1 || o->elements * bytes > o->size * SHORT) return false;
  copy_runs(w, k, from, to, bytes);
  return true;
}
