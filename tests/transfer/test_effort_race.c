/* Which way is chosen, of given times: without a clock, and without plans. */
#include "mpi_test.h"

#include "transfer_impl.h"

/* Times of turns, in any unit; 0: there are no more. */
typedef struct row {
  const char *why;
  double ns[4][DAP_TURNS];
  int chosen, left; /* left: not dismissed */
} row;

static const row rows[] = {
    {"one way alone", {{5}}, 0, 1},
    {"the estimate is fastest", {{5, 5, 5}, {6, 6, 6}}, 0, 2},
    {"another is clearly faster", {{6, 6, 6}, {5, 5, 5}, {5.5, 5.5, 5.5}}, 1, 3},
    {"the fastest of several", {{9, 9, 9}, {8, 8, 8}, {7, 7, 7}, {7.5, 7.5, 7.5}}, 2, 4},
    {"the estimate stays where noise could have decided", {{103, 103, 103}, {100, 100, 100}}, 0, 2},
    {"but not beyond that", {{104, 104, 104}, {100, 100, 100}}, 1, 2},
    {"one turn is no reason to dismiss", {{10}, {1}}, 1, 2},
    {"far behind in its best turn: dismissed after two", {{10, 16}, {10, 10}, {16, 17}}, 1, 2},
    {"far behind in one turn only: not dismissed", {{10, 10}, {90, 11}}, 0, 2},
    {"somewhat behind: dismissed after four",
     {{10, 10, 10, 10}, {12, 12, 12, 12}, {11.6, 99, 99, 11.4}},
     0,
     2},
    {"the estimate can be dismissed, too", {{20, 20, 20}, {10, 10, 10}}, 1, 1},
    {"medians, not means: one turn was interrupted", {{10, 10, 10, 10}, {9, 9, 9, 500}}, 1, 2},
    {"only turns of one round can be compared: the machine becomes slower",
     {{6, 12, 24, 48, 96}, {5, 10, 20, 40, 80}},
     1,
     1},
    {"dismissed when the machine was fast: no reason to choose it", {{10, 10, 30, 30, 30}, {16, 16}}, 0, 1},
    {"medians, not least: one turn was lucky", {{10, 10, 10}, {1, 20, 20}}, 0, 2},
};

static int racers_of(const row *r, dap_racer racers[])
{
  int count = 0;
  for (; count < 4 && r->ns[count][0] > 0; count++) {
    racers[count] = (dap_racer){.way = &dap_ways[count]};
    for (int turn = 0; turn < DAP_TURNS && r->ns[count][turn] > 0; turn++)
      racers[count].ns[racers[count].turns++] = r->ns[count][turn];
  }
  return count;
}

static void chooses_of_every_row(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_racer racers[4];
    TEST_CASE("%s", rows[i].why);
    const int count = racers_of(&rows[i], racers);
    EXPECT_INT(dap_racers_dismiss(racers, count), rows[i].left);
    EXPECT_INT(dap_racers_choose(racers, count), rows[i].chosen);
  }
  SETTLE();
}

/* Of any times: what is chosen is no more than 5 % slower than the best. */
static void never_far_from_the_best(void **state)
{
  (void)state;
  test_random random = test_random_init(163);
  for (int i = 0; i < 2000; i++) {
    dap_racer racers[DAP_WAYS];
    const int count = (int)test_random_int(&random, 1, DAP_WAYS),
              turns = (int)test_random_int(&random, 1, DAP_TURNS);
    for (int k = 0; k < count; k++) racers[k] = (dap_racer){.way = &dap_ways[k]};
    for (int turn = 0; turn < turns; turn++) {
      for (int k = 0; k < count; k++)
        if (!racers[k].is_out)
          racers[k].ns[racers[k].turns++] = (double)test_random_int(&random, 900 + k, 1100 + k);
      EXPECT(dap_racers_dismiss(racers, count) > 0);
    }
    const int chosen = dap_racers_choose(racers, count);
    for (int k = 0; k < count && EXPECT(chosen >= 0); k++)
      EXPECT(dap_racer_times(racers, count, chosen) <= 1.05 * dap_racer_times(racers, count, k));
  }
  SETTLE();
}

static void nobody_is_left(void **state)
{
  (void)state;
  dap_racer racers[] = {{.way = dap_ways, .is_out = true}, {.way = dap_ways, .is_out = true}};
  EXPECT_INT(dap_racers_choose(racers, 2), -1);
  EXPECT_INT(dap_racers_choose(racers, 0), -1);
  EXPECT_INT(dap_racers_dismiss(racers, 2), 0);
  SETTLE();
}

/* Over the fastest of each round, and in nanoseconds of the one that is chosen. */
static void figures(void **state)
{
  (void)state;
  const dap_racer even[] = {{.turns = 4, .ns = {4, 1, 3, 2}}, {.turns = 4, .ns = {1, 1, 1, 1}}};
  const dap_racer odd[] = {
      {.turns = 5, .ns = {5, 10, 40, 20, 30}}, {.turns = 3, .ns = {10, 40, 120}}, {.turns = 0}};
  EXPECT(dap_racer_times(even, 2, 0) == 2.5 && dap_racer_times(even, 2, 1) == 1);
  EXPECT(dap_racer_times(odd, 3, 0) == 1 && dap_racer_times(odd, 3, 1) == 3);
  EXPECT(dap_racer_ns(odd, 3, 0, 0) == 20 && dap_racer_ns(odd, 3, 1, 0) == 60);
  EXPECT(dap_racer_ns(odd, 3, 2, 0) == 0);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(chooses_of_every_row),
    cmocka_unit_test(never_far_from_the_best),
    cmocka_unit_test(nobody_is_left),
    cmocka_unit_test(figures),
};
MPI_TEST_MAIN(tests)
