/* Makes plans between layouts of given distributions. Tests use them to check the costs of plans, and what
 * plans say about themselves. */
#ifndef DAP_TEST_PLANS_H
#define DAP_TEST_PLANS_H

#include <dapbridge/plan.h>

#include "random_array.h"

/* Returns a side with the whole of a contiguous array. */
dap_side side_in_c_order(const dap_layout *layout, dap_dtype dtype);

/* Makes a plan of all processes between contiguous arrays of DAP_F8. If `to` is NULL, the plan is a halo
 * update. Collective on MPI_COMM_WORLD. */
dap_status plan_between(int ndim, const dap_dist from[], const dap_dist to[], const dap_plan_options *options,
                        dap_plan **plan, dap_error *err);

/* Makes the same plan. A failure is recorded, and the plan is then NULL. Collective on MPI_COMM_WORLD. */
dap_plan *plan_of(int ndim, const dap_dist from[], const dap_dist to[], const dap_plan_options *options);

/* Checks that a preview gives the same bytes as the plan. If all elements go by messages, the messages and
 * the memory must also be the same. */
void expect_preview(const dap_side *from, const dap_side *to, int64_t itemsize,
                    const dap_plan_options *options, const dap_plan *plan);

#endif
