/* The layouts that operands come in. */
#include "harness.h"

enum { SHUFFLED = 1, SWAPPED = 2, ASSEMBLED = 4 };

#define AXIS(cut)                                                                                            \
  {                                                                                                          \
    CUT_##cut, 0                                                                                             \
  }
#define CYCLIC(block)                                                                                        \
  {                                                                                                          \
    CUT_CYCLIC, block                                                                                        \
  }
#define ROTATED(block)                                                                                       \
  {                                                                                                          \
    CUT_ROTATED, block                                                                                       \
  }
#define ROW(name, why, rows, columns, order, memory, traits)                                                 \
  {                                                                                                          \
    name, why, {rows, columns}, order, MEMORY_##memory, ((traits)&SHUFFLED) != 0, ((traits)&SWAPPED) != 0,   \
        ((traits)&ASSEMBLED) != 0                                                                            \
  }

/* By what a routine that needs square blocks does with them: shared; shared if sizes and grid allow;
 * moved. */
const source sources[] = {
    ROW("C, blocks 5 x 5", "shared as the transposed matrix", CYCLIC(5), CYCLIC(5), 'C', PLAIN, 0),
    ROW("F, blocks 5 x 5", "shared as it is", CYCLIC(5), CYCLIC(5), 'F', PLAIN, 0),
    ROW("C, rotated 4 x 4", "first block on the last process: a permuted grid", ROTATED(4), ROTATED(4), 'C',
        PLAIN, 0),
    ROW("F, rotated rows only", "first block in the last process row", ROTATED(4), CYCLIC(4), 'F', PLAIN, 0),
    ROW("C, wide rows", "a leading dimension with a gap", CYCLIC(6), CYCLIC(6), 'C', WIDE, 0),
    ROW("F, wide columns", "a leading dimension with a gap", CYCLIC(6), CYCLIC(6), 'F', WIDE, 0),
    ROW("C, shuffled ranks", "a permuted grid", CYCLIC(5), CYCLIC(5), 'C', PLAIN, SHUFFLED),
    ROW("F, shuffled, rotated", "both permute the grid", CYCLIC(5), ROTATED(5), 'F', PLAIN, SHUFFLED),
    ROW("C, assembled cyclic(1)", "a layout of dictionaries; blocks of one", CYCLIC(1), CYCLIC(1), 'C', PLAIN,
        ASSEMBLED),
    ROW("C, ceil blocks", "block-cyclic if the blocks are square", AXIS(CEIL), AXIS(CEIL), 'C', PLAIN, 0),
    ROW("F, even blocks", "block-cyclic where lengths happen to fit", AXIS(EVEN), AXIS(EVEN), 'F', PLAIN, 0),
    ROW("C, padded", "the interior, NaN around it", AXIS(PADDED), AXIS(PADDED), 'C', PLAIN, 0),
    ROW("F, padded", "the interior, NaN around it", AXIS(PADDED), AXIS(PADDED), 'F', PLAIN, 0),
    ROW("C, boundary padding", "the boundary belongs to the matrix", AXIS(BOUNDARY), AXIS(EVEN), 'C', PLAIN,
        0),
    ROW("C, blocks 5 x 3", "unequal blocks: moved for most routines", CYCLIC(5), CYCLIC(3), 'C', PLAIN, 0),
    ROW("F, blocks 2 x 7", "unequal blocks: moved for most routines", CYCLIC(2), CYCLIC(7), 'F', PLAIN, 0),
    ROW("C, all on the last", "processes without elements", AXIS(LAST), AXIS(LAST), 'C', PLAIN, 0),
    ROW("C, uneven rows", "irregular blocks are moved", AXIS(UNEVEN), CYCLIC(5), 'C', PLAIN, 0),
    ROW("F, uneven both", "irregular blocks are moved", AXIS(UNEVEN), AXIS(UNEVEN), 'F', PLAIN, 0),
    ROW("C, gaps", "no contiguous axis: moved", CYCLIC(5), CYCLIC(5), 'C', GAPS, 0),
    ROW("C, backwards", "a negative stride: moved", CYCLIC(5), CYCLIC(5), 'C', REVERSE, 0),
    ROW("F, upside down", "a negative leading dimension: moved", AXIS(CEIL), CYCLIC(5), 'F', UPSIDE, 0),
    ROW("C, odd address", "elements not aligned", CYCLIC(5), CYCLIC(5), 'C', ODD, 0),
    ROW("mixed orders", "one order here, the other there: moved", CYCLIC(5), CYCLIC(5), 'C', MIXED, 0),
    ROW("C, bytes swapped", "the other byte order: moved", CYCLIC(5), CYCLIC(5), 'C', PLAIN, SWAPPED),
    ROW("F, listed rows", "unstructured: moved", AXIS(LISTED), AXIS(EVEN), 'F', PLAIN, ASSEMBLED),
    ROW("C, copies of rows", "every process row has a copy: moved, all get results", AXIS(COPIES), CYCLIC(5),
        'C', PLAIN, 0),
    ROW("C, overlapping lists", "some elements on several processes", AXIS(OVERLAP), AXIS(OVERLAP), 'C',
        PLAIN, SHUFFLED),
};
const int source_count = (int)(sizeof sources / sizeof sources[0]);

/* Of 1-D arrays; the second axis is not looked at. */
const source vector_sources[] = {
    ROW("cyclic(5)", "blocks", CYCLIC(5), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("whole copies", "everybody wants the result", AXIS(COPIES), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("rotated(4)", "first block on the last", ROTATED(4), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("uneven", "irregular", AXIS(UNEVEN), AXIS(EVEN), 'F', PLAIN, 0),
    ROW("padded", "NaN in the padding", AXIS(PADDED), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("even, gaps", "strided", AXIS(EVEN), AXIS(EVEN), 'C', GAPS, 0),
    ROW("backwards", "negative stride", AXIS(CEIL), AXIS(EVEN), 'C', REVERSE, 0),
    ROW("last", "all on one process", AXIS(LAST), AXIS(EVEN), 'C', PLAIN, SHUFFLED),
    ROW("listed", "any order", AXIS(LISTED), AXIS(EVEN), 'C', PLAIN, ASSEMBLED),
    ROW("overlapping", "copies of some", AXIS(OVERLAP), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("swapped", "the other byte order", CYCLIC(3), AXIS(EVEN), 'C', PLAIN, SHUFFLED | SWAPPED),
};
const int vector_source_count = (int)(sizeof vector_sources / sizeof vector_sources[0]);

static bool is_cyclic(source_cut cut)
{
  return cut == CUT_CYCLIC || cut == CUT_ROTATED;
}

static bool is_listed(source_cut cut)
{
  return cut == CUT_LISTED || cut == CUT_OVERLAP || cut == CUT_COPIES;
}

bool source_is_listed(const source *s)
{
  return is_listed(s->axes[0].cut) || is_listed(s->axes[1].cut);
}

int source_shares(const source *s, const int64_t size[2], const int grid[2])
{
  enum { LARGE = 13 /* from which on no row is by chance what it is not */ };
  const bool plain = s->memory == MEMORY_PLAIN || s->memory == MEMORY_WIDE;
  if (size[0] < LARGE || size[1] < LARGE) return -1;
  if (s->memory == MEMORY_MIXED) return grid[0] * grid[1] > 1 ? 0 : 1;
  for (int k = 0; k < 2; k++) {
    if (is_listed(s->axes[k].cut)) return 0;
    if (s->axes[k].cut == CUT_UNEVEN && grid[k] > 1) return 0;
  }
  if (s->swapped || s->memory == MEMORY_GAPS || s->memory == MEMORY_REVERSE || s->memory == MEMORY_UPSIDE)
    return 0;
  const bool cyclic = is_cyclic(s->axes[0].cut) && is_cyclic(s->axes[1].cut);
  return plain && cyclic && s->axes[0].block == s->axes[1].block ? 1 : -1;
}
