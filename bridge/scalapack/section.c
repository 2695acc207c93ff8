/* The two axes of the caller's array that are the matrix, as an array of their own. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* {0, 0} stands for the usual ones: both axes of two, the one of one as rows, else the last two. */
static void usual_axes(int ndim, int axes[2])
{
  if (axes[0] || axes[1]) return;
  axes[0] = ndim > 2 ? ndim - 2 : 0;
  axes[1] = ndim == 1 ? -1 : axes[0] + 1;
}

static dap_status check_index(const dap_layout *layout, const int axes[2], const int64_t *index,
                              dap_error *err)
{
  for (int k = 0; index && k < dap_layout_ndim(layout); k++) {
    if (k == axes[0] || k == axes[1]) continue;
    DAP_REQUIRE(index[k] >= 0 && index[k] < dap_layout_size(layout, k), err, DAP_ERR_ARG,
                "options: index[%d] is %" PRId64 ", outside 0 .. %" PRId64, k, index[k],
                dap_layout_size(layout, k) - 1);
  }
  return DAP_OK;
}

/* Fills in the sub-matrix' extents. */
static dap_status check_part(dap_scalapack_request *request, dap_error *err)
{
  for (int k = 0; k < 2; k++) {
    const int64_t size = dap_layout_size(request->layout, k);
    const int64_t start = request->options.start[k], shape = request->options.shape[k];
    DAP_REQUIRE(start >= 0 && start <= size, err, DAP_ERR_ARG,
                "options: start[%d] is %" PRId64 ", outside the axis' 0 .. %" PRId64, k, start, size);
    DAP_REQUIRE(shape >= 0 && shape <= size - start, err, DAP_ERR_ARG,
                "options: shape[%d] is %" PRId64 ", and %" PRId64 " elements are left from %" PRId64 " on", k,
                shape, size - start, start);
    request->start[k] = start;
    request->shape[k] = shape ? shape : size - start;
  }
  return DAP_OK;
}

dap_status dap_scalapack_section(dap_scalapack_request *request, const dap_layout *layout,
                                 const dap_array *array, dap_error *err)
{
  const int ndim = dap_layout_ndim(layout);
  DAP_REQUIRE(ndim > 0, err, DAP_ERR_UNSUPPORTED, "an array without axes is no matrix");
  int *axes = request->options.axes;
  const int64_t *index = request->options.index;
  usual_axes(ndim, axes);
  request->dtype = array->dtype;
  DAP_TRY(check_index(layout, axes, index, err));
  request->ranks = malloc((size_t)dap_layout_nprocs(layout) * sizeof *request->ranks);
  DAP_REQUIRE(request->ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", dap_layout_nprocs(layout));
  DAP_TRY(dap_layout_section(layout, 2, axes, index, &request->layout, request->ranks, err));
  request->nprocs = dap_layout_nprocs(request->layout);
  request->member = -1;
  for (int i = 0; i < request->nprocs; i++)
    if (request->ranks[i] == request->rank) request->member = i;
  DAP_TRY(dap_array_section(array, layout, request->rank, 2, axes, index, &request->array, err));
  return check_part(request, err);
}

void dap_scalapack_request_release(dap_scalapack_request *request)
{
  dap_array_release(&request->array);
  dap_layout_destroy(&request->layout);
  free(request->ranks);
  request->ranks = NULL;
}
