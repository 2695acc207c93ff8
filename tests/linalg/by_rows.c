#include "by_rows.h"

const char *const by_rows_names[KINDS] = {"qr", "least squares", "svd", "svd, wide"};

static formula *unscaled; /* the formula that the scaled one is made of */
static int exponent;

static double complex entry_scaled(int64_t i, int64_t j)
{
  const double complex v = unscaled(i, j);
  return CMPLX(ldexp(creal(v), exponent), ldexp(cimag(v), exponent));
}

static matrix scaled(const problem *p, int64_t rows, int64_t cols, formula *entry, int of)
{
  unscaled = entry, exponent = p->exponents[of];
  if (of == 0) return trial_matrix(&p->t, rows, cols, entry_scaled);
  if (p->beside)
    return matrix_make(p->beside, p->t.type, 2, (const int64_t[2]){rows, cols}, p->t.grid, entry_scaled);
  if (p->how & VECTORS) return trial_vector(&p->t, rows, false, entry_scaled);
  return (p->how & ALIKE ? trial_matrix : trial_other)(&p->t, rows, cols, entry_scaled);
}

static matrix place(const problem *p, const source *beside, int64_t rows, int64_t cols)
{
  if (beside) return matrix_make(beside, p->t.type, 2, (const int64_t[2]){rows, cols}, p->t.grid, entry_nans);
  return (p->how & ALIKE ? trial_matrix : trial_other)(&p->t, rows, cols, entry_nans);
}

void problem_make(problem *p, formula *entry)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const bool is_wide = p->kind == WIDE;
  p->a = is_wide ? scaled(p, n, m, entry, 0) : scaled(p, m, n, entry, 0);
  p->other = p->kind == SQUARES ? scaled(p, m, SIDES, entry_any, 1)
                                : place(p, p->beside, is_wide ? n : m, is_wide ? m : n);
  p->small = p->kind != SQUARES ? place(p, NULL, n, n)
             : p->how & VECTORS ? trial_vector(&p->t, n, false, entry_nans)
                                : place(p, NULL, n, SIDES);
  p->s = trial_vector(&p->t, n, true, entry_nans);
}

void problem_end(problem *p)
{
  matrix_free(&p->s), matrix_free(&p->small), matrix_free(&p->other), matrix_free(&p->a);
}

dap_status problem_call(const problem *p, const dap_linalg_options *options, dap_error *err)
{
  const dap_darray a = matrix_operand(&p->a), small = matrix_operand(&p->small), s = matrix_operand(&p->s);
  const dap_darray other = p->how & LESS       ? (dap_darray){0}
                           : p->how & IN_PLACE ? a
                                               : matrix_operand(&p->other);
  if (p->kind == QR) return dap_linalg_qr(MPI_COMM_WORLD, a, other, small, options, err);
  if (p->kind == SQUARES) return dap_linalg_least_squares(MPI_COMM_WORLD, a, other, small, options, err);
  if (p->kind == SVD) return dap_linalg_svd(MPI_COMM_WORLD, a, other, s, small, options, err);
  return dap_linalg_svd(MPI_COMM_WORLD, a, small, s, other, options, err);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

double complex *problem_whole(const problem *p, const matrix *m, int by, bool is_turned)
{
  double complex *whole = matrix_whole(m);
  for (int64_t k = 0; k < m->size[0] * m->size[1]; k++)
    whole[k] = CMPLX(ldexp(creal(whole[k]), -by), ldexp(cimag(whole[k]), -by));
  if (!is_turned || p->kind != WIDE) return whole;
  double complex *turned = whole_op('C', m->size[0], m->size[1], whole);
  free(whole);
  return turned;
}

/* Orthonormal to some eps whatever the length, as far as the sums of a chunk are. */
static void check_long(const problem *p, const double complex *q)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const double residual = residual_orthogonal(m, n, q, p->t.type->eps);
  expect_residual("Q^H Q - I", residual);
  expect_residual("Q^H Q - I, in eps", residual * (double)m / (40 * sqrt((double)n)));
}

static void check_qr(const problem *p, const double complex *a, const double complex *q,
                     const double complex *r)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const double eps = p->t.type->eps;
  EXPECT_MSG(below_diagonal(n, n, r) == 0, "%g below R's diagonal", below_diagonal(n, n, r));
  if (q) {
    check_long(p, q);
    expect_residual("Q R - A", residual_product('N', 'N', m, n, n, q, r, a, eps));
    return;
  }
  double complex *product = serial_multiply('C', 'N', n, n, n, r, r);
  expect_residual("R^H R - A^H A", residual_product('C', 'N', n, n, m, a, a, product, eps));
  free(product);
}

static void check_squares(const problem *p, const double complex *a, const double complex *x)
{
  const int64_t m = p->t.size[0], n = p->t.size[1], nrhs = p->other.size[1];
  const double eps = p->t.type->eps;
  double complex *b = whole_make(m, nrhs, entry_any, p->t.type); /* B may be work space */
  double complex *want = serial_least_squares(m, n, nrhs, a, b);
  const double r = residual_difference(n, nrhs, x, want, whole_norm('F', n, nrhs, want), n, eps);
  EXPECT_MSG(r <= 100 * RESIDUAL_LIMIT, "X: %g from the solution", r);
  expect_residual("A^H (A X - B)", residual_normal(m, n, nrhs, a, x, b, eps));
  free(want), free(b);
}

/* `u` long vectors, or NULL; `vt` short ones of a tall matrix, as rows. */
static void check_svd(const problem *p, const double complex *a, const double complex *u, double complex *vt)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const double eps = p->t.type->eps;
  double complex *s = problem_whole(p, &p->s, p->exponents[0], false),
                 *want = serial_singular_values(m, n, a);
  const double norm = creal(want[0]) > 0 ? creal(want[0]) : 1;
  expect_residual("singular values", residual_difference(n, 1, s, want, norm, m, eps));
  expect_residual("V^H V - I", residual_orthogonal(n, n, vt, eps));
  if (u) check_long(p, u), expect_residual("U S VT - A", residual_svd(m, n, a, u, s, vt, eps));
  free(want), free(s);
}

void problem_check(const problem *p, const double complex *a)
{
  const int by = p->kind == QR ? p->exponents[0] : p->kind == SQUARES ? p->exponents[1] - p->exponents[0] : 0;
  double complex *small = problem_whole(p, &p->small, by, true), *other = NULL;
  if (!(p->how & LESS)) other = problem_whole(p, p->how & IN_PLACE ? &p->a : &p->other, 0, true);
  if (p->kind == QR) check_qr(p, a, other, small);
  if (p->kind == SQUARES) check_squares(p, a, small);
  if (p->kind >= SVD) check_svd(p, a, other, small);
  free(other), free(small);
}

/* A is only read, unless Q is A, and so is B. They are used where they are if each process has whole rows,
 * the same of both. */
static void check_uses(const problem *p, const dap_linalg_report *report)
{
  static const char *const others[KINDS] = {"Q", "B", "U", "VT"}, *const smalls[KINDS] = {"R", "X", "VT",
                                                                                          "U"};
  const bool rows = p->t.grid[p->kind == WIDE ? 0 : 1] == 1 && !source_is_listed(p->t.source);
  const bool beside = p->how & (ALIKE | IN_PLACE), fits = beside || p->how & LESS || p->kind < SVD;
  EXPECT(p->how & IN_PLACE ? expect_padding(&p->a) : expect_same(&p->a));
  EXPECT(p->kind == SQUARES || p->how & (LESS | IN_PLACE) ? expect_same(&p->other)
                                                          : expect_padding(&p->other));
  expect_padding(&p->small);
  expect_use(report, 0, "A", &p->a, fits ? rows : -1);
  if (!(p->how & LESS))
    expect_use(report, p->kind == WIDE ? 3 : 1, others[p->kind], p->how & IN_PLACE ? &p->a : &p->other,
               beside ? rows : -1);
  expect_use(report, p->kind == WIDE ? 1 : p->kind == SVD ? 3 : 2, smalls[p->kind], &p->small, 0);
}

void problem_run(problem *p, formula *entry, bool is_by_rows)
{
  problem_make(p, entry);
  double complex *a = problem_whole(p, &p->a, p->exponents[0], true);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = p->how & KEEP};
  dap_error err = {0};
  EXPECT_OK(problem_call(p, &options, &err), &err);
  problem_check(p, a);
  if (is_by_rows) check_uses(p, &report);
  free(a);
  problem_end(p);
  SETTLE();
}

problem problem_of(kind k, int number, int row, const element_type *type, int64_t rows, int64_t cols,
                   bool split)
{
  problem p = {.kind = k, .t = {.number = number, .source = &sources[row], .type = type}};
  p.t.size[0] = rows * test_nprocs(), p.t.size[1] = cols;
  const int along = (k == WIDE) != split;
  p.t.grid[along] = test_nprocs(), p.t.grid[1 - along] = 1;
  return p;
}
