/* Votes on facts about a field, and answers what all processes have in common. */
#include "field_impl.h"

/* Votes on how all buffers lie, on which processes give a DMDA, and on the order of its last field. */
enum {
  IN_C_ORDER = 1,
  IN_F_ORDER = 2,
  WITH_DM = 4,
  WITHOUT_DM = 8,
  LAST_IN_C_ORDER = 16,
  LAST_IN_F_ORDER = 32
};

/* Returns whether the array is contiguous. Elements of another size may be as well, because conversion keeps
 * their order. */
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

DM dap_field_own_dm(const dap_view *view)
{
  const dap_petsc_field_options *o = view->options;
  return view->member < 0 ? NULL : o->dm;
}

/* A DMDA without a memo has had no field. */
static uint64_t vote_on_order(DM dm)
{
  dap_dm_memo *memo = NULL;
  if (!dm || DAP_CATCH(dap_dm_memo_of(dm, &memo), "asking the DMDA for its order", NULL)) return 0;
  return memo->order == DAP_ORDER_C ? LAST_IN_C_ORDER : memo->order == DAP_ORDER_F ? LAST_IN_F_ORDER : 0;
}

uint64_t dap_field_vote(const dap_view *view)
{
  if (view->member < 0) return UINT64_MAX;
  DM dm = dap_field_own_dm(view);
  uint64_t votes = vote_on_order(dm) | (dm ? WITH_DM : WITHOUT_DM);
  if (is_contiguous(view, DAP_ORDER_C)) votes |= IN_C_ORDER;
  if (is_contiguous(view, DAP_ORDER_F)) votes |= IN_F_ORDER;
  return votes;
}

bool dap_field_dm_is_agreed(const dap_view *view)
{
  return view->votes & (WITH_DM | WITHOUT_DM);
}

bool dap_field_dm_is_given(const dap_view *view)
{
  return view->votes & WITH_DM;
}

dap_order dap_field_order(const dap_view *view)
{
  const dap_petsc_field_options *o = view->options;
  if (o->order) return o->order;
  if (view->votes & LAST_IN_C_ORDER) return DAP_ORDER_C;
  if (view->votes & LAST_IN_F_ORDER) return DAP_ORDER_F;
  return view->votes & IN_F_ORDER && !(view->votes & IN_C_ORDER) ? DAP_ORDER_F : DAP_ORDER_C;
}
