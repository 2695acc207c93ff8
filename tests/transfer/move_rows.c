#include "move_rows.h"

/* clang-format off */
const move_row move_rows[] = {
  {"nothing moves: same layout, same form", 1, {24}, {.cut = {CUT_EVEN}}, {.cut = {CUT_EVEN}}, 8},
  {"even and ceiling cuts differ by a few elements", 1, {13}, {.cut = {CUT_EVEN}}, {.cut = {CUT_CEIL}}, 8},
  {"cyclic to block: every element changes its place", 1, {29},
   {.cut = {CUT_CYCLIC}, .block = {1}}, {.cut = {CUT_EVEN}}, 8},
  {"an array smaller than the grid leaves processes empty", 1, {2},
   {.cut = {CUT_CYCLIC}, .block = {1}}, {.cut = {CUT_EVEN}}, 4},
  {"no element at all", 1, {0}, {.cut = {CUT_CYCLIC}, .block = {3}}, {.cut = {CUT_EVEN}}, 8},
  {"a block larger than the array", 1, {5}, {.cut = {CUT_ROTATED}, .block = {64}}, {.cut = {CUT_EVEN}}, 8},
  {"row slabs in C order to block-cyclic in Fortran order", 2, {37, 41},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}},
   {.cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {4, 4}, .form = FORM_F}, 8},
  {"one block size to another on the transposed grid", 2, {33, 34},
   {SECOND_AXIS, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {6, 6}, .form = FORM_F},
   {FIRST_AXIS, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {4, 4}, .form = FORM_F}, 16},
  {"rotated first owners on both axes", 2, {17, 19},
   {.cut = {CUT_ROTATED, CUT_ROTATED}, .block = {3, 2}},
   {.cut = {CUT_ROTATED, CUT_ROTATED}, .block = {2, 5}}, 8},
  {"only storage is transposed", 2, {20, 30},
   {.cut = {CUT_EVEN, CUT_EVEN}}, {.cut = {CUT_EVEN, CUT_EVEN}, .form = FORM_F}, 8},
  {"a padded source gives its interior, a padded destination keeps its padding", 2, {26, 25},
   {FIRST_AXIS, .cut = {CUT_PADDED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_PADDED, CUT_EVEN}}, 8},
  {"windows of wider arrays: the gaps stay as they are", 2, {14, 15},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}, .form = FORM_WINDOW},
   {SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 2}, .form = FORM_WINDOW}, 8},
  {"negative strides on both sides", 2, {14, 15},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}, .form = FORM_NEGATIVE},
   {SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 2}, .form = FORM_NEGATIVE}, 8},
  {"elements of an odd size", 2, {9, 11},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}},
   {SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 1}, .form = FORM_F}, 7},
  {"single bytes", 2, {9, 11},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}},
   {SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 1}, .form = FORM_PERMUTED}, 1},
  {"two bytes", 2, {9, 11},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}, .form = FORM_F},
   {SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}, .block = {0, 1}}, 2},
  {"three axes, every kind of cut", 3, {7, 12, 10},
   {SECOND_AXIS, .cut = {CUT_CYCLIC, CUT_EVEN, CUT_CEIL}, .block = {2}, .form = FORM_PERMUTED},
   {FIRST_AXIS | SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC, CUT_CYCLIC}, .block = {0, 3, 1}}, 8},
  {"lists that are ranges", 1, {29}, {.cut = {CUT_ASCENDING}}, {.cut = {CUT_EVEN}}, 8},
  {"the same lists on both sides: nothing moves", 1, {29},
   {.cut = {CUT_SHUFFLED}}, {.cut = {CUT_SHUFFLED}}, 8},
  {"lists to cyclic", 1, {29}, {.cut = {CUT_SHUFFLED}}, {.cut = {CUT_CYCLIC}}, 8},
  {"cyclic to lists", 1, {29}, {.cut = {CUT_CYCLIC}}, {.cut = {CUT_SHUFFLED}}, 8},
  {"regular lists to others", 1, {40}, {.cut = {CUT_DEALT}}, {.cut = {CUT_BACKWARDS}}, 4},
  {"falling lists read rising", 1, {31},
   {.cut = {CUT_BACKWARDS}, .form = FORM_NEGATIVE}, {.cut = {CUT_EVEN}}, 8},
  {"empty lists in the source", 1, {17}, {.cut = {CUT_ONE_HOLDER}}, {.cut = {CUT_DEALT}}, 8},
  {"empty lists in the destination", 1, {17}, {.cut = {CUT_DEALT}}, {.cut = {CUT_ONE_HOLDER}}, 8},
  {"fewer indices than processes", 1, {2}, {.cut = {CUT_DEALT}}, {.cut = {CUT_SHUFFLED}}, 8},
  {"no index at all", 1, {0}, {.cut = {CUT_DEALT}}, {.cut = {CUT_COPIES}}, 8},
  {"to a copy on every process", 1, {23}, {.cut = {CUT_EVEN}}, {.cut = {CUT_COPIES}}, 8},
  {"from the first of the copies only", 1, {23}, {.cut = {CUT_COPIES}}, {.cut = {CUT_EVEN}}, 8},
  {"every copy becomes the first", 1, {23}, {.cut = {CUT_COPIES}}, {.cut = {CUT_COPIES}}, 8},
  {"copies in orders of their own", 1, {23}, {.cut = {CUT_EVERYWHERE}}, {.cut = {CUT_EVERYWHERE}}, 3},
  {"shared indices come from the lower process", 1, {33}, {.cut = {CUT_EDGES}}, {.cut = {CUT_CYCLIC}}, 8},
  {"shared indices go to both processes", 1, {33}, {.cut = {CUT_CYCLIC}}, {.cut = {CUT_EDGES}}, 8},
  {"shared by some, held by others", 1, {33}, {.cut = {CUT_EDGES}}, {.cut = {CUT_EVERYWHERE}}, 16},
  {"a list over one process has an order", 1, {20},
   {ONE_PROCESS, .cut = {CUT_SHUFFLED}}, {.cut = {CUT_EVEN}}, 8},
  {"from all to a list over one process", 1, {20},
   {.cut = {CUT_CYCLIC}}, {ONE_PROCESS, .cut = {CUT_SHUFFLED}}, 8},
  {"rows by lists, columns whole", 2, {19, 12},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}},
   {SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}, .form = FORM_F}, 8},
  {"many rows by a list over one process: a gap-free part of the destination for each", 2, {250, 3},
   {ONE_PROCESS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}}, 8},
  {"the same with one column", 1, {250},
   {ONE_PROCESS, .cut = {CUT_SHUFFLED}}, {.cut = {CUT_EVEN}, .form = FORM_NEGATIVE}, 16},
  {"three numbers at each place of a list", 2, {120, 3},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, 4},
  {"five numbers at each place, some tens of bytes", 2, {90, 5},
   {FIRST_AXIS, .cut = {CUT_DEALT, CUT_EVEN}},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}, .form = FORM_WINDOW}, 8},
  {"as many bytes at each place as are still no call", 2, {60, 127},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_BACKWARDS, CUT_EVEN}}, 1},
  {"lists along both axes", 2, {19, 12},
   {.cut = {CUT_SHUFFLED, CUT_DEALT}, .form = FORM_F},
   {.cut = {CUT_EDGES, CUT_BACKWARDS}, .form = FORM_WINDOW}, 8},
  {"lists beside padding: the source's interior, the destination's padding left or filled", 2, {19, 26},
   {.cut = {CUT_SHUFFLED, CUT_PADDED}}, {.cut = {CUT_PADDED, CUT_SHUFFLED}}, 8},
  {"lists into padding", 1, {26}, {.cut = {CUT_SHUFFLED}}, {.cut = {CUT_PADDED}}, 8},
  {"lists into a ring", 1, {26}, {.cut = {CUT_EDGES}}, {.cut = {CUT_RING}}, 8},
  {"copies beside a ring", 2, {26, 7},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}}, {.cut = {CUT_RING, CUT_EVERYWHERE}, .form = FORM_F}, 8},
  {"a list and two other axes, strides of all kinds", 3, {7, 12, 10},
   {SECOND_AXIS, .cut = {CUT_CYCLIC, CUT_EDGES, CUT_EVEN}, .form = FORM_PERMUTED},
   {FIRST_AXIS | THIRD_AXIS, .cut = {CUT_EVEN, CUT_COPIES, CUT_SHUFFLED}, .form = FORM_NEGATIVE}, 5},
};
/* clang-format on */

const int move_row_count = sizeof move_rows / sizeof move_rows[0];

case_layout move_case(const move_row *r, const move_side *side)
{
  case_layout c = {.why = r->why, .ndim = r->ndim, .axes = side->axes};
  for (int k = 0; k < r->ndim; k++) {
    const bool has_halo = side->cut[k] == CUT_PADDED || side->cut[k] == CUT_RING;
    c.size[k] = r->size[k];
    c.cut[k] = side->cut[k];
    c.block[k] = side->block[k] ? side->block[k] : 3;
    c.halo[k] = has_halo ? 2 : 0;
  }
  return c;
}
