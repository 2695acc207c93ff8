/* Memory that one process alone is refused while a plan is measured: each allocation in turn. All learn of
 * it, in the same words, or measure what is left to be measured; and then the plan moves everything. */
#include "allocations.h"
#include "buffers.h"
#include "mpi_test.h"
#include "refused.h"

#include "transfer_impl.h"

#include <inttypes.h>

enum { SIZE = 40 };

typedef struct trial {
  dap_layout *from, *to;
  dap_plan_options options;
} trial;

static void check_moves(const trial *t, dap_plan *plan)
{
  const int rank = test_rank();
  static const int64_t strides[] = {8};
  int64_t source[SIZE], target[SIZE];
  dap_error err = {0};
  fill_bytes(t->from, rank, source, strides, 8);
  fill_poison(t->to, rank, target, strides, 8);
  EXPECT_OK(dap_plan_run(plan, source, target, &err), &err);
  check_bytes(t->to, rank, target, strides, 8, PADDING_POISON);
}

/* A turn of a run each is enough to get everywhere. */
static bool refuse_one(const void *given, int64_t number)
{
  static const dap_patience little = {.turns = 1, .runs = 1, .seconds = 0};
  const trial *t = given;
  const dap_side a = {.layout = t->from, .contiguous = true}, b = {.layout = t->to, .contiguous = true};
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err), &err)) return false;
  allocations_start(number);
  const dap_status s = dap_plan_measure_within(plan, &t->options, false, &little, &err);
  const refusal r = refusal_of(number, s);
  if (r.failed)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
  else
    check_moves(t, plan);
  dap_plan_destroy(&plan);
  return r.was_met;
}

static void allocations_of_one_process(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist from[] = {dap_dist_even(SIZE, n)}, to[] = {dap_dist_cyclic(SIZE, n, 1)};
  dap_error err = {0};
  trial t = {.options = {.effort = DAP_PLAN_MEASURE}};
  const int64_t files = open_files();
  EXPECT_OK(dap_layout_create(1, from, &t.from, &err), &err);
  EXPECT_OK(dap_layout_create(1, to, &t.to, &err), &err);
  refuse_each("a plan is measured", refuse_one, &t);
  EXPECT(test_same_files(files, open_files()));
  dap_layout_destroy(&t.from);
  dap_layout_destroy(&t.to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_of_one_process)};
MPI_TEST_MAIN(tests)
