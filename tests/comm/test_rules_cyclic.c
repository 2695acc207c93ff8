/* Tests rules 13 to 16: blocks that are dealt round robin. */
#include "test_rules.h"

static const rule_row rows[] = {
    /* 13: block_size */
    BROKEN(13, block_size_0, CYCLIC, EACH, "block_size 0", DAP_ERR_DIM, "axis 0|block_size 0|1"),
    BROKEN(13, block_size_negative, GRID, EACH, "axis 1 block_size -2", DAP_ERR_DIM,
           "axis 1|block_size -2|1"),
    LEGAL(13, block_size_absent_is_1, SINGLES, EACH, "block_size absent"),
    LEGAL(13, block_size_absent_on_all, SINGLES, EVERY, "block_size absent"),
    BROKEN(13, block_size_absent_is_not_another, CYCLIC, 0, "block_size absent, extent 5", DAP_ERR_LAYOUT,
           "axis 0|block_size 3|1|rank 0", .broken = 7, .blamed = RANK(1)),
    LEGAL(13, block_size_beyond_size, SHORT, EVERY, ""),
    LEGAL(13, block_size_as_large_as_can_be, SHORT, EVERY, "block_size max", .moved = true),

    /* 14: start, and the first owner */
    BROKEN(14, start_negative_cyclic, CYCLIC, EACH, "start -3", DAP_ERR_DIM, "axis 0|start -3|negative"),
    BROKEN(14, start_inside_a_block, CYCLIC, EACH, "start 4", DAP_ERR_DIM, "axis 0|start 4|block_size 3"),
    BROKEN(14, another_first_owner, CYCLIC, 2, "start 3, extent 5", DAP_ERR_LAYOUT,
           "axis 0|start 3|proc_grid_rank 2|start 0|proc_grid_rank 0", .blamed = RANK(0)),
    BROKEN(14, another_first_owner_rotated, ROTATED, 1, "start 0, extent 6", DAP_ERR_LAYOUT,
           "axis 0|start 0|proc_grid_rank 1|start 6|proc_grid_rank 0", .blamed = RANK(0)),
    BROKEN(14, another_first_owner_on_rank_0, ROTATED, 0, "start 0, extent 6", DAP_ERR_LAYOUT,
           "axis 0|start 9|proc_grid_rank 1|start 0|proc_grid_rank 0"),
    BROKEN(14, says_that_it_is_empty, CYCLIC, 3, "start 17, extent 0", DAP_ERR_LAYOUT,
           "axis 0|start 17|proc_grid_rank 3|empty|3 elements", .blamed = RANK(0)),
    BROKEN(14, the_only_one_says_that_it_is_empty, SHORT, 0, "start 1000, extent 0", DAP_ERR_LAYOUT,
           "axis 0|start 1000|proc_grid_rank 0|empty|3 elements"),
    BROKEN(14, an_empty_one_starts, SHORT, 1, "start 0, extent 3", DAP_ERR_LAYOUT,
           "axis 0|start 0|proc_grid_rank 1|proc_grid_rank 0", .blamed = RANK(0)),
    LEGAL(14, rotated, ROTATED, EVERY, ""),
    LEGAL(14, empty_far_behind_size, SHORT, 3, "start 1000"),
    LEGAL(14, empty_at_no_multiple, SHORT, 1, "start 4"),
    LEGAL(14, empty_as_far_as_can_be, HPF, 3, "start max"),

    /* 15: NUMROC */
    LEGAL(15, counted_by_numroc, CYCLIC, EVERY, ""),
    BROKEN(15, faulty_count_of_0, CYCLIC, 0, "extent 8", DAP_ERR_BUFFER,
           "axis 0|extent 8|num_owned_indices|owns 6"),
    BROKEN(15, faulty_count_of_the_last_owner, CYCLIC, 1, "extent 3", DAP_ERR_BUFFER,
           "axis 0|extent 3|num_owned_indices|owns 5"),
    BROKEN(15, a_count_that_nothing_explains, CYCLIC, 2, "extent 5", DAP_ERR_BUFFER, "axis 0|extent 5|3",
           .broken = 4),

    /* 16: HPF's block */
    LEGAL(16, ceiling_as_block_size, HPF, EVERY, ""),
    BROKEN(16, even_split_is_too_short, HPF, 1, "extent 1", DAP_ERR_BUFFER, "axis 0|extent 1|2", .broken = 4),
    BROKEN(16, even_split_fills_the_last, HPF, 3, "start 4, extent 1", DAP_ERR_LAYOUT,
           "axis 0|start 4|proc_grid_rank 3", .broken = 14, .blamed = RANK(0)),
};

/* Blocks of ceil(5 / 4) of 5 elements are the ceiling cut. This is not an even split. */
static void hpf_is_no_even_split(void)
{
  rule_parts parts;
  dap_error err = {0};
  dap_layout *got = NULL, *even = NULL;
  int64_t dealt[FOUR + 1], ceiling[FOUR + 1], evenly[FOUR + 1];
  const dap_dist dist = dap_dist_even(5, FOUR);
  make_rule_parts(CEILING, &parts);
  EXPECT_OK(dap_layout_ranges(parts.layout, 0, ceiling, &err), &err);
  release_rule_parts(&parts);
  EXPECT_OK(dap_layout_create(1, &dist, &even, &err), &err);
  EXPECT_OK(dap_layout_ranges(even, 0, evenly, &err), &err);
  dap_layout_destroy(&even);
  make_rule_parts(HPF, &parts);
  if (rules_rank() >= 0) {
    EXPECT_OK(dap_layout_assemble(rules_comm(), &parts.given[rules_rank()], &got, &err), &err);
    EXPECT_OK(dap_layout_ranges(got, 0, dealt, &err), &err);
    static const int64_t want[] = {0, 2, 4, 5, 5};
    for (int i = 0; i <= FOUR; i++) EXPECT(dealt[i] == want[i] && ceiling[i] == want[i]);
    EXPECT(memcmp(dealt, evenly, sizeof dealt) != 0);
    dap_layout_destroy(&got);
  }
  release_rule_parts(&parts);
}

static const rule_test tests[] = {
    {"hpf_is_no_even_split", 16, hpf_is_no_even_split},
};

const rule_table rules_of_cyclic = {rows, RULE_COUNT(rows), tests, RULE_COUNT(tests)};
