#include "draw.h"
#include "svg.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { CASES = 16, WIDTH = 960, TOP = 104, BOTTOM = 400, LEFT = 58, RIGHT = 944, GAP = 64, KEY_COLUMNS = 3 };

/* Methods that have bars, in their order. */
static const struct {
  const char *name, *label, *colour;
} methods[] = {
    {"dap_alloc", "dapbridge, library memory", "#005f9e"}, {"dap_malloc", "dapbridge, malloc", "#62b5ec"},
    {"pack_isend", "pack + Isend, by hand", "#8a8a8a"},    {"alltoallw", "MPI_Alltoallw", "#c9c9c9"},
    {"gemr2d", "ScaLAPACK p?gemr2d", "#d9722b"},           {"vecscatter", "PETSc VecScatter", "#f0c05a"},
};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct chart {
  int ranks;
  int64_t n;
  int count;
  struct {
    const char *name, *about;
    bool small;             /* drawn in microseconds */
    double values[METHODS]; /* 0: not measured */
  } cases[CASES];
} chart;

/* ---- reading ---------------------------------------------------------------------------------------- */

static bool is_small(const json_t *object)
{
  return strchr(draw_word(object, "case"), '_') != NULL;
}

static int find_case(chart *c, const json_t *object)
{
  const char *name = draw_word(object, "case");
  for (int i = 0; i < c->count; i++) {
    if (strcmp(c->cases[i].name, name) == 0) return i;
  }
  if (c->count == CASES) return -1;
  c->cases[c->count].name = name;
  c->cases[c->count].about = draw_word(object, "about");
  c->cases[c->count].small = is_small(object);
  return c->count++;
}

/* Of several measurements of the same thing the last counts. */
static void read_objects(chart *c, const json_t *objects)
{
  size_t i;
  json_t *object;
  c->ranks = (int)draw_number(json_array_get(objects, 0), "ranks", 1);
  json_array_foreach(objects, i, object)
  {
    const int64_t n = (int64_t)draw_number(object, "n", 0);
    if (!is_small(object) && (int)draw_number(object, "ranks", 1) == c->ranks && n > c->n) c->n = n;
  }
  json_array_foreach(objects, i, object)
  {
    if ((int)draw_number(object, "ranks", 1) != c->ranks) continue;
    if (!is_small(object) && (int64_t)draw_number(object, "n", 0) != c->n) continue;
    const int at = find_case(c, object);
    for (int m = 0; at >= 0 && m < METHODS; m++) {
      if (strcmp(methods[m].name, draw_word(object, "method")) == 0)
        c->cases[at].values[m] =
            is_small(object) ? 1e3 * draw_number(object, "median_ms", 0) : draw_number(object, "vs_limit", 0);
    }
  }
}

/* ---- one panel: the cases in microseconds, or the others ------------------------------------------- */

typedef struct panel {
  bool small;
  int count;          /* cases */
  double left, right; /* of the plot */
  draw_scale y;
} panel;

/* The largest of 1, 2, 5, 10, ... that is not above value; or the smallest that is not below. */
static double round_to_step(double value, bool up)
{
  const double decade = pow(10, floor(log10(value)));
  static const double steps[] = {1, 2, 5, 10};
  double below = decade;
  for (int i = 0; i < 4; i++) {
    if (steps[i] * decade <= value * 1.0001) below = steps[i] * decade;
    if (up && steps[i] * decade >= value * 0.9999) return steps[i] * decade;
  }
  return below;
}

static panel make_panel(const chart *c, bool small, double left, double right)
{
  panel p = {.small = small, .left = left, .right = right};
  double low = small ? 1e9 : 1, high = small ? 0 : 2;
  for (int i = 0; i < c->count; i++) {
    if (c->cases[i].small != small) continue;
    p.count++;
    for (int m = 0; m < METHODS; m++) {
      const double value = c->cases[i].values[m];
      if (value > 0 && value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) low = 1, high = 10;
  p.y = (draw_scale){round_to_step(small ? low * 0.7 : low, false), round_to_step(high * 1.3, true), BOTTOM,
                     TOP};
  return p;
}

static void draw_grid(const svg *s, const panel *p)
{
  const svg_font numbers = {.size = 12, .anchor = SVG_END},
                 name = {.size = 13, .anchor = SVG_MIDDLE, .upwards = true};
  double tick = p->y.low;
  while (tick <= p->y.high * 1.0001) {
    const double y = draw_at(&p->y, tick);
    svg_line(s, p->left, y, p->right, y, "#e4e4e4", 1);
    svg_text(s, p->left - 6, y + 4, &numbers, "%g", tick);
    tick = round_to_step(tick * 1.5, true);
  }
  svg_text(s, p->left - 40, (TOP + BOTTOM) / 2.0, &name, p->small ? "microseconds" : "time / limit");
}

static void draw_bars(const svg *s, const panel *p, const chart *c, int i, double left, double width)
{
  const svg_font value_font = {.size = 10, .anchor = SVG_START, .upwards = true, .colour = "#555555"};
  const double base = draw_at(&p->y, p->small ? p->y.low : 1);
  int drawn = 0, bars = 0;
  for (int m = 0; m < METHODS; m++) bars += c->cases[i].values[m] > 0;
  const double bar = width / METHODS, start = left + (width - bars * bar) / 2;
  for (int m = 0; m < METHODS; m++) {
    const double value = c->cases[i].values[m];
    if (value <= 0) continue;
    const double x = start + bar * drawn++, y = draw_at(&p->y, value), top = y < base ? y : base;
    svg_title(s, "%s, %s: %.3g%s", c->cases[i].name, methods[m].label, value, p->small ? " us" : " x limit");
    svg_rectangle(s, x, top, bar - 1, fabs(base - y), methods[m].colour);
    svg_untitle(s);
    svg_text(s, x + bar / 2 + 3, top - 4, &value_font, value < 9.95 ? "%.1f" : "%.0f", value);
  }
}

static void draw_panel(const svg *s, const panel *p, const chart *c)
{
  const svg_font name = {.size = 14, .anchor = SVG_MIDDLE, .bold = true},
                 note = {.size = 12, .colour = "#b00020"};
  const double step = (p->right - p->left) / p->count;
  draw_grid(s, p);
  int place = 0;
  for (int i = 0; i < c->count; i++) {
    if (c->cases[i].small != p->small) continue;
    const double left = p->left + step * place++;
    const char *dash = strchr(c->cases[i].name, '_');
    draw_bars(s, p, c, i, left + 0.06 * step, 0.88 * step);
    svg_text(s, left + step / 2, BOTTOM + 20, &name, "%s", dash ? dash + 1 : c->cases[i].name);
  }
  const double line = p->small ? BOTTOM : draw_at(&p->y, 1);
  svg_line(s, p->left, line, p->right, line, p->small ? "#888888" : "#b00020", p->small ? 1 : 1.5);
  if (p->small)
    svg_text(s, p->left, TOP - 10, &(svg_font){.size = 12, .bold = true}, "N = 64");
  else
    svg_text(s, p->left, BOTTOM + 34, &note, "red line: plain copy of the local bytes");
}

/* ---- around them ------------------------------------------------------------------------------------ */

static void draw_head(const svg *s, const chart *c)
{
  const svg_font title = {.size = 18, .bold = true}, small = {.size = 12.5, .colour = "#555555"};
  const svg_font label = {.size = 12};
  svg_text(s, 16, 28, &title, "Redistribution on %d rank%s, N = %lld", c->ranks, c->ranks == 1 ? "" : "s",
           (long long)c->n);
  svg_text(s, 16, 48, &small,
           "median time over that of a plain copy of the local bytes; logarithmic; shorter is better");
  double x = 16;
  for (int m = 0; m < METHODS; m++) {
    svg_rectangle(s, x, 61, 12, 12, methods[m].colour);
    svg_text(s, x + 17, 71.5, &label, "%s", methods[m].label);
    x += 32 + 6.9 * (double)strlen(methods[m].label);
  }
}

/* What the letters stand for, below. */
static void draw_key(const svg *s, const chart *c, double top)
{
  const svg_font name = {.size = 12, .bold = true}, about = {.size = 12};
  int place = 0;
  for (int i = 0; i < c->count; i++) {
    if (c->cases[i].small) continue;
    const int column = place % KEY_COLUMNS, row = place / KEY_COLUMNS;
    const double x = 16 + (WIDTH - 16.0) / KEY_COLUMNS * column, y = top + 19 * row;
    svg_text(s, x, y, &name, "%s", c->cases[i].name);
    svg_text(s, x + 26, y, &about, "%s", c->cases[i].about);
    place++;
  }
}

bool draw_redistribute(const char *path, const json_t *objects)
{
  chart c = {0};
  if (json_array_size(objects) == 0) return true;
  read_objects(&c, objects);
  int small = 0;
  for (int i = 0; i < c.count; i++) small += c.cases[i].small;
  const int large = c.count - small, rows = (large + KEY_COLUMNS - 1) / KEY_COLUMNS;
  const double gap = small && large ? GAP : 0, width = (RIGHT - LEFT - gap) / c.count;
  svg s;
  if (!svg_begin(&s, path, WIDTH, BOTTOM + 64 + 19 * rows)) return false;
  draw_head(&s, &c);
  const panel panels[] = {make_panel(&c, false, LEFT, LEFT + width * large),
                          make_panel(&c, true, LEFT + width * large + gap, RIGHT)};
  for (int i = 0; i < 2; i++) {
    if (panels[i].count) draw_panel(&s, &panels[i], &c);
  }
  draw_key(&s, &c, BOTTOM + 66);
  return svg_end(&s);
}
