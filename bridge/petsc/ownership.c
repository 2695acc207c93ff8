/* Gives each process points of a DMDA: as in the array, or evenly. */
#include "field_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

dap_status dap_ownership_init(dap_ownership *ownership, dap_error *err)
{
  for (int k = 0; k < ownership->ndim; k++) {
    ownership->points[k] = calloc((size_t)ownership->procs[k], sizeof *ownership->points[k]);
    DAP_REQUIRE(ownership->points[k], err, DAP_ERR_NOMEM, "no memory for %d processes", ownership->procs[k]);
  }
  return DAP_OK;
}

void dap_ownership_release(dap_ownership *ownership)
{
  for (int k = 0; k < DAP_GRID_MAX; k++) free(ownership->points[k]);
  free(ownership->ranks);
  *ownership = (dap_ownership){0};
}

void dap_grid_text(int ndim, const int64_t numbers[], char text[DAP_GRID_TEXT])
{
  int used = 0;
  text[0] = '\0';
  for (int k = 0; k < ndim; k++)
    used += snprintf(text + used, DAP_GRID_TEXT - (size_t)used, "%s%" PRId64, k ? " x " : "", numbers[k]);
}

int dap_rank_at(const dap_layout *layout, int place)
{
  int coords[DAP_MAX_NDIM];
  for (int k = dap_layout_ndim(layout) - 1; k >= 0; k--) {
    coords[k] = place % dap_layout_procs(layout, k);
    place /= dap_layout_procs(layout, k);
  }
  return dap_layout_rank(layout, coords);
}

static dap_status take_ranks(const dap_layout *layout, dap_ownership *ownership, dap_error *err)
{
  const int nprocs = dap_layout_nprocs(layout);
  ownership->ranks = calloc((size_t)nprocs, sizeof *ownership->ranks);
  DAP_REQUIRE(ownership->ranks, err, DAP_ERR_NOMEM, "no memory for %d processes", nprocs);
  for (int place = 0; place < nprocs; place++) ownership->ranks[place] = dap_rank_at(layout, place);
  return DAP_OK;
}

dap_status dap_ownership_of_array(const dap_ghosted_box *array, dap_ownership *ownership, dap_error *err)
{
  *ownership = (dap_ownership){.ndim = array->grid_ndim};
  for (int k = 0; k < ownership->ndim; k++) ownership->procs[k] = array->axis[k].procs;
  DAP_TRY(dap_ownership_init(ownership, err));
  for (int k = 0; k < ownership->ndim; k++)
    for (int c = 0; c < ownership->procs[k]; c++) ownership->points[k][c] = array->axis[k].points[c];
  return dap_layout_is_row_major(array->layout) ? DAP_OK : take_ranks(array->layout, ownership, err);
}

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

dap_status dap_ownership_even(const dap_ghosted_box *array, int64_t width, int nprocs,
                              dap_ownership *ownership, dap_error *err)
{
  *ownership = (dap_ownership){.ndim = array->grid_ndim};
  DAP_TRY(choose(array, width, nprocs, ownership->procs, err));
  DAP_TRY(dap_ownership_init(ownership, err));
  for (int k = 0; k < ownership->ndim; k++) {
    const int64_t size = array->axis[k].size;
    for (int c = 0; c < ownership->procs[k]; c++)
      ownership->points[k][c] = size / ownership->procs[k] + (c < size % ownership->procs[k]);
  }
  return DAP_OK;
}
