/* Private: hosts are pretended, and transports are forced. */
#include "moves.h"

#include "comm_impl.h"
#include "mpi_test.h"
#include "problem_impl.h"

#define LINE(elements) .ndim = 1, .size = {elements}
static const case_layout even = {LINE(200)}, dealt = {LINE(200), .cut = {CUT_CYCLIC}, .block = {5}},
                         few = {LINE(60)}, copies = {LINE(60), .cut = {CUT_COPIES}},
                         addends = {LINE(60), .cut = {CUT_PARTIAL}},
                         lists = {LINE(60), .cut = {CUT_OVERLAPS}},
                         assembled = {LINE(60), .cut = {CUT_OVERLAPS}, .assembled = true},
                         one = {LINE(60), .axes = ONE_PROCESS},
                         singles = {LINE(60), .cut = {CUT_CYCLIC}, .block = {1}},
                         last = {LINE(60), .cut = {CUT_LAST}},
                         ghosts = {LINE(60), .cut = {CUT_GHOSTS_BEHIND}},
                         padded = {LINE(60), .cut = {CUT_PADDED}, .halo = {2}},
                         box = {.ndim = 2, .size = {24, 10}, .cut = {CUT_PADDED, CUT_RING}, .halo = {1, 2}};

#define BY(...) .options = {.transports = __VA_ARGS__}
#define NUMBERS .types = {DAP_F8, DAP_F8}
enum { TWO_PHASES = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES };

const move_row move_rows[MOVES] = {
    [MOVE_SHARED] = {"shared memory", TASK_MOVE, &even, &dealt, ANYWHERE, .makes = true},
    [MOVE_CHUNKS] = {"messages in chunks", TASK_MOVE, &even, &dealt, ANYWHERE, CHUNKS,
                     .types = {DAP_I4, DAP_F8}, BY(DAP_TRANSPORT_MESSAGES, .message_bytes = 32)},
    [MOVE_DIRECT] = {"arrays of the library's", TASK_MOVE, &even, &dealt, ON_ONE | ON_TWO,
                     .memory = MANY_SHARED},
    [MOVE_GROUPS] = {"two groups", TASK_MOVE, &few, &few, ANYWHERE, .has_groups = true, .makes = true},
    [MOVE_SCATTER] = {"scatter", TASK_SCATTER, &one, &padded, ANYWHERE, .makes = true},
    {"messages in two phases", TASK_MOVE, &even, &dealt, ANYWHERE, PHASES,
     BY(TWO_PHASES, .from_owners = true)},
    {"parts in two phases", TASK_MOVE, &dealt, &even, ANYWHERE, PHASES, .is_part = true, BY(TWO_PHASES)},
    {"lists that nobody has all of", TASK_MOVE, &assembled, &few, ANYWHERE, .makes = true,
     .options = {.from_owners = true}},
    {"halos", TASK_HALO, &box, NULL, ANYWHERE},
    {"direct copies alone", TASK_MOVE, &dealt, &even, ON_ONE, .memory = MANY_SHARED,
     BY(DAP_TRANSPORT_DIRECT, .from_owners = true)},
    {"direct copies alone, of addends", TASK_MOVE, &addends, &few, ON_ONE, NUMBERS, .memory = MANY_SHARED,
     BY(DAP_TRANSPORT_DIRECT)},
    {"all holders' values", TASK_MOVE, &lists, &few, ANYWHERE, NUMBERS,
     .options = {.combine = DAP_COMBINE_SUM}},
    {"sums, by a tree", TASK_MOVE, &addends, &copies, ANYWHERE, NUMBERS, BY(DAP_FORCED_FAN_OUT)},
    {"copies, by a tree", TASK_MOVE, &few, &copies, ANYWHERE, BY(DAP_FORCED_FAN_OUT, .from_owners = true)},
    {"gather", TASK_GATHER, &lists, &one, ANYWHERE},
    {"sums of padding", TASK_REVERSE, &box, NULL, ANYWHERE, NUMBERS, .options = {.combine = DAP_COMBINE_SUM}},
    {"sums of padding, refreshed", TASK_REVERSE, &box, NULL, ANYWHERE, NUMBERS,
     .options = {.combine = DAP_COMBINE_SUM, .padding = DAP_PADDING_REFRESH}},
    {"several arrays, with padding in a second pass", TASK_MOVE, &few, &padded, ANYWHERE,
     .options = {.arrays = 3, .fill_halos = true}},
    {"a source that is NULL", TASK_SCATTER, &one, &few, ON_TWO | APART, .is_refused = true},
};

const move_row small_moves[SMALL_MOVES] = {
    {"all to all", TASK_MOVE, &few, &singles, .nodes = SMALL},
    {"all to all, in more chunks than there are slots", TASK_MOVE, &few, &singles, .nodes = SMALL,
     .options = {.message_bytes = 8}},
    {"one to all", TASK_MOVE, &last, &few, .nodes = SMALL},
    {"one to all, in chunks", TASK_MOVE, &last, &few, .nodes = SMALL, .options = {.message_bytes = 8}},
    {"all to one", TASK_MOVE, &singles, &last, .nodes = SMALL},
    {"elements of all sources take turns in each line", TASK_MOVE, &singles, &few, .nodes = SMALL},
    {"nothing moves", TASK_MOVE, &few, &few, .nodes = SMALL},
    {"one to all, in passes", TASK_MOVE, &last, &copies, .nodes = SMALL, BY(2 * DAP_FORCED_FAN_OUT)},
    {"all to all, in passes", TASK_MOVE, &singles, &copies, .nodes = SMALL,
     BY(2 * DAP_FORCED_FAN_OUT, .message_bytes = 8)},
    {"all to all, then to those with ghosts", TASK_MOVE, &singles, &ghosts, .nodes = SMALL,
     .types = {DAP_I8, DAP_I8}, .options = {.combine = DAP_COMBINE_MAX}},
    {"nothing moves, and only directly", TASK_MOVE, &few, &few, .nodes = SMALL, BY(DAP_TRANSPORT_DIRECT)},
    {"all to all, in two phases", TASK_MOVE, &few, &singles, .nodes = SMALL, .shows = PHASES, BY(TWO_PHASES)},
};

/* ---- communicators ------------------------------------------------------------------------------------ */

void move_comm_make(move *m)
{
  dap_context *context = NULL;
  dap_error err = {0};
  if (m->row->has_groups)
    m->groups = two_groups_make(test_nprocs() / 2, LOW_FIRST);
  else
    PMPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
  if (m->row->has_groups) m->comm = m->groups.inter;
  if (m->hosts > 1) EXPECT(dap_node_pretend(m->comm, test_rank() % m->hosts));
  if (!m->row->makes) EXPECT_OK(dap_context_get(m->comm, NULL, &context, &err), &err);
  if (context) dap_context_release(&context);
}

void move_comm_free(move *m)
{
  if (m->row->has_groups)
    two_groups_free(&m->groups);
  else if (m->comm != MPI_COMM_NULL)
    MPI_Comm_free(&m->comm);
}

/* ---- moves -------------------------------------------------------------------------------------------- */

/* If there are two groups, the first one has the source. The rows use all forms of buffers in turn. */
static void make_side(move *m, int side)
{
  const case_layout *c = side ? m->row->to : m->row->from;
  const bool is_small = m->row->nodes == SMALL;
  const int number = is_small ? 0 : (int)(m->row - move_rows);
  const test_form form =
      is_small || c->axes == ONE_PROCESS ? FORM_C : (test_form)((number + side) % FORM_COUNT);
  const dap_dtype dtype = m->row->types[side];
  random_array *array = &m->task.arrays[side];
  test_random random = test_random_init(1400 + (uint64_t)number);
  case_deal(c, m->row->has_groups ? m->groups.size[side] : test_nprocs(), &random, array);
  m->task.own[side] = side_make(array, c->assembled ? ASSEMBLED : CREATED,
                                m->row->has_groups ? m->groups.members[side] : NULL,
                                dtype == DAP_NONE ? 8 : dap_dtype_size(dtype), form, &random);
}

void move_start(move *m, const move_row *row, int hosts)
{
  task *t = &m->task;
  m->row = row;
  m->hosts = hosts;
  m->lacks_source = false;
  m->plan = NULL;
  if (row->has_groups) m->groups = two_groups_make(test_nprocs() / 2, LOW_FIRST);
  for (int side = 0; side < (row->to ? 2 : 1); side++) make_side(m, side);
  if (row->has_groups) two_groups_free(&m->groups);
  task_of(t, row->kind, &t->own[0], &t->own[row->to ? 1 : 0], row->types[0], row->types[1]);
  t->groups = row->has_groups ? &m->groups : NULL;
  t->options = row->options;
  t->options.allow_empty = true;
  for (int side = 0; side < 2 && row->is_part; side++) {
    t->has_start[side] = t->has_shape[side] = true;
    t->start[side][0] = 7 + 20 * side;
    t->shape[side][0] = 150;
  }
  task_run_make(t, MPI_COMM_WORLD, (const many_memory[]){row->memory, row->memory}, &m->run);
}

void move_end(move *m)
{
  task_run_free(&m->task, &m->run);
  task_free(&m->task);
}

dap_status move_plan(move *m, dap_error *err)
{
  return task_create(&m->task, m->comm, &m->plan, err);
}

dap_status move_run(move *m, int64_t turn, dap_error *err)
{
  task_run_fill(&m->task, turn, &m->run);
  const bool lacks = m->lacks_source && test_rank() == m->task.from->ranks[0];
  void **from = m->run.from.data, **to = m->run.to.data;
  if (!m->task.options.arrays && turn % 2) return dap_plan_run(m->plan, lacks ? NULL : from[0], to[0], err);
  return dap_plan_run_many(m->plan, lacks ? NULL : (const void *const *)from, to, err);
}

void move_run_right(move *m, int64_t turn, const char *when)
{
  dap_error err = {0};
  const dap_status s = m->plan ? move_run(m, turn, &err) : DAP_ERR_ARG;
  if (EXPECT_MSG(!s, "%s: \"%s\"", when, err.text)) task_run_check(&m->task, &m->run);
}

void move_make(move *m, const move_row *row, int hosts, unsigned transports)
{
  dap_error err = {0};
  move_start(m, row, hosts);
  if (!(row->options.transports & DAP_TRANSPORTS)) m->task.options.transports |= transports;
  move_comm_make(m);
  EXPECT_OK(move_plan(m, &err), &err);
}

void move_free(move *m)
{
  dap_plan_destroy(&m->plan);
  move_comm_free(m);
  move_end(m);
}

/* ---- small moves -------------------------------------------------------------------------------------- */

void small_move_start(move *m, int way)
{
  static const char *const names[SMALL_WAYS] = {"memory of the node", "messages", "two hosts"};
  TEST_CASE("%s", names[way]);
  move_make(m, &small_moves[SMALL_SINGLES], way == 2 ? 2 : 1, way == 1 ? DAP_TRANSPORT_MESSAGES : 0);
}

bool small_move_has_one_pass(const move_row *row)
{
  return !row->options.combine && !(row->options.transports & DAP_FORCED);
}

bool small_move_sends(const move *m, int from, int to)
{
  int64_t local[DAP_MAX_NDIM];
  for (brute_walk w = brute_walk_start(&m->task.arrays[1].model, to); !w.done; brute_walk_next(&w))
    if (brute_find(&m->task.arrays[0].model, w.global, local) == from) return from != to;
  return false;
}
