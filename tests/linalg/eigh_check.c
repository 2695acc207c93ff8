/* Checks of dap_linalg_eigh() by what eigenvectors are, and against the eigenvalues of serial LAPACK. */
#include "eigh_test.h"

eigh_problem eigh_all(const trial *t, formula *entry, char uplo)
{
  return (eigh_problem){
      .t = t, .entry = entry, .uplo = uplo, .vectors = true, .alike = true, .count = t->size[0]};
}

/* Between eigenvalues number k - 1 and k; infinite at the ends. */
static double between(const double complex *values, int64_t n, int64_t k)
{
  return k == 0 ? -INFINITY : k == n ? INFINITY : creal(values[k - 1] + values[k]) / 2;
}

/* LAPACK makes vectors of eigenvalues whose relative gap is 1e-3 orthogonal to eps / 1e-3 (SRC/dstemr.f:
 * MINRGP). */
static void check_angles(const eigh_problem *p, const double complex *z)
{
  enum { MOST_ANGLE = 1000 };
  const double eps = p->t->type->eps;
  double complex *products = serial_multiply('C', 'N', p->count, p->count, p->t->size[0], z, z);
  for (int64_t i = 0; i < p->count; i++) products[i + i * p->count] -= 1;
  const double most = whole_norm('M', p->count, p->count, products);
  EXPECT_MSG(most <= MOST_ANGLE * eps, "Z^H Z - I has an element of %g eps", most / eps);
  free(products);
}

/* The columns that were not asked for are zeros, and their eigenvalues NaN. */
static void check_rest(const eigh_problem *p, const double complex *w, const double complex *z)
{
  const int64_t n = p->t->size[0];
  for (int64_t k = p->count; k < p->count + p->more; k++) {
    EXPECT(isnan(creal(w[k])));
    for (int64_t i = 0; i < n && z; i++) EXPECT(z[i + k * n] == 0);
  }
}

static void check_results(const eigh_problem *p, const double complex *a, const double complex *want,
                          const double complex *w, const double complex *z)
{
  const int64_t n = p->t->size[0];
  const double eps = p->t->type->eps, norm = largest(n, want), scale = norm > 0 ? norm : 1;
  expect_residual("eigenvalues", residual_difference(p->count, 1, w, want + p->first, scale, n, eps));
  for (int64_t k = 1; k < p->count; k++)
    EXPECT_MSG(creal(w[k]) >= creal(w[k - 1]), "eigenvalue %d is less than the one before", (int)k + 1);
  check_rest(p, w, z);
  if (!z) return;
  expect_residual("A Z - Z W", residual_pairs(n, p->count, a, NULL, w, z, scale, eps));
  if (p->solver == DAP_EIGH_EVR || p->solver == DAP_EIGH_AUTO)
    check_angles(p, z);
  else
    expect_residual("Z^H Z - I", residual_orthogonal(n, p->count, z, eps));
}

void eigh_expect_backend(const element_type *type, const dap_linalg_report *report)
{
  const bool is_backends = eigh_is_backends(type);
  EXPECT((report->solver == DAP_EIGH_BACKEND) == is_backends);
  EXPECT_MSG((strncmp(report->method, "divide", 6) != 0) || !is_backends, "%s", report->method);
}

/* The algorithm that was asked for, or linalg.h's choice; divide and conquer where MRRR's vectors were not
 * good. */
static void check_solver(const eigh_problem *p, const dap_linalg_report *report)
{
  const int64_t n = p->t->size[0];
  const bool few = p->vectors && p->range == DAP_EIGH_BY_INDEX && p->count <= n / 8;
  const dap_eigh_solver usual = few ? DAP_EIGH_EVR : DAP_EIGH_EVD;
  if (n == 0) return;
  if (p->solver == DAP_EIGH_AUTO && eigh_backend(p->t->number) && eigh_is_backends(p->t->type))
    eigh_expect_backend(p->t->type, report);
  else if (report->solver != (p->solver == DAP_EIGH_AUTO ? usual : p->solver))
    EXPECT_MSG(report->solver == DAP_EIGH_EVD && strstr(report->method, "MRRR"), "solver %d: %s",
               (int)report->solver, report->method);
}

/* A is work space. Z is shared in columns. */
static void check_uses(const eigh_problem *p, const matrix *a, const matrix *w, const matrix *z,
                       const dap_linalg_report *report)
{
  const int64_t n = p->t->size[0];
  const bool is_whole = p->range == DAP_EIGH_ALL && p->solver == DAP_EIGH_AUTO;
  const int shares = is_whole ? eigh_shares(p->t, a) : -1;
  const int in_columns = shares == 1 && p->alike && n > 1 ? p->t->source->order == 'F' : -1;
  expect_use(report, 0, "A", a, p->keep ? 0 : shares), expect_use(report, 1, "W", w, 0);
  if (p->vectors) expect_use(report, 2, "Z", z, p->keep ? -1 : in_columns);
  const bool may_keep = p->uplo == 'A' && eigh_is_backends(p->t->type); /* ELPA moves some matrices inside */
  expect_work(a, &report->uses[0], p->keep, is_whole && n > 2 && p->entry == entry_hermitian && !may_keep);
}

dap_linalg_report eigh_check(const eigh_problem *p)
{
  const trial *t = p->t;
  const int64_t n = t->size[0], room = p->count + p->more;
  matrix a = trial_matrix(t, n, n, p->entry), w = trial_vector(t, room, true, entry_nans),
         z = (p->alike ? trial_matrix : trial_other)(t, n, room, entry_nans);
  double complex *whole = matrix_whole(&a), *want = serial_eigenvalues(p->uplo == 'U' ? 'U' : 'L', n, whole);
  if (p->uplo != 'A') matrix_set_triangle(&a, p->uplo == 'L' ? 'U' : 'L', CMPLX(NAN, NAN));
  dap_linalg_report report = {0};
  const dap_linalg_options options = {
      .report = &report,
      .keep = p->keep,
      .eigh = {.solver = p->solver,
               .range = p->range,
               .start = p->range == DAP_EIGH_BY_INDEX ? p->first : 0,
               .stop = p->range == DAP_EIGH_BY_INDEX ? p->first + p->count : 0,
               .above = p->range == DAP_EIGH_BY_VALUE ? between(want, n, p->first) : 0,
               .up_to = p->range == DAP_EIGH_BY_VALUE ? between(want, n, p->first + p->count) : 0,
               .backend = p->solver == DAP_EIGH_AUTO ? eigh_backend(t->number) : NULL}};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, p->uplo, matrix_operand(&a), matrix_operand(&w),
                            p->vectors ? matrix_operand(&z) : (dap_darray){0}, &options, &err),
            &err);
  EXPECT_INT(report.found, n > 0 ? p->count : 0);
  double complex *values = matrix_whole(&w), *vectors = p->vectors ? matrix_whole(&z) : NULL;
  check_results(p, whole, want, values, vectors);
  check_solver(p, &report);
  if (p->count > 0) check_uses(p, &a, &w, &z, &report);
  EXPECT(expect_padding(&a) && expect_padding(&w) && (p->vectors ? expect_padding(&z) : expect_same(&z)));
  free(vectors), free(values), free(want), free(whole);
  matrix_free(&z), matrix_free(&w), matrix_free(&a);
  SETTLE();
  return report;
}
