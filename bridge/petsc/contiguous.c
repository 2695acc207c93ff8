/* Whether PETSc can work in a buffer, whatever for. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdalign.h>

int dap_faster_axis(int ndim, int inner, dap_order order, int i)
{
  return order == DAP_ORDER_C || i < inner ? ndim - 1 - i : i - inner;
}

/* True iff `extents` [ndim] elements, `strides` bytes apart, lie in `order` without gaps; else *axis is the
 * first that does not. An extent of 1 has no stride to speak of. */
static bool is_contiguous(int ndim, int inner, const int64_t extents[], const int64_t strides[],
                          dap_order order, int *axis)
{
  for (int k = 0; k < ndim; k++)
    if (extents[k] == 0) return true;
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < ndim; i++) {
    *axis = dap_faster_axis(ndim, inner, order, i);
    if (extents[*axis] > 1 && strides[*axis] != stride) return false;
    stride = stride > INT64_MAX / extents[*axis] ? INT64_MAX : stride * extents[*axis];
  }
  return true;
}

dap_status dap_share_memory(const char *what, int ndim, int inner, const int64_t extents[],
                            const int64_t strides[], const void *data, dap_order order, dap_error *why)
{
  int k = 0;
  DAP_REQUIRE(is_contiguous(ndim, inner, extents, strides, order, &k), why, DAP_ERR_SHARE,
              "dim %d: %s not contiguous in %c order, with %" PRId64 " bytes from one element to the next", k,
              what, (char)order, strides[k]);
  DAP_REQUIRE((uintptr_t)data % alignof(PetscScalar) == 0, why, DAP_ERR_SHARE,
              "the buffer is not aligned to %zu bytes", alignof(PetscScalar));
  return DAP_OK;
}
