/* Declares the files about overlaps: the elements that one process has for another along one axis. */
#ifndef DAP_OVERLAP_IMPL_H
#define DAP_OVERLAP_IMPL_H

#include "kernel_impl.h"

#include <stdlib.h>

/* ---- overlap.c, intersect.c, overlap_find.c --------------------------------------------------------- */

/* Equal stretches at equal steps along one axis, in elements: for i < count,
 * [from + i * from_step, + length) goes to [to + i * to_step, + length). */
typedef struct dap_strided_run {
  int64_t from, to, length;
  int64_t count, from_step, to_step;
  int64_t before; /* elements in the strided runs before this one */
} dap_strided_run;

/* A pattern that repeats, as those of two cyclic axes do. Strided runs or points [first, + count) come
 * `repeats` times. The runs behind the last repetition are stored behind them. Numbers of runs and points
 * count all repetitions. */
typedef struct dap_repeated {
  int64_t first, count, repeats; /* count 0: nothing repeats */
  int64_t elements;              /* elements of one repetition */
  int64_t from, to;              /* distance of two repetitions in both buffers */
} dap_repeated;

/* The elements that one process has for another along one axis, as positions in both buffers. The
 * positions in the destination ascend. */
typedef struct dap_overlap {
  dap_strided_run *runs;  /* [size] strided runs */
  int64_t size;           /* strided runs, or points, that are stored */
  int64_t capacity;       /* room for strided runs, or points */
  int64_t elements;       /* elements of all runs in all repetitions */
  dap_packed from, to;    /* [size] points of 4 or 8 bytes a position, in place of runs; or no data */
  dap_repeated *repeated; /* NULL: nothing repeats */
} dap_overlap;

static inline const dap_repeated *dap_overlap_repeated(const dap_overlap *overlap)
{
  static const dap_repeated nothing = {.repeats = 1};
  return overlap->repeated ? overlap->repeated : &nothing;
}

static inline bool dap_overlap_is_points(const dap_overlap *overlap)
{
  return overlap->to.data != NULL;
}

/* Returns the number of runs or points, counting all repetitions. */
static inline int64_t dap_overlap_run_count(const dap_overlap *overlap)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  return overlap->size + (r->repeats - 1) * r->count;
}

/* The part of an axis that moves: elements [from_start, + length) of the source go to [to_start, + length),
 * where these are in the region. */
typedef struct dap_axis_part {
  int64_t from_start, to_start, length;
  dap_region region;
} dap_axis_part;

/* Finds the elements that coordinate p of the source has for coordinate q of the destination. */
dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, const dap_axis_part *part,
                              dap_overlap *overlap, dap_error *err);
void dap_overlap_release(dap_overlap *overlap);
/* Adds `length` elements, joined to the last strided run if they continue it. */
dap_status dap_overlap_add(dap_overlap *overlap, int64_t from, int64_t to, int64_t length, dap_error *err);
/* Adds a strided run as it is. */
dap_status dap_overlap_append(dap_overlap *overlap, const dap_strided_run *run, dap_error *err);
/* Adds the stretches of a strided run as dap_overlap_add() would one by one. */
dap_status dap_overlap_add_all(dap_overlap *overlap, const dap_strided_run *run, dap_error *err);
/* Repeats strided runs [first, size - 1) `times` times more before the last one, each time moved by `from`
 * and `to`. Called at most once for an overlap. */
dap_status dap_overlap_repeat(dap_overlap *overlap, int64_t first, int64_t times, int64_t from, int64_t to,
                              dap_error *err);
dap_status dap_overlap_set_repeated(dap_overlap *overlap, const dap_repeated *repeated, dap_error *err);
/* Makes an overlap of elements [lo, hi) of another; and one in place, in which both positions are the
 * destination's (overlap_slice.c). */
dap_status dap_overlap_slice(const dap_overlap *whole, int64_t lo, int64_t hi, dap_overlap *slice,
                             dap_error *err);
dap_status dap_overlap_mirror(const dap_overlap *overlap, dap_overlap *mirror, dap_error *err);
/* Replaces runs and repetitions with points. Points of a pattern are listed once if they are `table` or
 * more. */
dap_status dap_overlap_list(dap_overlap *overlap, int64_t table, dap_error *err);
/* Ends additions, and chooses runs or points; and makes points of runs that hardly join any elements. */
dap_status dap_overlap_finish(dap_overlap *overlap, dap_error *err);
dap_status dap_overlap_pack(dap_overlap *overlap, dap_error *err);
/* Counts the elements at positions of the destination below `to`; and returns the position of an element. */
int64_t dap_overlap_rank(const dap_overlap *overlap, int64_t to);
int64_t dap_overlap_to(const dap_overlap *overlap, int64_t element);
int64_t dap_overlap_memory(const dap_overlap *overlap); /* bytes, without the struct */
dap_status dap_overlap_copy(const dap_overlap *from, dap_overlap *to, dap_error *err);

/* Returns `all`, which may have moved, with room for an element of `size` bytes behind `count` others. NULL:
 * there is no memory, and `all` stays. */
static inline void *dap_grow(void *all, int count, int *capacity, size_t size)
{
  if (count < *capacity) return all;
  const int more = *capacity ? 2 * *capacity : 1;
  void *grown = realloc(all, (size_t)more * size);
  if (grown) *capacity = more;
  return grown;
}

/* Returns the greatest common divisor. */
static inline int64_t dap_common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Positions [begin, end) of the destination in which the pattern repeats every `step` positions, which have
 * `elements` elements. step 0: it does not. */
typedef struct dap_cycle {
  int64_t begin, end, step, elements;
} dap_cycle;
/* Return the cycles around an element: of the repetitions, and of its strided run. */
dap_cycle dap_overlap_turns(const dap_overlap *overlap, int64_t element);
dap_cycle dap_overlap_steps(const dap_overlap *overlap, int64_t element);

/* Returns run i, or point i as a run. */
dap_strided_run dap_overlap_run(const dap_overlap *overlap, int64_t i);

/* Points that are stored one behind the other. from, to: distances that are added to their positions. */
typedef struct dap_points {
  int64_t first, count, from, to;
} dap_points;
/* Returns as many of the points [first, end) as are stored one behind the other. */
dap_points dap_overlap_points(const dap_overlap *overlap, int64_t first, int64_t end);

/* Turns the overlap of a move into that of the move back: the two positions of each element change places.
 * Each element of the source may occur only once. */
dap_status dap_overlap_reverse(dap_overlap *overlap, dap_error *err); /* overlap_reverse.c */

/* Visits elements [at, end) of an overlap by strided runs. Their `before` counts from the overlap's first
 * element. */
typedef struct dap_pieces {
  const dap_overlap *overlap;
  int64_t at, end, run, turn;
} dap_pieces;
dap_pieces dap_pieces_of(const dap_overlap *overlap, int64_t at, int64_t end);
bool dap_pieces_next(dap_pieces *pieces, dap_strided_run *piece);

/* ---- points.c: overlaps that have points ------------------------------------------------------------ */

/* Makes an overlap without points, which has room for some. */
dap_status dap_points_start(dap_overlap *overlap, int64_t capacity, dap_error *err);
dap_status dap_points_reserve(dap_overlap *overlap, int64_t capacity, dap_error *err);
dap_status dap_points_add(dap_overlap *overlap, const dap_strided_run *run, dap_error *err);
void dap_points_sort(dap_overlap *overlap); /* sorts by position in the destination; nothing may repeat */

#endif
