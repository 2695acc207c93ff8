/* Checks of what dap_linalg_svd() returns. */
#include "svd_test.h"

#include <stdlib.h>
#include <string.h>

/* What was asked for, whole on every process; NULL: not asked for. */
typedef struct results {
  double complex *u, *s, *vt;
} results;

/* With one kind of vectors only: the columns of U^H A, or of A V, have the singular values as lengths. */
static double check_lengths(const trial *t, const double complex *a, const results *r)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  double complex *x =
      r->u ? serial_multiply('C', 'N', k, n, m, r->u, a) : serial_multiply('N', 'C', m, k, n, a, r->vt);
  double complex *gram =
      r->u ? serial_multiply('N', 'C', k, k, n, x, x) : serial_multiply('C', 'N', k, k, m, x, x);
  double complex *want = calloc((size_t)(k * k) + 1, sizeof *want);
  for (int64_t i = 0; i < k; i++) want[i + i * k] = r->s[i] * r->s[i];
  const double norm = whole_norm('F', m, n, a);
  const double residual = residual_difference(k, k, gram, want, norm * norm, m + n, t->type->eps);
  expect_residual("lengths", residual);
  free(want), free(gram), free(x);
  return residual;
}

/* Orthonormal vectors, (m, k). Those of a tall matrix are so to some eps whatever its length: as far as nrm2
 * of a chunk's columns is right, which in single precision it is to some hundred eps. */
static void check_vectors(const trial *t, const char *what, int64_t m, int64_t k,
                          const double complex *vectors)
{
  const double residual = residual_orthogonal(m, k, vectors, t->type->eps);
  expect_residual(what, residual);
  if (svd_is_tall(t) && m > k) expect_residual(what, residual * (double)m / (40 * sqrt((double)k)));
}

static double check_results(const trial *t, const double complex *a, const results *r)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  const double eps = t->type->eps;
  double complex *want = serial_singular_values(m, n, a);
  const double norm = k > 0 ? creal(want[0]) : 0;
  double residual = residual_difference(k, 1, r->s, want, norm > 0 ? norm : 1, m > n ? m : n, eps);
  expect_residual("singular values", residual);
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(r->s[i]) <= creal(r->s[i - 1]), "value %d is larger than the one before", (int)i + 1);
  if (r->u) check_vectors(t, "U^H U - I", m, k, r->u);
  if (r->vt) {
    double complex *v = whole_op('C', k, n, r->vt);
    check_vectors(t, "V^H V - I", n, k, v);
    free(v);
  }
  if (r->u && r->vt) {
    residual = residual_svd(m, n, a, r->u, r->s, r->vt, eps);
    expect_residual("U S VT - A", residual);
  } else if (r->u || r->vt) {
    residual = check_lengths(t, a, r);
  }
  free(want);
  return residual;
}

bool svd_is_tiny(const trial *t)
{
  const int64_t m = t->size[0], n = t->size[1], nprocs = test_nprocs();
  return (m < nprocs && n < nprocs) || m * n == 2;
}

bool svd_is_tall(const trial *t)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  return k > 0 && (m > n ? m : n) >= 4 * k * test_nprocs();
}

static void check_method(const trial *t, int how, const dap_linalg_report *report)
{
  const char *solver = how & SVD_GESVD ? "QR iteration" : "divide and conquer";
  char wanted[DAP_ERROR_TEXT];
  if (svd_is_tall(t))
    (void)snprintf(wanted, sizeof wanted, "QR of rows, %s of R on process 0", solver);
  else
    (void)snprintf(wanted, sizeof wanted, "%s", svd_is_tiny(t) ? "LAPACK on process 0" : solver);
  EXPECT_MSG(strcmp(report->method, wanted) == 0, "by %s", report->method);
}

/* A and the long vectors are used where they are if they lie alike, each row on one process. A is only read.
 * The short vectors come from process 0. */
static void check_tall_uses(const trial *t, int how, const dap_linalg_report *report, const matrix *a,
                            const matrix *u, const matrix *vt)
{
  const bool tall = t->size[0] > t->size[1], has_long = how & (tall ? SVD_LEFT : SVD_RIGHT);
  const bool whole_rows = t->grid[tall ? 1 : 0] == 1 && !source_is_listed(t->source);
  const int shared = whole_rows && (how & SVD_ALIKE || !has_long);
  EXPECT(expect_same(a));
  expect_use(report, 0, "A", a, how & SVD_ALIKE || !has_long ? shared : -1);
  if (how & SVD_LEFT) expect_use(report, 1, "U", u, !tall ? 0 : how & SVD_ALIKE ? shared : -1);
  if (how & SVD_RIGHT) expect_use(report, 3, "VT", vt, tall ? 0 : how & SVD_ALIKE ? shared : -1);
}

static matrix other_or_alike(const trial *t, int how, int64_t rows, int64_t cols)
{
  return how & SVD_ALIKE ? trial_matrix(t, rows, cols, entry_nans) : trial_other(t, rows, cols, entry_nans);
}

void svd_check(const trial *t, int how, formula *entry, const char *name)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  matrix a = trial_matrix(t, m, n, entry), u = {0}, s = trial_vector(t, k, true, entry_nans), vt = {0};
  if (how & SVD_LEFT) u = other_or_alike(t, how, m, k);
  if (how & SVD_RIGHT) vt = other_or_alike(t, how, k, n);
  double complex *whole = matrix_whole(&a);
  const dap_svd_solver solver = how & SVD_GESVD   ? DAP_SVD_GESVD
                                : how & SVD_GESDD ? DAP_SVD_GESDD
                                                  : DAP_SVD_AUTO;
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = how & SVD_KEEP, .svd.solver = solver};
  dap_error err = {0};
  const dap_darray none = {0};
  EXPECT_OK(dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a), how & SVD_LEFT ? matrix_operand(&u) : none,
                           matrix_operand(&s), how & SVD_RIGHT ? matrix_operand(&vt) : none, &options, &err),
            &err);
  const results r = {.u = how & SVD_LEFT ? matrix_whole(&u) : NULL,
                     .s = matrix_whole(&s),
                     .vt = how & SVD_RIGHT ? matrix_whole(&vt) : NULL};
  const double residual = check_results(t, whole, &r);
  if (k > 0) check_method(t, how, &report);
  if (svd_is_tall(t)) {
    check_tall_uses(t, how, &report, &a, &u, &vt);
    expect_use(&report, 2, "S", &s, 0);
  } else if (k > 0) {
    const int shares = source_shares(t->source, t->size, t->grid);
    expect_use(&report, 0, "A", &a, how & SVD_KEEP ? 0 : shares);
    if (r.u) expect_use(&report, 1, "U", &u, how & SVD_ALIKE && shares == 1 ? 1 : -1);
    expect_use(&report, 2, "S", &s, 0);
    if (r.vt) expect_use(&report, 3, "VT", &vt, how & SVD_ALIKE && shares == 1 ? 1 : -1);
    expect_work(&a, &report.uses[0], how & SVD_KEEP,
                entry == entry_any && (m >= t->grid[0] * t->grid[1] || n >= t->grid[0] * t->grid[1]));
  }
  expect_padding(&a), expect_padding(&s);
  EXPECT(!r.u || expect_padding(&u));
  EXPECT(!r.vt || expect_padding(&vt));
  log_trial(name, t, &report, residual);
  free(r.vt), free(r.s), free(r.u), free(whole);
  if (how & SVD_RIGHT) matrix_free(&vt);
  matrix_free(&s);
  if (how & SVD_LEFT) matrix_free(&u);
  matrix_free(&a);
}
