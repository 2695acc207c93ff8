/* What plans cost: running one allocates nothing, and making and ending many leaves nothing behind. */
#include "allocations.h"
#include "many.h"
#include "mpi_test.h"
#include "plans.h"
#include "problem_impl.h"

#include <inttypes.h>

static random_array arrays[2];
static test_side from, to;
static many_sides shared_from, shared_to; /* one array each */

static void make_sides(test_random *random)
{
  static const int64_t size[] = {23, 19};
  random_array_draw(random, test_nprocs(), 2, size, &arrays[0]);
  random_array_draw(random, test_nprocs(), 2, size, &arrays[1]);
  from = side_make(&arrays[0], CREATED, NULL, 8, FORM_C, random);
  to = side_make(&arrays[1], CREATED, NULL, 8, FORM_F, random);
  many_make(MPI_COMM_WORLD, &from, 1, MANY_SHARED, &shared_from);
  many_make(MPI_COMM_WORLD, &to, 1, MANY_SHARED, &shared_to);
}

static void free_sides(void)
{
  many_free(&shared_from);
  many_free(&shared_to);
  side_free(&from);
  side_free(&to);
}

/* ---- runs ------------------------------------------------------------------------------------------- */

/* Several times in all kinds of memory: begun, and ended, without one allocation of the library. */
static void run_counted(dap_plan *plan, unsigned transports)
{
  dap_error err = {0};
  for (int run = 0; run < 8; run++) {
    const bool shared = transports == DAP_TRANSPORT_DIRECT;
    const test_side *a = run & 1 || shared ? &shared_from.sides[0] : &from,
                    *b = run & 2 ? &shared_to.sides[0] : &to;
    side_fill(a, run, COPIES_WRONG);
    side_poison(b);
    allocations_start(0);
    const dap_status s = dap_plan_begin(plan, side_data(a), side_data(b), &err);
    const dap_status t = dap_plan_end(plan, &err);
    EXPECT_INT(allocations_count(), 0);
    EXPECT_OK(s, &err);
    EXPECT_OK(t, &err);
    side_check(b, run, COPIES_RIGHT, PADDING_FILLED);
  }
}

static void runs_allocate_nothing(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    dap_plan_options options;
  } rows[] = {
      {"direct", {.transports = DAP_TRANSPORT_DIRECT}},
      {"slots", {.transports = DAP_TRANSPORT_STAGED}},
      {"messages", {.transports = DAP_TRANSPORT_MESSAGES}},
      {"whatever there is", {0}},
      {"slots, in many chunks", {.transports = DAP_TRANSPORT_STAGED, .message_bytes = 40}},
      {"messages, in many chunks", {.transports = DAP_TRANSPORT_MESSAGES, .message_bytes = 40}},
      {"little memory", {.memory_bytes = 4096}},
      {"messages in two phases", {.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES}},
  };
  test_random random = test_random_init(110);
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
    for (int i = 0; i < 4; i++) {
      make_sides(&random);
      TEST_CASE("%s: %s", rows[r].why, random_array_text(&arrays[1]));
      const dap_side a = side_of(&from), b = side_of(&to);
      dap_plan_options options = rows[r].options;
      dap_plan *plan = NULL;
      dap_error err = {0};
      options.transports = test_joining(options.transports);
      options.fill_halos = true;
      allocations_start(0);
      EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &options, &plan, &err), &err);
      EXPECT(allocations_count() > 0); /* else nothing is counted */
      if (plan) run_counted(plan, options.transports);
      dap_plan_destroy(&plan);
      free_sides();
      SETTLE();
    }
}

/* Conversion on the way needs no memory either. */
static void conversions_allocate_nothing(void **state)
{
  (void)state;
  enum { SIZE = 960 };
  const int rank = test_rank(), n = test_nprocs();
  const dap_dist block = dap_dist_even(SIZE, n), dealt = dap_dist_cyclic(SIZE, n, 1);
  const double alpha[] = {2, 0}, beta[] = {3, 0};
  static float sources[SIZE];
  static double destinations[SIZE];
  dap_layout *layouts[2] = {layout_of(1, &block), layout_of(1, &dealt)};
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side a = side_in_c_order(layouts[0], DAP_F4), b = side_in_c_order(layouts[1], DAP_F8);
  const dap_plan_options options = {.alpha = alpha, .beta = beta};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err), &err);
  for (int i = 0; i < SIZE / n; i++) {
    sources[i] = (float)(rank * (SIZE / n) + i);
    destinations[i] = 0.5;
  }
  allocations_start(0);
  if (plan) EXPECT_OK(dap_plan_run(plan, sources, destinations, &err), &err);
  EXPECT_INT(allocations_count(), 0);
  for (int i = 0; i < SIZE / n; i++) EXPECT(destinations[i] == 2.0 * (i * n + rank) + 1.5);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layouts[0]);
  dap_layout_destroy(&layouts[1]);
  SETTLE();
}

/* ---- cycles ----------------------------------------------------------------------------------------- */

/* A plan of each kind, run once; sides in memory of the library's, new each time. */
static void cycle(int number)
{
  const dap_side a = side_of(&from), b = side_of(&to);
  const dap_plan_options options = {.transports = number % 3 ? 0 : test_joining(1U << number / 3 % 3),
                                    .fill_halos = number % 2,
                                    .allow_empty = true};
  dap_plan *plan = NULL;
  dap_error err = {0};
  dap_status s = DAP_OK;
  if (number % 4 == 0)
    s = dap_plan_create_halo(MPI_COMM_WORLD, &b, 8, &options, &plan, &err);
  else
    s = dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &options, &plan, &err);
  if (!EXPECT_OK(s, &err)) return;
  void *const data = side_data(&shared_to.sides[0]);
  EXPECT_OK(dap_plan_run(plan, number % 4 ? side_data(&shared_from.sides[0]) : data, data, &err), &err);
  dap_plan_destroy(&plan);
  if (number % 10) return;
  many_free(&shared_to);
  many_make(MPI_COMM_WORLD, &to, 1, MANY_SHARED, &shared_to);
}

/* What a process has that could leak. */
typedef struct holdings {
  int64_t files, maps, bytes, communicator;
} holdings;

static holdings look(void)
{
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const holdings h = {.files = open_files(),
                      .maps = mapped_files(),
                      .bytes = resident_bytes(),
                      .communicator = MPI_Comm_c2f(comm)}; /* the next that is free */
  MPI_Comm_free(&comm);
  return h;
}

/* DAP_TEST_CYCLES says how many. */
static void cycles_leave_nothing(void **state)
{
  (void)state;
  const char *const wish = getenv("DAP_TEST_CYCLES");
  const int cycles = wish ? atoi(wish) : (test_nodes() == 1 ? 3000 : 600) / test_nprocs(), first = cycles / 4;
  test_random random = test_random_init(111);
  holdings before = {0};
  make_sides(&random);
  side_fill(&shared_from.sides[0], 0, COPIES_RIGHT);
  side_fill(&shared_to.sides[0], 0, COPIES_RIGHT);
  for (int i = 0; i < cycles; i++) {
    if (i == first) before = look();
    cycle(i);
  }
  const holdings after = look();
  EXPECT_INT(after.files, before.files);
  EXPECT_INT(after.maps, before.maps);
  EXPECT_INT(after.communicator, before.communicator);
  EXPECT_MSG(after.bytes - before.bytes <= 1 << 20, "%d cycles took %" PRId64 " bytes", cycles - first,
             after.bytes - before.bytes);
  free_sides();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_allocate_nothing),
    cmocka_unit_test(conversions_allocate_nothing),
    cmocka_unit_test(cycles_leave_nothing),
};
MPI_TEST_MAIN(tests)
