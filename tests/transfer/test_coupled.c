/* Tests two programs that are coupled while they run. They move arrays to each other by plans, in both
 * directions. In random tasks each program knows only its own side, and every element is checked.
 *
 *     transfer_coupled ports <n>   n processes are one program, the others another; a port joins them
 *     transfer_coupled spawn <n>   starts n processes of the other program
 */
#include "mpi_test.h"
#include "task.h"

enum { CASES = 12, ELSEWHERE = 1000 /* first rank of processes of another MPI_COMM_WORLD */ };

static char **arguments;
static two_groups g;
static task t;
static int failures; /* failed runs of this program */

/* ---- joined ------------------------------------------------------------------------------------------ */

/* Both programs have one MPI_COMM_WORLD, which sends them the name of the port. */
static void join(int first)
{
  char port[MPI_MAX_PORT_NAME] = "";
  g.own = test_rank() >= first;
  MPI_Comm_split(MPI_COMM_WORLD, g.own, 0, &g.group);
  if (test_rank() == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (g.own == 0)
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, g.group, &g.inter);
  else
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, g.group, &g.inter);
  if (test_rank() == 0) MPI_Close_port(port);
}

static void spawn(int count)
{
  char *none[] = {NULL};
  MPI_Comm_dup(MPI_COMM_WORLD, &g.group);
  MPI_Comm_spawn(arguments[0], none, count, MPI_INFO_NULL, 0, g.group, &g.inter, MPI_ERRCODES_IGNORE);
}

/* Finds out which processes of this MPI_COMM_WORLD are of this program. */
static void list_members(void)
{
  const int own = g.own, rank = test_rank();
  MPI_Comm_size(g.group, &g.size[own]);
  MPI_Comm_remote_size(g.inter, &g.size[1 - own]);
  for (int i = 0; i < g.size[1 - own]; i++) g.members[1 - own][i] = ELSEWHERE + i;
  MPI_Allgather(&rank, 1, MPI_INT, g.members[own], 1, MPI_INT, g.group);
}

static void couple(void **state)
{
  (void)state;
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    g = (two_groups){.own = 1, .inter = parent};
    MPI_Comm_dup(MPI_COMM_WORLD, &g.group);
  } else if (strcmp(arguments[1], "spawn") == 0)
    spawn(atoi(arguments[2]));
  else
    join(atoi(arguments[2]));
  list_members();
  SETTLE();
}

/* ---- moved ------------------------------------------------------------------------------------------- */

static void run(dap_plan *plan)
{
  static task_run buffers;
  const many_memory memory[2] = {MANY_PRIVATE, MANY_PRIVATE};
  if (!plan) MPI_Abort(MPI_COMM_WORLD, 1); /* otherwise the other program would wait */
  task_begin(&t, plan, MPI_COMM_WORLD, memory, &buffers);
  failures += !task_end(&t, plan, &buffers);
}

static dap_plan *make(test_random *random, const task_wish *wish)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  task_draw(&t, wish, &g, random);
  TEST_CASE("program %d: %s", g.own, task_text(&t));
  EXPECT_OK(task_create(&t, g.inter, &plan, &err), &err);
  return plan;
}

static void move_all(void **state)
{
  (void)state;
  static const task_wish wishes[] = {
      {.is_plain = true}, {.is_plain = false}, {.combines = true}, {.is_partial = true}};
  test_random random = test_random_init(960);
  for (int i = 0; i < CASES; i++) {
    dap_plan *plan = make(&random, &wishes[i % 4]);
    for (int turn = 0; turn < 3; turn++) run(plan);
    dap_plan_destroy(&plan);
    task_free(&t);
  }
  SETTLE();
}

/* Uses a communicator of the caller with both programs. Its first ranks are those of program 0. */
static void move_on_a_merged_communicator(void **state)
{
  (void)state;
  test_random random = test_random_init(961), any = test_random_init(1);
  dap_side sides[2];
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm both = MPI_COMM_NULL;
  int given[BRUTE_PROCS], ranks[BRUTE_PROCS];
  MPI_Intercomm_merge(g.inter, g.own, &both);
  task_draw(&t, &(task_wish){.is_plain = true}, &g, &random);
  const int side = g.own == t.sender ? 0 : 1;
  for (int s = 0; s < 2; s++) sides[s] = task_side(&t, s);
  (void)side_in_group(&g, g.own, side ? t.to : t.from, &any, &sides[side], given);
  for (int i = 0; i < BRUTE_PROCS; i++)
    ranks[i] = (sides[side].ranks ? sides[side].ranks[i] : i) + (g.own ? g.size[0] : 0);
  sides[side].ranks = ranks;
  sides[1 - side].layout = NULL;
  sides[1 - side].ranks = NULL;
  sides[1 - side].strides = NULL;
  const int64_t itemsize = t.types[0] == DAP_NONE ? t.from->itemsize : 0;
  EXPECT_OK(dap_plan_create(both, &sides[0], &sides[1], itemsize, &t.options, &plan, &err), &err);
  run(plan);
  dap_plan_destroy(&plan);
  task_free(&t);
  MPI_Comm_free(&both); /* MPI_Comm_disconnect() would hang in Open MPI 4 */
  SETTLE();
}

/* A plan outlives the intercommunicator. Each program also fails if the other has failed. */
static void part(void **state)
{
  (void)state;
  test_random random = test_random_init(962);
  int others = 0;
  dap_plan *late = make(&random, &(task_wish){.is_plain = true});
  run(late);
  MPI_Allreduce(&failures, &others, 1, MPI_INT, MPI_SUM, g.inter);
  EXPECT_INT(others, 0);
  MPI_Comm_disconnect(&g.inter);
  run(late);
  dap_plan_destroy(&late);
  task_free(&t);
  MPI_Comm_free(&g.group);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(couple),
    cmocka_unit_test(move_all),
    cmocka_unit_test(move_on_a_merged_communicator),
    cmocka_unit_test(part),
};

int main(int argc, char **argv)
{
  arguments = argv;
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
