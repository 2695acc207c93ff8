/* Plans between named layouts: each row says why it is there. Every element of the destination is checked
 * against the map. */
#include "buffers.h"
#include "mpi_test.h"

/* An axis of a row: how it is cut, over a share of the processes. */
typedef enum axis_procs { ONE, ALL, SPLIT /* the squarest factors, this axis the larger */ } axis_procs;

typedef struct row_axis {
  dap_dist_kind kind;
  axis_procs procs;
  int64_t block_size;
  int first_owner; /* modulo the processes */
  int64_t halo;
} row_axis;

typedef struct row {
  const char *why;
  int ndim;
  int64_t size[3];
  row_axis from[3], to[3];
  test_form from_form, to_form;
  int64_t itemsize;
} row;

#define EVEN(procs, halo)                                                                                    \
  {                                                                                                          \
    DAP_DIST_EVEN, procs, 0, 0, halo                                                                         \
  }
#define CEILING(procs)                                                                                       \
  {                                                                                                          \
    DAP_DIST_CEIL, procs, 0, 0, 0                                                                            \
  }
#define CYCLIC(procs, block_size, first_owner)                                                               \
  {                                                                                                          \
    DAP_DIST_CYCLIC, procs, block_size, first_owner, 0                                                       \
  }

static const row rows[] = {
    {"nothing moves: same layout, same form", 1, {24}, {EVEN(ALL, 0)}, {EVEN(ALL, 0)}, FORM_C, FORM_C, 8},
    {"even and ceiling cuts differ by a few elements",
     1,
     {13},
     {EVEN(ALL, 0)},
     {CEILING(ALL)},
     FORM_C,
     FORM_C,
     8},
    {"cyclic to block: every element changes its place",
     1,
     {29},
     {CYCLIC(ALL, 1, 0)},
     {EVEN(ALL, 0)},
     FORM_C,
     FORM_C,
     8},
    {"an array smaller than the grid leaves processes empty",
     1,
     {2},
     {CYCLIC(ALL, 1, 0)},
     {EVEN(ALL, 0)},
     FORM_C,
     FORM_C,
     4},
    {"no element at all", 1, {0}, {CYCLIC(ALL, 3, 0)}, {EVEN(ALL, 0)}, FORM_C, FORM_C, 8},
    {"a block larger than the array", 1, {5}, {CYCLIC(ALL, 64, 1)}, {EVEN(ALL, 0)}, FORM_C, FORM_C, 8},
    {"row slabs in C order to block-cyclic in Fortran order",
     2,
     {37, 41},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {CYCLIC(SPLIT, 4, 0), CYCLIC(SPLIT, 4, 0)},
     FORM_C,
     FORM_F,
     8},
    {"one block size to another on the transposed grid",
     2,
     {33, 34},
     {CYCLIC(ONE, 6, 0), CYCLIC(ALL, 6, 0)},
     {CYCLIC(ALL, 4, 0), CYCLIC(ONE, 4, 0)},
     FORM_F,
     FORM_F,
     16},
    {"rotated first owners on both axes",
     2,
     {17, 19},
     {CYCLIC(SPLIT, 3, 1), CYCLIC(SPLIT, 2, 2)},
     {CYCLIC(SPLIT, 2, 2), CYCLIC(SPLIT, 5, 1)},
     FORM_C,
     FORM_C,
     8},
    {"only storage is transposed",
     2,
     {20, 30},
     {EVEN(SPLIT, 0), EVEN(SPLIT, 0)},
     {EVEN(SPLIT, 0), EVEN(SPLIT, 0)},
     FORM_C,
     FORM_F,
     8},
    {"a padded source gives its interior, a padded destination keeps its padding",
     2,
     {26, 25},
     {EVEN(ALL, 2), EVEN(ONE, 0)},
     {EVEN(ALL, 1), EVEN(ONE, 0)},
     FORM_C,
     FORM_C,
     8},
    {"windows of wider arrays: the gaps stay as they are",
     2,
     {14, 15},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 2, 0)},
     FORM_WINDOW,
     FORM_WINDOW,
     8},
    {"negative strides on both sides",
     2,
     {14, 15},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 2, 0)},
     FORM_NEGATIVE,
     FORM_NEGATIVE,
     8},
    {"elements of an odd size",
     2,
     {9, 11},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 1, 0)},
     FORM_C,
     FORM_F,
     7},
    {"single bytes",
     2,
     {9, 11},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 1, 0)},
     FORM_C,
     FORM_PERMUTED,
     1},
    {"two bytes",
     2,
     {9, 11},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 1, 0)},
     FORM_F,
     FORM_C,
     2},
    {"three axes, every kind of cut",
     3,
     {7, 12, 10},
     {CYCLIC(ONE, 2, 0), EVEN(ALL, 0), CEILING(ONE)},
     {EVEN(SPLIT, 0), CYCLIC(SPLIT, 3, 0), CYCLIC(ONE, 1, 0)},
     FORM_PERMUTED,
     FORM_C,
     8},
};

/* Factors of the number of processes: the two squarest, the larger first. */
static void factors(int nprocs, int split[2])
{
  split[1] = 1;
  for (int f = 1; f * f <= nprocs; f++)
    if (nprocs % f == 0) split[1] = f;
  split[0] = nprocs / split[1];
}

static dap_layout *make_layout(const row *r, const row_axis axes[])
{
  dap_dist dists[3];
  int split[2], used = 0;
  factors(test_nprocs(), split);
  for (int k = 0; k < r->ndim; k++) {
    const int procs = axes[k].procs == ONE ? 1 : axes[k].procs == ALL ? test_nprocs() : split[used++];
    dists[k] = (dap_dist){.kind = axes[k].kind,
                          .procs = procs,
                          .size = r->size[k],
                          .block_size = axes[k].block_size,
                          .first_owner = axes[k].first_owner % procs,
                          .halo = axes[k].halo};
  }
  dap_layout *layout = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(r->ndim, dists, &layout, &err), &err);
  return layout;
}

/* Moves twice with one plan, so that what a run leaves behind cannot help the next. */
static void move(const row *r, const dap_layout *from, const dap_layout *to, test_random *random,
                 const dap_plan_options *options)
{
  const int rank = test_rank();
  test_buffer source = test_buffer_make(from, rank, r->itemsize, r->from_form, random);
  test_buffer target = test_buffer_make(to, rank, r->itemsize, r->to_form, random);
  dap_plan *plan = NULL;
  dap_error err;
  const dap_side a = {.layout = from, .strides = source.strides},
                 b = {.layout = to, .strides = target.strides};
  fill_bytes(from, rank, source.data, source.strides, r->itemsize);
  const bool made =
      EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, r->itemsize, options, &plan, &err), &err);
  for (int i = 0; i < 2 && made; i++) {
    fill_poison(to, rank, target.data, target.strides, r->itemsize);
    EXPECT_OK(dap_plan_begin(plan, source.data, target.data, &err), &err);
    EXPECT_OK(dap_plan_end(plan, &err), &err);
    check_bytes(to, rank, target.data, target.strides, r->itemsize, PADDING_POISON);
    check_bytes(from, rank, source.data, source.strides, r->itemsize, PADDING_POISON);
    check_gaps(&target);
  }
  dap_plan_destroy(&plan);
  dap_plan_destroy(&plan);
  test_buffer_free(&source);
  test_buffer_free(&target);
}

static void moves_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(1);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    dap_layout *from = make_layout(&rows[i], rows[i].from), *to = make_layout(&rows[i], rows[i].to);
    move(&rows[i], from, to, &random, NULL);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

/* Messages of a few bytes: a message falls into many parts, none of which ends with an element. */
static void cuts_long_messages(void **state)
{
  (void)state;
  test_random random = test_random_init(2);
  const dap_plan_options options = {.message_bytes = 37};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("in parts of 37 bytes: %s", rows[i].why);
    dap_layout *from = make_layout(&rows[i], rows[i].from), *to = make_layout(&rows[i], rows[i].to);
    move(&rows[i], from, to, &random, &options);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

/* ---- gather, scatter, parts of a communicator --------------------------------------------------- */

static dap_layout *whole_of(const dap_layout *layout)
{
  dap_dist dists[DAP_MAX_NDIM];
  dap_layout *whole = NULL;
  dap_error err;
  for (int k = 0; k < dap_layout_ndim(layout); k++) dists[k] = dap_dist_even(dap_layout_size(layout, k), 1);
  EXPECT_OK(dap_layout_create(dap_layout_ndim(layout), dists, &whole, &err), &err);
  return whole;
}

static void gather_and_scatter(const row *r, const dap_layout *layout, int root, test_random *random)
{
  const int rank = test_rank();
  dap_layout *whole = whole_of(layout);
  test_buffer part = test_buffer_make(layout, rank, r->itemsize, r->from_form, random);
  char *all = rank == root ? malloc((size_t)(dap_layout_count(layout) * r->itemsize) + 1) : NULL;
  const dap_side side = {.layout = layout, .strides = part.strides};
  int64_t strides[DAP_MAX_NDIM], step = r->itemsize;
  for (int k = r->ndim - 1; k >= 0; k--) {
    strides[k] = step;
    step *= r->size[k];
  }
  dap_plan *gather = NULL, *scatter = NULL;
  dap_error err;
  fill_bytes(layout, rank, part.data, part.strides, r->itemsize);
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &side, root, r->itemsize, NULL, &gather, &err), &err))
    EXPECT_OK(dap_plan_run(gather, part.data, all, &err), &err);
  if (rank == root) check_bytes(whole, 0, all, strides, r->itemsize, PADDING_ANY);
  fill_poison(layout, rank, part.data, part.strides, r->itemsize);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, root, &side, r->itemsize, NULL, &scatter, &err),
                &err))
    EXPECT_OK(dap_plan_run(scatter, all, part.data, &err), &err);
  check_bytes(layout, rank, part.data, part.strides, r->itemsize, PADDING_POISON);
  dap_plan_destroy(&gather);
  dap_plan_destroy(&scatter);
  dap_layout_destroy(&whole);
  test_buffer_free(&part);
  free(all);
}

static void gathers_and_scatters(void **state)
{
  (void)state;
  test_random random = test_random_init(3);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int root = (int)i % test_nprocs();
    TEST_CASE("gather to and scatter from %d: %s", root, rows[i].why);
    dap_layout *layout = make_layout(&rows[i], rows[i].from);
    gather_and_scatter(&rows[i], layout, root, &random);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* The source lives on the first processes, the destination on the last ones in reverse; with three or
 * more processes neither covers the communicator, and with two they are disjoint. */
static void moves_between_parts_of_a_communicator(void **state)
{
  (void)state;
  const int nprocs = test_nprocs(), rank = test_rank(), half = (nprocs + 1) / 2;
  const row r = {"parts", 2, {11, 13}, {{0}}, {{0}}, FORM_C, FORM_F, 8};
  const dap_dist from_dists[] = {dap_dist_cyclic(11, half, 2), dap_dist_even(13, 1)};
  const dap_dist to_dists[] = {dap_dist_even(11, 1), dap_dist_cyclic(13, half, 3)};
  int first[6], last[6];
  for (int i = 0; i < half; i++) {
    first[i] = i;
    last[i] = nprocs - 1 - i;
  }
  const int p = rank < half ? rank : -1, q = nprocs - 1 - rank < half ? nprocs - 1 - rank : -1;
  dap_layout *from = NULL, *to = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(2, from_dists, &from, &err), &err);
  EXPECT_OK(dap_layout_create(2, to_dists, &to, &err), &err);
  test_random random = test_random_init(4);
  test_buffer source = test_buffer_make(from, p < 0 ? 0 : p, r.itemsize, r.from_form, &random);
  test_buffer target = test_buffer_make(to, q < 0 ? 0 : q, r.itemsize, r.to_form, &random);
  const dap_side a = {.layout = from, .ranks = first, .strides = source.strides};
  const dap_side b = {.layout = to, .ranks = last, .strides = target.strides};
  if (p >= 0) fill_bytes(from, p, source.data, source.strides, r.itemsize);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, r.itemsize, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, p < 0 ? NULL : source.data, q < 0 ? NULL : target.data, &err), &err);
  if (q >= 0) check_bytes(to, q, target.data, target.strides, r.itemsize, PADDING_ANY);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  test_buffer_free(&source);
  test_buffer_free(&target);
  SETTLE();
}

/* A scalar has one element and no axis. */
static void moves_a_scalar(void **state)
{
  (void)state;
  dap_layout *scalar = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  const int from_rank = 0, to_rank = test_nprocs() - 1;
  double source = 42.5, target = 0;
  EXPECT_OK(dap_layout_create(0, NULL, &scalar, &err), &err);
  const dap_side a = {.layout = scalar, .ranks = &from_rank, .contiguous = true},
                 b = {.layout = scalar, .ranks = &to_rank, .contiguous = true};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, &source, &target, &err), &err);
  EXPECT(target == (test_rank() == to_rank ? 42.5 : 0));
  dap_plan_destroy(&plan);
  dap_layout_destroy(&scalar);
  SETTLE();
}

/* Two plans of one communicator under way at once do not take each other's messages. */
static void runs_two_plans_at_once(void **state)
{
  (void)state;
  const int rank = test_rank(), n = 3 * test_nprocs() + 1;
  const dap_dist block = dap_dist_even(n, test_nprocs()), cyclic = dap_dist_cyclic(n, test_nprocs(), 1);
  dap_layout *from = NULL, *to = NULL;
  dap_plan *there = NULL, *back = NULL;
  dap_array a, b, c, d;
  dap_error err;
  EXPECT_OK(dap_layout_create(1, &block, &from, &err), &err);
  EXPECT_OK(dap_layout_create(1, &cyclic, &to, &err), &err);
  EXPECT_OK(dap_array_init(&a, from, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&b, to, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&c, to, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&d, from, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  fill_global(from, rank, &a);
  fill_global(to, rank, &c);
  const dap_side x = {.layout = from, .contiguous = true}, y = {.layout = to, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &x, &y, 8, NULL, &there, &err), &err);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &y, &x, 8, NULL, &back, &err), &err);
  EXPECT_OK(dap_plan_begin(there, a.data, b.data, &err), &err);
  EXPECT_OK(dap_plan_begin(back, c.data, d.data, &err), &err);
  EXPECT_OK(dap_plan_end(back, &err), &err);
  EXPECT_OK(dap_plan_end(there, &err), &err);
  check_global(to, rank, &b, PADDING_ANY);
  check_global(from, rank, &d, PADDING_ANY);
  dap_plan_destroy(&there);
  dap_plan_destroy(&back);
  dap_array_release(&a);
  dap_array_release(&b);
  dap_array_release(&c);
  dap_array_release(&d);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {

    cmocka_unit_test(moves_every_row),      cmocka_unit_test(cuts_long_messages),
    cmocka_unit_test(gathers_and_scatters), cmocka_unit_test(moves_between_parts_of_a_communicator),
    cmocka_unit_test(moves_a_scalar),       cmocka_unit_test(runs_two_plans_at_once),
};
MPI_TEST_MAIN(tests)
