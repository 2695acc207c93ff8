/* Finds the order of a destination's processes that moves the fewest elements. */
#include "relabel_impl.h"

#include <stdlib.h>

enum { MOST_EXACT = 256 /* most processes for which the best of all orders is found */ };

static dap_status assign(const dap_volumes *volumes, int ranks[], dap_error *err)
{
  const int rows = volumes->to->nprocs, columns = volumes->ranks;
  int64_t *values = malloc((size_t)rows * (size_t)columns * sizeof *values);
  DAP_REQUIRE(values, err, DAP_ERR_NOMEM, "no memory for the volumes of %d x %d processes", rows, columns);
  for (int q = 0; q < rows; q++)
    for (int p = 0; p < columns; p++) values[(int64_t)q * columns + p] = dap_volume(volumes, p, q);
  const dap_status s = dap_assign(rows, columns, values, ranks, err);
  free(values);
  return s;
}

/* Chooses an order; the given one, if no other that was found keeps more elements in place. */
static dap_status choose_order(const dap_volumes *volumes, int most_exact, int ranks[], int64_t *before,
                               int64_t *after, dap_error *err)
{
  const int64_t own = dap_volumes_kept(volumes, NULL);
  int64_t kept = own;
  if (own < volumes->all) {
    DAP_TRY(volumes->ranks <= most_exact ? assign(volumes, ranks, err)
                                         : dap_match_greedily(volumes, ranks, err));
    kept = dap_volumes_kept(volumes, ranks);
  }
  for (int q = 0; q < volumes->to->nprocs && kept <= own; q++) ranks[q] = q;
  if (before) *before = volumes->all - own;
  if (after) *after = volumes->all - dap_larger(kept, own);
  return DAP_OK;
}

dap_status dap_relabel(const dap_layout *from, const dap_layout *to, int most_exact, int ranks[],
                       int64_t *before, int64_t *after, dap_error *err)
{
  dap_volumes volumes;
  DAP_REQUIRE(ranks, err, DAP_ERR_ARG, "ranks must not be NULL");
  dap_status s = dap_volumes_create(from, to, &volumes, err);
  if (!s) s = choose_order(&volumes, most_exact, ranks, before, after, err);
  dap_volumes_release(&volumes);
  return s;
}

dap_status dap_plan_relabel(const dap_layout *from, const dap_layout *to, int ranks[], int64_t *before,
                            int64_t *after, dap_error *err)
{
  return dap_relabel(from, to, MOST_EXACT, ranks, before, after, err);
}
