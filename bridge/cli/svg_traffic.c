/* Draws the communication matrix as SVG. Rows send to columns, and darker cells are more bytes. */
#include "picture_impl.h"
#include "traffic_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  CELLS = 96,    /* most rows and columns; with more processes, several share a cell */
  AREA = 560,    /* most pixels of all rows or columns */
  CELL = 44,     /* most pixels of one */
  LABELLED = 30, /* pixels from which on a cell has room for a number */
  LEFT = 92,
  TOP = 112,
  MARGIN = 24,
  NARROW = 500,
  SCALE = 200, /* width of the legend's scale */
  STEPS = 20   /* of its colours */
};

/* The cells of the picture. A cell is what `share` x `share` processes send. */
typedef struct grid {
  const traffic *t;
  int share, rows, columns;
  double cell;    /* pixels */
  int64_t *bytes; /* [rows][columns] */
  int64_t most;   /* of a cell, except bytes that stay on a process */
} grid;

static int64_t at(const grid *g, int row, int column)
{
  return g->bytes[row * g->columns + column];
}

/* Returns whether the bytes of a cell stay on their process. */
static bool stays(const grid *g, int row, int column)
{
  return row == column && g->share == 1;
}

static bool make_grid(const traffic *t, grid *g)
{
  const int share = (t->nprocs + CELLS - 1) / CELLS;
  *g = (grid){.t = t,
              .share = share,
              .rows = (t->rows + share - 1) / share,
              .columns = (t->columns + share - 1) / share};
  const int longer = g->rows > g->columns ? g->rows : g->columns;
  g->cell = longer * CELL < AREA ? CELL : (double)AREA / longer;
  g->bytes = calloc((size_t)g->rows * (size_t)g->columns, sizeof *g->bytes);
  if (!g->bytes) return false;
  for (int p = 0; p < t->rows; p++)
    for (int q = 0; q < t->columns; q++)
      g->bytes[p / share * g->columns + q / share] += traffic_bytes(t, p, q);
  for (int i = 0; i < g->rows * g->columns; i++)
    if (!stays(g, i / g->columns, i % g->columns) && g->bytes[i] > g->most) g->most = g->bytes[i];
  return true;
}

/* Writes a colour from white to dark blue, of ColorBrewer's "Blues" (https://colorbrewer2.org). Its
 * lightness falls steadily, so that all readers see the difference. */
static void write_colour(double share, char colour[8])
{
  static const int stops[][3] = {
      {222, 235, 247}, {158, 202, 225}, {66, 146, 198}, {8, 81, 156}, {8, 48, 107}};
  const double place = share * 4;
  const int i = place >= 4 ? 3 : (int)place;
  int rgb[3];
  for (int k = 0; k < 3; k++)
    rgb[k] = (int)(stops[i][k] + (place - i) * (stops[i + 1][k] - stops[i][k]) + 0.5);
  (void)snprintf(colour, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

/* ---- cells --------------------------------------------------------------------------------------------- */

static void put_number(FILE *to, const grid *g, int row, int column, const char *colour)
{
  char text[TRAFFIC_NUMBER];
  traffic_write_bytes(at(g, row, column), text);
  (void)fprintf(
      to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" style=\"font-size:%.1fpx;fill:%s\">%s</text>\n",
      LEFT + (column + 0.5) * g->cell, TOP + (row + 0.5) * g->cell + 3, g->cell / 5, colour, text);
}

static void put_cell(FILE *to, const grid *g, int row, int column)
{
  char colour[8] = "#e4e4e4";
  const int64_t bytes = at(g, row, column);
  const double share = stays(g, row, column) ? 0 : (double)bytes / (double)g->most;
  if (bytes == 0) return;
  if (!stays(g, row, column)) write_colour(share, colour);
  (void)fprintf(
      to,
      "<rect class=\"pair\" data-from=\"%d\" data-to=\"%d\" data-bytes=\"%lld\" x=\"%.2f\" y=\"%.2f\" "
      "width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"%.1f\"/>\n",
      row * g->share, column * g->share, (long long)bytes, LEFT + column * g->cell, TOP + row * g->cell,
      g->cell, g->cell, colour, g->cell > 12 ? 0.8 : 0);
  if (g->cell >= LABELLED) put_number(to, g, row, column, share > 0.45 ? "#fff" : "#222");
}

static bool has_frames(const grid *g)
{
  return g->t->node > 1 && g->t->node >= g->share;
}

/* Draws a frame around the processes of each node. */
static void put_nodes(FILE *to, const grid *g)
{
  const traffic *t = g->t;
  const int smaller = t->rows < t->columns ? t->rows : t->columns;
  if (!has_frames(g)) return;
  for (long first = 0; first < smaller; first += t->node) {
    const double begin = g->cell * (double)first / g->share;
    const double ends[2] = {(double)(first + t->node < t->rows ? first + t->node : t->rows),
                            (double)(first + t->node < t->columns ? first + t->node : t->columns)};
    (void)fprintf(to,
                  "<rect class=\"node\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
                  "stroke=\"#d55e00\" stroke-width=\"2\"/>\n",
                  LEFT + begin, TOP + begin, g->cell * ends[1] / g->share - begin,
                  g->cell * ends[0] / g->share - begin);
  }
}

static void put_axes(FILE *to, const grid *g)
{
  const double width = g->columns * g->cell, height = g->rows * g->cell;
  const int step = g->cell >= 18 ? 1 : (int)(26 / g->cell) + 1;
  for (int i = 0; i < g->rows; i += step)
    dap_svg_index(to, LEFT - 7, TOP + (i + 0.5) * g->cell + 4, "end", i * g->share);
  for (int j = 0; j < g->columns; j += step)
    dap_svg_index(to, LEFT + (j + 0.5) * g->cell, TOP - 7, "middle", j * g->share);
  dap_svg_text(to, LEFT + width / 2, TOP - 24, "middle", "index", "to process");
  (void)fprintf(
      to,
      "<text transform=\"translate(28 %.1f) rotate(-90)\" text-anchor=\"middle\" class=\"index\">from "
      "process</text>\n",
      TOP + height / 2);
  (void)fprintf(to, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%.2f\" height=\"%.2f\"/>\n", LEFT, TOP,
                width, height);
}

/* ---- words --------------------------------------------------------------------------------------------- */

static void put_scale(FILE *to, const grid *g, double y)
{
  char colour[8], text[TRAFFIC_NUMBER];
  for (int i = 0; i < STEPS; i++) {
    write_colour((i + 0.5) / STEPS, colour);
    (void)fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>\n",
                  MARGIN + 24 + (double)i * SCALE / STEPS, y, (double)SCALE / STEPS + 0.3, colour);
  }
  dap_svg_text(to, MARGIN + 18, y + 10, "end", "note", "0");
  traffic_write_bytes(g->most, text);
  dap_svg_text(to, MARGIN + 24 + SCALE + 6, y + 10, "start", "note", text);
}

static void write_key(const grid *g, char *text, size_t capacity)
{
  char node[64] = "", cells[64] = "";
  if (has_frames(g)) (void)snprintf(node, sizeof node, "framed: the %ld processes of a node", g->t->node);
  if (g->share > 1)
    (void)snprintf(cells, sizeof cells, "each cell stands for %d x %d processes", g->share, g->share);
  (void)snprintf(text, capacity, "%s%s%s", g->share > 1 ? cells : "grey: stays on the process",
                 *node ? "; " : "", node);
}

static void put_notes(FILE *to, const grid *g, double y)
{
  const traffic *t = g->t;
  char text[256], of_asked[48] = "", of[4][TRAFFIC_NUMBER];
  traffic_write_bytes(t->kept, of[0]);
  traffic_write_bytes(t->on_node, of[1]);
  traffic_write_bytes(t->between, of[2]);
  traffic_write_bytes(t->buffer, of[3]);
  (void)snprintf(text, sizeof text, "%s stay on a process, %s on a node, %s go between nodes", of[0], of[1],
                 of[2]);
  dap_svg_text(to, MARGIN, y, "start", "note", text);
  if (t->asked < t->nprocs) (void)snprintf(of_asked, sizeof of_asked, " (of %d processes)", t->asked);
  (void)snprintf(text, sizeof text,
                 "%lld messages%s, at most %lld from one process; at most %s of buffers on one",
                 (long long)t->messages, of_asked, (long long)t->busiest, of[3]);
  dap_svg_text(to, MARGIN, y + 18, "start", "note", text);
  write_key(g, text, sizeof text);
  dap_svg_text(to, MARGIN, y + 36, "start", "note", text);
}

typedef struct page {
  grid cells;
  char *from, *into; /* the layouts in words */
} page;

static void put_page(FILE *to, const void *what)
{
  const page *p = what;
  const grid *g = &p->cells;
  const char *from = p->from, *into = p->into;
  static const double one[2] = {1, 1};
  const double below = TOP + g->rows * g->cell + 22;
  const double words = dap_svg_width(strlen(from) > strlen(into) ? strlen(from) : strlen(into), 14) + 50;
  const double width =
      dap_picture_larger(dap_picture_larger(LEFT + g->columns * g->cell, MARGIN + words), NARROW) + MARGIN;
  dap_svg_begin(to, width, below + 84, one, "communication matrix");
  dap_svg_text(to, MARGIN, 26, "start", "title", "from");
  dap_svg_text(to, MARGIN + 46, 26, "start", "title", from);
  dap_svg_text(to, MARGIN, 46, "start", "title", "to");
  dap_svg_text(to, MARGIN + 46, 46, "start", "title", into);
  for (int i = 0; i < g->rows; i++)
    for (int j = 0; j < g->columns; j++) put_cell(to, g, i, j);
  put_axes(to, g);
  put_nodes(to, g);
  put_scale(to, g, below);
  put_notes(to, g, below + 34);
  dap_svg_end(to);
}

cli_exit traffic_draw(const cli_options *options, const traffic *t)
{
  page p = {.from = cli_text(dap_layout_summary, t->from), .into = cli_text(dap_layout_summary, t->to)};
  cli_exit result;
  if (make_grid(t, &p.cells) && p.from && p.into)
    result = cli_write(options, put_page, &p);
  else
    result = cli_complain(options, DAP_ERR_NOMEM, "plan", "no memory to draw it");
  free(p.cells.bytes);
  free(p.from);
  free(p.into);
  return result;
}
