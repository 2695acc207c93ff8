/* Operands that go into one call: who leads, and how the others are seen beside it. */
#include "linalg_impl.h"

/* The options that a view beside `like` begins with. */
static dap_scalapack_options aligned_with(const char *routine, const dap_scalapack_matrix *like, char op)
{
  return (dap_scalapack_options){.routine = routine, .aligned_with = like, .op = op};
}

dap_status dap_linalg_view_aligned(dap_linalg_call *call, int i, const char *routine,
                                   const dap_scalapack_matrix *like, char op, dap_scalapack_matrix **view)
{
  if (!op) { /* the other order may share where the first one does not */
    for (int attempt = 0; attempt < 2; attempt++) {
      const char seen = (like->op == 'N') == (attempt == 0) ? 'N' : 'T';
      const dap_scalapack_options o = aligned_with(routine, like, seen);
      const dap_status status = dap_linalg_share(call, i, &o, view);
      if (status != DAP_ERR_SHARE) return status;
    }
  }
  const dap_scalapack_options o = aligned_with(routine, like, op);
  return dap_linalg_view(call, i, &o, view);
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
  if (!call->kept[i]) moved.op = op; /* a copy stays as it lies, beside others' parts */
  return dap_linalg_view(call, i, &moved, view);
}
