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

bool move_is_possible(const move_row *row, int hosts)
{
  const unsigned here = hosts == 1 ? ON_ONE : hosts < test_nprocs() ? ON_TWO : APART;
  return (row->nodes & here) && (!row->has_groups || test_nprocs() > 1);
}

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
  else
    MPI_Comm_free(&m->comm);
}

/* ---- moves -------------------------------------------------------------------------------------------- */

enum { SALT = 11 /* from one array's values to the next one's */ };

static many_sides *targets_of(move *m)
{
  return m->row->to ? &m->to : &m->from;
}

/* Of two groups the first one has the source. */
static void make_side(move *m, int side)
{
  const case_layout *c = side ? m->row->to : m->row->from;
  const test_form form = (test_form)((m->row - move_rows + side) % FORM_COUNT);
  const dap_dtype dtype = m->row->types[side];
  const int64_t itemsize = dtype == DAP_NONE ? 8 : dap_dtype_size(dtype);
  test_random random = test_random_init(1400 + (uint64_t)(m->row - move_rows));
  const bool is_root = c->axes == ONE_PROCESS;
  (void)case_deal(c, m->row->has_groups ? m->groups.size[side] : test_nprocs(), &random, &m->arrays[side]);
  m->sides[side] = side_make(&m->arrays[side], c->assembled ? ASSEMBLED : CREATED,
                             m->row->has_groups ? m->groups.members[side] : NULL, itemsize,
                             is_root ? FORM_C : form, &random);
}

void move_start(move *m, const move_row *row, int hosts)
{
  const int count = row->options.arrays ? (int)row->options.arrays : 1;
  memset(m, 0, sizeof *m);
  m->row = row;
  m->hosts = hosts;
  if (row->has_groups) m->groups = two_groups_make(test_nprocs() / 2, LOW_FIRST);
  for (int side = 0; side < (row->to ? 2 : 1); side++) make_side(m, side);
  if (row->has_groups) two_groups_free(&m->groups);
  task_of(&m->task, row->kind, &m->sides[0], &m->sides[row->to ? 1 : 0], row->types[0], row->types[1]);
  m->task.groups = row->has_groups ? &m->groups : NULL;
  m->task.options = row->options;
  m->task.options.allow_empty = true;
  for (int side = 0; side < 2 && row->is_part; side++) {
    m->task.has_start[side] = m->task.has_shape[side] = true;
    m->task.start[side][0] = 7 + 20 * side;
    m->task.shape[side][0] = 150;
  }
  many_make(MPI_COMM_WORLD, m->task.from, count, row->memory, &m->from);
  if (row->to) many_make(MPI_COMM_WORLD, m->task.to, count, row->memory, &m->to);
}

void move_end(move *m)
{
  if (m->row->to) many_free(&m->to);
  many_free(&m->from);
  for (int side = 0; side < (m->row->to ? 2 : 1); side++) side_free(&m->sides[side]);
}

dap_status move_plan(const move *m, dap_plan **plan, dap_error *err)
{
  return task_create(&m->task, m->comm, plan, err);
}

dap_status move_run(move *m, dap_plan *plan, int64_t turn, dap_error *err)
{
  many_sides *to = targets_of(m);
  for (int a = 0; a < to->count; a++) {
    m->task.salt = turn + a * SALT;
    task_fill(&m->task, &m->from.sides[a], &to->sides[a]);
  }
  const bool lacks = m->lacks_source && test_rank() == m->task.from->ranks[0];
  return dap_plan_run_many(plan, lacks ? NULL : (const void *const *)m->from.data, to->data, err);
}

bool move_check(move *m, int64_t turn)
{
  many_sides *to = targets_of(m);
  bool good = true;
  for (int a = 0; a < to->count && good; a++) {
    m->task.salt = turn + a * SALT;
    good = task_check(&m->task, &m->from.sides[a], &to->sides[a]);
  }
  return good;
}
