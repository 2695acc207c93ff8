/* A tensor of two axes on a mesh of processes, each of whose dimensions replicates it, has an addend of it,
 * or cuts one of its axes: the placements of machine learning. Every pair of them, every element, and no byte
 * more than the closed formula has; in both orders of storage, by all transports, as trees, on several
 * pretended nodes. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "placements.h"
#include "problem_impl.h"
#include "tensors.h"

enum { RUNS = 4 };

static double sources[TENSOR_ELEMENTS], destinations[TENSOR_ELEMENTS];

/* ---- one pair ------------------------------------------------------------------------------------------ */

/* Bytes sent and received, as a plan says and as its preview does; and what they should be in all. They are
 * added up for many plans at once, as each sum is a wait. */
enum { PLANNED, PREVIEWED, SAYS };
typedef struct said {
  int64_t bytes[2 * SAYS];
  int64_t formula;
  char name[240];
} said;

static said all_said[9 * RUNS]; /* since the last time */
static int said_count;

static void say(const tensor *from, const tensor *to, const dap_plan *plan, const dap_plan_options *o,
                const char *name)
{
  const dap_side a = tensor_side(from), b = tensor_side(to);
  dap_plan_stats stats[SAYS] = {dap_plan_summarize(plan)};
  dap_error err = {0};
  said *x = &all_said[said_count++];
  *x = (said){.formula = tensor_formula(from, to)};
  (void)snprintf(x->name, sizeof x->name, "%s", name);
  if (o && o->transports && !(o->transports & DAP_TRANSPORT_MESSAGES))
    stats[PREVIEWED] = stats[PLANNED]; /* it has every process on its own node */
  else
    EXPECT_OK(dap_plan_preview(test_nprocs(), test_rank(), &a, &b, 0, o, &stats[PREVIEWED], &err), &err);
  for (int i = 0; i < SAYS; i++) {
    x->bytes[2 * i] = stats[i].bytes_sent;
    x->bytes[2 * i + 1] = stats[i].bytes_received;
  }
}

/* What all processes say together is what the formula does. */
static void settle_bytes(void)
{
  int64_t sums[9 * RUNS * 2 * SAYS];
  for (int i = 0; i < said_count; i++)
    for (int j = 0; j < 2 * SAYS; j++) sums[i * 2 * SAYS + j] = all_said[i].bytes[j];
  MPI_Allreduce(MPI_IN_PLACE, sums, said_count * 2 * SAYS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < said_count; i++) {
    const int64_t *sum = sums + i * 2 * SAYS;
    TEST_CASE("%s: bytes sent and received, by the plan, and by its preview", all_said[i].name);
    for (int j = 0; j < 2 * SAYS; j++) EXPECT_INT(sum[j], all_said[i].formula);
  }
  said_count = 0;
  SETTLE();
}

static void move(MPI_Comm comm, const tensor *from, const tensor *to, const dap_plan_options *o, int runs,
                 const char *name)
{
  const dap_side a = tensor_side(from), b = tensor_side(to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("%s", name);
  const bool is_made = EXPECT_OK(dap_plan_create(comm, &a, &b, 0, o, &plan, &err), &err);
  say(from, to, plan, o, name);
  for (int shift = 0; shift < runs && is_made; shift++) {
    tensor_fill(from, shift, sources);
    tensor_spoil(destinations);
    if (EXPECT_OK(dap_plan_run(plan, sources, destinations, &err), &err))
      tensor_check(to, tensor_addends(from), shift, 0, destinations);
  }
  dap_plan_destroy(&plan);
}

static const unsigned ways[] = {0, DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES, DAP_TRANSPORT_MESSAGES};

/* First without options, as most programs do; then with a tree of each width. One of them is run twice. */
static void try_pair(int number)
{
  const tensor_mesh *mesh = tensor_world();
  const tensor_pair p = tensor_pair_of(number);
  for (int i = 0; i < RUNS; i++) {
    const unsigned fan_out = i ? (unsigned)i - 1 : 0;
    const dap_plan_options o = {.transports =
                                    (i ? ways[(number / 3 + i) % 3] : 0) | DAP_FORCED_FAN_OUT * fan_out,
                                .message_bytes = i && (number / 2 + i) % 5 == 0 ? 24 : 0};
    const int orders[2] = {(number + i) % 2, number / 2 % 2}, where = (number + 2 * i) % PLACEMENTS;
    char name[sizeof all_said->name];
    tensor a = tensor_make(mesh, p.from, orders[0]), b = tensor_make(mesh, p.to, orders[1]);
    (void)snprintf(name, sizeof name, "%s on %d x %d, orders %d %d, %s: transports %#x, %s", p.name,
                   mesh->extents[0], mesh->extents[1], orders[0], orders[1], i ? "options" : "NULL",
                   o.transports, placements[where].why);
    move(placed_comms[where], &a, &b, i ? &o : NULL, 1 + (i == number % RUNS), name);
    tensor_free(&a);
    tensor_free(&b);
  }
}

static void all_pairs(void **state)
{
  (void)state;
  for (int number = 0; number < TENSOR_PAIRS; number++) {
    try_pair(number);
    if (number % 9 == 8) settle_bytes();
  }
}

/* ---- the nearest --------------------------------------------------------------------------------------- */

/* Every row of the mesh is a node, and each has all of the source: nothing leaves a node. Without messages a
 * plan that would is refused. */
static void nothing_leaves_a_node(void **state)
{
  (void)state;
  const tensor_mesh *mesh = tensor_world();
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, test_rank() / mesh->extents[1]));
  const int columns = mesh->extents[1];
  bool is_so = true; /* no row is on several nodes that are not pretended */
  for (int r = 0; r < test_nprocs(); r++) is_so = is_so && test_node(r) == test_node(r - r % columns);
  const dap_plan_options o = {.transports = DAP_TRANSPORT_STAGED};
  for (int number = 9; number < 27 && is_so; number++) { /* from [R, S0] and [R, S1] */
    const tensor_pair p = tensor_pair_of(number);
    tensor a = tensor_make(mesh, p.from, false), b = tensor_make(mesh, p.to, true);
    move(comm, &a, &b, &o, 2, p.name);
    tensor_free(&a);
    tensor_free(&b);
  }
  settle_bytes();
  const place from[2] = {S0, R}, to[2] = {R, S0};
  tensor a = tensor_make(mesh, from, false), b = tensor_make(mesh, to, false);
  const dap_side x = tensor_side(&a), y = tensor_side(&b);
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("and what has to is refused");
  const dap_status s = dap_plan_create(comm, &x, &y, 0, &o, &plan, &err);
  if (mesh->extents[0] > 1)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "share no memory");
  else
    EXPECT_OK(s, &err);
  dap_plan_destroy(&plan);
  tensor_free(&a);
  tensor_free(&b);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* Which processes share a node is gathered once, by the first plan that chooses from copies: what is in
 * place, as halo updates and later passes are, reads owners, or who has been told of. */
static void nodes_are_asked_for_where_copies_are_chosen(void **state)
{
  (void)state;
  const tensor_mesh *mesh = tensor_world();
  static const place kinds[][2] = {{R, R}, {S0, S1}, {R, S0}};
  const dap_plan_options tree = {.transports = DAP_FORCED_FAN_OUT};
  tensor tensors[3];
  dap_side sides[3];
  dap_context *context = NULL;
  dap_plan *plans[3] = {NULL};
  dap_error err = {0};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 3; i++) tensors[i] = tensor_make(mesh, kinds[i], false);
  for (int i = 0; i < 3; i++) sides[i] = tensor_side(&tensors[i]);
  TEST_CASE("copies that get their owners' elements, and what others hand on");
  EXPECT_OK(dap_plan_create_halo(comm, &sides[0], 0, NULL, &plans[0], &err), &err);
  EXPECT_OK(dap_plan_create(comm, &sides[1], &sides[0], 0, &tree, &plans[1], &err), &err);
  context = dap_context_find(comm);
  EXPECT(context && !context->hosts);
  TEST_CASE("copies to be read");
  EXPECT_OK(dap_plan_create(comm, &sides[2], &sides[0], 0, NULL, &plans[2], &err), &err);
  EXPECT(context && (context->hosts || mesh->extents[0] == 1));
  for (int i = 0; i < 3; i++) dap_plan_destroy(&plans[i]);
  for (int i = 0; i < 3; i++) tensor_free(&tensors[i]);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- with options -------------------------------------------------------------------------------------- */

/* alpha counts for each addend, beta once: copies get what comes of it at one of them. */
static void addends_and_beta(void **state)
{
  (void)state;
  const tensor_mesh *mesh = tensor_world();
  static const double alpha[] = {2, 0}, beta[] = {3, 0};
  static const place targets[][2] = {{R, R}, {R, S0}, {S1, R}, {S0, S1}};
  for (int i = 0; i < 4; i++) {
    const place from[2] = {P, i % 2 ? P : S0};
    tensor a = tensor_make(mesh, from, false), b = tensor_make(mesh, targets[i], true);
    const dap_side x = tensor_side(&a), y = tensor_side(&b);
    const dap_plan_options o = {.alpha = alpha, .beta = beta};
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("[P, %s] -> [%s, %s]", place_names[from[1]], place_names[targets[i][0]],
              place_names[targets[i][1]]);
    tensor_fill(&a, 0, sources);
    for (int n = 0; n < TENSOR_ELEMENTS; n++) sources[n] /= 2;
    for (int n = 0; n < TENSOR_ELEMENTS; n++) destinations[n] = 5;
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &x, &y, 0, &o, &plan, &err), &err) &&
        EXPECT_OK(dap_plan_run(plan, sources, destinations, &err), &err))
      tensor_check(&b, tensor_addends(&a), 0, 15, destinations);
    dap_plan_destroy(&plan);
    tensor_free(&a);
    tensor_free(&b);
  }
  SETTLE();
}

/* ---- refused ------------------------------------------------------------------------------------------- */

static void addends_are_only_read(void **state)
{
  (void)state;
  const tensor_mesh *mesh = tensor_world();
  const place sums[2] = {P, S0}, whole[2] = {R, R};
  tensor a = tensor_make(mesh, sums, false), b = tensor_make(mesh, whole, false);
  dap_side x = tensor_side(&a), y = tensor_side(&b);
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("as a destination");
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &y, &x, 0, NULL, &plan, &err), &err,
                    DAP_ERR_ARG, "to: axis 2|partial");
  x.part = (dap_part){0};
  expect_same_error(MPI_COMM_WORLD, dap_plan_create_halo(MPI_COMM_WORLD, &x, 0, NULL, &plan, &err), &err,
                    DAP_ERR_ARG, "partial");
  expect_same_error(MPI_COMM_WORLD, dap_plan_create_halo_reverse(MPI_COMM_WORLD, &x, 0, NULL, &plan, &err),
                    &err, DAP_ERR_ARG, "partial");
  TEST_CASE("without a dtype");
  x = tensor_side(&a);
  x.dtype = y.dtype = DAP_NONE;
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &x, &y, 8, NULL, &plan, &err), &err,
                    DAP_ERR_ARG, "partial|dtypes");
  tensor_free(&a);
  tensor_free(&b);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),       cmocka_unit_test(all_pairs),
    cmocka_unit_test(nothing_leaves_a_node), cmocka_unit_test(nodes_are_asked_for_where_copies_are_chosen),
    cmocka_unit_test(addends_and_beta),      cmocka_unit_test(addends_are_only_read),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
