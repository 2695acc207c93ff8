#include "moves.h"

#include "comm_impl.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { SIZE = 17, ROW = 5, ITEM = 8, SHIFT = 3, SALT = 7, HALO_WIDTH = 2 };

static random_array arrays[2];
static random_memory behind[2];
static many_sides many[2];
static task numbers; /* of REVERSE and ADDENDS */
static unsigned char whole[SIZE * ROW * ITEM];

/* ---- sides -------------------------------------------------------------------------------------------- */

static int64_t count_of(const move *r)
{
  return r->options.arrays > 0 ? r->options.arrays : 1;
}

static bool has_many(const move *r)
{
  return r->is_lent || count_of(r) > 1;
}

/* Of the two groups the first has the lower ranks. */
static int first_group(void)
{
  return (test_nprocs() + 1) / 2;
}

static int procs_of(const move *r, bool is_from)
{
  const int n = test_nprocs();
  if (r->kind == GROUPS) return is_from ? first_group() : n - first_group();
  return r->tells && n > 1 ? n - 1 : n;
}

/* Along the first axis. */
static dap_dist dist_of(const move *r, bool is_from, test_random *random)
{
  const int procs = procs_of(r, is_from);
  const dap_dist even = dap_dist_even(SIZE, procs);
  switch (r->form) {
  case EVEN:
    return is_from ? even : dap_dist_cyclic(SIZE, procs, 2);
  case LISTED:
    return random_lists(random, procs, SIZE, &behind[is_from]);
  case COPIED:
    return is_from ? dap_dist_replicated(SIZE, procs > 1 ? procs - 1 : 1)
                   : random_lists(random, procs, SIZE, &behind[is_from]);
  case SPREAD:
    return is_from ? even : dap_dist_replicated(SIZE, procs);
  case SUMMED:
    return is_from ? dap_dist_partial(SIZE, procs) : dap_dist_replicated(SIZE, procs);
  case PADDED:
    return is_from ? even : dap_dist_padded(SIZE, procs, HALO_WIDTH);
  case NEXT:
  case BESIDE:
    break;
  }
  return even;
}

/* Processes of a node; of BESIDE there are as many on each. */
static int node_size(const trial *t)
{
  return test_nprocs() / t->hosts;
}

static void set_dists(const trial *t, bool is_from, test_random *random, dap_dist dists[2])
{
  dists[0] = dist_of(t->row, is_from, random);
  dists[1] = dap_dist_even(ROW, 1);
  if (t->row->form != BESIDE) return;
  dists[0] = dap_dist_even(SIZE, t->hosts);
  dists[1] = is_from ? dap_dist_even(ROW, node_size(t)) : dap_dist_padded(ROW, node_size(t), 1);
}

/* The node of a rank is its remainder. */
static int rank_of(const trial *t, bool is_from, int process)
{
  const int n = test_nprocs(), hosts = t->hosts, next = process + hosts;
  if (t->row->form == BESIDE) return process / node_size(t) + hosts * (process % node_size(t));
  if (t->row->form == NEXT && !is_from) return next < n ? next : process % hosts;
  return t->row->kind == GROUPS && !is_from ? first_group() + process : process;
}

static test_side make_side(const trial *t, bool is_from, test_random *random)
{
  const move *r = t->row;
  const bool is_c = is_from || r->kind == GATHER || r->kind == SCATTER;
  dap_dist dists[2];
  int ranks[BRUTE_PROCS];
  set_dists(t, is_from, random, dists);
  for (int i = 0; i < test_nprocs(); i++) ranks[i] = rank_of(t, is_from, i);
  (void)array_deal(2, dists, NULL, &arrays[is_from]);
  return side_make(&arrays[is_from], r->origin, ranks, ITEM, is_c ? FORM_C : FORM_F, random);
}

bool trial_is_possible(const move *row, int hosts)
{
  const unsigned nodes = row->nodes ? row->nodes : ANYWHERE;
  const unsigned here = hosts == 1 ? ON_ONE : hosts < test_nprocs() ? ON_TWO : APART;
  const bool is_even = row->form != BESIDE || test_nprocs() % hosts == 0;
  return (nodes & here) && is_even && (row->kind != GROUPS || test_nprocs() > 1);
}

trial trial_start(const move *row, int hosts, test_random *random)
{
  trial t = {.row = row, .hosts = hosts, .memory = MPI_COMM_NULL};
  t.from = make_side(&t, true, random);
  t.to = make_side(&t, false, random);
  PMPI_Comm_dup(MPI_COMM_WORLD, &t.memory);
  if (has_many(row)) {
    const many_memory memory = row->is_lent ? MANY_SHARED : MANY_PRIVATE;
    many_make(t.memory, &t.from, (int)count_of(row), memory, &many[0]);
    many_make(t.memory, &t.to, (int)count_of(row), memory, &many[1]);
  }
  return t;
}

void trial_end(trial *t)
{
  for (int k = 0; k < 2 && has_many(t->row); k++) many_free(&many[k]);
  PMPI_Comm_free(&t->memory);
  side_free(&t->from);
  side_free(&t->to);
}

/* ---- communicators ------------------------------------------------------------------------------------ */

static void make_context(MPI_Comm comm)
{
  dap_context *context = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_context_get(comm, NULL, &context, &err), &err);
  if (context) dap_context_release(&context);
}

trial_comm trial_comm_make(const trial *t)
{
  trial_comm c = {.comm = MPI_COMM_NULL};
  if (t->row->kind == GROUPS) {
    c.groups = two_groups_make(first_group(), LOW_FIRST);
    c.comm = c.groups.inter;
  } else
    PMPI_Comm_dup(MPI_COMM_WORLD, &c.comm);
  if (t->hosts > 1) EXPECT(dap_node_pretend(c.comm, test_rank() % t->hosts));
  if (!t->row->makes) make_context(c.comm);
  return c;
}

void trial_comm_free(const trial *t, trial_comm *c)
{
  if (t->row->kind == GROUPS)
    two_groups_free(&c->groups);
  else
    MPI_Comm_free(&c->comm);
  c->comm = MPI_COMM_NULL;
}

/* ---- plans -------------------------------------------------------------------------------------------- */

static bool has_numbers(const move *r)
{
  return r->kind == ADDENDS || r->kind == REVERSE;
}

static dap_side given(const trial *t, const test_side *s)
{
  dap_side side = side_of(s);
  if (t->row->tells && s->process < 0) return (dap_side){0};
  if (has_numbers(t->row)) side.dtype = DAP_F8;
  return side;
}

static dap_status make_between(const two_groups *g, const trial *t, dap_plan **plan, dap_error *err)
{
  test_random own = test_random_init(900 + (uint64_t)test_rank());
  dap_side given[2] = {side_of(&t->from), side_of(&t->to)};
  int ranks[2][BRUTE_PROCS];
  const dap_side *from = side_in_group(g, 0, &t->from, &own, &given[0], ranks[0]);
  const dap_side *to = side_in_group(g, 1, &t->to, &own, &given[1], ranks[1]);
  return dap_plan_create(g->inter, from, to, ITEM, &t->row->options, plan, err);
}

dap_status trial_make(const trial *t, const trial_comm *c, dap_plan **plan, dap_error *err)
{
  const move *r = t->row;
  const int last = test_nprocs() - 1;
  const dap_side a = given(t, &t->from), b = given(t, &t->to);
  const dap_plan_options options = r->options;
  switch (r->kind) {
  case MOVE:
  case ADDENDS:
    break;
  case HALO:
    return dap_plan_create_halo(c->comm, &b, ITEM, &options, plan, err);
  case REVERSE:
    return dap_plan_create_halo_reverse(c->comm, &b, ITEM, &options, plan, err);
  case GATHER:
    return dap_plan_create_gather(c->comm, &a, last, ITEM, &options, plan, err);
  case SCATTER:
    return dap_plan_create_scatter(c->comm, last, &b, ITEM, &options, plan, err);
  case GROUPS:
    return make_between(&c->groups, t, plan, err);
  }
  return dap_plan_create(c->comm, &a, &b, t->from.itemsize, &options, plan, err);
}

/* ---- runs --------------------------------------------------------------------------------------------- */

static const test_side *source_of(const trial *t)
{
  return t->row->is_lent ? &many[0].sides[0] : &t->from;
}

static const test_side *target_of(const trial *t)
{
  return t->row->is_lent ? &many[1].sides[0] : &t->to;
}

static void fill_many(void)
{
  for (int a = 0; a < many[0].count; a++) {
    side_fill(&many[0].sides[a], SHIFT + a, COPIES_WRONG);
    side_poison(&many[1].sides[a]);
  }
}

static void fill_numbers(const trial *t, const test_side *source, const test_side *target)
{
  const bool in_place = t->row->kind == REVERSE;
  task_of(&numbers, in_place ? TASK_REVERSE : TASK_MOVE, in_place ? &t->to : &t->from, &t->to, DAP_F8,
          DAP_F8);
  numbers.options = t->row->options;
  numbers.salt = SALT;
  task_fill(&numbers, in_place ? target : source, target);
}

static void fill(const trial *t)
{
  const test_side *source = source_of(t), *target = target_of(t);
  side_poison(target);
  switch (t->row->kind) {
  case MOVE:
  case GROUPS:
  case GATHER:
    side_fill(source, SHIFT, COPIES_WRONG);
    break;
  case HALO:
    side_fill(target, SHIFT, COPIES_WRONG);
    break;
  case SCATTER:
    break;
  case REVERSE:
  case ADDENDS:
    fill_numbers(t, source, target);
    break;
  }
  memset(whole, TEST_POISON, sizeof whole);
  if (t->row->kind == SCATTER) whole_fill(&arrays[false], ITEM, SHIFT, whole);
  if (count_of(t->row) > 1) fill_many();
}

dap_status trial_run(const trial *t, dap_plan *plan, dap_error *err)
{
  const move_kind kind = t->row->kind;
  const bool is_root = test_rank() == test_nprocs() - 1, in_place = kind == HALO || kind == REVERSE;
  const void *from = t->lacks_source && test_rank() == 0 ? NULL : side_data(source_of(t));
  void *to = side_data(target_of(t));
  fill(t);
  if (count_of(t->row) > 1)
    return dap_plan_run_many(plan, (const void *const *)many[0].data, many[1].data, err);
  if (kind == GATHER) to = is_root ? whole : NULL;
  if (kind == SCATTER) from = is_root ? whole : NULL;
  return dap_plan_run(plan, in_place ? to : from, to, err);
}

static bool check_many(void)
{
  bool right = true;
  for (int a = 0; a < many[1].count && right; a++)
    right = side_check(&many[1].sides[a], SHIFT + a, COPIES_RIGHT, PADDING_POISON);
  return right;
}

bool trial_check(const trial *t)
{
  const test_side *target = target_of(t);
  const bool is_root = test_rank() == test_nprocs() - 1;
  if (count_of(t->row) > 1) return check_many();
  switch (t->row->kind) {
  case MOVE:
  case GROUPS:
  case SCATTER:
    break;
  case HALO:
    return side_check(target, SHIFT, COPIES_RIGHT, PADDING_FILLED);
  case GATHER:
    return !is_root || whole_check(&arrays[true], ITEM, SHIFT, whole);
  case REVERSE:
  case ADDENDS:
    return task_check(&numbers, t->row->kind == REVERSE ? target : source_of(t), target);
  }
  return side_check(target, SHIFT, COPIES_RIGHT, PADDING_POISON);
}
