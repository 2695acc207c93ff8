/* Floating-point exceptions end the program during these moves, as with gfortran's -ffpe-trap. Elements
 * must be converted and combined without raising an exception. */
#define _GNU_SOURCE /* feenableexcept() */
#include "mpi_test.h"

#include <dapbridge/layout.h>
#include <dapbridge/plan.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 6, PATTERN = 6 };

#ifdef __GLIBC__
enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };
#endif

/* Returns a NaN that raises FE_INVALID whenever it is used. */
static double signalling(void)
{
  const uint64_t bits = UINT64_C(0x7ff0000000000001);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static const struct {
  const char *why;
  dap_dtype from, to;
  double alpha[2], beta[2]; /* NULL if both are 0 */
  dap_combine combine;      /* of a partial source; otherwise NONE */
} moves[] = {
    {"NaN to integers", DAP_F8, DAP_I4, {0, 0}, {0, 0}, DAP_COMBINE_NONE},
    {"large numbers to f4", DAP_F8, DAP_F4, {0, 0}, {0, 0}, DAP_COMBINE_NONE},
    {"large numbers to f2", DAP_F8, DAP_F2, {0, 0}, {0, 0}, DAP_COMBINE_NONE},
    {"NaN to bool", DAP_F8, DAP_BOOL, {0, 0}, {0, 0}, DAP_COMBINE_NONE},
    {"to complex", DAP_F8, DAP_C8, {0, 0}, {0, 0}, DAP_COMBINE_NONE},
    {"products that overflow", DAP_F8, DAP_F8, {1e200, 0}, {0, 0}, DAP_COMBINE_NONE},
    {"infinity times i", DAP_F8, DAP_C16, {0, 1}, {0, 0}, DAP_COMBINE_NONE},
    {"sums that overflow", DAP_F8, DAP_F8, {1, 0}, {1, 0}, DAP_COMBINE_NONE},
    {"infinity minus infinity", DAP_F8, DAP_F8, {1, 0}, {-1, 0}, DAP_COMBINE_NONE},
    {"addends of an element", DAP_F8, DAP_F8, {0, 0}, {0, 0}, DAP_COMBINE_SUM},
    {"the larger of NaN", DAP_F8, DAP_F8, {0, 0}, {0, 0}, DAP_COMBINE_MAX},
};

/* A process's part of a layout with one axis. Doubles are large numbers, infinity and NaN. */
typedef struct part {
  dap_layout *layout;
  void *data;
  dap_side side;
} part;

static part make(const dap_dist *dist, dap_dtype dtype)
{
  const double values[PATTERN] = {NAN, INFINITY, -INFINITY, DBL_MAX, -1e300, signalling()};
  part p = {0};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, dist, &p.layout, &err), &err);
  int coord;
  dap_layout_coords(p.layout, test_rank(), &coord);
  const int64_t count = dap_layout_extent(p.layout, 0, coord);
  p.data = calloc((size_t)count + 1, (size_t)dap_dtype_size(dtype));
  p.side = (dap_side){.layout = p.layout, .contiguous = true, .dtype = dtype};
  for (int64_t i = 0; i < count && dtype == DAP_F8; i++)
    memcpy((double *)p.data + i, &values[i % PATTERN], sizeof values[0]);
  return p;
}

static void end(part *p)
{
  free(p->data);
  dap_layout_destroy(&p->layout);
}

/* Some elements move to another process, so that they are packed. Others stay, so that they are copied. */
static void move(size_t k)
{
#ifdef __GLIBC__
  const int nprocs = test_nprocs();
  const int64_t size = (int64_t)EACH * nprocs;
  const dap_dist dists[2] = {moves[k].combine ? dap_dist_partial(size, nprocs) : dap_dist_even(size, nprocs),
                             dap_dist_cyclic(size, nprocs, 1)};
  dap_error err = {0};
  part from = make(&dists[0], moves[k].from), to = make(&dists[1], moves[k].to);
  const bool has_alpha = moves[k].alpha[0] != 0 || moves[k].alpha[1] != 0, has_beta = moves[k].beta[0] != 0;
  const dap_plan_options options = {.lossy = true,
                                    .alpha = has_alpha ? moves[k].alpha : NULL,
                                    .beta = has_beta ? moves[k].beta : NULL,
                                    .combine = moves[k].combine};
  dap_plan *plan = NULL;
  (void)feclearexcept(FE_ALL_EXCEPT);
  (void)feenableexcept(TRAPS);
  dap_status status = dap_plan_create(MPI_COMM_WORLD, &from.side, &to.side, 0, &options, &plan, &err);
  if (!status) status = dap_plan_run(plan, from.data, to.data, &err);
  const int traps = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
  (void)fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_OK(status, &err);
  EXPECT_MSG(traps == TRAPS, "traps are %d, not %d", traps, TRAPS);
  EXPECT_MSG((flags & TRAPS) == 0, "flags are %d", flags);
  dap_plan_destroy(&plan);
  end(&from), end(&to);
#else
  (void)k;
#endif
}

static void every_move(void **state)
{
  (void)state;
#ifdef __GLIBC__
  if (feenableexcept(TRAPS) == -1) return; /* this processor has no traps */
  (void)fedisableexcept(FE_ALL_EXCEPT);
#endif
  for (size_t k = 0; k < sizeof moves / sizeof moves[0]; k++) {
    TEST_CASE("%s", moves[k].why);
    move(k);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_move)};
MPI_TEST_MAIN(tests)
