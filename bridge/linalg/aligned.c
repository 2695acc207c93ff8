/* Takes views of operands that go into one call: one leads, and the others are seen beside it. */
#include "system_impl.h"

/* Takes the view that can be shared, with the op of options->aligned_with or with the other one. If none can,
 * takes the view with options->op. */
static dap_status view_either(dap_linalg_call *call, int i, const dap_scalapack_options *options,
                              dap_scalapack_matrix **view)
{
  dap_scalapack_options o = *options;
  const char like = o.aligned_with->op, ops[2] = {like, like == 'N' ? 'T' : 'N'};
  for (int k = 0; k < 2; k++) {
    o.op = ops[k];
    const dap_status status = dap_linalg_share(call, i, &o, view);
    if (status != DAP_ERR_SHARE) return status;
  }
  return dap_linalg_view(call, i, options, view);
}

dap_status dap_linalg_view_aligned(dap_linalg_call *call, int i, const char *routine,
                                   const dap_scalapack_matrix *like, char op, dap_scalapack_matrix **view)
{
  const dap_scalapack_options o = {.routine = routine, .aligned_with = like, .op = op};
  return op ? dap_linalg_view(call, i, &o, view) : view_either(call, i, &o, view);
}

/* trsm and the exchange of rows take any blocks, from any process on. */
dap_status dap_linalg_view_right_side(dap_linalg_call *call, int i, const dap_scalapack_matrix *like,
                                      dap_scalapack_matrix **view)
{
  const dap_scalapack_options o = {
      .aligned_with = like, .needs = {.any_sources = true, .align = DAP_ALIGN_GRID}, .op = 'N'};
  return view_either(call, i, &o, view);
}

dap_status dap_linalg_view_first(dap_linalg_call *call, const int order[], int count, const char *routine,
                                 int *leader)
{
  const dap_scalapack_options o = {.routine = routine};
  dap_scalapack_matrix *view;
  for (int k = 0; k < count; k++) {
    *leader = order[k];
    const dap_status status = dap_linalg_share(call, order[k], &o, &view);
    if (status != DAP_ERR_SHARE) return status;
  }
  *leader = order[0];
  return dap_linalg_view(call, order[0], &o, &view);
}

dap_status dap_linalg_view_moved_as(dap_linalg_call *call, int i, char op,
                                    const dap_scalapack_options *options, dap_scalapack_matrix **view)
{
  const dap_status status = dap_linalg_share(call, i, options, view);
  if (status != DAP_ERR_SHARE || call->options.sharing == DAP_SHARE_OR_FAIL) return status;
  dap_scalapack_options moved = *options;
  if (!call->kept[i]) moved.op = op; /* a copy lies as the array does, beside other operands */
  return dap_linalg_view(call, i, &moved, view);
}
