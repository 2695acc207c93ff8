/* Makes plans between layouts of given distributions. Tests use them to check the costs of plans, and what
 * plans say about themselves. */
#ifndef DAP_TEST_PLANS_H
#define DAP_TEST_PLANS_H

#include <dapbridge/plan.h>

#include "random_array.h"

/* All of a contiguous array. */
dap_side side_in_c_order(const dap_layout *layout, dap_dtype dtype);

/* A plan of all processes between contiguous arrays of DAP_F8; `to` NULL: a halo update. Collective on
 * MPI_COMM_WORLD, as the next is. */
dap_status plan_between(int ndim, const dap_dist from[], const dap_dist to[], const dap_plan_options *options,
                        dap_plan **plan, dap_error *err);

/* The same, whose failures are recorded; NULL after one. */
dap_plan *plan_of(int ndim, const dap_dist from[], const dap_dist to[], const dap_plan_options *options);

/* Expects that a preview says the same as the plan: of bytes; and of messages and memory, if all elements go
 * by messages. */
void expect_preview(const dap_side *from, const dap_side *to, int64_t itemsize,
                    const dap_plan_options *options, const dap_plan *plan);

#endif
