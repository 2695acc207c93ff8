/* Plans and what their communicator keeps: several under way, made and destroyed in any order, longer than
 * the communicator, than MPI; and on two threads at once. What is asked of MPI is counted. */
#define _POSIX_C_SOURCE 200809L
#include "comm_impl.h"
#include "mpi_test.h"

#include <pthread.h>
#include <time.h>

enum { SIZE = 1500, PLANS = 6, THREAD_ROUNDS = 60 };

/* ---- MPI, counted ------------------------------------------------------------------------------------ */

static struct {
  int reductions, others; /* collective calls */
} counted;

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  counted.reductions++;
  return PMPI_Allreduce(mine, all, count, type, op, comm);
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

int MPI_Init(int *argc, char ***argv)
{
  int provided;
  return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

/* ---- a move ------------------------------------------------------------------------------------------ */

/* A row of numbers, in equal parts and dealt in blocks. */
typedef struct move {
  dap_layout *layouts[2];
  dap_plan *plan;
  int64_t extent[2];
  int64_t block, salt;
  double from[SIZE], to[SIZE];
} move;

static void set_up(move *m, int64_t block, int64_t salt)
{
  const int nprocs = test_nprocs();
  const dap_dist dists[2] = {dap_dist_even(SIZE, nprocs), dap_dist_cyclic(SIZE, nprocs, block)};
  *m = (move){.block = block, .salt = salt};
  for (int k = 0; k < 2; k++) {
    (void)dap_layout_create(1, &dists[k], &m->layouts[k], NULL);
    m->extent[k] = dap_layout_extent(m->layouts[k], 0, test_rank());
  }
}

static dap_status plan(MPI_Comm comm, move *m, unsigned transports, dap_error *err)
{
  const dap_side from = {.layout = m->layouts[0], .contiguous = true},
                 to = {.layout = m->layouts[1], .contiguous = true};
  const dap_plan_options options = {.transports = transports, .message_bytes = 64};
  return dap_plan_create(comm, &from, &to, sizeof(double), &options, &m->plan, err);
}

static void tear_down(move *m)
{
  dap_plan_destroy(&m->plan);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&m->layouts[k]);
}

static double value(const move *m, int64_t global, int64_t turn)
{
  return (double)(global + SIZE * (m->salt + 100 * turn));
}

static void fill(move *m, int64_t turn)
{
  for (int64_t i = 0; i < m->extent[0]; i++) {
    int64_t global;
    (void)dap_layout_globalize(m->layouts[0], test_rank(), &i, &global, NULL, NULL);
    m->from[i] = value(m, global, turn);
  }
  memset(m->to, 0, sizeof m->to);
}

static int count_wrong(const move *m, int64_t turn)
{
  int wrong = 0;
  for (int64_t i = 0; i < m->extent[1]; i++) {
    int64_t global;
    (void)dap_layout_globalize(m->layouts[1], test_rank(), &i, &global, NULL, NULL);
    wrong += m->to[i] != value(m, global, turn);
  }
  return wrong;
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static const struct {
  const char *why;
  unsigned transports;
  int hosts;
} ways[] = {
    {"memory of the node", 0, 1},
    {"messages", DAP_TRANSPORT_MESSAGES, 1},
    {"two nodes", 0, 2},
};
enum { WAYS = sizeof ways / sizeof *ways };

static MPI_Comm new_comm(int way)
{
  MPI_Comm comm;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (ways[way].hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % ways[way].hosts));
  return comm;
}

static move moves[PLANS];

/* The first of them alone, on a communicator that the caller frees. */
static move *start(int way, MPI_Comm *comm)
{
  move *m = &moves[0];
  dap_error err;
  TEST_CASE("%s", ways[way].why);
  *comm = new_comm(way);
  set_up(m, 5, way);
  EXPECT_OK(plan(*comm, m, ways[way].transports, &err), &err);
  return m;
}

static void run(move *m, int64_t turn)
{
  dap_error err;
  fill(m, turn);
  EXPECT_OK(dap_plan_run(m->plan, m->from, m->to, &err), &err);
  EXPECT_INT(count_wrong(m, turn), 0);
}

/* In each round other plans of all are made anew, by each process in another order of those destroyed. */
static void several_are_under_way(void **state)
{
  (void)state;
  for (int way = 0; way < WAYS; way++) {
    MPI_Comm comm = new_comm(way);
    dap_error err = {0};
    for (int p = 0; p < PLANS; p++) {
      set_up(&moves[p], 1 + 3 * p, p);
      EXPECT_OK(plan(comm, &moves[p], ways[way].transports, &err), &err);
    }
    for (int turn = 0; turn < 20; turn++) {
      TEST_CASE("%s, turn %d", ways[way].why, turn);
      for (int p = 0; p < PLANS; p++) {
        fill(&moves[p], turn);
        EXPECT_OK(dap_plan_begin(moves[p].plan, moves[p].from, moves[p].to, &err), &err);
      }
      for (int p = 0; p < PLANS; p++)
        EXPECT_OK(dap_plan_end(moves[turn % 2 ? p : PLANS - 1 - p].plan, &err), &err);
      for (int p = 0; p < PLANS; p++) EXPECT_INT(count_wrong(&moves[p], turn), 0);
      for (int i = 0; i < PLANS; i++) {
        const int p = test_rank() % 2 ? i : PLANS - 1 - i;
        if ((p + turn) % 3 == 0) dap_plan_destroy(&moves[p].plan);
      }
      for (int p = 0; p < PLANS; p++)
        if (!moves[p].plan) EXPECT_OK(plan(comm, &moves[p], ways[way].transports, &err), &err);
    }
    for (int p = 0; p < PLANS; p++) tear_down(&moves[p]);
    PMPI_Comm_free(&comm);
    SETTLE();
  }
}

static void a_plan_outlives_its_communicator(void **state)
{
  (void)state;
  for (int way = 0; way < WAYS; way++) {
    MPI_Comm comm;
    move *m = start(way, &comm);
    PMPI_Comm_free(&comm);
    for (int turn = 0; turn < 3; turn++) run(m, turn);
    tear_down(m);
    SETTLE();
  }
}

/* Where a plan is made in the memory of the last one nobody takes what that one said for what this one
 * says. */
static void memory_is_used_again(void **state)
{
  (void)state;
  MPI_Comm comm = new_comm(0);
  dap_error err = {0};
  dap_array arrays[2];
  move *m = &moves[0];
  set_up(m, 5, 0);
  for (int k = 0; k < 2; k++)
    EXPECT_OK(dap_array_alloc(comm, m->layouts[1], DAP_F8, DAP_ORDER_C, &arrays[k], NULL, &err), &err);
  for (int turn = 0; turn < 300; turn++) {
    double *to = arrays[turn % 2].data;
    EXPECT_OK(plan(comm, m, 0, &err), &err);
    fill(m, turn);
    memset(to, 0, (size_t)m->extent[1] * sizeof *to);
    for (volatile int i = 0; i < 20000 * (turn % test_nprocs() == test_rank()); i++) continue;
    EXPECT_OK(dap_plan_run(m->plan, m->from, to, &err), &err);
    memcpy(m->to, to, (size_t)m->extent[1] * sizeof *to);
    EXPECT_INT(count_wrong(m, turn), 0);
    dap_plan_destroy(&m->plan);
  }
  for (int k = 0; k < 2; k++) dap_array_release(&arrays[k]);
  tear_down(m);
  PMPI_Comm_free(&comm);
  SETTLE();
}

/* On a communicator that has been seen: two reductions, none of them MPI's on one node. */
static void making_one_is_cheap(void **state)
{
  (void)state;
  for (int way = 0; way < WAYS; way++) {
    MPI_Comm comm;
    dap_error err;
    move *m = start(way, &comm);
    for (int i = 0; i < 20; i++) {
      dap_plan_destroy(&m->plan);
      counted.reductions = counted.others = 0;
      EXPECT_OK(plan(comm, m, ways[way].transports, &err), &err);
      const int most = ways[way].hosts == 1 || test_nprocs() == 1 ? 0 : 2;
      EXPECT_MSG(counted.reductions <= most, "%d reductions", counted.reductions);
      EXPECT_INT(counted.others, 0);
    }
    tear_down(m);
    PMPI_Comm_free(&comm);
    SETTLE();
  }
}

/* ---- threads ----------------------------------------------------------------------------------------- */

typedef struct task {
  MPI_Comm comm;
  int number, wrong, failed;
  move move;
} task;

/* From or to memory that the processes share, while the other thread makes and releases such memory. */
static dap_status run_shared(move *m, dap_array *shared, int side, dap_error *err)
{
  const size_t bytes = (size_t)m->extent[side] * sizeof(double);
  if (side == 0) memcpy(shared->data, m->from, bytes);
  const dap_status s =
      dap_plan_run(m->plan, side == 0 ? shared->data : m->from, side == 0 ? m->to : shared->data, err);
  if (side == 1) memcpy(m->to, shared->data, bytes);
  return s;
}

static void *work(void *context)
{
  task *t = context;
  dap_error err;
  for (int round = 0; round < THREAD_ROUNDS; round++) {
    const int side = round % 2;
    dap_array array = {0};
    move *m = &t->move;
    set_up(m, 1 + round % 7, t->number);
    t->failed += plan(t->comm, m, round % 3 ? 0 : DAP_TRANSPORT_MESSAGES, &err) != DAP_OK;
    t->failed +=
        dap_array_alloc(t->comm, m->layouts[side], DAP_F8, DAP_ORDER_C, &array, NULL, &err) != DAP_OK;
    for (int turn = 0; turn < 4 && m->plan && array.data; turn++) {
      fill(m, round + turn);
      t->failed += (turn % 2 ? run_shared(m, &array, side, &err)
                             : dap_plan_run(m->plan, m->from, m->to, &err)) != DAP_OK;
      t->wrong += count_wrong(m, round + turn);
    }
    dap_array_release(&array);
    tear_down(m);
  }
  return NULL;
}

enum { KEPT = 300, MADE = 60 };

typedef struct looks {
  const double *at;
  atomic_bool over;
  int64_t missed;
} looks;

static void *look(void *context)
{
  looks *l = context;
  while (!atomic_load(&l->over)) {
    for (int i = 0; i < 1000; i++) {
      const dap_segment s = dap_segment_find(dap_self_lock(false), l->at);
      dap_self_unlock();
      l->missed += s.id == 0;
    }
    (void)nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  }
  return NULL;
}

/* An array in shared memory is found at any time while another thread makes and releases such arrays. */
static void arrays_are_found_while_others_are_made(void **state)
{
  (void)state;
  static dap_array arrays[KEPT];
  static looks l;
  bool shared = false;
  pthread_t thread;
  dap_error err = {0};
  set_up(&moves[0], 5, 0);
  for (int i = 0; i < KEPT + MADE; i++) {
    dap_array *array = &arrays[i < KEPT ? i : 1 + i % (KEPT - 1)];
    if (i >= KEPT) dap_array_release(array);
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, moves[0].layouts[0], DAP_F8, DAP_ORDER_C, array, &shared, &err),
              &err);
    if (i == KEPT - 1) {
      l = (looks){.at = arrays[0].data};
      EXPECT_INT(pthread_create(&thread, NULL, look, &l), 0);
    }
  }
  atomic_store(&l.over, true);
  EXPECT_INT(pthread_join(thread, NULL), 0);
  if (shared) EXPECT_INT(l.missed, 0);
  for (int i = 0; i < KEPT; i++) dap_array_release(&arrays[i]);
  tear_down(&moves[0]);
  SETTLE();
}

static void two_threads_on_two_communicators(void **state)
{
  (void)state;
  static task tasks[2];
  pthread_t threads[2];
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  for (int i = 0; i < 2; i++) {
    tasks[i] = (task){.number = i};
    PMPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
  }
  for (int i = 0; i < 2; i++) EXPECT_INT(pthread_create(&threads[i], NULL, work, &tasks[i]), 0);
  for (int i = 0; i < 2; i++) EXPECT_INT(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) {
    EXPECT_INT(tasks[i].failed, 0);
    EXPECT_INT(tasks[i].wrong, 0);
    PMPI_Comm_free(&tasks[i].comm);
  }
  SETTLE();
}

/* ---- the end ----------------------------------------------------------------------------------------- */

static dap_plan *begun; /* and never ended */
static move apart;      /* on two nodes */

static void some_are_left(void **state)
{
  (void)state;
  dap_error err = {0};
  for (int p = 0; p < 2; p++) {
    set_up(&moves[p], 4, p);
    EXPECT_OK(plan(MPI_COMM_WORLD, &moves[p], 0, &err), &err);
  }
  fill(&moves[1], 0);
  EXPECT_OK(dap_plan_begin(moves[1].plan, moves[1].from, moves[1].to, &err), &err);
  begun = moves[1].plan;
  moves[1].plan = NULL;
  MPI_Comm comm = new_comm(WAYS - 1);
  set_up(&apart, 4, 0);
  EXPECT_OK(plan(comm, &apart, 0, &err), &err);
  PMPI_Comm_free(&comm);
  SETTLE();
}

/* As destructors of C++ and Python's exit do. */
int MPI_Finalize(void)
{
  const int code = PMPI_Finalize();
  dap_error err = {0};
  dap_plan *none = NULL;
  move *m = &moves[0];
  bool ok = dap_plan_run(m->plan, m->from, m->to, &err) == DAP_ERR_LIBRARY && strstr(err.text, "finalised");
  ok = ok && dap_plan_end(begun, &err) == DAP_ERR_LIBRARY;
  dap_plan_destroy(&none);
  char text[4096] = "";
  ok = ok && dap_plan_describe(apart.plan, text, sizeof text) > 0 && strstr(text, "move of elements");
  ok = ok && dap_plan_describe(NULL, text, sizeof text) > 0 && strstr(text, "plan must not be NULL") &&
       dap_plan_summarize(NULL).bytes_plan == 0 && dap_plan_is_broken(NULL);
  ok = ok && plan(MPI_COMM_WORLD, &moves[1], 0, &err) == DAP_ERR_LIBRARY && !moves[1].plan;
  tear_down(m);
  tear_down(&moves[1]);
  tear_down(&apart);
  dap_plan_destroy(&begun);
  if (ok) return code;
  (void)fprintf(stderr, "after MPI_Finalize: %s\n", err.text);
  exit(EXIT_FAILURE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(several_are_under_way),
    cmocka_unit_test(a_plan_outlives_its_communicator),
    cmocka_unit_test(making_one_is_cheap),
    cmocka_unit_test(memory_is_used_again),
    cmocka_unit_test(arrays_are_found_while_others_are_made),
    cmocka_unit_test(two_threads_on_two_communicators),
    cmocka_unit_test(some_are_left),
};

MPI_TEST_MAIN(tests)
