/* Halo updates in place: every padded position, corners included, gets its owner's value. */
#include "axes.h"
#include "mpi_test.h"
#include "sides.h"
#include "transfer_impl.h"

typedef struct row_axis {
  axis_kind kind;
  int64_t size, halo;
  bool one; /* not distributed */
} row_axis;

typedef struct row {
  const char *why;
  int ndim;
  row_axis axes[3];
} row;

static const row rows[] = {
    {"width 1 along a line", 1, {{PADDED, 30, 1, false}}},
    {"as wide as the owned part: every element travels", 1, {{PADDED, 12, 2, false}}},
    {"a plane with corners", 2, {{PADDED, 18, 2, false}, {PADDED, 20, 1, false}}},
    {"padding along the second axis only", 2, {{PADDED, 18, 0, true}, {PADDED, 24, 3, false}}},
    {"a padded axis on one process has no padding to fill",
     2,
     {{PADDED, 24, 1, false}, {PADDED, 9, 3, true}}},
    {"a box with edges and corners",
     3,
     {{PADDED, 12, 2, false}, {PADDED, 13, 1, false}, {PADDED, 14, 1, false}}},
    {"no padding at all: the plan does nothing", 2, {{PADDED, 12, 0, false}, {PADDED, 13, 0, false}}},
    {"a ring", 1, {{RING, 30, 1, false}}},
    {"a ring as wide as the owned part: neighbours on both sides", 1, {{RING, 12, 2, false}}},
    {"a ring on one process: it is its own neighbour", 1, {{RING, 9, 2, true}}},
    {"a ring on one process, all of it twice", 1, {{RING, 4, 4, true}}},
    {"a torus with corners", 2, {{RING, 18, 2, false}, {RING, 20, 1, false}}},
    {"a torus that is distributed along one axis", 2, {{RING, 18, 2, false}, {RING, 5, 2, true}}},
    {"a tube: one axis wraps, the other has edges", 2, {{RING, 18, 1, false}, {PADDED, 20, 2, false}}},
    {"a tube on one process along the ring", 2, {{PADDED, 20, 2, false}, {RING, 4, 1, true}}},
    {"a ring without padding", 2, {{RING, 12, 0, false}, {PADDED, 13, 1, false}}},
    {"a box that wraps along two of three axes",
     3,
     {{RING, 12, 1, false}, {PADDED, 13, 2, false}, {RING, 14, 1, false}}},
    {"padding beside a cyclic axis", 2, {{CYCLIC, 11, 0, false}, {PADDED, 18, 2, false}}},
    {"padding beside a list", 2, {{SHUFFLED, 11, 0, false}, {PADDED, 18, 2, false}}},
    {"a ring before a list", 2, {{RING, 18, 2, false}, {SHUFFLED, 11, 0, false}}},
    {"padding beside ghosts, which get their owner's values, too",
     2,
     {{TWO_HOLDERS, 11, 0, false}, {PADDED, 18, 2, false}}},
    {"a torus beside ghosts", 3, {{RING, 12, 2, false}, {TWO_HOLDERS, 7, 0, false}, {RING, 5, 1, true}}},
    {"ghosts alone", 1, {{TWO_HOLDERS, 11, 0, false}}},
    {"a mesh's nodes, with owners given by flags, beside layers",
     2,
     {{GHOSTS, 31, 0, false}, {PADDED, 3, 0, true}}},
    {"owned nodes first, beside components", 2, {{GHOSTS_BEHIND, 31, 0, false}, {PADDED, 3, 0, true}}},
    {"nodes in short runs, alone", 1, {{GHOST_RUNS, 130, 0, false}}},
    {"nodes in short runs, with components", 2, {{GHOST_RUNS, 130, 0, false}, {PADDED, 3, 0, true}}},
    {"nodes at even distances, alone", 1, {{GHOST_STRIDES, 250, 0, false}}},
    {"nodes at even distances, with components", 2, {{GHOST_STRIDES, 250, 0, false}, {PADDED, 3, 0, true}}},
    {"components of nodes at even distances", 2, {{PADDED, 3, 0, true}, {GHOST_STRIDES, 250, 0, false}}},
    {"components of nodes in short runs", 2, {{PADDED, 3, 0, true}, {GHOST_RUNS, 130, 0, false}}},
    {"many nodes, listed one by one, alone", 1, {{GHOSTS, 250, 0, false}}},
    {"many nodes with components, which lie together or do not",
     2,
     {{GHOSTS, 250, 0, false}, {PADDED, 3, 0, true}}},
    {"many nodes between layers and components",
     3,
     {{PADDED, 2, 0, true}, {GHOSTS, 250, 0, false}, {PADDED, 4, 0, true}}},
    {"nodes behind padded layers", 2, {{PADDED, 14, 2, false}, {GHOSTS, 23, 0, false}}},
    {"nodes times nodes: ghosts of ghosts", 2, {{GHOSTS, 13, 0, false}, {GHOSTS_BEHIND, 17, 0, false}}},
    {"a ring, nodes, and replicas", 3, {{RING, 12, 2, false}, {GHOSTS, 7, 0, false}, {WHOLE, 5, 0, false}}},
    {"full copies get the first's values", 2, {{WHOLE, 5, 0, false}, {PADDED, 9, 0, true}}},
};

static void make_array(const row *r, test_random *random, random_array *array)
{
  int grid[3], ranks[BRUTE_PROCS], axes = 0;
  dap_dist dists[3];
  for (int k = 0; k < r->ndim; k++) axes += !r->axes[k].one;
  const int nprocs = axes ? test_nprocs() : 1;
  random_grid(random, nprocs, axes, grid);
  random_ranks(random, nprocs, ranks);
  for (int k = 0, used = 0; k < r->ndim; k++) {
    const row_axis *axis = &r->axes[k];
    const int procs = axis->one ? 1 : grid[used++];
    dists[k] = make_axis(axis->kind, axis->size, procs, axis->halo, random, &array->memory[k]);
  }
  (void)array_deal(r->ndim, dists, ranks, array);
}

static void update(const random_array *array, side_origin origin, int64_t itemsize, test_form form,
                   int64_t memory_bytes, test_random *random)
{
  test_side s = side_make(array, origin, NULL, itemsize, form, random);
  const dap_side both = side_of(&s);
  dap_plan *plan = NULL;
  dap_error err;
  const dap_plan_options options = {.allow_empty = true, .memory_bytes = memory_bytes};
  const bool made =
      EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &both, itemsize, &options, &plan, &err), &err);
  for (int i = 0; i < 2 && made; i++) {
    side_poison(&s);
    side_fill(&s, i, COPIES_ALL_WRONG);
    EXPECT_OK(dap_plan_run(plan, side_data(&s), side_data(&s), &err), &err);
    side_check(&s, i, COPIES_RIGHT, PADDING_FILLED);
  }
  dap_plan_destroy(&plan);
  side_free(&s);
}

static void updates_every_row(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(20);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (int form = 0; form < FORM_COUNT; form++) {
      make_array(&rows[i], &random, &array);
      TEST_CASE("%s, form %d: %s", rows[i].why, form, random_array_text(&array));
      update(&array, (side_origin)(form % 3), form % 2 ? 8 : 3, (test_form)form, 0, &random);
      SETTLE();
    }
  }
}

/* Ghosts that do not fit the plan's memory at once go in parts. */
static void ghosts_in_little_memory(void **state)
{
  (void)state;
  enum { MEMORY = 600 };
  static random_array array;
  const row nodes = {"nodes and components", 2, {{GHOSTS, 250, 0, false}, {PADDED, 3, 0, true}}};
  test_random random = test_random_init(21);
  for (int origin = 0; origin < 3; origin++) {
    make_array(&nodes, &random, &array);
    TEST_CASE("%s, origin %d", nodes.why, origin);
    update(&array, (side_origin)origin, 8, FORM_C, MEMORY, &random);
    SETTLE();
  }
}

/* The values of positions -low .. length + high - 1 of a one-dimensional array of int64, its indices counted
 * modulo size; what is outside [0, length) is padding. */
static void check_line(const int64_t *data, int64_t start, int64_t low, int64_t length, int64_t high,
                       int64_t size)
{
  for (int64_t i = 0; i < low + length + high; i++)
    EXPECT_INT(data[i], 1000 + (start - low + i + size) % size);
}

static void update_line(const dap_array *array, int64_t start, int64_t low, int64_t length, int64_t high)
{
  int64_t *data = array->data;
  const int64_t size = array->dims[0].size;
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, array, &layout, &err), &err);
  SETTLE();
  const dap_side side = {.layout = layout, .contiguous = true};
  for (int64_t i = 0; i < low + length + high; i++)
    data[i] = i >= low && i < low + length ? 1000 + start + i - low : -1;
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, data, data, &err), &err);
  check_line(data, start, low, length, high, size);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Interfaces of different widths, as the protocol's text allows: (4, 1) (1, 2) (2, 3) (3, 0), and in a ring
 * (4, 1) (1, 2) (2, 3) (3, 5). Process c owns 8 + c elements. */
static void updates_uneven_interfaces(void **state)
{
  (void)state;
  const int procs = test_nprocs(), rank = test_rank();
  int64_t size = 0, start = 0, data[32];
  for (int c = 0; c < procs; c++) {
    if (c < rank) start += 8 + c;
    size += 8 + c;
  }
  for (int ring = 0; ring < 2; ring++) {
    TEST_CASE("%s", ring ? "ring" : "line");
    const int64_t length = 8 + rank, inner = rank < procs - 1 ? rank + 1 : 0;
    const int64_t low = rank == 0 && ring ? 4 : rank, high = rank == procs - 1 && ring ? 5 : inner;
    dap_array array = {.abi = DAP_ARRAY_ABI, .dim_count = 1, .ndim = 1, .dtype = DAP_I8, .data = data};
    array.dims[0] = (dap_dim){.dist_type = 'b',
                              .size = size,
                              .proc_grid_size = procs,
                              .proc_grid_rank = rank,
                              .start = ring ? start : start - low,
                              .stop = start + length + (ring ? 0 : high),
                              .padding = {rank == 0 ? 4 : low, high},
                              .periodic = ring};
    memcpy(array.version, ring ? "0.9.0" : "0.10.0", ring ? 6 : 7);
    array.shape[0] = low + length + high;
    array.strides[0] = 8;
    update_line(&array, start, low, length, high);
  }
}

/* Each of the neighbours of an inner process gets one message: what a product per axis is for. */
static void sends_one_message_to_a_neighbour(void **state)
{
  (void)state;
  const int procs = test_nprocs(), rank = test_rank();
  dap_dist dist = dap_dist_even(10 * procs, procs);
  dist.halo = 2;
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, NULL, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_summarize(plan);
    const int neighbours = (rank > 0) + (rank < procs - 1);
    EXPECT_INT(stats.messages_sent, neighbours);
    EXPECT_INT(stats.bytes_sent, neighbours * 16);
    EXPECT_INT(stats.bytes_received, neighbours * 16);
    EXPECT_INT(stats.bytes_local, 0);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* In a ring of two each is the other's neighbour on both sides, and still gets one message; alone, none. */
static void sends_one_message_round_a_ring(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  dap_dist dist = dap_dist_padded(10 * procs, procs, 2);
  dist.periodic = dist.wraps = true;
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, NULL, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_summarize(plan);
    EXPECT_INT(stats.messages_sent, procs > 2 ? 2 : procs - 1);
    EXPECT_INT(stats.messages_received, procs > 2 ? 2 : procs - 1);
    EXPECT_INT(stats.bytes_sent, procs > 1 ? 32 : 0);
    EXPECT_INT(stats.bytes_received, procs > 1 ? 32 : 0);
    EXPECT_INT(stats.bytes_local, procs > 1 ? 0 : 32);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* On a plane, corner neighbours too: each gets one message, and no position is filled twice. */
static void fills_every_corner_once(void **state)
{
  (void)state;
  test_random random = test_random_init(22);
  int grid[2], coords[2];
  random_grid(&random, test_nprocs(), 2, grid);
  dap_dist dists[] = {dap_dist_even(10 * grid[0], grid[0]), dap_dist_even(10 * grid[1], grid[1])};
  dists[0].halo = 2;
  dists[1].halo = 3;
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  dap_layout_coords(layout, test_rank(), coords);
  int64_t beside[2]; /* neighbours along each axis */
  for (int k = 0; k < 2; k++) beside[k] = (coords[k] > 0) + (coords[k] < grid[k] - 1);
  const dap_side side = {.layout = layout, .contiguous = true};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, NULL, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_summarize(plan);
    const int64_t padding = (10 + 2 * beside[0]) * (10 + 3 * beside[1]) - 100;
    EXPECT_INT(stats.messages_received, (1 + beside[0]) * (1 + beside[1]) - 1);
    EXPECT_INT(stats.bytes_received, 8 * padding);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Of a line with padding of 1, each element with its number; what is wrong in the padding, and beside it. */
static int run_line(dap_plan *plan, const dap_layout *layout)
{
  double buffer[12];
  int wrong = 0;
  dap_error err = {0};
  const int64_t extent = dap_layout_extent(layout, 0, test_rank());
  for (int64_t i = 0, global = 0; i < extent; i++) {
    bool owned = false;
    (void)dap_layout_globalize(layout, test_rank(), &i, &global, &owned, NULL);
    buffer[i] = owned ? (double)global : -1;
  }
  EXPECT_OK(dap_plan_run(plan, buffer, buffer, &err), &err);
  for (int64_t i = 0, global = 0; i < extent; i++) {
    (void)dap_layout_globalize(layout, test_rank(), &i, &global, NULL, NULL);
    wrong += buffer[i] != (double)global;
  }
  return wrong;
}

/* Those that the header names and that no other test here gives. */
static void options_are_used(void **state)
{
  (void)state;
  static const dap_plan_options two = {.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES};
  const dap_dist dist = dap_dist_padded((int64_t)10 * test_nprocs(), test_nprocs(), 1);
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true};
  dap_plan *plan = NULL;
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, &two, &plan, &err), &err)) {
    EXPECT_INT(dap_plan_summarize(plan).phases, test_nprocs() > 1 ? 2 : 1);
    for (int run = 0; run < 3; run++) EXPECT_INT(run_line(plan, layout), 0);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(updates_every_row),
    cmocka_unit_test(ghosts_in_little_memory),
    cmocka_unit_test(updates_uneven_interfaces),
    cmocka_unit_test(sends_one_message_to_a_neighbour),
    cmocka_unit_test(sends_one_message_round_a_ring),
    cmocka_unit_test(fills_every_corner_once),
    cmocka_unit_test(options_are_used),
};
MPI_TEST_MAIN(tests)
