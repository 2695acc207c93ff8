/* Every function of linear algebra where floating-point exceptions end the program, as gfortran's -ffpe-trap
 * makes them; with ordinary elements, NaN and infinity. The functions are the rows of tests/calls. */
#define _GNU_SOURCE /* feenableexcept(); NOLINT(bugprone-reserved-identifier) */
#include "calls.h"
#include "mpi_test.h"

#include <dapbridge/linalg.h>
#include <fenv.h>
#include <math.h>

#ifdef __GLIBC__
#include "traps.h"

/* Elements of all operands: one that is not finite, or sizes whose products exceed the type. */
static void spoil(call_arguments *g, elements kind)
{
  calls_fill(g);
  for (int i = 0; i < ARRAYS && kind != ORDINARY; i++) {
    double *values = g->own[i].data;
    for (int64_t e = 0; e < dap_array_count(&g->own[i]); e++) {
      if (kind == EXTREME) values[e] *= e % 3 ? 0x1p-900 : 0x1p900;
      if (kind != EXTREME && e == 1 && g->rank == 0) values[e] = kind == WITH_NAN ? (double)NAN : INFINITY;
    }
  }
}

/* The call ends the program if it raises an exception that traps. */
static void call_with_traps(const call_arguments *g, const call *row, bool is_ordinary)
{
  dap_error err = {.text = ""};
  traps_set();
  const dap_status status = row->run(g, &err);
  traps_check(status, !is_ordinary, &err);
}

static void try_row(const call *row, elements kind)
{
  call_arguments g;
  dap_scalapack_matrix matrix;
  toy_matrix toy;
  dap_error err = {.text = ""};
  TEST_CASE("%s, %s", row->name, kinds[kind]);
  calls_begin_as(&g, test_nprocs(), test_rank(), DAP_ORDER_F);
  if (row->handle == FACTORS) EXPECT_OK(calls_open(&g, &matrix, &toy, &err), &err);
  spoil(&g, kind);
  call_with_traps(&g, row, kind == ORDINARY && !strstr(row->name, "positive")); /* the matrices are not */
  if (row->handle == FACTORS) EXPECT_OK(calls_close(&g, &err), &err);
  calls_end(&g);
  SETTLE();
}

/* One function by each of its algorithms. */
static dap_status values_by(const call_arguments *g, int algorithm, dap_error *err)
{
  const dap_linalg_options options = {.keep = true,
                                      .svd.solver = algorithm % 2 ? DAP_SVD_GESVD : DAP_SVD_GESDD,
                                      .eigh.solver = algorithm % 3 == 0   ? DAP_EIGH_EV
                                                     : algorithm % 3 == 1 ? DAP_EIGH_EVD
                                                                          : DAP_EIGH_EVR};
  return algorithm < 2
             ? dap_linalg_svd(g->comm, g->array[A], g->array[B], g->array[W], g->array[C], &options, err)
             : dap_linalg_eigh(g->comm, 'L', g->array[A], g->array[W], g->array[C], &options, err);
}

static dap_status by_gesdd(const call_arguments *g, dap_error *err)
{
  return values_by(g, 0, err);
}

static dap_status by_gesvd(const call_arguments *g, dap_error *err)
{
  return values_by(g, 1, err);
}

static dap_status by_evr(const call_arguments *g, dap_error *err)
{
  return values_by(g, 2, err);
}

static dap_status by_ev(const call_arguments *g, dap_error *err)
{
  return values_by(g, 3, err);
}

static const call algorithms[] = {{.name = "gesdd", .run = by_gesdd},
                                  {.name = "gesvd", .run = by_gesvd},
                                  {.name = "evr", .run = by_evr},
                                  {.name = "ev", .run = by_ev}};

static void every_function(void **state)
{
  (void)state;
  int count = 0;
  if (!traps_exist()) return;
  for (int kind = ORDINARY; kind < KINDS; kind++) {
    for (const call *row = calls_next(NULL); row; row = calls_next(row))
      if (strncmp(row->name, "dap_linalg_", 11) == 0) try_row(row, (elements)kind), count++;
    for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
      try_row(&algorithms[i], (elements)kind);
  }
  EXPECT_MSG(count >= 20 * KINDS, "%d calls", count);
}
#else
static void every_function(void **state)
{
  (void)state;
}
#endif

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_function)};
MPI_TEST_MAIN(tests)
