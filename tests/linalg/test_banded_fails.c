/* Band and tridiagonal systems that have no solution, or elements that are not finite. */
#include "banded.h"

enum { LONG = 120 };
static int64_t gap;

static double complex entry_gap(int64_t i, int64_t j)
{
  return j == gap ? 0 : entry_dominant(i, j);
}

static double complex entry_weak(int64_t i, int64_t j)
{
  return i == gap && j == gap ? -24 : entry_strong(i, j);
}

static double complex entry_bad(int64_t i, int64_t j)
{
  return i == gap && j == gap ? NAN : entry_strong(i, j);
}

static void expect_failure(band_kind k, int number, formula *entry, const char *parts, int64_t least)
{
  const trial t = band_trial(number, LONG);
  band_choose(k, LONG, 2, 2, entry);
  TEST_CASE("%s, %s: at %d", band_names[k], parts, (int)gap);
  band_system s = band_system_make(k, &t, 2);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  expect_same_error(MPI_COMM_WORLD, band_system_solve(&s, &options, &err), &err, DAP_ERR_NUMERIC, parts);
  EXPECT_MSG(report.info >= least && report.info <= (least > 0 ? LONG : 0), "info is %d", (int)report.info);
  for (int i = 0; i < s.count; i++) expect_same(&s.of[i]);
  band_system_free(&s);
  SETTLE();
}

/* A column of zeros, and a diagonal element that is too small, within blocks and where they meet. */
static void no_solution(void **state)
{
  (void)state;
  for (gap = 0; gap < LONG; gap += gap % 20 == 17 ? 1 : 7) {
    expect_failure(BANDED, (int)gap, entry_gap, "A is singular|linearly dependent", gap + 1);
    expect_failure(THREE, (int)gap, entry_gap, "A is singular|linearly dependent", gap + 1);
    for (band_kind k = LOWER; k < BAND_KINDS; k++)
      if (k != THREE) expect_failure(k, (int)gap, entry_weak, "A is not positive definite|leading", gap + 1);
  }
  /* and the next one is right */
  for (int i = 0; i < BAND_KINDS; i++) {
    const trial t = band_trial(i, LONG);
    TEST_CASE("after failures: %s", band_names[i]);
    band_choose((band_kind)i, LONG, 2, 2, band_is_positive((band_kind)i) ? entry_strong : entry_any);
    band_check((band_kind)i, &t, 2);
  }
}

static void not_finite(void **state)
{
  (void)state;
  char parts[60];
  gap = LONG / 3;
  snprintf(parts, sizeof parts, "A has an element that is not finite|(%d, %d)", (int)gap, (int)gap);
  for (int k = 0; k < BAND_KINDS; k++) expect_failure((band_kind)k, k, entry_bad, parts, 0);
}

/* NaN in one right-hand side is none of the others'. */
static void unknown_right_side(void **state)
{
  (void)state;
  for (int k = 0; k < BAND_KINDS; k++) {
    const trial t = band_trial(1 + 2 * k, LONG);
    TEST_CASE("NaN in B: %s", band_names[k]);
    band_choose((band_kind)k, LONG, 2, 2, band_is_positive((band_kind)k) ? entry_strong : entry_dominant);
    band_system s = band_system_make((band_kind)k, &t, 2);
    matrix *b = &s.of[s.count - 1];
    matrix_set(b, 5, 0, NAN);
    dap_error err = {0};
    EXPECT_OK(band_system_solve(&s, NULL, &err), &err);
    double complex *x = matrix_whole(b);
    EXPECT_MSG(isnan(creal(x[5])), "X[5, 0] is %g", creal(x[5]));
    for (int64_t i = 0; i < LONG; i++)
      EXPECT_MSG(isfinite(creal(x[LONG + i])), "X[%d, 1] is not finite", (int)i);
    free(x);
    band_system_free(&s);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(no_solution), cmocka_unit_test(not_finite),
                                          cmocka_unit_test(unknown_right_side)};
LINALG_TEST_MAIN(tests)
