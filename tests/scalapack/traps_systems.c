/* Linear systems, least squares, and what they are made of. Most of these check what they need and refuse the
 * rest: here it shows that nothing is kept from them that they take. */
#include "traps.h"

enum { WORK = 1 << 15 }; /* elements, for matrices of this size more than any of them wants */

static const dap_scalapack_int work_size = WORK;

static dap_scalapack_int *pivots_of(const trap *t)
{
  return trap_space((t->size[0][0] + t->size[0][1] + 1000) * 8);
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

/* Of no use to the library, so that scalapack_calls.h does not have it. */
typedef const dap_scalapack_int *INT;
typedef void gehrd_of(INT n, INT ilo, INT ihi, void *a, INT ia, INT ja, INT desca, void *tau, void *work,
                      INT lwork, dap_scalapack_int *info);
gehrd_of psgehrd_, pdgehrd_, pcgehrd_, pzgehrd_;

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

/* ---- the table ------------------------------------------------------------------------------------ */

const trap_routine trap_system_routines[] = {
    ROUTINE("gesv", "gesv", "gesv", 2, OF(entry_any, entry_any), OF({0}, {0, RHS}), SQUARE, ROWS, "",
            run_gesv, check_solve),
    ROUTINE("getrf, getrs T", "getrs", "getrs", 2, OF(entry_any, entry_any), OF({0}, {0, RHS}), SQUARE, ROWS,
            "", run_getrs, check_transposed),
    ROUTINE("posv", "posv", "posv", 2, OF(entry_definite, entry_any), OF({0}, {0, RHS}), SQUARE, ROWS, "",
            run_posv, check_solve),
    ROUTINE("getri", "getri", "getri", 1, OF(entry_any), OF({0}), SQUARE, GRID, "", run_getri, check_inverse),
    ROUTINE("gecon", "gecon", "gecon", 1, OF(entry_any), OF({0}), SQUARE, GRID, "", run_gecon,
            check_condition),
    ROUTINE("gels, tall", "gels", "gels", 2, OF(entry_any, entry_any), OF({23, 17}, {23, RHS}), BLOCKS,
            LONGER, "", run_gels, check_least_squares),
    ROUTINE("gels, wide", "gels", "gels", 2, OF(entry_any, entry_any), OF({17, 23}, {23, RHS}), BLOCKS,
            LONGER, "", run_gels, check_least_squares),
    ROUTINE("geqrf, orgqr", "geqrf", "geqrf", 1, OF(entry_any), OF({23, 17}), ANY, GRID, "", run_qr,
            check_qr),
    ROUTINE("gelqf, orglq", "gelqf", "gelqf", 1, OF(entry_any), OF({17, 23}), ANY, GRID, "", run_lq,
            check_lq),
    ROUTINE("gehrd", "gehrd", "gehrd", 1, OF(entry_any), OF({0}), SQUARE, GRID, "", run_gehrd, check_gehrd),
    ROUTINE("lange", "lange", "lange", 1, OF(entry_any), OF({23, 17}), ANY, GRID, "", run_lange, check_norm),
    {.name = NULL},
};
