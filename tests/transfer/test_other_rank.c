/* These arrays are not this process's part, or are read-only although they are written. No plan may be made
 * for them, and all processes must get the same error. */
#include "mpi_test.h"
#include "plans.h"

#include <inttypes.h>

enum { WIDTH = 6 /* elements of each process; all parts have equal extents */ };

/* Which array a process gives. */
typedef enum mistake {
  RIGHT,
  NEXT,       /* the part of the next rank */
  LONGER,     /* an array of another layout, with more elements */
  FLAT,       /* an array of another layout, with one more axis */
  NO_PART,    /* zeroed, as dap_array_part() leaves it */
  NOT_TOLD,   /* the part of the next rank, without dictionaries, so that nothing in it says whose it is */
  OTHER_GRID, /* an array of a layout with another grid and the same extents on this process */
  READ_ONLY   /* its own part, which is right as a source */
} mistake;

static const struct {
  const char *why;
  mistake mistake;
  dap_status want;
  const char *parts;
} rows[] = {
    {"the own part", RIGHT, DAP_OK, NULL},
    {"equal extents, another place", NEXT, DAP_ERR_BUFFER,
     "axis 0: the array is the part of proc_grid_rank|"
     "made for another rank"},
    {"an element more", LONGER, DAP_ERR_BUFFER, "axis 0: the buffer's extent 7 differs from the 6"},
    {"an axis more", FLAT, DAP_ERR_BUFFER, "ndim is 2|layout's number of axes is 1"},
    {"no part", NO_PART, DAP_ERR_BUFFER, "has no part here|another rank"},
    {"without dictionaries any place is its", NOT_TOLD, DAP_OK, NULL},
    {"dictionaries of another grid say nothing of this one", OTHER_GRID, DAP_OK, NULL},
    {"the own part, read-only", READ_ONLY, DAP_ERR_BUFFER, "to: the array is read-only"},
};

static dap_layout *make_layout(int64_t size, int procs, int ndim)
{
  const dap_dist dists[] = {dap_dist_even(size, procs), dap_dist_even(1, 1)};
  return layout_make(ndim, dists, NULL);
}

static void make_array(mistake m, dap_array *array)
{
  const int procs = test_nprocs(), rank = test_rank();
  const bool is_next = m == NEXT || m == NOT_TOLD;
  const int64_t width = m == LONGER ? WIDTH + 1 : WIDTH;
  dap_error err;
  *array = (dap_array){0};
  if (m == NO_PART) return;
  const int grid = m == OTHER_GRID ? procs + 1 : procs;
  dap_layout *layout = make_layout(width * grid, grid, m == FLAT ? 2 : 1);
  const int of = m == OTHER_GRID ? rank + 1 : is_next ? (rank + 1) % procs : rank;
  EXPECT_OK(dap_array_init(array, layout, of, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  if (m == NOT_TOLD) memset(array->dims, 0, sizeof array->dims);
  array->readonly = m == READ_ONLY;
  dap_layout_destroy(&layout);
}

/* A function that takes an array. `good` is a side that is right. */
typedef dap_status make_plan(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err);

static dap_status as_source(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err)
{
  return dap_plan_create(MPI_COMM_WORLD, side, good, 0, NULL, plan, err);
}

static dap_status as_destination(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err)
{
  return dap_plan_create(MPI_COMM_WORLD, good, side, 0, NULL, plan, err);
}

static dap_status of_halo(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err)
{
  (void)good;
  return dap_plan_create_halo(MPI_COMM_WORLD, side, 0, &(dap_plan_options){.allow_empty = true}, plan, err);
}

static dap_status of_reverse(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err)
{
  (void)good;
  return dap_plan_create_halo_reverse(MPI_COMM_WORLD, side, 0, &(dap_plan_options){.allow_empty = true}, plan,
                                      err);
}

static dap_status to_root(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err)
{
  (void)good;
  return dap_plan_create_gather(MPI_COMM_WORLD, side, 0, 0, NULL, plan, err);
}

static dap_status from_root(const dap_side *side, const dap_side *good, dap_plan **plan, dap_error *err)
{
  (void)good;
  return dap_plan_create_scatter(MPI_COMM_WORLD, 0, side, 0, NULL, plan, err);
}

static const struct {
  const char *what;
  make_plan *make;
  bool writes; /* to the array */
} plans[] = {{"source", as_source, false}, {"destination", as_destination, true},
             {"halo", of_halo, true},      {"reverse halo", of_reverse, true},
             {"gather", to_root, false},   {"scatter", from_root, true}};

/* The processes from `first` on give the array of the row. */
static void try_row(size_t row, size_t plan_row, int first)
{
  dap_layout *layout = make_layout((int64_t)WIDTH * test_nprocs(), test_nprocs(), 1);
  dap_array array, right;
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("%s, %s, from rank %d on", plans[plan_row].what, rows[row].why, first);
  make_array(test_rank() >= first ? rows[row].mistake : RIGHT, &array);
  make_array(RIGHT, &right);
  dap_side side = dap_side_of((dap_darray){layout, &array}), good = dap_side_of((dap_darray){layout, &right});
  side.dtype = DAP_F8;
  const bool is_read = rows[row].mistake == READ_ONLY && !plans[plan_row].writes;
  const dap_status s = plans[plan_row].make(&side, &good, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, is_read ? DAP_OK : rows[row].want, rows[row].parts);
  if (s) EXPECT_INT(err.rank, first);
  EXPECT(!plan == !!s);
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_array_release(&right);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void only_this_process_s_part(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (size_t k = 0; k < sizeof plans / sizeof plans[0]; k++) {
      if (rows[i].mistake == NEXT && test_nprocs() == 1) continue;
      try_row(i, k, 0);
      try_row(i, k, test_nprocs() - 1);
    }
}

/* The place of an array is the number of the process in the layout, not its rank in the communicator. */
static void ranks_say_which_part(void **state)
{
  (void)state;
  const int procs = test_nprocs(), place = procs - 1 - test_rank();
  int ranks[6];
  for (int i = 0; i < procs; i++) ranks[i] = procs - 1 - i;
  dap_layout *layout = make_layout((int64_t)WIDTH * procs, procs, 1);
  for (int of = 0; of < procs; of++) {
    const int own = (place + of) % procs;
    dap_array array;
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("the part of %d places on, in reversed order", of);
    EXPECT_OK(dap_array_init(&array, layout, own, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
    dap_side side = dap_side_of((dap_darray){layout, &array});
    side.ranks = ranks;
    const dap_status s = to_root(&side, NULL, &plan, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, of ? DAP_ERR_BUFFER : DAP_OK, "from: axis 0|proc_grid_rank");
    dap_plan_destroy(&plan);
    dap_array_release(&array);
    SETTLE();
  }
  dap_layout_destroy(&layout);
}

/* Copies are alike at every place. A process outside the layout has no array. */
static void what_is_no_mistake(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  const dap_dist dists[] = {dap_dist_replicated(WIDTH, procs)};
  dap_layout *copies = NULL, *single = make_layout(WIDTH, 1, 1);
  dap_array array, whole;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, dists, &copies, &err), &err);
  EXPECT_OK(dap_array_init(&array, copies, 0, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&whole, single, 0, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  const dap_side side = dap_side_of((dap_darray){copies, &array}),
                 one = dap_side_of((dap_darray){single, &whole});
  TEST_CASE("the copy of rank 0 on every process");
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &side, &one, 0, NULL, &plan, &err), &err);
  dap_plan_destroy(&plan);
  TEST_CASE("a preview of another rank than this one");
  dap_layout *even = make_layout((int64_t)WIDTH * procs, procs, 1);
  dap_array own;
  dap_plan_stats stats;
  EXPECT_OK(dap_array_init(&own, even, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  const dap_side mine = dap_side_of((dap_darray){even, &own});
  for (int rank = 0; rank < procs; rank++)
    EXPECT_OK(dap_plan_preview(procs, rank, &mine, &mine, 0, NULL, &stats, &err), &err);
  dap_array_release(&own);
  dap_array_release(&array);
  dap_array_release(&whole);
  dap_layout_destroy(&even);
  dap_layout_destroy(&copies);
  dap_layout_destroy(&single);
  SETTLE();
}

/* Checks the side of an array, and the side of a process without an array. */
static void sides_of_arrays(void **state)
{
  (void)state;
  dap_layout *layout = make_layout((int64_t)WIDTH * test_nprocs(), test_nprocs(), 2);
  dap_array array;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F4, DAP_ORDER_F, NULL, &err), &err);
  array.swapped = true;
  const dap_side side = dap_side_of((dap_darray){layout, &array}),
                 outside = dap_side_of((dap_darray){NULL, NULL});
  EXPECT(side.layout == layout && side.strides == array.strides && side.dtype == DAP_F4 && side.swapped);
  EXPECT(!side.ranks && !side.part.axes && !side.part.start && !side.part.shape);
  EXPECT(!outside.layout && !outside.strides && outside.dtype == DAP_NONE && !outside.swapped);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_this_process_s_part),
    cmocka_unit_test(ranks_say_which_part),
    cmocka_unit_test(what_is_no_mistake),
    cmocka_unit_test(sides_of_arrays),
};
MPI_TEST_MAIN(tests)
