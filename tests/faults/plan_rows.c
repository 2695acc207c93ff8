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
    {"messages in chunks", MOVE(.is_all = true), ANYWHERE, BY(DAP_TRANSPORT_MESSAGES, .message_bytes = 64)},
    {"messages in two phases", MOVE(.from_owners = true), ANYWHERE, BY(TWO_PHASES)},
    {"parts in two phases", MOVE(0), ANYWHERE, BY(TWO_PHASES)},
    {"any sides", MOVE(.from_owners = true), ANYWHERE, .makes = true},
    {"halos", {.kind = TASK_HALO}, ANYWHERE, .has_groups = false},
    {"arrays of the library's", MOVE(.is_plain = true), ON_ONE | ON_TWO, .memory = MANY_SHARED},
    {"direct copies alone", MOVE(.from_owners = true), ON_ONE, .memory = MANY_SHARED,
     BY(DAP_TRANSPORT_DIRECT)},
    {"direct copies alone, of addends", MOVE(.is_partial = true), ON_ONE, .memory = MANY_SHARED,
     BY(DAP_TRANSPORT_DIRECT)},
    {"all holders' values", MOVE(.combines = true), ANYWHERE, .has_groups = false},
    {"sums, by a tree", MOVE(.is_partial = true), ANYWHERE, BY(DAP_FORCED_FAN_OUT)},
    {"copies, by a tree", MOVE(.from_owners = true), ANYWHERE, BY(DAP_FORCED_FAN_OUT)},
    {"gather", {.kind = TASK_GATHER}, ANYWHERE, .has_groups = false},
    {"scatter", {.kind = TASK_SCATTER}, ANYWHERE, .has_groups = false},
    {"sums of padding", {.kind = TASK_REVERSE}, ANYWHERE, .has_groups = false},
    {"other sums of padding", {.kind = TASK_REVERSE}, ANYWHERE, .has_groups = false},
    {"two groups", MOVE(0), ANYWHERE, .has_groups = true, .makes = true},
    {"several arrays", MOVE(0), ANYWHERE, .options = {.arrays = 3}},
    {"a source that is NULL", {.kind = TASK_SCATTER}, ON_TWO | APART, .is_refused = true},
};
const int plan_rows_count = sizeof plan_rows / sizeof plan_rows[0];

/* ---- buffers ------------------------------------------------------------------------------------------- */

enum { SALT = 11 /* from one array's values to the next one's */ };

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

static many_sides *targets_of(plan_trial *t)
{
  return t->task.from == t->task.to ? &t->from : &t->to;
}

void plan_trial_start(plan_trial *t, const plan_row *row, int hosts)
{
  test_random random = test_random_init(1400 + (uint64_t)(row - plan_rows));
  const int count = row->options.arrays ? (int)row->options.arrays : 1;
  memset(t, 0, sizeof *t);
  t->row = row;
  t->hosts = hosts;
  if (row->has_groups) t->groups = make_groups();
  task_draw(&t->task, &row->wish, row->has_groups ? &t->groups : NULL, &random);
  if (row->has_groups) two_groups_free(&t->groups);
  t->task.options.transports = row->options.transports;
  t->task.options.message_bytes = row->options.message_bytes;
  t->task.options.arrays = row->options.arrays;
  many_make(MPI_COMM_WORLD, t->task.from, count, row->memory, &t->from);
  if (targets_of(t) == &t->to) many_make(MPI_COMM_WORLD, t->task.to, count, row->memory, &t->to);
}

void plan_trial_end(plan_trial *t)
{
  if (targets_of(t) == &t->to) many_free(&t->to);
  many_free(&t->from);
  task_free(&t->task);
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
