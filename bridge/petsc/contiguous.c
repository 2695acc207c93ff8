/* Finds out whether PETSc can work in a buffer. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdalign.h>

int dap_faster_axis(int ndim, int inner, dap_order order, int i)
{
  return order == DAP_ORDER_C || i < inner ? ndim - 1 - i : i - inner;
}

/* Returns whether the block's elements lie in `order` without gaps. Sets *axis to the first axis with a gap.
 * The stride of an axis with one element does not matter. */
static bool is_contiguous(const dap_memory_block *b, dap_order order, int *axis)
{
  for (int k = 0; k < b->ndim; k++)
    if (b->shape[k] == 0) return true;
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < b->ndim; i++) {
    *axis = dap_faster_axis(b->ndim, b->inner, order, i);
    if (b->shape[*axis] > 1 && b->strides[*axis] != stride) return false;
    stride = stride > INT64_MAX / b->shape[*axis] ? INT64_MAX : stride * b->shape[*axis];
  }
  return true;
}

dap_status dap_share_memory(const char *what, const dap_memory_block *block, dap_order order, dap_error *why)
{
  int k = 0;
  const bool contiguous = is_contiguous(block, order, &k);
  DAP_REQUIRE(contiguous, why, DAP_ERR_SHARE,
              "axis %d: %s not contiguous in %c order, with %" PRId64 " bytes from one element to the next%s",
              k, what, (char)order, block->strides[k],
              k < block->ndim - block->inner
                  ? ""
                  : "; in PETSc's vectors the degrees of freedom of a point are beside each other");
  DAP_REQUIRE((uintptr_t)block->data % alignof(PetscScalar) == 0, why, DAP_ERR_SHARE,
              "the buffer is not aligned to %zu bytes", alignof(PetscScalar));
  return DAP_OK;
}
