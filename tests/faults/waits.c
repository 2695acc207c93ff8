#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): kill() */
#include "waits.h"

#include "mpi_test.h"

#include <dapbridge/context.h>
#include <dapbridge/shared.h>
#include <signal.h>

/* ---- functions ----------------------------------------------------------------------------------------- */

enum { SIZE = 300 };

static dap_status agree(MPI_Comm comm, bool *is_right, dap_error *err)
{
  uint64_t bits = UINT64_C(1) | UINT64_C(2) << test_rank();
  const dap_status s = dap_agree_bits(comm, "dap_bits", DAP_OK, &bits, err);
  *is_right = bits == (test_nprocs() > 1 ? 1 : 3);
  return s;
}

/* Each process has a list of its own indices only. Then it asks which process has an index. */
static dap_status assemble(MPI_Comm comm, bool *is_right, dap_error *err)
{
  int64_t indices[SIZE], count = 0, local = -1;
  int owner = -1;
  const int64_t wanted = SIZE - 1;
  for (int64_t i = test_rank(); i < SIZE; i += test_nprocs()) indices[count++] = i;
  const dap_array part = list_part(SIZE, count, DAP_I8, indices);
  dap_layout *layout = NULL;
  dap_status s = dap_layout_assemble(comm, &part, &layout, err);
  if (!s) s = dap_layout_lookup(comm, layout, 1, &wanted, &owner, &local, err);
  *is_right = owner == wanted % test_nprocs() && local == wanted / test_nprocs();
  dap_layout_destroy(&layout);
  return s;
}

static dap_status allocate(MPI_Comm comm, bool *is_right, dap_error *err)
{
  const dap_dist dist = dap_dist_even(SIZE, test_nprocs());
  dap_array array = {0};
  dap_layout *layout = layout_make(1, &dist, NULL);
  const dap_status s = dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &array, NULL, err);
  *is_right = array.data && array.shape[0] == dap_layout_extent(layout, 0, test_rank());
  for (int64_t i = 0; i < array.shape[0] && *is_right; i++) *is_right = ((double *)array.data)[i] == 0;
  if (array.release) dap_array_release(&array);
  dap_layout_destroy(&layout);
  return s;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

const wait_row wait_rows[WAIT_ROWS] = {
    {"an agreement", .hosts = 1, .step = agree},
    {"an agreement in the node's memory", .hosts = 1, .has_context = true, .step = agree},
    {"an agreement of two nodes", .hosts = 2, .has_context = true, .step = agree},
    {"a layout from dictionaries", .hosts = 1, .step = assemble},
    {"a layout, on one node", .hosts = 1, .has_context = true, .step = assemble},
    {"a layout, on as many nodes", .hosts = 0, .has_context = true, .step = assemble},
    {"an array, the first thing there", .hosts = 1, .step = allocate},
    {"an array", .hosts = 1, .has_context = true, .step = allocate},
    {"an array on two nodes", .hosts = 2, .has_context = true, .step = allocate},
    {"a plan, the first thing there", .hosts = 1, .makes_plan = true, .move = MOVE_SCATTER},
    {"a plan", .hosts = 1, .has_context = true, .makes_plan = true, .move = MOVE_SCATTER},
    {"a plan of two nodes", .hosts = 2, .has_context = true, .makes_plan = true, .move = MOVE_SCATTER},
    {"a run, in shared memory", .hosts = 1},
    {"a run, direct copies", .hosts = 1, .move = MOVE_DIRECT},
    {"a run, messages", .hosts = 1, .move = MOVE_CHUNKS},
    {"a run on two nodes", .hosts = 2},
    {"a run on two nodes, directly", .hosts = 2, .move = MOVE_DIRECT},
    {"a run on as many nodes", .hosts = 0},
    {"a run between two groups", .hosts = 1, .move = MOVE_GROUPS},
    {"a plan between two groups", .hosts = 1, .makes_plan = true, .move = MOVE_GROUPS},
};

/* ---- at work ------------------------------------------------------------------------------------------- */

dap_status wait_plan(waiting *w, double seconds, dap_error *err)
{
  dap_plan_destroy(&w->move.plan);
  const dap_status s = dap_wait_limit(w->move.comm, seconds, err);
  return s || w->row->step || w->row->makes_plan ? s : move_plan(&w->move, err);
}

dap_status wait_start(waiting *w, int row, double seconds, dap_error *err)
{
  dap_context *context = NULL;
  w->row = &wait_rows[row];
  move_start(&w->move, &move_rows[w->row->move], w->row->hosts ? w->row->hosts : test_nprocs());
  move_comm_make(&w->move);
  dap_status s = wait_plan(w, seconds, err);
  if (!s && w->row->has_context) s = dap_context_get(w->move.comm, NULL, &context, err);
  if (context) dap_context_release(&context);
  return s;
}

dap_status wait_take(waiting *w, int64_t turn, bool *is_right, dap_error *err)
{
  dap_status s = DAP_OK;
  if (w->row->step) return w->row->step(w->move.comm, is_right, err);
  if (w->row->makes_plan) {
    dap_plan_destroy(&w->move.plan);
    s = move_plan(&w->move, err);
    *is_right = !s;
    if (w->move.row->has_groups) return s;
  }
  if (!s) s = move_run(&w->move, turn, err);
  *is_right = !s && task_run_check(&w->move.task, &w->move.run);
  return s;
}

/* ---- the clock ----------------------------------------------------------------------------------------- */

/* MPI's clock stands still until each process that is present has begun to wait, or has finished. Then any
 * limit has passed at once, and the clock stands still until each process has looked at it often enough, or
 * has finished. Then the clock runs fast. Rank 0 collects the words of the others, and tells all of them at
 * the same time that a stage is over. With a barrier, one process could go on long before another. */
enum { JUMP = 20, SPEED = 10, STAGES = 2, GO = STAGES, ENOUGH = 4 };
static struct {
  MPI_Comm comm; /* for the words */
  int absent;    /* rank that is not present; -1: time passes as usual */
  pid_t dying;   /* time passes as usual until this process has ended; 0: there is none */
  int stage, looks, words;
  bool is_late, has_told[STAGES];
  double stopped, since;
} the_clock = {.absent = -1};

void wait_clock_start(int absent, int dying)
{
  memset(&the_clock, 0, sizeof the_clock);
  (void)PMPI_Comm_dup(MPI_COMM_WORLD, &the_clock.comm);
  the_clock.absent = absent;
  the_clock.dying = dying;
  the_clock.is_late = !dying;
  the_clock.stopped = PMPI_Wtime();
}

/* Tells rank 0 once in each stage that this process is ready. */
static void tell(void)
{
  if (the_clock.has_told[the_clock.stage]) return;
  the_clock.has_told[the_clock.stage] = true;
  if (test_rank() == 0)
    the_clock.words++;
  else
    (void)PMPI_Send(NULL, 0, MPI_BYTE, 0, the_clock.stage, the_clock.comm);
}

static bool hears(int rank, int tag)
{
  int is_there = 0;
  (void)PMPI_Iprobe(rank, tag, the_clock.comm, &is_there, MPI_STATUS_IGNORE);
  if (is_there) (void)PMPI_Recv(NULL, 0, MPI_BYTE, rank, tag, the_clock.comm, MPI_STATUS_IGNORE);
  return is_there;
}

/* Goes on when the stage is over. */
static void look(void)
{
  if (test_rank() == 0) {
    while (hears(MPI_ANY_SOURCE, the_clock.stage)) the_clock.words++;
    if (the_clock.words < test_nprocs() - 1) return;
    for (int rank = 1; rank < test_nprocs(); rank++)
      if (the_clock.is_late || rank != the_clock.absent)
        (void)PMPI_Send(NULL, 0, MPI_BYTE, rank, GO, the_clock.comm);
  } else if (!hears(0, GO)) {
    return;
  }
  the_clock.words = 0;
  the_clock.stage++;
  the_clock.since = PMPI_Wtime();
}

double MPI_Wtime(void)
{
  const double now = PMPI_Wtime();
  if (the_clock.absent < 0 || (the_clock.dying && !kill(the_clock.dying, 0))) return now;
  if (the_clock.dying) the_clock.stopped = now;
  the_clock.dying = 0;
  if (the_clock.absent != test_rank() && the_clock.stage < STAGES) {
    if (the_clock.stage == 0 || ++the_clock.looks == ENOUGH) tell();
    look();
  }
  return the_clock.stopped + (the_clock.stage > 0 ? JUMP : 0) +
         (the_clock.stage == STAGES ? SPEED * (PMPI_Wtime() - the_clock.since) : 0);
}

void wait_clock_end(void)
{
  while (the_clock.stage < STAGES) {
    if (the_clock.absent != test_rank()) tell();
    look();
  }
  the_clock.absent = -1;
}

dap_status wait_take_late(waiting *w, int late, int64_t turn, bool *is_right, dap_error *err)
{
  dap_status s = DAP_OK;
  wait_clock_start(late, 0);
  if (test_rank() != late) s = wait_take(w, turn, is_right, err);
  wait_clock_end();
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank() == late) {
    the_clock.absent = late;
    s = wait_take(w, turn, is_right, err);
    the_clock.absent = -1;
  }
  (void)PMPI_Comm_free(&the_clock.comm);
  return s;
}
