/* Where the source runs along one axis and the destination along another: by panels of a line or two of the
 * destination, so that the source is read in a few parallel streams and whole lines are written. */
#include "copy_impl.h"

#include <string.h>

enum {
  PANEL = 2 * DAP_LINE, /* bytes along the destination's fastest axis */
  COLUMNS = 256         /* elements of joined rows at a time */
};

/* ---- one panel ------------------------------------------------------------------------------------ */

/* All of `b` for one panel of `a`; the next one begins so far from it, 0: it is the last. */
static void copy_panel(const dap_walk *w, int b, const char *from, char *to, const dap_stretches *panel,
                       int64_t next)
{
  dap_pieces pb = dap_walk_pieces(w, b);
  for (dap_strided_run piece; dap_pieces_next(&pb, &piece);) {
    const dap_stretches sb = dap_walk_resolve(w, b, &piece);
    for (int64_t i = 0; i < sb.count; i++) {
      const bool is_last = i + 1 == sb.count;
      dap_walk_block(w, &(dap_block){.from = from + sb.from + i * sb.from_step,
                                     .to = to + sb.to + i * sb.to_step,
                                     .n = {panel->length, sb.length},
                                     .from_step = {panel->from_item, sb.from_item},
                                     .to_step = {panel->to_item, sb.to_item},
                                     .itemsize = w->copy->from_item,
                                     .stream = w->copy->stream,
                                     .next = !is_last ? sb.from_step
                                             : next   ? next - i * sb.from_step
                                                      : 0});
    }
  }
}

/* Offset of the source's element number e of the stretches `a`. */
static int64_t source_of(const dap_stretches *a, int64_t e)
{
  return e / a->length * a->from_step + e % a->length * a->from_item;
}

/* `columns` elements of `b` for elements e .. e + n - 1 of `a`: rows that lie apart are brought together
 * first. */
static void copy_joined(const dap_walk *w, const char *from, char *to, const dap_stretches *a, int64_t e,
                        int64_t n, int64_t columns, int64_t to_column)
{
  _Alignas(DAP_LINE) char rows[DAP_LINE * COLUMNS];
  const int64_t item = w->copy->from_item;
  for (int64_t i = 0; i < n; i++)
    memcpy(rows + i * columns * item, from + source_of(a, e + i), (size_t)(columns * item));
  dap_walk_block(w, &(dap_block){.from = rows,
                                 .to = to,
                                 .n = {n, columns},
                                 .from_step = {columns * item, item},
                                 .to_step = {item, to_column},
                                 .itemsize = item,
                                 .stream = true});
}

/* A line of the destination in which one stretch ends and the next begins, for all of `b`. */
static void copy_seam(const dap_walk *w, int b, const char *from, char *to, const dap_stretches *a, int64_t e,
                      int64_t n)
{
  dap_pieces pb = dap_walk_pieces(w, b);
  for (dap_strided_run piece; dap_pieces_next(&pb, &piece);) {
    const dap_stretches sb = dap_walk_resolve(w, b, &piece);
    for (int64_t i = 0; i < sb.count; i++)
      for (int64_t j = 0; j < sb.length; j += COLUMNS)
        copy_joined(w, from + sb.from + i * sb.from_step + j * sb.from_item,
                    to + sb.to + i * sb.to_step + j * sb.to_item, a, e, n,
                    dap_smaller(COLUMNS, sb.length - j), sb.to_item);
  }
}

/* ---- all panels ----------------------------------------------------------------------------------- */

/* Within the stretches of `b`, the source's elements lie side by side. */
static bool is_dense(const dap_walk *w, int b)
{
  dap_pieces pb = dap_walk_pieces(w, b);
  for (dap_strided_run piece; dap_pieces_next(&pb, &piece);)
    if (dap_walk_resolve(w, b, &piece).from_item != w->copy->from_item) return false;
  return true;
}

/* Lines of the destination begin at the same elements for all of `b`, and stretches follow each other in
 * it. */
static bool has_seams(const dap_walk *w, int b, const char *to, const dap_stretches *a)
{
  const int64_t item = w->copy->from_item;
  return w->copy->stream && !w->copy->transform && a->count > 1 && a->to_item == item &&
         a->to_step == a->length * item && a->length * item >= DAP_LINE && DAP_LINE % item == 0 &&
         (uintptr_t)to % (uintptr_t)item == 0 && w->to_strides[b] % DAP_LINE == 0 &&
         !dap_overlap_is_points(w->copy->channel->axes[b]) && is_dense(w, b);
}

/* Elements up to the next line of the cache. */
static int64_t to_line(const char *to, int64_t item)
{
  return (DAP_LINE - (int64_t)((uintptr_t)to % DAP_LINE)) / item;
}

/* Stretches that follow each other in the destination, line by line. */
static void copy_seamed(const dap_walk *w, int b, const char *from, char *to, const dap_stretches *a)
{
  const int64_t item = w->copy->from_item, total = a->length * a->count, per_line = DAP_LINE / item;
  dap_stretches panel = *a;
  for (int64_t e = 0; e < total; e += panel.length) {
    const int64_t line = dap_smaller(to_line(to + e * item, item), total - e),
                  left = a->length - e % a->length;
    if (line > left) {
      panel.length = line;
      copy_seam(w, b, from, to + e * item, a, e, line);
      continue;
    }
    panel.length = line + dap_smaller(PANEL / DAP_LINE - 1, (left - line) / per_line) * per_line;
    const int64_t here = source_of(a, e), end = e + panel.length;
    copy_panel(w, b, from + here, to + e * item, &panel, end < total ? source_of(a, end) - here : 0);
  }
}

/* Elements of the next panel, which ends at a line of the cache if it can. */
static int64_t panel_length(const char *to, int64_t item, int64_t left)
{
  const int64_t over = (int64_t)((uintptr_t)to % DAP_LINE);
  const int64_t length = over % item == 0 ? (PANEL - over) / item : PANEL / item;
  return dap_smaller(left, dap_larger(length, 1));
}

/* A stretch, the next one so far from it, 0: it is the last; times a single block of `b`, it is the kernel's
 * to cut. */
static void copy_apart(const dap_walk *w, int b, bool is_single, const char *from, char *to,
                       const dap_stretches *a, int64_t next)
{
  dap_stretches panel = *a;
  for (int64_t j = 0; j < a->length; j += panel.length) {
    panel.length = a->length - j;
    if (!is_single) panel.length = panel_length(to + j * a->to_item, w->copy->from_item, panel.length);
    const bool is_last = j + panel.length == a->length;
    copy_panel(w, b, from + j * a->from_item, to + j * a->to_item, &panel,
               !is_last ? panel.length * a->from_item
               : next   ? next - j * a->from_item
                        : 0);
  }
}

static bool is_single(const dap_walk *w, int b)
{
  dap_pieces pb = dap_walk_pieces(w, b);
  dap_strided_run piece;
  return dap_pieces_next(&pb, &piece) && pb.at >= pb.end && dap_walk_resolve(w, b, &piece).count == 1;
}

void dap_walk_across(const dap_walk *w, int a, int b, const char *from, char *to)
{
  const bool single = is_single(w, b);
  dap_pieces pa = dap_walk_pieces(w, a);
  for (dap_strided_run piece; dap_pieces_next(&pa, &piece);) {
    const dap_stretches sa = dap_walk_resolve(w, a, &piece);
    if (has_seams(w, b, to + sa.to, &sa)) {
      copy_seamed(w, b, from + sa.from, to + sa.to, &sa);
      continue;
    }
    for (int64_t i = 0; i < sa.count; i++)
      copy_apart(w, b, single, from + sa.from + i * sa.from_step, to + sa.to + i * sa.to_step, &sa,
                 i + 1 < sa.count ? sa.from_step : 0);
  }
}
