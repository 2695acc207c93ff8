/* Finds a picture's scale, and the owners of its cells. */
#include "picture_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 720,  /* of the drawing, at most */
  HEIGHT = 560, /* of a drawing of two axes, at most */
  ROW = 56,     /* height of an only row */
  ELEMENT = 48, /* most pixels of an element */
  THIN = 96,    /* least pixels of an axis, unless its elements would be larger than ELEMENT */
  LEFT = 84,    /* place of element (0, 0) */
  TOP = 92
};

/* Makes elements square, unless an axis would become too thin. */
static void scale(dap_picture *p)
{
  const double rows = (double)(p->rows.end - p->rows.begin);
  const double columns = (double)(p->columns.end - p->columns.begin);
  const double unit = dap_picture_smaller(dap_picture_smaller(WIDTH / columns, HEIGHT / rows), ELEMENT);
  p->unit[1] = dap_picture_larger(unit, dap_picture_smaller(THIN / columns, ELEMENT));
  p->unit[0] = dap_picture_larger(unit, dap_picture_smaller(THIN / rows, ELEMENT));
  if (p->rows.axis < 0) {
    p->unit[1] = dap_picture_smaller(WIDTH / columns, ELEMENT);
    p->unit[0] = ROW;
  }
  p->place[0] = TOP - p->unit[0] * (double)p->rows.begin;
  p->place[1] = LEFT - p->unit[1] * (double)p->columns.begin;
  p->left = dap_picture_x(p, p->columns.begin);
  p->right = dap_picture_x(p, p->columns.end);
  p->top = dap_picture_y(p, p->rows.begin);
  p->bottom = dap_picture_y(p, p->rows.end);
}

static dap_status take_axes(dap_picture *p, dap_error *err)
{
  int drawn[2], count = 0;
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    if (p->plane[k] < 0) drawn[count++] = k;
  if (count == 0) DAP_TRY(dap_picture_axis_single(&p->columns, err));
  if (count > 0) DAP_TRY(dap_picture_axis_init(p->layout, drawn[count - 1], &p->columns, err));
  return count == 2 ? dap_picture_axis_init(p->layout, drawn[0], &p->rows, err)
                    : dap_picture_axis_single(&p->rows, err);
}

static dap_status set_plane(const dap_layout *layout, const int64_t plane[], dap_picture *p, dap_error *err)
{
  int drawn = 0;
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    const int64_t size = dap_layout_size(layout, k);
    p->plane[k] = plane ? plane[k] : k < 2 ? -1 : 0;
    DAP_REQUIRE(size > 0, err, DAP_ERR_ARG, "no elements: axis %d has size 0", k);
    DAP_REQUIRE(p->plane[k] >= -1 && p->plane[k] < size, err, DAP_ERR_ARG,
                "plane: axis %d: index %" PRId64 " is outside 0 .. %" PRId64, k, p->plane[k], size - 1);
    drawn += p->plane[k] < 0;
  }
  DAP_REQUIRE(drawn <= 2 && (drawn > 0 || dap_layout_ndim(layout) == 0), err, DAP_ERR_ARG,
              "plane: %d axes are -1, and 1 or 2 can be drawn", drawn);
  return DAP_OK;
}

dap_status dap_picture_init(const dap_layout *layout, const int64_t plane[], dap_picture *p, dap_error *err)
{
  *p = (dap_picture){.layout = layout};
  DAP_TRY(set_plane(layout, plane, p, err));
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (p->plane[k] >= 0) p->coords[k] = dap_picture_owner(layout, k, p->plane[k]);
  (void)dap_layout_summary(layout, p->summary, sizeof p->summary);
  DAP_TRY(take_axes(p, err));
  scale(p);
  return DAP_OK;
}

void dap_picture_release(dap_picture *p)
{
  dap_picture_axis_release(&p->rows);
  dap_picture_axis_release(&p->columns);
}

int dap_picture_rank(const dap_picture *p, int row, int column)
{
  int coords[DAP_MAX_NDIM];
  memcpy(coords, p->coords, sizeof coords);
  if (p->rows.axis >= 0) coords[p->rows.axis] = p->rows.owned.at[row].coord;
  if (p->columns.axis >= 0) coords[p->columns.axis] = p->columns.owned.at[column].coord;
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    if (coords[k] < 0) return -1;
  return dap_layout_rank(p->layout, coords);
}

/* Each process has a colour of its own if there are enough. Otherwise neighbours differ, because steps along
 * two axes skip different numbers of colours. */
int dap_picture_colour(const dap_picture *p, int rank)
{
  static const int steps[DAP_MAX_NDIM] = {1, 3, 2, 5, 4, 7, 6, 1};
  int coords[DAP_MAX_NDIM] = {0};
  const int ndim = dap_layout_ndim(p->layout);
  if (dap_layout_nprocs(p->layout) <= DAP_SVG_COLOURS) return rank;
  dap_layout_coords(p->layout, rank, coords);
  int64_t sum = 0;
  for (int k = 0; k < ndim; k++) sum += (int64_t)steps[ndim - 1 - k] * coords[k];
  return (int)(sum % DAP_SVG_COLOURS);
}

bool dap_picture_has(const dap_picture *p, int rank)
{
  int coords[DAP_MAX_NDIM] = {0};
  bool is_there = true;
  dap_layout_coords(p->layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    is_there = is_there && (p->plane[k] < 0 || coords[k] == p->coords[k]);
  return is_there;
}

int64_t dap_picture_count(const dap_picture *p, int rank)
{
  int coords[DAP_MAX_NDIM] = {0};
  int64_t count = dap_picture_has(p, rank);
  dap_layout_coords(p->layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(p->layout); k++)
    if (p->plane[k] < 0) count *= dap_layout_owned(p->layout, k, coords[k]);
  return count;
}

double dap_picture_y(const dap_picture *p, int64_t row)
{
  return p->place[0] + p->unit[0] * (double)row;
}

double dap_picture_x(const dap_picture *p, int64_t column)
{
  return p->place[1] + p->unit[1] * (double)column;
}
