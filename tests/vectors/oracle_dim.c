/* The rules for one dictionary. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------ */

/* Rule 3: an integer, and nothing else. False: no value. */
static bool integer(const json_t *dim, const char *key, oracle *judged, int64_t *value)
{
  const json_t *given = json_object_get(dim, key);
  if (!given)
    oracle_fault(judged, FAULT_KEY);
  else if (!json_is_integer(given))
    oracle_fault(judged, FAULT_INTEGER);
  else
    *value = json_integer_value(given);
  return json_is_integer(given);
}

static bool truth(const json_t *dim, const char *key, oracle *judged)
{
  const json_t *given = key ? json_object_get(dim, key) : NULL;
  if (given && !json_is_boolean(given)) oracle_fault(judged, FAULT_BOOL);
  return json_is_true(given);
}

/* Rule 10. */
static bool padding(const json_t *dim, oracle *judged, int64_t width[2])
{
  const json_t *given = json_object_get(dim, "padding");
  bool is_right = !given || (json_is_array(given) && json_array_size(given) == 2);
  for (size_t side = 0; side < 2 && given && is_right; side++) {
    is_right = json_is_integer(json_array_get(given, side));
    width[side] = json_integer_value(json_array_get(given, side));
  }
  is_right = is_right && width[0] >= 0 && width[1] >= 0;
  if (!is_right) oracle_fault(judged, FAULT_PADDING);
  return is_right;
}

/* ---- what all have ----------------------------------------------------------------------------- */

static bool common(const speech *dialect, const json_t *dim, oracle *judged, oracle_axis *axis)
{
  const bool has_size = integer(dim, dialect->size, judged, &axis->size);
  const bool has_procs = integer(dim, dialect->procs, judged, &axis->procs);
  const bool has_rank = integer(dim, dialect->rank, judged, &axis->rank);
  const bool is_size = has_size && axis->size >= 0;
  const bool is_place = has_procs && has_rank && 0 <= axis->rank && axis->rank < axis->procs;
  if (has_size && !is_size) oracle_fault(judged, FAULT_SIZE);
  if (has_procs && has_rank && !is_place) oracle_fault(judged, FAULT_GRID);
  if (has_procs && axis->procs < 1) oracle_fault(judged, FAULT_GRID);
  return is_size && is_place;
}

/* ---- block ------------------------------------------------------------------------------------- */

/* Rules 8 to 11: which padding is communication padding, and what that leaves of start .. stop, which are in
 * order. */
static void cut(const speech *dialect, const int64_t width[2], int64_t start, int64_t stop, oracle *judged,
                oracle_axis *axis)
{
  const bool wraps = dialect->wraps && axis->periodic;
  int64_t boundary[2] = {0, 0};
  for (int side = 0; side < 2; side++) {
    const bool is_edge = axis->rank == (side == 0 ? 0 : axis->procs - 1);
    *(!is_edge ? &axis->halo[side] : wraps ? &axis->wrap[side] : &boundary[side]) = width[side];
    if (width[side] > axis->size) oracle_fault(judged, FAULT_PADDING);
  }
  if (judged->faults & 1UL << FAULT_PADDING) return; /* so that the sums below are small */
  axis->start = start + (dialect->padding_inside ? axis->halo[0] : 0);
  axis->stop = stop - (dialect->padding_inside ? axis->halo[1] : 0);
  axis->owned = axis->stop - axis->start;
  axis->extent = axis->owned + axis->halo[0] + axis->halo[1] + axis->wrap[0] + axis->wrap[1];
  if (axis->owned < boundary[0] + boundary[1]) oracle_fault(judged, FAULT_PADDING);
  /* Rule 10: neighbours own what padding shows, and this process as much for theirs. */
  if (axis->halo[0] > axis->owned || axis->halo[1] > axis->owned || axis->halo[0] > axis->start ||
      axis->halo[1] > axis->size - axis->stop || (axis->owned == 0 && axis->wrap[0] + axis->wrap[1] > 0))
    oracle_fault(judged, FAULT_PADDING);
  /* Rule 8: what is owned tiles 0 .. size - 1 in order of the ranks; rule 11: but for empty sections. */
  const bool is_whole = axis->procs == 1 && axis->owned < axis->size;
  const bool is_late = axis->rank == 0 && axis->owned > 0 && axis->start > 0;
  const bool is_early = axis->rank == axis->procs - 1 && axis->owned > 0 && axis->stop < axis->size;
  if (is_whole || is_late || is_early) oracle_fault(judged, FAULT_EDGE);
}

static void block(const speech *dialect, bool has_padding, const json_t *dim, oracle *judged,
                  oracle_axis *axis)
{
  int64_t width[2] = {0, 0}, start = 0, stop = 0;
  const bool is_placed = common(dialect, dim, judged, axis);
  const bool has_start = integer(dim, "start", judged, &start);
  const bool has_stop = integer(dim, "stop", judged, &stop);
  const bool is_padded = !has_padding || padding(dim, judged, width);
  axis->periodic = truth(dim, "periodic", judged);
  if (has_start && start < 0) oracle_fault(judged, FAULT_RANGE);
  if (!is_placed || !has_start || !has_stop) return;
  if (start < 0 || stop < start || stop > axis->size)
    oracle_fault(judged, FAULT_RANGE);
  else if (is_padded)
    cut(dialect, width, start, stop, judged, axis);
}

/* Rule 12: 'n' and None. */
static void undistributed(const speech *dialect, bool has_padding, const json_t *dim, oracle *judged,
                          oracle_axis *axis)
{
  int64_t width[2] = {0, 0};
  const bool has_size = integer(dim, dialect->size, judged, &axis->size);
  const bool is_padded = !has_padding || padding(dim, judged, width);
  axis->periodic = truth(dim, "periodic", judged);
  axis->procs = 1;
  if (has_size && axis->size < 0)
    oracle_fault(judged, FAULT_SIZE);
  else if (has_size && is_padded)
    cut(dialect, width, 0, axis->size, judged, axis);
}

/* ---- cyclic ------------------------------------------------------------------------------------ */

/* Rule 13: indices start + k P bs .. + bs - 1 below size; rule 15: as NUMROC counts, by counting. */
static int64_t count_cyclic(const oracle_axis *axis)
{
  const int64_t bs = axis->block_size, blocks = axis->size / bs + (axis->size % bs > 0);
  const int64_t first = axis->start / bs; /* the process's first block */
  if (first >= blocks) return 0;
  const int64_t last = blocks - 1, held = (last - first) / axis->procs + 1;
  const bool has_last = (last - first) % axis->procs == 0;
  return (held - has_last) * bs + (has_last ? axis->size - last * bs : 0);
}

static void cyclic(const speech *dialect, bool has_blocks, const json_t *dim, oracle *judged,
                   oracle_axis *axis)
{
  const bool is_placed = common(dialect, dim, judged, axis);
  const bool has_start = integer(dim, "start", judged, &axis->start);
  axis->block_size = 1;
  if (has_blocks && json_object_get(dim, dialect->block_size))
    if (!integer(dim, dialect->block_size, judged, &axis->block_size)) return;
  if (axis->block_size < 1) oracle_fault(judged, FAULT_BLOCK_SIZE);
  if (has_start && axis->start < 0) oracle_fault(judged, FAULT_START);
  if (!is_placed || !has_start || axis->start < 0 || axis->block_size < 1) return;
  /* Rule 14. */
  const bool is_empty = axis->start >= axis->size;
  if (!is_empty && (axis->start % axis->block_size != 0 || axis->start / axis->block_size >= axis->procs))
    oracle_fault(judged, FAULT_START);
  const int64_t blocks = axis->size / axis->block_size + (axis->size % axis->block_size > 0);
  if (is_empty && blocks >= axis->procs) oracle_fault(judged, FAULT_NOTHING);
  axis->owned = is_empty ? 0 : count_cyclic(axis);
  axis->extent = axis->owned;
}

/* ---- unstructured ------------------------------------------------------------------------------ */

static int ascending(const void *left, const void *right)
{
  const json_int_t a = *(const json_int_t *)left, b = *(const json_int_t *)right;
  return (a > b) - (a < b);
}

/* Rule 17. */
static void labels(const json_t *indices, oracle *judged, const oracle_axis *axis)
{
  const size_t count = json_array_size(indices);
  json_int_t *sorted = malloc((count + 1) * sizeof *sorted);
  if (!sorted) abort();
  for (size_t i = 0; i < count; i++) {
    if (!json_is_integer(json_array_get(indices, i))) oracle_fault(judged, FAULT_INDICES);
    sorted[i] = json_integer_value(json_array_get(indices, i));
  }
  qsort(sorted, count, sizeof *sorted, ascending);
  if (count > 0 && (sorted[0] < 0 || sorted[count - 1] >= axis->size)) oracle_fault(judged, FAULT_LABEL);
  for (size_t i = 1; i < count; i++)
    if (sorted[i] == sorted[i - 1]) oracle_fault(judged, FAULT_TWICE);
  if (axis->procs == 1 && (int64_t)count < axis->size) oracle_fault(judged, FAULT_GAP);
  free(sorted);
}

static void unstructured(const speech *dialect, const json_t *dim, oracle *judged, oracle_axis *axis)
{
  const bool is_placed = common(dialect, dim, judged, axis);
  (void)truth(dim, dialect->one_to_one, judged);
  axis->indices = json_object_get(dim, "indices");
  if (!axis->indices) oracle_fault(judged, FAULT_KEY);
  if (axis->indices && !json_is_array(axis->indices)) oracle_fault(judged, FAULT_INDICES);
  if (!json_is_array(axis->indices) || !is_placed) return;
  labels(axis->indices, judged, axis);
  axis->owned = axis->extent = (int64_t)json_array_size(axis->indices);
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void judge(const speech *dialect, const json_t *dim, oracle *judged, oracle_axis *axis)
{
  const json_t *type = json_object_get(dim, dialect->dist_type);
  const char *name = json_is_null(type) ? "None" : json_string_value(type);
  const bool is_first = dialect->is_tuple; /* 0.0.1, which spells out what later versions tell by keys */
  axis->type = 'b';
  if (!type)
    oracle_fault(judged, FAULT_KEY);
  else if (!name)
    oracle_fault(judged, FAULT_TYPE);
  else if (!strcmp(name, "b") || (is_first && !strcmp(name, "bp")))
    block(dialect, !is_first || name[1] == 'p', dim, judged, axis);
  else if (is_first ? json_is_null(type) : !strcmp(name, "n") && dialect->wraps)
    undistributed(dialect, !is_first, dim, judged, axis);
  else if (!strcmp(name, "c") || (is_first && !strcmp(name, "bc"))) {
    axis->type = 'c';
    cyclic(dialect, !is_first || name[0] == 'b', dim, judged, axis);
  } else if (!strcmp(name, "u")) {
    axis->type = 'u';
    unstructured(dialect, dim, judged, axis);
  } else
    oracle_fault(judged, FAULT_TYPE);
}

void oracle_dim(const speech *dialect, const json_t *dim, int64_t extent, oracle *judged, oracle_axis *axis)
{
  *axis = (oracle_axis){.type = 'b', .extent = -1};
  if (!json_is_object(dim)) {
    oracle_fault(judged, FAULT_NO_DICTIONARY);
    return;
  }
  if (json_object_size(dim) == 0 && dialect->has_empty) { /* rule 12 */
    axis->procs = 1;
    axis->size = axis->stop = axis->owned = axis->extent = extent;
    return;
  }
  judge(dialect, dim, judged, axis);
  if (axis->extent >= 0 && extent >= 0 && axis->extent != extent) oracle_fault(judged, FAULT_EXTENT);
}
