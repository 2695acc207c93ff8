/* What is tried: not every source with every grid, size and type, but each with each of the others
 * somewhere. */
#include "harness.h"

static const int64_t squares[][2] = {{33, 33}, {0, 0},   {1, 1},   {2, 2},  {5, 5},
                                     {7, 7},   {13, 13}, {64, 64}, {70, 70}};
static const int64_t talls[][2] = {{33, 21}, {0, 0},  {4, 0},   {1, 1},  {5, 2},
                                   {7, 7},   {13, 1}, {64, 40}, {70, 69}};
static const int64_t shapes[][2] = {{33, 21}, {21, 33}, {0, 0}, {0, 4},   {4, 0},   {1, 1},  {1, 7},
                                    {7, 1},   {5, 2},   {2, 5}, {13, 13}, {40, 64}, {70, 33}};

/* Sources that all sizes are tried on: shared in both orders, moved, padded. */
static const int few[] = {0, 1, 17, 11};
enum {
  FEW = sizeof few / sizeof few[0],
  MANY = 4 /* processes that are slow on few cores */,
  MOST_GRIDS = 16
};

/* All grids that have exactly the run's processes; the squarest first. Returns their number. */
static int list_grids(int grids[MOST_GRIDS][2])
{
  const int nprocs = test_nprocs();
  int count = 0;
  for (int p = nprocs; p >= 1 && count + 2 <= MOST_GRIDS; p--) {
    if (nprocs % p != 0 || p > nprocs / p) continue;
    grids[count][0] = p, grids[count++][1] = nprocs / p;
    if (p != nprocs / p) grids[count][0] = nprocs / p, grids[count++][1] = p;
  }
  return count > 0 ? count : 1; /* 1 x nprocs is always there */
}

/* The sizes of a set, of which the first `*large` are those for all sources. */
static int list_sizes(trial_set set, const int64_t (**sizes)[2], int *large)
{
  *large = set == TRIALS_ANY ? 2 : 1;
  *sizes = set == TRIALS_SQUARE ? squares : set == TRIALS_TALL ? talls : shapes;
  return set == TRIALS_SQUARE ? (int)(sizeof squares / sizeof squares[0])
         : set == TRIALS_TALL ? (int)(sizeof talls / sizeof talls[0])
                              : (int)(sizeof shapes / sizeof shapes[0]);
}

bool trial_next(trial *t, trial_set set)
{
  int grids[MOST_GRIDS][2], large;
  const int64_t(*sizes)[2];
  const int grid_count = list_grids(grids), size_count = list_sizes(set, &sizes, &large);
  /* With many processes, or little time, a source is on every other grid, the next one on the others. */
  const int step = test_nprocs() > MANY || test_scale() > 1 ? 2 : 1, on_each = (grid_count + step - 1) / step;
  const int at_once = 2 / step; /* sources for one size and type */
  const int on_all = source_count * on_each, on_few = at_once * size_count * ELEMENT_TYPES;
  int i = t->number++, grid, size, type;
  if (i < on_all) {
    const int row = i / on_each;
    t->source = &sources[row];
    grid = (i % on_each * step + row % step) % grid_count;
    type = row + grid;
    size = (row / step + grid) % large;
  } else if (i < on_all + on_few) {
    i -= on_all;
    size = i / at_once / ELEMENT_TYPES;
    type = i / at_once % ELEMENT_TYPES;
    grid = (size + i / 3) % grid_count;
    t->source = &sources[few[(size + type + i % at_once * FEW / 2) % FEW]];
  } else {
    return false;
  }
  t->type = &element_types[type % ELEMENT_TYPES];
  memcpy(t->size, sizes[size], sizeof t->size);
  memcpy(t->grid, grids[grid], sizeof t->grid);
  TEST_CASE("trial %d: %s (%s), %d x %d %s over %d x %d", t->number, t->source->name, t->source->why,
            (int)t->size[0], (int)t->size[1], t->type->name, t->grid[0], t->grid[1]);
  return true;
}

void squarest_grid(int grid[2])
{
  const int nprocs = test_nprocs();
  for (int f = 1; f * f <= nprocs; f++)
    if (nprocs % f == 0) grid[0] = f, grid[1] = nprocs / f;
}
