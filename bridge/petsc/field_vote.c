/* Votes on facts about a field, and answers what all processes have in common. */
#include "field_impl.h"

/* Votes on how all buffers lie, and on which processes give a DMDA. */
enum { IN_C_ORDER = 1, IN_F_ORDER = 2, WITH_DM = 4, WITHOUT_DM = 8 };

/* Whether the array is contiguous. Elements of another size may be as well, because conversion keeps their
 * order. */
static bool is_contiguous(const dap_view *view, dap_order order)
{
  const dap_petsc_field_options *o = view->options;
  const dap_array *array = &view->local;
  const int64_t itemsize = dap_dtype_size(view->dtype);
  int64_t strides[DAP_MAX_NDIM];
  for (int k = 0; k < array->ndim; k++) {
    if (array->strides[k] % itemsize != 0) return false;
    strides[k] = array->strides[k] / itemsize * (int64_t)sizeof(PetscScalar);
  }
  const dap_memory_block block = {NULL, array->ndim, o->dof_axes, array->shape, strides};
  return dap_share_memory("", &block, order, NULL) == DAP_OK;
}

uint64_t dap_field_vote(const dap_view *view)
{
  const dap_petsc_field_options *o = view->options;
  if (view->member < 0) return UINT64_MAX;
  uint64_t votes = o->dm ? WITH_DM : WITHOUT_DM;
  if (is_contiguous(view, DAP_ORDER_C)) votes |= IN_C_ORDER;
  if (is_contiguous(view, DAP_ORDER_F)) votes |= IN_F_ORDER;
  return votes;
}

DM dap_field_own_dm(const dap_view *view)
{
  const dap_petsc_field_options *o = view->options;
  return view->member < 0 ? NULL : o->dm;
}

bool dap_field_dm_is_agreed(const dap_view *view)
{
  return view->votes & (WITH_DM | WITHOUT_DM);
}

bool dap_field_dm_is_given(const dap_view *view)
{
  return view->votes & WITH_DM;
}

dap_order dap_field_order(const dap_view *view, dap_order wanted)
{
  if (wanted) return wanted;
  return view->votes & IN_F_ORDER && !(view->votes & IN_C_ORDER) ? DAP_ORDER_F : DAP_ORDER_C;
}
