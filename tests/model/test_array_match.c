/* Tests whether a buffer can be a process's part of a layout. The expected extents are computed by hand. */
#include "layouts.h"

#include <dapbridge/array.h>

enum { PROCS = 6 };

/* Layouts with padding on one or both sides, and blocks of 2 that are dealt in turns. */
static const char padded[] = "9x7 on 3x2: b(halo 1), c(2)", reordered[] = "6: b[4,0,2]; ranks 2 0 1";
static const int64_t padded_shapes[PROCS][2] = {{4, 4}, {4, 3}, {5, 4}, {5, 3}, {4, 4}, {4, 3}};

/* Checks every process's extents against the part of every other process. */
static void each_has_its_own_extents(void **state)
{
  (void)state;
  dap_layout *layout = read_layout(padded);
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

static const struct {
  const char *why, *layout;
  int rank, ndim;
  const char *shape;
  bool has_data;
  dap_status want;
  const char *parts;
} rows[] = {
    {"padding on both sides", padded, 3, 2, "5 3", true, DAP_OK, NULL},
    {"padding left out", padded, 3, 2, "3 3", true, DAP_ERR_BUFFER, "axis 0|extent 3|5|rank 3"},
    {"an element more", padded, 1, 2, "4 4", true, DAP_ERR_BUFFER, "axis 1|extent 4|3|rank 1"},
    {"none", padded, 0, 2, "4 0", true, DAP_ERR_BUFFER, "axis 1|extent 0|4|rank 0"},
    {"fewer than none", padded, 0, 2, "-4 4", true, DAP_ERR_BUFFER, "axis 0|extent -4|4"},
    {"a dimension less", padded, 0, 1, "4", true, DAP_ERR_BUFFER, "ndim is 1|2"},
    {"a dimension more", padded, 0, 3, "4 4 1", true, DAP_ERR_BUFFER, "ndim is 3|2"},
    {"a negative number of them", padded, 0, -1, "", true, DAP_ERR_BUFFER, "ndim is -1|2"},
    {"too many to have extents", padded, 0, 99, "4 4", true, DAP_ERR_BUFFER, "ndim is 99"},
    {"no data", padded, 2, 2, "5 4", false, DAP_ERR_BUFFER, "data is NULL|20 elements"},
    {"a rank below 0", padded, -1, 2, "4 4", true, DAP_ERR_ARG, "rank -1|0 .. 5"},
    {"a rank behind the last", padded, 6, 2, "4 4", true, DAP_ERR_ARG, "rank 6|0 .. 5"},
    {"another order of ranks", reordered, 2, 1, "4", true, DAP_OK, NULL},
    {"a rank is no coordinate", reordered, 1, 1, "0", true, DAP_ERR_BUFFER, "extent 0|2|rank 1"},
    {"no elements, no data", reordered, 0, 1, "0", false, DAP_OK, NULL},
    {"no elements, but data", reordered, 0, 1, "0", true, DAP_OK, NULL},
    {"no dimensions", "scalar", 0, 0, "", true, DAP_OK, NULL},
    {"no dimensions, one element, no data", "scalar", 0, 0, "", false, DAP_ERR_BUFFER, "NULL|1 elements"},
};

static void matching_arrays(void **state)
{
  (void)state;
  char memory = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_array array = {.ndim = rows[i].ndim, .data = rows[i].has_data ? &memory : NULL};
    dap_layout *layout = read_layout(rows[i].layout);
    dap_error err = {.rank = 7, .rule = 7, .text = "as it was"};
    TEST_CASE("%s", rows[i].why);
    char *end = NULL;
    int k = 0;
    for (const char *at = rows[i].shape; *at; at = end) array.shape[k++] = strtoll(at, &end, 10);
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

/* Parts of equal extents differ by their dictionaries, if these belong to this grid. */
static void is_the_part_of_that_place(void **state)
{
  (void)state;
  dap_layout *layout = read_layout("12x8 on 3x2"), *narrow = read_layout("12x4 on 3x1");
  dap_error err = {0};
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
      dap_array bare = array; /* without dictionaries, or with those of another grid, it matches any part */
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

  layout = read_layout("8 on 3: r"); /* copies are equal */
  EXPECT_OK(dap_array_init(&array, layout, 0, DAP_F8, DAP_ORDER_C, data, &err), &err);
  EXPECT_OK(dap_array_match((dap_darray){layout, &array}, 2, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Type, strides, access and the rest of dictionaries do not matter. */
static void nothing_else_is_looked_at(void **state)
{
  (void)state;
  dap_layout *layout = read_layout(padded);
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
    cmocka_unit_test(matching_arrays),
    cmocka_unit_test(is_the_part_of_that_place),
    cmocka_unit_test(nothing_else_is_looked_at),
};

MPI_TEST_MAIN(tests)
