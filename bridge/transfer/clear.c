/* Sets padding and ghosts to 0, once their owners have their values. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* Positions along an axis that move, as overlaps with themselves. */
typedef struct clear_axis {
  dap_overlap owned, others;
  int64_t stride;
} clear_axis;

struct dap_clearing {
  int ndim;
  int64_t item;
  clear_axis axes[DAP_MAX_NDIM]; /* [ndim] by falling stride */
};

static int compare_strides(const void *a, const void *b)
{
  const int64_t x = dap_magnitude(((const clear_axis *)a)->stride);
  const int64_t y = dap_magnitude(((const clear_axis *)b)->stride);
  return (x < y) - (x > y);
}

dap_status dap_clearing_create(const dap_problem *problem, dap_clearing **clearing, dap_error *err)
{
  if (!problem->to.holds) return DAP_OK;
  dap_clearing *made = *clearing = calloc(1, sizeof *made);
  DAP_REQUIRE(made, err, DAP_ERR_NOMEM, "no memory for positions to be cleared");
  made->ndim = problem->ndim;
  made->item = problem->to.item;
  for (int k = 0; k < problem->ndim; k++) {
    made->axes[k].stride = problem->to.strides[k];
    DAP_TRY(dap_overlap_create_own(problem, k, true, &made->axes[k].owned, err));
    DAP_TRY(dap_overlap_create_own(problem, k, false, &made->axes[k].others, err));
  }
  qsort(made->axes, (size_t)made->ndim, sizeof *made->axes, compare_strides);
  return DAP_OK;
}

void dap_clearing_release(dap_clearing **clearing)
{
  for (int k = 0; *clearing && k < (*clearing)->ndim; k++) {
    dap_overlap_release(&(*clearing)->axes[k].owned);
    dap_overlap_release(&(*clearing)->axes[k].others);
  }
  free(*clearing);
  *clearing = NULL;
}

int64_t dap_clearing_memory(const dap_clearing *clearing)
{
  int64_t bytes = clearing ? (int64_t)sizeof *clearing : 0;
  for (int k = 0; clearing && k < clearing->ndim; k++)
    bytes += dap_overlap_memory(&clearing->axes[k].owned) + dap_overlap_memory(&clearing->axes[k].others);
  return bytes;
}

/* Whether some axis from `level` on has positions that are not owned. */
static bool has_others(const dap_clearing *c, int level)
{
  for (int k = level; k < c->ndim; k++)
    if (c->axes[k].others.elements > 0) return true;
  return false;
}

static void clear_line(const dap_clearing *c, int64_t count, char *at)
{
  const int64_t stride = c->axes[c->ndim - 1].stride;
  if (stride == c->item)
    memset(at, 0, (size_t)(count * c->item));
  else
    for (int64_t i = 0; i < count; i++) memset(at + i * stride, 0, (size_t)c->item);
}

/* Clears elements at some positions of axis `level`. With is_owned it clears only those that are not owned
 * along a faster axis; there must be some. */
static void clear_positions(const dap_clearing *c, int level, const dap_overlap *positions, bool is_owned,
                            char *at)
{
  const int64_t stride = c->axes[level].stride;
  for (int64_t n = 0; n < positions->size; n++) {
    const dap_strided_run run =
        dap_overlap_is_points(positions) ? dap_overlap_run(positions, n) : positions->runs[n];
    for (int64_t i = 0; i < run.count; i++) {
      char *first = at + (run.to + i * run.to_step) * stride;
      if (level == c->ndim - 1) clear_line(c, run.length, first);
      for (int64_t j = 0; j < run.length && level < c->ndim - 1; j++) {
        const clear_axis *next = &c->axes[level + 1];
        clear_positions(c, level + 1, &next->others, false, first + j * stride);
        if (!is_owned || has_others(c, level + 2))
          clear_positions(c, level + 1, &next->owned, is_owned, first + j * stride);
      }
    }
  }
}

void dap_clearing_run(const dap_clearing *clearing, char *to)
{
  if (!clearing || clearing->ndim == 0) return;
  clear_positions(clearing, 0, &clearing->axes[0].others, false, to);
  if (has_others(clearing, 1)) clear_positions(clearing, 0, &clearing->axes[0].owned, true, to);
}
