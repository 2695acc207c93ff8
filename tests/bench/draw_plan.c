#include "draw.h"
#include "svg.h"

#include <math.h>

enum { WIDTH = 960, HEIGHT = 430, TOP = 84, BOTTOM = 366, LEFT = 74, RIGHT = 886, DECADES = 12 };

static const char time_colour[] = "#005f9e", memory_colour[] = "#d9722b";

/* A scale of all values of a key; of whole decades, if so wanted. */
static draw_scale scale_of(const json_t *objects, const char *key, double factor, bool whole, double start,
                           double end)
{
  double low = HUGE_VAL, high = 0;
  size_t i;
  json_t *object;
  json_array_foreach(objects, i, object)
  {
    const double value = factor * draw_number(object, key, 0);
    if (value > 0 && value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) low = high = 1;
  if (whole) low = pow(10, floor(log10(low)));
  if (whole) high = pow(10, ceil(log10(high)));
  return (draw_scale){low, high > low ? high : 10 * low, start, end};
}

/* Decades of a scale that is upright at x, or lies below. */
static void draw_ticks(const svg *s, const draw_scale *scale, double x, svg_anchor anchor, bool lines)
{
  const svg_font font = {.size = 12, .anchor = anchor};
  double tick = scale->low;
  for (int i = 0; i < DECADES && tick <= scale->high * 1.001; i++, tick *= 10) {
    const double y = draw_at(scale, tick);
    if (lines) svg_line(s, LEFT, y, RIGHT, y, "#e4e4e4", 1);
    svg_text(s, x, y + 4, &font, "%g", tick);
  }
}

static void draw_grids(const svg *s, const draw_scale *x, const json_t *objects)
{
  const svg_font number = {.size = 12, .anchor = SVG_MIDDLE}, name = {.size = 13, .anchor = SVG_MIDDLE};
  size_t i;
  json_t *object;
  json_array_foreach(objects, i, object)
  {
    const int grid = (int)draw_number(object, "grid", 1);
    const double at = draw_at(x, draw_number(object, "procs", 1));
    svg_line(s, at, BOTTOM, at, BOTTOM + 5, "#888888", 1);
    svg_text(s, at, BOTTOM + 20, &number, "%d\u00d7%d", grid, grid);
  }
  svg_line(s, LEFT, BOTTOM, RIGHT, BOTTOM, "#888888", 1);
  svg_text(s, (LEFT + RIGHT) / 2.0, BOTTOM + 44, &name, "process grid");
}

static void draw_curve(const svg *s, const draw_scale *x, const draw_scale *y, const json_t *objects,
                       const char *key, double factor, const char *colour)
{
  double last_x = 0, last_y = 0;
  size_t i;
  json_t *object;
  json_array_foreach(objects, i, object)
  {
    const double value = factor * draw_number(object, key, 0);
    if (value <= 0) continue;
    const double at_x = draw_at(x, draw_number(object, "procs", 1)), at_y = draw_at(y, value);
    if (last_x > 0) svg_line(s, last_x, last_y, at_x, at_y, colour, 2);
    svg_title(s, "%.3g", value);
    svg_dot(s, at_x, at_y, 4, colour);
    svg_untitle(s);
    last_x = at_x, last_y = at_y;
  }
}

static void draw_head(const svg *s)
{
  const svg_font title = {.size = 18, .bold = true}, small = {.size = 12.5, .colour = "#555555"};
  svg_text(s, 16, 28, &title, "Planning one process' part");
  svg_text(s, 16, 48, &small,
           "1000000 \u00d7 1000000 elements, block-cyclic 64 to 96, the process in the middle of the grid; "
           "logarithmic");
  const svg_font label = {.size = 12};
  svg_rectangle(s, 16, 60, 12, 12, time_colour);
  svg_text(s, 33, 70.5, &label, "time");
  svg_rectangle(s, 80, 60, 12, 12, memory_colour);
  svg_text(s, 97, 70.5, &label, "memory of the plan");
}

bool draw_plan(const char *path, const json_t *objects)
{
  svg s;
  if (json_array_size(objects) == 0) return true;
  if (!svg_begin(&s, path, WIDTH, HEIGHT)) return false;
  const draw_scale x = scale_of(objects, "procs", 1, false, LEFT + 30, RIGHT - 30);
  const draw_scale ms = scale_of(objects, "ms", 1, true, BOTTOM, TOP),
                   kib = scale_of(objects, "bytes", 1.0 / 1024, true, BOTTOM, TOP);
  svg_font name = {.size = 13, .anchor = SVG_MIDDLE, .upwards = true, .colour = time_colour};
  draw_head(&s);
  draw_ticks(&s, &ms, LEFT - 8, SVG_END, true);
  svg_text(&s, 22, (TOP + BOTTOM) / 2.0, &name, "milliseconds");
  draw_ticks(&s, &kib, RIGHT + 8, SVG_START, false);
  name.colour = memory_colour;
  svg_text(&s, WIDTH - 10, (TOP + BOTTOM) / 2.0, &name, "KiB");
  draw_grids(&s, &x, objects);
  draw_curve(&s, &x, &kib, objects, "bytes", 1.0 / 1024, memory_colour);
  draw_curve(&s, &x, &ms, objects, "ms", 1, time_colour);
  return svg_end(&s);
}
