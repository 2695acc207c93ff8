/* Pictures of layouts: who owns what of an array, or of a plane of it, as SVG. An index of its files.
 *
 *     stretches       a list of stretches of an axis
 *     axis            an axis in stretches of one owner
 *     axis_padding    what of an axis is padding, or copied on others
 *     picture         the scale, and the cells
 *     svg             a page, its patterns and its words
 *     svg_picture     the picture as SVG
 *     svg_legend      what its colours and hatches mean
 *     draw_svg        the public function
 *
 * In the file the cells are in units of elements, so that programs can read them: a group of class "owner"
 * for each process, with its rank in data-rank, has rectangles of which x, y, width and height are indices
 * and counts. The layer stands on public headers only, so that the command may use this one, too. */
#ifndef DAP_PICTURE_IMPL_H
#define DAP_PICTURE_IMPL_H

#include "check.h"
#include <dapbridge/picture.h>
#include <stdint.h>

/* ---- axis.c, axis_padding.c, stretches.c ------------------------------------------------------------ */

enum {
  DAP_PICTURE_BLOCKS = 96, /* most stretches of an axis that are drawn */
  DAP_PICTURE_ROUNDS = 48  /* the same where they repeat */
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
  int64_t shown;             /* of them, from 0 on */
  int64_t outer[2];          /* padding that wraps around: elements drawn before 0, and behind size */
  dap_picture_list owned;    /* ascending, of which neighbours differ in their owner */
  dap_picture_list copied;   /* what others than the owner hold, too, as far as it is drawn */
  dap_picture_list boundary; /* boundary padding */
  int every;                 /* processes that each have all of it; 0: each has its own part */
} dap_picture_axis;

/* Errors: DAP_ERR_NOMEM. The axis is ended with dap_picture_axis_release(), also on error. */
dap_status dap_picture_axis_init(const dap_layout *layout, int axis, dap_picture_axis *a, dap_error *err);
void dap_picture_axis_release(dap_picture_axis *a);
dap_status dap_picture_axis_pad(const dap_layout *layout, dap_picture_axis *a,
                                dap_error *err); /* a part of init() */
dap_status dap_picture_list_add(dap_picture_list *list, dap_picture_stretch stretch, dap_error *err);
/* Some place for a scalar, or the only row of an array of one axis. */
dap_status dap_picture_axis_single(dap_picture_axis *a, dap_error *err);
int64_t dap_picture_axis_begin(const dap_picture_axis *a); /* of what is drawn, with padding */
int64_t dap_picture_axis_end(const dap_picture_axis *a);
/* The coordinate that owns `index` along an axis; -1: not known here. */
int dap_picture_owner(const dap_layout *layout, int axis, int64_t index);

/* ---- picture.c -------------------------------------------------------------------------------------- */

typedef struct dap_picture {
  const dap_layout *layout;
  char *summary;               /* the layout in one line */
  int64_t plane[DAP_MAX_NDIM]; /* [ndim] index along each axis, -1 along those that are drawn, one or two */
  int coords[DAP_MAX_NDIM];    /* [ndim] of the owners of the plane's indices; 0 along what is drawn */
  dap_picture_axis rows, columns;
  double unit[2];  /* height and width of an element */
  double place[2]; /* of element (0, 0): y, x */
  int colours;     /* number of colours that are used */
} dap_picture;

/* plane NULL: the first two axes, at index 0 of the others.
 * Errors: DAP_ERR_ARG (there is no such plane, or no elements), DAP_ERR_NOMEM. Ended with
 * dap_picture_release(), also on error. */
dap_status dap_picture_init(const dap_layout *layout, const int64_t plane[], dap_picture *p, dap_error *err);
void dap_picture_release(dap_picture *p);
/* The rank that owns the cell of stretch `row` and `column`; -1: not known here. */
int dap_picture_rank(const dap_picture *p, int row, int column);
int dap_picture_colour(const dap_picture *p, int rank); /* the number of its colour */
/* Whether the rank has the plane's coordinates along the axes that are not drawn. Other ranks own no element
 * of the plane. */
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

/* A page; `unit` are height and width of what its hatches lie on, which is drawn to scale. */
void dap_svg_begin(FILE *to, double width, double height, const double unit[2], const char *title);
void dap_svg_end(FILE *to);
/* Text of a class of the page's style sheet; anchor is "start", "middle" or "end". */
void dap_svg_text(FILE *to, double x, double y, const char *anchor, const char *class, const char *text);
void dap_svg_index(FILE *to, double x, double y, const char *anchor, int64_t index); /* beside an axis */
double dap_svg_width(size_t characters, double size);                                /* about */

/* ---- svg_picture.c, svg_legend.c -------------------------------------------------------------------- */

/* Writes the picture as an SVG file, under the layout's summary and a name (NULL: none). */
void dap_svg_picture(FILE *to, const dap_picture *p, const char *name);

/* Draws the meaning of colours and hatches below `y`. Returns its height. Draws nothing if `to` is NULL. */
double dap_svg_legend(FILE *to, const dap_picture *p, double x, double y, double width);

#endif
