/* Halo updates of several arrays at once, there and back, in place: padding and ghosts get their owners'
 * values, or are added to them and then kept, cleared or refreshed. Every array has its own values, and every
 * position is checked against a serial model. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "combine.h"
#include "many.h"
#include "mpi_test.h"
#include "placements.h"

#include <inttypes.h>

enum { CASES = 50, MOST = 500 /* elements */, SALT = 11 };

static random_array array;
static double whole[MOST + 1]; /* by element */
static many_sides many;

static const int counts[] = {3, 1, 16, 2, MANY_MOST};
enum { COUNTS = sizeof counts / sizeof counts[0] };

/* ---- drawn --------------------------------------------------------------------------------------------- */

static test_side draw(test_random *random, int number, int64_t itemsize)
{
  const int ndim = (int)test_random_int(random, 1, number % 4 == 0 ? 4 : 3);
  int64_t size[DAP_MAX_NDIM];
  random_shape(random, ndim, MOST, size);
  return side_draw(random, ndim, size, itemsize, &array);
}

static dap_plan_options draw_options(test_random *random, int number)
{
  static const int64_t lengths[] = {0, 0, 9, 64};
  return (dap_plan_options){.allow_empty = true,
                            .arrays = counts[number % COUNTS],
                            .transports = combine_way(number % PLACEMENTS, number),
                            .message_bytes = lengths[test_random_int(random, 0, 3)],
                            .memory_bytes = test_random_one_in(random, 3) ? 40000 : 0};
}

static void label(const char *what, int number, const dap_plan_options *o)
{
  TEST_CASE("seed %" PRIu64 ", %s, case %d, %" PRId64
            " arrays, padding %d, transports %#x, message_bytes %" PRId64 ", memory_bytes %" PRId64 ": %s",
            test_seed(), what, number, o->arrays, (int)o->padding, o->transports, o->message_bytes,
            o->memory_bytes, random_array_text(&array));
}

/* Where nothing but direct copies is allowed all must be shared. */
static many_memory memory_of(const dap_plan_options *o, int run)
{
  static const many_memory kinds[] = {MANY_SHARED, MANY_PRIVATE, MANY_MIXED};
  return o->transports == DAP_TRANSPORT_DIRECT ? MANY_SHARED : kinds[run % MANY_KINDS];
}

/* ---- owners to padding and ghosts ---------------------------------------------------------------------- */

static void update(MPI_Comm comm, const test_side *s, dap_plan *plan, const dap_plan_options *o, int run)
{
  dap_error err = {0};
  many_make(comm, s, (int)o->arrays, memory_of(o, run), &many);
  for (int a = 0; a < many.count; a++) side_fill(&many.sides[a], a * SALT + run, COPIES_WRONG);
  if (EXPECT_OK(dap_plan_run_many(plan, (const void *const *)many.data, many.data, &err), &err))
    for (int a = 0; a < many.count; a++)
      if (!side_check(&many.sides[a], a * SALT + run, COPIES_RIGHT, PADDING_FILLED)) {
        EXPECT_MSG(false, "array %d, run %d", a, run);
        break;
      }
  many_free(&many);
}

static void random_updates(void **state)
{
  (void)state;
  static const int64_t itemsizes[] = {1, 3, 8, 16, 4096};
  test_random random = test_random_init(145);
  for (int i = 0; i < test_cases(CASES); i++) {
    test_side s = draw(&random, i, itemsizes[test_random_int(&random, 0, i % COUNTS == COUNTS - 1 ? 3 : 4)]);
    const dap_plan_options o = draw_options(&random, i);
    MPI_Comm comm = placed_comms[i % PLACEMENTS];
    const dap_side both = side_of(&s);
    dap_plan *plan = NULL;
    dap_error err = {0};
    label("update", i, &o);
    if (EXPECT_OK(dap_plan_create_halo(comm, &both, s.itemsize, &o, &plan, &err), &err))
      for (int run = 0; run < 4; run++) update(comm, &s, plan, &o, run);
    dap_plan_destroy(&plan);
    side_free(&s);
    SETTLE();
  }
}

/* ---- and back ------------------------------------------------------------------------------------------ */

static void add_up(MPI_Comm comm, const test_side *s, dap_plan *plan, const dap_plan_options *o, int run)
{
  const combine_outcome others = combine_outcome_of(o->padding);
  dap_error err = {0};
  many_make(comm, s, (int)o->arrays, memory_of(o, run), &many);
  for (int a = 0; a < many.count; a++) combine_fill(&many.sides[a], DAP_F8, false, EXACT, a * SALT + run);
  bool good = EXPECT_OK(dap_plan_run_many(plan, (const void *const *)many.data, many.data, &err), &err);
  for (int a = 0; a < many.count && good; a++) {
    combine_all(s, o->combine, IN_PLACE, EXACT, a * SALT + run, whole);
    good = combine_check(&many.sides[a], DAP_F8, false, EXACT, a * SALT + run, others, others, whole);
    if (!good) EXPECT_MSG(false, "array %d, run %d", a, run);
  }
  many_free(&many);
}

static void random_sums(void **state)
{
  (void)state;
  test_random random = test_random_init(146);
  for (int i = 0; i < test_cases(CASES); i++) {
    test_side s = draw(&random, i, 8);
    dap_plan_options o = draw_options(&random, i);
    o.combine = i % 3 ? DAP_COMBINE_SUM : DAP_COMBINE_MAX;
    o.padding = (dap_padding)test_random_int(&random, DAP_PADDING_KEEP, DAP_PADDING_REFRESH);
    MPI_Comm comm = placed_comms[i % PLACEMENTS];
    const dap_side both = combine_side(&s, DAP_F8, false);
    dap_plan *plan = NULL;
    dap_error err = {0};
    label("sum", i, &o);
    if (EXPECT_OK(dap_plan_create_halo_reverse(comm, &both, 0, &o, &plan, &err), &err))
      for (int run = 0; run < 3; run++) add_up(comm, &s, plan, &o, run);
    dap_plan_destroy(&plan);
    side_free(&s);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),
    cmocka_unit_test(random_updates),
    cmocka_unit_test(random_sums),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
