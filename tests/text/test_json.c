/* Compares the texts of dap_array_json(). Invalid arrays are written, too, unless they cannot be read.
 * tests/cli/test_export.c reads texts again. */
#include "mpi_test.h"

#include <dapbridge/json.h>
#include <dapbridge/parse.h>

static const struct {
  const char *why, *layout, *version;
  int rank;
  dap_dtype dtype;
  dap_order order;
  const char *want;
} rows[] = {
    {"a scalar", "scalar", "0.10.0", 0, DAP_F4, DAP_ORDER_C,
     "{\"__version__\": \"0.10.0\", \"dim_data\": [], \"buffer\": {\"shape\": [], \"dtype\": \"<f4\", "
     "\"strides\": []}}"},
    {"blocks with all that they can have, and blocks of more than one",
     "9x8 on 3x2: b(halo 1, boundary 2 1), c(3)", "0.10.0", 0, DAP_F8, DAP_ORDER_F,
     "{\"__version__\": \"0.10.0\", \"dim_data\": ["
     "{\"dist_type\": \"b\", \"size\": 9, \"proc_grid_size\": 3, \"proc_grid_rank\": 0, \"start\": 0, "
     "\"stop\": 4, "
     "\"padding\": [2, 1]}, "
     "{\"dist_type\": \"c\", \"size\": 8, \"proc_grid_size\": 2, \"proc_grid_rank\": 0, \"start\": 0, "
     "\"block_size\": 3}], \"buffer\": {\"shape\": [4, 5], \"dtype\": \"<f8\", \"strides\": [8, 32]}}"},
    {"what wraps round, 0.9", "9 on 3: b(halo 1, wraps, periodic)", "0.9.0", 2, DAP_NONE, DAP_ORDER_C,
     "{\"__version__\": \"0.9.0\", \"dim_data\": ["
     "{\"dist_type\": \"b\", \"size\": 9, \"proc_grid_size\": 3, \"proc_grid_rank\": 2, \"start\": 6, "
     "\"stop\": 9, "
     "\"padding\": [1, 1], \"periodic\": true}], \"buffer_shape\": [5]}"},
    {"keys and types of 0.0.1", "9x8x5 on 3x1x1: b(halo 1), c(3), c", "0.0.1", 1, DAP_NONE, DAP_ORDER_C,
     "{\"__version__\": [0, 0, 1], \"dimdata\": ["
     "{\"disttype\": \"bp\", \"datasize\": 9, \"gridsize\": 3, \"gridrank\": 1, \"start\": 3, \"stop\": 6, "
     "\"padding\": [1, 1]}, "
     "{\"disttype\": \"bc\", \"datasize\": 8, \"gridsize\": 1, \"gridrank\": 0, \"start\": 0, \"blocksize\": "
     "3}, "
     "{\"disttype\": \"c\", \"datasize\": 5, \"gridsize\": 1, \"gridrank\": 0, \"start\": 0}], "
     "\"buffer_shape\": [5, 8, 5]}"},
    {"lists", "3: u[0,2][][1](one to one)", "0.10.0", 0, DAP_BOOL, DAP_ORDER_C,
     "{\"__version__\": \"0.10.0\", \"dim_data\": ["
     "{\"dist_type\": \"u\", \"size\": 3, \"proc_grid_size\": 3, \"proc_grid_rank\": 0, \"indices\": [0, 2], "
     "\"one_to_one\": true}], \"buffer\": {\"shape\": [2], \"dtype\": \"|b1\", \"strides\": [1]}}"},
    {"an empty list", "3: u[0,2][][1]", "0.9.0", 1, DAP_NONE, DAP_ORDER_C,
     "{\"__version__\": \"0.9.0\", \"dim_data\": ["
     "{\"dist_type\": \"u\", \"size\": 3, \"proc_grid_size\": 3, \"proc_grid_rank\": 1, \"indices\": []}], "
     "\"buffer_shape\": [0]}"},
};

static char data[4096];

static void make(size_t i, dap_array *array)
{
  dap_layout *layout = NULL;
  dap_error err = {0};
  int coords[DAP_MAX_NDIM];
  *array = (dap_array){0};
  EXPECT_OK(dap_layout_parse(rows[i].layout, &layout, &err), &err);
  if (!layout) return;
  EXPECT_OK(dap_array_init(array, layout, rows[i].rank, rows[i].dtype ? rows[i].dtype : DAP_U1, rows[i].order,
                           data, &err),
            &err);
  dap_layout_coords(layout, rows[i].rank, coords);
  snprintf(array->version, sizeof array->version, "%s", rows[i].version);
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    EXPECT_OK(dap_layout_dim(layout, rows[i].version, k, coords[k], &array->dims[k], &err), &err);
  array->dtype = rows[i].dtype;
  dap_layout_destroy(&layout);
}

static void expect_json(const dap_array *array, const char *want)
{
  char text[1024];
  size_t length = 0;
  dap_error err = {0};
  EXPECT_OK(dap_array_json(array, text, sizeof text, &length, &err), &err);
  EXPECT_MSG(!strcmp(text, want), "text is\n%s", text);
  EXPECT_INT(length, strlen(want));
  length = 0;
  EXPECT_OK(dap_array_json(array, NULL, 0, &length, NULL), NULL);
  EXPECT_INT(length, strlen(want));
  memset(text, '#', sizeof text);
  EXPECT_OK(dap_array_json(array, text, 9, &length, NULL), NULL);
  EXPECT(length == strlen(want) && strlen(text) == 8 && !strncmp(text, want, 8) && text[9] == '#');
}

static void golden_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_array array;
    TEST_CASE("%s", rows[i].why);
    make(i, &array);
    if (array.abi) expect_json(&array, rows[i].want);
    dap_array_release(&array);
  }
  SETTLE();
}

/* Writes arrays that no layout describes, and invalid ones, so that the command can report them. */
static void foreign_arrays(void **state)
{
  (void)state;
  static const uint64_t far[] = {UINT64_MAX, 3};
  dap_array array = {
      .abi = DAP_ARRAY_ABI,
      .version = "9.\"\\\x01\x7f\xe9",
      .dim_count = 3,
      .dims = {{.dist_type = 'n', .size = 4, .proc_grid_size = DAP_ABSENT, .periodic = true},
               {.dist_type = '\x02', .size = DAP_ABSENT, .proc_grid_size = -1, .proc_grid_rank = 7},
               {.dist_type = 0, .size = 5}},
      .ndim = 1,
      .dtype = DAP_I4,
      .shape = {-4},
      .strides = {INT64_MIN},
      .readonly = true,
      .swapped = true};
  TEST_CASE("nothing is as it should be");
  expect_json(&array,
              "{\"__version__\": \"9.\\u0022\\u005c\\u0001\\u007f\\u00e9\", \"dim_data\": ["
              "{\"dist_type\": \"n\", \"size\": 4, \"periodic\": true}, "
              "{\"dist_type\": \"\\u0002\", \"proc_grid_size\": -1, \"proc_grid_rank\": 7}, {}], "
              "\"buffer\": {\"shape\": [-4], \"dtype\": \">i4\", \"strides\": [-9223372036854775808], "
              "\"readonly\": true}}");
  TEST_CASE("None of 0.0.1, whose padding does not count");
  array = (dap_array){.abi = DAP_ARRAY_ABI,
                      .version = "0.0.1",
                      .dim_count = 1,
                      .dims = {{.dist_type = 'n', .size = 4, .padding = {1, 0}}},
                      .ndim = 1,
                      .shape = {4}};
  expect_json(&array, "{\"__version__\": [0, 0, 1], \"dimdata\": [{\"disttype\": null, \"datasize\": 4, "
                      "\"padding\": [1, 0]}], \"buffer_shape\": [4]}");
  TEST_CASE("a version that is not closed, and indices beyond 63 bits");
  array.dims[0] = (dap_dim){.dist_type = 'u',
                            .size = 4,
                            .proc_grid_size = 1,
                            .indices_dtype = DAP_U8,
                            .index_count = 2,
                            .indices = far};
  memset(array.version, '0', sizeof array.version);
  expect_json(&array,
              "{\"__version__\": \"0000000000000000\", \"dim_data\": [{\"dist_type\": \"u\", \"size\": 4, "
              "\"proc_grid_size\": 1, \"proc_grid_rank\": 0, \"indices\": [9223372036854775807, 3]}], "
              "\"buffer_shape\": [4]}");
  SETTLE();
}

static void unreadable_arrays(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    dap_array array;
    dap_status want;
    int rule;
    const char *parts;
  } refusals[] = {
      {"a zeroed array", {0}, DAP_ERR_ARG, 0, "abi 0"},
      {"too many dimensions", {.abi = DAP_ARRAY_ABI, .ndim = 9}, DAP_ERR_BUFFER, 0, "ndim 9"},
      {"fewer than none", {.abi = DAP_ARRAY_ABI, .dim_count = -1}, DAP_ERR_BUFFER, 0, "dim_data|-1"},
      {"no type", {.abi = DAP_ARRAY_ABI, .dtype = (dap_dtype)99}, DAP_ERR_BUFFER, 20, "dtype 99"},
      {"no indices",
       {.abi = DAP_ARRAY_ABI, .dim_count = 1, .dims = {{.dist_type = 'u', .index_count = 3}}},
       DAP_ERR_DIM,
       17,
       "axis 0|NULL|3"},
      {"fewer than none",
       {.abi = DAP_ARRAY_ABI, .dim_count = 1, .dims = {{.dist_type = 'u', .index_count = -3}}},
       DAP_ERR_DIM,
       17,
       "axis 0|-3"},
      {"indices of no integer type",
       {.abi = DAP_ARRAY_ABI,
        .dim_count = 1,
        .dims = {{.dist_type = 'u', .index_count = 3, .indices = data, .indices_dtype = DAP_F8}}},
       DAP_ERR_DIM,
       17,
       "axis 0|integer"},
  };
  dap_error err = {0};
  size_t length = 7;
  char text[8] = "#######";
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    length = 7;
    text[0] = '#';
    EXPECT_FAIL(dap_array_json(&refusals[i].array, text, sizeof text, &length, &err), refusals[i].want, &err,
                refusals[i].parts);
    EXPECT(err.rule == refusals[i].rule && length == 0 && text[0] == '\0');
  }
  EXPECT_FAIL(dap_array_json(NULL, text, sizeof text, &length, &err), DAP_ERR_ARG, &err, "array|NULL");
  EXPECT_FAIL(dap_array_json(&refusals[0].array, NULL, 1, &length, &err), DAP_ERR_ARG, &err, "text|NULL");
  EXPECT_FAIL(dap_array_json(&refusals[0].array, text, 8, NULL, &err), DAP_ERR_ARG, &err, "length|NULL");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(golden_texts),
    cmocka_unit_test(foreign_arrays),
    cmocka_unit_test(unreadable_arrays),
};

MPI_TEST_MAIN(tests)
