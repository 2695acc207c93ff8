/* Solves the assignment problem exactly, by shortest augmenting paths: the Hungarian method in the form of
 * Jonker and Volgenant ("A shortest augmenting path algorithm for dense and sparse linear assignment
 * problems", 1987), O(rows^2 columns).
 *
 * A value v costs most - v, which is in 0 .. most. Rows' prices are in 0 .. most, as each is at most what a
 * free column costs the row, and so is what columns have given up. Reduced costs are then in 0 .. 2 most,
 * which unsigned 64 bits hold whatever the values are. */
#include "relabel_impl.h"

#include <stdlib.h>

typedef struct solver {
  int columns;
  const int64_t *values; /* [rows][columns] */
  uint64_t most;         /* largest value, as it is weighed */
  int64_t weight;        /* of a value, where staying in place weighs 1; 1: it weighs nothing */
  uint64_t *price;       /* [rows] */
  uint64_t *given;       /* [columns] */
  uint64_t *slack;       /* [columns] least reduced cost to get there, from where the path has been */
  int *row_of;           /* [columns] -1: free */
  int *before;           /* [columns] the column that the path comes from; -1: it begins in the new row */
  bool *in_region;       /* [columns] */
} solver;

static uint64_t cost(const solver *s, int row, int column)
{
  const int64_t bonus = s->weight > 1 && row == column;
  return s->most - (uint64_t)(s->values[(int64_t)row * s->columns + column] * s->weight + bonus);
}

/* Finds the nearest column not reached yet, and its distance, from `row`, to which the path came by
 * `column`. */
static int look_around(const solver *s, int row, int column, uint64_t *distance)
{
  int nearest = -1;
  *distance = UINT64_MAX;
  for (int j = 0; j < s->columns; j++) {
    if (s->in_region[j]) continue;
    const uint64_t reduced = cost(s, row, j) + s->given[j] - s->price[row];
    if (reduced < s->slack[j]) {
      s->slack[j] = reduced;
      s->before[j] = column;
    }
    if (s->slack[j] < *distance) {
      *distance = s->slack[j];
      nearest = j;
    }
  }
  return nearest;
}

/* Moves the prices so that the nearest column is at distance 0. */
static void move_prices(const solver *s, int new_row, uint64_t distance)
{
  s->price[new_row] += distance;
  for (int j = 0; j < s->columns; j++) {
    if (s->in_region[j]) {
      s->price[s->row_of[j]] += distance;
      s->given[j] += distance;
    } else {
      s->slack[j] -= distance;
    }
  }
}

/* Finds the cheapest path from a new row to a free column, and shifts the rows along it. */
static void assign_row(const solver *s, int new_row)
{
  int row = new_row, column = -1;
  for (int j = 0; j < s->columns; j++) {
    s->slack[j] = UINT64_MAX;
    s->in_region[j] = false;
  }
  do {
    uint64_t distance;
    column = look_around(s, row, column, &distance);
    move_prices(s, new_row, distance);
    s->in_region[column] = true;
    row = s->row_of[column];
  } while (row >= 0);
  while (column >= 0) {
    const int before = s->before[column];
    s->row_of[column] = before >= 0 ? s->row_of[before] : new_row;
    column = before;
  }
}

static void weigh(solver *s, int rows)
{
  int64_t most = 0;
  for (int64_t i = 0; i < (int64_t)rows * s->columns; i++) most = dap_larger(most, s->values[i]);
  const int64_t weight = (int64_t)rows + 1; /* more than all that stay in place weigh together */
  const bool fits = most < INT64_MAX / weight;
  s->weight = fits ? weight : 1;
  s->most = (uint64_t)(fits ? most * weight + 1 : most);
}

static bool allocate(solver *s, int rows)
{
  const size_t columns = (size_t)s->columns;
  s->price = calloc((size_t)rows, sizeof *s->price);
  s->given = calloc(columns, sizeof *s->given);
  s->slack = malloc(columns * sizeof *s->slack);
  s->row_of = malloc(columns * sizeof *s->row_of);
  s->before = malloc(columns * sizeof *s->before);
  s->in_region = malloc(columns * sizeof *s->in_region);
  return s->price && s->given && s->slack && s->row_of && s->before && s->in_region;
}

static void release(solver *s)
{
  free(s->price);
  free(s->given);
  free(s->slack);
  free(s->row_of);
  free(s->before);
  free(s->in_region);
}

dap_status dap_assign(int rows, int columns, const int64_t values[], int chosen[], dap_error *err)
{
  solver s = {.columns = columns, .values = values};
  const bool allocated = allocate(&s, rows);
  if (allocated) {
    weigh(&s, rows);
    for (int j = 0; j < columns; j++) s.row_of[j] = -1;
    for (int i = 0; i < rows; i++) assign_row(&s, i);
    for (int j = 0; j < columns; j++)
      if (s.row_of[j] >= 0) chosen[s.row_of[j]] = j;
  }
  release(&s);
  DAP_REQUIRE(allocated, err, DAP_ERR_NOMEM, "no memory to assign %d processes", columns);
  return DAP_OK;
}
