/* Uses plans and arrays in shared memory on two threads at once, if MPI allows this. Private: no public call
 * looks for memory while another thread makes some. */
#define _POSIX_C_SOURCE 200809L
#include "comm_impl.h"
#include "mpi_test.h"
#include "row_move.h"

#include <dapbridge/shared.h>
#include <pthread.h>
#include <sched.h>

int MPI_Init(int *argc, char ***argv)
{
  int provided;
  return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

/* ---- plans ------------------------------------------------------------------------------------------- */

enum { ROUNDS = 60 };

typedef struct task {
  MPI_Comm comm;
  int number, wrong, failed;
  row_move move;
} task;

/* From or to memory that the processes share, while the other thread makes and releases such memory. */
static dap_status run_shared(row_move *m, dap_array *shared, int side, dap_error *err)
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
  for (int round = 0; round < ROUNDS; round++) {
    const int side = round % 2;
    dap_array array = {0};
    row_move *m = &t->move;
    row_move_make(m, 1 + round % 7, t->number);
    t->failed += row_move_plan(t->comm, m, round % 3 ? 0 : DAP_TRANSPORT_MESSAGES, &err) != DAP_OK;
    t->failed +=
        dap_array_alloc(t->comm, m->layouts[side], DAP_F8, DAP_ORDER_C, &array, NULL, &err) != DAP_OK;
    for (int turn = 0; turn < 4 && m->plan && array.data; turn++) {
      row_move_fill(m, round + turn);
      t->failed += (turn % 2 ? run_shared(m, &array, side, &err)
                             : dap_plan_run(m->plan, m->from, m->to, &err)) != DAP_OK;
      t->wrong += row_move_wrong(m, round + turn);
    }
    dap_array_release(&array);
    row_move_free(m);
  }
  return NULL;
}

static void two_threads_on_two_communicators(void **state)
{
  (void)state;
  static task tasks[2];
  pthread_t threads[2];
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) test_skip("two threads: this MPI has no MPI_THREAD_MULTIPLE");
  for (int i = 0; i < 2; i++) {
    tasks[i] = (task){.number = i};
    MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
  }
  for (int i = 0; i < 2; i++) EXPECT_INT(pthread_create(&threads[i], NULL, work, &tasks[i]), 0);
  for (int i = 0; i < 2; i++) EXPECT_INT(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) {
    EXPECT_INT(tasks[i].failed, 0);
    EXPECT_INT(tasks[i].wrong, 0);
    MPI_Comm_free(&tasks[i].comm);
  }
  SETTLE();
}

/* ---- arrays in shared memory -------------------------------------------------------------------------- */

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
    (void)sched_yield();
  }
  return NULL;
}

/* An array in shared memory is found at any time while another thread makes and releases such arrays. */
static void arrays_are_found_while_others_are_made(void **state)
{
  (void)state;
  static dap_array arrays[KEPT];
  static looks l;
  static row_move m;
  bool shared = false;
  pthread_t thread;
  dap_error err = {0};
  row_move_make(&m, 5, 0);
  for (int i = 0; i < KEPT + MADE; i++) {
    dap_array *array = &arrays[i < KEPT ? i : 1 + i % (KEPT - 1)];
    if (i >= KEPT) dap_array_release(array);
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, m.layouts[0], DAP_F8, DAP_ORDER_C, array, &shared, &err), &err);
    if (i == KEPT - 1) {
      l = (looks){.at = arrays[0].data};
      EXPECT_INT(pthread_create(&thread, NULL, look, &l), 0);
    }
  }
  atomic_store(&l.over, true);
  EXPECT_INT(pthread_join(thread, NULL), 0);
  if (shared) EXPECT_INT(l.missed, 0);
  for (int i = 0; i < KEPT; i++) dap_array_release(&arrays[i]);
  row_move_free(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arrays_are_found_while_others_are_made),
    cmocka_unit_test(two_threads_on_two_communicators),
};
MPI_TEST_MAIN(tests)
