/* Tests rules 19 to 23: buffers, element types, named distributions, block sizes, and equal results. */
#include "test_rules.h"

static const rule_row rows[] = {
    /* 19: strides */
    LEGAL(19, stride_negative, PADDED, EACH, "stride -8"),
    LEGAL(19, stride_0, CYCLIC, EACH, "stride 0"),
    LEGAL(19, stride_of_a_window, GRID, EACH, "stride 1000, axis 1 stride 24"),
    LEGAL(19, fortran_order, SHARED, EACH, "stride 8, axis 1 stride 32"),
    LEGAL(19, stride_of_one_element_does_not_matter, HPF, 2, "stride max"),
    LEGAL(19, stride_of_none_does_not_matter, HPF, 3, "stride min"),
    LEGAL(19, read_only, LISTS, EACH, "readonly 1"),
    BROKEN(19, strides_beyond_addresses, PADDED, EACH, "stride max/2", DAP_ERR_RANGE, "2^63",
           .broken = NO_RULE),
    BROKEN(19, no_data, GRID, EACH, "no_data", DAP_ERR_BUFFER, "data is NULL|elements", .broken = NO_RULE),

    /* 20: element types */
    BROKEN(20, no_type, LISTS, EACH, "dtype none", DAP_ERR_BUFFER, "dtype 0"),
    BROKEN(20, unknown_dtype, ROUND, EACH, "dtype 99", DAP_ERR_BUFFER, "dtype 99"),
    BROKEN(20, dtype_differs, TURNED, 2, "dtype float32", DAP_ERR_LAYOUT, "float32|float64|rank 0"),
    BROKEN(20, dtype_of_rank_0_differs, CYCLIC, 0, "dtype int64", DAP_ERR_LAYOUT, "float64|int64|rank 0",
           .blamed = RANK(1)),

    /* 21: named distributions */
    LEGAL(21, ceiling_on_all, CEILING, EVERY, ""),
    LEGAL(21, copies_on_all, COPIES, EVERY, ""),
    BROKEN(21, equal_among_ceilings, CEILING, 1, "stop 3, fit", DAP_ERR_LAYOUT,
           "axis 0|owns|3 .. 3|proc_grid_rank 2", .broken = 8, .blamed = RANK(0)),
    BROKEN(21, offset_of_an_empty_ceiling_beyond_size, CEILING, 3, "start 6, stop 6", DAP_ERR_DIM,
           "axis 0|stop 6|size 5", .broken = 8),

    /* 23: which of several faults is reported */
    BROKEN(23, lowest_rank_speaks, PADDED, 3, "size -3", DAP_ERR_ARG, "abi 5", .broken = NO_RULE,
           .blamed = RANK(1), .also = RANK(1), .more = "abi 5"),
    BROKEN(23, own_faults_before_differences, PADDED, 1, "size 100", DAP_ERR_DIM, "axis 0|dist_type 'x'",
           .broken = 1, .blamed = RANK(2), .also = RANK(2), .more = "type x"),
    BROKEN(23, differences_before_places, GRID, 1, "axis 1 rank 0", DAP_ERR_LAYOUT, "'0.10.4'", .broken = 2,
           .blamed = RANK(3), .also = RANK(3), .more = "version 0.10.4"),
    BROKEN(23, places_before_ranges, PLAIN, 1, "start 3, fit", DAP_ERR_LAYOUT, "rank 2", .broken = 6,
           .blamed = RANK(3), .also = RANK(3), .more = "rank 2"),
};

/* ---- rule 19: buffers that must not be written ----------------------------------------------------- */

/* One process's destination has stride 0. No process may receive a plan. */
static void zero_strides_are_not_written(void)
{
  for (int culprit = 0; culprit < FOUR; culprit++) {
    rule_parts parts;
    dap_error err = {0};
    make_rule_parts(CYCLIC, &parts);
    const int me = rules_rank();
    if (me >= 0) {
      const int64_t stride = me == culprit ? 0 : 8;
      const dap_side side = {.layout = parts.layout, .strides = &stride};
      dap_plan *plan = (dap_plan *)&parts; /* any value except NULL */
      dap_status s = dap_plan_create(rules_comm(), &side, &side, 8, NULL, &plan, &err);
      expect_same_error(rules_comm(), s, &err, DAP_ERR_BUFFER, "to: axis 0|stride 0");
      EXPECT_INT(err.rank, culprit);
      expect_rule(&err, 19);
      EXPECT(plan == NULL);
      const dap_side to = {.layout = parts.layout, .contiguous = true};
      s = dap_plan_create(rules_comm(), &side, &to, 8, NULL, &plan, &err);
      expect_same_error(rules_comm(), s, &err, DAP_OK, ""); /* reading is allowed */
      dap_plan_destroy(&plan);
    }
    release_rule_parts(&parts);
  }
}

/* ---- rule 22 --------------------------------------------------------------------------------------- */

static void one_block_size(void)
{
  static const struct {
    rule_base base;
    dap_status want;
    int64_t size, least;
    int source;
    const char *parts;
  } ways[] = {
      {PLAIN, DAP_OK, 2, 2, 0, ""},
      {CEILING, DAP_OK, 2, 2, 0, ""},
      {EDGED, DAP_OK, 4, 4, 0, ""},
      {CYCLIC, DAP_OK, 3, 3, 0, ""},
      {ROTATED, DAP_OK, 3, 3, 2, ""},
      {SHORT, DAP_OK, 0, 3, 0, ""},
      {UNCUT, DAP_OK, 0, 1, -1, ""},
      {SPARSE, DAP_ERR_SHARE, 0, 0, 0, "process 1 owns nothing, between"},
      {HOLLOW, DAP_ERR_SHARE, 0, 0, 0,
       "blocks differ in size: process 1 owns 6, process 2 owns 5 and is not the last"},
      {LISTS, DAP_ERR_SHARE, 0, 0, 0, "unstructured"},
  };
  for (size_t i = 0; i < RULE_COUNT(ways); i++) {
    rule_parts parts;
    dap_error err = {0};
    dap_layout *got = NULL;
    dap_blocks blocks = {0};
    make_rule_parts(ways[i].base, &parts);
    if (rules_rank() >= 0) {
      TEST_CASE("rule 22: way %zu", i);
      EXPECT_OK(dap_layout_assemble(rules_comm(), &parts.given[rules_rank()], &got, &err), &err);
      EXPECT_FAIL(dap_layout_blocks(got, 0, &blocks, &err), ways[i].want, &err, ways[i].parts);
      if (ways[i].want == DAP_OK)
        EXPECT(blocks.size == ways[i].size && blocks.least == ways[i].least &&
               blocks.source == ways[i].source);
      dap_layout_destroy(&got);
    }
    release_rule_parts(&parts);
  }
}

/* ---- rule 23 --------------------------------------------------------------------------------------- */

/* A process that passes NULL causes an error like any other fault, and the others report it. */
static void null_is_a_fault_like_any_other(void)
{
  for (int culprit = 0; culprit < FOUR; culprit++)
    for (int which = 0; which < 2; which++) {
      rule_parts parts;
      dap_error err = {0};
      dap_layout *got = NULL;
      make_rule_parts(SHARED, &parts);
      const int me = rules_rank();
      const bool mine = me == culprit;
      if (me >= 0) {
        const dap_status s = dap_layout_assemble(rules_comm(), mine && which ? NULL : &parts.given[me],
                                                 mine && !which ? NULL : &got, &err);
        expect_same_error(rules_comm(), s, &err, DAP_ERR_ARG,
                          which ? "array must not be NULL" : "layout must not be NULL");
        EXPECT_INT(err.rank, culprit);
        expect_rule(&err, 0);
        EXPECT(got == NULL);
      }
      release_rule_parts(&parts);
    }
}

static const rule_test tests[] = {
    {"zero_strides_are_not_written", 19, zero_strides_are_not_written},
    {"one_block_size", 22, one_block_size},
    {"null_is_a_fault_like_any_other", 23, null_is_a_fault_like_any_other},
};

const rule_table rules_of_use = {rows, RULE_COUNT(rows), tests, RULE_COUNT(tests)};
