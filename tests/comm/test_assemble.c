/* dap_layout_assemble(): what each process exports from a layout makes the same layout again. */
#include "brute.h"
#include "mpi_test.h"
#include "random_array.h"

/* Assembles `mine` on `comm`: it must succeed and give a layout equal to `want`. */
static void expect_assembled(MPI_Comm comm, const dap_array *mine, const dap_layout *want)
{
  dap_error err = {.rank = 41, .text = "untouched"};
  dap_layout *got = NULL;
  const dap_status s = dap_layout_assemble(comm, mine, &got, &err);
  expect_same_error(comm, s, &err, DAP_OK, NULL);
  if (s) return;
  EXPECT(err.rank == 41 && !strcmp(err.text, "untouched"));
  char text[2][1024];
  dap_layout_describe(got, text[0], sizeof text[0]);
  dap_layout_describe(want, text[1], sizeof text[1]);
  EXPECT_MSG(is_as_read(got, want), "assembled\n%s, not\n%s", text[0], text[1]);
  dap_layout_destroy(&got);
  EXPECT_INT(dap_layout_assemble(comm, mine, &got, NULL), DAP_OK);
  dap_layout_destroy(&got);
}

/* The array's dictionaries in another version of the protocol; false: it cannot say them. */
static bool spell(const dap_layout *layout, int rank, const char *version, dap_array *array)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < array->ndim; k++) {
    dap_error err = {0};
    const dap_status s = dap_layout_dim(layout, version, k, coords[k], &array->dims[k], &err);
    EXPECT_MSG(!s || s == DAP_ERR_UNSUPPORTED, "export in %s: %s", version, err.text);
    if (s) return false;
  }
  snprintf(array->version, sizeof array->version, "%s", version);
  return true;
}

/* The layout, exported by every process of `comm` in every version that can say it, and assembled. */
static void round_trip(MPI_Comm comm, const dap_layout *layout, dap_order order)
{
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  int rank = 0;
  dap_error err = {0};
  dap_array array;
  MPI_Comm_rank(comm, &rank);
  EXPECT_OK(dap_array_init(&array, layout, rank, DAP_C8, order, NULL, &err), &err);
  expect_assembled(comm, &array, layout);
  int said = 0;
  for (int i = 0; i < 3; i++) {
    if (!spell(layout, rank, versions[i], &array)) continue;
    expect_assembled(comm, &array, layout);
    said++;
  }
  EXPECT(said > 0);
  dap_array_release(&array);
}

/* The layout of these distributions; if `turned`, the ranks run through the grid from the last to the
 * first. */
static void round_trip_of(MPI_Comm comm, int ndim, const dap_dist dists[], bool turned, dap_order order)
{
  int ranks[BRUTE_PROCS];
  dap_error err = {0};
  dap_layout *layout = NULL, *reordered = NULL;
  EXPECT_OK(dap_layout_create(ndim, dists, &layout, &err), &err);
  if (!layout) return; /* on all ranks alike */
  const int nprocs = dap_layout_nprocs(layout);
  for (int i = 0; i < nprocs; i++) ranks[i] = turned ? nprocs - 1 - i : i;
  EXPECT_OK(dap_layout_reorder(layout, ranks, &reordered, &err), &err);
  if (reordered) round_trip(comm, reordered, order);
  dap_layout_destroy(&reordered);
  dap_layout_destroy(&layout);
}

typedef struct named {
  const char *why;
  int ndim;
  dap_dist dists[3];
} named;

/* Each as it is, and with the ranks turned round. */
static void round_trips(const named rows[], size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (int turned = 0; turned < 2; turned++) {
      TEST_CASE("%s%s", rows[i].why, turned ? ", ranks from the last to the first" : "");
      round_trip_of(MPI_COMM_WORLD, rows[i].ndim, rows[i].dists, turned, DAP_ORDER_C);
    }
  SETTLE();
}

static void named_layouts(void **state)
{
  (void)state;
  const int P = test_nprocs();
  int64_t sparse[BRUTE_PROCS] = {0}, rising[BRUTE_PROCS];
  sparse[P / 2] = 5;
  for (int p = 0; p < P; p++) rising[p] = p + 1;
  const named rows[] = {
      {"even", 1, {dap_dist_even(3 * P + 1, P)}},
      {"fewer elements than processes", 1, {dap_dist_even(P - 1, P)}},
      {"no element", 1, {dap_dist_even(0, P)}},
      {"ceiling cut", 1, {{.kind = DAP_DIST_CEIL, .procs = P, .size = P + 1}}},
      {"all on one", 1, {{.kind = DAP_DIST_LENGTHS, .procs = P, .size = 5, .lengths = sparse}}},
      {"halo as wide as the smallest",
       1,
       {{.kind = DAP_DIST_LENGTHS,
         .procs = P,
         .size = (int64_t)P * (P + 1) / 2,
         .lengths = rising,
         .halo = 1}}},
      {"halos and boundaries, periodic",
       1,
       {{.procs = P, .size = 4 * P, .halo = 2, .boundary = {1, 3}, .periodic = true}}},
      {"halos that wrap round", 1, {{.procs = P, .size = 4 * P, .halo = 2, .periodic = true, .wraps = true}}},
      {"halos as wide as all there is, round",
       1,
       {{.procs = P, .size = 2 * P, .halo = 2, .periodic = true, .wraps = true}}},
      {"cyclic", 1, {dap_dist_cyclic(2 * P + 1, P, 1)}},
      {"blocks, partial last", 1, {dap_dist_cyclic(3 * P + 1, P, 2)}},
      {"a block beyond size", 1, {dap_dist_cyclic(3, P, 10)}},
      {"rotated",
       1,
       {{.kind = DAP_DIST_CYCLIC, .procs = P, .size = 3 * P, .block_size = 2, .first_owner = P - 1}}},
      {"rotated, mostly empty",
       1,
       {{.kind = DAP_DIST_CYCLIC, .procs = P, .size = 1, .block_size = 2, .first_owner = P / 2}}},
      {"rotated, all empty",
       1,
       {{.kind = DAP_DIST_CYCLIC, .procs = P, .size = 0, .block_size = 2, .first_owner = P - 1}}},
      {"an axis each", 3, {dap_dist_even(3, 1), dap_dist_cyclic(2 * P, P, 3), dap_dist_even(2, 1)}},
  };
  round_trips(rows, sizeof rows / sizeof rows[0]);
}

static void named_lists(void **state)
{
  (void)state;
  const int P = test_nprocs();
  int64_t threes[BRUTE_PROCS], twos[BRUTE_PROCS], dealt[BRUTE_PROCS][2], doubled[BRUTE_PROCS][3];
  const int64_t *deal[BRUTE_PROCS], *duplicates[BRUTE_PROCS];
  for (int p = 0; p < P; p++) {
    twos[p] = 2;
    threes[p] = 3;
    dealt[p][0] = 2 * P - 1 - p;
    dealt[p][1] = p;
    doubled[p][0] = P + 1 + p;
    doubled[p][1] = p + 1; /* the next process has it too */
    doubled[p][2] = p;
    deal[p] = dealt[p];
    duplicates[p] = doubled[p];
  }
  const named rows[] = {
      {"lists", 1, {dap_dist_unstructured(2 * P, P, twos, deal)}},
      {"lists, of which no process can hold all",
       1,
       {{.kind = DAP_DIST_UNSTRUCTURED,
         .procs = P,
         .size = 2 * P,
         .lengths = twos,
         .indices = deal,
         .one_to_one = true}}},
      {"lists with duplicates", 1, {dap_dist_unstructured(2 * P + 1, P, threes, duplicates)}},
      {"full copies", 1, {dap_dist_replicated(5, P)}},
      {"full copies of nothing", 1, {dap_dist_replicated(0, P)}},
      {"an axis each, lists, and a halo round one process",
       3,
       {dap_dist_replicated(3, 1),
        dap_dist_unstructured(2 * P, P, twos, deal),
        {.procs = 1, .size = 4, .halo = 1, .periodic = true, .wraps = true}}},
  };
  round_trips(rows, sizeof rows / sizeof rows[0]);
}

/* A scalar lives on one process. */
static void a_scalar(void **state)
{
  (void)state;
  round_trip_of(MPI_COMM_SELF, 0, NULL, false, DAP_ORDER_C);
  SETTLE();
}

/* Ranks are those of the communicator given. */
static void a_communicator_in_reverse(void **state)
{
  (void)state;
  MPI_Comm reverse = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank(), &reverse);
  const dap_dist dist = {.procs = test_nprocs(), .size = 5 * test_nprocs() - 1, .halo = 2};
  round_trip_of(reverse, 1, &dist, false, DAP_ORDER_C);
  MPI_Comm_free(&reverse);
  SETTLE();
}

/* At the one coordinate of a listed axis are all processes of the planes across the second. From plane `odd`
 * on they hold another list, all of them alike: within a plane nothing differs. */
static void lists_that_differ_between_planes(void **state)
{
  (void)state;
  static const int64_t orders[2][3] = {{0, 1, 2}, {2, 1, 0}}, length = 3;
  const int64_t *const list = orders[0];
  for (int last = 1; last <= 2; last++) {
    const int planes = test_nprocs() / last;
    if (planes * last != test_nprocs()) continue;
    const dap_dist dists[] = {dap_dist_unstructured(length, 1, &length, &list), dap_dist_even(planes, planes),
                              dap_dist_even(last, last)};
    dap_layout *layout = NULL, *got = NULL;
    dap_array array;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(3, dists, &layout, NULL), NULL);
    EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_I2, DAP_ORDER_C, NULL, NULL), NULL);
    array.dims[0].indices_dtype = DAP_I8;
    for (int odd = 1; odd < planes; odd++) {
      TEST_CASE("1 x %d x %d, from plane %d on", planes, last, odd);
      array.dims[0].indices = orders[test_rank() / last >= odd];
      const dap_status s = dap_layout_assemble(MPI_COMM_WORLD, &array, &got, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LAYOUT,
                        "axis 0: indices[0] 2 differs from 0 on rank |(rule 7)");
    }
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(named_layouts),
    cmocka_unit_test(named_lists),
    cmocka_unit_test(a_scalar),
    cmocka_unit_test(a_communicator_in_reverse),
    cmocka_unit_test(lists_that_differ_between_planes),
};

MPI_TEST_MAIN(tests)
