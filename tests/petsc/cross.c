/* Combinations of the cross product, and which element lies where. Nothing here asks the library for an
 * index. */
#include "cross.h"

/* ---- combinations ------------------------------------------------------------------------------------ */

enum { NDIMS = 3, WIDTHS = 4, DOFS = 3, SWITCHES = 4 };

int combination_count(void)
{
  return NDIMS * EDGE_COUNT * WIDTHS * DOFS << SWITCHES;
}

/* Takes the last digit, of `radix`, off a number. */
static int digit(int *rest, int radix)
{
  const int value = *rest % radix;
  *rest /= radix;
  return value;
}

combination combination_of(int number)
{
  int rest = number;
  combination c = {.number = number};
  c.copy = digit(&rest, 2) == 1;
  c.star = digit(&rest, 2) == 1;
  c.irregular = digit(&rest, 2) == 1;
  c.fortran = digit(&rest, 2) == 1;
  c.dof = 1 + digit(&rest, DOFS);
  c.width = digit(&rest, WIDTHS);
  c.edge = (cross_edge)digit(&rest, EDGE_COUNT);
  c.grid_ndim = 1 + rest;
  return c;
}

void combination_words(const combination *c, char *text, size_t capacity)
{
  static const char *const edges[] = {
      [EDGE_POINTS] = "boundary padding as points", [EDGE_GHOSTED] = "boundary padding as ghost points",
      [EDGE_WRAPS] = "periodic, halos wrap",        [EDGE_STRIPPED] = "periodic, stripped",
      [EDGE_BARE] = "periodic without padding",     [EDGE_MIXED] = "ghost points, stripped, wrapping halos",
  };
  (void)snprintf(text, capacity, "%d-D, %s, width %d, %d dof, %c order, %s ranges, %s, %s", c->grid_ndim,
                 edges[c->edge], (int)c->width, c->dof, c->fortran ? 'F' : 'C',
                 c->irregular ? "irregular" : "even", c->star ? "STAR" : "BOX",
                 c->copy ? "a copy" : "shared if possible");
}

/* ---- one axis ---------------------------------------------------------------------------------------- */

static cross_edge edge_along(const combination *c, int k)
{
  static const cross_edge mixed[] = {EDGE_GHOSTED, EDGE_STRIPPED, EDGE_WRAPS};
  return c->edge == EDGE_MIXED ? mixed[k] : c->edge;
}

bool cross_is_periodic(const cross_axis *a)
{
  return a->edge == EDGE_WRAPS || a->edge == EDGE_STRIPPED || a->edge == EDGE_BARE;
}

/* Every range keeps as many points as the stencil is wide, and two, when the margins are cut off; axes of
 * different sizes. */
static void cut(const combination *c, int k, cross_axis *a)
{
  const int64_t least = c->width > 2 ? c->width : 2;
  int64_t total = 0, rest;
  for (int p = 0; p < a->procs; p++) {
    a->lengths[p] = least + (2 * p + k + 1) % 3;
    if (p == 0) a->lengths[p] += a->boundary[0];
    if (p == a->procs - 1) a->lengths[p] += a->boundary[1];
    if (a->procs == 1) a->lengths[p] += k;
    total += a->lengths[p];
  }
  if (c->irregular) return;
  const int64_t widest = least + (a->procs == 1 ? a->boundary[0] : 0) + a->boundary[1];
  if (total < widest * a->procs) total = widest * a->procs + k % a->procs;
  rest = total;
  for (int p = 0; p < a->procs; p++) rest -= a->lengths[p] = total / a->procs;
  for (int p = 0; p < rest; p++) a->lengths[p]++;
}

static cross_axis lay_axis(const combination *c, int k, int procs, int coord)
{
  cross_axis a = {.edge = edge_along(c, k), .procs = procs, .coord = coord};
  if (a.edge == EDGE_POINTS) memcpy(a.boundary, (int64_t[]){1, 2}, sizeof a.boundary);
  for (int side = 0; side < 2 && (a.edge == EDGE_GHOSTED || a.edge == EDGE_STRIPPED); side++)
    a.boundary[side] = a.margin[side] = c->width;
  cut(c, k, &a);
  for (int p = 0; p < procs; p++) {
    if (p < coord) a.start += a.lengths[p];
    a.size += a.lengths[p];
  }
  a.owned = a.lengths[coord];
  if (coord > 0 || a.edge == EDGE_WRAPS) a.halo[0] = c->width;
  if (coord < procs - 1 || a.edge == EDGE_WRAPS) a.halo[1] = c->width;
  return a;
}

/* ---- all of them ------------------------------------------------------------------------------------- */

/* Width 0 asks for that of the halos, or for 1 where there is no neighbour whose halo could tell. */
static int64_t stencil_of(const cross_model *m)
{
  bool neighbours = false;
  for (int k = 0; k < m->c.grid_ndim; k++)
    neighbours = neighbours || m->axis[k].procs > 1 || cross_is_periodic(&m->axis[k]);
  return m->c.width > 0 || neighbours ? m->c.width : 1;
}

cross_model cross_lay(const combination *c)
{
  const int n = c->grid_ndim, turn = (int)(c->width + c->dof) % n;
  cross_model m = {.c = *c, .ndim = n};
  int dims[3] = {0}, rest = test_rank();
  MPI_Dims_create(test_nprocs(), n, dims);
  for (int k = n - 1; k >= 0; k--) { /* ranks run along the last axis first */
    const int procs = dims[(k + turn) % n];
    m.axis[k] = lay_axis(c, k, procs, rest % procs);
    rest /= procs;
  }
  m.stencil = stencil_of(&m);
  m.x_first = c->fortran && c->dof == 1;
  if (c->dof == 1) return m;
  m.axis[m.ndim++] = (cross_axis){.procs = 1, .lengths = {c->dof}, .size = c->dof, .owned = c->dof};
  return m;
}

dap_layout *cross_layout(const cross_model *m)
{
  dap_dist dist[4] = {{0}};
  dap_layout *layout = NULL;
  dap_error err;
  for (int k = 0; k < m->ndim; k++) {
    const cross_axis *a = &m->axis[k];
    dist[k] = m->c.irregular ? dap_dist_lengths(a->size, a->procs, a->lengths)
                             : dap_dist_padded(a->size, a->procs, 0);
    if (k >= m->c.grid_ndim) continue;
    dist[k].halo = m->c.width;
    dist[k].periodic = cross_is_periodic(a);
    dist[k].wraps = a->edge == EDGE_WRAPS;
    for (int side = 0; side < 2; side++) dist[k].boundary[side] = a->boundary[side];
  }
  EXPECT_OK(dap_layout_create(m->ndim, dist, &layout, &err), &err);
  return layout;
}

dap_petsc_field_options cross_options(const cross_model *m)
{
  const cross_edge edge = m->c.edge;
  return (dap_petsc_field_options){
      .sharing = m->c.copy ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE,
      .width = m->c.width,
      .star = m->c.star,
      .dof_axes = m->c.dof > 1,
      .boundary = edge == EDGE_GHOSTED || edge == EDGE_MIXED ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE,
      .strip_periodic = edge == EDGE_STRIPPED || edge == EDGE_MIXED,
  };
}

int64_t cross_ghosts(const cross_model *m, int axis, int side)
{
  const cross_axis *a = &m->axis[axis];
  const bool inner = side == 0 ? a->coord > 0 : a->coord < a->procs - 1;
  return inner || cross_is_periodic(a) || a->margin[side] > 0 ? m->stencil : 0;
}

/* ---- elements ---------------------------------------------------------------------------------------- */

cross_place cross_at(const cross_model *m, const int64_t e[])
{
  cross_place place = {.mine = true};
  for (int k = 0; k < m->ndim; k++) {
    const cross_axis *a = &m->axis[k];
    const int64_t begin = a->margin[0], end = a->size - a->margin[1], period = end - begin;
    const bool owned = e[k] >= a->start && e[k] < a->start + a->owned, point = e[k] >= begin && e[k] < end;
    const bool periodic = k < m->c.grid_ndim && cross_is_periodic(a);
    if (!owned || (periodic && !point)) place.mine = false;
    if (!owned || !point) place.beyond++;
    if (!periodic && !point) place.outside = true;
    const int64_t offset = (e[k] - begin) % period;
    const int64_t repeated = periodic ? begin + (offset < 0 ? offset + period : offset) : e[k];
    place.index = place.index * a->size + repeated;
  }
  return place;
}
