/* Counts, by runs, the elements that a source coordinate and a destination coordinate of one axis have in
 * common. A formula is used where it visits fewer coordinates than there are runs. */
#include "relabel_impl.h"

static bool is_cyclic(const dap_map *map)
{
  return map->axis.dist_type == 'c';
}

/* Returns the elements before global index `end` that `coord` owns, or has like all others. Not for axes
 * with lists. */
static int64_t owned_before(const dap_map *map, int coord, int64_t end)
{
  const dap_axis *a = &map->axis;
  if (map->bounds) return dap_larger(0, dap_smaller(end, map->bounds[coord + 1]) - map->bounds[coord]);
  if (dap_map_is_whole(map)) return end;
  const int distance = coord - a->first_owner;
  return dap_numroc(end, a->block_size, distance < 0 ? distance + a->procs : distance, a->procs);
}

static int64_t owned_between(const dap_map *map, int coord, int64_t low, int64_t high)
{
  return owned_before(map, coord, high) - owned_before(map, coord, low);
}

/* Returns the owner of `global`. *end is behind its elements around there. */
static int owner_at(const dap_map *map, int64_t global, int64_t *end)
{
  int coord = 0;
  int64_t local;
  (void)map->ops->locate(map, global, &coord, &local);
  *end = global + 1;
  if (map->bounds) *end = map->bounds[coord + 1];
  if (is_cyclic(map)) {
    const int64_t left = map->axis.block_size - global % map->axis.block_size;
    *end = left < map->axis.size - global ? global + left : map->axis.size;
  }
  return coord;
}

/* An axis consists of `times` repetitions of [0, length), and [0, rest). */
typedef struct period {
  int64_t length, rest, times;
} period;

/* Two cyclic axes repeat their pattern after the least common multiple of their rounds. */
static period period_of(const dap_map *from, const dap_map *to)
{
  const int64_t size = to->axis.size;
  int64_t x, y, all;
  if (!is_cyclic(from) || !is_cyclic(to) || !dap_multiply(from->axis.block_size, from->axis.procs, &x) ||
      !dap_multiply(to->axis.block_size, to->axis.procs, &y) ||
      !dap_multiply(x / dap_common_divisor(x, y), y, &all) || all >= size)
    return (period){.length = size, .rest = 0, .times = 1};
  return (period){.length = all, .rest = size % all, .times = size / all};
}

/* Estimates the runs that `map` has in [0, length). */
static double runs_in(const dap_map *map, int64_t length)
{
  return is_cyclic(map) ? (double)length / (double)map->axis.block_size : map->axis.procs;
}

double dap_common_steps(const dap_map *from, const dap_map *to)
{
  const int64_t length = period_of(from, to).length;
  const double runs = runs_in(from, length) + runs_in(to, length);
  const double pairs = (double)from->axis.procs * to->axis.procs;
  if (dap_map_is_whole(from) || dap_map_is_whole(to)) return pairs; /* all pairs have elements in common */
  return (is_cyclic(from) && is_cyclic(to)) || runs < pairs ? runs : pairs;
}

typedef struct counting {
  const dap_map *from;
  dap_tally *tally; /* counts of all p; NULL: only `p` is counted, in `sum` */
  int p;
  int64_t sum;
} counting;

static void add(dap_tally *tally, int p, int64_t count)
{
  if (count == 0) return;
  if (tally->counts[p] == 0) tally->touched[tally->touched_count++] = p;
  tally->counts[p] += count;
}

/* Counts the global indices [low, high), each of them `times`. */
static void count_stretch(counting *c, int64_t low, int64_t high, int64_t times)
{
  const dap_map *from = c->from;
  if (!c->tally) {
    c->sum += times * owned_between(from, c->p, low, high);
  } else if (dap_map_is_whole(from) ||
             (is_cyclic(from) && (high - low) / from->axis.block_size > from->axis.procs)) {
    for (int p = 0; p < from->axis.procs; p++) add(c->tally, p, times * owned_between(from, p, low, high));
  } else {
    for (int64_t at = low, end; at < high; at = end) {
      const int p = owner_at(from, at, &end);
      end = dap_smaller(end, high);
      add(c->tally, p, times * (end - at));
    }
  }
}

static void count_runs(counting *c, const dap_map *to, int q, int64_t begin, int64_t end, int64_t times)
{
  const int64_t count = begin < end ? to->ops->run_count(to, q) : 0;
  for (int64_t i = count > 0 ? to->ops->run_after(to, q, begin) : 0; i < count; i++) {
    const dap_run run = to->ops->run(to, q, i);
    if (run.global >= end) break;
    count_stretch(c, dap_larger(run.global, begin), dap_smaller(run.global + run.length, end), times);
  }
}

/* Counts all elements that q holds: those that it owns, and ghosts of a 'u' axis. */
static void count_held(counting *c, const dap_map *to, int q)
{
  if (to->lists) {
    for (int64_t i = 0; i < to->lists->held[q]; i++) {
      const int64_t global = to->ops->globalize(to, q, i);
      count_stretch(c, global, global + 1, 1);
    }
  } else if (dap_map_is_whole(to)) {
    if (to->axis.size > 0) count_stretch(c, 0, to->axis.size, 1);
  } else {
    const period cycle = period_of(c->from, to);
    count_runs(c, to, q, 0, cycle.rest, cycle.times + 1);
    count_runs(c, to, q, cycle.rest, cycle.length, cycle.times);
  }
}

/* Whether a process of the cyclic axis `one` has fewer runs than one of `other`. */
static bool has_fewer_runs(const dap_map *one, const dap_map *other)
{
  return is_cyclic(one) && is_cyclic(other) &&
         (double)one->axis.block_size * one->axis.procs > (double)other->axis.block_size * other->axis.procs;
}

void dap_common_tally(const dap_map *from, const dap_map *to, int q, dap_tally *tally)
{
  const int procs = from->axis.procs;
  const int64_t length = period_of(from, to).length;
  counting c = {.from = from, .tally = tally};
  if (has_fewer_runs(from, to) && runs_in(from, length) < runs_in(to, length) / to->axis.procs) {
    for (int p = 0; p < procs; p++) add(tally, p, dap_common_pair(from, p, to, q));
    return;
  }
  if (!from->bounds || !is_cyclic(to) || to->ops->run_count(to, q) < procs) {
    count_held(&c, to, q);
    return;
  }
  for (int p = 0; p < procs; p++) add(tally, p, owned_between(to, q, from->bounds[p], from->bounds[p + 1]));
}

int64_t dap_common_pair(const dap_map *from, int p, const dap_map *to, int q)
{
  if (from->bounds) return owned_between(to, q, from->bounds[p], from->bounds[p + 1]);
  const bool is_swapped = has_fewer_runs(from, to); /* both directions have the same elements in common */
  counting c = {.from = is_swapped ? to : from, .p = is_swapped ? q : p};
  count_held(&c, is_swapped ? from : to, is_swapped ? p : q);
  return c.sum;
}
