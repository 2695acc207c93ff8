/* Solves the assignment problem exactly, by shortest augmenting paths: the Hungarian method in the form of
 * Jonker and Volgenant ("A shortest augmenting path algorithm for dense and sparse linear assignment
 * problems", 1987), O(rows^2 columns). */
#include "relabel_impl.h"

#include <stdlib.h>

typedef struct column {
  uint64_t reduction; /* reduction of its price so far */
  uint64_t slack;     /* least reduced cost of a step there from the path's rows */
  int row;            /* row that has the column; -1: it is free */
  int before;         /* column that the path comes from; -1: it begins in the new row */
  bool in_region;
} column;

typedef struct solver {
  int count;
  column *columns;       /* [count] */
  uint64_t *price;       /* [rows] */
  const int64_t *values; /* [rows][count] */
  uint64_t most;         /* largest weighed value */
  int64_t weight; /* weight of a value, where a row in its own column weighs 1; 1: that counts nothing */
} solver;

/* Costs are in 0 .. most. So are rows' prices, because each is at most the cost of a free column to the row,
 * and columns' reductions. Reduced costs are then in 0 .. 2 most, which 64 bits hold. */
static uint64_t cost(const solver *s, int row, int j)
{
  const int64_t bonus = s->weight > 1 && row == j;
  return s->most - (uint64_t)(s->values[(int64_t)row * s->count + j] * s->weight + bonus);
}

/* Finds the nearest column that is not reached yet, and its distance from `row`. The path came to this row
 * by column `from`. */
static int look_around(const solver *s, int row, int from, uint64_t *distance)
{
  int nearest = -1;
  *distance = UINT64_MAX;
  for (int j = 0; j < s->count; j++) {
    column *c = &s->columns[j];
    if (c->in_region) continue;
    const uint64_t reduced = cost(s, row, j) + c->reduction - s->price[row];
    if (reduced < c->slack) {
      c->slack = reduced;
      c->before = from;
    }
    if (c->slack < *distance) {
      *distance = c->slack;
      nearest = j;
    }
  }
  return nearest;
}

/* Moves the prices so that the nearest column is at distance 0. */
static void move_prices(const solver *s, int new_row, uint64_t distance)
{
  s->price[new_row] += distance;
  for (int j = 0; j < s->count; j++) {
    column *c = &s->columns[j];
    if (c->in_region) {
      s->price[c->row] += distance;
      c->reduction += distance;
    } else {
      c->slack -= distance;
    }
  }
}

/* Finds the cheapest path from a new row to a free column, and shifts the rows along it. */
static void assign_row(const solver *s, int new_row)
{
  int row = new_row, at = -1;
  for (int j = 0; j < s->count; j++) {
    s->columns[j].slack = UINT64_MAX;
    s->columns[j].in_region = false;
  }
  do {
    uint64_t distance;
    at = look_around(s, row, at, &distance);
    move_prices(s, new_row, distance);
    s->columns[at].in_region = true;
    row = s->columns[at].row;
  } while (row >= 0);
  while (at >= 0) {
    const int before = s->columns[at].before;
    s->columns[at].row = before >= 0 ? s->columns[before].row : new_row;
    at = before;
  }
}

static void weigh(solver *s, int rows)
{
  int64_t most = 0;
  for (int64_t i = 0; i < (int64_t)rows * s->count; i++) most = dap_larger(most, s->values[i]);
  const int64_t weight = (int64_t)rows + 1; /* exceeds the weight of all rows in their own columns */
  const bool fits = most < INT64_MAX / weight;
  s->weight = fits ? weight : 1;
  s->most = (uint64_t)(fits ? most * weight + 1 : most);
}

dap_status dap_assign(int rows, int columns, const int64_t values[], int chosen[], dap_error *err)
{
  solver s = {.count = columns,
              .columns = calloc((size_t)columns, sizeof(column)),
              .price = calloc((size_t)rows, sizeof *s.price),
              .values = values};
  const bool allocated = s.columns && s.price;
  if (allocated) {
    weigh(&s, rows);
    for (int j = 0; j < columns; j++) s.columns[j].row = -1;
    for (int i = 0; i < rows; i++) assign_row(&s, i);
    for (int j = 0; j < columns; j++)
      if (s.columns[j].row >= 0) chosen[s.columns[j].row] = j;
  }
  free(s.columns);
  free(s.price);
  DAP_REQUIRE(allocated, err, DAP_ERR_NOMEM, "no memory to assign %d processes", columns);
  return DAP_OK;
}
