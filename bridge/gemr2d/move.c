/* Does a call of p?gemr2d. It runs the plan of an earlier call, or makes a plan and keeps it, or calls
 * ScaLAPACK if that is faster. */
#include "gemr2d_impl.h"

/* ---- plans -------------------------------------------------------------------------------------------- */

static dap_status make_layout(const dap_gemr2d_facts *facts, int k, dap_layout **layout, dap_error *err)
{
  const int64_t *words = facts->matrices[k].words;
  dap_dist dists[2];
  for (int axis = 0; axis < 2; axis++) {
    dists[axis] = dap_dist_cyclic(words[DAP_GEMR2D_M + axis], (int)words[DAP_GEMR2D_NPROW + axis],
                                  words[DAP_GEMR2D_MB + axis]);
    dists[axis].first_owner = (int)words[DAP_GEMR2D_RSRC + axis];
  }
  return dap_layout_create(2, dists, layout, err);
}

static dap_status make_plan(MPI_Comm comm, const dap_gemr2d_facts *facts, const dap_gemr2d_call *call,
                            dap_plan **plan, dap_error *err)
{
  dap_layout *layouts[2] = {NULL, NULL};
  dap_side sides[2];
  int64_t starts[2][2], strides[2][2];
  dap_status status = DAP_OK;
  for (int k = 0; k < 2; k++) {
    const dap_gemr2d_matrix *matrix = &call->matrices[k];
    if (!status) status = make_layout(facts, k, &layouts[k], err);
    for (int axis = 0; axis < 2; axis++) starts[k][axis] = facts->matrices[k].words[DAP_GEMR2D_I + axis] - 1;
    strides[k][0] = call->itemsize;
    strides[k][1] = call->itemsize * (matrix->ld > 1 ? matrix->ld : 1);
    sides[k] = (dap_side){.layout = layouts[k],
                          .ranks = facts->matrices[k].ranks,
                          .strides = strides[k],
                          .part = {.start = starts[k], .shape = call->size}};
  }
  status = dap_agree(comm, status, err);
  if (!status) status = dap_plan_create(comm, &sides[0], &sides[1], call->itemsize, NULL, plan, err);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
  return status;
}

/* ---- the call ----------------------------------------------------------------------------------------- */

/* A call on this process. */
typedef struct task {
  const dap_gemr2d_arguments *arguments;
  dap_gemr2d_call call;
  MPI_Comm comm; /* the context's */
  dap_gemr2d_cache *cache;
  int fault; /* the argument to report if the call fails */
} task;

/* Finds the first wrong argument of all processes, and fails if there is one. */
static dap_status check_all(task *t, const dap_gemr2d_facts *facts, dap_error *err)
{
  const int mine = dap_gemr2d_check(facts, &t->call, t->arguments);
  int first = mine;
  DAP_REQUIRE(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, t->comm) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Allreduce failed");
  if (first == DAP_GEMR2D_NO_FAULT) return DAP_OK;
  t->fault = first;
  return dap_fail(err, DAP_ERR_ARG, "argument %d", first);
}

/* Runs a plan. A NULL pointer has been refused where elements move, so only one argument can be wrong now:
 * B, if it overlaps A. The process that finds this ends the program. */
static dap_status run_plan(task *t, dap_plan *plan, dap_error *err)
{
  static char nothing;
  const void *a = t->arguments->a ? t->arguments->a : &nothing;
  void *b = t->arguments->b ? t->arguments->b : &nothing;
  const dap_status status = dap_plan_run(plan, a, b, err);
  if (status == DAP_ERR_ARG && !dap_plan_is_broken(plan)) t->fault = 100 * DAP_GEMR2D_ARG_B;
  return status;
}

static dap_status run_new(task *t, dap_error *err)
{
  dap_gemr2d_facts facts;
  dap_plan *plan = NULL;
  DAP_TRY(dap_gemr2d_gather(t->comm, &t->call, &facts, err));
  dap_status status = check_all(t, &facts, err);
  if (!status) status = make_plan(t->comm, &facts, &t->call, &plan, err);
  dap_gemr2d_facts_release(&facts);
  if (status) return status;
  dap_gemr2d_cache_add(t->cache, &t->call, plan);
  return run_plan(t, plan, err);
}

/* Finds the plan of this call; NULL: there is none. The context exists as long as BLACS has the
 * communicator, so the call need not be a user of it. */
static dap_status find_plan(task *t, MPI_Comm comm, uint32_t *earlier, dap_plan **plan, dap_error *err)
{
  dap_context *context;
  DAP_TRY(dap_context_get(comm, DAP_GEMR2D_FUNCTION, &context, err));
  t->comm = dap_context_comm(context);
  t->cache = dap_gemr2d_cache_of(context);
  dap_context_release(&context);
  return dap_gemr2d_cache_find(t->cache, t->comm, &t->call, earlier, plan, err);
}

/* ---- small calls -------------------------------------------------------------------------------------- */

/* Finds the plan as find_plan() does, but without a context while there are no plans. */
static dap_status agree(task *t, MPI_Comm comm, dap_gemr2d_history *history, uint32_t *earlier,
                        dap_plan **plan, dap_error *err)
{
  *plan = NULL;
  if (!history->has_cache) {
    uint64_t alike = *earlier;
    DAP_TRY(dap_agree_bits(comm, DAP_GEMR2D_FUNCTION, DAP_OK, &alike, err));
    *earlier = (uint32_t)alike;
    if (!alike || !dap_gemr2d_history_may_plan(history)) return DAP_OK;
    history->has_cache = true;
  }
  return find_plan(t, comm, earlier, plan, err);
}

/* Runs the plan of a call. It makes one for a call that comes again, if the history says that plans pay. */
static dap_status run_agreed(task *t, MPI_Comm comm, dap_gemr2d_history *history, int64_t bytes,
                             dap_error *err)
{
  dap_plan *plan = NULL;
  uint32_t earlier = dap_gemr2d_history_add(history, &t->call);
  DAP_TRY(agree(t, comm, history, &earlier, &plan, err));
  const bool is_worth_it = earlier && dap_gemr2d_history_may_plan(history);
  dap_gemr2d_history_count(history, bytes, plan, is_worth_it);
  if (plan) return run_plan(t, plan, err);
  if (is_worth_it) return run_new(t, err);
  dap_gemr2d_call_netlib(t->arguments);
  return DAP_OK;
}

/* Reads the arguments only if the call is remembered, as ScaLAPACK reads them itself. */
static dap_status run_small(task *t, MPI_Comm comm, dap_gemr2d_history *history, dap_error *err)
{
  const int64_t bytes = (int64_t)t->arguments->m * t->arguments->n * t->arguments->itemsize;
  const dap_gemr2d_step step = dap_gemr2d_history_step(history, bytes);
  if (step != DAP_GEMR2D_PASS) t->call = dap_gemr2d_read(t->arguments);
  if (step == DAP_GEMR2D_AGREE) return run_agreed(t, comm, history, bytes, err);
  if (step == DAP_GEMR2D_REMEMBER) (void)dap_gemr2d_history_add(history, &t->call);
  dap_gemr2d_call_netlib(t->arguments);
  return DAP_OK;
}

static dap_status run_by_size(task *t, MPI_Comm comm, dap_error *err)
{
  dap_gemr2d_history *history = NULL;
  dap_plan *plan;
  uint32_t earlier = 0;
  if (dap_gemr2d_may_call_netlib(t->arguments)) DAP_TRY(dap_gemr2d_history_of(comm, &history, err));
  if (history) return run_small(t, comm, history, err);
  t->call = dap_gemr2d_read(t->arguments);
  DAP_TRY(find_plan(t, comm, &earlier, &plan, err));
  return plan ? run_plan(t, plan, err) : run_new(t, err);
}

/* Like the reference, this returns at once if M or N is 0. A process without a communicator has nothing to
 * do, unless it is in a matrix's grid: then the context is wrong. */
void dap_gemr2d_move(const dap_gemr2d_arguments *arguments)
{
  if (arguments->m == 0 || arguments->n == 0) return;
  dap_error err = {0};
  task t = {.arguments = arguments, .fault = DAP_GEMR2D_FAILED};
  MPI_Comm comm = dap_mpi_is_running() ? dap_gemr2d_comm(arguments) : MPI_COMM_NULL;
  if (comm == MPI_COMM_NULL) {
    t.call = dap_gemr2d_read(arguments);
    if (t.call.matrices[0].is_here || t.call.matrices[1].is_here)
      dap_gemr2d_report(arguments, 100 * DAP_GEMR2D_ARG_CONTEXT);
  } else if (run_by_size(&t, comm, &err))
    dap_gemr2d_report(arguments, t.fault);
}
