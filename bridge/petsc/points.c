/* Distributes the points of a DMDA over the processes, as in the array or evenly. */
#include "field_impl.h"

#include <inttypes.h>
#include <stdio.h>

void dap_grid_text(int ndim, const int64_t numbers[], char text[DAP_GRID_TEXT])
{
  int used = 0;
  text[0] = '\0';
  for (int k = 0; k < ndim; k++)
    used += snprintf(text + used, DAP_GRID_TEXT - (size_t)used, "%s%" PRId64, k ? " x " : "", numbers[k]);
}

dap_status dap_points_create(const dap_ghosted_box *array, const int procs[], const int64_t *lengths,
                             const int ranks[], dap_layout **points, dap_error *err)
{
  dap_dist dist[DAP_MAX_NDIM];
  for (int k = 0; k < array->ndim; k++) {
    const dap_box_axis *a = &array->axis[k];
    dist[k] = dap_dist_even(a->size, 1);
    if (k >= array->grid_ndim) continue;
    dist[k] = lengths ? dap_dist_lengths(a->size, procs[k], lengths) : dap_dist_even(a->size, procs[k]);
    dist[k].periodic = a->outer == DM_BOUNDARY_PERIODIC;
    if (lengths) lengths += procs[k];
  }
  return dap_petsc_layout_create(array->ndim, dist, ranks, points, err);
}

/* Takes the array's own layout without halos, and without margins: those are ghosts of the DMDA. */
dap_status dap_points_of_array(const dap_ghosted_box *array, dap_layout **points, dap_error *err)
{
  dap_surrounding none = {.grid_ndim = array->grid_ndim};
  for (int k = 0; k < array->grid_ndim; k++)
    for (int side = 0; side < 2; side++) none.margin[k][side] = -array->axis[k].margin[side];
  return dap_petsc_layout_surround(array->layout, &none, points, err);
}

/* ---- evenly -------------------------------------------------------------------------------------------- */

/* Returns the number of points at cuts, which a halo of width 1 moves. */
static double surface(const dap_ghosted_box *array, const int procs[])
{
  double all = 0;
  for (int k = 0; k < array->grid_ndim; k++) {
    double face = procs[k] - 1;
    for (int j = 0; j < array->grid_ndim; j++)
      if (j != k) face *= (double)array->axis[j].size;
    all += face;
  }
  return all;
}

static bool fits(const dap_ghosted_box *array, int64_t width, const int procs[])
{
  for (int k = 0; k < array->grid_ndim; k++)
    if (!dap_ranges_fit(array, k, procs[k], array->axis[k].size / procs[k], width)) return false;
  return true;
}

static dap_status no_grid(const dap_ghosted_box *array, int64_t width, int nprocs, dap_error *err)
{
  int64_t sizes[DAP_GRID_MAX] = {0};
  char text[DAP_GRID_TEXT];
  for (int k = 0; k < array->grid_ndim; k++) sizes[k] = array->axis[k].size;
  dap_grid_text(array->grid_ndim, sizes, text);
  return dap_fail(err, DAP_ERR_UNSUPPORTED,
                  "no grid of %d processes leaves each enough of %s points for a DMDA with stencil width "
                  "%" PRId64,
                  nprocs, text, width);
}

/* Chooses the grid with the smallest surface among those that PETSc takes. Among equals it takes the one
 * with the most processes along the first axes, whose ranges are longest in memory. */
static dap_status choose(const dap_ghosted_box *array, int64_t width, int nprocs, int procs[], dap_error *err)
{
  const int ndim = array->grid_ndim;
  double best = -1;
  for (int p = nprocs; p >= 1; p--) {
    if (nprocs % p) continue;
    for (int q = nprocs / p; q >= 1; q--) {
      if (nprocs / p % q) continue;
      const int grid[DAP_GRID_MAX] = {p, q, nprocs / p / q};
      if ((ndim < 3 && grid[2] > 1) || (ndim < 2 && q > 1) || !fits(array, width, grid)) continue;
      if (best >= 0 && surface(array, grid) >= best) continue;
      best = surface(array, grid);
      for (int k = 0; k < ndim; k++) procs[k] = grid[k];
    }
  }
  return best >= 0 ? DAP_OK : no_grid(array, width, nprocs, err);
}

dap_status dap_points_even(const dap_ghosted_box *array, int64_t width, int nprocs, dap_layout **points,
                           dap_error *err)
{
  int procs[DAP_MAX_NDIM] = {1, 1, 1};
  DAP_TRY(choose(array, width, nprocs, procs, err));
  return dap_points_create(array, procs, NULL, NULL, points, err);
}
