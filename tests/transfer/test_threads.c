/* Uses plans and arrays in shared memory on two threads at once, if MPI allows this. Private: no public call
 * looks for memory while another thread makes some. */
#define _POSIX_C_SOURCE 200809L
#include "comm_impl.h"
#include "moves.h"
#include "mpi_test.h"

#include <pthread.h>
#include <sched.h>

int MPI_Init(int *argc, char ***argv)
{
  int provided;
  return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

/* ---- plans ------------------------------------------------------------------------------------------- */

enum { ROUNDS = 60 };

static move moves[2];

/* Moves elements from or to shared memory, while the other thread makes and releases such memory. */
static void *work(void *context)
{
  const int number = *(const int *)context;
  move *m = &moves[number];
  static many_sides many[2];
  many_sides *shared = &many[number];
  dap_error err = {0};
  for (int round = 0; round < ROUNDS; round++) {
    many_sides *of = round % 2 ? &m->run.to : &m->run.from;
    const test_side own = of->sides[0];
    m->task.options.transports = round % 3 ? 0 : DAP_TRANSPORT_MESSAGES;
    dap_plan_destroy(&m->plan);
    EXPECT_OK(move_plan(m, &err), &err);
    many_make(m->comm, &own, 1, MANY_SHARED, shared);
    for (int turn = 4; turn > 0; turn--) {
      of->sides[0] = turn % 2 ? own : shared->sides[0];
      of->data[0] = side_data(&of->sides[0]);
      move_run_right(m, 500 * number + round + turn, "a thread");
    }
    many_free(shared);
  }
  return NULL;
}

static void two_threads_on_two_communicators(void **state)
{
  (void)state;
  pthread_t threads[2];
  int provided, numbers[] = {0, 1};
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) test_skip("two threads: this MPI has no MPI_THREAD_MULTIPLE");
  for (int i = 0; i < 2; i++) move_make(&moves[i], &small_moves[SMALL_SINGLES], 1, 0);
  for (int i = 0; i < 2; i++) EXPECT_INT(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
  for (int i = 0; i < 2; i++) EXPECT_INT(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) move_free(&moves[i]);
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

/* An array in shared memory is always found, while another thread makes and releases such arrays. */
static void arrays_are_found_while_others_are_made(void **state)
{
  (void)state;
  static dap_array arrays[KEPT];
  static looks l;
  move *m = &moves[0];
  bool shared = false;
  pthread_t thread;
  dap_error err = {0};
  move_make(m, &small_moves[SMALL_SINGLES], 1, 0);
  for (int i = 0; i < KEPT + MADE; i++) {
    dap_array *array = &arrays[i < KEPT ? i : 1 + i % (KEPT - 1)];
    if (i >= KEPT) dap_array_release(array);
    EXPECT_OK(
        dap_array_alloc(MPI_COMM_WORLD, m->task.own[0].layout, DAP_F8, DAP_ORDER_C, array, &shared, &err),
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
  move_free(m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(arrays_are_found_while_others_are_made),
    cmocka_unit_test(two_threads_on_two_communicators),
};
MPI_TEST_MAIN(tests)
