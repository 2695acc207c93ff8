/* A chunk without gaps along each axis, as those of halo updates and of boxes of arrays are, is looked at
 * once for all its arrays: small ones take longer to look at than to copy. */
#include "copy_impl.h"

/* ---- finding ---------------------------------------------------------------------------------------- */

/* Along this axis, which is slower than those before: none of one element; one that follows another without a
 * gap, at both ends, makes that longer. */
static void add_axis(dap_gapless *g, const dap_stretches *s)
{
  const int last = g->naxes - 1;
  if (s->length == 1) return;
  if (last >= 0 && s->from_item == g->n[last] * g->from_step[last] &&
      s->to_item == g->n[last] * g->to_step[last]) {
    g->n[last] *= s->length;
    return;
  }
  g->n[g->naxes] = s->length;
  g->from_step[g->naxes] = s->from_item;
  g->to_step[g->naxes++] = s->to_item;
}

/* Elements side by side at both ends are one large element. */
static void widen(dap_gapless *g)
{
  if (g->naxes == 0 || g->from_step[0] != g->itemsize || g->to_step[0] != g->itemsize) return;
  g->itemsize *= g->n[0];
  g->naxes--;
  for (int i = 0; i < g->naxes; i++) {
    g->n[i] = g->n[i + 1];
    g->from_step[i] = g->from_step[i + 1];
    g->to_step[i] = g->to_step[i + 1];
  }
}

/* The axes of a block; to kernels that store past the caches rows are given one after the other. */
static void choose(dap_gapless *g, int64_t item, bool stream)
{
  enum { SHORT = 128 /* bytes of a line */, SMALL = 2048 /* lines' elements */ };
  const bool is_wide = g->itemsize > item;
  const int64_t line = !is_wide && g->naxes > 0 ? g->n[0] * item : g->itemsize;
  for (int i = g->naxes; i < 2; i++) g->n[i] = 1;
  g->is_plain = (g->naxes == 0 && !stream) || (line <= SHORT && g->n[0] * g->n[1] <= SMALL);
  g->inner = (int)dap_smaller(g->naxes, is_wide && stream ? 1 : 2);
}

bool dap_walk_gapless(const dap_walk *w, dap_gapless *g)
{
  const int64_t item = w->copy->from_item;
  if (w->copy->transform) return false;
  *g = (dap_gapless){.itemsize = item};
  for (int i = w->ndim - 1; i >= 0; i--) {
    dap_pieces pieces = dap_walk_pieces(w, w->axes[i]);
    dap_strided_run piece;
    if (!dap_pieces_next(&pieces, &piece) || pieces.at < pieces.end) return false;
    const dap_stretches s = dap_walk_resolve(w, w->axes[i], &piece);
    if (s.count > 1) return false;
    g->from += s.from;
    g->to += s.to;
    add_axis(g, &s);
  }
  if (g->naxes > 1 && dap_magnitude(g->from_step[0]) > dap_magnitude(g->from_step[1])) return false;
  widen(g);
  choose(g, item, w->copy->stream);
  return true;
}

/* ---- copying ---------------------------------------------------------------------------------------- */

static void copy_block(const dap_walk *w, const dap_gapless *g, const char *from, char *to)
{
  dap_block block = {.from = from,
                     .n = {g->inner > 1 ? g->n[1] : 1, g->n[0]},
                     .from_step = {g->from_step[1], g->from_step[0]},
                     .to_step = {g->to_step[1], g->to_step[0]},
                     .itemsize = g->itemsize,
                     .stream = w->copy->stream};
  block.to = to;
  if (g->is_plain)
    dap_items_copy(&block);
  else
    w->copy->kernels->copy(&block);
}

/* The first `naxes` axes. */
static void copy_axes(const dap_walk *w, const dap_gapless *g, int naxes, const char *from, char *to)
{
  if (naxes <= g->inner) {
    copy_block(w, g, from, to);
    return;
  }
  const int slow = naxes - 1;
  for (int64_t i = 0; i < g->n[slow]; i++)
    copy_axes(w, g, slow, from + i * g->from_step[slow], to + i * g->to_step[slow]);
}

void dap_walk_copy_gapless(const dap_walk *w, const dap_gapless *g, const char *from, char *to)
{
  if (from + g->from == to + g->to) return; /* in place */
  copy_axes(w, g, g->naxes, from + g->from, to + g->to);
}
