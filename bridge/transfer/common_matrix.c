/* Counts the elements that coordinates of an axis have in common in two layouts. It counts in advance for
 * all coordinates, unless that takes too long. */
#include "relabel_impl.h"

#include <stdlib.h>

enum { MOST = 1 << 24 /* pairs that are kept; where there are more, runs that are visited */ };

/* Whether the numbers are counted in advance. Lists always are, because they take as long to make. */
static bool is_counted(const dap_map *from, const dap_map *to)
{
  const int64_t pairs = (int64_t)from->axis.procs * to->axis.procs;
  return from->lists || to->lists || pairs <= MOST || dap_common_steps(from, to) <= MOST;
}

static int compare_coords(const void *left, const void *right)
{
  const int a = ((const dap_common_entry *)left)->coord, b = ((const dap_common_entry *)right)->coord;
  return (a > b) - (a < b);
}

static dap_status reserve(int axis, int64_t count, int64_t *capacity, dap_common_matrix *matrix,
                          dap_error *err)
{
  if (count <= *capacity) return DAP_OK;
  const int64_t larger = dap_larger(count, *capacity + *capacity / 2);
  dap_common_entry *entries = realloc(matrix->entries, (size_t)larger * sizeof *entries);
  DAP_REQUIRE(entries, err, DAP_ERR_NOMEM, "axis %d: no memory for what processes have in common", axis);
  matrix->entries = entries;
  *capacity = larger;
  return DAP_OK;
}

/* Moves a tally to entries, in ascending order, and empties it. */
static void empty_tally(dap_tally *tally, dap_common_entry entries[])
{
  for (int i = 0; i < tally->touched_count; i++) {
    const int p = tally->touched[i];
    entries[i] = (dap_common_entry){p, tally->counts[p]};
    tally->counts[p] = 0;
  }
  qsort(entries, (size_t)tally->touched_count, sizeof *entries, compare_coords);
  tally->touched_count = 0;
}

static dap_status count_rows(int axis, dap_tally *tally, dap_common_matrix *matrix, dap_error *err)
{
  int64_t capacity = 0;
  for (int q = 0; q < matrix->to->axis.procs; q++) {
    dap_common_tally(matrix->from, matrix->to, q, tally);
    const int64_t begin = matrix->first[q], end = begin + tally->touched_count;
    DAP_TRY(reserve(axis, end, &capacity, matrix, err));
    if (end > begin) empty_tally(tally, matrix->entries + begin);
    matrix->first[q + 1] = end;
  }
  return DAP_OK;
}

dap_status dap_common_matrix_create(int axis, const dap_map *from, const dap_map *to,
                                    dap_common_matrix *matrix, dap_error *err)
{
  const size_t procs = (size_t)from->axis.procs;
  *matrix = (dap_common_matrix){.from = from, .to = to};
  if (!is_counted(from, to)) return DAP_OK;
  dap_tally tally = {.counts = calloc(procs, sizeof *tally.counts),
                     .touched = malloc(procs * sizeof *tally.touched)};
  matrix->first = calloc((size_t)to->axis.procs + 1, sizeof *matrix->first);
  const dap_status s =
      tally.counts && tally.touched && matrix->first
          ? count_rows(axis, &tally, matrix, err)
          : dap_fail(err, DAP_ERR_NOMEM, "axis %d: no memory for %zu processes", axis, procs);
  free(tally.counts);
  free(tally.touched);
  return s;
}

void dap_common_matrix_release(dap_common_matrix *matrix)
{
  free(matrix->first);
  free(matrix->entries);
  *matrix = (dap_common_matrix){0};
}

int64_t dap_common_matrix_at(const dap_common_matrix *matrix, int p, int q)
{
  if (!matrix->first) return dap_common_pair(matrix->from, p, matrix->to, q);
  const int64_t begin = matrix->first[q], count = matrix->first[q + 1] - begin;
  if (count == 0) return 0;
  const dap_common_entry key = {.coord = p}, *found = bsearch(&key, matrix->entries + begin, (size_t)count,
                                                              sizeof key, compare_coords);
  return found ? found->count : 0;
}
