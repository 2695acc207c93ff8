/* What dap_array_check() says of one process's part that no other processes could complete, and of numbers
 * that are near the end of 64 bits. */
#include "mpi_test.h"

#include <inttypes.h>

static double element;
static const int64_t four[] = {0, 1, 2, 3};

#define MOST (INT64_MAX / 4 * 3)

typedef struct row {
  const char *why;
  const char *version;
  dap_dim dim;
  int64_t extent;
  dap_status want;
  int rule;
  const char *parts; /* of the message */
} row;

#define B(s, p, r, from, to)                                                                                 \
  .dist_type = 'b', .size = s, .proc_grid_size = p, .proc_grid_rank = r, .start = from, .stop = to
#define C(s, p, r, from, bs)                                                                                 \
  .dist_type = 'c', .size = s, .proc_grid_size = p, .proc_grid_rank = r, .start = from, .block_size = bs
#define U(s, p, count)                                                                                       \
  .dist_type = 'u', .size = s, .proc_grid_size = p, .indices = four, .index_count = count,                   \
  .indices_dtype = DAP_I8

static const row rows[] = {
    {"the first begins at 0", "0.10.0", {B(10, 2, 0, 1, 5)}, 4, DAP_ERR_DIM, 8, "axis 0|first|1"},
    {"the last ends at size", "0.10.0", {B(10, 2, 1, 5, 9)}, 4, DAP_ERR_DIM, 8, "axis 0|last|9|10"},
    {"the only one has everything", "0.10.0", {B(10, 1, 0, 0, 0)}, 0, DAP_ERR_DIM, 8, "axis 0"},
    {"an empty first one is anywhere", "0.10.0", {B(10, 2, 0, 4, 4)}, 0, DAP_OK, 0, ""},
    {"nothing to distribute", "0.10.0", {B(0, 1, 0, 0, 0)}, 0, DAP_OK, 0, ""},
    {"padding that nobody lies below to own",
     "0.9.0",
     {B(20, 3, 1, 0, 9), .padding = {5, 0}},
     14,
     DAP_ERR_DIM,
     10,
     "axis 0|padding[0] 5|0"},
    {"padding that too few lie above to own",
     "0.9.0",
     {B(10, 2, 0, 0, 8), .padding = {0, 5}},
     13,
     DAP_ERR_DIM,
     10,
     "axis 0|padding[1] 5|2"},
    {"padding wider than what the neighbour could have",
     "0.9.0",
     {B(30, 3, 1, 10, 14), .padding = {5, 0}},
     9,
     DAP_ERR_DIM,
     10,
     "axis 0|padding[0] 5|4"},
    {"padding of an empty section",
     "0.10.0",
     {B(10, 3, 1, 3, 7), .padding = {2, 2}},
     4,
     DAP_ERR_DIM,
     10,
     "padding[0] 2"},
    {"padding that wraps round may be wider than the section",
     "0.9.0",
     {B(10, 2, 0, 0, 2), .padding = {8, 2}, .periodic = true},
     12,
     DAP_OK,
     0,
     ""},
    {"a cyclic process cannot be empty",
     "0.10.0",
     {C(10, 2, 0, 10, 1)},
     0,
     DAP_ERR_DIM,
     14,
     "axis 0|start 10|10|2"},
    {"one of too many can", "0.10.0", {C(3, 4, 3, 3, 1)}, 0, DAP_OK, 0, ""},
    {"the only cyclic process", "0.10.0", {C(5, 1, 0, 5, 8)}, 0, DAP_ERR_DIM, 14, "axis 0|start 5"},
    {"the only unstructured process", "0.10.0", {U(10, 1, 4)}, 4, DAP_ERR_DIM, 17, "axis 0|4|10"},
    {"one of two unstructured ones", "0.10.0", {U(10, 2, 4)}, 4, DAP_OK, 0, ""},
    {"more indices than the buffer has elements: none of them is read",
     "0.10.0",
     {U(10, 2, 1000000)},
     4,
     DAP_ERR_BUFFER,
     4,
     "axis 0|4|1000000"},
    {"padding that makes the extent overflow",
     "0.9.0",
     {B(MOST, 1, 0, 0, MOST), .padding = {MOST, MOST}, .periodic = true},
     2,
     DAP_ERR_RANGE,
     0,
     "axis 0|2^63"},
    {"start + padding beyond 64 bits",
     "0.10.0",
     {B(10, 3, 1, 2, 8), .padding = {INT64_MAX - 1, 0}},
     6,
     DAP_ERR_DIM,
     10,
     "axis 0|padding[0] 9223372036854775806"},
};

static void parts_alone(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const row *r = &rows[i];
    dap_array array = {.abi = DAP_ARRAY_ABI,
                       .dim_count = 1,
                       .ndim = 1,
                       .dtype = DAP_F8,
                       .data = &element,
                       .shape = {r->extent},
                       .strides = {8},
                       .dims = {r->dim}};
    dap_error err = {.rank = 5, .rule = 0};
    strcpy(array.version, r->version);
    TEST_CASE("%s", r->why);
    if (r->want == DAP_OK)
      EXPECT_OK(dap_array_check(&array, &err), &err);
    else
      EXPECT_FAIL(dap_array_check(&array, &err), r->want, &err, r->parts);
    EXPECT_INT(err.rule, r->rule);
  }
  SETTLE();
}

/* A layout whose buffers cannot be counted is refused when it is made. */
static void huge_halos_are_refused(void **state)
{
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    dap_dist dist = dap_dist_padded(MOST, procs, MOST / 2);
    dap_layout *layout = NULL;
    dap_error err = {0};
    dist.periodic = dist.wraps = true;
    TEST_CASE("%d processes", procs);
    EXPECT_FAIL(dap_layout_create(1, &dist, &layout, &err), DAP_ERR_RANGE, &err, "axis 0|2^63");
    EXPECT(layout == NULL);
  }
  SETTLE();
}

/* An array that only 0.9 can describe: what 0.10 could not say is nobody's business. */
static void errors_stay_as_they_were(void **state)
{
  (void)state;
  dap_dist dist = dap_dist_padded(6, 2, 1);
  dap_layout *layout = NULL;
  dap_array array = {0};
  dap_error err = {.rank = 5, .rule = 7, .text = "as it was"};
  dist.periodic = dist.wraps = true;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, 1, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT(!strcmp(array.version, "0.9.0"));
  EXPECT(err.rank == 5 && err.rule == 7 && !strcmp(err.text, "as it was"));
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(parts_alone),
    cmocka_unit_test(huge_halos_are_refused),
    cmocka_unit_test(errors_stay_as_they_were),
};

MPI_TEST_MAIN(tests)
