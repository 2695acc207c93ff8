/* Functions of linear algebra on numbers of each type, by each of their algorithms, where floating-point
 * exceptions end the program: single and complex ones have other norms, divisions and conversions. (Every
 * function, on doubles: linalg_traps.) */
#define _GNU_SOURCE /* feenableexcept(); NOLINT(bugprone-reserved-identifier) */
#include "harness.h"

#include <dapbridge/linalg_factors.h>
#include <fenv.h>

#ifdef __GLIBC__
#include "traps.h"

enum { ORDER = 12, COLUMNS = 3, TALL = 80 };

/* a, x, c: (ORDER, ORDER); h: Hermitian, s: definite; b: (ORDER, COLUMNS); tall, u: (TALL, COLUMNS). */
typedef struct operands {
  matrix a, h, s, b, c, x, tall, u, vt, w, values;
} operands;

/* One call, with the number of a variant. */
typedef dap_status action(operands *o, int variant, dap_error *err);

static const dap_linalg_options keep = {.keep = true};

static dap_status solve(operands *o, int variant, dap_error *err)
{
  return dap_linalg_solve(MPI_COMM_WORLD, "NTC"[variant], matrix_operand(&o->a), matrix_operand(&o->b), &keep,
                          err);
}

static dap_status cholesky_solve(operands *o, int variant, dap_error *err)
{
  return dap_linalg_cholesky_solve(MPI_COMM_WORLD, "LU"[variant], matrix_operand(&o->s),
                                   matrix_operand(&o->b), &keep, err);
}

static dap_status multiply(operands *o, int variant, dap_error *err)
{
  return dap_linalg_multiply(MPI_COMM_WORLD, "NTC"[variant], 'N', NULL, matrix_operand(&o->a),
                             matrix_operand(&o->s), NULL, matrix_operand(&o->c), NULL, err);
}

static dap_status norm(operands *o, int variant, dap_error *err)
{
  double value;
  return dap_linalg_norm(MPI_COMM_WORLD, "1IFM"[variant], matrix_operand(&o->a), &value, NULL, err);
}

static dap_status qr(operands *o, int variant, dap_error *err)
{
  return dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(variant ? &o->a : &o->tall),
                       matrix_operand(variant ? &o->x : &o->u), matrix_operand(variant ? &o->c : &o->vt),
                       &keep, err);
}

static dap_status eigh(operands *o, int variant, dap_error *err)
{
  static const dap_eigh_solver ways[] = {DAP_EIGH_AUTO, DAP_EIGH_EV, DAP_EIGH_EVD, DAP_EIGH_EVR};
  const dap_linalg_options options = {.keep = true, .eigh.solver = ways[variant]};
  return dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&o->h), matrix_operand(&o->values),
                         matrix_operand(&o->x), &options, err);
}

/* Square and tall ones, with vectors and without. */
static dap_status svd(operands *o, int variant, dap_error *err)
{
  const dap_linalg_options options = {.keep = true,
                                      .svd.solver = variant & 1 ? DAP_SVD_GESVD : DAP_SVD_GESDD};
  const bool tall = variant & 2, vectors = variant & 4;
  const dap_darray none = {0};
  return dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(tall ? &o->tall : &o->a),
                        vectors ? matrix_operand(tall ? &o->u : &o->x) : none,
                        matrix_operand(tall ? &o->w : &o->values),
                        vectors ? matrix_operand(tall ? &o->vt : &o->c) : none, &options, err);
}

static dap_status factors(operands *o, int variant, dap_error *err)
{
  dap_linalg_factors *f;
  double sign[2], log, rcond;
  dap_status status = variant
                          ? dap_linalg_cholesky(MPI_COMM_WORLD, 'U', matrix_operand(&o->s), &keep, &f, err)
                          : dap_linalg_lu(MPI_COMM_WORLD, matrix_operand(&o->a), &keep, &f, err);
  if (!status) status = dap_linalg_factors_solve(f, 'C', matrix_operand(&o->b), NULL, err);
  if (!status) status = dap_linalg_factors_inverse(f, matrix_operand(&o->x), NULL, err);
  if (!status) status = dap_linalg_factors_determinant(f, sign, &log, err);
  if (!status) status = dap_linalg_factors_condition(f, 'I', &rcond, err);
  dap_linalg_factors_destroy(&f);
  return status;
}

static const struct {
  const char *name;
  action *run;
  int variants;
} calls[] = {{"solve", solve, 3},
             {"cholesky_solve", cholesky_solve, 2},
             {"multiply", multiply, 3},
             {"norm", norm, 4},
             {"qr", qr, 2},
             {"eigh", eigh, 4},
             {"svd", svd, 8},
             {"factors", factors, 2}};

/* ---- operands ------------------------------------------------------------------------------------------ */

static elements kind; /* of this case */

/* An element of a formula, or what takes its place. */
static double complex spoilt(double complex value, int64_t i, int64_t j)
{
  if (kind == WITH_NAN && i == 1 && j <= 1) return CMPLX(NAN, 0);
  if (kind == WITH_INFINITY && i == 1 && j <= 1) return CMPLX(INFINITY, 0);
  return kind == EXTREME ? value * ((i + j) % 3 ? 0x1p-120 : 0x1p120) : value; /* products exceed any f4 */
}

static double complex entry_a(int64_t i, int64_t j)
{
  return spoilt(entry_dominant(i, j), i, j);
}

static double complex entry_h(int64_t i, int64_t j)
{
  return spoilt(entry_hermitian(i, j), i, j);
}

static double complex entry_s(int64_t i, int64_t j)
{
  return spoilt(entry_definite(i, j), i, j);
}

static double complex entry_b(int64_t i, int64_t j)
{
  return spoilt(entry_any(i, j), i, j);
}

static operands make(const element_type *type)
{
  const trial t = {.source = &sources[10], .type = type, .grid = {test_nprocs(), 1}};
  const element_type *real = element_type_of(type->real);
  const int64_t order[2] = {ORDER, 1}, few[2] = {COLUMNS, 1};
  return (operands){.a = trial_matrix(&t, ORDER, ORDER, entry_a),
                    .h = trial_matrix(&t, ORDER, ORDER, entry_h),
                    .s = trial_matrix(&t, ORDER, ORDER, entry_s),
                    .b = trial_matrix(&t, ORDER, COLUMNS, entry_b),
                    .c = trial_matrix(&t, ORDER, ORDER, entry_nans),
                    .x = trial_matrix(&t, ORDER, ORDER, entry_nans),
                    .tall = trial_matrix(&t, TALL, COLUMNS, entry_b),
                    .u = trial_matrix(&t, TALL, COLUMNS, entry_nans),
                    .vt = trial_matrix(&t, COLUMNS, COLUMNS, entry_nans),
                    .w = matrix_make(&vector_sources[0], real, 1, few, t.grid, entry_nans),
                    .values = matrix_make(&vector_sources[0], real, 1, order, t.grid, entry_nans)};
}

static void end(operands *o)
{
  matrix *const all[] = {&o->a,    &o->h, &o->s,  &o->b, &o->c,     &o->x,
                         &o->tall, &o->u, &o->vt, &o->w, &o->values};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) matrix_free(all[k]);
}

static void try_call(size_t k, int variant, const element_type *type)
{
  dap_error err = {.text = ""};
  TEST_CASE("%s, variant %d, %s, %s", calls[k].name, variant, type->name, kinds[kind]);
  operands o = make(type);
  traps_set();
  const dap_status status = calls[k].run(&o, variant, &err);
  traps_check(status, kind != ORDINARY, &err);
  end(&o);
  SETTLE();
}

static void each_type(void **state)
{
  (void)state;
  if (!traps_exist()) return;
  for (int i = 0; i < KINDS * ELEMENT_TYPES; i++) {
    kind = (elements)(i / ELEMENT_TYPES);
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
      for (int v = 0; v < calls[k].variants; v++) try_call(k, v, &element_types[i % ELEMENT_TYPES]);
  }
}
#else
static void each_type(void **state)
{
  (void)state;
}
#endif

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_type)};
MPI_TEST_MAIN(tests)
