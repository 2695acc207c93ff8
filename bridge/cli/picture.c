/* A picture's scale, and the owners of its cells. */
#include "check.h"
#include "picture_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 720,  /* of what is drawn, at most */
  HEIGHT = 560, /* the same of two axes */
  ROW = 56,     /* height of an only row */
  ELEMENT = 48, /* an element is no larger */
  THIN = 96,    /* an axis is no smaller, whatever the other has */
  LEFT = 84,    /* of element (0, 0) */
  TOP = 92
};

static double smaller(double a, double b)
{
  return a < b ? a : b;
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* As many pixels for an element along both axes, unless one of them is too long for that. */
static void scale(picture *p)
{
  const double rows = (double)(picture_axis_end(&p->rows) - picture_axis_begin(&p->rows));
  const double columns = (double)(picture_axis_end(&p->columns) - picture_axis_begin(&p->columns));
  const double unit = smaller(smaller(WIDTH / columns, HEIGHT / rows), ELEMENT);
  p->unit[1] = larger(unit, smaller(THIN / columns, ELEMENT));
  p->unit[0] = larger(unit, smaller(THIN / rows, ELEMENT));
  if (p->rows.axis < 0) {
    p->unit[1] = smaller(WIDTH / columns, ELEMENT);
    p->unit[0] = ROW;
  }
  p->place[0] = TOP - p->unit[0] * (double)picture_axis_begin(&p->rows);
  p->place[1] = LEFT - p->unit[1] * (double)picture_axis_begin(&p->columns);
}

static dap_status take_axes(picture *p, dap_error *err)
{
  int drawn[2], count = 0;
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    if (p->plane.at[k] < 0) drawn[count++] = k;
  if (count == 0) DAP_TRY(picture_axis_single(&p->columns, err));
  if (count > 0) DAP_TRY(picture_axis_init(p->layout, drawn[count - 1], &p->columns, err));
  return count == 2 ? picture_axis_init(p->layout, drawn[0], &p->rows, err)
                    : picture_axis_single(&p->rows, err);
}

dap_status picture_init(const dap_layout *layout, const char *plane, picture *p, dap_error *err)
{
  *p = (picture){.layout = layout};
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    DAP_REQUIRE(dap_layout_size(layout, k) > 0, err, DAP_ERR_ARG, "no elements: dim %d has size 0", k);
  DAP_TRY(picture_plane_read(plane, layout, &p->plane, err));
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (p->plane.at[k] >= 0) p->coords[k] = picture_owner(layout, k, p->plane.at[k]);
  p->summary = cli_text(dap_layout_summary, layout);
  DAP_REQUIRE(p->summary, err, DAP_ERR_NOMEM, "no memory for a picture");
  DAP_TRY(take_axes(p, err));
  scale(p);
  const int nprocs = dap_layout_nprocs(layout);
  p->colours = nprocs < SVG_COLOURS ? nprocs : SVG_COLOURS;
  return DAP_OK;
}

void picture_release(picture *p)
{
  picture_axis_release(&p->rows);
  picture_axis_release(&p->columns);
  free(p->summary);
}

int picture_rank(const picture *p, int row, int column)
{
  int coords[DAP_MAX_NDIM];
  memcpy(coords, p->coords, sizeof coords);
  if (p->rows.axis >= 0) coords[p->rows.axis] = p->rows.owned.at[row].coord;
  if (p->columns.axis >= 0) coords[p->columns.axis] = p->columns.owned.at[column].coord;
  return dap_layout_rank(p->layout, coords);
}

/* Where they do not repeat each process has its own. Else neighbours differ: a step along an axis is another
 * number of colours than one along the next. */
int picture_colour(const picture *p, int rank)
{
  static const int steps[DAP_MAX_NDIM] = {1, 3, 2, 5, 4, 7, 6, 1};
  int coords[DAP_MAX_NDIM] = {0};
  const int ndim = dap_layout_ndim(p->layout);
  if (dap_layout_nprocs(p->layout) <= SVG_COLOURS) return rank;
  dap_layout_coords(p->layout, rank, coords);
  int64_t sum = 0;
  for (int k = 0; k < ndim; k++) sum += (int64_t)steps[ndim - 1 - k] * coords[k];
  return (int)(sum % SVG_COLOURS);
}

bool picture_has(const picture *p, int rank)
{
  int coords[DAP_MAX_NDIM] = {0};
  bool is_there = true;
  dap_layout_coords(p->layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    is_there = is_there && (p->plane.at[k] < 0 || coords[k] == p->coords[k]);
  return is_there;
}

int64_t picture_count(const picture *p, int rank)
{
  int coords[DAP_MAX_NDIM] = {0};
  int64_t count = picture_has(p, rank);
  dap_layout_coords(p->layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    if (p->plane.at[k] < 0) count *= dap_layout_owned(p->layout, k, coords[k]);
  return count;
}

double picture_y(const picture *p, int64_t row)
{
  return p->place[0] + p->unit[0] * (double)row;
}

double picture_x(const picture *p, int64_t column)
{
  return p->place[1] + p->unit[1] * (double)column;
}
