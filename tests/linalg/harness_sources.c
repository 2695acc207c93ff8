/* Defines the layouts of operands. */
#include "harness.h"

#define BLOCKS(rows, columns) .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {rows, columns}
#define ROTATED_4 .cut = {CUT_ROTATED, CUT_ROTATED}, .block = {4, 4}
#define CUTS(rows, columns) .cut = {CUT_##rows, CUT_##columns}

/* By what a routine that needs square blocks does with them: shared; shared if sizes and grid allow;
 * moved. */
const source sources[] = {
    {{"C, blocks 5 x 5: shared as the transposed matrix", 2, BLOCKS(5, 5)}, .form = FORM_C},
    {{"F, blocks 5 x 5: shared as it is", 2, BLOCKS(5, 5)}, .form = FORM_F},
    {{"C, rotated 4 x 4: first block on the last process", 2, ROTATED_4}, .form = FORM_C},
    {{"F, rotated rows only", 2, CUTS(ROTATED, CYCLIC), .block = {4, 4}}, .form = FORM_F},
    {{"C, wide rows: a leading dimension with a gap", 2, BLOCKS(6, 6)}, .form = FORM_WIDE},
    {{"F, wide columns: a leading dimension with a gap", 2, BLOCKS(6, 6)}, .form = FORM_WIDE_F},
    {{"C, shuffled ranks: a permuted grid", 2, BLOCKS(5, 5), .shuffled = true}, .form = FORM_C},
    {{"F, shuffled, rotated: both permute the grid", 2, CUTS(CYCLIC, ROTATED), .block = {5, 5},
      .shuffled = true},
     .form = FORM_F},
    {{"C, assembled cyclic(1): dictionaries, blocks of one", 2, BLOCKS(1, 1), .assembled = true},
     .form = FORM_C},
    {{"C, ceil blocks: block-cyclic if the blocks are square", 2, CUTS(CEIL, CEIL)}, .form = FORM_C},
    {{"F, even blocks: block-cyclic where lengths happen to fit", 2, CUTS(EVEN, EVEN)}, .form = FORM_F},
    {{"C, padded: the interior, NaN around it", 2, CUTS(PADDED, PADDED)}, .form = FORM_C},
    {{"F, padded: the interior, NaN around it", 2, CUTS(PADDED, PADDED)}, .form = FORM_F},
    {{"C, boundary padding: it belongs to the matrix", 2, CUTS(EVEN, EVEN), .boundary = {{1, 1}}},
     .form = FORM_C},
    {{"C, blocks 5 x 3: moved for most routines", 2, BLOCKS(5, 3)}, .form = FORM_C},
    {{"F, blocks 2 x 7: moved for most routines", 2, BLOCKS(2, 7)}, .form = FORM_F},
    {{"C, all on the last: processes without elements", 2, CUTS(LAST, LAST)}, .form = FORM_C},
    {{"C, uneven rows: moved", 2, CUTS(IRREGULAR, CYCLIC), .block = {0, 5}}, .form = FORM_C},
    {{"F, uneven both: moved", 2, CUTS(IRREGULAR, IRREGULAR)}, .form = FORM_F},
    {{"C, gaps: no contiguous axis, moved", 2, BLOCKS(5, 5)}, .form = FORM_GAPS},
    {{"C, backwards: a negative stride, moved", 2, BLOCKS(5, 5)}, .form = FORM_REVERSED},
    {{"F, upside down: a negative leading dimension, moved", 2, CUTS(CEIL, CYCLIC), .block = {0, 5}},
     .form = FORM_UPSIDE_F},
    {{"C, odd address: elements not aligned", 2, BLOCKS(5, 5)}, .form = FORM_ODD},
    {{"mixed orders: one here, the other there, moved", 2, BLOCKS(5, 5)}, .form = FORM_MIXED},
    {{"C, bytes swapped: moved", 2, BLOCKS(5, 5)}, .form = FORM_C, .swapped = true},
    {{"F, listed rows: moved", 2, CUTS(LOTS, EVEN), .assembled = true}, .form = FORM_F},
    {{"C, copies of rows: moved, all get results", 2, CUTS(COPIES, CYCLIC), .block = {0, 5}}, .form = FORM_C},
    {{"C, overlapping lists: some elements on several processes", 2, CUTS(OVERLAPS, OVERLAPS),
      .shuffled = true},
     .form = FORM_C},
};
const int source_count = (int)(sizeof sources / sizeof sources[0]);

const source vector_sources[] = {
    {{"cyclic(5)", 1, BLOCKS(5, 0)}, .form = FORM_C},
    {{"whole copies: everybody wants the result", 1, CUTS(COPIES, EVEN)}, .form = FORM_C},
    {{"rotated(4): first block on the last", 1, ROTATED_4}, .form = FORM_C},
    {{"uneven", 1, CUTS(IRREGULAR, EVEN)}, .form = FORM_F},
    {{"padded: NaN in the padding", 1, CUTS(PADDED, EVEN)}, .form = FORM_C},
    {{"even, gaps", 1, CUTS(EVEN, EVEN)}, .form = FORM_GAPS},
    {{"backwards: a negative stride", 1, CUTS(CEIL, EVEN)}, .form = FORM_REVERSED},
    {{"last: all on one process", 1, CUTS(LAST, EVEN), .shuffled = true}, .form = FORM_C},
    {{"listed: any order", 1, CUTS(LOTS, EVEN), .assembled = true}, .form = FORM_C},
    {{"overlapping: copies of some", 1, CUTS(OVERLAPS, EVEN)}, .form = FORM_C},
    {{"swapped: the other byte order", 1, BLOCKS(3, 0), .shuffled = true}, .form = FORM_C, .swapped = true},
};
const int vector_source_count = (int)(sizeof vector_sources / sizeof vector_sources[0]);

/* Padding is as wide as the sizes leave room for. */
dap_layout *source_layout(const source *s, const int64_t size[2], const int grid[2])
{
  case_layout c = s->layout;
  test_random random = test_random_init(6);
  for (int k = 0; k < c.ndim; k++) {
    const int64_t each = size[k] / grid[k];
    c.size[k] = size[k];
    if (c.cut[k] == CUT_PADDED) c.halo[k] = each >= 2 ? 2 : each;
    if (each < 2) c.boundary[k][0] = c.boundary[k][1] = 0;
  }
  return case_create(&c, grid, &random);
}

/* ---- what is shared ------------------------------------------------------------------------------------ */

static bool is_cyclic(case_cut cut)
{
  return cut == CUT_CYCLIC || cut == CUT_ROTATED;
}

int source_shares(const source *s, const int64_t size[2], const int grid[2])
{
  enum { LARGE = 13 /* from which on no row is by chance what it is not */ };
  const case_layout *c = &s->layout;
  const bool plain = s->form == FORM_C || s->form == FORM_F || s->form == FORM_WIDE || s->form == FORM_WIDE_F;
  if (size[0] < LARGE || size[1] < LARGE) return -1;
  if (s->form == FORM_MIXED) return grid[0] * grid[1] > 1 ? 0 : 1;
  for (int k = 0; k < 2; k++)
    if (c->cut[k] >= CUT_ASCENDING || (c->cut[k] == CUT_IRREGULAR && grid[k] > 1)) return 0;
  if (s->swapped || (!plain && s->form != FORM_ODD)) return 0;
  return plain && is_cyclic(c->cut[0]) && is_cyclic(c->cut[1]) && c->block[0] == c->block[1] ? 1 : -1;
}

/* ---- trials -------------------------------------------------------------------------------------------- */

void set_grid(int axis, int grid[2])
{
  const int nprocs = test_nprocs();
  for (int f = 1; f * f <= nprocs; f++)
    if (nprocs % f == 0) grid[0] = f, grid[1] = nprocs / f;
  if (axis >= 0) grid[axis] = nprocs, grid[1 - axis] = 1;
}

trial trial_of(int number, int64_t rows, int64_t cols)
{
  trial t = {.number = number,
             .source = &sources[number % source_count],
             .type = &element_types[(number + number / source_count) % ELEMENT_TYPES],
             .size = {rows, cols}};
  set_grid(number % 3 - 1, t.grid);
  TEST_CASE("%s, %d x %d %s over %d x %d", t.source->layout.why, (int)rows, (int)cols, t.type->name,
            t.grid[0], t.grid[1]);
  return t;
}
