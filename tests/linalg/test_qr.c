/* dap_linalg_qr() against its definition: A = Q R, orthonormal columns, zeros below the diagonal. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { WANT_Q = 1, WANT_R = 2 };

/* What was asked for, whole on every process; NULL: not asked for. */
static void check_factors(const trial *t, const double complex *a, const double complex *q,
                          const double complex *r, const dap_linalg_report *report)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  double residual = 0;
  if (q) {
    residual = residual_orthogonal(m, k, q, t->type->eps);
    expect_residual("Q^H Q - I", residual);
  }
  if (r) EXPECT_MSG(below_diagonal(k, n, r) == 0, "%g below R's diagonal", below_diagonal(k, n, r));
  if (r && !q) { /* R^H R = A^H A: all that R alone can say */
    double complex *gram = serial_multiply('C', 'N', n, n, k, r, r);
    residual = residual_product('C', 'N', n, n, m, a, a, gram, t->type->eps);
    expect_residual("R^H R - A^H A", residual);
    free(gram);
  }
  if (q && r) {
    residual = residual_product('N', 'N', m, n, k, q, r, a, t->type->eps);
    expect_residual("Q R - A", residual);
  }
  log_trial("qr", t, report, residual);
}

static void check(const trial *t, unsigned wanted, bool alike, bool keep)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  matrix a = trial_matrix(t, m, n, entry_any), q = {0}, r = {0};
  if (wanted & WANT_Q) q = alike ? trial_matrix(t, m, k, entry_nans) : trial_other(t, m, k, entry_nans);
  if (wanted & WANT_R) r = alike ? trial_matrix(t, k, n, entry_nans) : trial_other(t, k, n, entry_nans);
  double complex *whole = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = keep};
  dap_error err = {0};
  const dap_darray none = {0};
  EXPECT_OK(dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&a), wanted & WANT_Q ? matrix_operand(&q) : none,
                          wanted & WANT_R ? matrix_operand(&r) : none, &options, &err),
            &err);
  double complex *whole_q = wanted & WANT_Q ? matrix_whole(&q) : NULL;
  double complex *whole_r = wanted & WANT_R ? matrix_whole(&r) : NULL;
  check_factors(t, whole, whole_q, whole_r, &report);
  if (k > 0) {
    expect_use(&report, 0, "A", &a, keep ? 0 : source_shares(t->source, t->size, t->grid));
    expect_work(&a, &report.uses[0], keep, m > 1);
  }
  EXPECT(!keep || expect_same(&a));
  expect_padding(&a);
  EXPECT(!(wanted & WANT_Q) || expect_padding(&q));
  EXPECT(!(wanted & WANT_R) || expect_padding(&r));
  free(whole_r), free(whole_q), free(whole);
  if (wanted & WANT_R) matrix_free(&r);
  if (wanted & WANT_Q) matrix_free(&q);
  matrix_free(&a);
}

static void test_factors(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    check(&t, WANT_Q | WANT_R, t.number % 2 == 0, t.number % 5 == 0);
    check(&t, t.number % 3 ? WANT_R : WANT_Q, t.number % 2 != 0, false);
    SETTLE();
  }
}

/* Q over A. */
static void test_in_place(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_TALL);) {
    const int64_t m = t.size[0], n = t.size[1];
    matrix a = trial_matrix(&t, m, n, entry_any), r = trial_matrix(&t, n, n, entry_nans);
    double complex *whole = matrix_whole(&a);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    EXPECT_OK(dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&a), matrix_operand(&r),
                            &options, &err),
              &err);
    double complex *q = matrix_whole(&a), *whole_r = matrix_whole(&r);
    const double residual = residual_product('N', 'N', m, n, n, q, whole_r, whole, t.type->eps);
    expect_residual("Q R - A", residual);
    expect_residual("Q^H Q - I", residual_orthogonal(m, n, q, t.type->eps));
    expect_padding(&a), expect_padding(&r);
    log_trial("qr in place", &t, &report, residual);
    free(whole_r), free(q), free(whole);
    matrix_free(&r), matrix_free(&a);
    SETTLE();
  }
}

/* Q at A's address, but not with the elements at A's places. */
static void test_turned_over(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && t.size[0] < 7) continue;
  matrix a = trial_matrix(&t, t.size[0], t.size[0], entry_any);
  const dap_darray oa = matrix_operand(&a), none = {0};
  dap_array turned = *oa.local, swapped = *oa.local;
  turned.strides[0] = oa.local->strides[1], turned.strides[1] = oa.local->strides[0];
  swapped.swapped = !swapped.swapped;
  const dap_darray strides = {oa.layout, &turned}, bytes = {oa.layout, &swapped};
  dap_error err = {0};
  EXPECT(dap_linalg_qr(MPI_COMM_WORLD, oa, strides, none, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "Q is in A's buffer and has other strides"), "%s", err.text);
  EXPECT(dap_linalg_qr(MPI_COMM_WORLD, oa, bytes, none, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "Q is in A's buffer and has another byte order"), "%s", err.text);
  EXPECT(expect_same(&a));
  matrix_free(&a);
  SETTLE();
}

static void test_refusals(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && t.size[0] < 4) continue;
  const int64_t n = t.size[0];
  matrix a = trial_matrix(&t, n, n - 1, entry_any), r = trial_matrix(&t, n, n, entry_nans);
  const dap_darray oa = matrix_operand(&a), none = {0};
  dap_error err = {0};
  EXPECT(dap_linalg_qr(MPI_COMM_WORLD, oa, none, matrix_operand(&r), NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "R must be"), "%s", err.text);
  EXPECT(dap_linalg_qr(MPI_COMM_WORLD, oa, none, oa, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "A and R overlap in memory"), "%s", err.text);
  EXPECT(expect_same(&a) && expect_same(&r));
  matrix_free(&r), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_factors),
    cmocka_unit_test(test_in_place),
    cmocka_unit_test(test_turned_over),
    cmocka_unit_test(test_refusals),
};

LINALG_TEST_MAIN(tests)
