/* Tests rules 17 and 18: unstructured axes, and the owner of an index that several processes hold. */
#include "test_rules.h"

static const rule_row rows[] = {
    /* 17: indices */
    BROKEN(17, indices_null, LISTS, EACH, "no_indices", DAP_ERR_DIM, "axis 0|NULL"),
    BROKEN(17, fewer_indices_than_none, SHARED, EACH, "index_count -1", DAP_ERR_DIM, "axis 0|-1"),
    BROKEN(17, index_on_none, LISTS, 1, "indices 2 3 5", DAP_ERR_LAYOUT, "axis 0|index 4|size 8|held by",
           .blamed = RANK(0)),
    BROKEN(17, first_index_on_none, DISJOINT, 0, "indices 1 4", DAP_ERR_LAYOUT,
           "axis 0|index 0|size 8|held by"),
    BROKEN(17, last_index_on_none, DISJOINT, 3, "indices 2 3", DAP_ERR_LAYOUT,
           "axis 0|index 7|size 8|held by", .blamed = RANK(0)),
    BROKEN(17, too_few_indices, DISJOINT, 3, "indices 7, fit", DAP_ERR_LAYOUT, "axis 0|hold|7 indices|size 8",
           .blamed = RANK(0)),
    BROKEN(17, no_indices_at_all, COPIES, EVERY, "index_count 0, fit", DAP_ERR_LAYOUT,
           "axis 0|hold|0 indices|size 3"),
    BROKEN(17, index_on_none_of_a_grid, SHARED, 2, "indices 1 2 5", DAP_ERR_LAYOUT,
           "axis 0|index 3|size 6|held by", .blamed = RANK(0), .also = RANK(3), .more = "indices 1 2 5"),
    BROKEN(17, index_on_none_of_a_grid_in_another_order, SHARED_TURNED, 3, "indices 5 3 2", DAP_ERR_LAYOUT,
           "axis 0|index 1|size 6|held by", .blamed = RANK(0), .also = RANK(1), .more = "indices 5 3 2"),
    BROKEN(17, index_on_none_of_the_second_dimension, DISJOINT_GRID, 0, "axis 1 indices 1 2", DAP_ERR_LAYOUT,
           "axis 1|index 0|size 3|held by", .also = RANK(2), .more = "axis 1 indices 1 2"),
    BROKEN(17, list_of_another_length_than_the_buffer, LISTS, EACH, "indices 0, extent 2", DAP_ERR_BUFFER,
           "axis 0|extent 2|1 indices", .broken = 4),
    LEGAL(17, indices_in_any_order, LISTS, 2, "indices 7 0 6 5", .moved = true),
    LEGAL(17, an_empty_list, COPIES, EACH, "index_count 0, no_indices, index_dtype none, fit", .moved = true),

    /* 18: duplicates */
    LEGAL(18, duplicates, LISTS, EVERY, ""),
    LEGAL(18, full_copies, COPIES, EVERY, ""),
    LEGAL(18, one_to_one_without_saying_so, DISJOINT, EVERY, "one_to_one 0", .moved = true),
    BROKEN(18, duplicate_of_rank_0, DISJOINT, 0, "indices 0 4 6, fit", DAP_ERR_LAYOUT,
           "axis 0|index 6|held by|proc_grid_rank 0|one_to_one"),
    BROKEN(18, duplicate_of_an_earlier_one, DISJOINT, 3, "indices 7 5 3, fit", DAP_ERR_LAYOUT,
           "axis 0|index 5|held by|proc_grid_rank 1", .blamed = RANK(0)),
    BROKEN(18, duplicates_the_lowest_of_which_is_named, DISJOINT, 2, "indices 7 2 3 6, fit", DAP_ERR_LAYOUT,
           "axis 0|index 3|held by|proc_grid_rank 2", .blamed = RANK(0)),
    BROKEN(18, one_to_one_said_of_duplicates, LISTS, EVERY, "one_to_one 1", DAP_ERR_LAYOUT,
           "axis 0|index 0|held by|proc_grid_rank 0"),
    BROKEN(18, one_to_one_said_of_full_copies, COPIES, EVERY, "one_to_one 1", DAP_ERR_LAYOUT,
           "axis 0|index 0|held by|proc_grid_rank 0"),
    BROKEN(18, duplicate_on_a_grid, DISJOINT_GRID, 2, "indices 1 3 0, fit", DAP_ERR_LAYOUT,
           "axis 0|index 0|held by|proc_grid_rank 0", .blamed = RANK(0), .also = RANK(3),
           .more = "indices 1 3 0, fit"),
    BROKEN(18, duplicate_of_the_second_dimension, DISJOINT_GRID, 1, "axis 1 indices 2 1, axis 1 fit",
           DAP_ERR_LAYOUT, "axis 1|index 1|held by|proc_grid_rank 0", .blamed = RANK(0), .also = RANK(3),
           .more = "axis 1 indices 2 1, axis 1 fit"),
};

/* ---- rule 17: any integers ------------------------------------------------------------------------ */

/* Gives the indices of each process in another type. Each process uses all types in turn. */
static void indices_of_every_type(void)
{
  for (int shift = 0; shift < 8; shift++) {
    rule_parts parts;
    dap_error err = {0};
    dap_layout *got = NULL;
    unsigned char bytes[4 * 8 + 1] = {0};
    make_rule_parts(LISTS, &parts);
    const int me = rules_rank();
    if (me >= 0) {
      dap_dim *dim = &parts.given[me].dims[0];
      const dap_dtype dtype = (dap_dtype)(DAP_I1 + (me + shift) % 8);
      for (int64_t i = 0; i < dim->index_count; i++) { /* one byte off every boundary */
        const uint64_t index = (uint64_t)((const unsigned char *)dim->indices)[i];
        const int64_t width = dap_dtype_size(dtype);
        for (int64_t b = 0; b < width; b++) {
          const bool is_little = *(const unsigned char *)&(const uint16_t){1} == 1;
          bytes[1 + i * width + (is_little ? b : width - 1 - b)] = b ? 0 : (unsigned char)index;
        }
      }
      dim->indices = bytes + 1;
      dim->indices_dtype = dtype;
      const dap_status s = dap_layout_assemble(rules_comm(), &parts.given[me], &got, &err);
      expect_same_error(rules_comm(), s, &err, DAP_OK, "");
      EXPECT(dap_layout_is_equal(got, parts.layout));
      dap_layout_destroy(&got);
    }
    release_rule_parts(&parts);
  }
}

static const rule_test tests[] = {
    {"indices_of_every_type", 17, indices_of_every_type},
};

const rule_table rules_of_lists = {rows, RULE_COUNT(rows), tests, RULE_COUNT(tests)};
