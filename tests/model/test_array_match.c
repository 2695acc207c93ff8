/* Whether a buffer can be a process's part of a layout; extents are known by hand. */
#include "forget.h"
#include "listed.h"
#include "mpi_test.h"

#include <dapbridge/array.h>
#include <inttypes.h>

enum { PROCS = 6 };

/* 9 x 7 over 3 x 2: padding on one or both sides, and blocks of 2 dealt in turns. */
static dap_layout *make_padded(void)
{
  const dap_dist dists[] = {dap_dist_padded(9, 3, 1), dap_dist_cyclic(7, 2, 2)};
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  return layout;
}

static const int64_t padded_shapes[PROCS][2] = {{4, 4}, {4, 3}, {5, 4}, {5, 3}, {4, 4}, {4, 3}};

/* Lists, of which the process at coordinate 1 knows its own alone, but all lengths. */
static dap_layout *make_listed(void)
{
  const dap_dist dist = listed_axis();
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  if (layout) forget(layout, 0, 1);
  return layout;
}

/* 6 over 3, 4 on rank 2, none on rank 0, and 2 on rank 1. */
static dap_layout *make_reordered(void)
{
  const int64_t lengths[] = {4, 0, 2};
  const int ranks[] = {2, 0, 1};
  const dap_dist dist = dap_dist_lengths(6, 3, lengths);
  dap_layout *straight = NULL, *layout = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &straight, NULL), NULL);
  EXPECT_OK(dap_layout_reorder(straight, ranks, &layout, NULL), NULL);
  dap_layout_destroy(&straight);
  return layout;
}

static dap_layout *make_scalar(void)
{
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(0, NULL, &layout, NULL), NULL);
  return layout;
}

/* Every process's extents as those of every other. */
static void each_has_its_own_extents(void **state)
{
  (void)state;
  dap_layout *layout = make_padded();
  char memory = 0;
  for (int rank = 0; rank < PROCS; rank++)
    for (int other = 0; other < PROCS; other++) {
      const int64_t *have = padded_shapes[other], *want = padded_shapes[rank];
      const dap_array array = {.ndim = 2, .data = &memory, .shape = {have[0], have[1]}};
      const bool fits = have[0] == want[0] && have[1] == want[1];
      TEST_CASE("the part of rank %d as that of rank %d", other, rank);
      EXPECT_STATUS(dap_array_match((dap_darray){layout, &array}, rank, NULL), fits ? DAP_OK : DAP_ERR_BUFFER,
                    NULL);
    }
  dap_layout_destroy(&layout);
  SETTLE();
}

typedef dap_layout *make(void);

static const struct {
  const char *why;
  make *make;
  int rank, ndim;
  int64_t shape[3];
  bool has_data;
  dap_status want;
  const char *parts;
} rows[] = {
    {"padding on both sides", make_padded, 3, 2, {5, 3}, true, DAP_OK, NULL},
    {"padding left out", make_padded, 3, 2, {3, 3}, true, DAP_ERR_BUFFER, "axis 0|extent 3|the 5|rank 3"},
    {"an element more", make_padded, 1, 2, {4, 4}, true, DAP_ERR_BUFFER, "axis 1|extent 4|the 3|rank 1"},
    {"none", make_padded, 0, 2, {4, 0}, true, DAP_ERR_BUFFER, "axis 1|extent 0|the 4|rank 0"},
    {"fewer than none", make_padded, 0, 2, {-4, 4}, true, DAP_ERR_BUFFER, "axis 0|extent -4|the 4"},
    {"the other order of axes", make_padded, 3, 2, {3, 5}, true, DAP_ERR_BUFFER, "axis 0|extent 3|the 5"},
    {"a dimension less", make_padded, 0, 1, {4}, true, DAP_ERR_BUFFER, "ndim is 1|layout's 2"},
    {"a dimension more", make_padded, 0, 3, {4, 4, 1}, true, DAP_ERR_BUFFER, "ndim is 3|layout's 2"},
    {"a negative number of them", make_padded, 0, -1, {0}, true, DAP_ERR_BUFFER, "ndim is -1|layout's 2"},
    {"too many to have extents", make_padded, 0, 99, {4, 4}, true, DAP_ERR_BUFFER, "ndim is 99"},
    {"no data", make_padded, 2, 2, {5, 4}, false, DAP_ERR_BUFFER, "data is NULL|20 elements"},
    {"a rank below 0", make_padded, -1, 2, {4, 4}, true, DAP_ERR_ARG, "rank -1|0 .. 5"},
    {"a rank behind the last", make_padded, 6, 2, {4, 4}, true, DAP_ERR_ARG, "rank 6|0 .. 5"},
    {"another order of ranks", make_reordered, 2, 1, {4}, true, DAP_OK, NULL},
    {"a rank is no coordinate", make_reordered, 1, 1, {0}, true, DAP_ERR_BUFFER, "extent 0|the 2|rank 1"},
    {"no elements, no data", make_reordered, 0, 1, {0}, false, DAP_OK, NULL},
    {"no elements, but data", make_reordered, 0, 1, {0}, true, DAP_OK, NULL},
    {"an own list", make_listed, 1, 1, {2}, true, DAP_OK, NULL},
    {"a list that others know", make_listed, 2, 1, {3}, true, DAP_OK, NULL},
    {"not as long", make_listed, 2, 1, {2}, true, DAP_ERR_BUFFER, "axis 0|extent 2|the 3|rank 2"},
    {"no dimensions", make_scalar, 0, 0, {0}, true, DAP_OK, NULL},
    {"no dimensions, one element, no data", make_scalar, 0, 0, {0}, false, DAP_ERR_BUFFER, "NULL|1 elements"},
};

static void what_matches(void **state)
{
  (void)state;
  char memory = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_array array = {.ndim = rows[i].ndim,
                             .shape = {rows[i].shape[0], rows[i].shape[1], rows[i].shape[2]},
                             .data = rows[i].has_data ? &memory : NULL};
    dap_layout *layout = rows[i].make();
    dap_error err = {.rank = 7, .rule = 7, .text = "as it was"};
    TEST_CASE("%s", rows[i].why);
    if (rows[i].want == DAP_OK) {
      EXPECT_OK(dap_array_match((dap_darray){layout, &array}, rows[i].rank, &err), &err);
      EXPECT(err.rank == 7 && err.rule == 7 && !strcmp(err.text, "as it was"));
    } else {
      EXPECT_FAIL(dap_array_match((dap_darray){layout, &array}, rows[i].rank, &err), rows[i].want, &err,
                  rows[i].parts);
      EXPECT(err.rank == -1 && err.rule == 0);
      EXPECT_INT(dap_array_match((dap_darray){layout, &array}, rows[i].rank, NULL), rows[i].want);
    }
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* Parts of equal extents, told apart by their dictionaries, if they have any for this grid. */
static void is_the_part_of_that_place(void **state)
{
  (void)state;
  const dap_dist dists[2] = {dap_dist_even(12, 3), dap_dist_even(8, 2)},
                 other[2] = {dap_dist_even(12, 3), dap_dist_even(4, 1)};
  dap_layout *layout, *narrow;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_layout_create(2, other, &narrow, &err), &err);
  for (int rank = 0; rank < 6; rank++)
    for (int of = 0; of < 6; of++) {
      dap_array array;
      double data[16] = {0};
      TEST_CASE("the part of rank %d, on rank %d", of, rank);
      EXPECT_OK(dap_array_init(&array, layout, of, DAP_F8, DAP_ORDER_C, data, &err), &err);
      const dap_status s = dap_array_match((dap_darray){layout, &array}, rank, &err);
      if (rank == of)
        EXPECT_OK(s, &err);
      else
        EXPECT_FAIL(s, DAP_ERR_BUFFER, &err,
                    of / 2 == rank / 2 ? "axis 1: |another communicator" : "axis 0: |another communicator");
      dap_array bare = array; /* without dictionaries, or with those of another grid: it may be any part */
      bare.dim_count = 0;
      EXPECT_OK(dap_array_match((dap_darray){layout, &bare}, rank, &err), &err);
      memset(array.dims, 0, sizeof array.dims);
      EXPECT_OK(dap_array_match((dap_darray){layout, &array}, rank, &err), &err);
      dap_array_release(&array);
    }
  dap_array array;
  double data[16] = {0};
  EXPECT_OK(dap_array_init(&array, narrow, 2, DAP_F8, DAP_ORDER_C, data, &err), &err);
  array.dims[0].proc_grid_size = 4;
  EXPECT_OK(dap_array_match((dap_darray){layout, &array}, 1, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  dap_layout_destroy(&narrow);

  const dap_dist copies[1] = {dap_dist_replicated(8, 3)}; /* are alike */
  EXPECT_OK(dap_layout_create(1, copies, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, 0, DAP_F8, DAP_ORDER_C, data, &err), &err);
  EXPECT_OK(dap_array_match((dap_darray){layout, &array}, 2, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Type, strides, the rest of dictionaries and who may write are not what is asked. */
static void nothing_else_is_looked_at(void **state)
{
  (void)state;
  dap_layout *layout = make_padded();
  char memory = 0;
  dap_error err = {0};
  const dap_array array = {.abi = -1,
                           .dim_count = 5,
                           .version = "none",
                           .dtype = DAP_NONE,
                           .ndim = 2,
                           .shape = {4, 3},
                           .strides = {0, INT64_MIN},
                           .data = &memory,
                           .readonly = true,
                           .swapped = true};
  EXPECT_OK(dap_array_match((dap_darray){layout, &array}, 5, &err), &err);
  EXPECT_FAIL(dap_array_match((dap_darray){layout, NULL}, 5, &err), DAP_ERR_ARG, &err, "array|NULL");
  EXPECT_FAIL(dap_array_match((dap_darray){NULL, &array}, 5, &err), DAP_ERR_ARG, &err, "layout|NULL");
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_has_its_own_extents),
    cmocka_unit_test(what_matches),
    cmocka_unit_test(is_the_part_of_that_place),
    cmocka_unit_test(nothing_else_is_looked_at),
};

MPI_TEST_MAIN(tests)
