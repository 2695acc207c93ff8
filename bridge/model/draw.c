/* A layout as a picture: the rank between two bars owns what lies between them.
 *
 *     0   3   6   8              0   4   8  10
 *     | 0 | 1 | 2 |            0 | 0 | 1 | 0 |
 *                              5 | 2 | 3 | 2 |
 *                              9
 *
 * Above a bar is the global index at which it lies, beside a row the one at which it begins; the last ones
 * are the sizes. */
#include "model_impl.h"

#include <inttypes.h>

enum {
  SHOWN = 32, /* stretches of an axis */
  WIDTH = 100 /* characters of a line */
};

/* A stretch of an axis that one coordinate owns. */
typedef struct stretch {
  int64_t first;
  int coord; /* -1: not known here */
} stretch;

typedef struct ruler {
  int count;             /* stretches shown */
  bool cut;              /* there are more, from at[count] */
  stretch at[SHOWN + 1]; /* [count], and one behind them if cut */
  int64_t size;
} ruler;

/* Who owns `global`, and where the stretch ends, or may end: the next one can be of the same coordinate. */
static int64_t stretch_end(const dap_map *map, int64_t global, int *coord)
{
  int64_t local;
  *coord = 0;
  if (map->axis.procs == 1) return map->axis.size;
  if (!map->ops->locate(map, global, coord, &local)) *coord = -1;
  if (!map->ops->run_after) return global + 1;
  const dap_run run = map->ops->run(map, *coord, map->ops->run_after(map, *coord, global));
  return run.global + run.length;
}

static ruler measure(const dap_map *map)
{
  ruler r = {.size = map->axis.size};
  for (int64_t global = 0; global < r.size && !r.cut;) {
    int coord;
    const int64_t end = stretch_end(map, global, &coord);
    const bool begins = r.count == 0 || r.at[r.count - 1].coord != coord;
    r.cut = begins && r.count == SHOWN;
    if (begins) r.at[r.count] = (stretch){global, coord};
    if (begins && !r.cut) r.count++;
    global = end;
  }
  return r;
}

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

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

/* The columns of a picture. */
typedef struct page {
  ruler columns;
  int margin; /* characters before the first bar */
  int cell;   /* characters from bar to bar */
  int last;   /* the same of the cell that stands for those not shown */
} page;

static page lay_out(const dap_layout *layout, int margin, const dap_map *columns)
{
  page p = {.columns = measure(columns), .margin = margin};
  ruler *r = &p.columns;
  p.cell = larger(digits(r->size) + 1, digits(layout->nprocs - 1) + 3);
  p.last = larger(p.cell, (int)sizeof "| ... " - 1);
  const int free = WIDTH - margin - digits(r->size);
  if (r->cut || r->count > free / p.cell) {
    r->cut = true;
    r->count = smaller(r->count, larger(1, (free - p.last) / p.cell));
  }
  return p;
}

static void add_header(dap_text *text, const page *p)
{
  const ruler *r = &p->columns;
  dap_text_add(text, "%*s", p->margin, "");
  for (int i = 0; i < r->count; i++) dap_text_add(text, "%-*" PRId64, p->cell, r->at[i].first);
  if (r->cut) dap_text_add(text, "%-*" PRId64, p->last, r->at[r->count].first);
  dap_text_add(text, "%" PRId64 "\n", r->size);
}

/* The cells of one row: coords[] has the coordinates along all axes but that of the columns. */
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

static void draw_line(dap_text *text, const dap_layout *layout)
{
  int coords[DAP_MAX_NDIM] = {0};
  const page p = lay_out(layout, 0, &layout->maps[0]);
  add_header(text, &p);
  add_cells(text, layout, &p, 0, coords);
}

static void draw_table(dap_text *text, const dap_layout *layout)
{
  int coords[DAP_MAX_NDIM] = {0};
  for (int k = 2; k < layout->ndim; k++) (void)stretch_end(&layout->maps[k], 0, &coords[k]);
  if (layout->ndim > 2) {
    dap_text_add(text, "elements (i, j");
    for (int k = 2; k < layout->ndim; k++) dap_text_add(text, ", 0");
    dap_text_add(text, ")\n");
  }
  const ruler rows = measure(&layout->maps[0]);
  const int label = larger(digits(rows.size), rows.cut ? (int)sizeof "..." - 1 : 0);
  const page p = lay_out(layout, label + 1, &layout->maps[1]);
  add_header(text, &p);
  for (int i = 0; i < rows.count; i++) {
    dap_text_add(text, "%*" PRId64 " ", label, rows.at[i].first);
    coords[0] = rows.at[i].coord;
    add_cells(text, layout, &p, 1, coords);
  }
  if (rows.cut) dap_text_add(text, "%*s\n", label, "...");
  dap_text_add(text, "%*" PRId64 "\n", label, rows.size);
}

size_t dap_layout_draw(const dap_layout *layout, char *out, size_t capacity)
{
  dap_text text = dap_text_start(out, capacity);
  for (int k = 0; k < layout->ndim; k++)
    if (layout->maps[k].axis.size == 0) {
      dap_text_add(&text, "no elements: dim %d has size 0\n", k);
      return text.length;
    }
  if (layout->ndim == 0)
    dap_text_add(&text, "| 0 |\n");
  else if (layout->ndim == 1)
    draw_line(&text, layout);
  else
    draw_table(&text, layout);
  return text.length;
}
