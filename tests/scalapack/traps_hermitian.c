/* Routines of symmetric and Hermitian matrices that no driver stands for, conjugate transposes, and products
 * with vectors. */
#include "traps.h"

enum { WORK = 1 << 15 }; /* elements, for matrices of this size more than any of them wants */

static const dap_scalapack_int work_size = WORK, one_step = 1;

/* Constants of every type: 1, 0. */
static const void *number(const trap *t, int value)
{
  static const float single[2][2] = {{0, 0}, {1, 0}};
  static const double twice[2][2] = {{0, 0}, {1, 0}};
  return t->type->real == DAP_F4 ? (const void *)single[value] : twice[value];
}

/* Of no use to the library, so that scalapack_calls.h does not have them. */
typedef const dap_scalapack_int *INT;

/* ---- a rank-k update --------------------------------------------------------------------------------- */

typedef void herk_of(const char *uplo, const char *trans, INT n, INT k, const void *alpha, const void *a,
                     INT ia, INT ja, INT desca, const void *beta, void *c, INT ic, INT jc, INT descc);
herk_of pssyrk_, pdsyrk_, pcherk_, pzherk_;

static void run_herk(trap *t)
{
  static herk_of *const herk[] = {pssyrk_, pdsyrk_, pcherk_, pzherk_};
  dap_scalapack_matrix *a = &t->views[0], *c = &t->views[1];
  herk[t->letter]("L", "N", &c->n, &a->n, number(t, 1), AT(*a), number(t, 0), AT(*c));
  t->info = 0;
}

/* The lower triangle of A A^H; the other one as it was. */
static double check_herk(trap *t)
{
  const int64_t n = t->size[0][0], k = t->size[0][1];
  double complex *want = serial_multiply('N', 'C', n, n, k, t->before[0], t->before[0]);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < j; i++) want[i + j * n] = t->before[1][i + j * n];
  const double r = residual_difference(n, n, t->after[1], want, whole_norm('1', n, n, want), k, t->type->eps);
  free(want);
  return r;
}

/* ---- with a Cholesky factor -------------------------------------------------------------------------- */

typedef void potri_of(const char *uplo, INT n, void *a, INT ia, INT ja, INT desca, dap_scalapack_int *info);
potri_of pspotri_, pdpotri_, pcpotri_, pzpotri_;
typedef void pocon_of(const char *uplo, INT n, const void *a, INT ia, INT ja, INT desca, const void *norm,
                      void *rcond, void *work, INT lwork, void *more, INT lmore, dap_scalapack_int *info);
pocon_of pspocon_, pdpocon_, pcpocon_, pzpocon_;

static void factor(trap *t)
{
  static dap_ppotrf *const potrf[] = {pspotrf_, pdpotrf_, pcpotrf_, pzpotrf_};
  dap_scalapack_matrix *a = &t->views[0];
  potrf[t->letter]("L", &a->n, AT(*a), &t->info);
}

static void run_potri(trap *t)
{
  static potri_of *const potri[] = {pspotri_, pdpotri_, pcpotri_, pzpotri_};
  dap_scalapack_matrix *a = &t->views[0];
  factor(t);
  if (t->info == 0) potri[t->letter]("L", &a->n, AT(*a), &t->info);
}

/* The inverse's lower triangle; the other one as it was. */
static double check_potri(trap *t)
{
  const int64_t n = t->size[0][0];
  double complex *x = whole_copy(n, n, t->after[0]);
  bool is_kept = true;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < j; i++) {
      is_kept = is_kept && x[i + j * n] == t->before[0][i + j * n];
      x[i + j * n] = conj(x[j + i * n]);
    }
  const double r = residual_inverse(n, t->before[0], x, t->type->eps);
  free(x);
  return is_kept ? r : NAN;
}

static void run_pocon(trap *t)
{
  static pocon_of *const pocon[] = {pspocon_, pdpocon_, pcpocon_, pzpocon_};
  dap_scalapack_matrix *a = &t->views[0];
  const int64_t n = t->size[0][0];
  void *work = trap_space(16 * WORK), *more = trap_space(8 * WORK);
  double norm = 0;
  element_store(t->type->real, whole_norm('1', n, n, t->before[0]), &norm);
  t->count = 1;
  factor(t);
  if (t->info == 0)
    pocon[t->letter]("L", &a->n, AT(*a), &norm, t->values, work, &work_size, more, &work_size, &t->info);
  free(work), free(more);
}

/* As of gecon, traps_systems.c: never below the true value. */
static double check_pocon(trap *t)
{
  const double exact = serial_condition('1', t->size[0][0], t->before[0]), got = creal(t->w[0]);
  return got > 0.99 * exact && got < (t->type->is_complex ? 10 : 100) * exact ? 0 : NAN;
}

/* ---- reduced to three diagonals ---------------------------------------------------------------------- */

static void run_sytrd(trap *t)
{
  static dap_psytrd *const sytrd[] = {pssytrd_, pdsytrd_, pchetrd_, pzhetrd_};
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(16 * WORK), *tau = trap_space(16 * WORK);
  void *d = trap_space(8 * WORK), *e = trap_space(8 * WORK);
  sytrd[t->letter]("L", &a->n, AT(*a), d, e, tau, work, &work_size, &t->info);
  free(work), free(tau), free(d), free(e);
}

/* The diagonal and the one below it have A's eigenvalues. What is above is as it was. */
static double check_sytrd(trap *t)
{
  const int64_t n = t->size[0][0];
  double complex *three = trap_space(n * n * 16);
  bool is_kept = true;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      if (i == j || i == j + 1) three[i + j * n] = t->after[0][i + j * n];
      if (i < j) is_kept = is_kept && t->after[0][i + j * n] == t->before[0][i + j * n];
    }
  double complex *got = serial_eigenvalues('L', n, three), *want = serial_eigenvalues('L', n, t->before[0]);
  const double r = residual_difference(n, 1, got, want, whole_norm('1', n, n, t->before[0]), n, t->type->eps);
  free(three), free(got), free(want);
  return is_kept ? r : NAN;
}

/* ---- with a second matrix --------------------------------------------------------------------------- */

static void run_hegst(trap *t)
{
  static dap_ppotrf *const potrf[] = {pspotrf_, pdpotrf_, pcpotrf_, pzpotrf_};
  static dap_psygst *const hegst[] = {pssygst_, pdsygst_, pchegst_, pzhegst_};
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  double scale[2];
  potrf[t->letter]("L", &b->n, AT(*b), &t->info);
  if (t->info == 0) hegst[t->letter](&one_step, "L", &a->n, AT(*a), AT(*b), scale, &t->info);
}

/* L C L^H = A, with the lower triangles of C and L; what is above is as it was. */
static double check_hegst(trap *t)
{
  const int64_t n = t->size[0][0];
  double complex *c = whole_copy(n, n, t->after[0]), *l = whole_copy(n, n, t->after[1]);
  bool is_kept = true;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < j; i++) {
      is_kept = is_kept && c[i + j * n] == t->before[0][i + j * n];
      c[i + j * n] = conj(c[j + i * n]);
      l[i + j * n] = 0;
    }
  double complex *half = serial_multiply('N', 'N', n, n, n, l, c);
  double complex *whole = serial_multiply('N', 'C', n, n, n, half, l);
  const double scale = whole_norm('1', n, n, l) * whole_norm('1', n, n, c) * whole_norm('I', n, n, l);
  const double r = residual_difference(n, n, whole, t->before[0], scale, n, t->type->eps);
  free(whole), free(half), free(l), free(c);
  return is_kept ? r : NAN;
}

/* ---- conjugates, and vectors ------------------------------------------------------------------------- */

static void run_tranc(trap *t)
{
  static dap_ptran *const tranc[] = {pstran_, pdtran_, pctranc_, pztranc_};
  dap_scalapack_matrix *a = &t->views[0], *c = &t->views[1];
  tranc[t->letter](&c->m, &c->n, number(t, 1), AT(*a), number(t, 0), AT(*c));
  t->info = 0;
}

static double check_tranc(trap *t)
{
  double complex *want = whole_op('C', t->size[0][0], t->size[0][1], t->before[0]);
  double r = 0;
  for (int64_t i = 0; i < t->size[1][0] * t->size[1][1]; i++)
    if (t->after[1][i] != want[i]) r = NAN;
  free(want);
  return r;
}

typedef void gemv_of(const char *trans, INT m, INT n, const void *alpha, const void *a, INT ia, INT ja,
                     INT desca, const void *x, INT ix, INT jx, INT descx, INT incx, const void *beta, void *y,
                     INT iy, INT jy, INT descy, INT incy);
gemv_of psgemv_, pdgemv_, pcgemv_, pzgemv_;

/* The vectors are the first columns of matrices. */
static void run_gemv(trap *t)
{
  static gemv_of *const gemv[] = {psgemv_, pdgemv_, pcgemv_, pzgemv_};
  dap_scalapack_matrix *a = &t->views[0], *x = &t->views[1], *y = &t->views[2];
  gemv[t->letter]("C", &a->m, &a->n, number(t, 1), AT(*a), AT(*x), &one_step, number(t, 0), AT(*y),
                  &one_step);
  t->info = 0;
}

/* The other columns are as they were. */
static double check_gemv(trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  for (int64_t i = n; i < n * t->size[2][1]; i++)
    if (t->after[2][i] != t->before[2][i]) return NAN;
  return residual_product('C', 'N', n, 1, m, t->before[0], t->before[1], t->after[2], t->type->eps);
}

/* ---- the table --------------------------------------------------------------------------------------- */

/* Of one matrix. */
#define ONE(name, real, complex, entries, run, check)                                                        \
  {                                                                                                          \
    name, {real, complex}, 1, {entries}, {{0}}, SQUARE, DAP_ALIGN_GRID, "", run, check                       \
  }

const trap_routine trap_hermitian_routines[] = {
    ROUTINE("herk", "syrk", "herk", 2, OF(entry_any, entry_zero), OF({23, 17}, {23, 23}), ANY, GRID, "",
            run_herk, check_herk),
    ROUTINE("tranc", "tran", "tranc", 2, OF(entry_any, entry_nans), OF({23, 17}, {17, 23}), ANY, GRID, "",
            run_tranc, check_tranc),
    ROUTINE("gemv", "gemv", "gemv", 3, OF(entry_any, entry_any, entry_any),
            OF({23, 17}, {23, RHS}, {17, RHS}), ANY, GRID, "", run_gemv, check_gemv),
    ONE("potri", "potri", "potri", entry_definite, run_potri, check_potri),
    ONE("pocon", "pocon", "pocon", entry_definite, run_pocon, check_pocon),
    ONE("sytrd, hetrd", "sytrd", "hetrd", entry_hermitian, run_sytrd, check_sytrd),
    ROUTINE("hegst", "sygst", "hegst", 2, OF(entry_hermitian, entry_definite), OF({0}), WHOLE, SAME, "",
            run_hegst, check_hegst),
    {.name = NULL},
};
