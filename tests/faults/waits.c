/* Private: hosts are pretended. */
#include "waits.h"

#include "comm_impl.h"
#include "mpi_test.h"

#include <dapbridge/shared.h>

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

/* From rank 0, which alone knows the source's layout, to all. */
static dap_status make_plan(MPI_Comm comm, bool *is_right, dap_error *err)
{
  const bool is_first = test_rank() == 0;
  dap_layout *source = is_first ? make_layout(dap_dist_even(SIZE, 1)) : NULL,
             *target = make_layout(dap_dist_cyclic(SIZE, test_nprocs(), 7));
  const dap_side from = {.layout = source, .contiguous = true}, to = {.layout = target, .contiguous = true};
  dap_plan *plan = NULL;
  int64_t numbers[2][SIZE] = {{0}};
  for (int64_t i = 0; i < SIZE; i++) numbers[0][i] = i;
  dap_status s = dap_plan_create(comm, &from, &to, sizeof numbers[0][0], NULL, &plan, err);
  if (!s) s = dap_plan_run(plan, is_first ? numbers[0] : NULL, numbers[1], err);
  *is_right = true;
  for (int64_t i = 0; i < dap_layout_extent(target, 0, test_rank()); i++) {
    int64_t global;
    (void)dap_layout_globalize(target, test_rank(), &i, &global, NULL, NULL);
    *is_right = *is_right && numbers[1][i] == global;
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&source);
  dap_layout_destroy(&target);
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
    {"a plan, the first thing there", .hosts = 1, .step = make_plan},
    {"a plan", .hosts = 1, .has_context = true, .step = make_plan},
    {"a plan of two nodes", .hosts = 2, .has_context = true, .step = make_plan},
    {"a run, in shared memory", .hosts = 1},
    {"a run, direct copies", .hosts = 1, .is_shared = true},
    {"a run, messages", .hosts = 1, .transports = DAP_TRANSPORT_MESSAGES},
    {"a run on two nodes", .hosts = 2},
    {"a run on two nodes, directly", .hosts = 2, .is_shared = true},
    {"a run on as many nodes", .hosts = 0},
    {"a run between two groups", .hosts = 1, .is_between = true},
    {"a plan between two groups", .hosts = 1, .is_between = true},
};

static bool makes_plan(const waiting *w)
{
  return w->row == &wait_rows[WAIT_GROUP_PLANS];
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static dap_status plan_between(waiting *w, dap_error *err)
{
  const two_groups *g = &w->groups;
  const dap_side side = {.layout = w->move.layouts[0], .contiguous = true};
  dap_plan_destroy(&w->move.plan);
  return dap_plan_create(g->inter, g->own ? NULL : &side, g->own ? &side : NULL, sizeof(double), NULL,
                         &w->move.plan, err);
}

dap_status wait_plan(waiting *w, double seconds, dap_error *err)
{
  const dap_side from = {.layout = w->move.layouts[0], .contiguous = true},
                 to = {.layout = w->move.layouts[1], .contiguous = true};
  const dap_plan_options options = {.transports = w->row->transports, .message_bytes = 64};
  dap_plan_destroy(&w->move.plan);
  const dap_status s = dap_wait_limit(w->comm, seconds, err);
  if (s || w->row->step) return s;
  if (w->row->is_between) return plan_between(w, err);
  return dap_plan_create(w->comm, &from, &to, sizeof(double), &options, &w->move.plan, err);
}

static dap_status start_between(waiting *w, double seconds, dap_error *err)
{
  w->groups = two_groups_make(test_nprocs() / 2, LOW_FIRST);
  w->comm = w->groups.inter;
  w->move = (row_move){0};
  const dap_dist dist = dap_dist_even(60, w->groups.size[w->groups.own]);
  const dap_status s = dap_layout_create(1, &dist, &w->move.layouts[0], err);
  return s ? s : wait_plan(w, seconds, err);
}

dap_status wait_start(waiting *w, int row, double seconds, dap_error *err)
{
  dap_context *context = NULL;
  dap_status s = DAP_OK;
  w->row = &wait_rows[row];
  if (w->row->is_between) return start_between(w, seconds, err);
  MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
  const int hosts = w->row->hosts ? w->row->hosts : test_nprocs();
  if (hosts > 1) EXPECT(dap_node_pretend(w->comm, test_rank() % hosts));
  row_move_make(&w->move, 5, row);
  w->to = (dap_array){0};
  if (w->row->is_shared)
    s = dap_array_alloc(w->comm, w->move.layouts[1], DAP_F8, DAP_ORDER_C, &w->to, NULL, err);
  if (!s) s = wait_plan(w, seconds, err);
  if (!s && w->row->has_context) s = dap_context_get(w->comm, NULL, &context, err);
  if (context) dap_context_release(&context);
  return s;
}

void wait_end(waiting *w)
{
  if (!w->row->is_between && w->to.release) dap_array_release(&w->to);
  row_move_free(&w->move);
  if (w->row->is_between)
    two_groups_free(&w->groups);
  else
    MPI_Comm_free(&w->comm);
}

/* ---- taken --------------------------------------------------------------------------------------------- */

static dap_status run_between(waiting *w, int64_t turn, bool *is_right, dap_error *err)
{
  const two_groups *g = &w->groups;
  const dap_layout *layout = w->move.layouts[0];
  int rank = 0;
  MPI_Comm_rank(g->group, &rank);
  const int64_t count = dap_layout_extent(layout, 0, rank);
  double *values = w->move.from, want[60];
  for (int64_t i = 0; i < count; i++) {
    int64_t global = 0;
    (void)dap_layout_globalize(layout, rank, &i, &global, NULL, NULL);
    want[i] = (double)(60 * turn + global);
    values[i] = g->own ? -1 : want[i];
  }
  const dap_status s = dap_plan_run(w->move.plan, g->own ? NULL : values, g->own ? values : NULL, err);
  *is_right = !memcmp(values, want, (size_t)count * sizeof *values);
  return s;
}

static dap_status run_row(waiting *w, int64_t turn, bool *is_right, dap_error *err)
{
  row_move_fill(&w->move, turn);
  const dap_status s = dap_plan_run(w->move.plan, w->move.from, w->to.data ? w->to.data : w->move.to, err);
  if (w->to.data) memcpy(w->move.to, w->to.data, (size_t)w->move.extent[1] * sizeof(double));
  *is_right = row_move_wrong(&w->move, turn) == 0;
  return s;
}

dap_status wait_take(waiting *w, int64_t turn, bool *is_right, dap_error *err)
{
  *is_right = makes_plan(w);
  if (w->row->step) return w->row->step(w->comm, is_right, err);
  if (makes_plan(w)) return plan_between(w, err);
  return w->row->is_between ? run_between(w, turn, is_right, err) : run_row(w, turn, is_right, err);
}

/* ---- late ---------------------------------------------------------------------------------------------- */

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
  if (the_clock.late < 0) return PMPI_Wtime();
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

int wait_group_rank(const waiting *w, int rank, int *group)
{
  for (*group = 0; *group < 2; ++*group)
    for (int i = 0; i < w->groups.size[*group]; i++)
      if (w->groups.members[*group][i] == rank) return i;
  return -1;
}
