/* Pictures of layouts: who owns what of an array, or of a plane of it, as SVG or JSON. An index of its files.
 *
 *     plane           which axes are drawn, and at which index of the others
 *     axis            an axis in stretches of one owner
 *     axis_padding    what of an axis is padding, or copied on others
 *     picture         the scale, and the cells
 *     svg             a page, its patterns and its words
 *     svg_picture     the picture as SVG
 *     svg_legend      what its colours and hatches mean
 *     picture_json    the table of owners as JSON
 *
 * In the file the cells are in units of elements, so that programs can read them: a group of class "owner"
 * for each process, with its rank in data-rank, has rectangles of which x, y, width and height are indices
 * and counts. */
#ifndef DAP_PICTURE_IMPL_H
#define DAP_PICTURE_IMPL_H

#include "cli_impl.h"

#include <stdint.h>
#include <stdio.h>

/* ---- plane.c ------------------------------------------------------------------------------------- */

/* Which plane of an array is drawn: its index along each axis, -1 along those that are drawn, one or two. */
typedef struct picture_plane {
  int64_t at[DAP_MAX_NDIM]; /* [ndim] */
} picture_plane;

/* Reads "3,:,:". NULL: the first two axes, at index 0 of the others.
 * Errors: DAP_ERR_ARG (no such plane of this layout, in words). */
dap_status picture_plane_read(const char *text, const dap_layout *layout, picture_plane *plane,
                              dap_error *err);

/* ---- axis.c, axis_padding.c, stretches.c ---------------------------------------------------------- */

enum {
  PICTURE_BLOCKS = 96, /* most stretches of an axis that are drawn */
  PICTURE_ROUNDS = 48  /* the same where they repeat */
};

/* A stretch of an axis with one owner, or one property: [begin, end). */
typedef struct picture_stretch {
  int64_t begin, end;
  int coord;
} picture_stretch;

typedef struct picture_list {
  picture_stretch *at; /* [count] */
  int count, capacity;
} picture_list;

typedef struct picture_axis {
  int axis;              /* of the layout; -1: none, and one row is drawn */
  int64_t size;          /* elements */
  int64_t shown;         /* of them, from 0 on */
  int64_t outer[2];      /* padding that wraps around: elements drawn before 0, and behind size */
  picture_list owned;    /* ascending, of which neighbours differ in their owner */
  picture_list copied;   /* what others than the owner hold, too, as far as it is drawn */
  picture_list boundary; /* boundary padding */
  int every;             /* processes that each have all of it; 0: each has its own part */
} picture_axis;

/* The axis of a layout that was joined or made here, so that all indices are known.
 * Errors: DAP_ERR_NOMEM. The axis is ended with picture_axis_release(), also on error. */
dap_status picture_axis_init(const dap_layout *layout, int axis, picture_axis *a, dap_error *err);
void picture_axis_release(picture_axis *a);
dap_status picture_axis_pad(const dap_layout *layout, picture_axis *a, dap_error *err); /* a part of init() */
dap_status picture_list_add(picture_list *list, picture_stretch stretch, dap_error *err);
/* Some place for a scalar, or the only row of an array of one axis. */
dap_status picture_axis_single(picture_axis *a, dap_error *err);
int64_t picture_axis_begin(const picture_axis *a); /* of what is drawn, with padding */
int64_t picture_axis_end(const picture_axis *a);
/* The coordinate that owns `index` along an axis. */
int picture_owner(const dap_layout *layout, int axis, int64_t index);

/* ---- picture.c ----------------------------------------------------------------------------------- */

typedef struct picture {
  const dap_layout *layout;
  char *summary; /* of it in a line */
  picture_plane plane;
  int coords[DAP_MAX_NDIM]; /* [ndim] of the owners of the plane's indices; 0 along what is drawn */
  picture_axis rows, columns;
  double unit[2];  /* height and width of an element */
  double place[2]; /* of element (0, 0): y, x */
  int colours;     /* of which the first are used */
} picture;

/* Errors: as picture_plane_read(), and DAP_ERR_ARG (there are no elements), DAP_ERR_NOMEM. Ended with
 * picture_release(), also on error. */
dap_status picture_init(const dap_layout *layout, const char *plane, picture *p, dap_error *err);
void picture_release(picture *p);
/* The rank that owns the cell of stretch `row` and `column`. */
int picture_rank(const picture *p, int row, int column);
int picture_colour(const picture *p, int rank); /* its number */
/* Whether the rank is at the plane's coordinates along what is not drawn: others own nothing of it. */
bool picture_has(const picture *p, int rank);
/* The elements of the plane that it owns, whether they are shown or not. */
int64_t picture_count(const picture *p, int rank);
double picture_y(const picture *p, int64_t row);
double picture_x(const picture *p, int64_t column);

/* ---- picture_json.c ------------------------------------------------------------------------------ */

/* A value with the members that dapbridge-draw(1) lists. NULL: no memory. */
json_t *picture_json(const picture *p);

/* ---- svg.c --------------------------------------------------------------------------------------- */

enum { SVG_COLOURS = 8 };
const char *svg_colour(int number); /* "#bce4fe" */

/* A page; `unit` are height and width of what its hatches lie on, which is drawn to scale. */
void svg_begin(FILE *to, double width, double height, const double unit[2], const char *title);
void svg_end(FILE *to);
/* Text of a class of the page's style sheet; anchor is "start", "middle" or "end". */
void svg_text(FILE *to, double x, double y, const char *anchor, const char *class, const char *text);
void svg_index(FILE *to, double x, double y, const char *anchor, int64_t index); /* beside an axis */
double svg_width(size_t characters, double size);                                /* about */

/* ---- svg_picture.c, svg_legend.c ------------------------------------------------------------------- */

/* Writes the picture as an SVG file, under the layout's summary and a name. */
void svg_picture(FILE *to, const picture *p, const char *name);

/* What colours and hatches mean, below `y`; returns the height that it takes, and only that if `to` is
 * NULL. */
double svg_legend(FILE *to, const picture *p, double x, double y, double width);

#endif
