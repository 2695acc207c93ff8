/* Every function of linear algebra where floating-point exceptions end the program, as gfortran's -ffpe-trap
 * makes them; with ordinary elements, NaN and infinity. */
#define _GNU_SOURCE /* feenableexcept() */
#include "harness.h"

#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>
#include <fenv.h>

#ifdef __GLIBC__
enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };
#endif

enum { ORDER = 12, COLUMNS = 3, TALL = 80 };

/* Operands of all functions. a, c, x: (ORDER, ORDER); h: Hermitian, s: definite; b, y: (ORDER, COLUMNS);
 * tall: (TALL, COLUMNS). */
typedef struct operands {
  matrix a, h, s, b, c, x, y, tall, u, vt, small, ab, band, w, z, values, places, diagonals[3];
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

static dap_status least_squares(operands *o, int variant, dap_error *err)
{
  return dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(variant ? &o->a : &o->tall),
                                  matrix_operand(variant ? &o->b : &o->u),
                                  matrix_operand(variant ? &o->y : &o->small), &keep, err);
}

static dap_status inverse(operands *o, int variant, dap_error *err)
{
  (void)variant;
  return dap_linalg_inverse(MPI_COMM_WORLD, matrix_operand(&o->a), NULL, err);
}

static dap_status determinant(operands *o, int variant, dap_error *err)
{
  (void)variant;
  double sign[2], log;
  return dap_linalg_determinant(MPI_COMM_WORLD, matrix_operand(&o->a), sign, &log, &keep, err);
}

static dap_status condition(operands *o, int variant, dap_error *err)
{
  double rcond;
  return dap_linalg_condition(MPI_COMM_WORLD, "1I"[variant], matrix_operand(&o->a), &rcond, &keep, err);
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

static dap_status eigh_generalized(operands *o, int variant, dap_error *err)
{
  (void)variant;
  return dap_linalg_eigh_generalized(MPI_COMM_WORLD, 'L', matrix_operand(&o->h), matrix_operand(&o->s),
                                     matrix_operand(&o->values), matrix_operand(&o->x), &keep, err);
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

static dap_status solve_refined(operands *o, int variant, dap_error *err)
{
  (void)variant;
  double forward[COLUMNS], backward[COLUMNS];
  return dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', matrix_operand(&o->a), matrix_operand(&o->b),
                                  matrix_operand(&o->y), forward, backward, NULL, NULL, err);
}

static dap_status triangular(operands *o, int variant, dap_error *err)
{
  return (variant ? dap_linalg_triangular_multiply : dap_linalg_triangular_solve)(
      MPI_COMM_WORLD, 'L', 'L', 'N', 'N', NULL, matrix_operand(&o->a), matrix_operand(&o->b), NULL, err);
}

static dap_status rank_k(operands *o, int variant, dap_error *err)
{
  return dap_linalg_rank_k(MPI_COMM_WORLD, "HS"[variant], 'A', 'N', NULL, matrix_operand(&o->a), NULL,
                           matrix_operand(&o->c), NULL, err);
}

static dap_status banded(operands *o, int variant, dap_error *err)
{
  return variant ? dap_linalg_positive_banded_solve(MPI_COMM_WORLD, 'U', matrix_operand(&o->band),
                                                    matrix_operand(&o->b), NULL, err)
                 : dap_linalg_banded_solve(MPI_COMM_WORLD, 1, 1, matrix_operand(&o->ab),
                                           matrix_operand(&o->b), NULL, err);
}

static dap_status tridiagonal(operands *o, int variant, dap_error *err)
{
  return variant ? dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, matrix_operand(&o->diagonals[1]),
                                                         matrix_operand(&o->diagonals[0]),
                                                         matrix_operand(&o->b), NULL, err)
                 : dap_linalg_tridiagonal_solve(
                       MPI_COMM_WORLD, matrix_operand(&o->diagonals[0]), matrix_operand(&o->diagonals[1]),
                       matrix_operand(&o->diagonals[2]), matrix_operand(&o->b), NULL, err);
}

static dap_status qr_pivoted(operands *o, int variant, dap_error *err)
{
  (void)variant;
  int64_t rank;
  return dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, matrix_operand(&o->a), matrix_operand(&o->x),
                               matrix_operand(&o->c), matrix_operand(&o->places), &rank, &keep, err);
}

static dap_status least_squares_rank(operands *o, int variant, dap_error *err)
{
  (void)variant;
  int64_t rank;
  return dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, matrix_operand(&o->a), matrix_operand(&o->b),
                                       matrix_operand(&o->y), &rank, &keep, err);
}

static dap_status schur(operands *o, int variant, dap_error *err)
{
  (void)variant;
  return dap_linalg_schur(MPI_COMM_WORLD, matrix_operand(&o->a), matrix_operand(&o->c), matrix_operand(&o->x),
                          matrix_operand(&o->z), NULL, err);
}

static dap_status eig(operands *o, int variant, dap_error *err)
{
  (void)variant;
  const dap_darray none = {0};
  return dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&o->a), matrix_operand(&o->z), none, NULL, err);
}

static const struct {
  const char *name;
  action *run;
  int variants;
} calls[] = {
    {"solve", solve, 3},
    {"cholesky_solve", cholesky_solve, 2},
    {"least_squares", least_squares, 2},
    {"inverse", inverse, 1},
    {"determinant", determinant, 1},
    {"condition", condition, 2},
    {"multiply", multiply, 3},
    {"norm", norm, 4},
    {"qr", qr, 2},
    {"eigh", eigh, 4},
    {"eigh_generalized", eigh_generalized, 1},
    {"svd", svd, 8},
    {"factors", factors, 2},
    {"solve_refined", solve_refined, 1},
    {"triangular", triangular, 2},
    {"rank_k", rank_k, 2},
    {"banded", banded, 2},
    {"tridiagonal", tridiagonal, 2},
    {"qr_pivoted", qr_pivoted, 1},
    {"least_squares_rank", least_squares_rank, 1},
    {"schur", schur, 1},
    {"eig", eig, 1},
};

/* ---- operands ------------------------------------------------------------------------------------------ */

/* What the elements of this case are. */
typedef enum elements { ORDINARY, WITH_NAN, WITH_INFINITY, EXTREME, KINDS } elements;
static const char *const kinds[] = {"ordinary", "NaN", "infinity", "extreme"};
static elements kind;

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

static double complex entry_ab(int64_t i, int64_t j) /* three diagonals */
{
  return spoilt(i == 1 ? 4 : entry_any(i, j), i, j);
}

static double complex entry_band(int64_t i, int64_t j) /* the upper two */
{
  return spoilt(i == 1 ? 4 : 1, i, j);
}

static double complex entry_main(int64_t i, int64_t j)
{
  return spoilt(4, i, j);
}

static const element_type integers = {DAP_I8, DAP_I8, "i8", 0, false};

static operands make(const element_type *type)
{
  const trial t = {.source = &sources[10], .type = type, .grid = {test_nprocs(), 1}};
  const element_type *real = element_type_of(type->real);
  const element_type *wide = element_type_of(type->real == DAP_F4 ? DAP_C8 : DAP_C16);
  const int64_t vector[2] = {ORDER, 1};
  operands o = {.a = trial_matrix(&t, ORDER, ORDER, entry_a),
                .h = trial_matrix(&t, ORDER, ORDER, entry_h),
                .s = trial_matrix(&t, ORDER, ORDER, entry_s),
                .b = trial_matrix(&t, ORDER, COLUMNS, entry_b),
                .c = trial_matrix(&t, ORDER, ORDER, entry_nans),
                .x = trial_matrix(&t, ORDER, ORDER, entry_nans),
                .y = trial_matrix(&t, ORDER, COLUMNS, entry_nans),
                .tall = trial_matrix(&t, TALL, COLUMNS, entry_b),
                .u = trial_matrix(&t, TALL, COLUMNS, entry_b),
                .vt = trial_matrix(&t, COLUMNS, COLUMNS, entry_nans),
                .small = trial_matrix(&t, COLUMNS, COLUMNS, entry_nans),
                .ab = trial_matrix(&t, 3, ORDER, entry_ab),
                .band = trial_matrix(&t, 2, ORDER, entry_band)};
  const int64_t less[2] = {ORDER - 1, 1}, few[2] = {COLUMNS, 1};
  o.values = matrix_make(&vector_sources[0], real, 1, vector, t.grid, entry_nans);
  o.w = matrix_make(&vector_sources[0], real, 1, few, t.grid, entry_nans);
  o.z = matrix_make(&vector_sources[0], wide, 1, vector, t.grid, entry_nans);
  o.places = matrix_make(&vector_sources[0], &integers, 1, vector, t.grid, entry_zero);
  for (int k = 0; k < 3; k++)
    o.diagonals[k] = matrix_make(&vector_sources[0], type, 1, k == 1 ? vector : less, t.grid,
                                 k == 1 ? entry_main : entry_b);
  return o;
}

static void end(operands *o)
{
  matrix *const all[] = {&o->a,
                         &o->h,
                         &o->s,
                         &o->b,
                         &o->c,
                         &o->x,
                         &o->y,
                         &o->tall,
                         &o->u,
                         &o->vt,
                         &o->small,
                         &o->ab,
                         &o->band,
                         &o->values,
                         &o->w,
                         &o->z,
                         &o->places,
                         &o->diagonals[0],
                         &o->diagonals[1],
                         &o->diagonals[2]};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) matrix_free(all[k]);
}

/* ---- the calls ----------------------------------------------------------------------------------------- */

#ifdef __GLIBC__
/* The call ends the program if it raises an exception that traps. It leaves the flags as they were. */
static void call_with_traps(operands *o, size_t k, int variant)
{
  dap_error err = {0};
  (void)feclearexcept(FE_ALL_EXCEPT);
  (void)feraiseexcept(FE_UNDERFLOW);
  (void)feenableexcept(TRAPS);
  const dap_status status = calls[k].run(o, variant, &err);
  const int traps = fegetexcept(), flags = fetestexcept(FE_ALL_EXCEPT);
  (void)fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_MSG(traps == TRAPS, "traps are %d, not %d", traps, TRAPS);
  EXPECT_MSG(flags == FE_UNDERFLOW, "flags are %d, not %d", flags, FE_UNDERFLOW);
  EXPECT_MSG(status == DAP_OK || status == DAP_ERR_NUMERIC, "status %d: %s", (int)status, err.text);
  EXPECT_MSG(kind != ORDINARY || status == DAP_OK, "status %d: %s", (int)status, err.text);
}
#endif

static void every_function(void **state)
{
  (void)state;
#ifdef __GLIBC__
  if (feenableexcept(TRAPS) == -1) return; /* this processor has no traps */
  (void)fedisableexcept(FE_ALL_EXCEPT);
  for (int i = 0; i < KINDS * ELEMENT_TYPES; i++)
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
      for (int variant = 0; variant < calls[k].variants; variant++) {
        const element_type *type = &element_types[i % ELEMENT_TYPES];
        kind = (elements)(i / ELEMENT_TYPES);
        TEST_CASE("%s, variant %d, %s, %s", calls[k].name, variant, type->name, kinds[kind]);
        operands o = make(type);
        call_with_traps(&o, k, variant);
        end(&o);
        SETTLE();
      }
#endif
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_function)};
LINALG_TEST_MAIN(tests)
