/* Draws the legend: the owners of colours, the meaning of hatches, and the elements that are not drawn. */
#include "model_impl.h"
#include "picture_impl.h"

#include <inttypes.h>
#include <string.h>

enum {
  LINE = 20,   /* height of a line */
  BOX = 13,    /* a sample of a colour */
  SPACE = 18,  /* between two entries */
  LISTED = 6,  /* most ranks named for a colour */
  ENTRY = 192, /* bytes of an entry's text */
  MOST = 4096  /* processes up to which ranks are listed */
};

/* The place of the next entry. `to` NULL: entries are measured, not drawn. */
typedef struct legend {
  FILE *to;
  const dap_picture *p;
  double left, right, x, y;
} legend;

static void break_line(legend *l)
{
  if (l->x > l->left) l->y += LINE;
  l->x = l->left;
}

static void put_box(const legend *l, const char *fill)
{
  (void)fprintf(l->to,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#444\" "
                "stroke-width=\"0.8\"/>\n",
                l->x, l->y, BOX, BOX, fill);
}

/* Draws a sample, unless `fill` is NULL, and its meaning. */
static void put_entry(legend *l, const char *fill, const char *text)
{
  const double width = (fill ? BOX + 6 : 0) + dap_svg_width(strlen(text), 11);
  if (l->x + width > l->right) break_line(l);
  if (l->to) {
    if (fill) put_box(l, fill);
    dap_svg_text(l->to, l->x + (fill ? BOX + 6 : 0), l->y + 11, "start", "note", text);
  }
  l->x += width + SPACE;
}

/* ---- colours ---------------------------------------------------------------------------------------- */

static void put_process(legend *l, int rank)
{
  char text[ENTRY];
  const int64_t count = dap_picture_count(l->p, rank);
  (void)snprintf(text, sizeof text, "process %d: %" PRId64 " element%s", rank, count, count == 1 ? "" : "s");
  put_entry(l, dap_svg_colour(rank), text);
}

/* Draws a colour and the first ranks that share it. */
static void put_sharers(legend *l, int colour)
{
  char words[ENTRY];
  dap_text text = dap_text_start(words, sizeof words);
  int count = 0;
  const int nprocs = dap_layout_nprocs(l->p->layout);
  for (int r = 0; r < nprocs && count <= LISTED; r++) {
    if (dap_picture_colour(l->p, r) != colour || !dap_picture_has(l->p, r)) continue;
    if (count == LISTED)
      dap_text_add(&text, " ...");
    else
      dap_text_add(&text, "%s%d", count ? ", " : "", r);
    count++;
  }
  if (count > 0) put_entry(l, dap_svg_colour(colour), words);
}

static void put_colours(legend *l)
{
  const int nprocs = dap_layout_nprocs(l->p->layout);
  if (nprocs <= DAP_SVG_COLOURS) {
    for (int r = 0; r < nprocs; r++)
      if (dap_picture_has(l->p, r)) put_process(l, r);
  } else if (nprocs <= MOST) {
    put_entry(l, NULL, "colours repeat:");
    for (int c = 0; c < DAP_SVG_COLOURS; c++) put_sharers(l, c);
  }
  break_line(l);
}

/* ---- hatches and notes ------------------------------------------------------------------------------- */

static void put_hatches(legend *l)
{
  const dap_picture *p = l->p;
  if (p->rows.copied.count + p->columns.copied.count > 0)
    put_entry(l, "url(#copied-key)", "others than the owner have copies: padding, ghosts");
  if (p->rows.boundary.count + p->columns.boundary.count > 0)
    put_entry(l, "url(#boundary-key)", "boundary padding");
}

static void put_notes(legend *l, const dap_picture_axis *a)
{
  char text[ENTRY];
  if (a->axis < 0) return;
  if (a->every > 1) {
    const bool is_partial = dap_layout_axis(l->p->layout, a->axis).partial;
    (void)snprintf(text, sizeof text, "axis %d: each of %d processes has %s, the first is drawn", a->axis,
                   a->every, is_partial ? "an addend" : "all of it");
    put_entry(l, NULL, text);
  }
  if (a->shown < a->size) {
    (void)snprintf(text, sizeof text, "axis %d is drawn to %" PRId64 " of %" PRId64, a->axis, a->shown,
                   a->size);
    put_entry(l, NULL, text);
  }
}

static void put_plane(legend *l)
{
  char words[ENTRY];
  dap_text text = dap_text_start(words, sizeof words);
  for (int k = 0; k < dap_layout_ndim(l->p->layout); k++)
    if (l->p->plane[k] >= 0)
      dap_text_add(&text, "%s %" PRId64 " of axis %d", text.length ? "," : "at index", l->p->plane[k], k);
  if (*words) put_entry(l, NULL, words);
}

double dap_svg_legend(FILE *to, const dap_picture *p, double x, double y, double width)
{
  legend l = {.to = to, .p = p, .left = x, .right = x + width, .x = x, .y = y};
  put_colours(&l);
  put_hatches(&l);
  put_notes(&l, &p->rows);
  put_notes(&l, &p->columns);
  put_plane(&l);
  break_line(&l);
  return l.y - y;
}
