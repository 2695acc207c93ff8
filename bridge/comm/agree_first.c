/* Makes the first agreement of a function. */
#include "comm_impl.h"

dap_status dap_agree_first(MPI_Comm comm, dap_agreement *a, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  DAP_TRY(dap_limit_by_environment(comm, err));
  return dap_agree_all(comm, a, err);
}

dap_status dap_agree_call(MPI_Comm comm, const char *function, dap_status status, dap_error *err)
{
  return dap_agree_first(comm, &(dap_agreement){.function = function, .status = status}, err);
}

dap_status dap_agree_bits(MPI_Comm comm, const char *function, dap_status status, uint64_t *bits,
                          dap_error *err)
{
  dap_agreement a = {.function = function, .status = status, .bits = {*bits}};
  DAP_TRY(dap_agree_first(comm, &a, err));
  *bits = a.bits[0];
  return DAP_OK;
}
