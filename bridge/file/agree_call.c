/* Lets the processes of a call agree on a status, and learn what rank 0 knows. */
#include "file_impl.h"

dap_status dap_file_agree(const dap_file_call *call, dap_status status, dap_error *err)
{
  return dap_context_agree(call->context, &(dap_agreement){.status = status}, err);
}

dap_status dap_file_tell(const dap_file_call *call, dap_status status, void *at, int bytes, dap_error *err)
{
  DAP_TRY(dap_file_agree(call, status, err));
  return dap_file_agree(call, dap_bcast(call->context->comm, at, bytes, MPI_BYTE, 0, err), err);
}
