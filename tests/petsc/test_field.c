/* Arrays as fields: what is shared, what is moved, and every element of both. Rows that the cross product of
 * test_cross.c has are not repeated here. */
#include "field_test.h"

/* clang-format off */
static const field_row line[] = {
  {"1-D, no padding: both vectors are the buffer", 1, {17}, .local = SHARED, .global = SHARED},
  {"1-D, ceiling division: the last range is short", 1, {17}, .lengths = CEIL, .halo = {1},
   .local = SHARED, .global = SHARED},
  {"1-D, empty processes share where there is no stencil", 1, {9}, .lengths = HOLES,
   .local = SHARED, .global = SHARED},
  {"1-D, fewer points than processes, no stencil", 1, {3}, .local = SHARED, .global = SHARED},
  {"1-D, empty array", 1, {0}, .local = SHARED, .global = SHARED},
  {"1-D, one point", 1, {1}, .local = SHARED, .global = SHARED},
  {"1-D, empty processes with a stencil: even ranges instead", 1, {19}, .lengths = HOLES,
   .options = {.width = 1}, .local = MOVED, .global = MOVED, .reason = "too few"},
  {"1-D, no halo but a stencil: only the global vector is the buffer", 1, {17}, .options = {.width = 1},
   .local = MOVED, .global = SHARED, .reason = "padding 0"},
  {"1-D, halo wider than the stencil", 1, {35}, .halo = {2}, .options = {.width = 1},
   .local = MOVED, .global = SHARED, .reason = "padding 2"},
  {"1-D, ranges narrower than the stencil", 1, {18}, .lengths = IRREGULAR, .options = {.width = 2}},
  {"1-D, cyclic", 1, {35}, .lengths = CYCLIC, .local = MOVED, .global = MOVED, .reason = "cyclic"},
  {"1-D, cyclic, with a stencil", 1, {35}, .lengths = CYCLIC, .options = {.width = 2},
   .local = MOVED, .global = MOVED, .reason = "cyclic"},
  {"1-D, one end only is padded", 1, {35},
   .halo = {1}, .boundary = {{1, 0}}, .options = {.boundary = DM_BOUNDARY_GHOSTED},
   .local = MOVED, .global = SHARED, .reason = "padding 0|high end"},
  {"1-D, boundary padding narrower than the halo", 1, {29}, .halo = {2}, .boundary = {{1, 2}},
   .options = {.boundary = DM_BOUNDARY_GHOSTED}, .local = MOVED, .global = SHARED, .reason = "padding 1"},
  {"1-D, periodic without outer padding", 1, {35}, .halo = {1}, .periodic = {1},
   .local = MOVED, .global = SHARED, .reason = "padding 0"},
  {"1-D, periodic, outer padding is points", 1, {35}, .halo = {1}, .boundary = {{1, 1}}, .periodic = {1},
   .local = MOVED, .global = SHARED},
  {"1-D, periodic, halos that reach into stripped padding", 1, {14}, .halo = {2},
   .boundary = {{0, 2}}, .periodic = {1}, .options = {.strip_periodic = true, .sharing = DAP_SHARE_NEVER},
   .local = MOVED, .global = MOVED},
  {"1-D, periodic, stripped padding of other widths", 1, {35}, .halo = {1}, .boundary = {{2, 0}},
   .periodic = {1}, .options = {.strip_periodic = true}, .local = MOVED, .global = SHARED},
  {"1-D, periodic, cyclic ranges do not know of it", 1, {35}, .lengths = CYCLIC, .periodic = {1},
   .options = {.width = 1}, .local = MOVED, .global = MOVED},
  {"1-D, backwards", 1, {35}, .halo = {1}, .form = FORM_NEGATIVE, .global = DEPENDS},
  {"1-D, degrees of freedom first in memory", 2, {17, 3}, .halo = {1}, .form = FORM_F,
   .options = {.dof_axes = 1}, .local = MOVED, .global = MOVED, .reason = "contiguous"},
  {"1-D, 1 degree of freedom, F order", 2, {17, 1}, .halo = {1}, .form = FORM_F, .options = {.dof_axes = 1},
   .local = SHARED, .global = SHARED},
};

static const field_row plane[] = {
  {"2-D, slabs, halo in the slowest axis: both share and alias", 2, {19, 7}, ALONG_FIRST, .halo = {1, 1},
   .local = SHARED, .global = SHARED},
  {"2-D, slabs across, halo in the fastest axis: the global vector is apart", 2, {7, 19}, ALONG_LAST,
   .halo = {1, 1}, .local = SHARED, .global = MOVED},
  {"2-D, blocks, no halo, stencil 1", 2, {11, 13}, SQUARE, .options = {.width = 1},
   .local = MOVED, .global = SHARED, .reason = "padding 0"},
  {"2-D, blocks, ceiling division", 2, {13, 11}, SQUARE, CEIL, .halo = {1, 1}, .local = SHARED},
  {"2-D, blocks, other widths per axis", 2, {13, 17}, SQUARE, .halo = {1, 2}},
  {"2-D, slabs, empty processes without a stencil", 2, {19, 5}, ALONG_FIRST, HOLES,
   .local = SHARED, .global = SHARED},
  {"2-D, slabs, fewer rows than processes", 2, {2, 19}, ALONG_FIRST, .local = DEPENDS},
  {"2-D, slabs across, empty processes, stencil", 2, {9, 19}, ALONG_LAST, HOLES, .options = {.width = 1},
   .local = MOVED, .global = MOVED, .reason = "too few"},
  {"2-D, cyclic rows", 2, {13, 9}, ALONG_FIRST, CYCLIC, .options = {.width = 1},
   .local = MOVED, .global = MOVED, .reason = "axis 0|cyclic"},
  {"2-D, cyclic both ways", 2, {13, 11}, SQUARE, CYCLIC, .local = MOVED, .global = MOVED, .reason = "cyclic"},
  {"2-D, boundary padding as ghost points, one axis", 2, {26, 6}, ALONG_FIRST, .halo = {2, 2},
   .boundary = {{2, 2}}, .options = {.boundary = DM_BOUNDARY_GHOSTED}, .local = SHARED, .global = SHARED},
  {"2-D, boundary ghost points, but no halo", 2, {13, 15}, SQUARE, .boundary = {{1, 1}, {1, 1}},
   .options = {.boundary = DM_BOUNDARY_GHOSTED}},
  {"2-D, boundary ghost points wider in the DMDA", 2, {17, 15}, SQUARE, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .options = {.boundary = DM_BOUNDARY_GHOSTED, .width = 2}, .local = MOVED},
  {"2-D, cyclic rows, boundary ghost points in the other axis", 2, {13, 9}, ALONG_FIRST, CYCLIC,
   .boundary = {{0, 0}, {1, 1}}, .options = {.boundary = DM_BOUNDARY_GHOSTED},
   .local = MOVED, .global = MOVED},
  {"2-D, periodic both ways, stripped, wider stencil", 2, {17, 17}, SQUARE, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .periodic = {1, 1}, .options = {.strip_periodic = true, .width = 2},
   .local = MOVED, .global = MOVED},
  {"2-D, periodic along one axis, ghost points along the other", 2, {15, 17}, SQUARE,
   .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {0, 1},
   .options = {.strip_periodic = true, .boundary = DM_BOUNDARY_GHOSTED}, .local = SHARED, .global = MOVED},
  {"2-D, periodic, cyclic rows, other axis stripped", 2, {13, 9}, ALONG_FIRST, CYCLIC,
   .boundary = {{0, 0}, {1, 2}}, .periodic = {0, 1}, .options = {.strip_periodic = true},
   .local = MOVED, .global = MOVED},
  {"2-D, F order, slabs: a reordered communicator", 2, {5, 19}, ALONG_LAST, .halo = {1, 1}, .form = FORM_F,
   .local = SHARED, .global = SHARED},
  {"2-D, F order, irregular, other stencil", 2, {17, 19}, SQUARE, IRREGULAR, .halo = {1, 1}, .form = FORM_F,
   .options = {.width = 2}},
  {"2-D, F order, cyclic", 2, {13, 11}, SQUARE, CYCLIC, .form = FORM_F, .local = MOVED, .global = MOVED},
  {"2-D, window into a wider array", 2, {11, 13}, SQUARE, .halo = {1, 1}, .form = FORM_WINDOW,
   .local = DEPENDS, .reason = "contiguous"},
  {"2-D, axes backwards", 2, {11, 13}, SQUARE, .halo = {1, 1}, .form = FORM_NEGATIVE},
  {"2-D, 2 degrees of freedom, moved", 3, {11, 13, 2}, SQUARE, CYCLIC, .options = {.dof_axes = 1, .width = 1},
   .local = MOVED, .global = MOVED},
  {"2-D, one row", 2, {1, 29}, ALONG_LAST, .halo = {0, 2}, .local = SHARED, .global = DEPENDS},
};

static const field_row space[] = {
  {"3-D, slabs: both share and alias", 3, {13, 5, 4}, ALONG_FIRST, .halo = {1, 1, 1},
   .local = SHARED, .global = SHARED},
  {"3-D, slabs across x", 3, {4, 5, 13}, ALONG_LAST, .halo = {1, 1, 1}, .local = SHARED, .global = MOVED},
  {"3-D, blocks, no halo, stencil 1", 3, {7, 6, 5}, SQUARE, .options = {.width = 1},
   .local = MOVED, .global = SHARED},
  {"3-D, cyclic slabs", 3, {13, 5, 4}, ALONG_FIRST, CYCLIC, .options = {.width = 1},
   .local = MOVED, .global = MOVED},
  {"3-D, empty slabs, stencil", 3, {6, 8, 7}, ALONG_FIRST, HOLES, .options = {.width = 1},
   .local = MOVED, .global = MOVED},
  {"3-D, boundary ghost points, copy", 3, {9, 7, 6}, SQUARE, .halo = {1, 1, 1},
   .boundary = {{1, 1}, {1, 0}, {0, 1}},
   .options = {.boundary = DM_BOUNDARY_GHOSTED, .sharing = DAP_SHARE_NEVER}, .local = MOVED, .global = MOVED},
  {"3-D, periodic, nothing stripped", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}, .periodic = {1, 0, 1},
   .local = MOVED},
  {"3-D, F order, slabs", 3, {4, 5, 13}, ALONG_LAST, .halo = {1, 1, 1}, .form = FORM_F,
   .local = SHARED, .global = SHARED},
  {"3-D, F order, boundary ghost points, irregular", 3, {17, 9, 8}, SQUARE, IRREGULAR, .halo = {1, 1, 1},
   .boundary = {{1, 1}, {1, 1}, {1, 1}}, .form = FORM_F, .options = {.boundary = DM_BOUNDARY_GHOSTED},
   .local = SHARED, .global = MOVED},
  {"3-D, axes in another order", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}, .form = FORM_PERMUTED},
  {"3-D, window into a wider array", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}, .form = FORM_WINDOW,
   .local = DEPENDS},
};
/* clang-format on */

static void lines(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(line);
}

static void planes(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(plane);
}

static void spaces(void **state)
{
  (void)state;
  CHECK_FIELD_ROWS(space);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(lines),
    cmocka_unit_test(planes),
    cmocka_unit_test(spaces),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
