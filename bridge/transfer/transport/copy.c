/* A chunk of a channel, from strided buffers to others: walks over the slow axes and gives the kernels
 * blocks of the two fastest. */
#include "copy_impl.h"

#include <fenv.h>
#include <string.h>

/* ---- all axes --------------------------------------------------------------------------------------- */

static void copy_axis(const dap_walk *w, const char *from, char *to)
{
  if (dap_walk_listed(w, w->axes[0], from, to, 1)) return;
  dap_pieces pa = dap_walk_pieces(w, w->axes[0]);
  for (dap_strided_run piece; dap_pieces_next(&pa, &piece);) {
    const dap_stretches sa = dap_walk_resolve(w, w->axes[0], &piece);
    dap_walk_line(w, from + sa.from, to + sa.to, &sa);
  }
}

static void copy_level(const dap_walk *w, int level, const char *from, char *to)
{
  const int a = w->axes[w->ndim - 1];
  const bool points = dap_overlap_is_points(w->copy->channel->axes[a]);
  if (level == w->ndim - 2 && !points) {
    dap_walk_plane(w, from, to);
    return;
  }
  if (level == w->ndim - 1) {
    (void)dap_walk_listed(w, a, from, to, 1);
    return;
  }
  dap_pieces p = dap_walk_pieces(w, w->axes[level]);
  for (dap_strided_run piece; dap_pieces_next(&p, &piece);) {
    const dap_stretches s = dap_walk_resolve(w, w->axes[level], &piece);
    for (int64_t i = 0; i < s.count; i++)
      for (int64_t j = 0; j < s.length; j++)
        copy_level(w, level + 1, from + s.from + i * s.from_step + j * s.from_item,
                   to + s.to + i * s.to_step + j * s.to_item);
  }
}

/* Packed elements lie in the exchange's order. */
static void set_strides(const dap_walk *w, const int64_t *given, int64_t itemsize, int64_t strides[])
{
  for (int i = w->ndim - 1; i >= 0; i--) {
    const int k = w->copy->channel->exchange->order[i];
    strides[k] = given ? given[k] : itemsize;
    itemsize *= dap_walk_elements(w, k);
  }
}

/* Moves the axis with the least stride, of those with more than one element, to position `at`. */
static void bring(dap_walk *w, const int64_t strides[], int at)
{
  int best = at;
  for (int i = at; i >= 0; i--) {
    const int64_t n = dap_walk_elements(w, w->axes[i]), best_n = dap_walk_elements(w, w->axes[best]);
    if (n > 1 && (best_n <= 1 || dap_magnitude(strides[w->axes[i]]) < dap_magnitude(strides[w->axes[best]])))
      best = i;
  }
  const int axis = w->axes[best];
  for (int i = best; i < at; i++) w->axes[i] = w->axes[i + 1];
  w->axes[at] = axis;
}

/* The destination's fastest axis last, before it the source's; or if that is the same, the destination's
 * next. */
static void set_axes(dap_walk *w)
{
  for (int i = 0; i < w->ndim; i++) w->axes[i] = w->copy->channel->exchange->order[i];
  bring(w, w->to_strides, w->ndim - 1);
  const int a = w->axes[w->ndim - 1];
  bring(w, w->from_strides, w->ndim - 2);
  const int b = w->axes[w->ndim - 2];
  if (dap_magnitude(w->from_strides[a]) <= dap_magnitude(w->from_strides[b]))
    bring(w, w->to_strides, w->ndim - 2);
}

static void copy_element(const dap_copy *copy, const char *from, char *to)
{
  if (copy->transform)
    dap_transform_row(copy->transform, from, 0, to, 0, 1);
  else
    memcpy(to, from, (size_t)copy->from_item);
}

static void copy_array(const dap_walk *w, const char *from, char *to)
{
  if (w->ndim == 0)
    copy_element(w->copy, from, to);
  else if (w->ndim == 1)
    copy_axis(w, from, to);
  else
    copy_level(w, 0, from, to);
}

static void run(const dap_copy *copy)
{
  const dap_chunk *chunk = copy->chunk;
  dap_walk w = {.copy = copy,
                .ndim = copy->channel->exchange->problem->ndim,
                .from_packed = !copy->from_strides,
                .to_packed = !copy->to_strides};
  set_strides(&w, copy->from_strides, copy->from_item, w.from_strides);
  set_strides(&w, copy->to_strides, copy->to_item, w.to_strides);
  if (w.ndim > 1) set_axes(&w);
  const int64_t elements = dap_chunk_elements(chunk, w.ndim);
  dap_gapless gapless;
  const bool is_gapless = dap_walk_gapless(&w, &gapless);
  for (int64_t a = chunk->first_array; a < chunk->end_array; a++) {
    const int64_t before = (a - chunk->first_array) * elements;
    const char *from = w.from_packed ? copy->from_packed + before * copy->from_item : copy->from[a];
    char *to = w.to_packed ? copy->to_packed + before * copy->to_item : copy->to[a];
    if (from && is_gapless)
      dap_walk_copy_gapless(&w, &gapless, from, to);
    else if (from)
      copy_array(&w, from, to);
  }
}

/* Conversions and arithmetic raise floating-point exceptions, which must not end a program that traps
 * them. */
void dap_copy_run(const dap_copy *copy)
{
  fenv_t environment;
  if (copy->transform) (void)feholdexcept(&environment);
  run(copy);
  if (copy->transform) (void)fesetenv(&environment);
}
