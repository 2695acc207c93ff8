/* Tests the costs of plans. A run must not allocate memory, and making and destroying many plans must not
 * leave anything behind. Private: two phases are forced. */
#include "allocations.h"
#include "mpi_test.h"
#include "problem_impl.h"
#include "task.h"

#include <inttypes.h>

static task t;
static many_sides shared_from, shared_to; /* one array each */

static void draw(test_random *random, const task_wish *wish)
{
  task_draw(&t, wish, NULL, random);
  many_make(MPI_COMM_WORLD, t.from, 1, MANY_SHARED, &shared_from);
  many_make(MPI_COMM_WORLD, t.to, 1, MANY_SHARED, &shared_to);
}

static void release(void)
{
  many_free(&shared_from);
  many_free(&shared_to);
  task_free(&t);
}

/* ---- runs ------------------------------------------------------------------------------------------- */

/* Runs the plan several times in all kinds of memory. The library must not allocate anything. */
static void run_counted(dap_plan *plan, bool is_direct)
{
  dap_error err = {0};
  for (int run = 0; run < 8; run++) {
    const test_side *a = run & 1 || is_direct ? &shared_from.sides[0] : t.from,
                    *b = run & 2 || is_direct ? &shared_to.sides[0] : t.to;
    t.salt = run;
    task_fill(&t, a, b);
    allocations_start(0);
    const dap_status begun = dap_plan_begin(plan, side_data(a), side_data(b), &err);
    const dap_status ended = dap_plan_end(plan, &err);
    EXPECT_INT(allocations_count(), 0);
    EXPECT_OK(begun, &err);
    EXPECT_OK(ended, &err);
    task_check(&t, a, b);
  }
}

/* Conversions and sums must not allocate memory either. */
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
      {"little memory", {.memory_bytes = 30000}},
      {"messages in two phases", {.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES}},
  };
  static const task_wish wishes[] = {
      {.is_plain = true}, {.is_plain = false}, {.combines = true}, {.is_partial = true}};
  test_random random = test_random_init(110);
  for (size_t i = 0; i < 4 * sizeof rows / sizeof rows[0]; i++) {
    const dap_plan_options *given = &rows[i / 4].options;
    dap_plan *plan = NULL;
    dap_error err = {0};
    draw(&random, &wishes[i % 4]);
    t.options.transports = test_joining(given->transports);
    t.options.message_bytes = given->message_bytes;
    t.options.memory_bytes = given->memory_bytes;
    TEST_CASE("%s: %s", rows[i / 4].why, task_text(&t));
    allocations_start(0);
    EXPECT_OK(task_create(&t, MPI_COMM_WORLD, &plan, &err), &err);
    EXPECT(allocations_count() > 0); /* otherwise nothing is counted */
    if (plan) run_counted(plan, t.options.transports == DAP_TRANSPORT_DIRECT);
    dap_plan_destroy(&plan);
    release();
    SETTLE();
  }
}

/* ---- cycles ----------------------------------------------------------------------------------------- */

/* Makes a plan of any kind and runs it once. The sides are in shared memory, which is made anew from time to
 * time. */
static void cycle(int number)
{
  const dap_side a = side_of(t.from), b = side_of(t.to);
  const int64_t itemsize = t.to->itemsize;
  const dap_plan_options options = {.transports = number % 3 ? 0 : test_joining(1U << number / 3 % 3),
                                    .fill_halos = number % 2,
                                    .allow_empty = true};
  dap_plan *plan = NULL;
  dap_error err = {0};
  dap_status s = DAP_OK;
  if (number % 4 == 0)
    s = dap_plan_create_halo(MPI_COMM_WORLD, &b, itemsize, &options, &plan, &err);
  else
    s = dap_plan_create(MPI_COMM_WORLD, &a, &b, itemsize, &options, &plan, &err);
  if (!EXPECT_OK(s, &err)) return;
  void *const data = side_data(&shared_to.sides[0]);
  EXPECT_OK(dap_plan_run(plan, number % 4 ? side_data(&shared_from.sides[0]) : data, data, &err), &err);
  dap_plan_destroy(&plan);
  if (number % 10) return;
  many_free(&shared_to);
  many_make(MPI_COMM_WORLD, t.to, 1, MANY_SHARED, &shared_to);
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
                      .bytes = UNDER_SANITIZER ? -1 : process_bytes(true),
                      .communicator = MPI_Comm_c2f(comm)}; /* the next that is free */
  MPI_Comm_free(&comm);
  return h;
}

/* DAP_TEST_CYCLES says how many cycles there are. */
static void cycles_leave_nothing(void **state)
{
  (void)state;
  const char *const wish = getenv("DAP_TEST_CYCLES");
  const int cycles = wish ? atoi(wish) : (test_nodes() == 1 ? 3000 : 600) / test_nprocs(), first = cycles / 4;
  test_random random = test_random_init(111);
  holdings before = {0};
  draw(&random, &(task_wish){.kind = TASK_SCATTER});
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
  release();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_allocate_nothing),
    cmocka_unit_test(cycles_leave_nothing),
};
MPI_TEST_MAIN(tests)
