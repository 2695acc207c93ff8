#include "redistribute.h"

#include <string.h>

/* ---- boxes ------------------------------------------------------------------------------------------ */

enum { BOX_NDIM = 2 * BENCH_NDIM, TILE = 16 };

/* Nested loops, which begin with the destination's slowest axis. Strides are in bytes. */
typedef struct box {
  int ndim;
  int64_t itemsize;
  int64_t counts[BOX_NDIM], from[BOX_NDIM], to[BOX_NDIM];
} box;

/* Uses a memcpy of constant size, which is one load and one store. */
#define BY_ITEMSIZE(size, LOOP)                                                                              \
  switch (size) {                                                                                            \
  case 4:                                                                                                    \
    LOOP(4) break;                                                                                           \
  case 8:                                                                                                    \
    LOOP(8) break;                                                                                           \
  default:                                                                                                   \
    LOOP(16) break;                                                                                          \
  }

static void copy_row(int64_t size, int64_t count, const char *from, int64_t from_step, char *to,
                     int64_t to_step)
{
#define ROW(bytes)                                                                                           \
  for (int64_t i = 0; i < count; i++) memcpy(to + i * to_step, from + i * from_step, bytes);
  BY_ITEMSIZE(size, ROW)
#undef ROW
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Copies dimensions a and b of a box, tile by tile. */
static void copy_tiles(const box *x, int a, int b, const char *from, char *to)
{
  for (int64_t i = 0; i < x->counts[a]; i += TILE) {
    const int64_t height = least(TILE, x->counts[a] - i);
    for (int64_t j = 0; j < x->counts[b]; j += TILE) {
      const int64_t width = least(TILE, x->counts[b] - j);
      const char *f = from + i * x->from[a] + j * x->from[b];
      char *t = to + i * x->to[a] + j * x->to[b];
      for (int64_t k = 0; k < height; k++)
        copy_row(x->itemsize, width, f + k * x->from[a], x->from[b], t + k * x->to[a], x->to[b]);
    }
  }
}

/* Runs the loops from `level` on. The innermost loop also does dimension `across`, which is contiguous in
 * the source (-1: none). */
static void copy_box(const box *x, int level, int across, const char *from, char *to)
{
  const int last = x->ndim - 1;
  if (level == across) {
    copy_box(x, level + 1, across, from, to);
  } else if (level < last) {
    for (int64_t i = 0; i < x->counts[level]; i++)
      copy_box(x, level + 1, across, from + i * x->from[level], to + i * x->to[level]);
  } else if (across >= 0) {
    copy_tiles(x, across, last, from, to);
  } else if (x->from[last] == x->itemsize && x->to[last] == x->itemsize) {
    memcpy(to, from, (size_t)(x->counts[last] * x->itemsize));
  } else {
    copy_row(x->itemsize, x->counts[last], from, x->from[last], to, x->to[last]);
  }
}

/* Adds an inner loop, unless it continues the innermost one. */
static void add_loop(box *x, int64_t count, int64_t from, int64_t to)
{
  if (count == 1) return;
  const int last = x->ndim - 1;
  if (last >= 0 && x->from[last] == count * from && x->to[last] == count * to) {
    x->counts[last] *= count;
    x->from[last] = from;
    x->to[last] = to;
    return;
  }
  x->counts[x->ndim] = count;
  x->from[x->ndim] = from;
  x->to[x->ndim++] = to;
}

static void run_box(const box *x, const char *from, char *to)
{
  if (x->ndim == 0) {
    memcpy(to, from, (size_t)x->itemsize);
    return;
  }
  int across = -1;
  for (int k = 0; k < x->ndim - 1; k++) {
    if (x->from[k] == x->itemsize) across = k;
  }
  copy_box(x, 0, across, from, to);
}

/* ---- shares ----------------------------------------------------------------------------------------- */

typedef struct task {
  const bench_case *c;
  const bench_share *share;
  bench_place from_place, to_place;
  int64_t from_strides[BENCH_NDIM], to_strides[BENCH_NDIM];
} task;

/* Returns the axis at `level`, counted from the destination's slowest. */
static int axis_at(const bench_case *c, int level)
{
  return c->to.order == DAP_ORDER_F ? c->ndim - 1 - level : level;
}

static void set_strides(const bench_case *c, const bench_share *share, const bench_end_of_copy *end,
                        int64_t strides[])
{
  int64_t step = c->itemsize;
  for (int level = c->ndim - 1; level >= 0; level--) {
    const int k = axis_at(c, level);
    strides[k] = end->place == BENCH_IN_MESSAGE ? step : end->strides[k];
    step *= share->axes[k].elements;
  }
}

static int64_t run_start(bench_place place, const bench_strided_run *run, int64_t before)
{
  if (place == BENCH_IN_MESSAGE) return before;
  return place == BENCH_IN_SOURCE ? run->from : run->to;
}

static int64_t run_step(bench_place place, const bench_strided_run *run)
{
  if (place == BENCH_IN_MESSAGE) return run->length;
  return place == BENCH_IN_SOURCE ? run->from_step : run->to_step;
}

static void copy_axes(const task *t, int level, const box *x, const char *from, char *to)
{
  if (level == t->c->ndim) {
    run_box(x, from, to);
    return;
  }
  const int k = axis_at(t->c, level);
  const int64_t from_stride = t->from_strides[k], to_stride = t->to_strides[k];
  int64_t before = 0;
  for (int64_t i = 0; i < t->share->axes[k].count; i++) {
    const bench_strided_run *run = &t->share->axes[k].list[i];
    box inner = *x;
    add_loop(&inner, run->count, run_step(t->from_place, run) * from_stride,
             run_step(t->to_place, run) * to_stride);
    add_loop(&inner, run->length, from_stride, to_stride);
    copy_axes(t, level + 1, &inner, from + run_start(t->from_place, run, before) * from_stride,
              to + run_start(t->to_place, run, before) * to_stride);
    before += run->count * run->length;
  }
}

/* Copies a share of a shuffled array by its lists. A message needs only one of them. */
static void copy_places(const bench_case *c, const bench_share *share, const bench_end_of_copy *from,
                        const bench_end_of_copy *to)
{
  const int32_t *f = from->place == BENCH_IN_MESSAGE ? NULL : share->places[0];
  const int32_t *t = to->place == BENCH_IN_MESSAGE ? NULL : share->places[1];
#define PLACES(bytes)                                                                                        \
  for (int64_t i = 0; i < share->elements; i++)                                                              \
    memcpy(to->data + (t ? t[i] : i) * (bytes), from->data + (f ? f[i] : i) * (bytes), bytes);
  BY_ITEMSIZE(c->itemsize, PLACES)
#undef PLACES
}

void bench_copy(const bench_case *c, const bench_share *share, bench_end_of_copy from, bench_end_of_copy to)
{
  if (share->elements == 0) return;
  if (share->places[0] || share->places[1]) {
    copy_places(c, share, &from, &to);
    return;
  }
  task t = {.c = c, .share = share, .from_place = from.place, .to_place = to.place};
  set_strides(c, share, &from, t.from_strides);
  set_strides(c, share, &to, t.to_strides);
  copy_axes(&t, 0, &(box){.itemsize = c->itemsize}, from.data, to.data);
}
