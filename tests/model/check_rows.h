/* The right arrays that the tables of dap_array_check() change, and the reading of a table. */
#ifndef DAP_TEST_CHECK_ROWS_H
#define DAP_TEST_CHECK_ROWS_H

#include "mpi_test.h"
#include "mutate.h"

static double element;

#define ENVELOPE .abi = DAP_ARRAY_ABI, .version = "0.10.0", .dtype = DAP_F8, .data = &element

static const dap_array block = {/* the middle one of three, with one element of padding on both sides */
                                ENVELOPE,
                                .dim_count = 1,
                                .ndim = 1,
                                .shape = {6},
                                .strides = {8},
                                .dims = {{.dist_type = 'b',
                                          .size = 12,
                                          .proc_grid_size = 3,
                                          .proc_grid_rank = 1,
                                          .start = 3,
                                          .stop = 9,
                                          .padding = {1, 1}}}};

static const dap_array block09 = {/* the same in 0.9: start and stop leave the padding out */
                                  .abi = DAP_ARRAY_ABI,
                                  .version = "0.9.0",
                                  .dtype = DAP_F8,
                                  .data = &element,
                                  .dim_count = 1,
                                  .ndim = 1,
                                  .shape = {8},
                                  .strides = {8},
                                  .dims = {{.dist_type = 'b',
                                            .size = 12,
                                            .proc_grid_size = 3,
                                            .proc_grid_rank = 1,
                                            .start = 3,
                                            .stop = 9,
                                            .padding = {1, 1}}}};

static const dap_array edge = {/* the first of two, two elements of boundary padding */
                               ENVELOPE,
                               .dim_count = 1,
                               .ndim = 1,
                               .shape = {5},
                               .strides = {8},
                               .dims = {{.dist_type = 'b',
                                         .size = 8,
                                         .proc_grid_size = 2,
                                         .proc_grid_rank = 0,
                                         .start = 0,
                                         .stop = 5,
                                         .padding = {2, 1}}}};

static const dap_array cyclic = {/* the second of three: blocks [2, 4) and [8, 10) */
                                 ENVELOPE,
                                 .dim_count = 1,
                                 .ndim = 1,
                                 .shape = {4},
                                 .strides = {8},
                                 .dims = {{.dist_type = 'c',
                                           .size = 10,
                                           .proc_grid_size = 3,
                                           .proc_grid_rank = 1,
                                           .start = 2,
                                           .block_size = 2}}};

static const dap_array partial = {/* 5 in blocks of 3 over 2: owns the last, partial block */
                                  ENVELOPE,
                                  .dim_count = 1,
                                  .ndim = 1,
                                  .shape = {2},
                                  .strides = {8},
                                  .dims = {{.dist_type = 'c',
                                            .size = 5,
                                            .proc_grid_size = 2,
                                            .proc_grid_rank = 1,
                                            .start = 3,
                                            .block_size = 3}}};

static const dap_array table2 = {/* all rows; cyclic columns, block_size left out */
                                 ENVELOPE,
                                 .dim_count = 2,
                                 .ndim = 2,
                                 .shape = {3, 2},
                                 .strides = {16, 8},
                                 .dims = {{.dist_type = 0},
                                          {.dist_type = 'c',
                                           .size = 4,
                                           .proc_grid_size = 2,
                                           .proc_grid_rank = 0,
                                           .start = 0,
                                           .block_size = DAP_ABSENT}}};

static const uint8_t indices[] = {7, 0, 3};
static const dap_array listed = {/* three of eight, in an order of their own */
                                 ENVELOPE,
                                 .dim_count = 1,
                                 .ndim = 1,
                                 .shape = {3},
                                 .strides = {8},
                                 .dims = {{.dist_type = 'u',
                                           .size = 8,
                                           .proc_grid_size = 2,
                                           .proc_grid_rank = 1,
                                           .indices_dtype = DAP_U1,
                                           .index_count = 3,
                                           .indices = indices}}};

static const dap_array scalar = {ENVELOPE, .dim_count = 0, .ndim = 0};

typedef struct row {
  const char *why;
  const dap_array *base;
  test_change changes[TEST_CHANGES];
  dap_status want;
  const char *parts; /* of the message, '|' between them */
  int rule;          /* that is broken; 0: none of the protocol's */
} row;

static inline void check_rows(const row rows[], size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const row *r = &rows[i];
    dap_array array = *r->base;
    dap_error err = {.rank = 5, .rule = 77};
    apply_changes(&array, r->changes);
    TEST_CASE("%s", r->why);
    EXPECT_FAIL(dap_array_check(&array, &err), r->want, &err, r->parts);
    EXPECT_INT(dap_array_check(&array, NULL), r->want);
    EXPECT_INT(err.rank, r->want ? -1 : 5);
    if (r->want)
      expect_rule(&err, r->rule);
    else
      EXPECT_INT(err.rule, 77);
  }
  SETTLE();
}

#define ROWS(name)                                                                                           \
  static void check_##name(void **state)                                                                     \
  {                                                                                                          \
    (void)state;                                                                                             \
    check_rows(name, sizeof name / sizeof name[0]);                                                          \
  }

#endif
