/* Linear systems, least squares, and what they are made of. Most of these check what they need and refuse the
 * rest: here it shows that nothing is kept from them that they take. */
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

/* An estimate never below the true value; and seldom above its tenfold, but for the real routine of ScaLAPACK
 * 2.2, whose pdlacon clears at every call what it has found so far. */
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

/* Of no use to the library, so that scalapack_calls.h does not have them. */
#define INT const dap_scalapack_int *
typedef void symm_of(const char *side, const char *uplo, INT m, INT n, const void *alpha, const void *a,
                     INT ia, INT ja, INT desca, const void *b, INT ib, INT jb, INT descb, const void *beta,
                     void *c, INT ic, INT jc, INT descc);
symm_of pssymm_, pdsymm_, pchemm_, pzhemm_;
typedef void syrk_of(const char *uplo, const char *trans, INT n, INT k, const void *alpha, const void *a,
                     INT ia, INT ja, INT desca, const void *beta, void *c, INT ic, INT jc, INT descc);
syrk_of pssyrk_, pdsyrk_, pcsyrk_, pzsyrk_;
typedef void trmm_of(const char *side, const char *uplo, const char *trans, const char *diag, INT m, INT n,
                     const void *alpha, const void *a, INT ia, INT ja, INT desca, void *b, INT ib, INT jb,
                     INT descb);
trmm_of pstrmm_, pdtrmm_, pctrmm_, pztrmm_;
typedef void gehrd_of(INT n, INT ilo, INT ihi, void *a, INT ia, INT ja, INT desca, void *tau, void *work,
                      INT lwork, dap_scalapack_int *info);
gehrd_of psgehrd_, pdgehrd_, pcgehrd_, pzgehrd_;

static void run_symm(trap *t)
{
  static symm_of *const symm[] = {pssymm_, pdsymm_, pchemm_, pzhemm_};
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1], *c = &t->views[2];
  symm[t->letter]("L", "U", &c->m, &c->n, number(t, 1), AT(*a), AT(*b), number(t, 0), AT(*c));
  t->info = 0;
}

static void run_syrk(trap *t)
{
  static syrk_of *const syrk[] = {pssyrk_, pdsyrk_, pcsyrk_, pzsyrk_};
  dap_scalapack_matrix *a = &t->views[0], *c = &t->views[1];
  syrk[t->letter]("U", "N", &c->n, &a->n, number(t, 1), AT(*a), number(t, 0), AT(*c));
  t->info = 0;
}

static double check_syrk(trap *t)
{
  const int64_t n = t->size[0][0], k = t->size[0][1];
  double complex *want = serial_multiply('N', 'T', n, n, k, t->before[0], t->before[0]);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++) want[i + j * n] = t->before[1][i + j * n];
  const double r = residual_difference(n, n, t->after[1], want, whole_norm('1', n, n, want), k, t->type->eps);
  free(want);
  return r;
}

static void run_trmm(trap *t)
{
  static trmm_of *const trmm[] = {pstrmm_, pdtrmm_, pctrmm_, pztrmm_};
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  trmm[t->letter]("L", "U", "N", "N", &b->m, &b->n, number(t, 1), AT(*a), AT(*b));
  t->info = 0;
}

static double complex *upper_of(const trap *t)
{
  const int64_t n = t->size[0][0];
  double complex *triangle = whole_copy(n, n, t->before[0]);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++) triangle[i + j * n] = 0;
  return triangle;
}

static double check_triangle(trap *t)
{
  double complex *triangle = upper_of(t);
  const double r =
      residual_solve('N', t->size[0][0], t->size[1][1], triangle, t->after[1], t->before[1], t->type->eps);
  free(triangle);
  return r;
}

static double check_trmm(trap *t)
{
  double complex *triangle = upper_of(t);
  const double r = residual_product('N', 'N', t->size[1][0], t->size[1][1], t->size[0][0], triangle,
                                    t->before[1], t->after[1], t->type->eps);
  free(triangle);
  return r;
}

static void run_lq(trap *t)
{
  static dap_pgelqf *const gelqf[] = {psgelqf_, pdgelqf_, pcgelqf_, pzgelqf_};
  static dap_porglq *const orglq[] = {psorglq_, pdorglq_, pcunglq_, pzunglq_};
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(16 * WORK), *tau = trap_space(16 * (t->size[0][0] + 1000));
  gelqf[t->letter](&a->m, &a->n, AT(*a), tau, work, &work_size, &t->info);
  if (t->info == 0) orglq[t->letter](&a->m, &a->n, &a->m, AT(*a), tau, work, &work_size, &t->info);
  free(work), free(tau);
}

/* Q has orthonormal rows, and A Q^H is lower triangular. */
static double check_lq(trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  const double eps = t->type->eps, norm = whole_norm('1', m, n, t->before[0]);
  double complex *r = serial_multiply('N', 'C', m, m, n, t->after[0], t->before[0]); /* (A Q^H)^H */
  double complex *q = whole_op('C', m, n, t->after[0]);
  const double below = below_diagonal(m, m, r) / (norm * (double)n * eps);
  const double off = residual_orthogonal(n, m, q, eps);
  free(r), free(q);
  return isnan(below) || below > off ? below : off;
}

static void run_gehrd(trap *t)
{
  static gehrd_of *const gehrd[] = {psgehrd_, pdgehrd_, pcgehrd_, pzgehrd_};
  dap_scalapack_matrix *a = &t->views[0];
  const dap_scalapack_int one = 1;
  void *work = trap_space(16 * WORK), *tau = trap_space(16 * (t->size[0][0] + 1000));
  gehrd[t->letter](&a->n, &one, &a->n, AT(*a), tau, work, &work_size, &t->info);
  free(work), free(tau);
}

/* The sums of the eigenvalues and of their squares, which no similarity changes, and the Frobenius norm,
 * which no unitary one does. */
static void invariants(int64_t n, const double complex *a, double complex sums[3])
{
  double complex *square = serial_multiply('N', 'N', n, n, n, a, a);
  sums[0] = sums[1] = sums[2] = 0;
  for (int64_t i = 0; i < n; i++) sums[0] += a[i + i * n], sums[1] += square[i + i * n];
  for (int64_t i = 0; i < n * n; i++) sums[2] += a[i] * conj(a[i]);
  free(square);
}

static double check_gehrd(trap *t)
{
  const int64_t n = t->size[0][0];
  double complex *h = whole_copy(n, n, t->after[0]), want[3], got[3];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 2; i < n; i++) h[i + j * n] = 0; /* the reflectors */
  invariants(n, t->before[0], want);
  invariants(n, h, got);
  free(h);
  return residual_difference(3, 1, got, want, creal(want[2]), n, t->type->eps);
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

static dap_ptran *const tran[] = {pstran_, pdtran_, pctranu_, pztranu_};
static dap_pgeadd *const geadd[] = {psgeadd_, pdgeadd_, pcgeadd_, pzgeadd_};
static dap_ptradd *const tradd[] = {pstradd_, pdtradd_, pctradd_, pztradd_};
static dap_placpy *const lacpy[] = {pslacpy_, pdlacpy_, pclacpy_, pzlacpy_};
static dap_plaset *const laset[] = {pslaset_, pdlaset_, pclaset_, pzlaset_};

/* Elements of `got` that are to be `want`, exactly, but for those that `counts` leaves out. */
typedef bool counted(int64_t i, int64_t j);

static bool all(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return true;
}

static bool upper(int64_t i, int64_t j)
{
  return i <= j;
}

static double check_copy(const trap *t, const double complex *want, const double complex *got,
                         counted *counts)
{
  const int64_t m = t->size[1][0], n = t->size[1][1];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      if (counts(i, j) && got[i + j * m] != want[i + j * m]) return NAN;
  return 0;
}

static void run_tran(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *c = &t->views[1];
  tran[t->letter](&c->m, &c->n, number(t, 1), AT(*a), number(t, 0), AT(*c));
  t->info = 0;
}

static double check_tran(trap *t)
{
  double complex *want = whole_op('T', t->size[0][0], t->size[0][1], t->before[0]);
  const double r = check_copy(t, want, t->after[1], all);
  free(want);
  return r;
}

static void run_geadd(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *c = &t->views[1];
  geadd[t->letter]("N", &c->m, &c->n, number(t, 1), AT(*a), number(t, 0), AT(*c));
  t->info = 0;
}

static void run_lacpy(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  lacpy[t->letter]("A", &a->m, &a->n, AT(*a), AT(*b));
  t->info = 0;
}

static double check_all(trap *t)
{
  return check_copy(t, t->before[0], t->after[1], all);
}

static void run_tradd(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *c = &t->views[1];
  tradd[t->letter]("U", "N", &c->m, &c->n, number(t, 1), AT(*a), number(t, 0), AT(*c));
  t->info = 0;
}

static void run_lacpy_upper(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0], *b = &t->views[1];
  lacpy[t->letter]("U", &a->m, &a->n, AT(*a), AT(*b));
  t->info = 0;
}

static double check_upper(trap *t)
{
  return check_copy(t, t->before[0], t->after[1], upper);
}

/* Zeros with ones on the diagonal. */
static void run_laset(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  laset[t->letter]("A", &a->m, &a->n, number(t, 0), number(t, 1), AT(*a));
  t->info = 0;
}

static double check_laset(trap *t)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      if (t->after[0][i + j * m] != (i == j ? 1 : 0)) return NAN;
  return 0;
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
    {"gelqf, orglq", BOTH("gelqf"), 1, {entry_any}, {{17, 23}}, ANY, DAP_ALIGN_GRID, "", run_lq, check_lq},
    {"gehrd", BOTH("gehrd"), 1, {entry_any}, {{0}}, SQUARE, DAP_ALIGN_GRID, "", run_gehrd, check_gehrd},
    {"symm",
     {"symm", "hemm"},
     3,
     {entry_hermitian, entry_any, entry_nans},
     {{17, 17}, {17, 19}, {17, 19}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_symm,
     check_product},
    {"syrk",
     BOTH("syrk"),
     2,
     {entry_any, entry_zero},
     {{23, 17}, {23, 23}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_syrk,
     check_syrk},
    {"trmm",
     BOTH("trmm"),
     2,
     {entry_any, entry_any},
     {{0}, {0, RHS}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_trmm,
     check_trmm},
    {"tran",
     {"tran", "tranu"},
     2,
     {entry_any, entry_nans},
     {{23, 17}, {17, 23}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_tran,
     check_tran},
    {"geadd",
     BOTH("geadd"),
     2,
     {entry_any, entry_nans},
     {{23, 17}, {23, 17}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_geadd,
     check_all},
    {"tradd",
     BOTH("tradd"),
     2,
     {entry_any, entry_zero},
     {{23, 17}, {23, 17}},
     ANY,
     DAP_ALIGN_GRID,
     "",
     run_tradd,
     check_upper},
    {"lacpy",
     BOTH("lacpy"),
     2,
     {entry_any, entry_zero},
     {{23, 17}, {23, 17}},
     BLOCKS,
     DAP_ALIGN_SAME,
     "B: 3 x 3|B: 4 x 3|B: RSRC|B: CSRC|B: IB",
     run_lacpy,
     check_all},
    {"lacpy U",
     BOTH("lacpy"),
     2,
     {entry_any, entry_zero},
     {{17, 23}, {17, 23}},
     BLOCKS,
     DAP_ALIGN_SAME,
     "B: 3 x 3|B: 4 x 3|B: RSRC|B: CSRC|B: IB",
     run_lacpy_upper,
     check_upper},
    {"laset", BOTH("laset"), 1, {entry_any}, {{23, 17}}, ANY, DAP_ALIGN_GRID, "", run_laset, check_laset},
    {"lange", BOTH("lange"), 1, {entry_any}, {{23, 17}}, ANY, DAP_ALIGN_GRID, "", run_lange, check_norm},
    {.name = NULL},
};
