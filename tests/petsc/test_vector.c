/* Arrays as vectors without a grid: what is shared, what is moved, and where each element is. */
#include "vector_test.h"

/* clang-format off */
#define NEVER {.sharing = DAP_SHARE_NEVER}

static const vector_row lines[] = {
  {"block", 1, {37}, .verdict = SHARED, .reason = "contiguous"},
  {"block, a copy", 1, {37}, .options = NEVER, .verdict = MOVED, .reason = "copy|asked for"},
  {"irregular", 1, {37}, .cut = IRREGULAR, .verdict = SHARED},
  {"some processes have nothing", 1, {24}, .cut = HOLES, .verdict = SHARED},
  {"fewer elements than processes", 1, {2}, .verdict = SHARED},
  {"no elements", 1, {0}, .verdict = SHARED},
  {"no elements, a copy", 1, {0}, .options = NEVER, .verdict = MOVED},
  {"padded", 1, {37}, .halo = {2}, .verdict = SHARED},
  {"padded, a copy", 1, {37}, .halo = {2}, .options = NEVER, .verdict = MOVED},
  {"padded at the outer edges too", 1, {37}, .halo = {2}, .wraps = {true}, .verdict = SHARED},
  {"padded, with a boundary", 1, {37}, .halo = {1}, .boundary = {2, 1}, .verdict = SHARED},
  {"cyclic, a block each", 1, {35}, .cut = ONE_BLOCK, .verdict = SHARED},
  {"cyclic, several blocks", 1, {37}, .cut = CYCLIC, .verdict = MOVED, .reason = "axis 0|cyclic"},
  {"rotated, a block each", 1, {35}, .cut = ROTATED_BLOCK, .verdict = SHARED},
  {"rotated, several blocks", 1, {37}, .cut = ROTATED, .verdict = MOVED, .reason = "axis 0|cyclic"},
  {"shuffled ranks", 1, {37}, .shuffled = true, .verdict = SHARED},
  {"shuffled ranks, rotated", 1, {35}, .cut = ROTATED_BLOCK, .shuffled = true, .verdict = SHARED},
  {"shuffled ranks, padded, assembled", 1, {37}, .halo = {1}, .shuffled = true, .assembled = true,
   .verdict = SHARED},
  {"shuffled ranks, a copy", 1, {37}, .shuffled = true, .options = NEVER, .verdict = MOVED},
  {"gaps", 1, {37}, .form = FORM_NEGATIVE, .verdict = DEPENDS},
  {"the other byte order", 1, {37}, .swapped = true, .verdict = MOVED, .reason = "other byte order"},
  {"the other byte order, padded", 1, {37}, .halo = {2}, .swapped = true, .verdict = MOVED},
};

static const vector_row lists[] = {
  {"lists", 1, {41}, .cut = LISTS, .verdict = LISTED, .reason = "list"},
  {"lists, assembled", 1, {41}, .cut = LISTS, .assembled = true, .verdict = LISTED},
  {"lists, shuffled ranks", 1, {41}, .cut = LISTS, .shuffled = true, .verdict = LISTED},
  {"lists, shuffled ranks, assembled", 1, {41}, .cut = LISTS, .shuffled = true, .assembled = true,
   .verdict = LISTED},
  {"lists, natural", 1, {41}, .cut = LISTS, .options = {.natural = true}, .verdict = MOVED,
   .reason = "axis 0|unstructured"},
  {"lists, natural, assembled", 1, {41}, .cut = LISTS, .assembled = true, .options = {.natural = true},
   .verdict = MOVED},
  {"lists, a copy", 1, {41}, .cut = LISTS, .options = NEVER, .verdict = MOVED},
  {"lists in the other byte order", 1, {41}, .cut = LISTS, .swapped = true, .verdict = MOVED},
  {"lists of less than one element each", 1, {2}, .cut = LISTS, .verdict = DEPENDS},
  {"ascending lists", 1, {41}, .cut = ASCENDING, .verdict = SHARED},
  {"ascending lists, assembled", 1, {41}, .cut = ASCENDING, .assembled = true, .verdict = SHARED},
  {"ghosts behind", 1, {41}, .cut = GHOSTS, .verdict = LISTED, .reason = "ghosts behind"},
  {"ghosts behind, assembled", 1, {41}, .cut = GHOSTS, .assembled = true, .verdict = LISTED},
  {"ghosts behind, a copy", 1, {41}, .cut = GHOSTS, .options = NEVER, .verdict = MOVED},
  {"ghosts anywhere", 1, {41}, .cut = OVERLAPS, .verdict = MOVED, .reason = "ghosts|follow"},
  {"ghosts anywhere, assembled", 1, {41}, .cut = OVERLAPS, .assembled = true, .verdict = MOVED},
  {"a copy everywhere", 1, {23}, .cut = COPIES, .verdict = MOVED, .reason = "axis 0|replicated"},
  {"lists of two axes", 2, {9, 7}, GRID, .cut = LISTS, .verdict = MOVED},
  {"lists of rows", 2, {41, 3}, .cut = LISTS, .verdict = LISTED, .reason = "list"},
  {"lists of rows, in natural order", 2, {41, 3}, .cut = LISTS, .options = {.natural = true},
   .verdict = MOVED, .reason = "axis 0|unstructured"},
  {"lists of rows with ghosts", 2, {41, 3}, .cut = GHOSTS, .verdict = LISTED},
  {"ghosts of columns", 2, {4, 23}, 1, .cut = OVERLAPS, .verdict = MOVED, .reason = "axis 0|slower"},
};

static const vector_row grids[] = {
  {"rows", 2, {17, 5}, .verdict = SHARED},
  {"rows, padded", 2, {17, 5}, .halo = {1}, .verdict = SHARED},
  {"rows, irregular", 2, {17, 5}, .cut = IRREGULAR, .verdict = SHARED},
  {"rows, shuffled ranks", 2, {17, 5}, .shuffled = true, .verdict = SHARED},
  {"rows, padded along them", 2, {17, 5}, .halo = {1, 1}, .wraps = {false, true}, .verdict = MOVED,
   .reason = "not contiguous|C order"},
  {"columns", 2, {5, 17}, 1, .verdict = MOVED, .reason = "axis 0|slower|C order"},
  {"columns of one row", 2, {1, 17}, 1, .verdict = SHARED},
  {"one row, spread as a copy", 2, {1, 17}, 1, .options = NEVER, .verdict = MOVED},
  {"both", 2, {12, 10}, GRID, .halo = {1, 1}, .verdict = DEPENDS},
  {"both, shuffled ranks, a copy", 2, {12, 10}, GRID, .shuffled = true, .options = NEVER, .verdict = MOVED},
  {"both, cyclic", 2, {13, 11}, GRID, .cut = CYCLIC, .verdict = MOVED},
  {"columns, F order of entries", 2, {5, 17}, 1, .form = FORM_F, .options = {.order = DAP_ORDER_F},
   .verdict = SHARED},
  {"columns, F order of entries, not of the buffer", 2, {5, 17}, 1, .options = {.order = DAP_ORDER_F},
   .verdict = MOVED, .reason = "not contiguous|F order"},
  {"rows, F order of the buffer", 2, {17, 5}, .form = FORM_F, .verdict = MOVED,
   .reason = "not contiguous|C order"},
  {"rows, F order of entries", 2, {17, 5}, .form = FORM_F, .options = {.order = DAP_ORDER_F},
   .verdict = MOVED, .reason = "axis 1|slower|F order"},
  {"a window", 2, {17, 5}, .form = FORM_WINDOW, .verdict = DEPENDS},
  {"backwards", 2, {17, 5}, .form = FORM_NEGATIVE, .verdict = DEPENDS},
  {"the other byte order", 2, {17, 5}, .halo = {1}, .swapped = true, .verdict = MOVED},
  {"fewer rows than processes", 2, {2, 30}, .options = NEVER, .verdict = MOVED},
  {"no rows", 2, {0, 5}, .verdict = SHARED},
  {"no columns", 2, {7, 0}, .verdict = SHARED},
  {"no columns, a copy", 2, {7, 0}, .options = NEVER, .verdict = MOVED},
  {"3-D, slabs", 3, {13, 4, 3}, .halo = {1}, .verdict = SHARED},
  {"3-D, slabs behind one", 3, {1, 13, 3}, 1, .verdict = SHARED},
  {"3-D, grid", 3, {7, 6, 3}, GRID, .verdict = DEPENDS},
  {"3-D, grid, F order of entries", 3, {7, 6, 3}, GRID, .options = {.order = DAP_ORDER_F},
   .verdict = DEPENDS},
  {"3-D, F order of both, last axis", 3, {3, 4, 13}, 2, .form = FORM_F, .halo = {0, 0, 1},
   .options = {.order = DAP_ORDER_F}, .verdict = SHARED},
  {"3-D, axes permuted", 3, {9, 4, 3}, .form = FORM_PERMUTED, .verdict = DEPENDS},
  {"4-D", 4, {7, 2, 3, 2}, .verdict = SHARED},
  {"4-D, moved, F order", 4, {7, 2, 3, 4}, 2, .options = {.order = DAP_ORDER_F}, .verdict = MOVED},
};

static const vector_row blocks[] = {
  {"blocks of two, even on each process", 2, {17, 4}, .options = {.block_size = 2}, .verdict = SHARED},
  {"blocks across processes", 1, {36}, .cut = HOLES, .options = {.block_size = 9}, .verdict = DEPENDS},
  {"blocks of five", 1, {35}, .options = {.block_size = 5}, .verdict = MOVED,
   .reason = "block size 5"},
  {"blocks of six, rows of four", 2, {9, 4}, .options = {.block_size = 6}, .verdict = DEPENDS},
  {"blocks of six, rows of four, a copy", 2, {9, 4},
   .options = {.block_size = 6, .sharing = DAP_SHARE_NEVER}, .verdict = MOVED},
  {"blocks of a copy in F order", 2, {6, 10},
   .options = {.block_size = 12, .order = DAP_ORDER_F, .sharing = DAP_SHARE_NEVER}, .verdict = MOVED},
  {"lists in natural order, in blocks", 1, {42}, .cut = LISTS,
   .options = {.block_size = 3, .natural = true}, .verdict = MOVED},
  {"blocks of lists", 1, {42}, .cut = LISTS, .options = {.block_size = 3}, .verdict = DEPENDS},
};
/* clang-format on */

static void check_rows(const vector_row rows[], size_t count)
{
  for (size_t i = 0; i < count; i++) check_vector_row(&rows[i]);
}

static void one_axis(void **state)
{
  (void)state;
  check_rows(lines, sizeof lines / sizeof lines[0]);
}
static void unstructured(void **state)
{
  (void)state;
  check_rows(lists, sizeof lists / sizeof lists[0]);
}
static void several_axes(void **state)
{
  (void)state;
  check_rows(grids, sizeof grids / sizeof grids[0]);
}
static void in_blocks(void **state)
{
  (void)state;
  check_rows(blocks, sizeof blocks / sizeof blocks[0]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(one_axis),  cmocka_unit_test(unstructured),
    cmocka_unit_test(several_axes), cmocka_unit_test(in_blocks), cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
