/* Arrays that are no blocks in row-major order of ranks: lists of indices, copies on several processes,
 * padding that wraps round, ranks in an order of their own, elements in the other byte order. */
#include "field_test.h"

#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED

/* clang-format off */
static const field_row lists[] = {
  {"1-D, lists", 1, {35}, .lists = {LISTS},
   .local = MOVED, .global = MOVED, .reason = "axis 0|unstructured"},
  {"1-D, lists, assembled, stencil 2", 1, {35}, .lists = {LISTS}, .assembled = true, .options = {.width = 2},
   .local = MOVED, .global = MOVED, .reason = "axis 0|unstructured"},
  {"1-D, on several processes", 1, {29}, .lists = {OVERLAPS}, .options = {.width = 1},
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"1-D, on several processes, assembled", 1, {29}, .lists = {OVERLAPS}, .assembled = true,
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"1-D, on all processes", 1, {17}, .lists = {COPIES}, .options = {.width = 1},
   .local = MOVED, .global = MOVED, .reason = "axis 0|replicated"},
  {"1-D, lists, swapped", 1, {35}, .lists = {OVERLAPS}, .assembled = true, .bytes = SWAPPED,
   .local = MOVED, .global = MOVED, .reason = "other byte order"},
  {"1-D, lists, 3 degrees of freedom", 2, {17, 3}, .lists = {OVERLAPS},
   .options = {.dof_axes = 1, .width = 1}, .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"1-D, degrees of freedom in an order of their own", 2, {17, 4}, .lists = {0, LISTS},
   .options = {.dof_axes = 1}, .local = MOVED, .global = MOVED, .reason = "axis 1|unstructured"},
  {"2-D, lists of rows", 2, {19, 7}, ALONG_FIRST, .lists = {LISTS}, .options = {.width = 1},
   .local = MOVED, .global = MOVED, .reason = "axis 0|unstructured"},
  {"2-D, lists both ways, assembled", 2, {13, 11}, SQUARE, .lists = {LISTS, LISTS}, .assembled = true,
   .options = {.width = 1}, .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, columns on one process in another order", 2, {19, 7}, ALONG_FIRST, .lists = {0, LISTS},
   .local = MOVED, .global = MOVED, .reason = "axis 1|unstructured"},
  {"2-D, rows on several processes, padded columns", 2, {13, 17}, SQUARE, .lists = {OVERLAPS}, .halo = {0, 1},
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, columns on several processes, padded rows, F order", 2, {17, 13}, SQUARE, .lists = {0, OVERLAPS},
   .halo = {2}, .assembled = true, .form = FORM_F, .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, rows on several processes, padding of columns wraps", 2, {13, 17}, SQUARE,
   .lists = {OVERLAPS}, .halo = {0, 2}, .periodic = {0, 1}, .wraps = {0, 1}, .assembled = true,
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, rows on several processes, boundary ghost points", 2, {13, 15}, SQUARE,
   .lists = {OVERLAPS}, .halo = {0, 1}, .boundary = {{0, 0}, {1, 1}}, .options = {GHOSTED},
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, rows on several processes, boundary ghost points, assembled", 2, {13, 15}, SQUARE,
   .lists = {OVERLAPS}, .boundary = {{0, 0}, {1, 2}}, .assembled = true, .options = {GHOSTED, .width = 2},
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, rows on several processes, stripped columns, assembled", 2, {13, 15}, SQUARE,
   .lists = {OVERLAPS}, .halo = {0, 1}, .boundary = {{0, 0}, {2, 1}}, .periodic = {0, 1}, .assembled = true,
   .options = {.strip_periodic = true}, .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"2-D, rows everywhere, columns cyclic", 2, {7, 26}, SQUARE, CYCLIC, .lists = {COPIES},
   .local = MOVED, .global = MOVED},
  {"2-D, lists, ranks in an order of their own", 2, {13, 15}, SQUARE, .lists = {OVERLAPS}, .halo = {0, 1},
   .shuffled = true, .assembled = true, .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"3-D, lists of planes", 3, {9, 7, 6}, SQUARE, .lists = {OVERLAPS}, .halo = {0, 1, 1}, .assembled = true,
   .local = MOVED, .global = MOVED, .reason = "unstructured"},
  {"3-D, lists of the middle axis", 3, {9, 7, 6}, SQUARE, .lists = {0, OVERLAPS},
   .boundary = {{1, 1}, {0, 0}, {1, 1}}, .periodic = {0, 0, 1},
   .options = {GHOSTED, .strip_periodic = true, .width = 1}, .local = MOVED, .global = MOVED},
};

static const field_row wrapped[] = {
  {"1-D, padding that wraps: both share and alias", 1, {17}, .halo = {1}, .periodic = {1}, .wraps = {1},
   .local = SHARED, .global = SHARED},
  {"1-D, padding that wraps, 2 wide, assembled", 1, {35}, .halo = {2}, .periodic = {1}, .wraps = {1},
   .assembled = true, .local = SHARED, .global = SHARED},
  {"1-D, padding that wraps, irregular", 1, {29}, .lengths = IRREGULAR, .halo = {2}, .periodic = {1},
   .wraps = {1}, .local = SHARED, .global = SHARED},
  {"1-D, padding that wraps, a wider stencil", 1, {29}, .halo = {1}, .periodic = {1}, .wraps = {1},
   .options = {.width = 2}, .local = MOVED, .global = SHARED, .reason = "padding 1"},
  {"1-D, padding that wraps, a narrower stencil", 1, {29}, .halo = {2}, .periodic = {1}, .wraps = {1},
   .options = {.width = 1}, .local = MOVED, .global = SHARED, .reason = "padding 2"},
  {"1-D, padding that wraps, 2 degrees of freedom", 2, {17, 2}, .halo = {1}, .periodic = {1}, .wraps = {1},
   .options = {.dof_axes = 1}, .local = SHARED, .global = SHARED},
  {"1-D, padding that wraps, stripping asked for", 1, {17}, .halo = {1}, .periodic = {1}, .wraps = {1},
   .options = {.strip_periodic = true}, .local = SHARED, .global = SHARED},
  {"2-D, padding that wraps both ways", 2, {13, 15}, SQUARE, .halo = {1, 1}, .periodic = {1, 1},
   .wraps = {1, 1}, .local = SHARED, .global = MOVED},
  {"2-D, padding that wraps both ways, F order", 2, {13, 15}, SQUARE, .halo = {2, 2}, .periodic = {1, 1},
   .wraps = {1, 1}, .form = FORM_F, .local = SHARED, .global = MOVED},
  {"2-D, padding of rows wraps", 2, {19, 7}, ALONG_FIRST, .halo = {1, 0}, .periodic = {1, 0}, .wraps = {1, 0},
   .local = SHARED, .global = SHARED},
  {"2-D, padding of columns on one process wraps", 2, {24, 5}, ALONG_FIRST, .halo = {1, 1},
   .periodic = {0, 1},
   .wraps = {0, 1}, .local = SHARED},
  {"2-D, padding that wraps, copy asked for", 2, {13, 15}, SQUARE, .halo = {1, 1}, .periodic = {1, 1},
   .wraps = {1, 1}, .options = {.sharing = DAP_SHARE_NEVER}, .local = MOVED, .global = MOVED},
  {"2-D, one axis wraps, the other is stripped", 2, {13, 15}, SQUARE, .halo = {1, 1},
   .boundary = {{0, 0}, {1, 1}}, .periodic = {1, 1}, .wraps = {1, 0}, .options = {.strip_periodic = true},
   .local = SHARED, .global = MOVED},
  {"2-D, one axis wraps, the other has boundary ghost points", 2, {13, 15}, SQUARE,
   .halo = {1, 1}, .boundary = {{0, 0}, {1, 1}}, .periodic = {1, 0}, .wraps = {1, 0}, .options = {GHOSTED},
   .local = SHARED, .global = MOVED},
  {"2-D, one axis wraps, the other has boundary ghost points, a wider stencil", 2, {17, 19}, SQUARE,
   .halo = {1, 1}, .boundary = {{0, 0}, {1, 1}}, .periodic = {1, 0}, .wraps = {1, 0},
   .options = {GHOSTED, .width = 2}, .local = MOVED},
  {"3-D, padding that wraps all ways, assembled", 3, {7, 6, 8}, SQUARE, .halo = {1, 1, 1},
   .periodic = {1, 1, 1}, .wraps = {1, 1, 1}, .assembled = true, .local = SHARED, .global = MOVED},
  {"3-D, padding that wraps, star stencil", 3, {7, 6, 8}, SQUARE, .halo = {1, 1, 1}, .periodic = {1, 1, 1},
   .wraps = {1, 1, 1}, .options = {.star = true}, .local = SHARED, .global = MOVED},
};

static const field_row shuffled[] = {
  {"1-D, ranks in another order", 1, {17}, .halo = {1}, .shuffled = true, .local = SHARED, .global = SHARED},
  {"1-D, ranks in another order, irregular, assembled", 1, {29}, .lengths = IRREGULAR, .halo = {1},
   .shuffled = true, .assembled = true, .local = SHARED, .global = SHARED},
  {"1-D, ranks in another order, empty processes", 1, {9}, .lengths = HOLES, .shuffled = true,
   .local = SHARED, .global = SHARED},
  {"1-D, ranks in another order, a stencil", 1, {29}, .shuffled = true, .options = {.width = 1},
   .local = MOVED, .global = SHARED, .reason = "padding 0"},
  {"1-D, ranks in another order, 3 degrees of freedom", 2, {17, 3}, .halo = {1}, .shuffled = true,
   .options = {.dof_axes = 1}, .local = SHARED, .global = SHARED},
  {"1-D, ranks in another order, cyclic", 1, {35}, .lengths = CYCLIC, .shuffled = true,
   .local = MOVED, .global = MOVED, .reason = "cyclic"},
  {"1-D, ranks in another order, padding wraps", 1, {17}, .halo = {1}, .periodic = {1}, .wraps = {1},
   .shuffled = true, .assembled = true, .local = SHARED, .global = SHARED},
  {"2-D, ranks in another order", 2, {11, 13}, SQUARE, .halo = {1, 1}, .shuffled = true, .local = SHARED},
  {"2-D, ranks in another order, F order", 2, {11, 13}, SQUARE, .halo = {1, 1}, .shuffled = true,
   .form = FORM_F, .local = SHARED},
  {"2-D, ranks in another order, a wider stencil", 2, {13, 17}, SQUARE, .halo = {1, 1}, .shuffled = true,
   .options = {.width = 2}, .local = MOVED, .reason = "padding"},
  {"2-D, ranks in another order, a copy", 2, {13, 17}, SQUARE, .halo = {1, 1}, .shuffled = true,
   .options = {.sharing = DAP_SHARE_NEVER}, .local = MOVED, .global = MOVED},
  {"2-D, ranks in another order, boundary ghost points, a copy", 2, {13, 15}, SQUARE, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .shuffled = true, .options = {GHOSTED, .sharing = DAP_SHARE_NEVER},
   .local = MOVED, .global = MOVED},
  {"2-D, ranks in another order, stripped", 2, {15, 17}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {1, 1}, .shuffled = true, .assembled = true, .options = {.strip_periodic = true},
   .local = SHARED, .global = MOVED},
  {"2-D, ranks in another order, stripped, F order, a copy", 2, {15, 17}, SQUARE,
   .halo = {1, 1}, .boundary = {{1, 2}, {0, 1}}, .periodic = {1, 1}, .shuffled = true, .form = FORM_F,
   .options = {.strip_periodic = true}, .local = MOVED},
  {"2-D, ranks in another order, window into a wider array", 2, {11, 13}, SQUARE, .halo = {1, 1},
   .shuffled = true, .form = FORM_WINDOW, .local = DEPENDS},
  {"3-D, ranks in another order", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}, .shuffled = true, .local = SHARED},
  {"3-D, ranks in another order, F order, 1 component", 4, {7, 6, 5, 1}, SQUARE, .halo = {1, 1, 1},
   .shuffled = true, .form = FORM_F, .options = {.dof_axes = 1}, .local = SHARED},
};

static const field_row swapped[] = {
  {"1-D, swapped", 1, {17}, .halo = {1}, .bytes = SWAPPED,
   .local = MOVED, .global = MOVED, .reason = "other byte order"},
  {"1-D, swapped on some processes", 1, {17}, .halo = {1}, .bytes = SWAPPED_ON_ODD,
   .local = MOVED, .global = MOVED, .reason = "rank 1|other byte order"},
  {"1-D, swapped, a wider stencil", 1, {35}, .halo = {1}, .bytes = SWAPPED, .options = {.width = 2},
   .local = MOVED, .global = MOVED},
  {"1-D, swapped, backwards", 1, {35}, .halo = {1}, .bytes = SWAPPED, .form = FORM_NEGATIVE,
   .local = MOVED, .global = MOVED},
  {"1-D, swapped, empty processes", 1, {9}, .lengths = HOLES, .bytes = SWAPPED_ON_ODD,
   .options = {.width = 0}},
  {"1-D, swapped, no elements", 1, {0}, .bytes = SWAPPED, .local = SHARED, .global = SHARED},
  {"2-D, swapped", 2, {11, 13}, SQUARE, .halo = {1, 1}, .bytes = SWAPPED,
   .local = MOVED, .global = MOVED, .reason = "other byte order"},
  {"2-D, swapped, F order", 2, {11, 13}, SQUARE, .halo = {1, 1}, .bytes = SWAPPED, .form = FORM_F,
   .local = MOVED, .global = MOVED},
  {"2-D, swapped on some processes, window, boundary ghost points", 2, {13, 15}, SQUARE, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .bytes = SWAPPED_ON_ODD, .form = FORM_WINDOW, .options = {GHOSTED},
   .local = MOVED, .global = MOVED},
  {"2-D, swapped, stripped, ranks in another order", 2, {15, 17}, SQUARE,
   .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {1, 1}, .shuffled = true, .bytes = SWAPPED,
   .options = {.strip_periodic = true}, .local = MOVED, .global = MOVED},
  {"2-D, swapped, padding wraps", 2, {13, 15}, SQUARE, .halo = {1, 1}, .periodic = {1, 1}, .wraps = {1, 1},
   .bytes = SWAPPED, .local = MOVED, .global = MOVED},
  {"2-D, swapped, one axis wraps, the other is stripped: no protocol says that", 2, {13, 15}, SQUARE,
   .halo = {1, 1}, .boundary = {{0, 0}, {1, 1}}, .periodic = {1, 1}, .wraps = {1, 0}, .bytes = SWAPPED,
   .options = {.strip_periodic = true}, .local = MOVED, .global = MOVED},
  {"3-D, swapped, 2 degrees of freedom", 4, {7, 6, 5, 2}, SQUARE, .halo = {1, 1, 1}, .bytes = SWAPPED,
   .options = {.dof_axes = 1}, .local = MOVED, .global = MOVED},
};

static const field_row blocks[] = {
  {"1-D, cyclic, but with one block a process", 1, {35}, .lengths = ONE_BLOCK,
   .local = SHARED, .global = SHARED},
  {"2-D, cyclic, but with one block a process", 2, {13, 11}, SQUARE, ONE_BLOCK,
   .local = SHARED, .global = SHARED},
  {"2-D, cyclic, but with one block a process, stencil 1", 2, {13, 11}, SQUARE, ONE_BLOCK,
   .options = {.width = 1}, .local = MOVED, .global = SHARED, .reason = "padding 0"},
};
/* clang-format on */

static void lists_of_indices(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(lists);
}

static void padding_that_wraps_round(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(wrapped);
}

static void ranks_in_any_order(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(shuffled);
}

static void the_other_byte_order(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(swapped);
}

static void cyclic_blocks_that_are_ranges(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(blocks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),     cmocka_unit_test(lists_of_indices),
    cmocka_unit_test(padding_that_wraps_round), cmocka_unit_test(ranks_in_any_order),
    cmocka_unit_test(the_other_byte_order),     cmocka_unit_test(cyclic_blocks_that_are_ranges),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
