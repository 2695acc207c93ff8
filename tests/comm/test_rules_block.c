/* Tests rules 8 to 12: ranges, padding, periodic and undistributed axes. */
#include "test_rules.h"

static const rule_row rows[] = {
    /* 8: start and stop */
    BROKEN(8, start_negative, PADDED, EACH, "start -1", DAP_ERR_DIM, "axis 0|start -1|negative"),
    BROKEN(8, stop_before_start, ROUND, 2, "stop 6", DAP_ERR_DIM, "axis 0|stop 6|start 8"),
    BROKEN(8, a_gap, PLAIN, 2, "start 5, fit", DAP_ERR_LAYOUT, "axis 0|owns|4 .. 4|proc_grid_rank 2",
           .blamed = RANK(0)),
    BROKEN(8, a_gap_in_draft, DRAFT, 3, "start 14, extent 3", DAP_ERR_LAYOUT,
           "axis 0|owns|12 .. 13|proc_grid_rank 3", .blamed = RANK(0)),
    BROKEN(8, a_gap_in_front, PLAIN, 0, "start 1, fit", DAP_ERR_LAYOUT,
           "axis 0|owns|0 .. 0|proc_grid_rank 0"),
    BROKEN(8, a_gap_at_the_end, PLAIN, 3, "stop 7, fit", DAP_ERR_LAYOUT, "axis 0|owns|7 .. 7|size 8",
           .blamed = RANK(0)),
    BROKEN(8, an_overlap, PLAIN, 1, "start 1, fit", DAP_ERR_LAYOUT, "axis 0|proc_grid_rank 1|owns|1|2",
           .blamed = RANK(0)),
    BROKEN(8, an_overlap_in_0_9, ROUND, 2, "stop 13, extent 7", DAP_ERR_LAYOUT,
           "axis 0|proc_grid_rank 3|owns|12|13", .blamed = RANK(0)),
    BROKEN(8, one_has_all, PLAIN, 0, "stop 8, fit", DAP_ERR_LAYOUT, "axis 0|proc_grid_rank 1|owns|2|8"),
    BROKEN(8, ranges_out_of_order, PLAIN, 1, "rank 2", DAP_ERR_LAYOUT, "axis 0|owns|2 .. 3|proc_grid_rank 1",
           .blamed = RANK(0), .also = RANK(2), .more = "rank 1"),
    BROKEN(8, one_leaves_its_padding_out, PADDED, 1, "start 4, stop 8, fit", DAP_ERR_LAYOUT,
           "axis 0|owns|4 .. 4|proc_grid_rank 1", .blamed = RANK(0)),
    LEGAL(8, ranges_exclude_padding, DRAFT, EVERY, ""),

    /* 9: periodic */
    BROKEN(9, wraps_further_than_the_last_owns, ROUND, 0, "pad_low 5, extent 10", DAP_ERR_LAYOUT,
           "axis 0|padding[0] 5|proc_grid_rank 0|wraps round|4 elements|proc_grid_rank 3|owns"),
    BROKEN(9, wraps_further_than_the_first_owns, ROUND, 3, "pad_high 6, extent 11", DAP_ERR_LAYOUT,
           "axis 0|padding[1] 6|proc_grid_rank 3|wraps round|4 elements|proc_grid_rank 0|owns",
           .blamed = RANK(0)),
    BROKEN(9, wraps_to_nothing, HOLLOW, 3, "pad_high 1, extent 6", DAP_ERR_LAYOUT,
           "axis 0|padding[1] 1|proc_grid_rank 3|wraps round|0", .blamed = RANK(0)),
    BROKEN(9, nothing_wraps, HOLLOW, 0, "pad_low 1, extent 1", DAP_ERR_LAYOUT,
           "axis 0|proc_grid_rank 0|owns|padding[0] 1"),
    BROKEN(9, buffer_without_what_wraps, ROUND, 3, "extent 5", DAP_ERR_BUFFER, "axis 0|extent 5|= 6",
           .broken = 4),
    LEGAL(9, edge_is_owned_in_0_10, EDGED, EVERY, ""),
    LEGAL(9, wraps_by_another_width_at_each_end, ROUND, 0, "pad_low 3, extent 8", .moved = true),

    /* 10: padding */
    BROKEN(10, padding_negative, PADDED, EACH, "pad_high -1", DAP_ERR_DIM, "axis 0|padding[1] -1|negative"),
    BROKEN(10, padding_absent_is_not_a_value, GRID, 2, "pad_low absent", DAP_ERR_DIM, "axis 0: padding[0]"),
    BROKEN(10, neighbours_differ, PADDED, 1, "start 2, pad_low 2, fit", DAP_ERR_LAYOUT,
           "axis 0|padding[1] 1|proc_grid_rank 0|padding[0] 2|1", .blamed = RANK(0)),
    BROKEN(10, neighbours_differ_in_0_9, ROUND, 3, "pad_low 0, extent 5", DAP_ERR_LAYOUT,
           "axis 0|padding[1] 1|proc_grid_rank 2|padding[0] 0|3", .blamed = RANK(0)),
    BROKEN(10, wider_than_the_neighbour_owns, ROUND, 1, "pad_high 5, extent 10", DAP_ERR_LAYOUT,
           "axis 0|padding 5|proc_grid_ranks 1|2|4", .blamed = RANK(0), .also = RANK(2),
           .more = "pad_low 5, extent 10"),
    BROKEN(10, beside_an_empty_one, HOLLOW, 0, "pad_high 1, extent 1", DAP_ERR_LAYOUT,
           "axis 0|padding 1|proc_grid_ranks 0|1|0", .also = RANK(1), .more = "pad_low 1, extent 7"),

    /* 11: empty sections */
    LEGAL(11, empty_at_the_beginning, SPARSE, 1, "start 0, stop 0"),
    LEGAL(11, empty_amid_another, SPARSE, 3, "start 6, stop 6"),
    LEGAL(11, empty_at_the_end, CEILING, 3, "start 5, stop 5"),
    LEGAL(11, empty_anywhere_in_0_9, HOLLOW, 0, "start 9, stop 9"),
    LEGAL(11, empty_elsewhere_on_both, ENDED, 2, "start 0, stop 0", .also = RANK(3),
          .more = "start 0, stop 0"),
    BROKEN(11, empty_elsewhere_on_one, ENDED, 3, "start 0, stop 0", DAP_ERR_LAYOUT, "axis 0|start 0|4|rank 2",
           .broken = 7),
    BROKEN(11, empty_beyond_size, SPARSE, 3, "start 9, stop 9", DAP_ERR_DIM, "axis 0|stop 9|size 8",
           .broken = 8),
    BROKEN(11, empty_where_something_is_owned, SPARSE, 2, "stop 5, fit", DAP_ERR_LAYOUT,
           "axis 0|owns|5 .. 7|size 8", .broken = 8, .blamed = RANK(0)),

    /* 12: undistributed */
    LEGAL(12, empty_dictionary, UNCUT, EVERY, ""),
    LEGAL(12, n_in_0_9, UNCUT_IN_0_9, EVERY, ""),
    LEGAL(12, none_in_draft, UNCUT_IN_DRAFT, EVERY, ""),
    LEGAL(12, written_out, UNCUT, EACH, "type b, size 3, procs 1, stop 3"),
    LEGAL(12, written_out_in_0_9, UNCUT_IN_0_9, EACH, "type b, procs 1, stop 3"),
    LEGAL(12, n_whose_grid_does_not_count, UNCUT_IN_0_9, EACH, "procs 9, rank -4, start 7, stop 1"),
    BROKEN(12, empty_dictionary_of_another_extent, UNCUT, 1, "extent 4", DAP_ERR_LAYOUT,
           "axis 0|size 4|3|rank 0", .broken = 7),
    BROKEN(12, n_of_another_size, UNCUT_IN_0_9, 3, "size 4", DAP_ERR_BUFFER, "axis 0|extent 3|4",
           .broken = 4),
    BROKEN(12, none_of_another_size_and_extent, UNCUT_IN_DRAFT, 2, "size 4, extent 4", DAP_ERR_LAYOUT,
           "axis 0|size 4|3|rank 0", .broken = 7),
    BROKEN(12, all_undistributed_on_four, UNCUT, EVERY, "axis 1 type {}", DAP_ERR_LAYOUT,
           "proc_grid_size|1|given for 4;", .broken = 6),
};

/* ---- rule 8: the hints ---------------------------------------------------------------------------- */

/* Gives ranges of one version under the name of another, on all processes, in buffers that fit them. */
static void ranges_of_the_other_version(void)
{
  static const struct {
    rule_base base;
    const char *version, *hint;
  } ways[] = {{DRAFT, "0.10.0", "exclude the communication padding"},
              {PADDED, "0.9.0", "include the communication padding"}};
  for (int i = 0; i < 2; i++) {
    rule_parts parts;
    dap_error err = {0};
    dap_layout *got = NULL;
    make_rule_parts(ways[i].base, &parts);
    const int me = rules_rank();
    if (me >= 0) {
      dap_array *mine = &parts.given[me];
      const dap_dim *dim = &mine->dims[0];
      snprintf(mine->version, sizeof mine->version, "%s", ways[i].version);
      mine->shape[0] = dim->stop - dim->start + (i ? (me > 0) + (me < FOUR - 1) : 0);
      const dap_status s = dap_layout_assemble(rules_comm(), mine, &got, &err);
      expect_same_error(rules_comm(), s, &err, DAP_ERR_LAYOUT, ways[i].hint);
      expect_rule(&err, 8);
      EXPECT(got == NULL);
    }
    release_rule_parts(&parts);
  }
}

/* ---- rule 9: owner of the edge --------------------------------------------------------------------- */

/* Checks where the elements around both ends are: in the owner's buffer, and in padding that wraps around. */
static void owner_of_the_edge(void)
{
  for (int i = 0; i < 2; i++) {
    rule_parts parts;
    dap_error err = {0};
    dap_layout *got = NULL;
    make_rule_parts(i ? ROUND : EDGED, &parts);
    if (rules_rank() >= 0) {
      EXPECT_OK(dap_layout_assemble(rules_comm(), &parts.given[rules_rank()], &got, &err), &err);
      int rank = -1;
      int64_t local = -1, global = -1;
      bool owned = false;
      EXPECT_OK(dap_layout_locate(got, (const int64_t[]){0}, &rank, &local, &err), &err);
      EXPECT(rank == 0 && local == (i ? 1 : 0)); /* 0.9: after the padding; 0.10: it is the padding */
      EXPECT_OK(dap_layout_globalize(got, 0, (const int64_t[]){0}, &global, &owned, &err), &err);
      EXPECT(global == (i ? 15 : 0) && owned == (i == 0));
      EXPECT_OK(dap_layout_globalize(got, 3, (const int64_t[]){i ? 5 : 4}, &global, &owned, &err), &err);
      EXPECT(global == (i ? 0 : 15) && owned == (i == 0));
      EXPECT_INT(dap_layout_axis(got, 0).boundary[0], i ? 0 : 2);
      dap_layout_destroy(&got);
    }
    release_rule_parts(&parts);
  }
}

static const rule_test tests[] = {
    {"ranges_of_the_other_version", 8, ranges_of_the_other_version},
    {"owner_of_the_edge", 9, owner_of_the_edge},
};

const rule_table rules_of_block = {rows, RULE_COUNT(rows), tests, RULE_COUNT(tests)};
