/* Moves a tensor with two axes on a mesh of processes. Each dimension of the mesh replicates the tensor,
 * has an addend of it, or cuts one of its axes, as in machine learning. Every pair of placements is tested:
 * every element, and no byte more than the formula allows.
 *
 * Private: the context tells whether nodes have been asked for. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "placements.h"
#include "problem_impl.h"
#include "task.h"

enum { ROWS = 7, COLUMNS = 5, PAIRS = 16 * 9 /* only a source can have addends */, WAYS = 4 };

typedef enum place { R, S0, S1, P } place;
static const char *const place_names[] = {"R", "S0", "S1", "P"};

/* Process i * extents[1] + j is at (i, j). */
typedef struct mesh {
  int extents[2];
  const int *ranks; /* ranks of the processes; NULL: process i is rank i */
} mesh;

/* There are two rows if the number of processes is even. */
static mesh mesh_of(int count)
{
  return (mesh){.extents = {count % 2 == 0 ? 2 : 1, count % 2 == 0 ? count / 2 : count}};
}

/* ---- tensors ------------------------------------------------------------------------------------------- */

static task t;
static random_array arrays[3];

/* The array has the axes of the tensor, and an axis of length 1 for each dimension of the mesh that does not
 * cut the tensor. */
static test_side make(mesh m, const place placed[2], test_form form, random_array *array)
{
  static const int64_t size[2] = {ROWS, COLUMNS};
  int procs[2] = {1, 1}, ndim = 2, order[BRUTE_PROCS];
  dap_dist dists[4];
  test_random random = test_random_init(1);
  for (int d = 0; d < 2; d++) {
    if (placed[d] == R) dists[ndim++] = dap_dist_replicated(1, m.extents[d]);
    if (placed[d] == P) dists[ndim++] = dap_dist_partial(1, m.extents[d]);
    if (placed[d] == S0 || placed[d] == S1) procs[placed[d] - S0] *= m.extents[d];
  }
  for (int k = 0; k < 2; k++) dists[k] = dap_dist_even(size[k], procs[k]);
  for (int process = 0; process < m.extents[0] * m.extents[1]; process++) {
    const int at[2] = {process / m.extents[1], process % m.extents[1]};
    int coord[4] = {0}, extra = 2, index = 0;
    for (int d = 0; d < 2; d++)
      if (placed[d] == R || placed[d] == P)
        coord[extra++] = at[d];
      else
        coord[placed[d] - S0] = coord[placed[d] - S0] * m.extents[d] + at[d];
    for (int k = 0; k < ndim; k++) index = index * dists[k].procs + coord[k];
    order[index] = process;
  }
  (void)array_deal(ndim, dists, order, array);
  return side_make(array, CREATED, m.ranks, 8, form, &random);
}

/* Moves all of the tensor, without the axes of length 1. */
static void set_task(const test_side *from, const test_side *to)
{
  task_of(&t, TASK_MOVE, from, to, DAP_F8, DAP_F8);
  t.naxes = 2;
  for (int side = 0; side < 2; side++) t.has_axes[side] = true;
}

static void free_sides(test_side *from, test_side *to)
{
  side_free(from);
  side_free(to);
}

/* ---- all pairs ----------------------------------------------------------------------------------------- */

typedef struct pair {
  place from[2], to[2];
} pair;

static pair pair_of(int number)
{
  const int from = number / 9, to = number % 9;
  return (pair){{(place)(from / 4), (place)(from % 4)}, {(place)(to / 3), (place)(to % 3)}};
}

static void name_pair(const pair *p, const char *what)
{
  TEST_CASE("[%s, %s] -> [%s, %s], %s", place_names[p->from[0]], place_names[p->from[1]],
            place_names[p->to[0]], place_names[p->to[1]], what);
}

/* The previews of all processes must give the same numbers as a plan. */
static void check_previews(void)
{
  const dap_side a = task_side(&t, 0), b = task_side(&t, 1);
  dap_plan *plan = NULL;
  dap_plan_stats guess = {0};
  dap_error err = {0};
  EXPECT_OK(dap_plan_preview(test_nprocs(), test_rank(), &a, &b, 0, NULL, &guess, &err), &err);
  EXPECT_OK(task_create(&t, MPI_COMM_WORLD, &plan, &err), &err);
  int64_t sums[] = {guess.bytes_sent, guess.bytes_received, dap_plan_summarize(plan).bytes_sent};
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(sums[0], sums[2]);
  EXPECT_INT(sums[1], sums[2]);
  dap_plan_destroy(&plan);
}

static bool has_addends(const pair *p)
{
  return p->from[0] == P || p->from[1] == P;
}

/* Plans have no options, or trees of each width, or trees from owners. */
static void all_pairs(void **state)
{
  (void)state;
  const mesh m = mesh_of(test_nprocs());
  for (int number = 0; number < PAIRS; number++) {
    const pair p = pair_of(number);
    test_side from = make(m, p.from, number % 2 ? FORM_F : FORM_C, &arrays[0]),
              to = make(m, p.to, number / 2 % 2 ? FORM_F : FORM_C, &arrays[1]);
    set_task(&from, &to);
    name_pair(&p, "previews");
    check_previews();
    for (int i = 0; i < WAYS - has_addends(&p); i++) {
      const bool from_owners = i == WAYS - 1;
      const int fan_out = from_owners ? 1 + number / 9 % 3 : i;
      const int where = (number + 2 * i) % PLACEMENTS;
      t.options = (dap_plan_options){.transports = task_way(where, number / 3 + i) |
                                                   DAP_FORCED_FAN_OUT * (unsigned)fan_out,
                                     .from_owners = from_owners,
                                     .arrays = i ? 1 + (number + i) % 3 : 0,
                                     .message_bytes = (number / 2 + i) % 5 == 0 ? 24 : 0};
      name_pair(&p, task_text(&t));
      task_move(&t, placed_comms[where], 1 + i % 2);
    }
    free_sides(&from, &to);
    SETTLE();
  }
}

/* ---- between two groups -------------------------------------------------------------------------------- */

/* Makes one plan and runs it once. Group `sender` has the source. */
static void move_between(const two_groups *g, int where, int number)
{
  static task_run run;
  const pair p = pair_of(number % PAIRS);
  const int sender = (number + number / PAIRS) % 2, fan_out = (number / 3 + number / PAIRS) % 4;
  const many_memory memory[2] = {MANY_SHARED, (many_memory)(number / 2 % MANY_KINDS)};
  mesh meshes[2];
  for (int side = 0; side < 2; side++) {
    const int holder = side ? 1 - sender : sender, size = g->size[holder];
    meshes[side] = (mesh){{number < PAIRS ? size : 1, number < PAIRS ? 1 : size}, g->members[holder]};
  }
  test_side from = make(meshes[0], p.from, FORM_C, &arrays[0]),
            to = make(meshes[1], p.to, FORM_F, &arrays[1]);
  dap_plan *plan = NULL;
  dap_error err = {0};
  set_task(&from, &to);
  t.groups = g;
  t.sender = sender;
  t.options.transports = DAP_FORCED_FAN_OUT * (unsigned)fan_out | task_way(where, 0);
  name_pair(&p, "between two groups");
  if (EXPECT_OK(task_create(&t, g->inter, &plan, &err), &err)) {
    task_check_plan(&t, plan);
    task_begin(&t, plan, MPI_COMM_WORLD, memory, &run);
    task_end(&t, plan, &run);
  }
  dap_plan_destroy(&plan);
  free_sides(&from, &to);
  SETTLE();
}

/* Each pair is moved in one direction, once along each axis of the meshes. */
static void all_pairs_of_groups(void **state)
{
  (void)state;
  for (int order = 0; order < GROUP_ORDERS && test_nprocs() > 1; order++) {
    two_groups g = two_groups_make(1 + order % (test_nprocs() - 1), (group_order)order);
    EXPECT(dap_node_pretend(g.inter, placed_host(order, test_rank())));
    for (int number = 0; number < 2 * PAIRS; number++)
      if ((number + number / 9) % GROUP_ORDERS == order) move_between(&g, order, number);
    two_groups_free(&g);
  }
}

/* ---- the nearest --------------------------------------------------------------------------------------- */

/* Each row of the mesh is a node, and each node has all of the source. So nothing may leave a node. Without
 * messages, a plan that needs another node is refused. */
static void nothing_leaves_a_node(void **state)
{
  (void)state;
  const mesh m = mesh_of(test_nprocs());
  const int columns = m.extents[1];
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, test_rank() / columns));
  bool is_so = true; /* whether each row of the mesh is on one real node */
  for (int r = 0; r < test_nprocs(); r++) is_so = is_so && test_node(r) == test_node(r - r % columns);
  for (int number = 9; number < 28 && is_so; number++) { /* from [R, S0] and [R, S1]; then from [S0, R] */
    static const pair crossing = {{S0, R}, {R, S0}};
    const pair p = number < 27 ? pair_of(number) : crossing;
    test_side from = make(m, p.from, FORM_C, &arrays[0]), to = make(m, p.to, FORM_F, &arrays[1]);
    dap_plan *plan = NULL;
    dap_error err = {0};
    set_task(&from, &to);
    t.options.transports = DAP_TRANSPORT_STAGED;
    name_pair(&p, "slots");
    if (number < 27 || m.extents[0] == 1)
      task_move(&t, comm, 2);
    else
      expect_same_error(MPI_COMM_WORLD, task_create(&t, comm, &plan, &err), &err, DAP_ERR_UNSUPPORTED,
                        "share no memory");
    free_sides(&from, &to);
    SETTLE();
  }
  MPI_Comm_free(&comm);
}

/* The first plan that chooses from copies gathers once which processes share a node. Plans in place, such
 * as halo updates, and later passes do not choose: they read owners, or processes that they have been told
 * of. */
static void nodes_are_asked_for_where_copies_are_chosen(void **state)
{
  (void)state;
  static const place placed[3][2] = {{R, R}, {S0, S1}, {R, S0}};
  const mesh m = mesh_of(test_nprocs());
  test_side sides[3];
  dap_plan *plans[3] = {NULL};
  dap_error err = {0};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 3; i++) sides[i] = make(m, placed[i], FORM_C, &arrays[i]);
  TEST_CASE("copies that get their owners' elements, and what others hand on");
  task_of(&t, TASK_HALO, &sides[0], &sides[0], DAP_F8, DAP_F8);
  EXPECT_OK(task_create(&t, comm, &plans[0], &err), &err);
  set_task(&sides[1], &sides[0]);
  t.options.transports = DAP_FORCED_FAN_OUT;
  EXPECT_OK(task_create(&t, comm, &plans[1], &err), &err);
  const dap_context *context = dap_context_find(comm);
  EXPECT(context && !context->hosts);
  TEST_CASE("copies to be read");
  set_task(&sides[2], &sides[0]);
  EXPECT_OK(task_create(&t, comm, &plans[2], &err), &err);
  EXPECT(context && (context->hosts || m.extents[0] == 1));
  for (int i = 0; i < 3; i++) dap_plan_destroy(&plans[i]);
  for (int i = 0; i < 3; i++) side_free(&sides[i]);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- little memory ------------------------------------------------------------------------------------- */

/* Returns whether a plan can be made in so little memory. Then it must be right; otherwise all processes must
 * refuse it. */
static bool fits(int64_t memory_bytes, unsigned fan_out)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  t.options = (dap_plan_options){.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_FAN_OUT * fan_out,
                                 .memory_bytes = memory_bytes};
  const dap_status s = task_create(&t, MPI_COMM_WORLD, &plan, &err);
  dap_plan_destroy(&plan);
  if (s)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "memory_bytes|too little|passes");
  else
    task_move(&t, MPI_COMM_WORLD, 1);
  return !s;
}

/* The addends are on two processes. In the first pass, each adds up a half, with a message in each direction.
 * In the second pass, which takes more memory, it hands its half to all others. */
static void memory_of_a_later_pass(void **state)
{
  (void)state;
  enum { LINE = 64, FIRST = 2 * 2 * LINE /* two passes, each with slots for two messages */ };
  static const place addends[2] = {R, P}, whole[2] = {R, R};
  const int n = test_nprocs();
  const mesh two = {.extents = {1, 2}};
  if (n == 1) return;
  test_side from = make(two, addends, FORM_C, &arrays[0]), near = make(two, whole, FORM_C, &arrays[1]),
            all = make(mesh_of(n), whole, FORM_C, &arrays[2]);
  set_task(&from, &near);
  for (unsigned fan_out = 0; fan_out < 2; fan_out++) {
    TEST_CASE("fan_out %u: among two", fan_out);
    EXPECT(!fits(FIRST - 1, fan_out));
    EXPECT(fits(FIRST, fan_out));
    SETTLE();
  }
  TEST_CASE("and to all");
  set_task(&from, &all);
  const int64_t later =
      (int64_t)2 * n * LINE; /* a process with a half sends it to all others, and receives the other half */
  EXPECT(!fits(later - 1, 0));
  EXPECT(fits(later, 0));
  for (int64_t bytes = 1; bytes < 1 << 16; bytes *= 2) (void)fits(bytes, 1);
  EXPECT(fits(1 << 16, 1));
  side_free(&all);
  free_sides(&from, &near);
  SETTLE();
}

/* ---- refused ------------------------------------------------------------------------------------------- */

/* Destinations that others read in a later pass must be shared, and so must sources that their receivers add
 * up. */
static void direct_copies_that_cannot_be(void **state)
{
  (void)state;
  static const place cut[2] = {S0, S0}, addends[2] = {P, P}, whole[2] = {R, R};
  static many_sides sources, destinations;
  const mesh m = mesh_of(test_nprocs());
  for (int i = 0; i < 2 && test_nodes() == 1; i++) {
    test_side from = make(m, i ? addends : cut, FORM_C, &arrays[0]), to = make(m, whole, FORM_C, &arrays[1]);
    const bool is_refused = test_nprocs() > (i ? 1 : 2); /* with two processes, the first pass reaches both */
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%s", i ? "addends" : "blocks");
    set_task(&from, &to);
    t.options.transports = DAP_TRANSPORT_DIRECT | DAP_FORCED_FAN_OUT;
    many_make(MPI_COMM_WORLD, &from, 1, i ? MANY_PRIVATE : MANY_SHARED, &sources);
    many_make(MPI_COMM_WORLD, &to, 1, i ? MANY_SHARED : MANY_PRIVATE, &destinations);
    EXPECT_OK(task_create(&t, MPI_COMM_WORLD, &plan, &err), &err);
    task_fill(&t, &sources.sides[0], &destinations.sides[0]);
    const dap_status s = dap_plan_run(plan, sources.data[0], destinations.data[0], &err);
    if (is_refused)
      EXPECT_FAIL(s, DAP_ERR_ARG, &err, "only direct|dap_array_alloc()");
    else if (EXPECT_OK(s, &err))
      task_check(&t, &sources.sides[0], &destinations.sides[0]);
    dap_plan_destroy(&plan);
    many_free(&sources);
    many_free(&destinations);
    free_sides(&from, &to);
    SETTLE();
  }
}

static void addends_are_only_read(void **state)
{
  (void)state;
  static const place sums[2] = {P, S0}, whole[2] = {R, R};
  const mesh m = mesh_of(test_nprocs());
  test_side from = make(m, sums, FORM_C, &arrays[0]), to = make(m, whole, FORM_C, &arrays[1]);
  dap_plan *plan = NULL;
  dap_error err = {0};
  set_task(&to, &from);
  expect_same_error(MPI_COMM_WORLD, task_create(&t, MPI_COMM_WORLD, &plan, &err), &err, DAP_ERR_ARG,
                    "to: axis 2|partial");
  for (int kind = TASK_HALO; kind <= TASK_REVERSE; kind++) {
    task_of(&t, (task_kind)kind, &from, &from, DAP_F8, DAP_F8);
    expect_same_error(MPI_COMM_WORLD, task_create(&t, MPI_COMM_WORLD, &plan, &err), &err, DAP_ERR_ARG,
                      "partial");
  }
  set_task(&from, &to);
  t.types[0] = t.types[1] = DAP_NONE;
  expect_same_error(MPI_COMM_WORLD, task_create(&t, MPI_COMM_WORLD, &plan, &err), &err, DAP_ERR_ARG,
                    "partial|dtypes");
  free_sides(&from, &to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),
    cmocka_unit_test(all_pairs),
    cmocka_unit_test(all_pairs_of_groups),
    cmocka_unit_test(nothing_leaves_a_node),
    cmocka_unit_test(nodes_are_asked_for_where_copies_are_chosen),
    cmocka_unit_test(memory_of_a_later_pass),
    cmocka_unit_test(direct_copies_that_cannot_be),
    cmocka_unit_test(addends_are_only_read),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
