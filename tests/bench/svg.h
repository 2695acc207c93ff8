/* A picture being written as SVG. */
#ifndef DAP_BENCH_SVG_H
#define DAP_BENCH_SVG_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct svg {
  FILE *file;
  double width, height;
} svg;

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

typedef struct svg_font {
  double size;
  svg_anchor anchor;
  bool bold, upwards;
  const char *colour;
} svg_font;

/* A light sheet of this size. False: the file cannot be written. */
bool svg_begin(svg *picture, const char *path, double width, double height);

void svg_rectangle(const svg *picture, double x, double y, double width, double height, const char *colour);
void svg_line(const svg *picture, double x1, double y1, double x2, double y2, const char *colour,
              double thick);
void svg_dot(const svg *picture, double x, double y, double radius, const char *colour);

/* What the pointer shows on the next shape: opens a group, svg_untitle() ends it. */
void svg_title(const svg *picture, const char *format, ...) DAP_PRINTF(2, 3);
void svg_untitle(const svg *picture);

/* `font` by value of its place; the text must have no characters that XML reserves. */
void svg_text(const svg *picture, double x, double y, const svg_font *font, const char *format, ...)
    DAP_PRINTF(5, 6);

/* False: something could not be written. */
bool svg_end(svg *picture);

#endif
