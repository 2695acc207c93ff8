/* What is wrong in plans with two phases: options, memory, buffers, MPI. All learn of it, in the same words;
 * what goes by way of a process whose own buffers are at fault goes on, and nobody waits for ever. */
#include "mpi_calls.h"
#include "mpi_test.h"
#include "problem_impl.h"
#include "side.h"

#include <inttypes.h>

/* ---- MPI fails ---------------------------------------------------------------------------------------- */

/* The leak sanitizer reads this: messages of a broken run that nobody receives stay with Open MPI, and so do
 * the buffers that they are sent from. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_two_phase_create\n";
}

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

static void wrong_options(void **state)
{
  (void)state;
  make_sides();
  dap_plan *plan = NULL;
  dap_error err = {0};
  dap_plan_options o = {.transports = test_rank() == 0 ? DAP_FORCED_TWO_PHASES : 0};
  if (test_nprocs() > 1)
    expect_same_error(MPI_COMM_WORLD, make_plan(&o, &plan, &err), &err, DAP_ERR_ARG, "transports");
  EXPECT(!plan);
  free_sides();
}

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

/* Nothing is written anywhere, and the next run of the plan is right. */
static void buffers_at_fault(void **state)
{
  (void)state;
  make_sides();
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(make_plan(&(dap_plan_options){.transports = DAP_FORCED_TWO_PHASES}, &plan, &err), &err);
  for (int culprit = 0; culprit < test_nprocs(); culprit++)
    for (int is_source = 0; is_source < 2; is_source++) {
      const bool lacks = culprit == test_rank();
      TEST_CASE("process %d lacks its %s", culprit, is_source ? "source" : "destination");
      side_fill(&from, 7, COPIES_RIGHT);
      side_poison(&to);
      const dap_status s = dap_plan_run(plan, lacks && is_source ? NULL : side_data(&from),
                                        lacks && !is_source ? NULL : side_data(&to), &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, is_source ? "source|NULL" : "destination|NULL");
      EXPECT_INT(err.rank, culprit);
      for (int64_t i = 0; i < to.buffer.bytes; i++)
        if (to.buffer.memory[i] != TEST_POISON && !EXPECT_MSG(false, "byte %" PRId64 " was written", i))
          break;
      run_right(plan, culprit);
    }
  dap_plan_destroy(&plan);
  free_sides();
}

/* On one process in each of its calls of a run. All learn of it by the next run at the latest. */
static void mpi_fails_in_a_run(void **state)
{
  (void)state;
  const int n = test_nprocs();
  make_sides();
  for (int call = 0; call < MPI_CALLS && n > 1; call++)
    for (int at = 1; at < 3 * n; at++) {
      const int culprit = at % n;
      dap_plan *plan = NULL;
      dap_error err = {0};
      int64_t any = 0, broken = 0;
      TEST_CASE("call %d of %d fails on process %d", at, call, culprit);
      EXPECT_OK(make_plan(&(dap_plan_options){.transports = DAP_FORCED_TWO_PHASES}, &plan, &err), &err);
      mpi_calls_failing[call] = test_rank() == culprit ? at : 0;
      for (int run = 0; run < 3; run++) {
        side_fill(&from, run, COPIES_RIGHT);
        const dap_status s = dap_plan_run(plan, side_data(&from), side_data(&to), &err);
        EXPECT_MSG(!any || s == DAP_ERR_LIBRARY, "run %d: status %d", run, (int)s);
        EXPECT(dap_plan_is_broken(plan) == (s == DAP_ERR_LIBRARY));
        broken = dap_plan_is_broken(plan) && test_rank() == culprit;
        PMPI_Allreduce(&broken, &any, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
      }
      mpi_calls_failing[call] = 0;
      dap_plan_destroy(&plan);
      EXPECT_OK(make_plan(&(dap_plan_options){.transports = DAP_FORCED_TWO_PHASES}, &plan, &err), &err);
      if (plan) run_right(plan, at);
      dap_plan_destroy(&plan);
    }
  free_sides();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_options),
    cmocka_unit_test(one_phase_where_there_is_no_room),
    cmocka_unit_test(buffers_at_fault),
    cmocka_unit_test(mpi_fails_in_a_run),
};
MPI_TEST_MAIN(tests)
