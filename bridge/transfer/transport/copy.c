/* Copies a chunk of a channel between strided or packed buffers, nest by nest. */
#include "copy_impl.h"

#include <fenv.h>

/* Copies the nest in each array of the chunk, except those that have no source. */
static void copy_nest(const dap_walk *w)
{
  const dap_copy *copy = w->copy;
  const dap_chunk *chunk = copy->chunk;
  const int64_t elements = dap_chunk_elements(chunk, w->ndim);
  dap_nest nest;
  dap_nest_sort(&w->nest, &nest);
  if (w->listed >= 0)
    dap_walk_join(w, &nest);
  else if (!copy->transform)
    dap_nest_widen(&nest);
  for (int64_t a = chunk->first_array; a < chunk->end_array; a++) {
    const int64_t before = (a - chunk->first_array) * elements;
    const char *from = copy->from_strides ? copy->from[a] : copy->from_packed + before * copy->from_item;
    char *to = copy->to_strides ? copy->to[a] : copy->to_packed + before * copy->to_item;
    if (!from) continue;
    if (w->listed >= 0)
      dap_walk_copy_listed(w, &nest, from, to);
    else if (copy->transform)
      dap_nest_transform(copy->transform, &nest, from, to);
    else if (from + nest.from != to + nest.to) /* not in place */
      dap_nest_copy(copy->kernels, &nest, from, to, copy->stream);
  }
}

/* Adds two loops: over stretches and over the elements of one. Packed elements lie one after the other. */
static void add_piece(dap_walk *w, int k, const dap_strided_run *p)
{
  const dap_copy *copy = w->copy;
  const int64_t fs = w->from_strides[k], ts = w->to_strides[k], packed = p->before - copy->chunk->lo[k];
  w->nest.from += (copy->from_strides ? p->from : packed) * fs;
  w->nest.to += (copy->to_strides ? p->to : packed) * ts;
  dap_nest_add(&w->nest, p->count, (copy->from_strides ? p->from_step : p->length) * fs,
               (copy->to_strides ? p->to_step : p->length) * ts);
  dap_nest_add(&w->nest, p->length, fs, ts);
}

/* Copies every combination of the pieces of axes [level, ndim), slow ones first. */
static void copy_pieces(dap_walk *w, int level)
{
  if (level == w->ndim) {
    copy_nest(w);
    return;
  }
  const int k = w->copy->channel->exchange->order[level], depth = w->nest.depth;
  const int64_t from = w->nest.from, to = w->nest.to;
  if (k == w->listed) {
    copy_pieces(w, level + 1);
    return;
  }
  dap_pieces pieces = dap_pieces_of(w->copy->channel->axes[k], w->copy->chunk->lo[k], w->copy->chunk->hi[k]);
  for (dap_strided_run piece; dap_pieces_next(&pieces, &piece);) {
    add_piece(w, k, &piece);
    copy_pieces(w, level + 1);
    w->nest.depth = depth;
    w->nest.from = from;
    w->nest.to = to;
  }
}

/* Sets strides[] to the given ones, or to those of packed elements, which lie in the exchange's order. */
static void set_strides(const dap_walk *w, const int64_t *given, int64_t itemsize, int64_t strides[])
{
  for (int i = w->ndim - 1; i >= 0; i--) {
    const int k = w->copy->channel->exchange->order[i];
    strides[k] = given ? given[k] : itemsize;
    itemsize *= w->copy->chunk->hi[k] - w->copy->chunk->lo[k];
  }
}

static void start(dap_walk *w, const dap_copy *copy)
{
  w->copy = copy;
  w->ndim = copy->channel->exchange->problem->ndim;
  w->listed = -1;
  w->nest.from = w->nest.to = 0;
  w->nest.bytes = copy->from_item;
  w->nest.depth = 0;
  set_strides(w, copy->from_strides, copy->from_item, w->from_strides);
  set_strides(w, copy->to_strides, copy->to_item, w->to_strides);
}

/* Conversions and arithmetic raise floating-point exceptions, which must not end a program that traps
 * them. */
void dap_copy_run(const dap_copy *copy)
{
  fenv_t environment;
  dap_walk w;
  start(&w, copy);
  w.listed = dap_walk_find_listed(&w);
  if (copy->transform) (void)feholdexcept(&environment);
  copy_pieces(&w, 0);
  if (copy->transform) (void)fesetenv(&environment);
}

bool dap_copy_nest(const dap_copy *copy, dap_nest *nest)
{
  dap_walk w;
  start(&w, copy);
  for (int i = 0; i < w.ndim; i++) {
    const int k = copy->channel->exchange->order[i];
    dap_pieces pieces = dap_pieces_of(copy->channel->axes[k], copy->chunk->lo[k], copy->chunk->hi[k]);
    dap_strided_run piece;
    if (!dap_pieces_next(&pieces, &piece) || pieces.at < pieces.end) return false;
    add_piece(&w, k, &piece);
  }
  *nest = w.nest;
  return true;
}
