/* Tests dap_grid_from_cart(). Every element must be on the process that MPI_Cart_rank() returns for the
 * coordinates that the brute-force model computes. */
#include "brute.h"
#include "mpi_test.h"

enum { CASES = 200, MOST = 3 /* most axes */, SIZE = 24 /* largest extent of an axis */ };

/* Draws an axis that takes its number of processes from the topology. The halo fits even the smallest
 * part. */
static dap_dist draw_dist(test_random *random, int procs)
{
  const int64_t size = test_random_int(random, 2 * (int64_t)procs, SIZE);
  switch (test_random_int(random, 0, 4)) {
  case 0:
    return dap_dist_even(size, 0);
  case 1:
    return dap_dist_ceil(size, 0);
  case 2:
    return dap_dist_cyclic(size, 0, test_random_int(random, 1, 3));
  case 3:
    return dap_dist_replicated(size, 0);
  default:
    return dap_dist_padded(size, 0, 1);
  }
}

/* Returns the expected axis, without the function under test. */
static dap_dist expected_dist(const dap_dist *dist, int procs, int is_periodic)
{
  dap_dist want = *dist;
  want.procs = procs;
  if (dist->kind == DAP_DIST_EVEN || dist->kind == DAP_DIST_CEIL) want.periodic = is_periodic != 0;
  want.wraps = want.periodic && dist->halo > 0;
  return want;
}

/* Checks that an element is where the topology has the coordinates of the model. */
static void check_element(MPI_Comm cart, const dap_layout *layout, const int axes[], int dimensions,
                          const brute_walk *w)
{
  int coords[DAP_MAX_NDIM] = {0}, want = -1, rank = -1;
  int64_t local[DAP_MAX_NDIM];
  for (int i = 0; i < dimensions; i++) coords[i] = w->array->axes[axes[i]].owner[w->global[axes[i]]];
  MPI_Cart_rank(cart, coords, &want);
  EXPECT_OK(dap_layout_locate(layout, w->global, &rank, local, NULL), NULL);
  EXPECT_INT(rank, want);
  for (int k = 0; k < w->array->ndim; k++) EXPECT_INT(local[k], w->local[k]);
}

static void check_layout(MPI_Comm cart, int ndim, const dap_dist dists[], const int axes[], int dimensions)
{
  static brute_array model;
  dap_layout *layout = NULL;
  dap_error err = {0};
  if (!EXPECT(brute_array_deal(ndim, dists, NULL, &model))) return;
  if (!EXPECT_OK(dap_layout_create(ndim, dists, &layout, &err), &err)) return;
  for (brute_walk w = brute_walk_start(&model, -1); !w.done; brute_walk_next(&w))
    check_element(cart, layout, axes, dimensions, &w);
  for (int k = 0; k < ndim; k++)
    for (int c = 0; c < dists[k].procs; c++)
      EXPECT_INT(dap_layout_extent(layout, k, c), model.axes[k].extent[c]);
  dap_layout_destroy(&layout);
}

/* Draws a topology, which MPI may reorder, and an array of at least as many axes. */
static void random_case(test_random *random)
{
  int procs[MOST] = {1}, periodic[MOST] = {0}, axes[MOST] = {0},
      dimensions = (int)test_random_int(random, 1, MOST);
  const int ndim = (int)test_random_int(random, dimensions, MOST);
  dap_dist dists[MOST], want[MOST];
  dap_error err = {0};
  MPI_Comm cart;
  random_grid(random, test_nprocs(), dimensions, procs);
  for (int i = 0; i < dimensions; i++) periodic[i] = test_random_one_in(random, 2);
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, procs, periodic, 1, &cart);
  for (int k = 0, i = 0; k < ndim; k++) {
    const bool is_local = ndim - k > dimensions - i && (i == dimensions || test_random_one_in(random, 2));
    dists[k] = is_local ? dap_dist_local(3) : draw_dist(random, procs[i]);
    if (!is_local && test_random_one_in(random, 3)) dists[k].procs = procs[i];
    want[k] = is_local ? dists[k] : expected_dist(&dists[k], procs[i], periodic[i]);
    if (!is_local) axes[i++] = k;
  }
  /* A given `procs` of 1 means "not distributed", which would be another array for fewer dimensions. */
  for (int i = 0; i < dimensions; i++)
    if (procs[i] == 1) dists[axes[i]].procs = 0;
  EXPECT_OK(dap_grid_from_cart(cart, ndim, dists, &err), &err);
  for (int k = 0; k < ndim; k++) {
    EXPECT_INT(dists[k].procs, want[k].procs);
    EXPECT(dists[k].periodic == want[k].periodic && dists[k].wraps == want[k].wraps);
  }
  check_layout(cart, ndim, want, axes, dimensions);
  MPI_Comm_free(&cart);
  SETTLE();
}

static void elements_are_where_the_topology_says(void **state)
{
  (void)state;
  test_random random = test_random_init(29);
  for (int i = 0; i < test_cases(CASES); i++) {
    TEST_CASE("case %d", i);
    random_case(&random);
  }
}

/* ---- refusals, and omitted arguments ---------------------------------------------------------------- */

enum { ANY = -1 /* all processes */ };

static const struct {
  const char *why;
  int dimensions, grid[MOST], periodic; /* of the topology; 0 dimensions: no topology */
  int ndim, procs[MOST];                /* of the array */
  bool is_periodic;                     /* the first axis */
  dap_status want;
  const char *parts;
  int found[MOST]; /* `procs` after the call */
} rows[] = {
    {"a communicator without a topology", 0, {0}, 0, 1, {0}, false, DAP_ERR_ARG, "MPI_Cart_create", {0}},
    {"another number of processes",
     2,
     {1, ANY},
     0,
     2,
     {7, 0},
     false,
     DAP_ERR_ARG,
     "axis 0|7|topology",
     {7, 0}},
    {"a ring that is none", 1, {ANY}, 0, 1, {0}, true, DAP_ERR_ARG, "axis 0|periodic", {0}},
    {"a ring that is one", 1, {ANY}, 1, 1, {0}, true, DAP_OK, NULL, {ANY}},
    {"dimensions of one process at the end", 3, {ANY, 1, 1}, 0, 1, {0}, false, DAP_OK, NULL, {ANY}},
    {"an axis that is not distributed", 1, {ANY}, 0, 2, {1, 0}, false, DAP_OK, NULL, {1, ANY}},
    {"no axis is distributed", 1, {1}, 0, 2, {0, 0}, false, DAP_OK, NULL, {1, 1}},
    {"axes on more processes than there are", 1, {1}, 0, 2, {0, 2}, false, DAP_ERR_ARG, "axis 1|2", {0, 2}},
    {"negative dimensions of the array", 1, {ANY}, 0, -1, {0}, false, DAP_ERR_ARG, "ndim -1", {0}},
};

static int extent_of(int given)
{
  return given == ANY ? test_nprocs() : given;
}

/* Returns the row's topology on as many processes as it has, and MPI_COMM_NULL on the others. */
static MPI_Comm make_cart(size_t row)
{
  int grid[MOST], periodic[MOST];
  MPI_Comm cart = MPI_COMM_NULL;
  if (rows[row].dimensions == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &cart);
    return cart;
  }
  for (int i = 0; i < MOST; i++) {
    grid[i] = extent_of(rows[row].grid[i]);
    periodic[i] = rows[row].periodic;
  }
  MPI_Cart_create(MPI_COMM_WORLD, rows[row].dimensions, grid, periodic, 0, &cart);
  return cart;
}

static void table(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_dist dists[MOST];
    dap_error err = {0};
    MPI_Comm cart = make_cart(i);
    TEST_CASE("%s", rows[i].why);
    for (int k = 0; k < MOST; k++) dists[k] = dap_dist_even(12, rows[i].procs[k]);
    dists[0].periodic = rows[i].is_periodic;
    if (cart != MPI_COMM_NULL) {
      EXPECT_FAIL(dap_grid_from_cart(cart, rows[i].ndim, dists, &err), rows[i].want, &err, rows[i].parts);
      for (int k = 0; k < rows[i].ndim; k++) EXPECT_INT(dists[k].procs, extent_of(rows[i].found[k]));
      MPI_Comm_free(&cart);
    }
    SETTLE();
  }
}

/* Tests numbers of dimensions that do not match the array, or that no array has, and a graph topology. */
static void other_dimensions(void **state)
{
  (void)state;
  enum { MANY = DAP_MAX_NDIM + 1 };
  const int ones[MANY] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, none[MANY] = {0};
  const int grid[2] = {2, test_nprocs() / 2}, closed[2] = {0, 0}, self = test_rank(), weight = 1;
  dap_dist dists[3] = {dap_dist_even(12, 0), dap_dist_even(12, 0), dap_dist_even(12, 0)};
  dap_error err = {0};
  MPI_Comm comm;
  if (test_nprocs() > 2 && test_nprocs() % 2 == 0) {
    MPI_Cart_create(MPI_COMM_WORLD, 2, grid, closed, 1, &comm);
    EXPECT_FAIL(dap_grid_from_cart(comm, 1, dists, &err), DAP_ERR_ARG, &err, "1 of 1 axes|comm has 2");
    EXPECT_FAIL(dap_grid_from_cart(comm, 3, dists, &err), DAP_ERR_ARG, &err, "3 of 3 axes|comm has 2");
    EXPECT_FAIL(dap_grid_from_cart(comm, 2, NULL, &err), DAP_ERR_ARG, &err, "dists");
    MPI_Comm_free(&comm);
  }
  MPI_Cart_create(MPI_COMM_SELF, MANY, ones, none, 0, &comm);
  EXPECT_FAIL(dap_grid_from_cart(comm, 3, dists, &err), DAP_ERR_UNSUPPORTED, &err, "comm has 9 axes|8");
  EXPECT_INT(err.rule, 0);
  MPI_Comm_free(&comm);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &self, &weight, 1, &self, &weight, MPI_INFO_NULL, 0,
                                 &comm);
  EXPECT_FAIL(dap_grid_from_cart(comm, 1, dists, &err), DAP_ERR_ARG, &err, "graph");
  EXPECT_FAIL(dap_grid_from_cart(MPI_COMM_NULL, 1, dists, &err), DAP_ERR_ARG, &err, "MPI_COMM_NULL");
  MPI_Comm_free(&comm);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(elements_are_where_the_topology_says),
                                          cmocka_unit_test(table), cmocka_unit_test(other_dimensions)};
MPI_TEST_MAIN(tests)
