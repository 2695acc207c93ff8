/* Makes one end of a case: its layout, and this process's buffer. */
#include "redistribute.h"

#include <dapbridge/comm.h>
#include <stdlib.h>

void bench_side_coords(const bench_case *c, const bench_side *side, int rank, int coords[])
{
  for (int k = c->ndim - 1; k >= 0; k--) {
    coords[k] = rank % side->axes[k].procs;
    rank /= side->axes[k].procs;
  }
}

static void set_shape(const bench_case *c, bench_side *side)
{
  bench_side_coords(c, side, c->rank, side->coords);
  int64_t step = c->itemsize;
  side->bytes = c->itemsize;
  for (int i = 0; i < c->ndim; i++) {
    const int k = side->order == DAP_ORDER_F ? i : c->ndim - 1 - i; /* fastest first */
    side->shape[k] = bench_axis_extent(&side->axes[k], side->coords[k]);
    side->strides[k] = step;
    step *= side->shape[k] > 0 ? side->shape[k] : 1;
    side->bytes *= side->shape[k];
  }
}

/* Assembles a shuffled array. Each process gives its own indices, as processes of a user do. */
static dap_status assemble(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err)
{
  const int64_t count = side->shape[0];
  int64_t *indices = malloc((size_t)(count + 1) * sizeof *indices);
  char *nothing = malloc((size_t)side->bytes + 1);
  if (!indices || !nothing) {
    free(indices), free(nothing);
    return dap_fail(err, DAP_ERR_NOMEM, "no memory for a list of indices");
  }
  bool owned;
  for (int64_t i = 0; i < count; i++)
    indices[i] = bench_axis_global(&side->axes[0], side->coords[0], i, &owned);
  const dap_array array = {.abi = DAP_ARRAY_ABI,
                           .version = "0.10.0",
                           .dim_count = 1,
                           .ndim = 1,
                           .dtype = c->dtype,
                           .data = nothing,
                           .shape = {count},
                           .strides = {c->itemsize},
                           .dims = {{.dist_type = 'u',
                                     .size = side->axes[0].size,
                                     .proc_grid_size = c->nprocs,
                                     .proc_grid_rank = c->rank,
                                     .indices_dtype = DAP_I8,
                                     .index_count = count,
                                     .indices = indices,
                                     .one_to_one = true}}};
  const dap_status status = dap_layout_assemble(comm, &array, &side->layout, err);
  free(indices), free(nothing);
  return status;
}

dap_status bench_side_make(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err)
{
  set_shape(c, side);
  if (side->axes[0].kind == BENCH_SHUFFLE) return assemble(c, comm, side, err);
  dap_dist dists[BENCH_NDIM];
  for (int k = 0; k < c->ndim; k++) dists[k] = bench_axis_dist(&side->axes[k]);
  return dap_layout_create(c->ndim, dists, &side->layout, err);
}

int64_t bench_payload(const bench_case *c)
{
  int64_t owned = c->itemsize, all = c->itemsize;
  for (int k = 0; k < c->ndim; k++) {
    const bench_axis *axis = &c->to.axes[k];
    const int coord = c->to.coords[k];
    const bool padding = axis->kind == BENCH_PADDED;
    const int64_t edges = padding ? axis->width * ((coord > 0) + (coord < axis->procs - 1)) : 0;
    owned *= c->to.shape[k] - edges;
    all *= c->to.shape[k];
  }
  return c->halo ? all - owned : owned;
}
