/* Runs bridge/docs/coming/gemr2d.md: both ways move a matrix between the same descriptors, with uneven
 * blocks, rotated sources and gaps between columns. Every element of the copies is compared with its
 * index. */
#include "mpi_test.h"

#include <dapbridge/plan.h>
#include <dapbridge/scalapack_calls.h>

enum { STEPS = 2, M = 37, N = 26 };

static int descriptor[9]; /* of the computed matrix */
static int grid[2], coords[2];

/* Returns the global index of local index i, both from 0, by ScaLAPACK's INDXL2G (TOOLS). */
static int global(int i, int block, int coord, int source, int procs)
{
  return procs * block * (i / block) + i % block + (procs + coord - source) % procs * block;
}

static int local(const int desc[9], int axis)
{
  return (int)numroc_(&desc[2 + axis], &desc[4 + axis], &coords[axis], &desc[6 + axis], &grid[axis]);
}

static double factor; /* gives each step other elements */

/* Sets the elements, or checks and spoils those that moved this way. */
static void go_through(double *a, const int desc[9], const char *way)
{
  for (int j = 0; j < local(desc, 1); j++)
    for (int i = 0; i < local(desc, 0); i++) {
      const int row = global(i, desc[4], coords[0], desc[6], grid[0]),
                column = global(j, desc[5], coords[1], desc[7], grid[1]);
      double *x = &a[i + (int64_t)j * desc[8]];
      const double wanted = factor * (row * N + column);
      if (way) EXPECT_MSG(*x == wanted, "%s: element (%d, %d) is %g", way, row, column, *x);
      *x = way ? -1 : wanted;
    }
}

static void compute(double *a)
{
  factor++;
  go_through(a, descriptor, NULL);
}

void before(int context, int m, int n, double *a, const int desc_a[9], double *b, const int desc_b[9]);
dap_status after(int context, double *a, const int desc_a[9], double *b, const int desc_b[9], dap_error *err);

#include "gemr2d_before.inc"

#include "gemr2d_after.inc"

static void test_both_ways(void **state)
{
  (void)state;
  int context, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  grid[0] = size % 2 == 0 ? 2 : 1;
  grid[1] = size / grid[0];
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", grid[0], grid[1]);
  Cblacs_gridinfo(context, &grid[0], &grid[1], &coords[0], &coords[1]);
  const int to[9] = {1, context, M, N, 7, 64, 0, 0, M + 1};
  const int from[9] = {1, context, M, N, 4, 3, grid[0] - 1, grid[1] - 1, M + 3};
  memcpy(descriptor, from, sizeof from);
  double *a = calloc((M + 3) * (N + 3), sizeof *a), *b = calloc((M + 1) * (N + 3), sizeof *b);
  assert_non_null(a);
  assert_non_null(b);
  factor = 0;
  before(context, M, N, a, from, b, to);
  go_through(b, to, "before");
  dap_error err;
  EXPECT_OK(after(context, a, from, b, to, &err), &err);
  go_through(b, to, "after");
  SETTLE();
  free(a);
  free(b);
  Cblacs_gridexit(context);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways)};

MPI_TEST_MAIN(tests)
