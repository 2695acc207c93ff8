/* Halo updates as plans. */
#include "transfer_impl.h"

dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_plan_options own = {0}; /* elements stay as they are */
  if (options)
    own = (dap_plan_options){.message_bytes = options->message_bytes,
                             .memory_bytes = options->memory_bytes,
                             .allow_empty = options->allow_empty,
                             .transports = options->transports};
  DAP_TRY(
      dap_plan_build(comm, "dap_plan_create_halo", side, side, itemsize, &own, dap_halo_products, plan, err));
  (*plan)->in_place = true;
  return DAP_OK;
}
