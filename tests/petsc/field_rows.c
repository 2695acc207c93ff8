/* What the rows of the field tests say: their layouts, and each as a field. */
#include "field_test.h"
#include "variants.h"

/* ---- layouts ------------------------------------------------------------------------------------ */

static int grid_ndim(const field_row *row)
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

/* ---- as a field --------------------------------------------------------------------------------- */

void check_field_row(const field_row *row)
{
  static const struct {
    dap_access access;
    unsigned vectors;
    bool always; /* else on few ranks only: more have to share the cores, and time is short */
  } trials[] = {
      {DAP_READ, BOTH, true},
      {DAP_READ, DAP_PETSC_GLOBAL, false},
      {DAP_READ, DAP_PETSC_LOCAL, false},
      {DAP_WRITE, BOTH, true},
      {DAP_WRITE, DAP_PETSC_GLOBAL, false},
      {DAP_WRITE, DAP_PETSC_LOCAL, true},
      {DAP_READ_WRITE, BOTH, false},
      {DAP_READ_WRITE, DAP_PETSC_GLOBAL, true},
      {DAP_READ_WRITE, DAP_PETSC_LOCAL, false},
  };
  const live_want want = {row->local, row->global, row->reason};
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    if (!trials[i].always && test_nprocs() > 2) continue;
    live a;
    TEST_CASE("%s; access %d, vectors %u", row->why, (int)trials[i].access, trials[i].vectors);
    live_make(&a, row_layout(row), row->form, row->bytes, &row->options);
    if (live_begin(&a, &want, trials[i].access, trials[i].vectors))
      live_finish(&a, trials[i].access, trials[i].vectors);
    live_free(&a);
    SETTLE();
  }
}
