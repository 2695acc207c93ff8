/* Tests memory that only some processes share, that is given up, or that is scarce, and transports that do
 * not join two nodes. Random moves by all transports are in test_random_programs.c. The seed is printed,
 * and DAP_TEST_SEED repeats a run. */
#include "case.h"
#include "mpi_test.h"
#include "placements.h"
#include "task.h"

#include <inttypes.h>

enum { CASES = 18, MANY_CASES = 12 };

static task t;
static task_run buffers;

static void draw(test_random *random, int number, unsigned transports, bool is_plain)
{
  task_draw(&t, &(task_wish){.kind = TASK_MOVE, .is_plain = is_plain}, NULL, random);
  t.options.transports = transports;
  TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), number, task_text(&t));
  watchdog(20, "case %d: %s", number, task_text(&t));
}

static void run_in(dap_plan *plan, const test_side *from, const test_side *to)
{
  dap_error err = {0};
  t.salt++;
  task_fill(&t, from, to);
  if (EXPECT_OK(dap_plan_run(plan, side_data(from), side_data(to), &err), &err)) task_check(&t, from, to);
}

/* ---- memory that only some share ---------------------------------------------------------------------- */

/* Returns any transports except direct copies only. */
static unsigned any_way(int i)
{
  return task_way(0, i % TASK_WAYS == DAP_TRANSPORT_DIRECT ? DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED : i);
}

/* Every second process shares the sources, and the first half and the second half share the destinations.
 * Some pairs have one buffer in common, and others have both or none. */
static void memory_of_some(void **state)
{
  (void)state;
  test_random random = test_random_init(75);
  MPI_Comm turn = MPI_COMM_NULL, half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, 0, &turn);
  MPI_Comm_split(MPI_COMM_WORLD, 2 * test_rank() / test_nprocs(), 0, &half);
  for (int i = 0; i < CASES; i++) {
    dap_plan *plan = NULL;
    dap_error err = {0};
    draw(&random, i, any_way(i), false);
    many_make(turn, t.from, 1, MANY_SHARED, &buffers.from);
    many_make(half, t.to, 1, MANY_SHARED, &buffers.to);
    if (EXPECT_OK(task_create(&t, MPI_COMM_WORLD, &plan, &err), &err))
      for (int run = 0; run < 3; run++)
        run_in(plan, run == 1 ? t.from : &buffers.from.sides[0], &buffers.to.sides[0]);
    dap_plan_destroy(&plan);
    many_free(&buffers.from);
    many_free(&buffers.to);
    task_free(&t);
    SETTLE();
  }
  MPI_Comm_free(&turn);
  MPI_Comm_free(&half);
}

/* One process after the other gives up its part and goes on in private memory. Other processes still have
 * theirs, but this process can no longer reach it. */
static void memory_given_up(void **state)
{
  (void)state;
  test_random random = test_random_init(76);
  for (int i = 0; i < MANY_CASES; i++) {
    dap_plan *plan = NULL;
    dap_error err = {0};
    draw(&random, i, any_way(3 + i), false);
    many_make(MPI_COMM_WORLD, t.from, 1, MANY_SHARED, &buffers.from);
    many_make(MPI_COMM_WORLD, t.to, 1, MANY_SHARED, &buffers.to);
    EXPECT_OK(task_create(&t, MPI_COMM_WORLD, &plan, &err), &err);
    for (int gone = 0; gone <= test_nprocs() && plan; gone++) {
      run_in(plan, test_rank() < gone ? t.from : &buffers.from.sides[0],
             test_rank() < gone && i % 3 ? t.to : &buffers.to.sides[0]);
      if (gone == test_rank()) dap_array_release(&buffers.from.shared);
      if (gone == test_rank() && i % 3) dap_array_release(&buffers.to.shared);
    }
    dap_plan_destroy(&plan);
    many_free(&buffers.from);
    many_free(&buffers.to);
    task_free(&t);
    SETTLE();
  }
}

/* ---- little memory ---------------------------------------------------------------------------------- */

/* Makes and runs the same plan within `bytes`; 0: without a limit. Returns false if that is too little. All
 * processes must then agree. */
static bool fits(MPI_Comm comm, int64_t bytes, dap_plan_stats *stats)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  t.options.memory_bytes = bytes;
  const dap_status s = task_create(&t, comm, &plan, &err);
  if (s) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "memory_bytes|too little|takes");
    return false;
  }
  task_check_plan(&t, plan);
  *stats = dap_plan_summarize(plan);
  for (int kind = MANY_PRIVATE; kind <= MANY_SHARED; kind++) {
    const many_memory memory[2] = {(many_memory)kind, (many_memory)kind};
    task_begin(&t, plan, comm, memory, &buffers);
    task_end(&t, plan, &buffers);
  }
  dap_plan_destroy(&plan);
  return true;
}

/* A plan has buffers if and only if elements go to other processes. It gets less and less memory, until it is
 * refused. If a plan has buffers, 1 byte must be refused. Less memory must never be enough if more was
 * refused. */
static void shrink(MPI_Comm comm)
{
  dap_plan_stats stats = {0};
  bool fit = true;
  if (!EXPECT(fits(comm, 0, &stats))) return;
  int64_t most[2] = {stats.bytes_buffer, stats.bytes_sent};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  const int64_t used = most[0];
  EXPECT((used > 0) == (most[1] > 0));
  for (int64_t bytes = used; bytes > 0; bytes = bytes * 4 / 5) {
    const bool still = fits(comm, bytes, &stats);
    EXPECT_MSG(fit || !still, "%" PRId64 " bytes are enough, but more were not", bytes);
    EXPECT_MSG(still || bytes < used, "refused what it took by itself: %" PRId64 " bytes", bytes);
    fit = still;
  }
  EXPECT_MSG(!fit || used == 0, "1 byte is enough");
}

static void stays_within_its_memory(void **state)
{
  (void)state;
  test_random random = test_random_init(70);
  for (int i = 0; i < 3 * PLACEMENTS; i++) {
    draw(&random, i, 0, true);
    shrink(placed_comms[i % PLACEMENTS]);
    task_free(&t);
    SETTLE();
  }
}

/* ---- refused ---------------------------------------------------------------------------------------- */

/* Each process is on its own node, and has elements for all others. */
static void nothing_joins_two_nodes(void **state)
{
  (void)state;
  static random_array arrays[2];
  const case_layout even = {"", 1, .size = {60}}, dealt = {"", 1, {60}, .cut = {CUT_CYCLIC}, .block = {1}};
  test_random random = test_random_init(77);
  test_side from = case_side(&even, 8, FORM_C, &random, &arrays[0]),
            to = case_side(&dealt, 8, FORM_C, &random, &arrays[1]);
  task_of(&t, TASK_MOVE, &from, &to, DAP_NONE, DAP_NONE);
  for (unsigned transports = 1; transports < 4; transports++) {
    dap_plan *plan = NULL;
    dap_error err = {0};
    t.options.transports = transports;
    TEST_CASE("transports %u", transports);
    watchdog(20, "transports %u", transports);
    const dap_status s = task_create(&t, placed_comms[PLACEMENTS - 1], &plan, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, test_nprocs() > 1 ? DAP_ERR_UNSUPPORTED : DAP_OK,
                      "share no memory|transports");
    dap_plan_destroy(&plan);
    SETTLE();
  }
  side_free(&from);
  side_free(&to);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),         cmocka_unit_test(memory_of_some),
    cmocka_unit_test(memory_given_up),         cmocka_unit_test(stays_within_its_memory),
    cmocka_unit_test(nothing_joins_two_nodes), cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
