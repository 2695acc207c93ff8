/* Defines the layouts of operands. */
#include "harness.h"

enum { RANKS_SHUFFLED = 1, BYTES_SWAPPED = 2, IS_ASSEMBLED = 4, IS_BOUNDED = 8 };

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
    name, why, {rows, columns}, order, MEMORY_##memory, ((traits)&RANKS_SHUFFLED) != 0,                      \
        ((traits)&BYTES_SWAPPED) != 0, ((traits)&IS_ASSEMBLED) != 0, ((traits)&IS_BOUNDED) != 0              \
  }

static bool is_cyclic(case_cut cut)
{
  return cut == CUT_CYCLIC || cut == CUT_ROTATED;
}

static bool is_listed(case_cut cut)
{
  return cut >= CUT_ASCENDING;
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
    ROW("C, shuffled ranks", "a permuted grid", CYCLIC(5), CYCLIC(5), 'C', PLAIN, RANKS_SHUFFLED),
    ROW("F, shuffled, rotated", "both permute the grid", CYCLIC(5), ROTATED(5), 'F', PLAIN, RANKS_SHUFFLED),
    ROW("C, assembled cyclic(1)", "a layout of dictionaries; blocks of one", CYCLIC(1), CYCLIC(1), 'C', PLAIN,
        IS_ASSEMBLED),
    ROW("C, ceil blocks", "block-cyclic if the blocks are square", AXIS(CEIL), AXIS(CEIL), 'C', PLAIN, 0),
    ROW("F, even blocks", "block-cyclic where lengths happen to fit", AXIS(EVEN), AXIS(EVEN), 'F', PLAIN, 0),
    ROW("C, padded", "the interior, NaN around it", AXIS(PADDED), AXIS(PADDED), 'C', PLAIN, 0),
    ROW("F, padded", "the interior, NaN around it", AXIS(PADDED), AXIS(PADDED), 'F', PLAIN, 0),
    ROW("C, boundary padding", "the boundary belongs to the matrix", AXIS(EVEN), AXIS(EVEN), 'C', PLAIN,
        IS_BOUNDED),
    ROW("C, blocks 5 x 3", "unequal blocks: moved for most routines", CYCLIC(5), CYCLIC(3), 'C', PLAIN, 0),
    ROW("F, blocks 2 x 7", "unequal blocks: moved for most routines", CYCLIC(2), CYCLIC(7), 'F', PLAIN, 0),
    ROW("C, all on the last", "processes without elements", AXIS(LAST), AXIS(LAST), 'C', PLAIN, 0),
    ROW("C, uneven rows", "irregular blocks are moved", AXIS(IRREGULAR), CYCLIC(5), 'C', PLAIN, 0),
    ROW("F, uneven both", "irregular blocks are moved", AXIS(IRREGULAR), AXIS(IRREGULAR), 'F', PLAIN, 0),
    ROW("C, gaps", "no contiguous axis: moved", CYCLIC(5), CYCLIC(5), 'C', GAPS, 0),
    ROW("C, backwards", "a negative stride: moved", CYCLIC(5), CYCLIC(5), 'C', REVERSE, 0),
    ROW("F, upside down", "a negative leading dimension: moved", AXIS(CEIL), CYCLIC(5), 'F', UPSIDE, 0),
    ROW("C, odd address", "elements not aligned", CYCLIC(5), CYCLIC(5), 'C', ODD, 0),
    ROW("mixed orders", "one order here, the other there: moved", CYCLIC(5), CYCLIC(5), 'C', MIXED, 0),
    ROW("C, bytes swapped", "the other byte order: moved", CYCLIC(5), CYCLIC(5), 'C', PLAIN, BYTES_SWAPPED),
    ROW("F, listed rows", "unstructured: moved", AXIS(LOTS), AXIS(EVEN), 'F', PLAIN, IS_ASSEMBLED),
    ROW("C, copies of rows", "every process row has a copy: moved, all get results", AXIS(COPIES), CYCLIC(5),
        'C', PLAIN, 0),
    ROW("C, overlapping lists", "some elements on several processes", AXIS(OVERLAPS), AXIS(OVERLAPS), 'C',
        PLAIN, RANKS_SHUFFLED),
};
const int source_count = (int)(sizeof sources / sizeof sources[0]);

/* Of 1-D arrays; the second axis is not looked at. */
const source vector_sources[] = {
    ROW("cyclic(5)", "blocks", CYCLIC(5), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("whole copies", "everybody wants the result", AXIS(COPIES), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("rotated(4)", "first block on the last", ROTATED(4), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("uneven", "irregular", AXIS(IRREGULAR), AXIS(EVEN), 'F', PLAIN, 0),
    ROW("padded", "NaN in the padding", AXIS(PADDED), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("even, gaps", "strided", AXIS(EVEN), AXIS(EVEN), 'C', GAPS, 0),
    ROW("backwards", "negative stride", AXIS(CEIL), AXIS(EVEN), 'C', REVERSE, 0),
    ROW("last", "all on one process", AXIS(LAST), AXIS(EVEN), 'C', PLAIN, RANKS_SHUFFLED),
    ROW("listed", "any order", AXIS(LOTS), AXIS(EVEN), 'C', PLAIN, IS_ASSEMBLED),
    ROW("overlapping", "copies of some", AXIS(OVERLAPS), AXIS(EVEN), 'C', PLAIN, 0),
    ROW("swapped", "the other byte order", CYCLIC(3), AXIS(EVEN), 'C', PLAIN, RANKS_SHUFFLED | BYTES_SWAPPED),
};
const int vector_source_count = (int)(sizeof vector_sources / sizeof vector_sources[0]);

/* ---- as layouts ---------------------------------------------------------------------------------------- */

static void must(bool held, const dap_error *err)
{
  if (held) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Padding is as wide as the sizes leave room for. */
static dap_dist axis_of(const source *s, int k, int64_t size, int procs, test_random *random,
                        random_memory *memory)
{
  const case_layout row = {"",
                           2,
                           {size, size},
                           .cut = {s->axes[0].cut, s->axes[1].cut},
                           .block = {s->axes[0].block, s->axes[1].block}};
  dap_dist d = case_axis(&row, k, procs, random, memory);
  if (s->axes[k].cut == CUT_PADDED) d.halo = size >= (int64_t)2 * procs ? 2 : size >= procs ? 1 : 0;
  if (s->bounded && k == 0 && size >= (int64_t)2 * procs) d.boundary[0] = d.boundary[1] = 1;
  return d;
}

dap_layout *source_layout(const source *s, int ndim, const int64_t size[2], const int grid[2])
{
  static random_memory memory[2]; /* too large for a stack */
  test_random random = test_random_init(6);
  int ranks[BRUTE_PROCS], nprocs = 1;
  dap_dist dists[2];
  dap_layout *created = NULL, *layout = NULL;
  dap_error err = {.text = "lists of tests have at most 256 indices"};
  for (int k = 0; k < ndim; k++) {
    must(size[k] <= BRUTE_SIZE || !is_listed(s->axes[k].cut), &err);
    dists[k] = axis_of(s, k, size[k], grid[k], &random, &memory[k]);
    nprocs *= grid[k];
  }
  for (int i = 0; i < nprocs; i++) ranks[i] = i;
  if (s->shuffled) test_shuffle(&random, nprocs, ranks);
  must(!dap_layout_create(ndim, dists, &created, &err), &err);
  must(!dap_layout_reorder(created, ranks, &layout, &err), &err);
  dap_layout_destroy(&created);
  if (!s->assembled) return layout;
  dap_layout *assembled = assemble_again(MPI_COMM_WORLD, layout, NULL, &random);
  must(assembled, &err);
  dap_layout_destroy(&layout);
  return assembled;
}

/* ---- what is shared ------------------------------------------------------------------------------------ */

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
    if (s->axes[k].cut == CUT_IRREGULAR && grid[k] > 1) return 0;
  }
  if (s->swapped || s->memory == MEMORY_GAPS || s->memory == MEMORY_REVERSE || s->memory == MEMORY_UPSIDE)
    return 0;
  const bool cyclic = is_cyclic(s->axes[0].cut) && is_cyclic(s->axes[1].cut);
  return plain && cyclic && s->axes[0].block == s->axes[1].block ? 1 : -1;
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
  TEST_CASE("%s (%s), %d x %d %s over %d x %d", t.source->name, t.source->why, (int)rows, (int)cols,
            t.type->name, t.grid[0], t.grid[1]);
  return t;
}
