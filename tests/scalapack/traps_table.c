/* The routines, what each needs, and how it is called. */
#include "traps.h"

/* ---- the routines ------------------------------------------------------------------------------------- */

/* Those that the table calls: the real and the complex one. */
/* clang-format off */
#define ROUTINES(ROW)                                                                              \
  ROW(gemm, gemm) ROW(trsm, trsm) ROW(symm, hemm) ROW(syrk, syrk) ROW(trmm, trmm) ROW(tran, tranu) \
  ROW(geadd, geadd) ROW(tradd, tradd) ROW(gemv, gemv) ROW(lacpy, lacpy) ROW(laset, laset)          \
  ROW(lascl, lascl) ROW(lange, lange) ROW(lansy, lansy) ROW(lantr, lantr) ROW(lapiv, lapiv)        \
  ROW(laswp, laswp) ROW(gesv, gesv) ROW(getrf, getrf) ROW(getrs, getrs) ROW(getri, getri)          \
  ROW(gecon, gecon) ROW(posv, posv) ROW(potrf, potrf) ROW(potri, potri) ROW(pocon, pocon)          \
  ROW(gels, gels) ROW(geqrf, geqrf) ROW(gelqf, gelqf) ROW(orgqr, ungqr) ROW(orglq, unglq)          \
  ROW(gehrd, gehrd) ROW(sytrd, hetrd) ROW(sygst, hegst) ROW(syev, heev) ROW(syevd, heevd)          \
  ROW(syevr, heevr) ROW(syevx, heevx) ROW(gesvd, gesvd)

/* The same where the complex routine is another one than above, whose name the table has. */
#define HERMITIAN(ROW) ROW(syrk, herk) ROW(tran, tranc) ROW(lansy, lanhe)
/* clang-format on */

/* They are called through pointers alone, so that their arguments do not matter here. */
#define DECLARE(real, complex) trap_function ps##real##_, pd##real##_, pc##complex##_, pz##complex##_;
ROUTINES(DECLARE)
HERMITIAN(DECLARE)

#define ROW(real, complex) {{#real, #complex}, {ps##real##_, pd##real##_, pc##complex##_, pz##complex##_}},

const trap_names *trap_names_of(const char *text)
{
  static const trap_names names[] = {ROUTINES(ROW) HERMITIAN(ROW)};
  const size_t length = strcspn(text, " ,;"), count = sizeof names / sizeof names[0];
  for (size_t i = 0; i < 2 * count; i++) {
    const char *stem = names[i % count].stem[i / count];
    if (strlen(stem) == length && !memcmp(stem, text, length)) return &names[i % count];
  }
  return NULL;
}

/* ---- residuals of results that are not unique --------------------------------------------------------- */

static double check_vectors(const trap *t)
{
  const int64_t n = t->count;
  const double eps = t->type->eps, norm = whole_norm('1', n, n, t->before[0]);
  return worse(worse(trap_value_difference(t), residual_orthogonal(n, n, t->after[1], eps)),
               residual_eigen(n, n, t->before[0], t->w, t->after[1], norm, eps));
}

static double check_svd(const trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1], k = t->count;
  const double eps = t->type->eps;
  double complex *v = whole_op('C', k, n, t->after[2]);
  double r = trap_value_difference(t);
  r = worse(r, residual_svd(m, n, t->before[0], t->after[1], t->w, t->after[2], eps));
  r = worse(r, worse(residual_orthogonal(m, k, t->after[1], eps), residual_orthogonal(n, k, v, eps)));
  free(v);
  return r;
}

/* An estimate never below the true value; and seldom above its tenfold, but for the real routine of ScaLAPACK
 * 2.2, whose pdlacon clears at every call what it has found so far. */
static double check_condition(const trap *t)
{
  const double exact = serial_condition('1', t->size[0][0], t->before[0]), got = creal(t->w[0]);
  return got > 0.99 * exact && got < (t->type->is_complex ? 10 : 100) * exact ? 0 : NAN;
}

/* ---- the table ---------------------------------------------------------------------------------------- */

/* What routines need. */
#define TAKES(where, ...)                                                                                    \
  {                                                                                                          \
    .offset = DAP_OFFSET_##where, __VA_ARGS__                                                                \
  }
#define ANY TAKES(ANY, .any_sources = true)
#define BLOCKS TAKES(BLOCK, .any_sources = true)
#define SQUARE TAKES(BLOCK, .any_sources = true, .square_blocks = true)
#define WHOLE TAKES(NONE, .any_sources = true, .square_blocks = true)
#define GRID DAP_ALIGN_GRID
#define ROWS DAP_ALIGN_ROWS
#define SAME DAP_ALIGN_SAME
#define LONGER DAP_ALIGN_LONGER
#define DRIVER(...) TAKES(NONE, .square_blocks = true, __VA_ARGS__)

/* Pieces of the drivers' calls. */
#define RANGE "n0 A zero zero 1 n0"
#define SVD "gesvd 'V' 'V' m0 n0 A values B C work lwork ?rwork info"

/* clang-format off */
const trap_routine trap_routines[] = {
  /* Systems. */
  {"gesv", SQUARE, ROWS, {entry_any, entry_any}, {{0}, {0, RHS}}, "gesv n0 n1 A pivots B info", NULL},
  {"getrs T, after getrf", SQUARE, ROWS, {entry_any, entry_any}, {{0}, {0, RHS}},
   "getrf m0 n0 A pivots info; getrs 'T' n0 n1 A pivots B info", NULL},
  {"posv", SQUARE, ROWS, {entry_definite, entry_any}, {{0}, {0, RHS}}, "posv 'L' n0 n1 A B info", NULL},
  {"getri", SQUARE, GRID, {entry_any}, {{0}},
   "getrf m0 n0 A pivots info; getri n0 A pivots work lwork iwork lwork info", NULL},
  {"gecon", SQUARE, GRID, {entry_any}, {{0}},
   "getrf m0 n0 A pivots info; gecon '1' n0 A norm value work lwork more lwork info", check_condition},
  {"potri", SQUARE, GRID, {entry_definite}, {{0}}, "potrf 'L' n0 A info; potri 'L' n0 A info", NULL},
  {"pocon", SQUARE, GRID, {entry_definite}, {{0}},
   "potrf 'L' n0 A info; pocon 'L' n0 A norm value work lwork more lwork info", check_condition},

  /* Orthogonal factors. */
  {"gels, tall", BLOCKS, LONGER, {entry_any, entry_any}, {{23, 17}, {23, RHS}},
   "gels 'N' m0 n0 n1 A B work lwork info", NULL},
  {"gels, wide", BLOCKS, LONGER, {entry_any, entry_any}, {{17, 23}, {23, RHS}},
   "gels 'N' m0 n0 n1 A B work lwork info", NULL},
  {"geqrf, orgqr", ANY, GRID, {entry_any}, {{23, 17}},
   "geqrf m0 n0 A tau work lwork info; orgqr m0 n0 n0 A tau work lwork info", NULL},
  {"gelqf, orglq", ANY, GRID, {entry_any}, {{17, 23}},
   "gelqf m0 n0 A tau work lwork info; orglq m0 n0 m0 A tau work lwork info", NULL},
  {"gehrd", SQUARE, GRID, {entry_any}, {{0}}, "gehrd n0 1 n0 A tau work lwork info", NULL},
  {"sytrd, hetrd", SQUARE, GRID, {entry_hermitian}, {{0}}, "sytrd 'L' n0 A d e tau work lwork info", NULL},
  {"sygst, hegst", WHOLE, SAME, {entry_hermitian, entry_definite}, {{0}},
   "potrf 'L' n1 B info; sygst 1 'L' n0 A B scale info", NULL},

  /* PBLAS, copies, norms. */
  {"gemm", ANY, GRID, {entry_any, entry_any, entry_nans}, {{23, 17}, {17, 19}, {23, 19}},
   "gemm 'N' 'N' m2 n2 n0 one A B zero C", NULL},
  {"symm", ANY, GRID, {entry_hermitian, entry_any, entry_nans}, {{17, 17}, {17, 19}, {17, 19}},
   "symm 'L' 'U' m2 n2 one A B zero C", NULL},
  {"trsm", ANY, GRID, {entry_dominant, entry_any}, {{0}, {0, RHS}},
   "trsm 'L' 'U' 'N' 'N' m1 n1 one A B", NULL},
  {"trmm", ANY, GRID, {entry_any, entry_any}, {{0}, {0, RHS}}, "trmm 'L' 'U' 'N' 'N' m1 n1 one A B", NULL},
  {"syrk", ANY, GRID, {entry_any, entry_zero}, {{23, 17}, {23, 23}},
   "syrk 'U' 'N' n1 n0 one A zero B", NULL},
  {"herk", ANY, GRID, {entry_any, entry_zero}, {{23, 17}, {23, 23}},
   "herk 'L' 'N' n1 n0 one A zero B", NULL},
  {"tran", ANY, GRID, {entry_any, entry_nans}, {{23, 17}, {17, 23}}, "tran m1 n1 one A zero B", NULL},
  {"tranc", ANY, GRID, {entry_any, entry_nans}, {{23, 17}, {17, 23}}, "tranc m1 n1 one A zero B", NULL},
  {"geadd", ANY, GRID, {entry_any, entry_nans}, {{23, 17}, {23, 17}}, "geadd 'N' m1 n1 one A zero B", NULL},
  {"tradd", ANY, GRID, {entry_any, entry_zero}, {{23, 17}, {23, 17}},
   "tradd 'U' 'N' m1 n1 one A zero B", NULL},
  {"gemv", ANY, GRID, {entry_any, entry_any, entry_any}, {{23, 17}, {23, RHS}, {17, RHS}},
   "gemv 'C' m0 n0 one A B 1 zero C 1", NULL},
  {"lacpy", BLOCKS, SAME, {entry_any, entry_zero}, {{23, 17}, {23, 17}}, "lacpy 'A' m0 n0 A B", NULL},
  {"lacpy U", BLOCKS, SAME, {entry_any, entry_zero}, {{17, 23}, {17, 23}}, "lacpy 'U' m0 n0 A B", NULL},
  {"laset", ANY, GRID, {entry_any}, {{23, 17}}, "laset 'A' m0 n0 zero one A", NULL},
  /* Type 'H' is wrong on several process rows however the matrix lies. */
  {"lascl L", SQUARE, GRID, {entry_any}, {{23, 17}}, "lascl 'L' one two m0 n0 A info", NULL},
  {"lascl U", SQUARE, GRID, {entry_any}, {{0}}, "lascl 'U' one two m0 n0 A info", NULL},
  {"lange", ANY, GRID, {entry_any}, {{23, 17}}, "=lange 'I' m0 n0 A work", NULL},
  {"lansy 1", SQUARE, GRID, {entry_hermitian}, {{0}}, "=lansy '1' 'U' n0 A work", NULL},
  {"lanhe F", SQUARE, GRID, {entry_hermitian}, {{0}}, "=lanhe 'F' 'L' n0 A work", NULL},
  {"lantr", SQUARE, GRID, {entry_any}, {{23, 17}}, "=lantr 'F' 'L' 'N' m0 n0 A work", NULL},
  {"lapiv", ANY, GRID, {entry_any}, {{23, 17}}, "lapiv 'F' 'R' 'C' m0 n0 A swaps ia0 1 dealt iwork", NULL},
  {"laswp", ANY, GRID, {entry_any}, {{23, 17}}, "laswp 'F' 'R' n0 A ia0 ia0 last", NULL},

  /* The drivers for eigenvalues and singular values: few of them check what they need. */
  {"syev", DRIVER(.any_sources = true), SAME, {entry_hermitian, entry_nans}, {{0}},
   "syev 'V' 'U' n0 A values B work lwork ?rwork ?lwork info", check_vectors},
  {"syev, values", DRIVER(.any_sources = true), SAME, {entry_hermitian, entry_nans}, {{0}},
   "syev 'N' 'U' n0 A values B work lwork ?rwork ?lwork info", trap_value_difference},
  {"syevd", DRIVER(.several_blocks = true), SAME, {entry_hermitian, entry_nans}, {{0}},
   "syevd 'V' 'L' n0 A values B work lwork ?rwork ?lwork iwork lwork info", check_vectors},
  {"syevr", DRIVER(), SAME, {entry_hermitian, entry_nans}, {{0}},
   "syevr 'V' 'A' 'U' " RANGE " found vectors values B work lwork ?rwork ?lwork iwork lwork info",
   check_vectors},
  {"syevx", DRIVER(), SAME, {entry_hermitian, entry_nans}, {{0}},
   "syevx 'V' 'A' 'U' " RANGE " zero found vectors values minus B work lwork ?rwork ?lwork iwork lwork "
   "ifail clusters gaps info", check_vectors},
  {"gesvd", DRIVER(.spans_grid = true), SAME, {entry_any, entry_nans, entry_nans}, {{0}}, SVD, check_svd},
  {"gesvd, tall", DRIVER(.spans_grid = true), SAME, {entry_any, entry_nans, entry_nans},
   {{23, 17}, {23, 17}, {17, 17}}, SVD, check_svd},
  {"gesvd, wide", DRIVER(.spans_grid = true), SAME, {entry_any, entry_nans, entry_nans},
   {{17, 23}, {17, 17}, {17, 23}}, SVD, check_svd},
};
/* clang-format on */

const int trap_routine_count = sizeof trap_routines / sizeof trap_routines[0];
