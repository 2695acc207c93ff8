/* Tests how long plans and the data of their communicator live. Plans are made where other plans were, and
 * outlive the communicator and MPI. The requests to MPI are counted. */
#include "moves.h"
#include "mpi_test.h"

/* ---- MPI, counted ------------------------------------------------------------------------------------ */

static struct {
  int reductions, others; /* collective calls */
} counted;

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  counted.reductions++;
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Iallreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  counted.reductions++;
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  counted.others++;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *own)
{
  counted.others++;
  return PMPI_Comm_dup_with_info(comm, info, own);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *own)
{
  counted.others++;
  return PMPI_Comm_split_type(comm, type, key, info, own);
}

/* ---- made and destroyed ------------------------------------------------------------------------------ */

static move moves[3];

static void a_plan_outlives_its_communicator(void **state)
{
  (void)state;
  for (int way = 0; way < SMALL_WAYS; way++) {
    move *m = &moves[0];
    small_move_start(m, way);
    MPI_Comm_free(&m->comm);
    for (int turn = 0; turn < 3; turn++) move_run_right(m, turn, "without its communicator");
    move_free(m);
    SETTLE();
  }
}

/* A plan can be made in the memory of the last one. No process may then take a word of the old plan for one
 * of the new plan. */
static void memory_is_used_again(void **state)
{
  (void)state;
  static many_sides shared;
  dap_error err = {0};
  move *m = &moves[0];
  small_move_start(m, 0);
  many_make(m->comm, m->task.to, 2, MANY_SHARED, &shared);
  for (int turn = 0; turn < 300; turn++) {
    m->run.to.sides[0] = shared.sides[turn % 2];
    m->run.to.data[0] = shared.data[turn % 2];
    dap_plan_destroy(&m->plan);
    EXPECT_OK(move_plan(m, &err), &err);
    for (volatile int i = 0; i < 20000 * (turn % test_nprocs() == test_rank()); i++) continue;
    move_run_right(m, turn, "in the memory of another");
  }
  many_free(&shared);
  move_free(m);
  SETTLE();
}

/* The communicator has been used before. A plan then needs two reductions, and on one node MPI makes none of
 * them. */
static void making_one_is_cheap(void **state)
{
  (void)state;
  for (int way = 0; way < SMALL_WAYS; way++) {
    dap_error err = {0};
    move *m = &moves[0];
    small_move_start(m, way);
    for (int i = 0; i < 20; i++) {
      dap_plan_destroy(&m->plan);
      counted.reductions = counted.others = 0;
      EXPECT_OK(move_plan(m, &err), &err);
      const int most = (m->hosts == 1 && test_nodes() == 1) || test_nprocs() == 1 ? 0 : 2;
      EXPECT_MSG(counted.reductions <= most, "%d reductions", counted.reductions);
      EXPECT_INT(counted.others, 0);
    }
    move_free(m);
    SETTLE();
  }
}

/* ---- the end ----------------------------------------------------------------------------------------- */

static dap_plan *begun; /* this run never ends */

/* The last plan is on two hosts. */
static void some_are_left(void **state)
{
  (void)state;
  dap_error err = {0};
  for (int p = 0; p < 3; p++) {
    small_move_start(&moves[p], p < 2 ? 0 : 2);
    MPI_Comm_free(&moves[p].comm);
  }
  task_run_fill(&moves[1].task, 0, &moves[1].run);
  EXPECT_OK(dap_plan_begin(moves[1].plan, moves[1].run.from.data[0], moves[1].run.to.data[0], &err), &err);
  begun = moves[1].plan;
  moves[1].plan = NULL;
  SETTLE();
}

/* Plans are destroyed after MPI has ended, as destructors of C++ or the exit of Python may do. */
int MPI_Finalize(void)
{
  const int code = PMPI_Finalize();
  dap_error err = {0};
  dap_plan *none = NULL;
  move *m = &moves[0];
  bool ok = dap_plan_run(m->plan, m->run.from.data[0], m->run.to.data[0], &err) == DAP_ERR_LIBRARY &&
            strstr(err.text, "finalised");
  ok = ok && dap_plan_end(begun, &err) == DAP_ERR_LIBRARY;
  dap_plan_destroy(&none);
  char text[4096] = "";
  ok = ok && dap_plan_describe(moves[2].plan, text, sizeof text) > 0 && strstr(text, "move of elements");
  ok = ok && dap_plan_describe(NULL, text, sizeof text) > 0 && strstr(text, "plan must not be NULL") &&
       dap_plan_summarize(NULL).bytes_plan == 0 && dap_plan_is_broken(NULL);
  moves[1].comm = MPI_COMM_WORLD;
  ok = ok && move_plan(&moves[1], &err) == DAP_ERR_LIBRARY && !moves[1].plan;
  moves[1].comm = MPI_COMM_NULL;
  for (int p = 0; p < 3; p++) move_free(&moves[p]);
  dap_plan_destroy(&begun);
  if (ok) return code;
  (void)fprintf(stderr, "after MPI_Finalize: %s\n", err.text);
  exit(EXIT_FAILURE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_plan_outlives_its_communicator),
    cmocka_unit_test(making_one_is_cheap),
    cmocka_unit_test(memory_is_used_again),
    cmocka_unit_test(some_are_left),
};
MPI_TEST_MAIN(tests)
