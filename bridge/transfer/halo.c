/* Makes halo updates as plans, from owners to padding and ghosts, and back. */
#include "transfer_impl.h"

dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error kept = {0};
  const dap_plan_options own = dap_request_limits(options); /* elements stay as they are */
  err = err ? err : &kept;
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

static dap_status settle_padding(const dap_side *side, const dap_plan_options *options, dap_plan *plan,
                                 dap_error *err)
{
  if (plan->next_kind) return dap_plan_add_next_pass(side, options, plan, err);
  if (options->padding != DAP_PADDING_CLEAR) return DAP_OK;
  return dap_agree(plan->context->comm, dap_clearing_create(&plan->problem, &plan->clearing, err), err);
}

dap_status dap_plan_create_halo_reverse(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error kept = {0};
  const dap_plan_options own = reverse_options(options);
  const dap_plan_arguments arguments = {.from = side, .to = side, .itemsize = itemsize, .options = &own};
  err = err ? err : &kept;
  DAP_TRY(dap_plan_build(comm, "dap_plan_create_halo_reverse", &arguments, DAP_PLAN_HALO_REVERSE, plan, err));
  const dap_status s = settle_padding(side, &own, *plan, err);
  if (s) dap_plan_destroy(plan);
  return s;
}
