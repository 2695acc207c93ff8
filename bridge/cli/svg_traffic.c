/* Draws the communication matrix as SVG. Rows send to columns, and darker cells are more bytes. */
#include "picture_impl.h"
#include "traffic_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  CELLS = 96,    /* most rows and columns; with more processes, several share a cell */
  AREA = 560,    /* most pixels of all rows or columns */
  CELL = 44,     /* most pixels of one */
  LABELLED = 30, /* least pixels of a cell with room for a number */
  LEFT = 92,
  TOP = 112,
  MARGIN = 24,
  NARROW = 500,
  SCALE = 200, /* width of the legend's scale */
  STEPS = 20   /* of its colours */
};

/* The picture. A cell is what `share` x `share` processes send. */
typedef struct drawing {
  const traffic *t;
  char *from, *into; /* the layouts in words */
  int share, rows, columns;
  double cell;    /* pixels */
  int64_t *bytes; /* [rows][columns] */
  int64_t most;   /* of a cell, except bytes that stay on a process */
} drawing;

static int64_t at(const drawing *d, int row, int column)
{
  return d->bytes[row * d->columns + column];
}

/* Returns whether the bytes of a cell stay on their process. */
static bool stays(const drawing *d, int row, int column)
{
  return row == column && d->share == 1;
}

static bool make(const traffic *t, drawing *d)
{
  const int share = (t->nprocs + CELLS - 1) / CELLS;
  *d = (drawing){.t = t,
                 .from = cli_text(dap_layout_summary, t->from),
                 .into = cli_text(dap_layout_summary, t->to),
                 .share = share,
                 .rows = (t->rows + share - 1) / share,
                 .columns = (t->columns + share - 1) / share};
  const int longer = d->rows > d->columns ? d->rows : d->columns;
  d->cell = longer * CELL < AREA ? CELL : (double)AREA / longer;
  d->bytes = calloc((size_t)d->rows * (size_t)d->columns, sizeof *d->bytes);
  if (!d->bytes || !d->from || !d->into) return false;
  for (int p = 0; p < t->rows; p++)
    for (int q = 0; q < t->columns; q++)
      d->bytes[p / share * d->columns + q / share] += traffic_bytes(t, p, q);
  for (int i = 0; i < d->rows * d->columns; i++)
    if (!stays(d, i / d->columns, i % d->columns) && d->bytes[i] > d->most) d->most = d->bytes[i];
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

static void put_number(FILE *to, const drawing *d, int row, int column, const char *colour)
{
  const traffic_text bytes = traffic_in_units(at(d, row, column));
  (void)fprintf(
      to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" style=\"font-size:%.1fpx;fill:%s\">%s</text>\n",
      LEFT + (column + 0.5) * d->cell, TOP + (row + 0.5) * d->cell + 3, d->cell / 5, colour, bytes.text);
}

static void put_cell(FILE *to, const drawing *d, int row, int column)
{
  char colour[8] = "#e4e4e4";
  const int64_t bytes = at(d, row, column);
  const double share = stays(d, row, column) ? 0 : (double)bytes / (double)d->most;
  if (bytes == 0) return;
  if (!stays(d, row, column)) write_colour(share, colour);
  (void)fprintf(
      to,
      "<rect class=\"pair\" data-from=\"%d\" data-to=\"%d\" data-bytes=\"%lld\" x=\"%.2f\" y=\"%.2f\" "
      "width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"%.1f\"/>\n",
      row * d->share, column * d->share, (long long)bytes, LEFT + column * d->cell, TOP + row * d->cell,
      d->cell, d->cell, colour, d->cell > 12 ? 0.8 : 0);
  if (d->cell >= LABELLED) put_number(to, d, row, column, share > 0.45 ? "#fff" : "#222");
}

static bool has_frames(const drawing *d)
{
  return d->t->node > 1 && d->t->node >= d->share;
}

/* Draws a frame around the processes of each node. */
static void put_nodes(FILE *to, const drawing *d)
{
  const traffic *t = d->t;
  const int smaller = t->rows < t->columns ? t->rows : t->columns;
  if (!has_frames(d)) return;
  for (long first = 0; first < smaller; first += t->node) {
    const double process = d->cell / d->share, begin = process * (double)first;
    const double end = (double)(first + t->node);
    (void)fprintf(to,
                  "<rect class=\"node\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"none\" "
                  "stroke=\"#d55e00\" stroke-width=\"2\"/>\n",
                  LEFT + begin, TOP + begin, process * dap_picture_smaller(end, t->columns) - begin,
                  process * dap_picture_smaller(end, t->rows) - begin);
  }
}

static void put_axes(FILE *to, const drawing *d)
{
  const double width = d->columns * d->cell, height = d->rows * d->cell;
  const int step = d->cell >= 18 ? 1 : (int)(26 / d->cell) + 1;
  for (int i = 0; i < d->rows; i += step)
    dap_svg_index(to, LEFT - 7, TOP + (i + 0.5) * d->cell + 4, "end", i * d->share);
  for (int j = 0; j < d->columns; j += step)
    dap_svg_index(to, LEFT + (j + 0.5) * d->cell, TOP - 7, "middle", j * d->share);
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

static void put_scale(FILE *to, const drawing *d, double y)
{
  char colour[8];
  for (int i = 0; i < STEPS; i++) {
    write_colour((i + 0.5) / STEPS, colour);
    (void)fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>\n",
                  MARGIN + 24 + (double)i * SCALE / STEPS, y, (double)SCALE / STEPS + 0.3, colour);
  }
  dap_svg_text(to, MARGIN + 18, y + 10, "end", "note", "0");
  dap_svg_text(to, MARGIN + 24 + SCALE + 6, y + 10, "start", "note", traffic_in_units(d->most).text);
}

static void write_key(const drawing *d, char *text, size_t capacity)
{
  const int length =
      d->share > 1 ? snprintf(text, capacity, "each cell stands for %d x %d processes", d->share, d->share)
                   : snprintf(text, capacity, "grey: stays on the process");
  if (has_frames(d) && length > 0)
    (void)snprintf(text + length, capacity - (size_t)length, "; framed: the %ld processes of a node",
                   d->t->node);
}

static void put_notes(FILE *to, const drawing *d, double y)
{
  const traffic *t = d->t;
  char text[256], of_asked[48] = "";
  (void)snprintf(text, sizeof text, "%s stay on a process, %s on a node, %s go between nodes",
                 traffic_in_units(t->kept).text, traffic_in_units(t->on_node).text,
                 traffic_in_units(t->between).text);
  dap_svg_text(to, MARGIN, y, "start", "note", text);
  if (t->asked < t->nprocs) (void)snprintf(of_asked, sizeof of_asked, " (of %d processes)", t->asked);
  (void)snprintf(text, sizeof text,
                 "%lld messages%s, at most %lld from one process; at most %s of buffers on one",
                 (long long)t->messages, of_asked, (long long)t->busiest, traffic_in_units(t->buffer).text);
  dap_svg_text(to, MARGIN, y + 18, "start", "note", text);
  write_key(d, text, sizeof text);
  dap_svg_text(to, MARGIN, y + 36, "start", "note", text);
}

static void put_page(FILE *to, const void *what)
{
  const drawing *d = what;
  const char *from = d->from, *into = d->into;
  static const double one[2] = {1, 1};
  const double below = TOP + d->rows * d->cell + 22;
  const double words = dap_svg_width(strlen(from) > strlen(into) ? strlen(from) : strlen(into), 14) + 50;
  const double width =
      dap_picture_larger(dap_picture_larger(LEFT + d->columns * d->cell, MARGIN + words), NARROW) + MARGIN;
  dap_svg_begin(to, width, below + 84, one, "communication matrix");
  dap_svg_text(to, MARGIN, 26, "start", "title", "from");
  dap_svg_text(to, MARGIN + 46, 26, "start", "title", from);
  dap_svg_text(to, MARGIN, 46, "start", "title", "to");
  dap_svg_text(to, MARGIN + 46, 46, "start", "title", into);
  for (int i = 0; i < d->rows; i++)
    for (int j = 0; j < d->columns; j++) put_cell(to, d, i, j);
  put_axes(to, d);
  put_nodes(to, d);
  put_scale(to, d, below);
  put_notes(to, d, below + 34);
  dap_svg_end(to);
}

cli_exit traffic_draw(const cli_options *options, const traffic *t)
{
  drawing d;
  const cli_exit result = make(t, &d) ? cli_write(options, put_page, &d)
                                      : cli_complain(options, DAP_ERR_NOMEM, "plan", "no memory to draw it");
  free(d.bytes);
  free(d.from);
  free(d.into);
  return result;
}
