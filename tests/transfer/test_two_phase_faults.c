/* Plans that are forced to have two phases, where there is no room for them. Runs in which something is wrong
 * are rows of fault_moves.c. */
#include "mpi_test.h"
#include "problem_impl.h"
#include "side.h"

/* ---- the plan ----------------------------------------------------------------------------------------- */

enum { SIZE = 130, ITEM = 8 };
static random_array arrays[2];
static test_side from, to;

static void make_sides(void)
{
  const int n = test_nprocs();
  const dap_dist even = dap_dist_even(SIZE, n), dealt = dap_dist_cyclic(SIZE, n, 1);
  test_random random = test_random_init(980);
  (void)array_deal(1, &even, NULL, &arrays[0]);
  (void)array_deal(1, &dealt, NULL, &arrays[1]);
  from = side_make(&arrays[0], CREATED, NULL, ITEM, FORM_C, &random);
  to = side_make(&arrays[1], CREATED, NULL, ITEM, FORM_C, &random);
}

static void free_sides(void)
{
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static dap_status make_plan(const dap_plan_options *given, dap_plan **plan, dap_error *err)
{
  const dap_side a = side_of(&from), b = side_of(&to);
  dap_plan_options o = *given;
  o.transports |= DAP_TRANSPORT_MESSAGES;
  return dap_plan_create(MPI_COMM_WORLD, &a, &b, ITEM, &o, plan, err);
}

static void run_right(dap_plan *plan, int shift)
{
  dap_error err = {0};
  side_fill(&from, shift, COPIES_RIGHT);
  side_poison(&to);
  if (EXPECT_OK(dap_plan_run(plan, side_data(&from), side_data(&to), &err), &err))
    side_check(&to, shift, COPIES_RIGHT, PADDING_POISON);
}

/* ---- cases -------------------------------------------------------------------------------------------- */

/* Two phases need all pieces at once: with less memory, or shorter messages, than that takes there is one,
 * and all is moved the same. A few processes choose one themselves. */
static void one_phase_where_there_is_no_room(void **state)
{
  (void)state;
  make_sides();
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(make_plan(&(dap_plan_options){.transports = DAP_FORCED_TWO_PHASES}, &plan, &err), &err);
  int64_t most = dap_plan_summarize(plan).bytes_buffer;
  dap_plan_destroy(&plan);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  const int64_t is_any = test_nprocs() > 1;
  const struct {
    dap_plan_options options;
    int64_t phases;
  } trials[] = {
      {{.transports = DAP_FORCED_TWO_PHASES, .memory_bytes = most < 4096 ? 4096 : most}, 1 + is_any},
      {{.transports = DAP_FORCED_TWO_PHASES, .memory_bytes = most - 1}, 1},
      {{.transports = DAP_FORCED_TWO_PHASES, .message_bytes = ITEM}, 1},
      {{.transports = DAP_FORCED_ONE_PHASE}, 1},
      {{0}, 1}};
  for (size_t i = 0; i < sizeof trials / sizeof trials[0] && is_any; i++) {
    TEST_CASE("trial %zu", i);
    const dap_status s = make_plan(&trials[i].options, &plan, &err);
    if (s == DAP_ERR_ARG && i == 1) continue; /* one phase takes as much on so few processes */
    if (EXPECT_OK(s, &err)) EXPECT_INT(dap_plan_summarize(plan).phases, trials[i].phases);
    if (plan) run_right(plan, (int)i);
    dap_plan_destroy(&plan);
  }
  free_sides();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_phase_where_there_is_no_room)};
MPI_TEST_MAIN(tests)
