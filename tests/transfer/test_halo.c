/* Halo updates in place: every padded position, corners included, gets its owner's value. */
#include "brute.h"
#include "buffers.h"
#include "mpi_test.h"

static void update(const dap_layout *layout, int64_t itemsize, test_form form, test_random *random)
{
  const int rank = test_rank();
  test_buffer buffer = test_buffer_make(layout, rank, itemsize, form, random);
  const dap_side side = {.layout = layout, .strides = buffer.strides};
  dap_plan *plan = NULL;
  dap_error err;
  const bool made = EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, itemsize, NULL, &plan, &err), &err);
  for (int i = 0; i < 2 && made; i++) {
    fill_bytes(layout, rank, buffer.data, buffer.strides, itemsize);
    EXPECT_OK(dap_plan_run(plan, buffer.data, buffer.data, &err), &err);
    check_bytes(layout, rank, buffer.data, buffer.strides, itemsize, PADDING_FILLED);
    check_gaps(&buffer);
  }
  dap_plan_destroy(&plan);
  test_buffer_free(&buffer);
}

typedef struct row {
  const char *why;
  int ndim;
  int64_t size[3], halo[3];
  bool one[3]; /* the axis is not distributed */
} row;

static const row rows[] = {
    {"width 1 along a line", 1, {30}, {1}, {false}},
    {"as wide as the owned part: every element travels", 1, {12}, {2}, {false}},
    {"a plane with corners", 2, {18, 20}, {2, 1}, {false, false}},
    {"padding along the second axis only", 2, {18, 24}, {0, 3}, {true, false}},
    {"a padded axis on one process has no padding to fill", 2, {24, 9}, {1, 3}, {false, true}},
    {"a box with edges and corners", 3, {12, 13, 14}, {2, 1, 1}, {false, false, false}},
    {"no padding at all: the plan does nothing", 2, {12, 13}, {0, 0}, {false, false}},
};

static dap_layout *make_layout(const row *r, test_random *random)
{
  int procs[3], grid[3], axes = 0;
  for (int k = 0; k < r->ndim; k++) axes += !r->one[k];
  random_grid(random, test_nprocs(), axes, grid);
  dap_dist dists[3];
  for (int k = 0, used = 0; k < r->ndim; k++) {
    procs[k] = r->one[k] ? 1 : grid[used++];
    dists[k] = dap_dist_even(r->size[k], procs[k]);
    dists[k].halo = r->halo[k];
  }
  dap_layout *layout = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(r->ndim, dists, &layout, &err), &err);
  return layout;
}

static void updates_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(20);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (int form = 0; form < FORM_COUNT; form++) {
      TEST_CASE("%s, form %d", rows[i].why, form);
      dap_layout *layout = make_layout(&rows[i], &random);
      update(layout, 8, (test_form)form, &random);
      dap_layout_destroy(&layout);
      SETTLE();
    }
  }
}

/* Interfaces of different widths, as the protocol's text allows: (4, 1) (1, 2) (2, 3) (3, 0). */
static void updates_uneven_interfaces(void **state)
{
  (void)state;
  const int procs = test_nprocs(), rank = test_rank();
  int64_t size = 0, start = 0;
  for (int c = 0; c < procs; c++) {
    if (c < rank) start += 8 + c;
    size += 8 + c;
  }
  const int64_t low = rank, high = rank < procs - 1 ? rank + 1 : 0;
  dap_array array = {.abi = DAP_ARRAY_ABI, .version = "0.10.0", .dim_count = 1, .ndim = 1, .dtype = DAP_F8};
  array.dims[0] = (dap_dim){.dist_type = 'b',
                            .size = size,
                            .proc_grid_size = procs,
                            .proc_grid_rank = rank,
                            .start = start - low,
                            .stop = start + 8 + rank + high,
                            .padding = {rank == 0 ? 4 : low, high}};
  array.shape[0] = 8 + rank + low + high;
  array.strides[0] = 8;
  array.data = calloc((size_t)array.shape[0], 8);
  dap_layout *layout = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &layout, &err), &err);
  SETTLE();
  test_random random = test_random_init(21);
  update(layout, 8, FORM_C, &random);
  SETTLE();
  dap_layout_destroy(&layout);
  free(array.data);
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
  const dap_side side = {.layout = layout};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, NULL, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_stats_get(plan);
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
  const dap_side side = {.layout = layout};
  if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, 8, NULL, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_stats_get(plan);
    const int64_t padding = (10 + 2 * beside[0]) * (10 + 3 * beside[1]) - 100;
    EXPECT_INT(stats.messages_received, (1 + beside[0]) * (1 + beside[1]) - 1);
    EXPECT_INT(stats.bytes_received, 8 * padding);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(updates_every_row),
    cmocka_unit_test(updates_uneven_interfaces),
    cmocka_unit_test(sends_one_message_to_a_neighbour),
    cmocka_unit_test(fills_every_corner_once),
};
MPI_TEST_MAIN(tests)
