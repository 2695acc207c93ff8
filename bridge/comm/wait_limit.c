/* Sets the limit of waits that a program asks for. */
#include "comm_impl.h"

static const char NAME[] = "dap_wait_limit";

/* Sets the limit of an intercommunicator, on the context's communicator of both groups. */
static dap_status set_between(MPI_Comm inter, double seconds, dap_error *err)
{
  dap_context *context;
  DAP_TRY(dap_context_get_any(inter, NAME, &context, err));
  const dap_status s = dap_limit_set(context->comm, NAME, seconds, err);
  if (s) dap_groups_name(&context->groups, -1, err);
  dap_context_release(&context);
  return s;
}

dap_status dap_wait_limit(MPI_Comm comm, double seconds, dap_error *err)
{
  dap_error own = {0};
  bool is_inter = false;
  err = err ? err : &own;
  DAP_TRY(dap_comm_is_inter(comm, &is_inter, err));
  return is_inter ? set_between(comm, seconds, err) : dap_limit_set(comm, NAME, seconds, err);
}
