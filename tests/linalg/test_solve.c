/* dap_linalg_solve() against serial LAPACK. */
#include "systems.h"

static const system_kind kind = {"solve", dap_linalg_solve, "NTC", entry_any, false};

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

static double complex with_infinity(int64_t i, int64_t j)
{
  return i == 4 && j == 1 ? INFINITY : entry_dominant(i, j);
}

static double complex with_nan(int64_t i, int64_t j)
{
  return i == 4 && j == 1 ? NAN : entry_dominant(i, j);
}

static void singular(void **state)
{
  (void)state;
  systems_fail(&kind, entry_singular, "A is singular|U(3, 3) is zero", 33, 3);
  systems_fail(&kind, entry_singular, "A is singular|U(3, 3) is zero", 3, 3);
  systems_fail(&kind, entry_zero, "A is singular|U(1, 1) is zero", 33, 1);
  systems_fail(&kind, entry_zero, "A is singular|U(1, 1) is zero", 1, 1); /* which getrf lets pass */
}

static void not_finite(void **state)
{
  (void)state;
  systems_fail(&kind, entry_nan, "A has an element that is not finite|(0, 0)", 33, 0);
  systems_fail(&kind, entry_nan, "A has an element that is not finite|(0, 0)", 1, 0);
  systems_fail(&kind, with_nan, "A has an element that is not finite|(4, 1)", 33, 0);
  systems_fail(&kind, with_infinity, "A has an element that is not finite|(4, 1)", 33, 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(shared_pairs),
                                          cmocka_unit_test(keeps),      cmocka_unit_test(refusals),
                                          cmocka_unit_test(singular),   cmocka_unit_test(not_finite)};
LINALG_TEST_MAIN(tests)
