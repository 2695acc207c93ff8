/* dap_linalg_eigh_generalized(): what comes back solves A Z = B Z W with Z^H B Z = I, so all n eigenvalues
 * are the right ones; parts are compared with them. */
#include "eigh_test.h"

/* The operands of one call. */
typedef struct operands {
  matrix a, b, w, z;
  double complex *whole_a, *whole_b;
} operands;

static operands make(const trial *t, char uplo, int64_t room, formula *entry_b)
{
  const int64_t n = t->size[0];
  operands o = {.a = trial_matrix(t, n, n, entry_hermitian),
                .b = t->number % 2 ? trial_matrix(t, n, n, entry_b) : trial_other(t, n, n, entry_b),
                .w = trial_vector(t, room, true, entry_nans),
                .z = trial_matrix(t, n, room, entry_nans)};
  o.whole_a = matrix_whole(&o.a), o.whole_b = matrix_whole(&o.b);
  matrix_set_triangle(&o.a, uplo == 'L' ? 'U' : 'L', NAN);
  matrix_set_triangle(&o.b, uplo == 'L' ? 'U' : 'L', NAN);
  return o;
}

static void release(operands *o)
{
  free(o->whole_a), free(o->whole_b);
  matrix_free(&o->z), matrix_free(&o->w), matrix_free(&o->b), matrix_free(&o->a);
}

static dap_status solve(operands *o, char uplo, bool vectors, const dap_linalg_options *options,
                        dap_error *err)
{
  return dap_linalg_eigh_generalized(MPI_COMM_WORLD, uplo, matrix_operand(&o->a), matrix_operand(&o->b),
                                     matrix_operand(&o->w), vectors ? matrix_operand(&o->z) : (dap_darray){0},
                                     options, err);
}

/* || A Z - B Z W || and || Z^H B Z - I ||, for `count` columns, as residuals of a problem as ill-conditioned
 * as B. */
static void check_vectors(const trial *t, const operands *o, int64_t count, const double complex *w,
                          const double complex *z)
{
  const int64_t n = t->size[0];
  const double eps = t->type->eps, worst = 1 / serial_condition('1', n, o->whole_b);
  double complex *az = serial_multiply('N', 'N', n, count, n, o->whole_a, z);
  double complex *bz = serial_multiply('N', 'N', n, count, n, o->whole_b, z);
  double complex *product = serial_multiply('C', 'N', count, count, n, z, bz);
  double complex *identity = whole_make(count, count, entry_identity, t->type);
  expect_residual("Z^H B Z - I", residual_difference(count, count, product, identity, worst, n, eps));
  for (int64_t k = 0; k < count; k++)
    for (int64_t i = 0; i < n; i++) bz[i + k * n] *= creal(w[k]);
  const double scale =
      (whole_norm('1', n, n, o->whole_a) + whole_norm('1', n, count, bz)) * whole_norm('1', n, count, z);
  expect_residual("A Z - B Z W", residual_difference(n, count, az, bz, scale * worst, n, eps));
  free(identity), free(product), free(bz), free(az);
}

/* The same with a part of the spectrum, with and without vectors. */
static void check_parts(const trial *t, char uplo, const double complex *all)
{
  const int64_t n = t->size[0], start = n / 4, stop = n - n / 3;
  double most = 1;
  for (int64_t k = 0; k < n; k++) most = fmax(most, fabs(creal(all[k])));
  for (int vectors = 0; vectors < 2; vectors++) {
    operands o = make(t, uplo, stop - start, entry_definite);
    const double worst = 1 / serial_condition('1', n, o.whole_b);
    const dap_linalg_options options = {
        .eigh = {.range = DAP_EIGH_BY_INDEX, .start = start, .stop = stop, .backend = eigh_backend(vectors)}};
    dap_error err = {0};
    EXPECT_OK(solve(&o, uplo, vectors, &options, &err), &err);
    double complex *w = matrix_whole(&o.w), *z = matrix_whole(&o.z);
    expect_residual("a part of the eigenvalues",
                    residual_difference(stop - start, 1, w, all + start, most * worst, n, t->type->eps));
    if (vectors) check_vectors(t, &o, stop - start, w, z);
    free(z), free(w), release(&o);
  }
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0];
    const char uplo = "LU"[t.number / 2 % 2];
    operands o = make(&t, uplo, n, entry_definite);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {
        .report = &report, .keep = t.number % 5 == 0, .eigh = {.backend = eigh_backend(t.number)}};
    dap_error err = {0};
    EXPECT_OK(solve(&o, uplo, true, &options, &err), &err);
    double complex *w = matrix_whole(&o.w), *z = matrix_whole(&o.z);
    for (int64_t k = 1; k < n; k++) EXPECT(creal(w[k]) >= creal(w[k - 1]));
    if (n > 0) check_vectors(&t, &o, n, w, z), eigh_expect_backend(t.type, &report);
    if (n > 0) {
      const int shares = eigh_shares(&t, &o.a);
      expect_use(&report, 0, "A", &o.a, options.keep ? 0 : shares), expect_use(&report, 1, "W", &o.w, 0);
      expect_use(&report, 2, "Z", &o.z, -1), expect_use(&report, 3, "B", &o.b, -1);
      expect_work(&o.b, &report.uses[3], options.keep, n > 2);
    }
    EXPECT(expect_padding(&o.a) && expect_padding(&o.b) && expect_padding(&o.z));
    if (t.number % 4 == 0 && n > 0) check_parts(&t, uplo, w);
    free(z), free(w), release(&o);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere)};
MPI_TEST_MAIN(tests)
