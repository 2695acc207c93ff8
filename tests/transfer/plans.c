/* Private: the transports that a caller allows are separated from those that tests force. */
#include "plans.h"

#include "mpi_test.h"
#include "problem_impl.h"

dap_side side_in_c_order(const dap_layout *layout, dap_dtype dtype)
{
  return (dap_side){.layout = layout, .contiguous = true, .dtype = dtype};
}

dap_status plan_between(int ndim, const dap_dist from[], const dap_dist to[], const dap_plan_options *options,
                        dap_plan **plan, dap_error *err)
{
  dap_layout *layouts[2] = {layout_make(ndim, from, NULL), to ? layout_make(ndim, to, NULL) : NULL};
  const dap_side a = side_in_c_order(layouts[0], DAP_F8), b = side_in_c_order(layouts[1], DAP_F8);
  const dap_status s = to ? dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, options, plan, err)
                          : dap_plan_create_halo(MPI_COMM_WORLD, &a, 0, options, plan, err);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
  return s;
}

dap_plan *plan_of(int ndim, const dap_dist from[], const dap_dist to[], const dap_plan_options *options)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(plan_between(ndim, from, to, options, &plan, &err), &err);
  return plan;
}

void expect_preview(const dap_side *from, const dap_side *to, int64_t itemsize,
                    const dap_plan_options *options, const dap_plan *plan)
{
  const dap_plan_stats real = dap_plan_summarize(plan);
  dap_plan_stats guess = {0};
  dap_error err = {0};
  EXPECT_OK(dap_plan_preview(test_nprocs(), test_rank(), from, to, itemsize, options, &guess, &err), &err);
  EXPECT_INT(guess.bytes_local, real.bytes_local);
  EXPECT_INT(guess.bytes_sent, real.bytes_sent);
  EXPECT_INT(guess.bytes_received, real.bytes_received);
  EXPECT_INT(guess.bytes_handed_on, real.bytes_handed_on);
  if (!options || (options->transports & DAP_TRANSPORTS) != DAP_TRANSPORT_MESSAGES) return;
  EXPECT_INT(guess.phases, real.phases);
  EXPECT_INT(guess.rounds, real.rounds);
  EXPECT_INT(guess.messages_sent, real.messages_sent);
  EXPECT_INT(guess.messages_received, real.messages_received);
  EXPECT_INT(guess.bytes_buffer, real.bytes_buffer);
  EXPECT_INT(guess.bytes_plan, real.bytes_plan);
}
