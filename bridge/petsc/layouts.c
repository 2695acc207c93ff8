/* Makes layouts of ranges, and of ranges with ghosts around them. */
#include "petsc_impl.h"

#include <stdlib.h>

dap_status dap_petsc_layout_of(int ndim, const PetscInt begins[], int procs, int64_t columns,
                               dap_layout **layout, dap_error *err)
{
  int64_t *lengths = calloc((size_t)procs, sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %d processes", procs);
  for (int c = 0; c < procs; c++) lengths[c] = (int64_t)begins[c + 1] - begins[c];
  const dap_dist dist[2] = {dap_dist_lengths(begins[procs], procs, lengths), dap_dist_even(columns, 1)};
  const dap_status s = dap_layout_create(ndim, dist, layout, err);
  free(lengths);
  return s;
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

dap_status dap_petsc_layout_create(int ndim, const dap_dist dist[], const int ranks[], dap_layout **layout,
                                   dap_error *err)
{
  dap_layout *row_major = NULL;
  if (!ranks) return dap_layout_create(ndim, dist, layout, err);
  dap_status s = dap_layout_create(ndim, dist, &row_major, err);
  if (!s) s = dap_layout_reorder(row_major, ranks, layout, err);
  dap_layout_destroy(&row_major);
  return s;
}

/* `lengths` has room for the processes of all axes, and `ranks` for all processes. */
static dap_status surround(const dap_layout *from, const dap_surrounding *with, int64_t *lengths, int ranks[],
                           dap_layout **layout, dap_error *err)
{
  const int ndim = dap_layout_ndim(from);
  const bool is_row_major = dap_layout_is_row_major(from);
  dap_dist dist[DAP_MAX_NDIM];
  for (int k = 0; k < ndim; k++) {
    const dap_axis a = dap_layout_axis(from, k);
    const int64_t *margin = with->margin[k], halo = k < with->grid_ndim ? with->width : 0;
    dist[k] = dap_dist_lengths(a.size + margin[0] + margin[1], a.procs, lengths);
    dist[k].halo = halo;
    dist[k].periodic = a.periodic;
    dist[k].wraps = a.periodic && halo > 0;
    for (int side = 0; side < 2 && halo > 0; side++) dist[k].boundary[side] = margin[side];
    for (int c = 0; c < a.procs; c++) lengths[c] = dap_layout_owned(from, k, c);
    lengths[0] += margin[0];
    lengths[a.procs - 1] += margin[1];
    lengths += a.procs;
  }
  for (int place = 0; place < dap_layout_nprocs(from); place++) ranks[place] = dap_rank_at(from, place);
  return dap_petsc_layout_create(ndim, dist, is_row_major ? NULL : ranks, layout, err);
}

dap_status dap_petsc_layout_surround(const dap_layout *from, const dap_surrounding *with, dap_layout **layout,
                                     dap_error *err)
{
  const int nprocs = dap_layout_nprocs(from);
  size_t lines = 0;
  for (int k = 0; k < dap_layout_ndim(from); k++) lines += (size_t)dap_layout_procs(from, k);
  int64_t *lengths = calloc(lines + 1, sizeof *lengths);
  int *ranks = calloc((size_t)nprocs, sizeof *ranks);
  const dap_status s = lengths && ranks ? surround(from, with, lengths, ranks, layout, err)
                                        : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", nprocs);
  free(lengths);
  free(ranks);
  return s;
}
