/* Two processes of a node must hand over elements correctly on weakly ordered processors. The test goes
 * through all possible sequences in the library's functions (weak.h). It also checks that each memory order
 * in the functions is needed. */
#include "mpi_test.h"

#include "weak.h"
#include "weak_plan.h"

/* As it is written nothing is found, in so many states, which are fewer where less is gone through; and with
 * any one order less something is found. spare[]: names of variables whose order is there for other cases. */
static void check(const char *why, const weak_program *program, const char *const spare[], long states)
{
  bool ordered[WEAK_ATOMICS][2];
  const weak_result right = weak_explore(program, (weak_slip){.atomic = -1});
  weak_orders(ordered);
  TEST_CASE("%s", why);
  EXPECT_MSG(right.fault[0] == '\0', "%s", right.fault);
  EXPECT_INT(right.states, states);
  print_message("%s: %ld states in %ld runs\n", why, right.states, right.runs);
  for (int i = 0; i < weak_atomics(); i++)
    for (int is_store = 0; is_store < 2; is_store++) {
      bool is_spare = !ordered[i][is_store];
      for (int s = 0; spare[s]; s++) is_spare = is_spare || strcmp(spare[s], weak_name(i)) == 0;
      if (is_spare) continue;
      const char *access = is_store ? "stored" : "loaded";
      const weak_result slip = weak_explore(program, (weak_slip){.atomic = i, .is_store = is_store});
      TEST_CASE("%s: %s %s relaxed", why, weak_name(i), access);
      EXPECT_MSG(slip.fault[0] != '\0', "is not found to be wrong");
      print_message("  %s %s relaxed: %s\n", weak_name(i), access, slip.fault);
    }
}

#define NOBODY                                                                                               \
  {                                                                                                          \
    -1, -1, -1, -1                                                                                           \
  }
static const char *const none[] = {NULL};
static const weak_program of_runs = {weak_plan_reset, weak_plan_run};

/* ---- the ring ---------------------------------------------------------------------------------------- */

static void the_ring(void **state)
{
  (void)state;
  weak_plan_prepare(&(weak_case){.chunks = 5, .slots = DAP_SLOTS, .transports = DAP_TRANSPORT_STAGED});
  check("five chunks, three slots", &(weak_program){weak_plan_reset, weak_plan_chunks}, none, 1189);
  SETTLE();
}

/* ---- whole runs -------------------------------------------------------------------------------------- */

/* What each stores in `done` when nothing is direct nobody waits for. */
static const char *const dones[] = {"sender's done", "receiver's done", NULL};

static void runs_through_slots(void **state)
{
  (void)state;
  weak_plan_prepare(&(weak_case){
      .chunks = 3, .slots = 2, .transports = DAP_TRANSPORT_STAGED, .runs = 2, .null_buffer = NOBODY});
  check("two runs of three chunks, two slots", &of_runs, dones, 1286);
  /* a chunk that goes ahead, and is taken back where the receiver's buffer is NULL */
  weak_plan_prepare(&(weak_case){.chunks = 1,
                                 .slots = 1,
                                 .transports = DAP_TRANSPORT_STAGED,
                                 .runs = 4,
                                 .null_buffer = {-1, 1, -1, -1}});
  check("four runs of a chunk, one is refused", &of_runs, dones, 5810);
  SETTLE();
}

/* Four: what is published is stored anew in the third, and read in the last. */
static void direct_runs(void **state)
{
  (void)state;
  static const char *const senders[] = {"sender's done", NULL};
  static const char *const receivers[] = {"receiver's done", "filled", NULL}; /* filled: what is taken back */
  weak_case what = {.chunks = 1,
                    .slots = 1,
                    .transports = DAP_TRANSPORT_STAGED | DAP_TRANSPORT_DIRECT,
                    .is_shared = {true, false},
                    .runs = 4,
                    .null_buffer = NOBODY};
  weak_plan_prepare(&what);
  check("pulled from the source", &of_runs, senders, 245);
  what.is_shared[0] = false;
  what.is_shared[1] = true;
  weak_plan_prepare(&what);
  check("pushed into the destination", &of_runs, receivers, 259);
  SETTLE();
}

/* ---- a run that is given up -------------------------------------------------------------------------- */

/* Without either fence the run can succeed with elements that are not the source's. All other orders are
 * there for other cases, or are tried above. */
static void a_run_is_given_up(void **state)
{
  (void)state;
  static const char *const spare[] = {"sender's done",        "receiver's done", "sender's published",
                                      "receiver's published", "filled",          NULL};
  const weak_program program = {weak_plan_reset_given_up, weak_plan_run_given_up};
  weak_plan_prepare_given_up();
  check("given up", &program, spare, 56);
  for (int is_release = 0; is_release < 2; is_release++) {
    TEST_CASE("given up, without the fence with %s", is_release ? "release" : "acquire");
    const weak_result slip =
        weak_explore(&program, (weak_slip){.atomic = -1, .is_fence = true, .is_store = is_release});
    EXPECT_MSG(slip.fault[0] != '\0', "is not found to be wrong");
  }
  SETTLE();
}

/* ---- reductions -------------------------------------------------------------------------------------- */

static void reductions(void **state)
{
  (void)state;
  weak_board_prepare();
  check("four reductions", &(weak_program){weak_board_reset, weak_board_run}, none, 479);
  SETTLE();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_ring), cmocka_unit_test(runs_through_slots),
                                     cmocka_unit_test(direct_runs), cmocka_unit_test(a_run_is_given_up),
                                     cmocka_unit_test(reductions)};
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
