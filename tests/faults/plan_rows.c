/* Private: hosts are pretended, and transports are forced. */
#include "plan_rows.h"

#include "comm_impl.h"
#include "mpi_test.h"
#include "problem_impl.h"

#define MOVE(...)                                                                                            \
  {                                                                                                          \
    .kind = TASK_MOVE, __VA_ARGS__                                                                           \
  }
#define BY(...) .options = {.transports = __VA_ARGS__}
enum { TWO_PHASES = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES };

const plan_row plan_rows[] = {
    {"shared memory", MOVE(.is_all = true), ANYWHERE, .makes = true},
    {"messages in chunks", MOVE(.is_all = true), ANYWHERE, .shows = CHUNKS,
     BY(DAP_TRANSPORT_MESSAGES, .message_bytes = 64)},
    {"messages in two phases", MOVE(.from_owners = true), ANYWHERE, .shows = PHASES, BY(TWO_PHASES)},
    {"parts in two phases", MOVE(0), ANYWHERE, .shows = PHASES, BY(TWO_PHASES)},
    {"lists that nobody has all of", MOVE(.from_owners = true), ANYWHERE, .shows = LISTS, .makes = true},
    {"halos", {.kind = TASK_HALO}, ANYWHERE, .shows = PADDING},
    {"arrays of the library's", MOVE(.is_plain = true), ON_ONE | ON_TWO, .memory = MANY_SHARED},
    {"direct copies alone", MOVE(.from_owners = true), ON_ONE, .memory = MANY_SHARED,
     BY(DAP_TRANSPORT_DIRECT)},
    {"direct copies alone, of addends", MOVE(.is_partial = true), ON_ONE, .shows = ADDENDS,
     .memory = MANY_SHARED, BY(DAP_TRANSPORT_DIRECT)},
    {"all holders' values", MOVE(.combines = true), ANYWHERE, .shows = HOLDERS},
    {"sums, by a tree", MOVE(.is_partial = true), ANYWHERE, .shows = ADDENDS | COPIES,
     BY(DAP_FORCED_FAN_OUT)},
    {"copies, by a tree", MOVE(.from_owners = true), ANYWHERE, .shows = COPIES, BY(DAP_FORCED_FAN_OUT)},
    {"gather", {.kind = TASK_GATHER}, ANYWHERE, .shows = SENT},
    {"scatter", {.kind = TASK_SCATTER}, ANYWHERE, .shows = SENT},
    {"sums of padding", {.kind = TASK_REVERSE}, ANYWHERE, .shows = PADDING},
    {"sums of padding, refreshed", {.kind = TASK_REVERSE}, ANYWHERE, .shows = PADDING | REFRESHED},
    {"two groups", MOVE(0), ANYWHERE, .has_groups = true, .makes = true},
    {"several arrays, with padding in a second pass", MOVE(0), ANYWHERE, .shows = PADDING | FILLED,
     .options = {.arrays = 3}},
    {"a source that is NULL",
     {.kind = TASK_SCATTER},
     ON_TWO | APART,
     .shows = EVERYWHERE,
     .is_refused = true},
};
const int plan_rows_count = sizeof plan_rows / sizeof plan_rows[0];

/* Of the two groups the first has the lower ranks. */
static two_groups make_groups(void)
{
  return two_groups_make((test_nprocs() + 1) / 2, LOW_FIRST);
}

bool plan_is_possible(const plan_row *row, int hosts)
{
  const unsigned here = hosts == 1 ? ON_ONE : hosts < test_nprocs() ? ON_TWO : APART;
  return (row->nodes & here) && (!row->has_groups || test_nprocs() > 1);
}

/* ---- communicators ------------------------------------------------------------------------------------- */

static void make_context(MPI_Comm comm)
{
  dap_context *context = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_context_get(comm, NULL, &context, &err), &err);
  if (context) dap_context_release(&context);
}

plan_comm plan_comm_make(const plan_trial *t)
{
  plan_comm c = {.comm = MPI_COMM_NULL};
  if (t->row->has_groups) {
    c.groups = make_groups();
    c.comm = c.groups.inter;
  } else
    PMPI_Comm_dup(MPI_COMM_WORLD, &c.comm);
  if (t->hosts > 1) EXPECT(dap_node_pretend(c.comm, test_rank() % t->hosts));
  if (!t->row->makes) make_context(c.comm);
  return c;
}

void plan_comm_free(const plan_trial *t, plan_comm *c)
{
  if (t->row->has_groups)
    two_groups_free(&c->groups);
  else
    MPI_Comm_free(&c->comm);
  c->comm = MPI_COMM_NULL;
}

/* ---- drawn ------------------------------------------------------------------------------------------- */

/* How many processes have such positions. */
static int count_with(const test_side *s, brute_part part)
{
  int count = 0;
  for (int p = 0; p < s->array->nprocs; p++) {
    bool has = false;
    for (brute_walk w = brute_walk_start(&s->array->model, p); !w.done; brute_walk_next(&w))
      has = has || w.part == part;
    count += has;
  }
  return count;
}

static bool has_copies(const random_array *array)
{
  for (int k = 0; k < array->ndim; k++)
    if (array->dists[k].kind == DAP_DIST_REPLICATED && array->dists[k].procs > 1) return true;
  return false;
}

static bool knows_all(const test_side *s)
{
  for (int k = 0; k < s->array->ndim; k++)
    for (int c = 0; c < s->array->dists[k].procs; c++)
      if (!dap_layout_knows(s->layout, k, c)) return false;
  return true;
}

static unsigned of_task(const task *t)
{
  return (has_copies(t->to->array) ? COPIES : 0) | (count_with(t->from, BRUTE_COPY) ? HOLDERS : 0) |
         (task_addends(t) > 1 ? ADDENDS : 0) | (count_with(t->to, BRUTE_PADDING) ? PADDING : 0) |
         (t->options.fill_halos ? FILLED : 0) | (knows_all(t->from) ? 0 : LISTS) |
         (t->options.padding == DAP_PADDING_REFRESH ? REFRESHED : 0) |
         (count_with(t->to, BRUTE_OWNED) == test_nprocs() ? EVERYWHERE : 0);
}

static unsigned of_plan(const plan_trial *t)
{
  plan_comm c = plan_comm_make(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(task_create(&t->task, c.comm, &plan, &err), &err);
  const dap_plan_stats s = dap_plan_summarize(plan);
  dap_plan_destroy(&plan);
  plan_comm_free(t, &c);
  return (s.bytes_sent > 0 ? SENT : 0) | (s.rounds > 1 ? CHUNKS : 0) | (s.phases > 1 ? PHASES : 0);
}

static unsigned on_any(unsigned shown)
{
  (void)PMPI_Allreduce(MPI_IN_PLACE, &shown, 1, MPI_UNSIGNED, MPI_BOR, MPI_COMM_WORLD);
  return shown;
}

static void draw(plan_trial *t, test_random *random)
{
  const plan_row *row = t->row;
  task_draw(&t->task, &row->wish, row->has_groups ? &t->groups : NULL, random);
  t->task.options.transports = row->options.transports;
  t->task.options.message_bytes = row->options.message_bytes;
  t->task.options.arrays = row->options.arrays;
}

static bool is_shown(const plan_trial *t, unsigned wanted)
{
  const unsigned by_task = wanted & (SENT - 1), by_plan = wanted - by_task;
  if ((on_any(of_task(&t->task)) & by_task) != by_task) return false;
  return !by_plan || (on_any(of_plan(t)) & by_plan) == by_plan;
}

/* Until it has what its row is there for. One process sends nothing, and two have no third one between. The
 * generator is left where that begins, for the next time. */
static void draw_shown(plan_trial *t, test_random *random)
{
  enum { TRIES = 5000 };
  const unsigned possible = test_nprocs() > 2    ? ~0U
                            : test_nprocs() == 2 ? ~(unsigned)PHASES
                                                 : ALONE,
                 wanted = (t->row->shows | SENT) & possible;
  for (int i = 0;; i++) {
    test_random next = *random;
    draw(t, &next);
    if (is_shown(t, wanted) || !EXPECT_MSG(i < TRIES, "%s: none is drawn", t->row->why)) return;
    task_free(&t->task);
    *random = next;
  }
}

/* ---- buffers ------------------------------------------------------------------------------------------- */

enum { SALT = 11 /* from one array's values to the next one's */ };

static many_sides *targets_of(plan_trial *t)
{
  return t->task.from == t->task.to ? &t->from : &t->to;
}

void plan_trial_start(plan_trial *t, const plan_row *row, int hosts)
{
  static test_random all[sizeof plan_rows / sizeof plan_rows[0]][BRUTE_PROCS + 1];
  test_random *random = &all[row - plan_rows][hosts];
  const int count = row->options.arrays ? (int)row->options.arrays : 1;
  memset(t, 0, sizeof *t);
  t->row = row;
  t->hosts = hosts;
  if (!random->state) *random = test_random_init(1400 + (uint64_t)(row - plan_rows));
  if (row->has_groups) t->groups = make_groups();
  draw_shown(t, random);
  if (row->has_groups) two_groups_free(&t->groups);
  many_make(MPI_COMM_WORLD, t->task.from, count, row->memory, &t->from);
  if (targets_of(t) == &t->to) many_make(MPI_COMM_WORLD, t->task.to, count, row->memory, &t->to);
}

void plan_trial_end(plan_trial *t)
{
  if (targets_of(t) == &t->to) many_free(&t->to);
  many_free(&t->from);
  task_free(&t->task);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

dap_status plan_run(plan_trial *t, dap_plan *plan, dap_error *err)
{
  many_sides *to = targets_of(t);
  t->runs++;
  for (int a = 0; a < to->count; a++) {
    t->task.salt = t->runs + a * SALT;
    task_fill(&t->task, &t->from.sides[a], &to->sides[a]);
  }
  const bool lacks = t->lacks_source && test_rank() == t->task.from->ranks[0];
  return dap_plan_run_many(plan, lacks ? NULL : (const void *const *)t->from.data, to->data, err);
}

bool plan_check(plan_trial *t)
{
  many_sides *to = targets_of(t);
  bool good = true;
  for (int a = 0; a < to->count && good; a++) {
    t->task.salt = t->runs + a * SALT;
    good = task_check(&t->task, &t->from.sides[a], &to->sides[a]);
  }
  return good;
}
