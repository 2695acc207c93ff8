/* Tests which calls go to ScaLAPACK's own p?gemr2d and which use plans, if the program does not ask for plans
 * only. The test sees this by calls of MPI.
 *
 * A plan begins with one long reduction, and the first plan on a communicator makes a communicator for each
 * node. An agreement before that is one short reduction of 64-bit numbers. Elements are right in both cases.
 */
#include "gemr2d.h"
#include "random.h"
#include "reductions.h"

#include <inttypes.h>

enum {
  FIRST = 4096 /* microseconds of calls that are ScaLAPACK's: one for each call, and one for each 4 KiB */,
  CREDIT = 64 /* agreements that find no plan, before the first pause */,
  SMALL_CREDIT = 8 /* between two pauses */,
  MOST = 16384 /* the longest pause */,
  KEPT = 32 /* plans, and calls that are remembered */
};

static struct {
  int agreements, plans, nodes;
} counted;

static void count_reduction(int count, MPI_Datatype type)
{
  counted.plans += count > LONG && type == MPI_INT64_T;
  counted.agreements += count <= LONG && type == MPI_INT64_T && counted.nodes == 0;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  counted.nodes++;
  return PMPI_Comm_split_type(comm, type, key, info, made);
}

/* ---- moves -------------------------------------------------------------------------------------------- */

static setting start(grid of_a, grid of_b, int size)
{
  const int P = test_nprocs();
  const matrix a = {.grid = of_a, .size = {size, size}, .block = {size, (size + P - 1) / P}};
  const matrix b = {.grid = of_b, .size = {size, size}, .block = {3, 5}, .gap = 2};
  const setting s = setting_start(a, b, TYPE_D);
  counted.agreements = counted.plans = counted.nodes = 0;
  return s;
}

/* Columns become rows; with fewer processes than all on one side. */
static setting set_up(int size)
{
  const int P = test_nprocs();
  return start(grid_from(1, P, 0), grid_from(P > 2 ? P - 1 : P, 1, 0), size);
}

/* From the first process to the last one. All others are outside both grids. */
static setting set_up_ends(int size)
{
  return start(grid_from(1, 1, 0), grid_from(1, 1, test_nprocs() - 1), size);
}

static void expect_plans(int plans)
{
  EXPECT_INT(counted.plans, plans);
  EXPECT_INT(counted.nodes > 0, plans > 0);
}

/* ---- tests -------------------------------------------------------------------------------------------- */

/* Plans of a context that is made for one call would never be used again. */
static void contexts_around_each_call(void **state)
{
  (void)state;
  calls_load();
  SETTLE();
  calls_take_plans_only(false);
  for (int i = 0; i < 60; i++) {
    TEST_CASE("context %d", i);
    setting s = set_up(30);
    check_move(&s, (const int[]){30 - i % 20, 30}, i);
    expect_plans(0);
    setting_stop(&s);
    SETTLE();
  }
}

/* Returns the microseconds that a call of ScaLAPACK is assumed to take. */
static int64_t takes(int rows, int columns)
{
  return 1 + (int64_t)rows * columns * 8 / 4096;
}

/* A context's first calls are ScaLAPACK's. Then the call gets its plan, because it came before. */
static void the_same_call_comes_again(void **state)
{
  (void)state;
  const struct {
    int rows, columns;
    const char *why;
  } cases[] = {
      {200, 200, "52 calls"}, {200, 30, "a part of the columns"}, {20, 20, "bytes that do not count"}};
  for (int c = 0; c < 3; c++) {
    TEST_CASE("%s", cases[c].why);
    setting s = set_up(cases[c].rows);
    const int64_t each = takes(cases[c].rows, cases[c].columns), first = (FIRST + each - 1) / each;
    for (int i = 0; i < first + 6; i++) {
      check_move(&s, (const int[]){cases[c].rows, cases[c].columns}, i);
      if (!EXPECT_MSG(counted.plans == (i >= first), "call %d: %d plans", i, counted.plans)) break;
    }
    setting_stop(&s);
    SETTLE();
  }
}

/* Makes all calls before the first agreement. They are alike, so the next one could get a plan. */
static void check_first(setting *s, int rows, int columns)
{
  for (int64_t past = 0; past < FIRST; past += takes(rows, columns))
    check_move(s, (const int[]){rows, columns}, (int)past);
  EXPECT_INT(counted.agreements, 0);
}

/* Makes a call of kind k. */
static void check_kind(setting *s, int k, int salt)
{
  check_move(s, (const int[]){90 - k, 90}, salt);
}

/* There are more kinds of calls than are remembered, so no call finds an earlier one, and agreements
 * become rare. */
static void check_many_kinds(setting *s)
{
  enum { KINDS = 60, CALLS = 1700, PAUSES = 4 };
  for (int i = 0; i < CALLS; i++) {
    check_kind(s, i % KINDS, i);
    const int most = CREDIT + PAUSES * SMALL_CREDIT;
    if (!EXPECT_MSG(counted.agreements <= most, "call %d: %d agreements", i, counted.agreements)) break;
  }
  EXPECT(counted.agreements > CREDIT);
  EXPECT_INT(counted.plans, 0);
  EXPECT_INT(counted.nodes, 0);
}

/* Each gets its plan, at the latest after the longest pause and the credit between some pauses. */
static void check_few_kinds(setting *s)
{
  enum { KINDS = 3 };
  const int64_t most = 3 * MOST / takes(88, 90);
  for (int64_t i = 0; i < most && counted.plans < KINDS; i++) check_kind(s, (int)(i % KINDS), (int)i);
  EXPECT_INT(counted.plans, KINDS);
  for (int i = 0; i < 90; i++) check_kind(s, i % KINDS, i);
  EXPECT_INT(counted.plans, KINDS);
}

static void many_kinds_in_turn(void **state)
{
  (void)state;
  setting (*const starts[])(int size) = {set_up, set_up_ends};
  for (int i = 0; i < 2; i++) {
    TEST_CASE("%s", i ? "most processes are outside" : "all processes have parts");
    setting s = starts[i](90);
    check_many_kinds(&s);
    check_few_kinds(&s);
    setting_stop(&s);
    SETTLE();
  }
}

/* As many kinds as are remembered are found. The credit is enough for plans of half of them at once. */
static void kinds_that_are_remembered(void **state)
{
  (void)state;
  const struct {
    int kinds, rounds;
    const char *why;
  } cases[] = {{KEPT / 2, 2, "the first credit is enough"}, {KEPT, 60, "plans earn the credit for others"}};
  for (int c = 0; c < 2; c++) {
    TEST_CASE("%d kinds: %s", cases[c].kinds, cases[c].why);
    setting s = set_up(90);
    check_first(&s, 90, 90);
    for (int i = 0; i < cases[c].rounds * cases[c].kinds && counted.plans < cases[c].kinds; i++)
      check_kind(&s, i % cases[c].kinds, i);
    EXPECT_INT(counted.plans, cases[c].kinds);
    setting_stop(&s);
    SETTLE();
  }
}

/* The processes must count alike for every order of calls. Otherwise they would hang. */
static void random_order(void **state)
{
  (void)state;
  test_random random = {test_seed()};
  for (int round = 0; round < 2; round++) {
    TEST_CASE("seed %" PRIu64 ", round %d", test_seed(), round);
    setting s = round % 2 ? set_up_ends(90) : set_up(90);
    int kinds = 60;
    for (int i = 0; i < 1000; i++) {
      if (i % 150 == 149) kinds = (int)test_random_int(&random, 1, 60);
      check_kind(&s, (int)test_random_int(&random, 0, kinds - 1), i);
    }
    int least = counted.plans, most = counted.plans;
    PMPI_Allreduce(&counted.plans, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    PMPI_Allreduce(&counted.plans, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_INT(least, most);
    setting_stop(&s);
    SETTLE();
  }
}

/* 5 MB are moved faster by a plan, even a new one. */
static void a_large_move(void **state)
{
  (void)state;
  setting s = set_up(800);
  check_move(&s, (const int[]){800, 800}, 1);
  expect_plans(1);
  check_move(&s, (const int[]){800, 800}, 2);
  EXPECT_INT(counted.plans, 1);
  setting_stop(&s);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contexts_around_each_call),
    cmocka_unit_test(the_same_call_comes_again),
    cmocka_unit_test(many_kinds_in_turn),
    cmocka_unit_test(kinds_that_are_remembered),
    cmocka_unit_test(random_order),
    cmocka_unit_test(a_large_move),
};

MPI_TEST_MAIN(tests)
