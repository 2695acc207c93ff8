/* Draws a layout in characters: the rank between two bars owns the elements between them.
 *
 *     0   3   6   8              0   4   8  10
 *     | 0 | 1 | 2 |            0 | 0 | 1 | 0 |
 *                              5 | 2 | 3 | 2 |
 *                              9
 *
 * A bar is below its global index, and a row is beside its first one. The last indices are the sizes. */
#include "text_impl.h"

#include <inttypes.h>
#include <string.h>

enum {
  WIDTH = 100,  /* characters of a line */
  UNFOLDED = 8, /* rows that may repeat */
  LABEL = 64    /* bytes of the ranges of a row */
};

static int digits(int64_t number)
{
  int count = 1;
  for (; number > 9; number /= 10) count++;
  return count;
}

static int larger(int a, int b)
{
  return a > b ? a : b;
}

/* ---- cells ------------------------------------------------------------------------------------------ */

/* The columns of a picture. */
typedef struct page {
  dap_ruler columns;
  int margin; /* characters before the first bar */
  int cell;   /* characters from bar to bar */
  int last;   /* width of the cell that stands for those not shown */
} page;

static page lay_out(const dap_layout *layout, int margin, const dap_map *columns)
{
  page p = {.columns = dap_ruler_of(columns), .margin = margin};
  dap_ruler *r = &p.columns;
  p.cell = larger(digits(r->size) + 1, digits(layout->nprocs - 1) + 3);
  p.last = larger(p.cell, (int)sizeof "| ... " - 1);
  const int free = WIDTH - margin - digits(r->size);
  if (r->cut || r->count > free / p.cell) {
    r->cut = true;
    r->count = (int)dap_smaller(r->count, larger(1, (free - p.last) / p.cell));
  }
  return p;
}

static void add_header(dap_text *text, const page *p)
{
  const dap_ruler *r = &p->columns;
  dap_text_add(text, "%*s", p->margin, "");
  for (int i = 0; i < r->count; i++) dap_text_add(text, "%-*" PRId64, p->cell, r->at[i].first);
  if (r->cut) dap_text_add(text, "%-*" PRId64, p->last, r->at[r->count].first);
  dap_text_add(text, "%" PRId64 "\n", r->size);
}

/* Adds the cells of one row. coords[] has the coordinates along all axes except that of the columns. */
static void add_cells(dap_text *text, const dap_layout *layout, const page *p, int column_axis, int coords[])
{
  for (int i = 0; i < p->columns.count; i++) {
    coords[column_axis] = p->columns.at[i].coord;
    bool known = true;
    for (int k = 0; k < layout->ndim; k++) known = known && coords[k] >= 0;
    if (known)
      dap_text_add(text, "| %*d ", p->cell - 3, dap_layout_rank(layout, coords));
    else
      dap_text_add(text, "| %*s ", p->cell - 3, "?");
  }
  if (p->columns.cut) dap_text_add(text, "| %*s ", p->last - 3, "...");
  dap_text_add(text, "|\n");
}

static void draw_line(dap_text *text, const dap_layout *layout, int axis, int coords[])
{
  const page p = lay_out(layout, 0, &layout->maps[axis]);
  add_header(text, &p);
  add_cells(text, layout, &p, axis, coords);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

/* Returns whether no earlier row has this coordinate. */
static bool is_new(const dap_ruler *rows, int row)
{
  for (int i = 0; i < row; i++)
    if (rows->at[i].coord == rows->at[row].coord) return false;
  return true;
}

/* Returns whether there are many rows, all known, and some repeat. */
static bool is_folded(const dap_ruler *rows)
{
  bool repeats = false;
  for (int i = 0; i < rows->count; i++) {
    if (rows->at[i].coord < 0) return false;
    repeats = repeats || !is_new(rows, i);
  }
  return repeats && (rows->cut || rows->count > UNFOLDED);
}

/* Returns whether some owner has none of the rows. */
static bool has_others(const dap_map *map, const dap_ruler *rows)
{
  int owners = 0, found = 0;
  for (int c = 0; c < map->axis.procs; c++) owners += map->ops->owned(map, c) > 0;
  for (int i = 0; i < rows->count; i++) found += is_new(rows, i);
  return found < owners;
}

static void write_label(char label[LABEL], const dap_map *map, int coord)
{
  dap_text text = dap_text_start(label, LABEL);
  dap_ruler_add_owned(&text, map, coord);
}

/* Draws each row once, beside the ranges of its indices. */
static void draw_folded(dap_text *text, const dap_layout *layout, const dap_ruler *rows, const int axes[2],
                        int coords[])
{
  const dap_map *map = &layout->maps[axes[0]];
  char label[LABEL];
  int width = (int)sizeof "..." - 1;
  for (int i = 0; i < rows->count; i++) {
    write_label(label, map, rows->at[i].coord);
    width = larger(width, (int)strlen(label));
  }
  const page p = lay_out(layout, width + 1, &layout->maps[axes[1]]);
  add_header(text, &p);
  for (int i = 0; i < rows->count; i++) {
    if (!is_new(rows, i)) continue;
    coords[axes[0]] = rows->at[i].coord;
    write_label(label, map, coords[axes[0]]);
    dap_text_add(text, "%*s ", width, label);
    add_cells(text, layout, &p, axes[1], coords);
  }
  if (has_others(map, rows)) dap_text_add(text, "%*s\n", width, "...");
}

static void draw_table(dap_text *text, const dap_layout *layout, const int axes[2], int coords[])
{
  const dap_ruler rows = dap_ruler_of(&layout->maps[axes[0]]);
  if (is_folded(&rows)) {
    draw_folded(text, layout, &rows, axes, coords);
    return;
  }
  const int label = larger(digits(rows.size), rows.cut ? (int)sizeof "..." - 1 : 0);
  const page p = lay_out(layout, label + 1, &layout->maps[axes[1]]);
  add_header(text, &p);
  for (int i = 0; i < rows.count; i++) {
    dap_text_add(text, "%*" PRId64 " ", label, rows.at[i].first);
    coords[axes[0]] = rows.at[i].coord;
    add_cells(text, layout, &p, axes[1], coords);
  }
  if (rows.cut) dap_text_add(text, "%*s\n", label, "...");
  dap_text_add(text, "%*" PRId64 "\n", label, rows.size);
}

/* ---- planes ---------------------------------------------------------------------------------------- */

/* Says which elements of a larger array are drawn: "elements (i, 3, j)". */
static void add_plane(dap_text *text, const dap_layout *layout, const int64_t plane[])
{
  char letter = 'i';
  for (int k = 0; k < layout->ndim; k++) {
    dap_text_add(text, k ? ", " : "elements (");
    if (plane[k] >= 0)
      dap_text_add(text, "%" PRId64, plane[k]);
    else
      dap_text_add(text, "%c", letter++);
  }
  dap_text_add(text, ")\n");
}

size_t dap_layout_draw_plane(const dap_layout *layout, const int64_t plane[], char *out, size_t capacity)
{
  dap_text text = dap_text_start(out, capacity);
  int coords[DAP_MAX_NDIM] = {0}, axes[DAP_MAX_NDIM], drawn = 0;
  for (int k = 0; k < layout->ndim; k++)
    if (layout->maps[k].axis.size == 0) {
      dap_text_add(&text, "no elements: axis %d has size 0\n", k);
      return text.length;
    }
  for (int k = 0; k < layout->ndim; k++) {
    if (plane[k] < 0)
      axes[drawn++] = k;
    else
      (void)dap_stretch_end(&layout->maps[k], plane[k], &coords[k]);
  }
  if (drawn < layout->ndim) add_plane(&text, layout, plane);
  if (layout->ndim == 0) dap_text_add(&text, "| 0 |\n");
  if (drawn == 1) draw_line(&text, layout, axes[0], coords);
  if (drawn == 2) draw_table(&text, layout, axes, coords);
  for (int i = 0; i < drawn; i++) dap_ruler_add_note(&text, &layout->maps[axes[i]], axes[i]);
  return text.length;
}

size_t dap_layout_draw(const dap_layout *layout, char *out, size_t capacity)
{
  static const int64_t plane[DAP_MAX_NDIM] = {-1, -1};
  return dap_layout_draw_plane(layout, plane, out, capacity);
}
