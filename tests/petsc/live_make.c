/* Arrays with a live field: making them. */
#include "live.h"

#include "variants.h"

static dap_dtype narrow_dtype(void)
{
  return scalar_dtype() == DAP_C16 ? DAP_C8 : DAP_F4;
}

static void spread(dap_dist dists[], int count)
{
  int free_axes = 0, dims[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < count; k++) free_axes += dists[k].procs == 0;
  if (free_axes == 0) return;
  MPI_Dims_create(test_nprocs(), free_axes, dims);
  for (int k = 0, i = 0; k < count; k++)
    if (dists[k].procs == 0) dists[k].procs = dims[i++];
}

dap_layout *live_layout(int ndim, const dap_dist dists[], bool shuffled)
{
  dap_dist dealt[LIVE_NDIM];
  variant_lists lists[LIVE_NDIM];
  test_random random = test_random_init(29);
  dap_layout *layout = NULL;
  dap_error err;
  memcpy(dealt, dists, (size_t)ndim * sizeof *dists);
  spread(dealt, ndim);
  for (int k = 0; k < ndim; k++)
    if (dealt[k].kind == DAP_DIST_UNSTRUCTURED)
      dealt[k] = variant_dist(&random, dealt[k].size, dealt[k].procs, false, &lists[k]);
  EXPECT_OK(dap_layout_create(ndim, dealt, &layout, &err), &err);
  return shuffled ? variant_shuffle(&random, layout) : layout;
}

void live_make(live *a, dap_layout *layout, test_form form, live_bytes bytes,
               const dap_petsc_field_options *options)
{
  test_random random = test_random_init(23);
  const dap_dtype dtype = bytes >= NARROW ? narrow_dtype() : scalar_dtype();
  *a = (live){.layout = layout, .options = *options};
  a->options.lossy = bytes >= NARROW;
  a->buffer = test_buffer_make(layout, test_rank(), dap_dtype_size(dtype), form, &random);
  a->array = test_buffer_array(&a->buffer, dtype);
  fill_global(layout, test_rank(), &a->array);
  const bool odd = bytes == SWAPPED_ON_ODD && test_rank() % 2 == 1;
  if (bytes == SWAPPED || bytes == NARROW_SWAPPED || odd) variant_swap(&a->array);
}

void live_make_row(live *a, const live_row *row)
{
  dap_layout *layout = live_layout(row->ndim, row->dist, row->shuffled);
  if (row->assembled) layout = variant_assemble(MPI_COMM_WORLD, layout);
  live_make(a, layout, row->form, row->bytes, &row->options);
  live_pick(a, row->naxes, row->axes, row->index);
  memcpy(a->shape, row->shape, sizeof row->shape);
}

void live_make_cut(live *a, int ndim, const dap_dist dists[], test_form form, live_bytes bytes)
{
  const dap_petsc_field_options options = {0};
  live_make(a, live_layout(ndim, dists, false), form, bytes, &options);
}

void live_free(live *a)
{
  EXPECT(check_gaps(&a->buffer));
  test_buffer_free(&a->buffer);
  dap_layout_destroy(&a->layout);
}
