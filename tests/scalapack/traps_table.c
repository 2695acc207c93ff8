/* Lists the routines, the needs of each, and how it is called. */
#include "traps.h"

#include <dapbridge/scalapack_calls.h>

/* ---- the routines ------------------------------------------------------------------------------------- */

/* clang-format off */
/* No header declares these routines. They are called only through pointers, so their arguments do not
 * matter. */
#define DECLARE(real, complex) trap_function ps##real##_, pd##real##_, pc##complex##_, pz##complex##_
DECLARE(symm, hemm); DECLARE(gemv, gemv); DECLARE(lansy, lansy); DECLARE(lansy, lanhe);
DECLARE(lantr, lantr); DECLARE(laswp, laswp); DECLARE(potri, potri); DECLARE(pocon, pocon);

#define AT(name) (trap_function *)name##_
#define ROUTINE(real, complex, ...) \
  {{#real, #complex}, {AT(ps##real), AT(pd##real), AT(pc##complex), AT(pz##complex)}, {__VA_ARGS__}}
#define CALLS(real, complex, ...) .call = ROUTINE(real, complex, __VA_ARGS__)
#define CALL(stem, ...) CALLS(stem, stem, __VA_ARGS__)
/* clang-format on */

/* ---- residuals of results that are not unique --------------------------------------------------------- */

static double check_vectors(const trap *t)
{
  const int64_t n = t->count;
  const double eps = t->type->eps, norm = whole_norm('1', n, n, t->before[0]);
  return worse(worse(trap_value_difference(t), whole_skew(n, n, t->after[1]) / ((double)n * eps)),
               residual_eigen(n, n, t->before[0], t->w, t->after[1], norm, eps));
}

static double check_svd(const trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1], k = t->count;
  const double eps = t->type->eps;
  double complex *v = whole_op('C', k, n, t->after[2]);
  double r = trap_value_difference(t);
  r = worse(r, residual_svd(m, n, t->before[0], t->after[1], t->w, t->after[2], eps));
  r = worse(r, worse(whole_skew(m, k, t->after[1]) / (double)m, whole_skew(n, k, v) / (double)n) / eps);
  free(v);
  return r;
}

/* Checks an estimate. It is never below the true value, and seldom above its tenfold. The real routine of
 * ScaLAPACK 2.2 is worse, because pdlacon forgets at every call what it has found. */
static double check_condition(const trap *t)
{
  const double exact = serial_condition('1', t->size[0][0], t->before[0]), got = creal(t->w[0]);
  return got > 0.99 * exact && got < (t->type->is_complex ? 10 : 100) * exact ? 0 : NAN;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

/* clang-format off */
/* What routines need. */
#define TAKES(where, ...) {.offset = DAP_OFFSET_##where, __VA_ARGS__}
#define ANY TAKES(ANY, .any_sources = true)
#define BLOCKS TAKES(BLOCK, .any_sources = true)
#define SQUARE TAKES(BLOCK, .any_sources = true, .square_blocks = true)
#define WHOLE TAKES(NONE, .any_sources = true, .square_blocks = true)
#define GRID DAP_ALIGN_GRID
#define ROWS DAP_ALIGN_ROWS
#define SAME DAP_ALIGN_SAME
#define LONGER DAP_ALIGN_LONGER
#define DRIVER(...) TAKES(NONE, .square_blocks = true, __VA_ARGS__)

const trap_routine trap_routines[] = {
  /* Systems. */
  {SQUARE, ROWS, {entry_any, entry_any}, {{0}, {0, RHS}}, CALL(gesv, N0, N1, A, PIVOTS, B, INFO)},
  {SQUARE, ROWS, {entry_any, entry_any}, {{0}, {0, RHS}}, CALL(getrs, 'T', N0, N1, A, PIVOTS, B, INFO),
   .before = ROUTINE(getrf, getrf, M0, N0, A, PIVOTS, INFO), .what = "T"},
  {SQUARE, ROWS, {entry_definite, entry_any}, {{0}, {0, RHS}}, CALL(posv, 'L', N0, N1, A, B, INFO)},
  {SQUARE, GRID, {entry_any}, {{0}}, CALL(getri, N0, A, PIVOTS, WORK, LWORK, IWORK, LWORK, INFO),
   .before = ROUTINE(getrf, getrf, M0, N0, A, PIVOTS, INFO)},
  {SQUARE, GRID, {entry_any}, {{0}}, CALL(gecon, '1', N0, A, NORM, VALUE, WORK, LWORK, MORE, LWORK, INFO),
   .before = ROUTINE(getrf, getrf, M0, N0, A, PIVOTS, INFO), .residual = check_condition},
  {SQUARE, GRID, {entry_definite}, {{0}}, CALL(potri, 'L', N0, A, INFO),
   .before = ROUTINE(potrf, potrf, 'L', N0, A, INFO)},
  {SQUARE, GRID, {entry_definite}, {{0}},
   CALL(pocon, 'L', N0, A, NORM, VALUE, WORK, LWORK, MORE, LWORK, INFO),
   .before = ROUTINE(potrf, potrf, 'L', N0, A, INFO), .residual = check_condition},

  /* Orthogonal factors. */
  {BLOCKS, LONGER, {entry_any, entry_any}, {{23, 17}, {23, RHS}},
   CALL(gels, 'N', M0, N0, N1, A, B, WORK, LWORK, INFO), .what = "tall"},
  {BLOCKS, LONGER, {entry_any, entry_any}, {{17, 23}, {23, RHS}},
   CALL(gels, 'N', M0, N0, N1, A, B, WORK, LWORK, INFO), .what = "wide"},
  {ANY, GRID, {entry_any}, {{23, 17}}, CALL(geqrf, M0, N0, A, TAU, WORK, LWORK, INFO),
   .after = ROUTINE(orgqr, ungqr, M0, N0, N0, A, TAU, WORK, LWORK, INFO)},
  {ANY, GRID, {entry_any}, {{17, 23}}, CALL(gelqf, M0, N0, A, TAU, WORK, LWORK, INFO),
   .after = ROUTINE(orglq, unglq, M0, N0, M0, A, TAU, WORK, LWORK, INFO)},
  {SQUARE, GRID, {entry_any}, {{0}}, CALL(gehrd, N0, FIRST, N0, A, TAU, WORK, LWORK, INFO)},
  {SQUARE, GRID, {entry_hermitian}, {{0}},
   CALLS(sytrd, hetrd, 'L', N0, A, DIAGONAL, BESIDE, TAU, WORK, LWORK, INFO)},
  {WHOLE, SAME, {entry_hermitian, entry_definite}, {{0}},
   CALLS(sygst, hegst, FIRST, 'L', N0, A, B, SCALE, INFO), .before = ROUTINE(potrf, potrf, 'L', N1, B, INFO)},

  /* PBLAS, copies, norms. */
  {ANY, GRID, {entry_any, entry_any, entry_nans}, {{23, 17}, {17, 19}, {23, 19}},
   CALL(gemm, 'N', 'N', M2, N2, N0, ONE, A, B, ZERO, C)},
  {ANY, GRID, {entry_hermitian, entry_any, entry_nans}, {{17, 17}, {17, 19}, {17, 19}},
   CALLS(symm, hemm, 'L', 'U', M2, N2, ONE, A, B, ZERO, C)},
  {ANY, GRID, {entry_dominant, entry_any}, {{0}, {0, RHS}},
   CALL(trsm, 'L', 'U', 'N', 'N', M1, N1, ONE, A, B)},
  {ANY, GRID, {entry_any, entry_any}, {{0}, {0, RHS}}, CALL(trmm, 'L', 'U', 'N', 'N', M1, N1, ONE, A, B)},
  {ANY, GRID, {entry_any, entry_zero}, {{23, 17}, {23, 23}}, CALL(syrk, 'U', 'N', N1, N0, ONE, A, ZERO, B)},
  {ANY, GRID, {entry_any, entry_zero}, {{23, 17}, {23, 23}},
   CALLS(syrk, herk, 'L', 'N', N1, N0, ONE, A, ZERO, B), .what = "herk"},
  {ANY, GRID, {entry_any, entry_nans}, {{23, 17}, {17, 23}}, CALLS(tran, tranu, M1, N1, ONE, A, ZERO, B)},
  {ANY, GRID, {entry_any, entry_nans}, {{23, 17}, {17, 23}}, CALLS(tran, tranc, M1, N1, ONE, A, ZERO, B),
   .what = "tranc"},
  {ANY, GRID, {entry_any, entry_nans}, {{23, 17}, {23, 17}}, CALL(geadd, 'N', M1, N1, ONE, A, ZERO, B)},
  {ANY, GRID, {entry_any, entry_zero}, {{23, 17}, {23, 17}}, CALL(tradd, 'U', 'N', M1, N1, ONE, A, ZERO, B)},
  {ANY, GRID, {entry_any, entry_any, entry_any}, {{23, 17}, {23, RHS}, {17, RHS}},
   CALL(gemv, 'C', M0, N0, ONE, A, B, FIRST, ZERO, C, FIRST)},
  {BLOCKS, SAME, {entry_any, entry_zero}, {{23, 17}, {23, 17}}, CALL(lacpy, 'A', M0, N0, A, B)},
  {BLOCKS, SAME, {entry_any, entry_zero}, {{17, 23}, {17, 23}}, CALL(lacpy, 'U', M0, N0, A, B), .what = "U"},
  {ANY, GRID, {entry_any}, {{23, 17}}, CALL(laset, 'A', M0, N0, ZERO, ONE, A)},
  /* Type 'H' is wrong on several process rows however the matrix lies. */
  {SQUARE, GRID, {entry_any}, {{23, 17}}, CALL(lascl, 'L', ONE, TWO, M0, N0, A, INFO), .what = "L"},
  {SQUARE, GRID, {entry_any}, {{0}}, CALL(lascl, 'U', ONE, TWO, M0, N0, A, INFO), .what = "U"},
  {ANY, GRID, {entry_any}, {{23, 17}}, CALL(lange, RESULT, 'I', M0, N0, A, WORK)},
  {SQUARE, GRID, {entry_hermitian}, {{0}}, CALL(lansy, RESULT, '1', 'U', N0, A, WORK), .what = "1"},
  {SQUARE, GRID, {entry_hermitian}, {{0}}, CALLS(lansy, lanhe, RESULT, 'F', 'L', N0, A, WORK), .what = "F"},
  {SQUARE, GRID, {entry_any}, {{23, 17}}, CALL(lantr, RESULT, 'F', 'L', 'N', M0, N0, A, WORK)},
  {ANY, GRID, {entry_any}, {{23, 17}},
   CALL(lapiv, 'F', 'R', 'C', M0, N0, A, SWAPS, IA0, FIRST, DEALT, IWORK)},
  {ANY, GRID, {entry_any}, {{23, 17}}, CALL(laswp, 'F', 'R', N0, A, IA0, IA0, LAST)},

  /* Drivers for eigenvalues and singular values. Few of them check their needs. */
  {DRIVER(.any_sources = true), SAME, {entry_hermitian, entry_nans}, {{0}},
   CALLS(syev, heev, 'V', 'U', N0, A, VALUES, B, WORK, LWORK, RWORK, LRWORK, INFO),
   .residual = check_vectors},
  {DRIVER(.any_sources = true), SAME, {entry_hermitian, entry_nans}, {{0}},
   CALLS(syev, heev, 'N', 'U', N0, A, VALUES, B, WORK, LWORK, RWORK, LRWORK, INFO), .what = "values",
   .residual = trap_value_difference},
  {DRIVER(.several_blocks = true), SAME, {entry_hermitian, entry_nans}, {{0}},
   CALLS(syevd, heevd, 'V', 'L', N0, A, VALUES, B, WORK, LWORK, RWORK, LRWORK, IWORK, LWORK, INFO),
   .residual = check_vectors},
  {DRIVER(), SAME, {entry_hermitian, entry_nans}, {{0}},
   CALLS(syevr, heevr, 'V', 'A', 'U', N0, A, ZERO, ZERO, FIRST, N0, FOUND, VECTORS, VALUES, B, WORK, LWORK,
         RWORK, LRWORK, IWORK, LWORK, INFO),
   .residual = check_vectors},
  {DRIVER(), SAME, {entry_hermitian, entry_nans}, {{0}},
   CALLS(syevx, heevx, 'V', 'A', 'U', N0, A, ZERO, ZERO, FIRST, N0, ZERO, FOUND, VECTORS, VALUES, MINUS, B,
         WORK, LWORK, RWORK, LRWORK, IWORK, LWORK, IFAIL, CLUSTERS, GAPS, INFO),
   .residual = check_vectors},
  {DRIVER(.spans_grid = true), SAME, {entry_any, entry_nans, entry_nans}, {{0}},
   CALL(gesvd, 'V', 'V', M0, N0, A, VALUES, B, C, WORK, LWORK, RWORK, INFO), .residual = check_svd},
  {DRIVER(.spans_grid = true), SAME, {entry_any, entry_nans, entry_nans}, {{23, 17}, {23, 17}, {17, 17}},
   CALL(gesvd, 'V', 'V', M0, N0, A, VALUES, B, C, WORK, LWORK, RWORK, INFO), .what = "tall",
   .residual = check_svd},
  {DRIVER(.spans_grid = true), SAME, {entry_any, entry_nans, entry_nans}, {{17, 23}, {17, 17}, {17, 23}},
   CALL(gesvd, 'V', 'V', M0, N0, A, VALUES, B, C, WORK, LWORK, RWORK, INFO), .what = "wide",
   .residual = check_svd},
};
/* clang-format on */

const int trap_routine_count = sizeof trap_routines / sizeof trap_routines[0];
