#include "axis.h"

dap_dist bench_axis_dist(const bench_axis *axis)
{
  switch (axis->kind) {
  case BENCH_PADDED:
    return dap_dist_padded(axis->size, axis->procs, axis->width);
  case BENCH_CYCLIC:
    return dap_dist_cyclic(axis->size, axis->procs, axis->width);
  case BENCH_BLOCK:
  case BENCH_SHUFFLE:
    break;
  }
  return dap_dist_ceil(axis->size, axis->procs);
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : least(value, high);
}

/* ---- a random order --------------------------------------------------------------------------- */

/* Applies a Feistel network over 2 * `half` bits, which permutes 0 .. 4^half - 1, forwards or backwards. */
static uint64_t feistel(uint64_t value, int half, bool forwards)
{
  enum { ROUNDS = 4 };
  const uint64_t mask = (UINT64_C(1) << half) - 1;
  uint64_t left = value >> half, right = value & mask;
  for (int i = 0; i < ROUNDS; i++) {
    const uint64_t round = (uint64_t)(forwards ? i : ROUNDS - 1 - i);
    const uint64_t kept = forwards ? right : left;
    uint64_t mixed = (kept + 1) * UINT64_C(0x9e3779b97f4a7c15) + round * UINT64_C(0xd1b54a32d192ed03);
    mixed = (mixed ^ (mixed >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 32)) & mask;
    if (forwards) {
      const uint64_t old = left;
      left = right;
      right = old ^ mixed;
    } else {
      const uint64_t old = right;
      right = left;
      left = old ^ mixed;
    }
  }
  return left << half | right;
}

/* Permutes 0 .. size - 1. A result outside this range is permuted again until it is inside. */
static int64_t shuffle(int64_t index, int64_t size, bool forwards)
{
  int half = 1;
  while (INT64_C(1) << 2 * half < size) half++;
  uint64_t value = (uint64_t)index;
  do value = feistel(value, half, forwards);
  while (value >= (uint64_t)size);
  return (int64_t)value;
}

/* ---- positions ---------------------------------------------------------------------------------- */

/* Returns the begin of the contiguous range of `coord`. */
static int64_t range_start(const bench_axis *axis, int coord)
{
  const int64_t procs = axis->procs;
  if (axis->kind == BENCH_BLOCK) return least(coord * ((axis->size + procs - 1) / procs), axis->size);
  return coord * (axis->size / procs) + least(coord, axis->size % procs);
}

static int range_owner(const bench_axis *axis, int64_t global)
{
  int64_t coord = 0;
  if (axis->kind == BENCH_BLOCK) {
    coord = global / ((axis->size + axis->procs - 1) / axis->procs);
  } else {
    const int64_t small = axis->size / axis->procs, large = axis->size % axis->procs;
    coord =
        global < large * (small + 1) ? global / (small + 1) : large + (global - large * (small + 1)) / small;
  }
  return (int)coord;
}

/* Returns the width of the halo before the first owned element. */
static int64_t halo_low(const bench_axis *axis, int coord)
{
  return axis->kind == BENCH_PADDED && coord > 0 ? axis->width : 0;
}

int64_t bench_axis_extent(const bench_axis *axis, int coord)
{
  if (axis->kind == BENCH_CYCLIC) {
    const int64_t deal = axis->width * axis->procs, rest = axis->size % deal;
    return axis->size / deal * axis->width + clamp(rest - coord * axis->width, 0, axis->width);
  }
  const int64_t high = axis->kind == BENCH_PADDED && coord < axis->procs - 1 ? axis->width : 0;
  return halo_low(axis, coord) + range_start(axis, coord + 1) - range_start(axis, coord) + high;
}

int64_t bench_axis_global(const bench_axis *axis, int coord, int64_t local, bool *owned)
{
  *owned = true;
  if (axis->kind == BENCH_CYCLIC)
    return (local / axis->width * axis->procs + coord) * axis->width + local % axis->width;
  const int64_t start = range_start(axis, coord), at = start + local - halo_low(axis, coord);
  *owned = at >= start && at < range_start(axis, coord + 1);
  return axis->kind == BENCH_SHUFFLE ? shuffle(at, axis->size, true) : at;
}

int64_t bench_axis_locate(const bench_axis *axis, int64_t global, int *coord)
{
  if (axis->kind == BENCH_CYCLIC) {
    const int64_t block = global / axis->width;
    *coord = (int)(block % axis->procs);
    return block / axis->procs * axis->width + global % axis->width;
  }
  const int64_t at = axis->kind == BENCH_SHUFFLE ? shuffle(global, axis->size, false) : global;
  *coord = range_owner(axis, at);
  return at - range_start(axis, *coord) + halo_low(axis, *coord);
}
