/* Checks of what dap_linalg_schur() returns. */
#include "schur_test.h"

#include <stdlib.h>
#include <string.h>

int schur_number(int i)
{
  static const int numbers[] = {0, 1, 3, 4, 5, 6, 7};
  return numbers[i % (int)(sizeof numbers / sizeof *numbers)];
}

const element_type *schur_complex(const trial *t)
{
  return element_type_of(t->type->real == DAP_F4 ? DAP_C8 : DAP_C16);
}

matrix schur_values(const trial *t)
{
  return matrix_make(&vector_sources[t->number % vector_source_count], schur_complex(t), 1,
                     (const int64_t[2]){t->size[0], 1}, (const int[2]){test_nprocs(), 1}, entry_nans);
}

matrix schur_vectors(const trial *t)
{
  trial wide = *t;
  wide.type = schur_complex(t);
  return t->number % 2 ? trial_matrix(&wide, t->size[0], t->size[0], entry_nans)
                       : trial_other(&wide, t->size[0], t->size[0], entry_nans);
}

double complex entry_rotations(int64_t i, int64_t j)
{
  const double angle = 0.5 + (double)(i / 4);
  if (i / 2 != j / 2) return i < j ? entry_any(i, j) / 8 : 0;
  return i == j ? cos(angle) : i < j ? sin(angle) : -sin(angle);
}

/* T is upper triangular, or with blocks of 2 x 2 that stand for pairs; W is what its diagonal says. */
static void check_t(const trial *t, const double complex *T, const double complex *w)
{
  const int64_t n = t->size[0];
  const double room = 100 * t->type->eps * (whole_norm('F', n, n, T) + 1);
  for (int64_t j = 0; j < n; j++) {
    const double complex below = j + 1 < n ? T[j + 1 + j * n] : 0;
    for (int64_t i = j + 2; i < n; i++) EXPECT_MSG(T[i + j * n] == 0, "T(%d, %d) is not 0", (int)i, (int)j);
    if (t->type->is_complex || below == 0) {
      EXPECT_MSG(t->type->is_complex == false || below == 0, "T(%d, %d) is not 0", (int)j + 1, (int)j);
      EXPECT_MSG(cabs(w[j] - T[j + j * n]) <= room, "W[%d] is not on T's diagonal", (int)j);
      continue;
    }
    const double imaginary = sqrt(fabs(creal(below))) * sqrt(fabs(creal(T[j + (j + 1) * n])));
    EXPECT_MSG(cabs(w[j] - CMPLX(creal(T[j + j * n]), imaginary)) <= room, "W[%d]", (int)j);
    EXPECT_MSG(w[j + 1] == conj(w[j]) && cimag(w[j]) > 0, "W[%d] and the next are no pair", (int)j);
    EXPECT_MSG(j + 2 >= n || T[j + 2 + (j + 1) * n] == 0, "two blocks overlap at %d", (int)j);
    j++;
  }
}

void schur_expect_method(const dap_linalg_report *report)
{
  EXPECT_MSG(strcmp(report->method, "LAPACK on process 0") == 0, "by %s", report->method);
}

/* Without Z nothing else says that T is A's. LAPACK's time grows fast. */
static double check_values(const trial *t, const double complex *a, const double complex *w)
{
  enum { MOST = 300 };
  if (t->size[0] > MOST) return 0;
  spectrum known = schur_spectrum(t->size[0], a);
  const double residual = schur_expect_values("W", &known, w, t->type->eps);
  schur_spectrum_free(&known);
  return residual;
}

void schur_check(const trial *t, bool alone, formula *entry)
{
  const int64_t n = t->size[0];
  const dap_darray none = {0};
  matrix a = trial_matrix(t, n, n, entry), T = trial_other(t, n, n, entry_nans),
         z = trial_matrix(t, n, n, entry_nans), w = schur_values(t);
  double complex *whole = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_schur(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&T),
                             alone ? none : matrix_operand(&z), matrix_operand(&w), &options, &err),
            &err);
  double complex *whole_t = matrix_whole(&T), *whole_w = matrix_whole(&w), *whole_z = matrix_whole(&z);
  double residual = 0;
  if (alone) {
    residual = check_values(t, whole, whole_w);
  } else {
    double complex *product = serial_multiply('N', 'N', n, n, n, whole_z, whole_t);
    expect_residual("Z^H Z - I", residual_orthogonal(n, n, whole_z, t->type->eps));
    residual = residual_product('N', 'N', n, n, n, whole, whole_z, product, t->type->eps);
    expect_residual("A Z - Z T", residual);
    free(product);
  }
  check_t(t, whole_t, whole_w);
  schur_expect_method(&report);
  expect_same(&a), expect_padding(&T), expect_padding(&z), expect_padding(&w);
  EXPECT(!alone || expect_same(&z));
  if (n > 0) expect_use(&report, 0, "A", &a, 0), expect_use(&report, 1, "T", &T, 0);
  log_trial("schur", t, &report, residual);
  free(whole_z), free(whole_w), free(whole_t), free(whole);
  matrix_free(&w), matrix_free(&z), matrix_free(&T), matrix_free(&a);
  SETTLE();
}
