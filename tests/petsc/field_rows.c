/* What the rows of the field tests say: layouts, and which element lies where. */
#include "field_trial.h"
#include "variants.h"

dap_dtype scalar_dtype(void)
{
#if defined(PETSC_USE_COMPLEX)
  return DAP_C16;
#else
  return DAP_F8;
#endif
}

/* ---- layouts ------------------------------------------------------------------------------------ */

int grid_ndim(const field_row *row)
{
  return row->ndim - (row->options.dof_axes ? 1 : 0);
}

static void spread(const field_row *row, int procs[4])
{
  const int n = grid_ndim(row);
  for (int k = 0; k < 4; k++) procs[k] = 1;
  if (row->spread == SQUARE) {
    int dims[3] = {0};
    MPI_Dims_create(test_nprocs(), n, dims);
    for (int k = 0; k < n; k++) procs[k] = dims[k];
  } else {
    procs[row->spread == ALONG_FIRST ? 0 : n - 1] = test_nprocs();
  }
}

static void cut_lengths(test_lengths how, int64_t size, int procs, int64_t lengths[])
{
  int64_t total = 0, used = 0;
  for (int c = 0; c < procs; c++) total += how == HOLES ? 1 - c % 2 : 1 + 2 * c % 3;
  for (int c = 0; c < procs; c++)
    used += lengths[c] = size * (how == HOLES ? 1 - c % 2 : 1 + 2 * c % 3) / total;
  for (int c = procs - 1; c >= 0 && used < size; c--) {
    if (how == HOLES && c % 2) continue;
    lengths[c] += size - used;
    used = size;
  }
}

dap_layout *row_layout(const field_row *row)
{
  int procs[4];
  int64_t lengths[4][BUFSIZ / 8];
  variant_lists lists[4];
  test_random random = test_random_init(19);
  dap_dist dist[4] = {{0}};
  dap_layout *layout = NULL;
  dap_error err;
  spread(row, procs);
  for (int k = 0; k < row->ndim; k++) {
    const bool cut = procs[k] > 1;
    dist[k] = (dap_dist){.kind = DAP_DIST_EVEN,
                         .procs = procs[k],
                         .size = row->size[k],
                         .halo = row->halo[k],
                         .boundary = {row->boundary[k][0], row->boundary[k][1]},
                         .periodic = row->periodic[k],
                         .wraps = row->wraps[k]};
    if (row->lists[k] == COPIES)
      dist[k] = dap_dist_replicated(row->size[k], procs[k]);
    else if (row->lists[k])
      dist[k] = variant_dist(&random, row->size[k], procs[k], row->lists[k] == OVERLAPS, &lists[k]);
    if (row->lists[k] == GHOSTED_LISTS) variant_add_ghosts(procs[k], &lists[k]);
    if (row->lists[k]) continue;
    if (cut && row->lengths == CEIL) dist[k].kind = DAP_DIST_CEIL;
    if (cut && row->lengths == CYCLIC) dist[k] = dap_dist_cyclic(row->size[k], procs[k], 2);
    if (cut && row->lengths == ONE_BLOCK)
      dist[k] = dap_dist_cyclic(row->size[k], procs[k], (row->size[k] + procs[k] - 1) / procs[k]);
    if (!cut || (row->lengths != IRREGULAR && row->lengths != HOLES)) continue;
    cut_lengths(row->lengths, row->size[k], procs[k], lengths[k]);
    dist[k].kind = DAP_DIST_LENGTHS;
    dist[k].lengths = lengths[k];
  }
  EXPECT_OK(dap_layout_create(row->ndim, dist, &layout, &err), &err);
  if (row->shuffled) layout = variant_shuffle(&random, layout);
  if (row->assembled) layout = variant_assemble(MPI_COMM_WORLD, layout);
  return layout;
}

/* ---- which element lies where -------------------------------------------------------------------- */

int64_t outside(const field_row *row, int axis, int side)
{
  const bool ghosts =
      row->periodic[axis] ? row->options.strip_periodic : row->options.boundary == DM_BOUNDARY_GHOSTED;
  return ghosts && axis < grid_ndim(row) ? row->boundary[axis][side] : 0;
}

static int64_t modulo(int64_t a, int64_t b)
{
  return (a % b + b) % b;
}

int64_t element_of(const field_row *row, const int64_t global[])
{
  int64_t index = 0;
  for (int k = 0; k < row->ndim; k++) {
    const int64_t low = outside(row, k, 0), period = row->size[k] - low - outside(row, k, 1);
    const int64_t at = row->periodic[k] ? low + modulo(global[k] - low, period) : global[k];
    index = index * row->size[k] + at;
  }
  return index;
}
