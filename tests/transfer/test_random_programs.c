/* Random programs: plans of all kinds, several of them alive and under way at once, begun and ended in any
 * order, run again, and destroyed by each process in another order. Layouts of all kinds, parts, types,
 * memory, transports, places. Every byte of every destination is checked against serial models. The seed is
 * printed, and DAP_TEST_SEED repeats a run; DAP_TEST_CASES asks for more programs. */
#include "mpi_test.h"
#include "placements.h"
#include "program.h"

enum { PROGRAMS = 210, PLANS = 6, STEPS = 60 };

static program_plan plans[PLANS];

/* Some processes come late, each at other times. */
static void dawdle(void)
{
  static test_random own;
  if (own.state == 0) own = test_random_init(900 + (uint64_t)test_rank());
  if (!test_random_one_in(&own, 8)) return;
  for (int64_t turns = test_random_int(&own, 0, 50000); turns > 0; turns--) (void)test_random_bits(&own);
}

/* Those that are not under way, every second time, in an order of this process's own. */
static void destroy_some(test_random *random)
{
  const int64_t chosen = test_random_int(random, 0, (1 << PLANS) - 1);
  for (int i = 0; i < PLANS; i++) {
    const int p = (i + test_rank()) % PLANS;
    if ((chosen >> p & 1) && !plans[p].is_under_way) program_destroy(&plans[p]);
  }
}

/* A plan drawn by lot goes one step on. Most are on one communicator, so that they could take each other's
 * messages and memory. */
static void step(int nth, test_random *random)
{
  program_plan *p = &plans[test_random_int(random, 0, PLANS - 1)];
  const int elsewhere = test_random_one_in(random, 4), place = (nth + elsewhere) % PLACEMENTS;
  dawdle();
  if (!p->kind)
    program_create(p, nth, placed_comms[place], place, random);
  else if (p->is_under_way)
    program_end(p);
  else if (test_random_one_in(random, 6))
    destroy_some(random);
  else
    program_begin(p, random);
}

static void run_program(int nth)
{
  test_random random = test_random_init(1000 + (uint64_t)nth);
  for (int i = 0; i < STEPS; i++) step(nth, &random);
  for (int i = 0; i < PLANS; i++)
    if (plans[i].kind && plans[i].is_under_way) program_end(&plans[i]);
  for (int i = 0; i < PLANS; i++) program_destroy(&plans[(i + test_rank()) % PLANS]);
  SETTLE();
}

static void random_programs(void **state)
{
  (void)state;
  for (int i = 0; i < test_cases(PROGRAMS); i++) run_program(i);
  EXPECT_MSG(test_nprocs() == 1 || program_phased > 0, "no plan in two phases");
  for (int k = 0; k < PROGRAM_KINDS; k++)
    EXPECT_MSG(program_ended[k] > 0, "no run of a %s", program_kinds[k].name);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),
    cmocka_unit_test(random_programs),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
