/* Draws a picture as SVG: cells in the owners' colours and with their ranks, hatched padding, indices on the
 * axes. */
#include "picture_impl.h"

#include <inttypes.h>
#include <string.h>

enum {
  MARGIN = 24,  /* right of and below everything */
  GRIDDED = 64, /* most elements of an axis that has grid lines */
  LEAST = 7,    /* sizes of the text of ranks */
  LARGEST = 13,
  GAP = 26,    /* between the picture and the legend */
  NARROW = 420 /* least width of a page */
};

static const double small = 11; /* size of indices */

/* ---- cells, in units of elements -------------------------------------------------------------------- */

static void put_rectangle(FILE *to, dap_picture_stretch row, dap_picture_stretch column)
{
  (void)fprintf(to,
                "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%" PRId64 "\" height=\"%" PRId64 "\"/>\n",
                column.begin, row.begin, column.end - column.begin, row.end - row.begin);
}

/* Draws all cells of the owner of cell (row, column). */
static void put_owner(FILE *to, const dap_picture *p, int row, int column)
{
  const dap_picture_list *rows = &p->rows.owned, *columns = &p->columns.owned;
  const int rank = dap_picture_rank(p, row, column);
  if (rank < 0)
    (void)fputs("<g class=\"unknown\" fill=\"#fff\"><title>not known on this process</title>\n", to);
  else
    (void)fprintf(to, "<g class=\"owner\" data-rank=\"%d\" fill=\"%s\"><title>process %d</title>\n", rank,
                  dap_svg_colour(dap_picture_colour(p, rank)), rank);
  for (int i = row; i < rows->count; i++)
    for (int j = column; j < columns->count && rows->at[i].coord == rows->at[row].coord; j++)
      if (columns->at[j].coord == columns->at[column].coord) put_rectangle(to, rows->at[i], columns->at[j]);
  (void)fputs("</g>\n", to);
}

/* Returns whether no earlier stretch has this coordinate. */
static bool is_new(const dap_picture_list *list, int index)
{
  for (int i = 0; i < index; i++)
    if (list->at[i].coord == list->at[index].coord) return false;
  return true;
}

static void put_cells(FILE *to, const dap_picture *p)
{
  for (int i = 0; i < p->rows.owned.count; i++)
    for (int j = 0; j < p->columns.owned.count && is_new(&p->rows.owned, i); j++)
      if (is_new(&p->columns.owned, j)) put_owner(to, p, i, j);
}

/* Hatches stretches of one axis, all along the other. */
static void put_bands(FILE *to, const dap_picture *p, const char *class, const dap_picture_list *rows,
                      const dap_picture_list *columns)
{
  const dap_picture_stretch down = {p->rows.begin, p->rows.end, 0};
  const dap_picture_stretch along = {p->columns.begin, p->columns.end, 0};
  if (rows->count + columns->count == 0) return;
  (void)fprintf(to, "<g class=\"%s\" fill=\"url(#%s)\">\n", class, class);
  for (int i = 0; i < rows->count; i++) put_rectangle(to, rows->at[i], along);
  for (int j = 0; j < columns->count; j++) put_rectangle(to, down, columns->at[j]);
  (void)fputs("</g>\n", to);
}

static void put_elements(FILE *to, const dap_picture *p)
{
  (void)fprintf(to,
                "<g transform=\"translate(%.6g %.6g) scale(%.9g %.9g)\" shape-rendering=\"crispEdges\">\n",
                p->place[1], p->place[0], p->unit[1], p->unit[0]);
  put_cells(to, p);
  put_bands(to, p, "copied", &p->rows.copied, &p->columns.copied);
  put_bands(to, p, "boundary", &p->rows.boundary, &p->columns.boundary);
  (void)fputs("</g>\n", to);
}

/* ---- lines ------------------------------------------------------------------------------------------ */

static void put_line(FILE *to, const char *class, double x, double y, double width, double height)
{
  (void)fprintf(to, "<path class=\"%s\" d=\"M%.2f %.2fl%.2f %.2f\"/>\n", class, x, y, width, height);
}

static void put_lines(FILE *to, const dap_picture *p)
{
  const double width = p->right - p->left, height = p->bottom - p->top;
  const dap_picture_axis *rows = &p->rows, *columns = &p->columns;
  for (int64_t i = 1; i < rows->shown && rows->shown <= GRIDDED; i++)
    put_line(to, "grid", p->left, dap_picture_y(p, i), width, 0);
  for (int64_t j = 1; j < columns->shown && columns->shown <= GRIDDED; j++)
    put_line(to, "grid", dap_picture_x(p, j), p->top, 0, height);
  for (int i = 1; i < rows->owned.count; i++)
    put_line(to, "edge", p->left, dap_picture_y(p, rows->owned.at[i].begin), width, 0);
  for (int j = 1; j < columns->owned.count; j++)
    put_line(to, "edge", dap_picture_x(p, columns->owned.at[j].begin), p->top, 0, height);
  (void)fprintf(to, "<rect class=\"frame\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                dap_picture_x(p, 0), dap_picture_y(p, 0), p->unit[1] * (double)columns->shown,
                p->unit[0] * (double)rows->shown);
  if (rows->shown < rows->size) put_line(to, "cut", p->left, p->bottom + 4, width, 0);
  if (columns->shown < columns->size) put_line(to, "cut", p->right + 4, p->top, 0, height);
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

static int digits(int64_t number)
{
  return snprintf(NULL, 0, "%" PRId64, number);
}

static int64_t longest(const dap_picture_list *list)
{
  int64_t most = 0;
  for (int i = 0; i < list->count; i++)
    if (list->at[i].end - list->at[i].begin > most) most = list->at[i].end - list->at[i].begin;
  return most;
}

/* Returns the largest text size with which ranks fit into the largest cells, up to LARGEST. Text below LEAST
 * cannot be read. */
static double choose_font(const dap_picture *p)
{
  const double height = p->unit[0] * (double)longest(&p->rows.owned) - 2;
  const double width = p->unit[1] * (double)longest(&p->columns.owned) - 3;
  const double fits = width / dap_svg_width((size_t)digits(dap_layout_nprocs(p->layout) - 1), 1);
  const double least = fits < height ? fits : height;
  return least < LARGEST ? least : LARGEST;
}

/* Writes ranks into cells that have room for them. */
static void put_ranks(FILE *to, const dap_picture *p)
{
  const double font = choose_font(p);
  if (font < LEAST) return;
  (void)fprintf(to, "<g class=\"ranks\" text-anchor=\"middle\" style=\"font-size:%.1fpx\">\n", font);
  for (int i = 0; i < p->rows.owned.count; i++) {
    const dap_picture_stretch row = p->rows.owned.at[i];
    const double height = p->unit[0] * (double)(row.end - row.begin);
    for (int j = 0; height >= font && j < p->columns.owned.count; j++) {
      const dap_picture_stretch column = p->columns.owned.at[j];
      const double width = p->unit[1] * (double)(column.end - column.begin);
      const int rank = dap_picture_rank(p, i, j);
      if (width < dap_svg_width((size_t)digits(rank), font)) continue;
      char text[16] = "?";
      if (rank >= 0) (void)snprintf(text, sizeof text, "%d", rank);
      (void)fprintf(to, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", dap_picture_x(p, column.begin) + width / 2,
                    dap_picture_y(p, row.begin) + height / 2 + 0.36 * font, text);
    }
  }
  (void)fputs("</g>\n", to);
}

/* Writes the indices at which stretches begin, as far as there is room, and the index at the end. */
static void put_indices(FILE *to, const dap_picture *p, bool is_row)
{
  const dap_picture_axis *a = is_row ? &p->rows : &p->columns;
  const double room = is_row ? small + 2 : dap_svg_width((size_t)digits(a->size) + 1, small);
  const double end = is_row ? dap_picture_y(p, a->shown) : dap_picture_x(p, a->shown);
  double last = -1e9;
  for (int i = 0; i <= a->owned.count; i++) {
    const int64_t index = i < a->owned.count ? a->owned.at[i].begin : a->shown;
    const double at = is_row ? dap_picture_y(p, index) : dap_picture_x(p, index);
    if (index < a->shown && (at - last < room || (index > 0 && end - at < room))) continue;
    last = at;
    if (is_row)
      dap_svg_index(to, p->left - 7, at + 4, "end", index);
    else
      dap_svg_index(to, at, p->top - 7, "middle", index);
  }
}

static void put_axes(FILE *to, const dap_picture *p)
{
  char text[32];
  if (p->columns.axis >= 0) {
    (void)snprintf(text, sizeof text, "axis %d", p->columns.axis);
    dap_svg_text(to, (p->left + p->right) / 2, p->top - 24, "middle", "index", text);
    put_indices(to, p, false);
  }
  if (p->rows.axis < 0) return;
  (void)fprintf(
      to,
      "<text transform=\"translate(22 %.1f) rotate(-90)\" text-anchor=\"middle\" class=\"index\">axis "
      "%d</text>\n",
      (p->top + p->bottom) / 2, p->rows.axis);
  put_indices(to, p, true);
}

/* ---- the page --------------------------------------------------------------------------------------- */

void dap_svg_picture(FILE *to, const dap_picture *p, const char *name)
{
  const double words = dap_svg_width(strlen(p->summary), 14),
               note = name ? dap_svg_width(strlen(name), small) : 0;
  const double inner = dap_picture_larger(dap_picture_larger(p->right, MARGIN + words),
                                          dap_picture_larger(MARGIN + note, NARROW)) -
                       MARGIN;
  const double below = p->bottom + GAP;
  const double height = below + dap_svg_legend(NULL, p, MARGIN, below, inner) + MARGIN / 2.;
  dap_svg_begin(to, inner + 2 * MARGIN, height, p->unit, p->summary);
  dap_svg_text(to, MARGIN, 24, "start", "title", p->summary);
  if (name) dap_svg_text(to, MARGIN, 42, "start", "note", name);
  put_elements(to, p);
  put_lines(to, p);
  put_ranks(to, p);
  put_axes(to, p);
  (void)dap_svg_legend(to, p, MARGIN, below, inner);
  dap_svg_end(to);
}

/* Draws a page that says that there are no elements. */
static void draw_empty(FILE *to, const dap_layout *layout, int axis)
{
  enum { WIDTH = 480, HEIGHT = 64 };
  static const double one[2] = {1, 1};
  char summary[256], why[64];
  (void)dap_layout_summary(layout, summary, sizeof summary);
  (void)snprintf(why, sizeof why, "no elements: axis %d has size 0", axis);
  dap_svg_begin(to, WIDTH, HEIGHT, one, summary);
  dap_svg_text(to, MARGIN, 24, "start", "title", summary);
  dap_svg_text(to, MARGIN, 44, "start", "note", why);
  dap_svg_end(to);
}

dap_status dap_layout_draw_svg(const dap_layout *layout, const int64_t plane[], const char *name,
                               FILE *stream, dap_error *err)
{
  dap_picture p = {0};
  DAP_REQUIRE(stream, err, DAP_ERR_ARG, "stream must not be NULL");
  DAP_TRY(dap_layout_check(layout, err));
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (dap_layout_size(layout, k) == 0) {
      draw_empty(stream, layout, k);
      return DAP_OK;
    }
  const dap_status s = dap_picture_init(layout, plane, &p, err);
  if (!s) dap_svg_picture(stream, &p, name);
  dap_picture_release(&p);
  return s;
}
