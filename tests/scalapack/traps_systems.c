/* Linear systems, least squares, and what they are made of. Most of these check what they need and refuse the rest:
 * here it shows that nothing is kept from them that they take. */
#include "traps.h"

enum { WORK = 1 << 15 }; /* elements, for matrices of this size more than any of them wants */

static const dap_scalapack_int work_size = WORK;

static dap_scalapack_int *pivots_of(const trap *t)
{
  return trap_space((t->size[0][0] + t->size[0][1] + 1000) * 8);
}

/* Constants of every type: 1, 0. */
static const void *number(const trap *t, int value)
{
  static const float single[2][2] = {{0, 0}, {1, 0}};
  static const double twice[2][2] = {{0, 0}, {1, 0}};
  return t->type->real == DAP_F4 ? (const void *)single[value] : twice[value];
}

/* ---- factorisations and what is solved with them ------------------------------------------------- */

static dap_pgetrf *const getrf[] = {psgetrf_, pdgetrf_, pcgetrf_, pzgetrf_};
static dap_pgetrs *const getrs[] = {psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_};
static dap_pgetri *const getri[] = {psgetri_, pdgetri_, pcgetri_, pzgetri_};
static dap_pgecon *const gecon[] = {psgecon_, pdgecon_, pcgecon_, pzgecon_};
static dap_pgesv *const gesv[] = {psgesv_, pdgesv_, pcgesv_, pzgesv_};
static dap_pposv *const posv[] = {psposv_, pdposv_, pcposv_, pzposv_};

static void run_gesv(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  dap_scalapack_int *pivots = pivots_of(t);
  gesv[t->letter](&a->n, &b->n, AT(*a), pivots, AT(*b), &t->info);
  free(pivots);
}

static void run_getrs(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  dap_scalapack_int *pivots = pivots_of(t);
  getrf[t->letter](&a->m, &a->n, AT(*a), pivots, &t->info);
  if (t->info == 0) getrs[t->letter]("T", &a->n, &b->n, AT(*a), pivots, AT(*b), &t->info);
  free(pivots);
}

static void run_posv(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  posv[t->letter]("L", &a->n, &b->n, AT(*a), AT(*b), &t->info);
}

static void run_getri(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  dap_scalapack_int *pivots = pivots_of(t), *iwork = trap_space(8 * WORK);
  void *work = trap_space(16 * WORK);
  getrf[t->letter](&a->m, &a->n, AT(*a), pivots, &t->info);
  if (t->info == 0) getri[t->letter](&a->n, AT(*a), pivots, work, &work_size, iwork, &work_size, &t->info);
  free(pivots), free(iwork), free(work);
}

static void run_gecon(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  const int64_t n = t->size[0][0];
  dap_scalapack_int *pivots = pivots_of(t);
  void *work = trap_space(16 * WORK), *more = trap_space(8 * WORK);
  double norm = 0;
  element_store(t->type->real, whole_norm('1', n, n, t->before[0]), &norm);
  t->count = 1;
  getrf[t->letter](&a->m, &a->n, AT(*a), pivots, &t->info);
  if (t->info == 0)
    gecon[t->letter]("1", &a->n, AT(*a), &norm, t->values, work, &work_size, more, &work_size, &t->info);
  free(pivots), free(work), free(more);
}

static double check_solution(const trap *t, char trans)
{
  return residual_solve(trans, t->size[0][0], t->size[1][1], t->before[0], t->after[1], t->before[1],
                        t->type->eps);
}

static double check_solve(trap *t)
{
  return check_solution(t, 'N');
}

static double check_transposed(trap *t)
{
  return check_solution(t, 'T');
}

static double check_inverse(trap *t)
{
  return residual_inverse(t->size[0][0], t->before[0], t->after[0], t->type->eps);
}

/* An estimate never below the true value; and seldom above its tenfold, but for the real routine of ScaLAPACK 2.2, whose
 * pdlacon clears at every call what it has found so far. */
static double check_condition(trap *t)
{
  const double exact = serial_condition('1', t->size[0][0], t->before[0]), got = creal(t->w[0]);
  return got > 0.99 * exact && got < (t->type->is_complex ? 10 : 100) * exact ? 0 : NAN;
}

/* ---- orthogonal factorisations -------------------------------------------------------------------- */

static void run_gels(trap *t)
{
  static dap_pgels *const gels[] = {psgels_, pdgels_, pcgels_, pzgels_};
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  void *work = trap_space(16 * WORK);
  gels[t->letter]("N", &a->m, &a->n, &b->n, AT(*a), AT(*b), work, &work_size, &t->info);
  free(work);
}

/* The rows [0, rows) of a matrix (m, n). */
static double complex *top(int64_t rows, int64_t m, int64_t n, const double complex *a)
{
  double complex *part = trap_space(rows * n * 16);
  for (int64_t j = 0; j < n; j++) memcpy(&part[j * rows], &a[j * m], (size_t)rows * sizeof *part);
  return part;
}

/* The solution's error grows with the condition, which for these is below 100. */
static double check_least_squares(trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1], rows = t->size[1][0], nrhs = t->size[1][1];
  double complex *b = top(m, rows, nrhs, t->before[1]), *x = top(n, rows, nrhs, t->after[1]);
  double complex *want = serial_least_squares(m, n, nrhs, t->before[0], b);
  const double scale = 100 * whole_norm('1', n, nrhs, want);
  const double r = residual_difference(n, nrhs, x, want, scale, m > n ? m : n, t->type->eps);
  free(b), free(x), free(want);
  return r;
}

static void run_qr(trap *t)
{
  static dap_pgeqrf *const geqrf[] = {psgeqrf_, pdgeqrf_, pcgeqrf_, pzgeqrf_};
  static dap_porgqr *const orgqr[] = {psorgqr_, pdorgqr_, pcungqr_, pzungqr_};
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(16 * WORK), *tau = trap_space(16 * (t->size[0][1] + 1000));
  geqrf[t->letter](&a->m, &a->n, AT(*a), tau, work, &work_size, &t->info);
  if (t->info == 0) orgqr[t->letter](&a->m, &a->n, &a->n, AT(*a), tau, work, &work_size, &t->info);
  free(work), free(tau);
}

/* Q has orthonormal columns, and Q^H A is upper triangular. */
static double check_qr(trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  const double eps = t->type->eps, norm = whole_norm('1', m, n, t->before[0]);
  double complex *r = serial_multiply('C', 'N', n, n, m, t->after[0], t->before[0]);
  const double below = below_diagonal(n, n, r) / (norm * (double)m * eps);
  const double off = residual_orthogonal(m, n, t->after[0], eps);
  free(r);
  return isnan(below) || below > off ? below : off;
}

/* ---- PBLAS ---------------------------------------------------------------------------------------- */

static void run_gemm(trap *t)
{
  static dap_pgemm *const gemm[] = {psgemm_, pdgemm_, pcgemm_, pzgemm_};
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1], *c = &t->views[2];
  gemm[t->letter]("N", "N", &c->m, &c->n, &a->n, number(t, 1), AT(*a), AT(*b), number(t, 0), AT(*c));
  t->info = 0;
}

static double check_product(trap *t)
{
  return residual_product('N', 'N', t->size[2][0], t->size[2][1], t->size[0][1], t->before[0], t->before[1],
                          t->after[2], t->type->eps);
}

static void run_trsm(trap *t)
{
  static dap_ptrsm *const trsm[] = {pstrsm_, pdtrsm_, pctrsm_, pztrsm_};
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  trsm[t->letter]("L", "U", "N", "N", &b->m, &b->n, number(t, 1), AT(*a), AT(*b));
  t->info = 0;
}

static double check_triangle(trap *t)
{
  const int64_t n = t->size[0][0];
  double complex *upper = whole_copy(n, n, t->before[0]);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++) upper[i + j * n] = 0;
  const double r = residual_solve('N', n, t->size[1][1], upper, t->after[1], t->before[1], t->type->eps);
  free(upper);
  return r;
}

static void run_lange(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(8 * WORK);
  const double norms[] = {
      t->letter == 0 ? (double)pslange_("I", &a->m, &a->n, AT(*a), work) : 0,
      t->letter == 1 ? pdlange_("I", &a->m, &a->n, AT(*a), work) : 0,
      t->letter == 2 ? (double)pclange_("I", &a->m, &a->n, AT(*a), work) : 0,
      t->letter == 3 ? pzlange_("I", &a->m, &a->n, AT(*a), work) : 0,
  };
  element_store(t->type->real, norms[t->letter], t->values);
  t->count = 1;
  t->info = 0;
  free(work);
}

static double check_norm(trap *t)
{
  const double want = whole_norm('I', t->size[0][0], t->size[0][1], t->before[0]);
  return residual_difference(1, 1, t->w, &(double complex){want}, want, t->size[0][1], t->type->eps);
}

/* ---- the table ------------------------------------------------------------------------------------ */

#define SQUARE                                                                                               \
  {                                                                                                          \
    .square_blocks = true, .any_sources = true, .offset = DAP_OFFSET_BLOCK                                   \
  }
#define BLOCKS                                                                                               \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_BLOCK                                                          \
  }
#define ANY                                                                                                  \
  {                                                                                                          \
    .any_sources = true, .offset = DAP_OFFSET_ANY                                                            \
  }
#define BOTH(name)                                                                                           \
  {                                                                                                          \
    name, name                                                                                               \
  }

const trap_routine trap_system_routines[] = {
    {"gesv",
     BOTH("gesv"),
     2,
     {entry_any, entry_any},
     {{0}, {0, RHS}},
     SQUARE,
     DAP_ALIGN_ROWS,
     "",
     run_gesv,
     check_solve},
    {"getrf, getrs T",
     BOTH("getrs"),
     2,
     {entry_any, entry_any},
     {{0}, {0, RHS}},
     SQUARE,
     DAP_ALIGN_ROWS,
     "",
     run_getrs,
     check_transposed},
    {"posv",
     BOTH("posv"),
     2,
     {entry_definite, entry_any},
     {{0}, {0, RHS}},
     SQUARE,
     DAP_ALIGN_ROWS,
     "",
     run_posv,
     check_solve},
    {"getri", BOTH("getri"), 1, {entry_any}, {{0}}, SQUARE, DAP_ALIGN_GRID, "", run_getri, check_inverse},
    {"gecon", BOTH("gecon"), 1, {entry_any}, {{0}}, SQUARE, DAP_ALIGN_GRID, "", run_gecon, check_condition},
    {"gels, tall",
     BOTH("gels"),
     2,
     {entry_any, entry_any},
     {{23, 17}, {23, RHS}},
     BLOCKS,
     DAP_ALIGN_LONGER,
     "",
     run_gels,
     check_least_squares},
    {"gels, wide",
     BOTH("gels"),
     2,
     {entry_any, entry_any},
     {{17, 23}, {23, RHS}},
     BLOCKS,
     DAP_ALIGN_LONGER,
     "",
     run_gels,
     check_least_squares},
    {"geqrf, orgqr",
     {"geqrf", "geqrf"},
     1,
     {entry_any},
     {{23, 17}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_qr,
     check_qr},
    {"gemm",
     BOTH("gemm"),
     3,
     {entry_any, entry_any, entry_nans},
     {{23, 17}, {17, 19}, {23, 19}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_gemm,
     check_product},
    {"trsm",
     BOTH("trsm"),
     2,
     {entry_dominant, entry_any},
     {{0}, {0, RHS}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_trsm,
     check_triangle},
    {"lange", BOTH("lange"), 1, {entry_any}, {{23, 17}}, ANY, DAP_ALIGN_GRID, "", run_lange, check_norm},
    {.name = NULL},
};
