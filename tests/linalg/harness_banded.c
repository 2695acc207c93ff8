/* Band and tridiagonal systems: the matrix that a band stands for, and one system of it. */
#include "banded.h"

/* ---- the matrix -------------------------------------------------------------------------------------- */

band_matrix band;

static double complex entry_dense(int64_t i, int64_t j)
{
  return i - j <= band.lower && j - i <= band.upper ? band.entry(i, j) : 0;
}

/* What AB holds; NaN where it stands for no element. */
static double complex entry_band(int64_t row, int64_t j)
{
  const int64_t i = row + j - band.upper;
  return i >= 0 && i < band.n ? band.entry(i, j) : CMPLX(NAN, NAN);
}

static double complex entry_below(int64_t k, int64_t j)
{
  (void)j;
  return band.entry(k + 1, k);
}

static double complex entry_main(int64_t k, int64_t j)
{
  (void)j;
  return band.entry(k, k);
}

static double complex entry_above(int64_t k, int64_t j)
{
  (void)j;
  return band.entry(k, k + 1);
}

double complex entry_strong(int64_t i, int64_t j)
{
  return i == j ? 24 + entry_any(i, i) : entry_hermitian(i, j);
}

static double complex entry_strong_real(int64_t i, int64_t j)
{
  return i == j ? creal(entry_strong(i, j)) : entry_strong(i, j);
}

double complex entry_hollow(int64_t i, int64_t j)
{
  return i == j ? 0 : entry_any(i, j) + (i == j + 1 || j == i + 1 ? 2 : 0);
}

/* ---- one system ---------------------------------------------------------------------------------------- */

const char *const band_names[BAND_KINDS] = {"banded", "positive, L", "positive, U", "tridiagonal",
                                            "positive, 3"};

static int64_t one_less(int64_t n)
{
  return n > 0 ? n - 1 : 0;
}

bool band_is_positive(band_kind k)
{
  return k == LOWER || k == UPPER || k == POSITIVE_THREE;
}

void band_choose(band_kind k, int64_t n, int64_t lower, int64_t upper, formula *entry)
{
  band.n = n, band.entry = entry;
  band.lower = k == THREE || k == POSITIVE_THREE ? 1 : lower;
  band.upper = k == THREE || k == POSITIVE_THREE ? 1 : band_is_positive(k) ? lower : upper;
}

band_system band_system_make(band_kind k, const trial *t, int64_t nrhs)
{
  band_system s = {.kind = k};
  const int64_t n = band.n, below = k == UPPER ? 0 : band.lower, above = k == LOWER ? 0 : band.upper;
  const int64_t kept = band.upper;
  trial moved = *t;
  if (k == THREE || k == POSITIVE_THREE) {
    if (k == THREE) s.of[s.count++] = trial_vector(t, one_less(n), false, entry_below);
    moved.number += 3;
    s.of[s.count++] = trial_vector(&moved, n, false, entry_main);
    moved.number += 3;
    s.of[s.count++] = trial_vector(&moved, one_less(n), false, k == THREE ? entry_above : entry_below);
  } else {
    band.upper = above; /* as entry_band() wants it */
    s.of[s.count++] = trial_matrix(t, below + above + 1, n, entry_band);
    band.upper = kept;
  }
  s.of[s.count++] = nrhs < 0             ? trial_vector(t, n, false, entry_any)
                    : t->number % 3 == 0 ? trial_other(t, n, nrhs, entry_any)
                                         : trial_matrix(t, n, nrhs, entry_any);
  return s;
}

dap_status band_system_solve(band_system *s, const dap_linalg_options *o, dap_error *err)
{
  dap_darray of[BAND_OPERANDS];
  for (int i = 0; i < s->count; i++) of[i] = matrix_operand(&s->of[i]);
  switch (s->kind) {
  case BANDED:
    return dap_linalg_banded_solve(MPI_COMM_WORLD, band.lower, band.upper, of[0], of[1], o, err);
  case THREE:
    return dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], o, err);
  case POSITIVE_THREE:
    return dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
  default:
    return dap_linalg_positive_banded_solve(MPI_COMM_WORLD, s->kind == LOWER ? 'L' : 'U', of[0], of[1], o,
                                            err);
  }
}

void band_system_free(band_system *s)
{
  for (int i = 0; i < s->count; i++) matrix_free(&s->of[i]);
}

void band_check(band_kind k, const trial *t, int64_t nrhs)
{
  static const char *const operands[BAND_KINDS][BAND_OPERANDS] = {
      {"AB", "B"}, {"AB", "B"}, {"AB", "B"}, {"DL", "D", "DU", "B"}, {"D", "E", "B"}};
  band_system s = band_system_make(k, t, nrhs);
  matrix *b = &s.of[s.count - 1];
  formula *const given = band.entry;
  if (band_is_positive(k)) band.entry = entry_strong_real;
  double complex *a = whole_make(band.n, band.n, entry_dense, t->type), *whole_b = matrix_whole(b);
  band.entry = given;
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = t->number % 5 == 0};
  dap_error err = {.rank = -7};
  EXPECT_OK(band_system_solve(&s, &options, &err), &err);
  double complex *x = matrix_whole(b);
  const double r = residual_solve('N', band.n, b->size[1], a, x, whole_b, t->type->eps);
  expect_residual("A X - B", r);
  EXPECT_INT(report.count, s.count);
  EXPECT_INT(report.info, 0);
  for (int i = 0; i < s.count; i++) {
    const bool idle = b->size[0] * b->size[1] == 0;
    expect_use(&report, i, operands[k][i], idle ? NULL : &s.of[i], 0);
    if (i < s.count - 1) expect_same(&s.of[i]);
    expect_padding(&s.of[i]);
  }
  log_trial(band_names[k], t, &report, r);
  free(x), free(whole_b), free(a);
  band_system_free(&s);
  SETTLE();
}
