/* Tests halo updates in place. Every position of padding, including corners, must receive its owner's
 * value. Reverse updates must add up the values that are there. */
#include "case.h"
#include "mpi_test.h"
#include "placements.h"
#include "plans.h"
#include "task.h"

/* clang-format off */
static const case_layout rows[] = {
  {"width 1 along a line", 1, {30}, .cut = {CUT_PADDED}, .halo = {1}},
  {"as wide as the owned part: every element travels", 1, {12}, .cut = {CUT_PADDED}, .halo = {2}},
  {"a plane with corners", 2, {18, 20}, .cut = {CUT_PADDED, CUT_PADDED}, .halo = {2, 1}},
  {"padding along the second axis only", 2, {18, 24}, SECOND_AXIS, .cut = {CUT_PADDED, CUT_PADDED},
   .halo = {0, 3}},
  {"a padded axis on one process has no padding to fill", 2, {24, 9}, FIRST_AXIS,
   .cut = {CUT_PADDED, CUT_PADDED}, .halo = {1, 3}},
  {"a box with edges and corners", 3, {12, 13, 14}, .cut = {CUT_PADDED, CUT_PADDED, CUT_PADDED},
   .halo = {2, 1, 1}},
  {"no padding at all: the plan does nothing", 2, {12, 13}, .cut = {CUT_PADDED, CUT_PADDED}},
  {"a ring", 1, {30}, .cut = {CUT_RING}, .halo = {1}},
  {"a ring as wide as the owned part: neighbours on both sides", 1, {12}, .cut = {CUT_RING}, .halo = {2}},
  {"a ring on one process: it is its own neighbour", 1, {9}, ONE_PROCESS, .cut = {CUT_RING}, .halo = {2}},
  {"a torus of one element: both ends of its padding hold the same", 2, {1, 1}, ONE_PROCESS,
   .cut = {CUT_RING, CUT_RING}, .halo = {1, 1}},
  {"a ring on one process, all of it twice", 1, {4}, ONE_PROCESS, .cut = {CUT_RING}, .halo = {4}},
  {"a torus with corners", 2, {18, 20}, .cut = {CUT_RING, CUT_RING}, .halo = {2, 1}},
  {"a torus that is distributed along one axis", 2, {18, 5}, FIRST_AXIS, .cut = {CUT_RING, CUT_RING},
   .halo = {2, 2}},
  {"a tube: one axis wraps, the other has edges", 2, {18, 20}, .cut = {CUT_RING, CUT_PADDED}, .halo = {1, 2}},
  {"a tube on one process along the ring", 2, {20, 4}, FIRST_AXIS, .cut = {CUT_PADDED, CUT_RING},
   .halo = {2, 1}},
  {"a ring without padding", 2, {12, 13}, .cut = {CUT_RING, CUT_PADDED}, .halo = {0, 1}},
  {"a box that wraps along two of three axes", 3, {12, 13, 14}, .cut = {CUT_RING, CUT_PADDED, CUT_RING},
   .halo = {1, 2, 1}},
  {"padding beside a cyclic axis", 2, {11, 18}, .cut = {CUT_CYCLIC, CUT_PADDED}, .halo = {0, 2},
   .block = {3, 0}},
  {"padding beside a list", 2, {11, 18}, .cut = {CUT_SHUFFLED, CUT_PADDED}, .halo = {0, 2}},
  {"a ring before a list", 2, {18, 11}, .cut = {CUT_RING, CUT_SHUFFLED}, .halo = {2}},
  {"padding beside ghosts, which get their owner's values, too", 2, {11, 18},
   .cut = {CUT_TWO_HOLDERS, CUT_PADDED}, .halo = {0, 2}},
  {"a torus beside ghosts", 3, {12, 7, 5}, FIRST_AXIS | SECOND_AXIS,
   .cut = {CUT_RING, CUT_TWO_HOLDERS, CUT_RING}, .halo = {2, 0, 1}},
  {"ghosts alone", 1, {11}, .cut = {CUT_TWO_HOLDERS}},
  {"a mesh's nodes, with owners given by flags, beside layers", 2, {31, 3}, FIRST_AXIS,
   .cut = {CUT_GHOSTS, CUT_PADDED}},
  {"owned nodes first, beside components", 2, {31, 3}, FIRST_AXIS, .cut = {CUT_GHOSTS_BEHIND, CUT_PADDED}},
  {"nodes in short runs, alone", 1, {130}, .cut = {CUT_GHOST_RUNS}},
  {"nodes in short runs, with components", 2, {130, 3}, FIRST_AXIS, .cut = {CUT_GHOST_RUNS, CUT_PADDED}},
  {"nodes at even distances, alone", 1, {250}, .cut = {CUT_GHOST_STRIDES}},
  {"nodes at even distances, with components", 2, {250, 3}, FIRST_AXIS,
   .cut = {CUT_GHOST_STRIDES, CUT_PADDED}},
  {"components of nodes at even distances", 2, {3, 250}, SECOND_AXIS, .cut = {CUT_PADDED, CUT_GHOST_STRIDES}},
  {"components of nodes in short runs", 2, {3, 130}, SECOND_AXIS, .cut = {CUT_PADDED, CUT_GHOST_RUNS}},
  {"many nodes, listed one by one, alone", 1, {250}, .cut = {CUT_GHOSTS}},
  {"many nodes with components, which lie together or do not", 2, {250, 3}, FIRST_AXIS,
   .cut = {CUT_GHOSTS, CUT_PADDED}},
  {"many nodes between layers and components", 3, {2, 250, 4}, SECOND_AXIS,
   .cut = {CUT_PADDED, CUT_GHOSTS, CUT_PADDED}},
  {"nodes behind padded layers", 2, {14, 23}, .cut = {CUT_PADDED, CUT_GHOSTS}, .halo = {2}},
  {"nodes times nodes: ghosts of ghosts", 2, {13, 17}, .cut = {CUT_GHOSTS, CUT_GHOSTS_BEHIND}},
  {"a ring, nodes, and replicas", 3, {12, 7, 5}, .cut = {CUT_RING, CUT_GHOSTS, CUT_COPIES}, .halo = {2}},
  {"full copies get the first's values", 2, {5, 9}, FIRST_AXIS, .cut = {CUT_COPIES, CUT_PADDED}},
};
/* clang-format on */

/* Uses as many processes as the row is spread over, in any order. */
static void update(const case_layout *row, side_origin origin, int64_t itemsize, test_form form,
                   int64_t memory_bytes, test_random *random)
{
  static random_array array;
  static task t;
  case_layout c = *row;
  c.shuffled = test_random_one_in(random, 2);
  case_deal(&c, test_nprocs(), random, &array);
  test_side s = side_make(&array, origin, NULL, itemsize, form, random);
  TEST_CASE("%s, form %d: %s", c.why, (int)form, random_array_text(&array));
  task_of(&t, TASK_HALO, &s, &s, DAP_NONE, DAP_NONE);
  t.options = (dap_plan_options){.allow_empty = true, .memory_bytes = memory_bytes};
  task_move(&t, MPI_COMM_WORLD, 2);
  side_free(&s);
  SETTLE();
}

static void updates_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(20);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int form = 0; form < FORM_COUNT; form++)
      update(&rows[i], (side_origin)(form % 3), form % 2 ? 8 : 3, (test_form)form, 0, &random);
}

/* Types, the treatment of padding, transports, placements and byte orders take turns. */
static void add_up(const case_layout *row, int number, test_random *random)
{
  static const struct {
    dap_dtype dtype;
    dap_combine how;
  } kinds[] = {{DAP_F8, DAP_COMBINE_SUM}, {DAP_C16, DAP_COMBINE_SUM}, {DAP_I4, DAP_COMBINE_MAX},
               {DAP_F8, DAP_COMBINE_SUM}, {DAP_I2, DAP_COMBINE_SUM},  {DAP_F4, DAP_COMBINE_SUM},
               {DAP_F8, DAP_COMBINE_SUM}, {DAP_I8, DAP_COMBINE_MIN}};
  static random_array array;
  static task t;
  const int kind = number % 8, place = number % 2 ? number / 2 % PLACEMENTS : 0;
  const dap_dtype dtype = kinds[kind].dtype;
  case_layout c = *row;
  c.shuffled = test_random_one_in(random, 2);
  case_deal(&c, test_nprocs(), random, &array);
  test_side s = side_make(&array, (side_origin)(number % 3), NULL, dap_dtype_size(dtype),
                          (test_form)(number % FORM_COUNT), random);
  task_of(&t, TASK_REVERSE, &s, &s, dtype, dtype);
  t.options = (dap_plan_options){.combine = kinds[kind].how,
                                 .padding = (dap_padding)(number / 5 % 3),
                                 .allow_empty = true,
                                 .transports = task_way(place, number),
                                 .message_bytes = number % 4 == 1 ? 60 : 0};
  t.swaps[0] = number % 3 == 1 ? 0x2A : 0; /* on odd ranks */
  t.are_far_apart = kind == 3;
  TEST_CASE("%s, placement %d: %s", c.why, place, task_text(&t));
  task_move(&t, placed_comms[place], 2);
  side_free(&s);
  SETTLE();
}

static void adds_up_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(19);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int turn = 0; turn < 4; turn++) add_up(&rows[i], (int)(4 * i) + turn, &random);
}

/* Ghosts that do not fit into the memory of the plan at once must be moved in parts. */
static void ghosts_in_little_memory(void **state)
{
  (void)state;
  enum { MEMORY = 600 };
  const case_layout nodes = {"nodes and components", 2, {250, 3}, FIRST_AXIS, .cut = {CUT_GHOSTS}};
  test_random random = test_random_init(21);
  for (int origin = 0; origin < 3; origin++) update(&nodes, (side_origin)origin, 8, FORM_C, MEMORY, &random);
}

/* Checks the values of positions -low .. length + high - 1 of a one-dimensional array of int64. Indices are
 * counted modulo size. Positions outside [0, length) are padding. */
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

/* Interfaces have different widths, as the protocol allows: (4, 1) (1, 2) (2, 3) (3, 0), and in a ring (4, 1)
 * (1, 2) (2, 3) (3, 5). Process c owns 8 + c elements. */
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

/* Returns what the plan of a halo update says about itself. */
static dap_plan_stats stats_of(int ndim, const dap_dist dists[], int coords[])
{
  dap_layout *layout = layout_make(ndim, dists, NULL);
  dap_plan *plan = plan_of(ndim, dists, NULL, NULL);
  dap_layout_coords(layout, test_rank(), coords);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  return stats;
}

/* Each neighbour of an inner process gets one message. In a ring of two processes, each is the neighbour of
 * the other on both sides, and still gets one message. A single process gets none. */
static void sends_one_message_to_a_neighbour(void **state)
{
  (void)state;
  const int procs = test_nprocs(), rank = test_rank();
  int coords[1];
  dap_dist dist = dap_dist_padded(10 * procs, procs, 2);
  dap_plan_stats stats = stats_of(1, &dist, coords);
  const int neighbours = (rank > 0) + (rank < procs - 1);
  EXPECT_INT(stats.messages_sent, neighbours);
  EXPECT_INT(stats.bytes_sent, neighbours * 16);
  EXPECT_INT(stats.bytes_received, neighbours * 16);
  EXPECT_INT(stats.bytes_local, 0);
  dist.periodic = dist.wraps = true;
  stats = stats_of(1, &dist, coords);
  EXPECT_INT(stats.messages_sent, procs > 2 ? 2 : procs - 1);
  EXPECT_INT(stats.messages_received, procs > 2 ? 2 : procs - 1);
  EXPECT_INT(stats.bytes_sent, procs > 1 ? 32 : 0);
  EXPECT_INT(stats.bytes_received, procs > 1 ? 32 : 0);
  EXPECT_INT(stats.bytes_local, procs > 1 ? 0 : 32);
  SETTLE();
}

/* In a plane, corner neighbours also get one message each, and no position is filled twice. */
static void fills_every_corner_once(void **state)
{
  (void)state;
  test_random random = test_random_init(22);
  int grid[2], coords[2];
  int64_t beside[2]; /* neighbours along each axis */
  random_grid(&random, test_nprocs(), 2, grid);
  const dap_dist dists[] = {dap_dist_padded(10 * grid[0], grid[0], 2),
                            dap_dist_padded(10 * grid[1], grid[1], 3)};
  const dap_plan_stats stats = stats_of(2, dists, coords);
  for (int k = 0; k < 2; k++) beside[k] = (coords[k] > 0) + (coords[k] < grid[k] - 1);
  const int64_t padding = (10 + 2 * beside[0]) * (10 + 3 * beside[1]) - 100;
  EXPECT_INT(stats.messages_received, (1 + beside[0]) * (1 + beside[1]) - 1);
  EXPECT_INT(stats.bytes_received, 8 * padding);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),           cmocka_unit_test(updates_every_row),
    cmocka_unit_test(adds_up_every_row),         cmocka_unit_test(ghosts_in_little_memory),
    cmocka_unit_test(updates_uneven_interfaces), cmocka_unit_test(sends_one_message_to_a_neighbour),
    cmocka_unit_test(fills_every_corner_once),   cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
