/* Declares what draws the owners of an array's elements, or of those of a plane, as SVG. This header includes
 * public headers only, so that the command can use it. */
#ifndef DAP_PICTURE_IMPL_H
#define DAP_PICTURE_IMPL_H

#include "check.h"
#include <dapbridge/picture.h>
#include <stdint.h>

/* ---- axis.c ----------------------------------------------------------------------------------------- */

enum {
  DAP_PICTURE_BLOCKS = 96, /* most stretches of an axis that are drawn */
  DAP_PICTURE_ROUNDS = 48  /* most stretches of a cyclic axis that are drawn */
};

/* A stretch of an axis with one owner, or one property: [begin, end). */
typedef struct dap_picture_stretch {
  int64_t begin, end;
  int coord; /* -1: not known here */
} dap_picture_stretch;

typedef struct dap_picture_list {
  dap_picture_stretch *at; /* [count] */
  int count, capacity;
} dap_picture_list;

typedef struct dap_picture_axis {
  int axis;                  /* of the layout; -1: none, and one row is drawn */
  int64_t size;              /* elements */
  int64_t shown;             /* elements that are drawn, from 0 on */
  int64_t begin, end;        /* range that is drawn, with padding that wraps round */
  dap_picture_list owned;    /* ascending; neighbours have different owners */
  dap_picture_list copied;   /* drawn elements that others than the owner hold */
  dap_picture_list boundary; /* boundary padding */
  int every;                 /* number of processes that have all of the axis; 0: each has its own part */
} dap_picture_axis;

/* Errors: DAP_ERR_NOMEM. The caller releases the axis, also on error. */
dap_status dap_picture_axis_init(const dap_layout *layout, int axis, dap_picture_axis *a, dap_error *err);
void dap_picture_axis_release(dap_picture_axis *a);
/* Makes an axis of one element, for a scalar or the only row of an array of one axis. */
dap_status dap_picture_axis_single(dap_picture_axis *a, dap_error *err);
/* Returns the coordinate that owns `index` along an axis; -1: this process does not know it. */
int dap_picture_owner(const dap_layout *layout, int axis, int64_t index);

/* ---- picture.c -------------------------------------------------------------------------------------- */

typedef struct dap_picture {
  const dap_layout *layout;
  char summary[4096];          /* the layout in one line; longer ones are cut off */
  int64_t plane[DAP_MAX_NDIM]; /* [ndim] index along each axis; -1 along the one or two that are drawn */
  int coords[DAP_MAX_NDIM];    /* [ndim] coordinates of the owners of these indices; 0 along drawn axes */
  dap_picture_axis rows, columns;
  double unit[2];                  /* height and width of an element */
  double place[2];                 /* of element (0, 0): y, x */
  double left, right, top, bottom; /* edges of the drawing */
} dap_picture;

/* plane NULL: the first two axes, at index 0 of the others. The caller releases the picture, also on error.
 * Errors: DAP_ERR_ARG (there is no such plane, or no elements), DAP_ERR_NOMEM. */
dap_status dap_picture_init(const dap_layout *layout, const int64_t plane[], dap_picture *p, dap_error *err);
void dap_picture_release(dap_picture *p);
/* Returns the rank that owns the cell of stretches `row` and `column`; -1: this process does not know it. */
int dap_picture_rank(const dap_picture *p, int row, int column);
int dap_picture_colour(const dap_picture *p, int rank); /* the number of its colour */
/* Returns whether the rank has the plane's coordinates along axes that are not drawn. Other ranks own no
 * element of the plane. */
bool dap_picture_has(const dap_picture *p, int rank);
/* Returns how many elements of the plane the rank owns, including those that are not shown. */
int64_t dap_picture_count(const dap_picture *p, int rank);
double dap_picture_y(const dap_picture *p, int64_t row);
double dap_picture_x(const dap_picture *p, int64_t column);

static inline double dap_picture_smaller(double a, double b)
{
  return a < b ? a : b;
}

static inline double dap_picture_larger(double a, double b)
{
  return a > b ? a : b;
}

/* ---- svg.c ------------------------------------------------------------------------------------------ */

enum { DAP_SVG_COLOURS = 8 };
const char *dap_svg_colour(int number); /* "#bce4fe" */

/* Begins a page. `unit` is height and width of an element below its hatches. */
void dap_svg_begin(FILE *to, double width, double height, const double unit[2], const char *title);
void dap_svg_end(FILE *to);
/* Writes text of a class of the page's style sheet. `anchor` is "start", "middle" or "end". */
void dap_svg_text(FILE *to, double x, double y, const char *anchor, const char *class, const char *text);
void dap_svg_index(FILE *to, double x, double y, const char *anchor, int64_t index); /* beside an axis */
double dap_svg_width(size_t characters, double size);                                /* estimated */

/* ---- svg_picture.c, svg_legend.c -------------------------------------------------------------------- */

/* Writes the picture as an SVG file, under the layout's summary and a name (NULL: none). Cells are in units
 * of elements, so that programs can read the file: each process has a group of class "owner" with its rank in
 * data-rank, whose rectangles have indices and counts as x, y, width and height. */
void dap_svg_picture(FILE *to, const dap_picture *p, const char *name);

/* Draws the meaning of colours and hatches below `y`. Returns its height. Draws nothing if `to` is NULL. */
double dap_svg_legend(FILE *to, const dap_picture *p, double x, double y, double width);

#endif
