/* Moves with options: axes permuted, parts of arrays, conjugation, factors, casts, and all of them together;
 * from some processes to others. Every position of every destination is checked against a serial
 * model. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "task.h"

#include <inttypes.h>

enum { CASES = 150 };

static task drawn;

/* Twice, so that what a run leaves behind cannot help the next. */
static void run_one(task *t)
{
  const dap_side from = task_from(t), to = task_to(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, task_itemsize(t), &t->options, &plan, &err),
                &err))
    for (int run = 0; run < 2; run++) {
      task_fill(t);
      if (EXPECT_OK(dap_plan_run(plan, side_data(&t->from), side_data(&t->to), &err), &err)) task_check(t);
    }
  dap_plan_destroy(&plan);
}

static void check_wish(const char *why, const task_wish *wish, test_random *random)
{
  task_draw(&drawn, wish, random);
  TEST_CASE("seed %" PRIu64 ", %s: %s", test_seed(), why, task_text(&drawn));
  run_one(&drawn);
  task_free(&drawn);
  SETTLE();
}

/* ---- one option after the other --------------------------------------------------------------------- */

#define ONE                                                                                                  \
  {                                                                                                          \
    1, 0                                                                                                     \
  }
#define TYPES(a, b) .has_types = true, .from = (a), .to = (b)

static const struct {
  const char *why;
  task_wish wish;
} rows[] = {
    {"axes alone: all elements, as they are", {.is_all = true, .is_plain = true}},
    {"a part to a part", {.is_plain = true}},
    {"float64 to float32: fewer bytes than were sent for",
     {TYPES(DAP_F8, DAP_F4), .is_all = true, .alpha = ONE}},
    {"float32 to float64: more bytes than were sent for", {TYPES(DAP_F4, DAP_F8), .alpha = ONE}},
    {"int32 to float64 loses nothing", {TYPES(DAP_I4, DAP_F8), .alpha = ONE}},
    {"float64 to int32 is cut off", {TYPES(DAP_F8, DAP_I4), .alpha = ONE}},
    {"real to complex", {TYPES(DAP_F8, DAP_C16), .alpha = ONE}},
    {"complex to real drops a part", {TYPES(DAP_C16, DAP_F8), .alpha = ONE}},
    {"conjugate", {TYPES(DAP_C16, DAP_C16), .conjugate = true, .is_all = true, .alpha = ONE}},
    {"conjugate of what is real: nothing", {TYPES(DAP_F8, DAP_F8), .conjugate = true, .alpha = ONE}},
    {"a real factor", {TYPES(DAP_F8, DAP_F8), .alpha = {-3, 0}}},
    {"a complex factor", {TYPES(DAP_C16, DAP_C16), .alpha = {0.5, -1}}},
    {"added to what is there", {TYPES(DAP_F8, DAP_F8), .alpha = ONE, .beta = ONE}},
    {"added to what is there, halos too",
     {TYPES(DAP_F8, DAP_F8), .alpha = ONE, .beta = ONE, .fill_halos = true}},
    {"added times i to what is there, halos too",
     {TYPES(DAP_C16, DAP_C16), .alpha = ONE, .beta = {0, 1}, .fill_halos = true}},
    {"alpha 0: what is there is scaled", {TYPES(DAP_F8, DAP_F8), .alpha = {0, 0}, .beta = {2, 0}}},
    {"both factors complex, conjugate, another type",
     {TYPES(DAP_C8, DAP_C16), .conjugate = true, .alpha = {2, 0.5}, .beta = {-1, 4}}},
    {"integers are scaled, too", {TYPES(DAP_I2, DAP_I2), .alpha = {2, 0}, .beta = {-1, 0}}},
    {"halos of a part are filled inside it only", {TYPES(DAP_F4, DAP_F4), .alpha = ONE, .fill_halos = true}},
};

static const int permutations[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static void all_permutations_of_three_axes(void **state)
{
  (void)state;
  test_random random = test_random_init(101);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int p = 0; p < 6; p++) {
      task_wish wish = rows[i].wish;
      wish.ndim = 3;
      wish.axes = permutations[p];
      check_wish(rows[i].why, &wish, &random);
    }
}

static void some_permutations_of_four_axes(void **state)
{
  (void)state;
  static const int axes[][4] = {{3, 2, 1, 0}, {1, 2, 3, 0}, {3, 0, 1, 2},
                                {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 3, 1, 2}};
  test_random random = test_random_init(102);
  for (size_t p = 0; p < sizeof axes / sizeof axes[0]; p++)
    for (int all = 0; all < 2; all++)
      check_wish("four axes", &(task_wish){.ndim = 4, .axes = axes[p], .is_all = all, .is_plain = p % 2},
                 &random);
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static void random_options(void **state)
{
  (void)state;
  test_random random = test_random_init(103);
  for (int i = 0; i < test_cases(CASES); i++)
    check_wish("any", &(task_wish){.is_plain = i % 5 == 0, .is_all = i % 4 == 0}, &random);
}

/* Without leave a cast that can lose something is refused everywhere; with it all is well. */
static void lossy_casts_need_leave(void **state)
{
  (void)state;
  test_random random = test_random_init(104);
  for (dap_dtype from = DAP_BOOL; from <= DAP_C32; from++)
    for (dap_dtype to = DAP_BOOL; to <= DAP_C32; to++) {
      const task_wish wish = {TYPES(from, to), .ndim = 1, .alpha = ONE, .most = 40};
      task *t = &drawn;
      dap_plan *plan = NULL;
      dap_error err = {0};
      task_draw(t, &wish, &random);
      TEST_CASE("%s", task_text(t));
      const bool lossy = task_is_lossy(t);
      const dap_side a = task_from(t), b = task_to(t);
      t->options.lossy = false;
      const dap_status s = dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &t->options, &plan, &err);
      if (lossy) {
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "lossy|rule 20");
        EXPECT_INT(err.rule, 20);
        EXPECT(plan == NULL);
      } else {
        EXPECT_OK(s, &err);
      }
      dap_plan_destroy(&plan);
      t->options.lossy = lossy;
      if ((from + to) % 3 == 0) run_one(t);
      task_free(t);
      SETTLE();
    }
}

/* ---- from some processes to others ------------------------------------------------------------------- */

typedef struct group {
  int count, ranks[BRUTE_PROCS];
} group;

/* Ranks [first, end), in thirds of all, rising or falling. */
static group make_group(int first, int end, bool falls)
{
  const int P = test_nprocs(), low = first * P / 3, high = (end * P + 2) / 3;
  group g = {.count = high > low ? high - low : 1};
  for (int i = 0; i < g.count; i++) g.ranks[i] = falls ? low + g.count - 1 - i : low + i;
  return g;
}

static void from_some_to_others(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int from[2], to[2];
    bool falls;
  } ways[] = {
      {"disjoint: no process has both", {0, 1}, {2, 3}, false},
      {"overlapping: some have both", {0, 2}, {1, 3}, false},
      {"few to all", {1, 2}, {0, 3}, true},
      {"all to few, in falling order", {0, 3}, {1, 2}, true},
      {"the lowest ranks are in neither", {2, 3}, {2, 3}, true},
  };
  test_random random = test_random_init(106);
  for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
    for (int i = 0; i < 8; i++) {
      const group from = make_group(ways[w].from[0], ways[w].from[1], false);
      const group to = make_group(ways[w].to[0], ways[w].to[1], ways[w].falls);
      check_wish(ways[w].why,
                 &(task_wish){.is_plain = i % 2,
                              .from_ranks = from.ranks,
                              .from_count = from.count,
                              .to_ranks = to.ranks,
                              .to_count = to.count},
                 &random);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_permutations_of_three_axes),
    cmocka_unit_test(some_permutations_of_four_axes),
    cmocka_unit_test(random_options),
    cmocka_unit_test(lossy_casts_need_leave),
    cmocka_unit_test(from_some_to_others),
};
MPI_TEST_MAIN(tests)
