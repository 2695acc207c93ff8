/* Tests how long plans and the data of their communicator live. Plans are made where other plans were, and
 * outlive the communicator and MPI. The requests to MPI are counted. */
#include "mpi_test.h"
#include "row_move.h"

#include <dapbridge/shared.h>

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

static row_move moves[2];

/* The first of them alone, on a communicator that the caller frees. */
static row_move *start(int way, MPI_Comm *comm)
{
  row_move *m = &moves[0];
  dap_error err;
  TEST_CASE("%s", row_ways[way].why);
  *comm = row_way_comm(way);
  row_move_make(m, 5, way);
  EXPECT_OK(row_move_plan(*comm, m, row_ways[way].transports, &err), &err);
  return m;
}

static void a_plan_outlives_its_communicator(void **state)
{
  (void)state;
  for (int way = 0; way < ROW_WAYS; way++) {
    MPI_Comm comm;
    row_move *m = start(way, &comm);
    MPI_Comm_free(&comm);
    for (int turn = 0; turn < 3; turn++) row_move_run(m, turn);
    row_move_free(m);
    SETTLE();
  }
}

/* Where a plan is made in the memory of the last one nobody takes what that one said for what this one
 * says. */
static void memory_is_used_again(void **state)
{
  (void)state;
  MPI_Comm comm = row_way_comm(0);
  dap_error err = {0};
  dap_array arrays[2];
  row_move *m = &moves[0];
  row_move_make(m, 5, 0);
  for (int k = 0; k < 2; k++)
    EXPECT_OK(dap_array_alloc(comm, m->layouts[1], DAP_F8, DAP_ORDER_C, &arrays[k], NULL, &err), &err);
  for (int turn = 0; turn < 300; turn++) {
    double *to = arrays[turn % 2].data;
    EXPECT_OK(row_move_plan(comm, m, 0, &err), &err);
    row_move_fill(m, turn);
    memset(to, 0, (size_t)m->extent[1] * sizeof *to);
    for (volatile int i = 0; i < 20000 * (turn % test_nprocs() == test_rank()); i++) continue;
    EXPECT_OK(dap_plan_run(m->plan, m->from, to, &err), &err);
    memcpy(m->to, to, (size_t)m->extent[1] * sizeof *to);
    EXPECT_INT(row_move_wrong(m, turn), 0);
    dap_plan_destroy(&m->plan);
  }
  for (int k = 0; k < 2; k++) dap_array_release(&arrays[k]);
  row_move_free(m);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* On a communicator that has been seen: two reductions, none of them MPI's on one node. */
static void making_one_is_cheap(void **state)
{
  (void)state;
  for (int way = 0; way < ROW_WAYS; way++) {
    MPI_Comm comm;
    dap_error err;
    row_move *m = start(way, &comm);
    for (int i = 0; i < 20; i++) {
      dap_plan_destroy(&m->plan);
      counted.reductions = counted.others = 0;
      EXPECT_OK(row_move_plan(comm, m, row_ways[way].transports, &err), &err);
      const int most = (row_ways[way].hosts == 1 && test_nodes() == 1) || test_nprocs() == 1 ? 0 : 2;
      EXPECT_MSG(counted.reductions <= most, "%d reductions", counted.reductions);
      EXPECT_INT(counted.others, 0);
    }
    row_move_free(m);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

/* ---- the end ----------------------------------------------------------------------------------------- */

static dap_plan *begun; /* and never ended */
static row_move apart;  /* on two nodes */

static void some_are_left(void **state)
{
  (void)state;
  dap_error err = {0};
  for (int p = 0; p < 2; p++) {
    row_move_make(&moves[p], 4, p);
    EXPECT_OK(row_move_plan(MPI_COMM_WORLD, &moves[p], 0, &err), &err);
  }
  row_move_fill(&moves[1], 0);
  EXPECT_OK(dap_plan_begin(moves[1].plan, moves[1].from, moves[1].to, &err), &err);
  begun = moves[1].plan;
  moves[1].plan = NULL;
  MPI_Comm comm = row_way_comm(ROW_WAYS - 1);
  row_move_make(&apart, 4, 0);
  EXPECT_OK(row_move_plan(comm, &apart, 0, &err), &err);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* As destructors of C++ and Python's exit do. */
int MPI_Finalize(void)
{
  const int code = PMPI_Finalize();
  dap_error err = {0};
  dap_plan *none = NULL;
  row_move *m = &moves[0];
  bool ok = dap_plan_run(m->plan, m->from, m->to, &err) == DAP_ERR_LIBRARY && strstr(err.text, "finalised");
  ok = ok && dap_plan_end(begun, &err) == DAP_ERR_LIBRARY;
  dap_plan_destroy(&none);
  char text[4096] = "";
  ok = ok && dap_plan_describe(apart.plan, text, sizeof text) > 0 && strstr(text, "move of elements");
  ok = ok && dap_plan_describe(NULL, text, sizeof text) > 0 && strstr(text, "plan must not be NULL") &&
       dap_plan_summarize(NULL).bytes_plan == 0 && dap_plan_is_broken(NULL);
  ok = ok && row_move_plan(MPI_COMM_WORLD, &moves[1], 0, &err) == DAP_ERR_LIBRARY && !moves[1].plan;
  row_move_free(m);
  row_move_free(&moves[1]);
  row_move_free(&apart);
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
