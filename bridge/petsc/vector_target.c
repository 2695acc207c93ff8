/* A vector with memory of PETSc's own, as an array that a plan can move to and from. */
#include "vector_impl.h"

#include <stdlib.h>

static int64_t common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The slowest axis with more than one element: its ranges are ranges of entries. Of a scalar none. */
static int choose_cut(const dap_layout *layout, dap_order order)
{
  const int ndim = dap_layout_ndim(layout);
  int cut = -1;
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_C ? i : ndim - 1 - i;
    if (cut < 0 || dap_layout_size(layout, cut) <= 1) cut = k;
  }
  return cut;
}

/* As many for each process as PetscSplitOwnership() gives it, but in units of `unit`. */
static void cut_evenly(int64_t size, int64_t unit, int procs, int64_t lengths[])
{
  const int64_t units = size / unit;
  for (int c = 0; c < procs; c++) lengths[c] = unit * (units / procs + (c < units % procs));
}

/* Contiguous in `order`. */
static void pack(const dap_layout *layout, int cut, int coord, dap_order order, int64_t strides[],
                 int64_t *count)
{
  const int ndim = dap_layout_ndim(layout);
  *count = dap_layout_count(layout) > 0;
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_C ? ndim - 1 - i : i;
    strides[k] = *count * (int64_t)sizeof(PetscScalar);
    *count *= dap_layout_owned(layout, k, k == cut ? coord : 0);
  }
}

dap_status dap_vector_lay(struct dap_petsc_vector_state *state, dap_error *err)
{
  const dap_layout *layout = state->layout;
  const int ndim = dap_layout_ndim(layout), procs = dap_layout_nprocs(layout);
  const int cut = choose_cut(layout, state->options.order);
  dap_dist dist[DAP_MAX_NDIM + 1] = {{0}};
  int64_t *lengths = calloc((size_t)procs, sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %d processes", procs);
  for (int k = 0; k < ndim; k++) dist[k] = dap_dist_even(dap_layout_size(layout, k), 1);
  if (cut >= 0) {
    const int64_t size = dap_layout_size(layout, cut), block = state->options.block_size;
    const int64_t inner = size > 0 ? dap_layout_count(layout) / size : 1; /* entries of one index */
    cut_evenly(size, block / common_divisor(block, inner), procs, lengths);
    dist[cut] = dap_dist_lengths(size, procs, lengths);
  }
  const dap_status s = dap_layout_create(ndim, dist, &state->target_layout, err);
  free(lengths);
  if (s) return s;
  pack(state->target_layout, cut, state->rank, state->options.order, state->strides, &state->count);
  state->target = (dap_side){.layout = state->target_layout, .strides = state->strides};
  return DAP_OK;
}
