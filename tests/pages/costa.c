/* Runs bridge/docs/coming/costa.md: a plan moves and transposes a matrix, and COSTA does the same if it is
 * installed. Every element is compared with its index. */
#include "costa.h"

#include "mpi_test.h"

#include <dapbridge/plan.h>

#ifdef HAS_COSTA
void before_costa(MPI_Comm comm, const grid *g, double *a, double *b);
#endif
dap_status after(MPI_Comm comm, const grid *g, double *a, double *b, dap_error *err);

#include "costa_after.inc"

static int cut(int size, int procs, int split[], int64_t lengths[])
{
  for (int c = 0; c < procs; c++) { /* uneven; the last block has the rest */
    lengths[c] = c == procs - 1 ? size - split[c] : 2 + 3 * (c % 2);
    split[c + 1] = split[c] + (int)lengths[c];
  }
  return split[procs];
}

/* count() returns how many of `size` elements in blocks process `coord` has, and global() which of them is
 * its local `i`. */
static int count(int size, int coord, int procs)
{
  int n = 0;
  for (int i = 0; i < size; i++) n += i / BLOCK % procs == coord;
  return n;
}

static int global(int i, int coord, int procs)
{
  return (i / BLOCK * procs + coord) * BLOCK + i % BLOCK;
}

static void check(const grid *g, double *b, const char *way)
{
  const int row = test_rank() / g->columns_of_grid, column = test_rank() % g->columns_of_grid;
  const int rows = count(N, row, g->rows_of_grid), columns = count(M, column, g->columns_of_grid);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double *x = &b[i * columns + j];
      const int of_a[] = {global(j, column, g->columns_of_grid), global(i, row, g->rows_of_grid)};
      EXPECT_MSG(*x == 2.0 * (of_a[0] * N + of_a[1]), "%s: element (%d, %d) is %g", way, of_a[1], of_a[0],
                 *x);
      *x = -1;
    }
}

static void test_both_ways(void **state)
{
  (void)state;
  grid g = {.rows_of_grid = test_nprocs() % 2 == 0 ? 2 : 1};
  g.columns_of_grid = test_nprocs() / g.rows_of_grid;
  EXPECT_INT(cut(M, g.rows_of_grid, g.row_split, g.row_lengths), M);
  EXPECT_INT(cut(N, g.columns_of_grid, g.column_split, g.column_lengths), N);
  for (int r = 0; r < test_nprocs(); r++) g.owners[r] = r;
  const int row = test_rank() / g.columns_of_grid, column = test_rank() % g.columns_of_grid;
  g.local_rows = (int)g.row_lengths[row];
  g.leading_dimension = count(M, column, g.columns_of_grid);
  double *a = calloc(M * N, sizeof *a), *b = calloc(M * N, sizeof *b);
  assert_non_null(a);
  assert_non_null(b);
  for (int j = 0; j < g.column_lengths[column]; j++)
    for (int i = 0; i < g.local_rows; i++)
      a[i + j * g.local_rows] = (g.row_split[row] + i) * N + g.column_split[column] + j;
#ifdef HAS_COSTA
  before_costa(MPI_COMM_WORLD, &g, a, b);
  check(&g, b, "before");
#endif
  dap_error err;
  EXPECT_OK(after(MPI_COMM_WORLD, &g, a, b, &err), &err);
  check(&g, b, "after");
  free(a);
  free(b);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways)};

MPI_TEST_MAIN(tests)
