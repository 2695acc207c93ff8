/* The buffers of several arrays are wrong on one process: they are NULL, or share memory with each other.
 * Processes that receive from this process must get the same error. Afterwards the same plan must move all
 * elements. */
#include "mpi_test.h"
#include "plans.h"
#include "random_array.h"

#include <inttypes.h>
#include <time.h>

/* ---- buffers ------------------------------------------------------------------------------------------ */

enum { MANY_SIZE = 120, MANY_ARRAYS = 4, MANY_LENGTH = 2 * MANY_SIZE /* or more than a process holds */ };

/* The buffers of a run, each with MANY_LENGTH adjacent elements. A case changes some of them. */
typedef struct many_run {
  int64_t memory[2 * MANY_ARRAYS + 1][MANY_LENGTH];
  const void *from[MANY_ARRAYS];
  void *to[MANY_ARRAYS];
  bool lacks_from, lacks_to; /* the lists of buffers are NULL */
} many_run;

static many_run one;

/* Returns the elements of each process. */
static int64_t own_size(void)
{
  return MANY_SIZE / test_nprocs();
}

/* Defines what one process does to its buffers. */
#define CHANGE(name, what)                                                                                   \
  static void name(many_run *r)                                                                              \
  {                                                                                                          \
    what;                                                                                                    \
  }

CHANGE(no_sources, r->lacks_from = true)
CHANGE(no_destinations, r->lacks_to = true)
CHANGE(no_source, r->from[2] = NULL)
CHANGE(no_destination, r->to[3] = NULL)
CHANGE(source_is_destination, r->to[1] = r->memory[2])
CHANGE(source_is_anothers_destination, r->to[1] = r->memory[0])
CHANGE(one_destination_twice, r->to[3] = r->to[0])
CHANGE(destinations_overlap_a_little, r->to[2] = r->memory[1] + own_size() - 1)

static void all_destinations_are_one(many_run *r)
{
  for (int a = 0; a < MANY_ARRAYS; a++) r->to[a] = r->memory[1];
}

/* Elements of different arrays can take turns, as in a struct, but only with other strides. */
CHANGE(one_source_twice, r->from[3] = r->from[0])
CHANGE(destinations_touch, r->to[2] = r->memory[1] + own_size())

typedef struct fault {
  const char *why;
  void (*change)(many_run *r);
  const char *parts; /* of the error; NULL: there is no error */
} fault;

static const fault faults[] = {
    {"a table of sources is NULL", no_sources, "array 0: |source|NULL"},
    {"a table of destinations is NULL", no_destinations, "array 0: |destination|NULL"},
    {"a source is NULL", no_source, "array 2: |source|NULL"},
    {"a destination is NULL", no_destination, "array 3: |destination|NULL"},
    {"an array's source is its destination", source_is_destination,
     "array 1: |source and destination|overlap"},
    {"an array's destination is another's source", source_is_anothers_destination, "array 1: |overlap those"},
    {"two arrays have one destination", one_destination_twice, "array 3: |overlap those"},
    {"two destinations have one element in common", destinations_overlap_a_little, "array 2: |overlap those"},
    {"all destinations are one", all_destinations_are_one, "array |overlap those"},
    {"one array is moved twice", one_source_twice, NULL},
    {"destinations one behind the other", destinations_touch, NULL},
};

/* Each array has other numbers. */
static void start_run(many_run *r)
{
  memset(r, 0, sizeof *r);
  for (int a = 0; a < MANY_ARRAYS; a++) {
    r->from[a] = r->memory[2 * a];
    r->to[a] = r->memory[2 * a + 1];
  }
}

/* Checks that all elements have gone from blocks to a cyclic layout. */
static void check_all_moved(const many_run *r)
{
  const int n = test_nprocs(), own = (int)own_size();
  for (int a = 0; a < MANY_ARRAYS; a++)
    for (int i = 0; i < own; i++)
      if (!EXPECT_INT(r->memory[2 * a + 1][i], 1000 * a + (test_rank() + n * i) % own + 1)) return;
}

/* One process has wrong buffers. All processes receive from it, so all get its error. Then the plan must run
 * again. */
static void wrong_buffers(void **state)
{
  (void)state;
  const int n = test_nprocs(), culprit = n - 1;
  const dap_dist block = dap_dist_even(MANY_SIZE, n), dealt = dap_dist_cyclic(MANY_SIZE, n, 1);
  dap_plan *plan = plan_of(1, &block, &dealt, &(dap_plan_options){.arrays = MANY_ARRAYS});
  dap_error err = {0};
  for (size_t i = 0; i < sizeof faults / sizeof faults[0] && plan; i++)
    for (int turn = 0; turn < 2; turn++) {
      const fault *f = &faults[i];
      char parts[200];
      TEST_CASE("%s, turn %d", f->why, turn);
      start_run(&one);
      if (turn == 0 && test_rank() == culprit) f->change(&one);
      for (int a = 0; a < MANY_ARRAYS; a++)
        for (int k = 0; k < MANY_LENGTH && one.from[a]; k++) one.memory[2 * a][k] = 1000 * a + k + 1;
      const dap_status s =
          dap_plan_run_many(plan, one.lacks_from ? NULL : one.from, one.lacks_to ? NULL : one.to, &err);
      (void)snprintf(parts, sizeof parts, "rank %d: |%s", culprit, f->parts ? f->parts : "");
      if (turn > 0 || !f->parts)
        EXPECT_OK(s, &err);
      else
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, parts);
      if (turn > 0) check_all_moved(&one);
      SETTLE();
    }
  dap_plan_destroy(&plan);
  SETTLE();
}

/* The fields of a struct lie beside each other at each point, and do not overlap. */
static void interleaved_fields(void **state)
{
  (void)state;
  enum { FIELDS = 40 };
  static int64_t points[2 * MANY_SIZE][FIELDS];
  const dap_dist dist = dap_dist_padded(MANY_SIZE, test_nprocs(), 2);
  const int64_t strides[] = {sizeof points[0]};
  static random_array array;
  (void)array_deal(1, &dist, NULL, &array);
  dap_layout *layout = random_array_layout(&array);
  const dap_side side = {.layout = layout, .strides = strides};
  const dap_plan_options o = {.arrays = FIELDS, .allow_empty = true};
  const void *sources[FIELDS];
  void *fields[FIELDS];
  dap_plan *plan = NULL;
  dap_error err = {0};
  for (int f = 0; f < FIELDS; f++) sources[f] = fields[f] = &points[0][f];
  for (brute_walk w = brute_walk_start(&array.model, test_rank()); !w.done; brute_walk_next(&w))
    for (int f = 0; f < FIELDS; f++)
      points[w.local[0]][f] = w.part == BRUTE_OWNED ? 1000 * f + w.global[0] : -1;
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, &o, &plan, &err), &err))
    EXPECT_OK(dap_plan_run_many(plan, sources, fields, &err), &err);
  for (brute_walk w = brute_walk_start(&array.model, test_rank()); !w.done; brute_walk_next(&w))
    for (int f = 0; f < FIELDS; f++) EXPECT_INT(points[w.local[0]][f], 1000 * f + w.global[0]);
  fields[FIELDS - 1] = fields[0];
  sources[FIELDS - 1] = sources[0];
  if (plan)
    EXPECT_FAIL(dap_plan_run_many(plan, sources, fields, &err), DAP_ERR_ARG, &err, "array 39|overlap those");
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Sources lie interleaved, and destinations do not. If two destinations are the same, that must be found. */
static void interleaved_sources(void **state)
{
  (void)state;
  enum { FIELDS = 64 };
  static int64_t points[MANY_SIZE][FIELDS], rows[FIELDS][MANY_SIZE];
  const dap_dist dist = dap_dist_even(MANY_SIZE, test_nprocs());
  const int64_t strides[] = {sizeof points[0]};
  const dap_plan_options o = {.arrays = FIELDS};
  const void *sources[FIELDS];
  void *destinations[FIELDS];
  dap_layout *layout = layout_make(1, &dist, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side a = {.layout = layout, .strides = strides}, b = {.layout = layout, .contiguous = true};
  const int64_t extent = dap_layout_extent(layout, 0, test_rank());
  for (int f = 0; f < FIELDS; f++) {
    sources[f] = &points[0][f];
    destinations[f] = rows[f];
    for (int64_t i = 0; i < extent; i++) points[i][f] = 1000 * f + i + 1;
  }
  memset(rows, 0, sizeof rows);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &o, &plan, &err), &err))
    for (int turn = 0; turn < 2; turn++) {
      destinations[FIELDS - 1] = rows[turn == 0 ? 0 : FIELDS - 1];
      const dap_status s = dap_plan_run_many(plan, sources, destinations, &err);
      EXPECT_FAIL(s, turn == 0 ? DAP_ERR_ARG : DAP_OK, &err, turn == 0 ? "array 63|overlap those" : "");
      EXPECT(turn > 0 || err.rank == test_rank()); /* no element goes to another process */
      for (int f = 0; f < FIELDS; f++)
        for (int64_t i = 0; i < extent; i++) EXPECT_INT(rows[f][i], turn == 0 ? 0 : 1000 * f + i + 1);
    }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

typedef struct stride_row {
  const char *why;
  int64_t shape[2], strides[2]; /* of the buffers of each process */
  bool sums;                    /* in place, by a reverse halo update that clears all that is not owned */
} stride_row;

static void move_strided(const stride_row *row)
{
  enum { ARRAYS = 2, MOST = 200 };
  static int64_t old[ARRAYS][MOST], got[ARRAYS][MOST];
  const dap_dist dists[] = {dap_dist_even(row->shape[0] * test_nprocs(), test_nprocs()),
                            dap_dist_local(row->shape[1])};
  const dap_plan_options o = {.arrays = ARRAYS, .allow_empty = true, .padding = DAP_PADDING_CLEAR};
  void *const destinations[] = {got[0], got[1]};
  const void *const sources[] = {row->sums ? got[0] : old[0], row->sums ? got[1] : old[1]};
  dap_side side = {.strides = row->strides, .dtype = DAP_I8};
  dap_layout *layout = layout_make(2, dists, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  for (int64_t i = 0; i < ARRAYS * MOST; i++) old[i / MOST][i % MOST] = i + 1;
  memcpy(got, old, sizeof got);
  if (!row->sums) memset(got, 0, sizeof got);
  side.layout = layout;
  if (row->sums)
    EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &o, &plan, &err), &err);
  else
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &side, &side, 0, &o, &plan, &err), &err);
  if (plan) EXPECT_OK(dap_plan_run_many(plan, sources, destinations, &err), &err);
  for (int64_t i = 0; i < row->shape[0] * row->shape[1]; i++) {
    const int64_t step = row->strides[row->shape[1] > 1] / 8,
                  at = row->shape[0] * row->shape[1] > 1 ? i * step : 0;
    for (int a = 0; a < ARRAYS; a++) EXPECT_INT(got[a][at], old[a][at]);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
}

/* The stride along an axis of one element is never used, and is not negated for a comparison. */
static void strides_of_one_element_do_not_matter(void **state)
{
  (void)state;
  static const stride_row rows[] = {
      {"no other axis has more", {1, 1}, {INT64_MIN, INT64_MIN}, false},
      {"the last of two", {100, 1}, {8, INT64_MIN}, false},
      {"the first of two", {1, 100}, {INT64_MIN, 8}, false},
      {"gaps, so that a kernel copies", {100, 1}, {16, INT64_MIN}, false},
      {"axes in the order of their strides, to be cleared", {100, 1}, {8, INT64_MIN}, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    move_strided(&rows[i]);
    SETTLE();
  }
}

/* ---- time -------------------------------------------------------------------------------------------- */

enum { NUMBERS = 1 << 15 };

/* Returns the processor time of the first run of a plan with `count` arrays of one number. */
static double time_of_first_run(const dap_side *side, int count)
{
  static int64_t numbers[2][NUMBERS];
  static const void *sources[NUMBERS];
  static void *destinations[NUMBERS];
  const dap_plan_options o = {.arrays = count};
  dap_plan *plan = NULL;
  dap_error err = {0};
  for (int a = 0; a < count; a++) {
    numbers[0][a] = a + 1, numbers[1][a] = 0;
    sources[a] = &numbers[0][a];
    destinations[a] = &numbers[1][a];
  }
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, side, side, sizeof(int64_t), &o, &plan, &err), &err);
  const clock_t start = clock();
  EXPECT_OK(dap_plan_run_many(plan, sources, destinations, &err), &err);
  const clock_t end = clock();
  for (int a = 0; a < count; a++) EXPECT_INT(numbers[1][a], a + 1);
  dap_plan_destroy(&plan);
  return (double)(end - start) / CLOCKS_PER_SEC;
}

/* The comparison of buffers must take little time for each buffer. This must also hold if their number is a
 * power of 2, and if all sources lie before all destinations, as in two large arrays. */
static void many_buffers_are_compared_fast(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_even(test_nprocs(), test_nprocs());
  dap_layout *layout = layout_make(1, &dist, NULL);
  const dap_side side = side_in_c_order(layout, DAP_NONE);
  const double few = time_of_first_run(&side, NUMBERS / 16 - 1), many = time_of_first_run(&side, NUMBERS);
  EXPECT_MSG(many < 0.2 + 64 * few, "%d arrays take %g s, %d %g s", NUMBERS, many, NUMBERS / 16 - 1, few);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_buffers),
    cmocka_unit_test(interleaved_fields),
    cmocka_unit_test(interleaved_sources),
    cmocka_unit_test(strides_of_one_element_do_not_matter),
    cmocka_unit_test(many_buffers_are_compared_fast),
};
MPI_TEST_MAIN(tests)
