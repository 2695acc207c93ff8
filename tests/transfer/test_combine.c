/* Tests plans that combine values: the order of ranks at corners, what plans say about themselves, and what
 * they refuse. Random plans are in test_random_programs.c, and reverse updates of given layouts are in
 * test_halo.c. Private: hosts are pretended. */
#include "brute.h"
#include "comm_impl.h"
#include "mpi_test.h"
#include "plans.h"

#include <dapbridge/shared.h>

/* ---- a corner ----------------------------------------------------------------------------------------- */

/* The numbers that other processes add to an element, by their ranks. Any other order gives another sum. */
enum { OTHERS = 3 };
static const double added[OTHERS] = {0x1p53, -0x1p53 + 1, 3};
static const double own = 1;

/* Process q of the four has the element at the corner of process p's block. It is in three products of a
 * plan: across one axis, across the other, and across both. The values must be added by rank, whatever ranks
 * the processes have. */
static void check_corner(const int ranks[4], int p)
{
  const dap_dist dists[] = {dap_dist_padded(2, 2, 1), dap_dist_padded(2, 2, 1)};
  dap_layout *layout = layout_make(2, dists, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  double block[4] = {0};
  int process = -1, lower = 0;
  for (int q = 0; q < 4; q++)
    if (ranks[q] == test_rank()) process = q;
  for (int q = 0; q < 4; q++) lower += q != p && ranks[q] < test_rank();
  TEST_CASE("the element of process %d, on rank %d", p, ranks[p]);
  const dap_side side = {.layout = layout, .ranks = ranks, .dtype = DAP_F8, .contiguous = process >= 0};
  /* Blocks have one element, and all processes have the whole array: the element of process p is at p. */
  if (process >= 0) block[p] = process == p ? own : added[lower];
  if (EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, NULL, &plan, &err), &err) &&
      EXPECT_OK(dap_plan_run(plan, block, block, &err), &err) && process == p)
    EXPECT_MSG(block[p] == own + added[0] + added[1] + added[2], "the sum is %.17g", block[p]);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
}

static void corners_come_by_rank(void **state)
{
  (void)state;
  for (int first = 0; first < 24 && test_nprocs() >= 4; first++) {
    int left[] = {0, 1, 2, 3}, ranks[4];
    for (int i = 0, n = first; i < 4; n /= 4 - i, i++) { /* makes the permutation of that number */
      const int at = n % (4 - i);
      ranks[i] = left[at];
      for (int j = at; j < 3 - i; j++) left[j] = left[j + 1];
    }
    for (int p = 0; p < 4; p++) check_corner(ranks, p);
    SETTLE();
  }
}

/* ---- what it says of itself --------------------------------------------------------------------------- */

/* The messages must be those of a halo update in the other direction. */
static void sends_what_an_update_receives(void **state)
{
  (void)state;
  test_random random = test_random_init(93);
  int grid[2];
  random_grid(&random, test_nprocs(), 2, grid);
  const dap_dist dists[] = {dap_dist_padded(300 * grid[0], grid[0], 2),
                            dap_dist_padded(200 * grid[1], grid[1], 3)};
  dap_layout *layout = layout_make(2, dists, NULL);
  dap_plan *there = NULL, *back = NULL;
  dap_error err = {0};
  const dap_side side = side_in_c_order(layout, DAP_F8);
  const dap_plan_options o = {.allow_empty = true};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, &o, &there, &err), &err) &&
      EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &o, &back, &err), &err)) {
    const dap_plan_stats a = dap_plan_summarize(there), b = dap_plan_summarize(back);
    EXPECT_INT(b.bytes_sent, a.bytes_received);
    EXPECT_INT(b.bytes_received, a.bytes_sent);
    EXPECT_INT(b.messages_sent, a.messages_received);
    EXPECT_INT(b.messages_received, a.messages_sent);
  }
  dap_plan_destroy(&there);
  dap_plan_destroy(&back);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Nothing must go from one copy along a replicated axis to another. Only elements that wrap round on the
 * process itself are added. Such copies are not padding, so an update does not change them. */
static void updates_each_copy_at_home(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  dap_dist dists[] = {dap_dist_replicated(5, procs), dap_dist_padded(9, 1, 2)};
  const dap_plan_options o = {.padding = DAP_PADDING_REFRESH};
  for (int wraps = 0; wraps < 2; wraps++) {
    dap_plan *plan = NULL;
    dap_error err = {0};
    dists[1].periodic = dists[1].wraps = wraps;
    dap_layout *layout = layout_make(2, dists, NULL);
    const dap_side side = side_in_c_order(layout, DAP_F8);
    const dap_status s = dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &o, &plan, &err);
    const bool is_empty = !wraps && procs > 1;
    if (is_empty) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "neither padding nor ghosts");
    if (!is_empty && EXPECT_OK(s, &err)) {
      const dap_plan_stats stats = dap_plan_summarize(plan);
      EXPECT_INT(stats.bytes_sent, 0);
      EXPECT_INT(stats.bytes_received, 0);
      EXPECT_INT(stats.bytes_local, wraps ? 2 * 5 * 4 * 8 : 0); /* to the owner and back */
    }
    dap_plan_destroy(&plan);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* A layout with 12 copied numbers, and one with the same numbers in even parts. */
typedef struct sums {
  dap_layout *from, *to;
  dap_side a, b;
} sums;

static sums sums_make(void)
{
  const dap_dist copies = dap_dist_replicated(12, test_nprocs()), even = dap_dist_even(12, test_nprocs());
  sums s = {.from = layout_make(1, &copies, NULL), .to = layout_make(1, &even, NULL)};
  s.a = side_in_c_order(s.from, DAP_F8);
  s.b = side_in_c_order(s.to, DAP_F8);
  return s;
}

static void sums_free(sums *s)
{
  dap_layout_destroy(&s->from);
  dap_layout_destroy(&s->to);
}

static void previews_a_sum_of_copies(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  const dap_plan_options o = {.combine = DAP_COMBINE_SUM};
  dap_plan *plan = NULL;
  dap_error err = {0};
  char text[4096];
  sums s = sums_make();
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &s.a, &s.b, 0, &o, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_summarize(plan);
    const int64_t part = 8 * dap_layout_extent(s.to, 0, test_rank());
    expect_preview(&s.a, &s.b, 0, &o, plan);
    EXPECT_INT(stats.bytes_sent, 12 * 8 - part);
    EXPECT_INT(stats.bytes_received, (procs - 1) * part);
    EXPECT(dap_plan_describe(plan, text, sizeof text) < sizeof text && strstr(text, "their sum"));
  }
  dap_plan_destroy(&plan);
  sums_free(&s);
  SETTLE();
}

/* Only direct copies are allowed. Receivers read sources, so shared destinations do not help. */
static void needs_shared_sources(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  const int procs = test_nprocs();
  const dap_plan_options o = {.combine = DAP_COMBINE_SUM, .transports = DAP_TRANSPORT_DIRECT};
  dap_array shared[2] = {{0}};
  dap_plan *plan = NULL;
  dap_error err = {0};
  double private[12];
  sums r = sums_make();
  EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, r.from, DAP_F8, DAP_ORDER_C, &shared[0], NULL, &err), &err);
  EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, r.to, DAP_F8, DAP_ORDER_C, &shared[1], NULL, &err), &err);
  const dap_side a = dap_side_of((dap_darray){r.from, &shared[0]}),
                 b = dap_side_of((dap_darray){r.to, &shared[1]});
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &o, &plan, &err), &err);
  for (int i = 0; i < 12; i++) private[i] = ((double *)shared[0].data)[i] = i;
  const dap_status s = dap_plan_run(plan, private, shared[1].data, &err);
  if (procs > 1)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG,
                      "only direct|combine the sources|dap_array_alloc()");
  EXPECT_OK(dap_plan_run(plan, shared[0].data, shared[1].data, &err), &err);
  for (int64_t i = 0; i < shared[1].shape[0]; i++) {
    const int64_t index = 12 / procs * test_rank() + i; /* procs divides 12 */
    EXPECT(((double *)shared[1].data)[i] == (double)(procs * index));
  }
  dap_plan_destroy(&plan);
  for (int i = 0; i < 2; i++) dap_array_release(&shared[i]);
  sums_free(&r);
  SETTLE();
}

/* ---- many ghosts in no order -------------------------------------------------------------------------- */

enum { OWNED = 3000, GHOSTS = 1400 };

/* Each process has the same ghosts among the nodes of the next process. */
static dap_layout *scattered(const int64_t chosen[], int components)
{
  const int P = test_nprocs();
  int64_t *lists = malloc((size_t)P * (OWNED + GHOSTS) * sizeof *lists), lengths[BRUTE_PROCS],
          owned[BRUTE_PROCS];
  const int64_t *indices[BRUTE_PROCS];
  for (int p = 0; p < P && lists; p++) {
    int64_t *list = lists + (int64_t)p * (OWNED + GHOSTS);
    for (int64_t i = 0; i < OWNED; i++) list[i] = p * OWNED + i;
    for (int64_t i = 0; i < GHOSTS; i++) list[OWNED + i] = (p + 1) % P * OWNED + chosen[i];
    indices[p] = list;
    owned[p] = OWNED;
    lengths[p] = OWNED + (P > 1 ? GHOSTS : 0);
  }
  const dap_dist dists[] = {dap_dist_unstructured_ghosted((int64_t)P * OWNED, P, lengths, owned, indices),
                            dap_dist_local(components)};
  dap_layout *layout = layout_make(2, dists, NULL);
  free(lists);
  return layout;
}

/* There are too many ghosts to change all of them at once. */
static void adds_scattered_ghosts(void **state)
{
  (void)state;
  test_random random = test_random_init(96);
  int64_t chosen[OWNED];
  bool is_ghost[OWNED] = {false};
  for (int64_t i = 0; i < OWNED; i++) chosen[i] = i;
  test_shuffle(&random, OWNED, chosen);
  for (int64_t i = 0; i < GHOSTS; i++) is_ghost[chosen[i]] = true;
  for (int components = 1; components <= 3; components++) {
    const int64_t held = OWNED + (test_nprocs() > 1 ? GHOSTS : 0);
    dap_layout *layout = scattered(chosen, components);
    double *data = malloc((size_t)(held * components) * sizeof *data);
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%d components", components);
    const dap_side side = side_in_c_order(layout, DAP_F8);
    const dap_plan_options o = {.allow_empty = true, .padding = DAP_PADDING_KEEP};
    for (int64_t i = 0; i < held * components; i++)
      data[i] = i < OWNED * components
                    ? (double)i
                    : (double)(100000 + chosen[i / components - OWNED] * components + i % components);
    if (EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &o, &plan, &err), &err) &&
        EXPECT_OK(dap_plan_run(plan, data, data, &err), &err))
      for (int64_t i = 0; i < OWNED * components; i++) {
        const bool is_added = test_nprocs() > 1 && is_ghost[i / components];
        EXPECT_MSG(data[i] == (double)i + (is_added ? (double)(100000 + i) : 0), "element %d: %g", (int)i,
                   data[i]);
      }
    dap_plan_destroy(&plan);
    dap_layout_destroy(&layout);
    free(data);
    SETTLE();
  }
}

/* ---- refused ------------------------------------------------------------------------------------------ */

static const double one[] = {1, 0};

static const struct {
  const char *why;
  dap_dtype dtype;
  dap_plan_options options;
  const char *parts;
} refusals[] = {
    {"bytes cannot be added", DAP_NONE, {.combine = DAP_COMBINE_SUM}, "combine|dtypes"},
    {"complex numbers have no order", DAP_C16, {.combine = DAP_COMBINE_MAX}, "no largest"},
    {"the largest, scaled", DAP_F8, {.combine = DAP_COMBINE_MIN, .beta = one}, "alpha and beta|smallest"},
    {"no way to combine", DAP_F8, {.combine = (dap_combine)7}, "combine 7"},
    {"nothing becomes of padding", DAP_F8, {.padding = (dap_padding)3}, "padding 3"},
    {"all copies, or the owner's",
     DAP_F8,
     {.combine = DAP_COMBINE_SUM, .from_owners = true},
     "options.combine|options.from_owners"},
};

static void refuses(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_padded(10 * test_nprocs(), test_nprocs(), 1);
  dap_layout *layout = layout_make(1, &dist, NULL);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const dap_dtype dtype = refusals[i].dtype;
    const dap_side side = side_in_c_order(layout, dtype);
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%s", refusals[i].why);
    const dap_status s =
        dap_plan_create(MPI_COMM_WORLD, &side, &side, dtype ? 0 : 8, &refusals[i].options, &plan, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, refusals[i].parts);
    SETTLE();
  }
  dap_layout_destroy(&layout);
}

/* A plan that fills padding has a second pass, which all processes must have. */
static void refuses_other_padding(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist even = dap_dist_even(4 * n, n), padded = dap_dist_padded(4 * n, n, 1);
  const dap_plan_options o = {.combine = DAP_COMBINE_SUM, .fill_halos = test_rank() == 0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = plan_between(1, &even, &padded, &o, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, n > 1 ? DAP_ERR_ARG : DAP_OK,
                    n > 1 ? "not the same as on rank 0" : "");
  dap_plan_destroy(&plan);
  SETTLE();
}

/* Only direct copies of padding are allowed. So arrays must be shared, and all processes must be on one
 * node. */
static void refuses_what_is_not_seen(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dist = dap_dist_padded(4 * n, n, 1);
  const dap_plan_options o = {.transports = DAP_TRANSPORT_DIRECT, .allow_empty = true};
  dap_layout *layout = layout_make(1, &dist, NULL);
  const dap_side side = side_in_c_order(layout, DAP_F8);
  double data[6] = {0};
  for (int apart = 0; apart < 2 && n > 1 && test_nodes() == 1; apart++) {
    MPI_Comm comm = MPI_COMM_NULL;
    dap_plan *plan = NULL;
    dap_error err = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT(dap_node_pretend(comm, apart * test_rank()));
    const dap_status s = dap_plan_create_halo_reverse(comm, &side, 0, &o, &plan, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, apart ? DAP_ERR_UNSUPPORTED : DAP_OK, "share no memory");
    if (!s)
      EXPECT_FAIL(dap_plan_run(plan, data, data, &err), DAP_ERR_ARG, &err,
                  "only direct|combine the sources|dap_array_alloc()");
    dap_plan_destroy(&plan);
    MPI_Comm_free(&comm);
    SETTLE();
  }
  dap_layout_destroy(&layout);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(corners_come_by_rank),
    cmocka_unit_test(sends_what_an_update_receives),
    cmocka_unit_test(updates_each_copy_at_home),
    cmocka_unit_test(previews_a_sum_of_copies),
    cmocka_unit_test(adds_scattered_ghosts),
    cmocka_unit_test(needs_shared_sources),
    cmocka_unit_test(refuses),
    cmocka_unit_test(refuses_other_padding),
    cmocka_unit_test(refuses_what_is_not_seen),
};
MPI_TEST_MAIN(tests)
