/* dap_linalg_cholesky_solve() against serial LAPACK. The triangle that is not to be read holds NaN. */
#include "systems.h"

static const system_kind kind = {"cholesky", dap_linalg_cholesky_solve, "LU", entry_definite, true};

static void everywhere(void **state)
{
  (void)state;
  systems_everywhere(&kind);
}

static void shared_pairs(void **state)
{
  (void)state;
  systems_shared(&kind);
}

static void keeps(void **state)
{
  (void)state;
  systems_keep(&kind);
}

static void refusals(void **state)
{
  (void)state;
  systems_refuse(&kind);
}

/* NaN on the diagonal, which is in both triangles. */
static double complex with_nan(int64_t i, int64_t j)
{
  return i == 4 && j == 4 ? NAN : entry_definite(i, j);
}

static void not_definite(void **state)
{
  (void)state;
  systems_fail(&kind, entry_definite_not,
               "not positive definite|minor of order 3 is not positive|symmetric indefinite|LU", 33, 3);
  systems_fail(&kind, entry_definite_not, "not positive definite|minor of order 3 is not positive", 3, 3);
  systems_fail(&kind, entry_zero, "not positive definite|minor of order 1 is not positive", 33, 1);
  systems_fail(&kind, entry_zero, "not positive definite|minor of order 1 is not positive", 1, 1);
}

static void not_finite(void **state)
{
  (void)state;
  systems_fail(&kind, with_nan, "A has an element that is not finite|(4, 4)", 33, 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere),   cmocka_unit_test(shared_pairs),
                                          cmocka_unit_test(keeps),        cmocka_unit_test(refusals),
                                          cmocka_unit_test(not_definite), cmocka_unit_test(not_finite)};
LINALG_TEST_MAIN(tests)
