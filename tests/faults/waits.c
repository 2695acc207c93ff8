#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): kill() */
#include "waits.h"

#include "mpi_test.h"

#include <dapbridge/context.h>
#include <dapbridge/shared.h>
#include <signal.h>

/* ---- functions ----------------------------------------------------------------------------------------- */

enum { SIZE = 300 };

static dap_layout *make_layout(dap_dist dist)
{
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  return layout;
}

static dap_status agree(MPI_Comm comm, bool *is_right, dap_error *err)
{
  uint64_t bits = UINT64_C(1) | UINT64_C(2) << test_rank();
  const dap_status s = dap_agree_bits(comm, "dap_bits", DAP_OK, &bits, err);
  *is_right = bits == (test_nprocs() > 1 ? 1 : 3);
  return s;
}

/* Every process's list has its own indices and none of the others'; who has which is asked. */
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
  dap_array array = {0};
  dap_layout *layout = make_layout(dap_dist_even(SIZE, test_nprocs()));
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
  dap_plan_destroy(&w->plan);
  const dap_status s = dap_wait_limit(w->move.comm, seconds, err);
  return s || w->row->step || w->row->makes_plan ? s : move_plan(&w->move, &w->plan, err);
}

dap_status wait_start(waiting *w, int row, double seconds, dap_error *err)
{
  dap_context *context = NULL;
  w->row = &wait_rows[row];
  w->plan = NULL;
  move_start(&w->move, &move_rows[w->row->move], w->row->hosts ? w->row->hosts : test_nprocs());
  move_comm_make(&w->move);
  dap_status s = wait_plan(w, seconds, err);
  if (!s && w->row->has_context) s = dap_context_get(w->move.comm, NULL, &context, err);
  if (context) dap_context_release(&context);
  return s;
}

void wait_end(waiting *w)
{
  dap_plan_destroy(&w->plan);
  move_end(&w->move);
  move_comm_free(&w->move);
}

dap_status wait_take(waiting *w, int64_t turn, bool *is_right, dap_error *err)
{
  dap_status s = DAP_OK;
  if (w->row->step) return w->row->step(w->move.comm, is_right, err);
  if (w->row->makes_plan) {
    dap_plan_destroy(&w->plan);
    s = move_plan(&w->move, &w->plan, err);
    *is_right = !s;
    if (w->move.row->has_groups) return s;
  }
  if (!s) s = move_run(&w->move, w->plan, turn, err);
  *is_right = !s && move_check(&w->move, turn);
  return s;
}

/* ---- late ---------------------------------------------------------------------------------------------- */

enum { LEAP = 20 /* seconds */, HURRY = 4 /* times as fast */, GONE = 3 /* the tag of words */ };
static struct {
  pid_t process; /* 0: time passes as usual */
  int words;     /* of others who have seen that it has ended; -1: this process has not */
  double since;
} hurry;

void wait_hurry_after(int process)
{
  hurry.process = process;
  hurry.words = -1;
  hurry.since = 0;
}

/* Whether all others, except the last process, have seen that it has ended, too. */
static bool is_known_by_all(void)
{
  const int others = test_nprocs() - 2;
  int is_there = 0;
  for (int rank = 0; rank <= others && hurry.words < 0; rank++)
    if (rank != test_rank()) (void)PMPI_Send(NULL, 0, MPI_BYTE, rank, GONE, MPI_COMM_WORLD);
  if (hurry.words < 0) hurry.words = 0;
  while (hurry.words < others) {
    (void)PMPI_Iprobe(MPI_ANY_SOURCE, GONE, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (!is_there) return false;
    (void)PMPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, GONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hurry.words++;
  }
  return true;
}

static double hurried(void)
{
  const double now = PMPI_Wtime();
  if (hurry.process > 0 && hurry.since == 0 && kill(hurry.process, 0) && is_known_by_all()) hurry.since = now;
  return hurry.since > 0 ? now + LEAP + HURRY * (now - hurry.since) : now;
}

/* MPI's clock stands still until each of the others has begun to wait, or is through. Then any limit is
 * over at once, and the clock stands still until each of the others has said so, or is through. Then it
 * runs fast. */
enum { JUMP = 2, SPEED = 10, STAGES = 2, GO = STAGES, ENOUGH = 4 /* looks at the clock behind a limit */ };
static struct {
  MPI_Comm comm; /* of the words */
  int late;      /* -1: it is the usual clock */
  int stage, looks;
  bool has_told[STAGES];
  double stopped, since;
} the_clock = {.late = -1};

/* Of a process that is not late, once a stage. */
static void tell(int stage)
{
  if (!the_clock.has_told[stage]) (void)PMPI_Send(NULL, 0, MPI_BYTE, the_clock.late, stage, the_clock.comm);
  the_clock.has_told[stage] = true;
}

static void go_on(void)
{
  the_clock.stage++;
  the_clock.since = PMPI_Wtime();
}

/* Of a process that is not late: goes on if the late one says so. */
static void look(bool must_go)
{
  int is_there = must_go;
  if (!must_go) (void)PMPI_Iprobe(the_clock.late, GO, the_clock.comm, &is_there, MPI_STATUS_IGNORE);
  if (!is_there) return;
  (void)PMPI_Recv(NULL, 0, MPI_BYTE, the_clock.late, GO, the_clock.comm, MPI_STATUS_IGNORE);
  go_on();
}

double MPI_Wtime(void)
{
  if (the_clock.late < 0) return hurried();
  if (the_clock.late != test_rank() && the_clock.stage < STAGES) {
    if (the_clock.stage == 0 || ++the_clock.looks == ENOUGH) tell(the_clock.stage);
    look(false);
  }
  const double jumped = the_clock.stopped + (the_clock.stage > 0 ? JUMP : 0);
  return jumped + (the_clock.stage == STAGES ? SPEED * (PMPI_Wtime() - the_clock.since) : 0);
}

/* Of the late process: all others have told it the stage. */
static void let_go(int stage)
{
  for (int i = 1; i < test_nprocs(); i++)
    (void)PMPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, stage, the_clock.comm, MPI_STATUS_IGNORE);
  for (int rank = 0; rank < test_nprocs(); rank++)
    if (rank != the_clock.late) (void)PMPI_Send(NULL, 0, MPI_BYTE, rank, GO, the_clock.comm);
  go_on();
}

static void end_stages(void)
{
  for (int stage = 0; stage < STAGES; stage++) {
    if (test_rank() == the_clock.late)
      let_go(stage);
    else
      tell(stage);
    if (the_clock.stage <= stage) look(true);
  }
}

dap_status wait_take_late(waiting *w, int late, int64_t turn, bool *is_right, dap_error *err)
{
  dap_status s = DAP_OK;
  (void)PMPI_Comm_dup(MPI_COMM_WORLD, &the_clock.comm);
  the_clock.late = late;
  the_clock.stage = the_clock.looks = 0;
  the_clock.has_told[0] = the_clock.has_told[1] = false;
  the_clock.stopped = PMPI_Wtime();
  if (test_rank() != late) s = wait_take(w, turn, is_right, err);
  end_stages();
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank() == late) s = wait_take(w, turn, is_right, err);
  the_clock.late = -1;
  (void)PMPI_Comm_free(&the_clock.comm);
  return s;
}
