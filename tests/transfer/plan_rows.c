#include "plan_rows.h"

#include "mpi_test.h"

#define EVEN(procs, halo)                                                                                    \
  {                                                                                                          \
    DAP_DIST_EVEN, procs, 0, 0, halo                                                                         \
  }
#define CEILING(procs)                                                                                       \
  {                                                                                                          \
    DAP_DIST_CEIL, procs, 0, 0, 0                                                                            \
  }
#define CYCLIC(procs, block_size, first_owner)                                                               \
  {                                                                                                          \
    DAP_DIST_CYCLIC, procs, block_size, first_owner, 0                                                       \
  }

const plan_row plan_rows[] = {
    {"nothing moves: same layout, same form", 1, {24}, {EVEN(ALL, 0)}, {EVEN(ALL, 0)}, FORM_C, FORM_C, 8},
    {"even and ceiling cuts differ by a few elements",
     1,
     {13},
     {EVEN(ALL, 0)},
     {CEILING(ALL)},
     FORM_C,
     FORM_C,
     8},
    {"cyclic to block: every element changes its place",
     1,
     {29},
     {CYCLIC(ALL, 1, 0)},
     {EVEN(ALL, 0)},
     FORM_C,
     FORM_C,
     8},
    {"an array smaller than the grid leaves processes empty",
     1,
     {2},
     {CYCLIC(ALL, 1, 0)},
     {EVEN(ALL, 0)},
     FORM_C,
     FORM_C,
     4},
    {"no element at all", 1, {0}, {CYCLIC(ALL, 3, 0)}, {EVEN(ALL, 0)}, FORM_C, FORM_C, 8},
    {"a block larger than the array", 1, {5}, {CYCLIC(ALL, 64, 1)}, {EVEN(ALL, 0)}, FORM_C, FORM_C, 8},
    {"row slabs in C order to block-cyclic in Fortran order",
     2,
     {37, 41},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {CYCLIC(LARGER, 4, 0), CYCLIC(SMALLER, 4, 0)},
     FORM_C,
     FORM_F,
     8},
    {"one block size to another on the transposed grid",
     2,
     {33, 34},
     {CYCLIC(ONE, 6, 0), CYCLIC(ALL, 6, 0)},
     {CYCLIC(ALL, 4, 0), CYCLIC(ONE, 4, 0)},
     FORM_F,
     FORM_F,
     16},
    {"rotated first owners on both axes",
     2,
     {17, 19},
     {CYCLIC(LARGER, 3, 1), CYCLIC(SMALLER, 2, 2)},
     {CYCLIC(LARGER, 2, 2), CYCLIC(SMALLER, 5, 1)},
     FORM_C,
     FORM_C,
     8},
    {"only storage is transposed",
     2,
     {20, 30},
     {EVEN(LARGER, 0), EVEN(SMALLER, 0)},
     {EVEN(LARGER, 0), EVEN(SMALLER, 0)},
     FORM_C,
     FORM_F,
     8},
    {"a padded source gives its interior, a padded destination keeps its padding",
     2,
     {26, 25},
     {EVEN(ALL, 2), EVEN(ONE, 0)},
     {EVEN(ALL, 1), EVEN(ONE, 0)},
     FORM_C,
     FORM_C,
     8},
    {"windows of wider arrays: the gaps stay as they are",
     2,
     {14, 15},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 2, 0)},
     FORM_WINDOW,
     FORM_WINDOW,
     8},
    {"negative strides on both sides",
     2,
     {14, 15},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 2, 0)},
     FORM_NEGATIVE,
     FORM_NEGATIVE,
     8},
    {"elements of an odd size",
     2,
     {9, 11},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 1, 0)},
     FORM_C,
     FORM_F,
     7},
    {"single bytes",
     2,
     {9, 11},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 1, 0)},
     FORM_C,
     FORM_PERMUTED,
     1},
    {"two bytes",
     2,
     {9, 11},
     {EVEN(ALL, 0), EVEN(ONE, 0)},
     {EVEN(ONE, 0), CYCLIC(ALL, 1, 0)},
     FORM_F,
     FORM_C,
     2},
    {"three axes, every kind of cut",
     3,
     {7, 12, 10},
     {CYCLIC(ONE, 2, 0), EVEN(ALL, 0), CEILING(ONE)},
     {EVEN(LARGER, 0), CYCLIC(SMALLER, 3, 0), CYCLIC(ONE, 1, 0)},
     FORM_PERMUTED,
     FORM_C,
     8},
    {.why = NULL},
};

dap_layout *plan_row_layout(const plan_row *r, const plan_axis axes[])
{
  dap_dist dists[3];
  for (int k = 0; k < r->ndim; k++) {
    const int procs = axis_procs_of(axes[k].procs);
    dists[k] = (dap_dist){.kind = axes[k].kind,
                          .procs = procs,
                          .size = r->size[k],
                          .block_size = axes[k].block_size,
                          .first_owner = axes[k].first_owner % procs,
                          .halo = axes[k].halo};
  }
  dap_layout *layout = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(r->ndim, dists, &layout, &err), &err);
  return layout;
}
