/* Tests rules 1 to 7: keys, versions, dictionaries and buffers, the process grid, and values that must be
 * equal. */
#include "test_rules.h"

static const rule_row rows[] = {
    /* 1: keys, types and values by dialect */
    BROKEN(1, unknown_type, PADDED, EACH, "type x", DAP_ERR_DIM, "axis 0|dist_type 'x'|0.10.*"),
    BROKEN(1, unprintable_type, GRID, 3, "axis 1 type \a", DAP_ERR_DIM, "axis 1|dist_type (byte 7)"),

    /* 2: versions */
    BROKEN(2, no_such_version, PADDED, EACH, "version 7.0", DAP_ERR_VERSION, "__version__ '7.0'|no rules"),
    BROKEN(2, next_version, LISTS, 3, "version 0.11.0", DAP_ERR_VERSION, "'0.11.0'"),
    BROKEN(2, patch_level_differs, TURNED, 3, "version 0.10.1", DAP_ERR_LAYOUT, "'0.10.1'|'0.10.0'|rank 0"),
    BROKEN(2, patch_level_of_rank_0_differs, CYCLIC, 0, "version 0.10.1", DAP_ERR_LAYOUT,
           "'0.10.0'|'0.10.1'|rank 0", .blamed = RANK(1)),
    BROKEN(2, dialect_differs, PLAIN, 2, "version 0.9.0", DAP_ERR_LAYOUT, "'0.9.0'|'0.10.0'|rank 0"),
    BROKEN(2, dialect_that_means_another_buffer, PADDED, 2, "version 0.9.0", DAP_ERR_BUFFER,
           "axis 0|extent|0.9.*", .broken = 8),
    LEGAL(2, any_0_10, PADDED, EVERY, "version 0.10.25"),
    LEGAL(2, any_dialect_without_padding, PLAIN, EVERY, "version 0.0.1"),
    LEGAL(2, any_0_9, ROUND, EVERY, "version 0.9.5"),

    /* 3: ignored keys, and integers */
    LEGAL(3, keys_of_others_in_block, PADDED, EACH,
          "block_size -3, one_to_one 1, index_count -4, index_dtype 99"),
    LEGAL(3, keys_of_others_in_cyclic, CYCLIC, EACH, "stop -9, pad_low -1, periodic 1, one_to_one 1"),
    LEGAL(3, keys_of_others_in_lists, LISTS, EACH,
          "start absent, stop -9, pad_high -1, periodic 1, block_size 0"),
    BROKEN(3, indices_of_bools, LISTS, EACH, "index_dtype bool", DAP_ERR_DIM, "axis 0|bool", .broken = 17),

    /* 4: as many dictionaries as dimensions, and extents */
    BROKEN(4, fewer_dictionaries, GRID, EACH, "dim_count 1", DAP_ERR_BUFFER, "1 dictionaries|2 axes"),
    BROKEN(4, more_dictionaries, LISTS, 1, "dim_count 2", DAP_ERR_BUFFER, "2 dictionaries|1 axes"),
    BROKEN(4, more_dimensions, PADDED, 2, "dim_count 2, ndim 2, axis 1 extent 1", DAP_ERR_LAYOUT,
           "number of axes 2|1|rank 0"),
    BROKEN(4, fewer_dimensions_on_rank_0, UNCUT, 0, "dim_count 1, ndim 1", DAP_ERR_LAYOUT,
           "number of axes 2|1|rank 0", .blamed = RANK(1)),

    /* 5: no dimensions */
    BROKEN(5, all_without_dimensions, CYCLIC, EVERY, "ndim 0, dim_count 0", DAP_ERR_LAYOUT,
           "without axes|1 process|4 processes"),
    BROKEN(5, one_without_dimensions, CYCLIC, 3, "ndim 0, dim_count 0", DAP_ERR_LAYOUT,
           "number of axes 0|1|rank 0", .broken = 4),

    /* 6: the process grid */
    BROKEN(6, no_processes, LISTS, EACH, "procs 0", DAP_ERR_DIM, "axis 0|proc_grid_size 0|1"),
    BROKEN(6, rank_negative, HPF, EACH, "rank -1", DAP_ERR_DIM, "axis 0|proc_grid_rank -1|= 3"),
    BROKEN(6, more_places_than_processes, GRID, EVERY, "axis 1 procs 3, axis 1 start 8, axis 1 extent 0",
           DAP_ERR_LAYOUT, "axis 1: proc_grid_size|for only 4"),
    BROKEN(6, places_beyond_counting, DISJOINT_GRID, EVERY, "procs max, axis 1 procs max", DAP_ERR_LAYOUT,
           "axis 0|proc_grid_size"),
    BROKEN(6, fewer_places_than_processes, DISJOINT_GRID, EVERY, "axis 1 procs 1, axis 1 rank 0",
           DAP_ERR_LAYOUT, "proc_grid_size|2|given for 4;"),
    BROKEN(6, same_place, GRID, 1, "axis 1 rank 0", DAP_ERR_LAYOUT, "axis 0|proc_grid_rank 0|axis 1|rank 0"),
    BROKEN(6, same_place_as_a_later_rank, SHARED, 0, "rank 1, axis 1 rank 1", DAP_ERR_LAYOUT,
           "axis 0|proc_grid_rank 1|axis 1|rank 0", .blamed = RANK(3)),
    BROKEN(6, same_place_of_one_axis, LISTS, 2, "rank 1", DAP_ERR_LAYOUT, "axis 0|proc_grid_rank 1|rank 1"),
    BROKEN(6, same_place_in_another_order, TURNED, 3, "rank 0", DAP_ERR_LAYOUT,
           "axis 0|proc_grid_rank 0|axis 1|rank 2"),
    LEGAL(6, ranks_in_another_order, TURNED, EVERY, ""),
    LEGAL(6, two_exchange_their_places, PLAIN, 1, "rank 2, start 4, stop 6", .moved = true, .also = RANK(2),
          .more = "rank 1, start 2, stop 4"),

    /* 7: values that must be equal along an axis */
    BROKEN(7, type_differs, PADDED, 1, "type c, block_size 1, extent 4", DAP_ERR_LAYOUT,
           "axis 0|dist_type 'c'|'b'|rank 0"),
    BROKEN(7, size_differs, DISJOINT, 3, "size 9", DAP_ERR_LAYOUT, "axis 0|size 9|8|rank 0"),
    BROKEN(7, size_of_rank_0_differs, PADDED, 0, "size 20", DAP_ERR_LAYOUT, "axis 0|size 16|20|rank 0",
           .blamed = RANK(1)),
    BROKEN(7, grid_size_differs, PADDED, 2, "procs 5", DAP_ERR_LAYOUT, "axis 0|proc_grid_size 5|4|rank 0"),
    BROKEN(7, periodic_differs, EDGED, 2, "periodic 0", DAP_ERR_LAYOUT, "axis 0|periodic 0|1|rank 0"),
    BROKEN(7, block_size_differs, CYCLIC, 3, "block_size 1, start 3, extent 4", DAP_ERR_LAYOUT,
           "axis 0|block_size 1|3|rank 0"),
    BROKEN(7, one_to_one_differs, DISJOINT_GRID, 2, "axis 1 one_to_one 0", DAP_ERR_LAYOUT,
           "axis 1|one_to_one 0|1|rank 0"),
    BROKEN(7, start_differs, GRID, 3, "start 4, fit", DAP_ERR_LAYOUT, "axis 0|start 4|3|rank 2"),
    BROKEN(7, start_differs_in_another_order, TURNED, 1, "start 4, fit", DAP_ERR_LAYOUT,
           "axis 0|start 4|3|rank 3"),
    BROKEN(7, stop_differs, GRID, 1, "stop 4, fit", DAP_ERR_LAYOUT, "axis 0|stop 4|5|rank 0"),
    BROKEN(7, cyclic_start_differs, GRID, 2, "axis 1 start 2", DAP_ERR_LAYOUT, "axis 1|start 2|0|rank 0"),
    BROKEN(7, inner_padding_differs, GRID, 1, "pad_high 2", DAP_ERR_LAYOUT, "axis 0|padding[1] 2|1|rank 0"),
    LEGAL(7, outer_padding_may_differ_low, GRID, 1, "pad_low 2"),
    LEGAL(7, outer_padding_may_differ_high, GRID, 3, "pad_high 3"),
    BROKEN(7, outer_padding_that_wraps_differs, ROUND_GRID, 1, "pad_low 2, extent 7", DAP_ERR_LAYOUT,
           "axis 0|padding[0] 2|1|rank 0"),
    BROKEN(7, list_is_shorter, SHARED, 1, "indices 0 2 4, fit", DAP_ERR_LAYOUT, "axis 0|3|4|rank 0"),
    BROKEN(7, list_is_of_another_order, SHARED, 3, "indices 1 5 3", DAP_ERR_LAYOUT,
           "axis 0|indices[1] 5|3|rank 2"),
    BROKEN(7, list_of_rank_0_differs, SHARED, 0, "indices 0 2 4 3", DAP_ERR_LAYOUT,
           "axis 0|indices[3] 5|3|rank 0", .blamed = RANK(1)),
    BROKEN(7, one_of_four_lists_differs, REPEATED, 2, "indices 2 1 0", DAP_ERR_LAYOUT,
           "axis 0|indices[1] 1|0", .other_witness = true),
    BROKEN(7, last_of_four_lists_differs, REPEATED, 3, "indices 0 2 1", DAP_ERR_LAYOUT,
           "axis 0|indices[0] 0|2|0", .other_witness = true),
    BROKEN(7, list_differs_in_another_order, SHARED_TURNED, 2, "indices 0 2 4 3", DAP_ERR_LAYOUT,
           "axis 0|indices[3] 5|3|rank 2", .blamed = RANK(0)),
};

/* ---- rule 2: the caller chooses the rules --------------------------------------------------------- */

/* Uses the range of 0.9 with an unknown version, and then another name on one rank. */
static void named_rules(void)
{
  rule_parts parts;
  dap_error err = {0};
  dap_layout *got = NULL;
  make_rule_parts(DRAFT, &parts);
  const int me = rules_rank();
  if (me >= 0) {
    dap_array *mine = &parts.given[me];
    snprintf(mine->version, sizeof mine->version, "ours 3");
    dap_status s = dap_layout_assemble(rules_comm(), mine, &got, &err);
    expect_same_error(rules_comm(), s, &err, DAP_ERR_VERSION, "rank 0|'ours 3'|(rule 2)");
    s = dap_layout_assemble_as(rules_comm(), "0.9.0", mine, &got, &err);
    expect_same_error(rules_comm(), s, &err, DAP_OK, "");
    EXPECT(dap_layout_is_equal(got, parts.layout));
    dap_layout_destroy(&got);
    s = dap_layout_assemble_as(rules_comm(), "0.10.0", mine, &got, &err);
    expect_same_error(rules_comm(), s, &err, DAP_ERR_BUFFER, "rank 0|axis 0|0.10.*|include|(rule 8)");
    s = dap_layout_assemble_as(rules_comm(), "ours 3", mine, &got, &err);
    expect_same_error(rules_comm(), s, &err, DAP_ERR_VERSION, "rank 0|'ours 3'|(rule 2)");
    for (int culprit = 1; culprit < FOUR; culprit++) {
      char parts_of_text[64];
      snprintf(parts_of_text, sizeof parts_of_text, "rank %d: |'theirs'|'ours 3' on rank 0|(rule 2)",
               culprit);
      snprintf(mine->version, sizeof mine->version, me == culprit ? "theirs" : "ours 3");
      s = dap_layout_assemble_as(rules_comm(), "0.9.0", mine, &got, &err);
      expect_same_error(rules_comm(), s, &err, DAP_ERR_LAYOUT, parts_of_text);
      EXPECT(got == NULL);
    }
  }
  release_rule_parts(&parts);
}

/* Outer padding wraps around if read by 0.9, and is owned if read by 0.10. Processes must not read by
 * different versions. */
static void rules_that_differ(void)
{
  for (int culprit = 0; culprit < FOUR; culprit++) {
    rule_parts parts;
    dap_error err = {0};
    dap_layout *got = NULL;
    make_rule_parts(ROUND, &parts);
    const int me = rules_rank();
    if (me >= 0) {
      dap_array *mine = &parts.given[me];
      const bool is_other = me == culprit;
      mine->dims[0].padding[0] = me == 0;
      mine->dims[0].padding[1] = me == FOUR - 1;
      mine->shape[0] = 4 + (!is_other && (me == 0 || me == FOUR - 1));
      const dap_status s =
          dap_layout_assemble_as(rules_comm(), is_other ? "0.10.0" : "0.9.0", mine, &got, &err);
      expect_same_error(rules_comm(), s, &err, DAP_ERR_ARG, "rules");
      EXPECT_INT(err.rank, culprit > 0 ? culprit : 1);
      expect_rule(&err, 2);
      EXPECT(got == NULL);
      dap_layout_destroy(&got);
    }
    release_rule_parts(&parts);
  }
}

/* ---- rule 5 --------------------------------------------------------------------------------------- */

static void scalar_on_one_process(void)
{
  double one = 1;
  const dap_array array = {.abi = DAP_ARRAY_ABI, .version = "0.10.0", .dtype = DAP_F8, .data = &one};
  dap_error err = {0};
  dap_layout *got = NULL;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_SELF, &array, &got, &err), &err);
  EXPECT(got && dap_layout_ndim(got) == 0 && dap_layout_count(got) == 1);
  dap_layout_destroy(&got);
}

static const rule_test tests[] = {
    {"named_rules", 2, named_rules},
    {"rules_that_differ", 2, rules_that_differ},
    {"scalar_on_one_process", 5, scalar_on_one_process},
};

const rule_table rules_of_keys = {rows, RULE_COUNT(rows), tests, RULE_COUNT(tests)};
