#include "redistribute.h"

#include "fail.h"

#include <stdlib.h>

/* ---- combs ------------------------------------------------------------------------------------------ */

static bool same_steps(const bench_strided_run *run, const bench_strided_run *next)
{
  const int64_t from_step = next->from - run->from - (run->count - 1) * run->from_step;
  const int64_t to_step = next->to - run->to - (run->count - 1) * run->to_step;
  return run->length == next->length &&
         (run->count == 1 || (from_step == run->from_step && to_step == run->to_step));
}

static void append(bench_combs *combs, const bench_strided_run *stretch)
{
  bench_strided_run *last = combs->count ? &combs->list[combs->count - 1] : NULL;
  if (last && same_steps(last, stretch)) {
    if (last->count == 1) {
      last->from_step = stretch->from - last->from;
      last->to_step = stretch->to - last->to;
    }
    last->count++;
    return;
  }
  if ((combs->count & (combs->count - 1)) == 0) { /* full at every power of two */
    const size_t capacity = combs->count ? 2 * (size_t)combs->count : 1;
    bench_strided_run *longer = realloc(combs->list, capacity * sizeof *longer);
    if (!longer) bench_fail("no memory for %zu stretches", capacity);
    combs->list = longer;
  }
  combs->list[combs->count++] = *stretch;
}

/* Returns the source's position of the element at a position of the destination's buffer, or -1. */
static int64_t source_of(const bench_case *c, int k, int source, int destination, int64_t position)
{
  bool owned;
  int holder;
  const int64_t global = bench_axis_global(&c->to.axes[k], destination, position, &owned);
  if (!owned && !c->halo) return -1;
  const int64_t at = bench_axis_locate(&c->from.axes[k], global, &holder);
  return holder == source ? at : -1;
}

static void make_combs(const bench_case *c, int k, int source, int destination, bench_combs *combs)
{
  const int64_t extent = bench_axis_extent(&c->to.axes[k], destination);
  bench_strided_run stretch = {.count = 1};
  for (int64_t i = 0; i < extent; i++) {
    const int64_t at = source_of(c, k, source, destination, i);
    if (at < 0) continue;
    combs->elements++;
    if (stretch.length && at == stretch.from + stretch.length && i == stretch.to + stretch.length) {
      stretch.length++;
      continue;
    }
    if (stretch.length) append(combs, &stretch);
    stretch = (bench_strided_run){.from = at, .to = i, .length = 1, .count = 1};
  }
  if (stretch.length) append(combs, &stretch);
}

/* ---- places of a shuffled array ----------------------------------------------------------------- */

static void make_places(const bench_case *c, int source, int destination, bench_share *share)
{
  const int64_t extent = bench_axis_extent(&c->to.axes[0], destination);
  if (extent > INT32_MAX) bench_fail("case %s: more than 2^31 - 1 elements on a process", c->name);
  const int ends[2] = {source, destination};
  int32_t *places[2] = {NULL, NULL}; /* a process needs only its own end */
  for (int i = 0; i < 2; i++) {
    if (ends[i] == c->rank) places[i] = bench_alloc(extent * (int64_t)sizeof *places[i]);
  }
  for (int64_t i = 0; i < extent; i++) {
    const int64_t at = source_of(c, 0, source, destination, i);
    if (at < 0) continue;
    if (places[0]) places[0][share->elements] = (int32_t)at;
    if (places[1]) places[1][share->elements] = (int32_t)i;
    share->elements++;
  }
  for (int i = 0; i < 2; i++) {
    if (!places[i]) continue;
    void *shorter = realloc(places[i], (size_t)share->elements * sizeof *places[i] + 1);
    share->places[i] = shorter ? shorter : places[i];
  }
}

/* ---- shares ----------------------------------------------------------------------------------------- */

void bench_share_make(const bench_case *c, int source, int destination, bench_share *share)
{
  *share = (bench_share){0};
  if (c->halo && source == destination) return;
  if (c->from.axes[0].kind == BENCH_SHUFFLE) {
    make_places(c, source, destination, share);
    return;
  }
  int holder[BENCH_NDIM], taker[BENCH_NDIM];
  bench_side_coords(c, &c->from, source, holder);
  bench_side_coords(c, &c->to, destination, taker);
  share->elements = 1;
  for (int k = 0; k < c->ndim; k++) {
    make_combs(c, k, holder[k], taker[k], &share->axes[k]);
    share->elements *= share->axes[k].elements;
  }
}

void bench_share_free(bench_share *share)
{
  for (int k = 0; k < BENCH_NDIM; k++) free(share->axes[k].list);
  for (int i = 0; i < 2; i++) free(share->places[i]);
  *share = (bench_share){0};
}
