/* Makes halo updates as plans, from owners to padding and ghosts, and back. */
#include "transfer_impl.h"

dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  const dap_plan_options own = dap_request_limits(options); /* elements stay as they are */
  const dap_plan_arguments arguments = {.from = side, .to = side, .itemsize = itemsize, .options = &own};
  return dap_plan_build(comm, "dap_plan_create_halo", &arguments, DAP_PLAN_HALO, plan, err);
}

/* Returns the options of the plan that is made. fill_halos means that a second pass fills padding and
 * ghosts. */
static dap_plan_options reverse_options(const dap_plan_options *options)
{
  dap_plan_options own = dap_request_limits(options);
  if (options) own.padding = options->padding;
  own.combine = options && options->combine ? options->combine : DAP_COMBINE_SUM;
  own.fill_halos = own.padding == DAP_PADDING_REFRESH;
  return own;
}

dap_status dap_plan_create_halo_reverse(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  const dap_plan_options own = reverse_options(options);
  const dap_plan_arguments arguments = {.from = side, .to = side, .itemsize = itemsize, .options = &own};
  DAP_TRY(dap_plan_build(comm, "dap_plan_create_halo_reverse", &arguments, DAP_PLAN_HALO_REVERSE, plan, err));
  if (own.padding != DAP_PADDING_CLEAR) return DAP_OK;
  const dap_status s = dap_clearing_create(&(*plan)->problem, &(*plan)->clearing, err);
  const dap_status agreed = dap_agree((*plan)->context->comm, s, err);
  if (agreed) dap_plan_destroy(plan);
  return agreed;
}
