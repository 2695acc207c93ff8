/* A tensor of two axes on a mesh of processes, each of whose dimensions replicates it, has a term of it, or
 * cuts one of its axes: the placements of machine learning. Every pair of them, every element, and no byte
 * more than the closed formula has; in both orders of storage, by all transports, as trees, on several
 * pretended nodes. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "placements.h"

#include <inttypes.h>

enum { ROWS = 7, COLUMNS = 5, MOST_PROCS = 6, RUNS = 4 };

typedef enum place { R, S0, S1, P } place;
static const char *const names[] = {"R", "S0", "S1", "P"};

static int mesh[2]; /* extents; rank i * mesh[1] + j is at (i, j) */
static MPI_Comm comms[PLACEMENTS];
static int hosts[PLACEMENTS][MOST_PROCS];

/* What a process has: [low, low + count) along both axes, a term and a copy of it. */
typedef struct piece {
  int64_t low[2], count[2];
  int term, copy;
} piece;

/* ---- by brute force ----------------------------------------------------------------------------------- */

static piece piece_of(const place placed[2], int rank)
{
  const int at[2] = {rank / mesh[1], rank % mesh[1]}, size[2] = {ROWS, COLUMNS};
  int coord[2] = {0, 0}, procs[2] = {1, 1};
  piece p = {.term = 0};
  for (int d = 0; d < 2; d++) {
    if (placed[d] == P) p.term = p.term * mesh[d] + at[d];
    if (placed[d] == R) p.copy = p.copy * mesh[d] + at[d];
    if (placed[d] != S0 && placed[d] != S1) continue;
    coord[placed[d] - S0] = coord[placed[d] - S0] * mesh[d] + at[d];
    procs[placed[d] - S0] *= mesh[d];
  }
  for (int k = 0; k < 2; k++) {
    const int each = size[k] / procs[k], more = size[k] % procs[k], c = coord[k];
    p.low[k] = c * each + (c < more ? c : more);
    p.count[k] = each + (c < more);
  }
  return p;
}

static int count_terms(const place placed[2])
{
  return (placed[0] == P ? mesh[0] : 1) * (placed[1] == P ? mesh[1] : 1);
}

static bool has(const piece *p, int64_t x, int64_t y)
{
  return x >= p->low[0] && x < p->low[0] + p->count[0] && y >= p->low[1] && y < p->low[1] + p->count[1];
}

/* Fewest elements that have to change process. */
static int64_t formula(const place from[2], const place to[2])
{
  int64_t moved = 0;
  for (int64_t x = 0; x < ROWS; x++)
    for (int64_t y = 0; y < COLUMNS; y++) {
      int wanted = 0, both = 0;
      for (int r = 0; r < mesh[0] * mesh[1]; r++) {
        const piece a = piece_of(from, r), b = piece_of(to, r);
        wanted += has(&b, x, y);
        both += has(&a, x, y) && has(&b, x, y);
      }
      const int terms = count_terms(from);
      moved += terms == 1 ? wanted - both : terms - 1 + wanted - 1 + (both == 0);
    }
  return moved;
}

static double term_at(int64_t x, int64_t y, int term, int shift)
{
  return (double)((x * 31 + y * 7 + 3 + shift) * (term + 1) % 101);
}

static double element_at(int64_t x, int64_t y, int terms, int shift)
{
  double sum = 0;
  for (int t = 0; t < terms; t++) sum += term_at(x, y, t, shift);
  return sum;
}

/* ---- the library's ------------------------------------------------------------------------------------ */

/* The tensor's axes, and one of length 1 for each dimension of the mesh that does not cut it. */
static dap_layout *layout_of(const place placed[2])
{
  static const int64_t size[2] = {ROWS, COLUMNS};
  int procs[2] = {1, 1}, ndim = 2, ranks[MOST_PROCS];
  dap_dist dists[4];
  for (int d = 0; d < 2; d++) {
    if (placed[d] == R) dists[ndim++] = dap_dist_replicated(1, mesh[d]);
    if (placed[d] == P) dists[ndim++] = dap_dist_partial(1, mesh[d]);
    if (placed[d] == S0 || placed[d] == S1) procs[placed[d] - S0] *= mesh[d];
  }
  for (int k = 0; k < 2; k++) dists[k] = dap_dist_even(size[k], procs[k]);
  for (int rank = 0; rank < mesh[0] * mesh[1]; rank++) {
    const int at[2] = {rank / mesh[1], rank % mesh[1]};
    int coord[4] = {0}, extra = 2, index = 0;
    for (int d = 0; d < 2; d++)
      if (placed[d] == R || placed[d] == P)
        coord[extra++] = at[d];
      else
        coord[placed[d] - S0] = coord[placed[d] - S0] * mesh[d] + at[d];
    for (int k = 0; k < ndim; k++) index = index * dists[k].procs + coord[k];
    ranks[index] = rank;
  }
  dap_layout *straight = NULL, *layout = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_layout_create(ndim, dists, &straight, &err), &err))
    EXPECT_OK(dap_layout_reorder(straight, ranks, &layout, &err), &err);
  dap_layout_destroy(&straight);
  return layout;
}

typedef struct tensor {
  place placed[2];
  dap_layout *layout;
  piece own;
  int64_t strides[4];
  double values[ROWS * COLUMNS];
} tensor;

static tensor make(const place placed[2], bool by_columns)
{
  tensor t = {
      .placed = {placed[0], placed[1]}, .layout = layout_of(placed), .own = piece_of(placed, test_rank())};
  const int64_t item = sizeof(double);
  t.strides[0] = by_columns ? item : item * t.own.count[1];
  t.strides[1] = by_columns ? item * t.own.count[0] : item;
  t.strides[2] = t.strides[3] = item * ROWS * COLUMNS;
  return t;
}

static dap_side side_of(const tensor *t)
{
  static const int axes[] = {0, 1};
  return (dap_side){
      .layout = t->layout, .strides = t->strides, .dtype = DAP_F8, .part = {.axes = axes, .naxes = 2}};
}

static double *at(tensor *t, int64_t x, int64_t y)
{
  const int64_t i = (x - t->own.low[0]) * t->strides[0] + (y - t->own.low[1]) * t->strides[1];
  return &t->values[i / (int64_t)sizeof(double)];
}

static void fill(tensor *t, int shift)
{
  for (int64_t x = 0; x < ROWS; x++)
    for (int64_t y = 0; y < COLUMNS; y++)
      if (has(&t->own, x, y)) *at(t, x, y) = term_at(x, y, t->own.term, shift);
}

static bool check(tensor *t, int terms, int shift, double plus)
{
  for (int64_t x = 0; x < ROWS; x++)
    for (int64_t y = 0; y < COLUMNS; y++) {
      if (!has(&t->own, x, y) || *at(t, x, y) == element_at(x, y, terms, shift) + plus) continue;
      return EXPECT_MSG(false, "element (%" PRId64 ", %" PRId64 ") is %g, not %g", x, y, *at(t, x, y),
                        element_at(x, y, terms, shift) + plus);
    }
  return true;
}

/* ---- one pair ------------------------------------------------------------------------------------------ */

static void check_bytes(const tensor *from, const tensor *to, const dap_plan *plan, const dap_plan_options *o)
{
  const dap_side a = side_of(from), b = side_of(to);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_plan_stats preview = {0};
  dap_error err = {0};
  int64_t all[2] = {stats.bytes_sent, stats.bytes_received};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(all[0], (int64_t)sizeof(double) * formula(from->placed, to->placed));
  EXPECT_INT(all[1], all[0]);
  if (o->transports && !(o->transports & DAP_TRANSPORT_MESSAGES))
    return; /* it has every process on its own node */
  EXPECT_OK(dap_plan_preview(test_nprocs(), test_rank(), &a, &b, 0, o, &preview, &err), &err);
  all[0] = preview.bytes_sent;
  all[1] = preview.bytes_received;
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(all[0], (int64_t)sizeof(double) * formula(from->placed, to->placed));
  EXPECT_INT(all[1], all[0]);
}

static void move(MPI_Comm comm, tensor *from, tensor *to, const dap_plan_options *o)
{
  const dap_side a = side_of(from), b = side_of(to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(comm, &a, &b, 0, o, &plan, &err), &err)) {
    check_bytes(from, to, plan, o);
    for (int shift = 0; shift < 2; shift++) {
      fill(from, shift);
      for (int i = 0; i < ROWS * COLUMNS; i++) to->values[i] = -1;
      if (EXPECT_OK(dap_plan_run(plan, from->values, to->values, &err), &err))
        check(to, count_terms(from->placed), shift, 0);
    }
  }
  dap_plan_destroy(&plan);
}

static const unsigned ways[] = {0, DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES, DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_STAGED | DAP_TRANSPORT_FETCHED | DAP_TRANSPORT_MESSAGES};

static void pair(const place from[2], const place to[2], int number)
{
  for (int i = 0; i < RUNS; i++) {
    const int variant = number * RUNS + i;
    const dap_plan_options o = {.transports = ways[(variant / 3) % 4],
                                .fan_out = variant % 3,
                                .message_bytes = variant % 5 == 0 ? 24 : 0};
    const int where = variant / 2 % PLACEMENTS;
    tensor a = make(from, variant % 2), b = make(to, variant / 2 % 2);
    TEST_CASE("[%s, %s] -> [%s, %s] on %d x %d, orders %d %d, transports %#x, fan_out %d, %s", names[from[0]],
              names[from[1]], names[to[0]], names[to[1]], mesh[0], mesh[1], variant % 2, variant / 2 % 2,
              o.transports, o.fan_out, placements[where].why);
    move(comms[where], &a, &b, &o);
    dap_layout_destroy(&a.layout);
    dap_layout_destroy(&b.layout);
  }
}

static void all_pairs(void **state)
{
  (void)state;
  int number = 0;
  for (int from = 0; from < 16; from++) {
    for (int to = 0; to < 9; to++) {
      const place a[2] = {(place)(from / 4), (place)(from % 4)}, b[2] = {(place)(to / 3), (place)(to % 3)};
      pair(a, b, number++);
    }
    SETTLE();
  }
}

/* ---- the nearest --------------------------------------------------------------------------------------- */

/* Every row of the mesh is a node, and each has all of the source: nothing leaves a node. Without messages a
 * plan that would is refused. */
static void nothing_leaves_a_node(void **state)
{
  (void)state;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, test_rank() / mesh[1]));
  const dap_plan_options o = {.transports = DAP_TRANSPORT_STAGED};
  for (int number = 0; number < 18; number++) {
    const place from[2] = {R, number < 9 ? S0 : S1}, to[2] = {(place)(number % 9 / 3), (place)(number % 3)};
    tensor a = make(from, false), b = make(to, true);
    TEST_CASE("[R, %s] -> [%s, %s]", names[from[1]], names[to[0]], names[to[1]]);
    move(comm, &a, &b, &o);
    dap_layout_destroy(&a.layout);
    dap_layout_destroy(&b.layout);
  }
  const place from[2] = {S0, R}, to[2] = {R, S0};
  tensor a = make(from, false), b = make(to, false);
  const dap_side x = side_of(&a), y = side_of(&b);
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("and what has to is refused");
  const dap_status s = dap_plan_create(comm, &x, &y, 0, &o, &plan, &err);
  if (mesh[0] > 1)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "share no memory");
  else
    EXPECT_OK(s, &err);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&a.layout);
  dap_layout_destroy(&b.layout);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- with options -------------------------------------------------------------------------------------- */

/* alpha counts for each term, beta once: copies get what comes of it at one of them. */
static void terms_and_beta(void **state)
{
  (void)state;
  static const double alpha[] = {2, 0}, beta[] = {3, 0};
  static const place targets[][2] = {{R, R}, {R, S0}, {S1, R}, {S0, S1}};
  for (int i = 0; i < 4; i++) {
    const place from[2] = {P, i % 2 ? P : S0};
    tensor a = make(from, false), b = make(targets[i], true);
    const dap_side x = side_of(&a), y = side_of(&b);
    const dap_plan_options o = {.alpha = alpha, .beta = beta};
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("[P, %s] -> [%s, %s]", names[from[1]], names[targets[i][0]], names[targets[i][1]]);
    fill(&a, 0);
    for (int n = 0; n < ROWS * COLUMNS; n++) a.values[n] /= 2;
    for (int n = 0; n < ROWS * COLUMNS; n++) b.values[n] = 5;
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &x, &y, 0, &o, &plan, &err), &err) &&
        EXPECT_OK(dap_plan_run(plan, a.values, b.values, &err), &err))
      check(&b, count_terms(from), 0, 15);
    dap_plan_destroy(&plan);
    dap_layout_destroy(&a.layout);
    dap_layout_destroy(&b.layout);
  }
  SETTLE();
}

/* ---- refused ------------------------------------------------------------------------------------------- */

static void terms_are_only_read(void **state)
{
  (void)state;
  const place sums[2] = {P, S0}, whole[2] = {R, R};
  tensor a = make(sums, false), b = make(whole, false);
  dap_side x = side_of(&a), y = side_of(&b);
  dap_plan_options o = {.fan_out = -1};
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("as a destination");
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &y, &x, 0, NULL, &plan, &err), &err,
                    DAP_ERR_ARG, "to: dim 2|partial");
  x.part = (dap_part){0};
  expect_same_error(MPI_COMM_WORLD, dap_plan_create_halo(MPI_COMM_WORLD, &x, 0, NULL, &plan, &err), &err,
                    DAP_ERR_ARG, "partial");
  expect_same_error(MPI_COMM_WORLD, dap_plan_create_halo_reverse(MPI_COMM_WORLD, &x, 0, NULL, &plan, &err),
                    &err, DAP_ERR_ARG, "partial");
  TEST_CASE("without a dtype");
  x = side_of(&a);
  x.dtype = y.dtype = DAP_NONE;
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &x, &y, 8, NULL, &plan, &err), &err,
                    DAP_ERR_ARG, "partial|dtypes");
  TEST_CASE("a negative fan_out, and one that is not everybody's");
  x = side_of(&a);
  y = side_of(&b);
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &x, &y, 0, &o, &plan, &err), &err,
                    DAP_ERR_ARG, "fan_out|-1");
  o.fan_out = test_rank() == 0;
  const dap_status s = dap_plan_create(MPI_COMM_WORLD, &x, &y, 0, &o, &plan, &err);
  if (test_nprocs() > 1) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "fan_out");
  dap_plan_destroy(&plan);
  dap_layout_destroy(&a.layout);
  dap_layout_destroy(&b.layout);
  SETTLE();
}

static int set_up(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  mesh[0] = nprocs % 2 == 0 ? 2 : 1;
  mesh[1] = nprocs / mesh[0];
  for (int i = 0; i < PLACEMENTS; i++) comms[i] = comm_at(&placements[i], hosts[i]);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) MPI_Comm_free(&comms[i]);
  return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(all_pairs, set_up, tear_down),
    cmocka_unit_test_setup_teardown(nothing_leaves_a_node, set_up, tear_down),
    cmocka_unit_test_setup_teardown(terms_and_beta, set_up, tear_down),
    cmocka_unit_test_setup_teardown(terms_are_only_read, set_up, tear_down),
};
MPI_TEST_MAIN(tests)
