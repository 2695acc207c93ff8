/* Several plans under way at once, by all transports, on one host and on several that are pretended. The
 * seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "pair.h"
#include "placements.h"

enum { FLIGHTS = 6, PLANS = 4 };

static pair cases[PLANS];

static void end_one(const pair *c, dap_plan *plan, const dap_plan_options *o, const memory *m, int64_t shift)
{
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_end(plan, &err), &err)) check_run(c, o, m, shift);
}

static void flight(MPI_Comm comm, test_random *random, int number)
{
  dap_plan *plans[PLANS] = {NULL};
  dap_plan_options options[PLANS];
  const memory *where[PLANS];
  dap_error err = {0};
  bool good = true;
  for (int i = 0; i < PLANS; i++) {
    draw_pair(random, comm, &cases[i]);
    options[i] = draw_options(random);
    options[i].transports |= DAP_TRANSPORT_MESSAGES; /* runs wherever it is */
    where[i] = &memories[test_random_int(random, 0, MEMORIES - 1)];
    label("one of several under way", number, &cases[i], &options[i]);
    const dap_side a = as_given(&cases[i], &cases[i].from), b = as_given(&cases[i], &cases[i].to);
    good &=
        EXPECT_OK(dap_plan_create(comm, &a, &b, cases[i].from.itemsize, &options[i], &plans[i], &err), &err);
  }
  for (int round = 0; round < 3 && good; round++) {
    for (int i = 0; i < PLANS; i++) {
      const pair *c = &cases[i];
      const test_side *from = where[i]->from ? &c->alloc_from.side : &c->from;
      const test_side *to = where[i]->to ? &c->alloc_to.side : &c->to;
      side_fill(from, round, COPIES_WRONG);
      side_poison(to);
      EXPECT_OK(dap_plan_begin(plans[i], side_data(from), side_data(to), &err), &err);
    }
    for (int k = 0; k < PLANS; k++) {
      const int i = round % 2 ? PLANS - 1 - k : k;
      end_one(&cases[i], plans[i], &options[i], where[i], round);
    }
  }
  for (int i = 0; i < PLANS; i++) {
    dap_plan_destroy(&plans[i]);
    free_pair(&cases[i]);
  }
}

/* Ended in the order in which they began, and the other way round. */
static void several_are_under_way(void **state)
{
  (void)state;
  test_random random = test_random_init(80);
  for (int i = 0; i < FLIGHTS; i++) {
    int hosts[BRUTE_PROCS] = {0};
    MPI_Comm comm = comm_at(&placements[i % PLACEMENTS], hosts);
    flight(comm, &random, i);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(several_are_under_way),
};

MPI_TEST_MAIN(tests)
