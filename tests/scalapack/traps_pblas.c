/* PBLAS, and what copies and fills. lacpy works where the elements are, so that both matrices must lie
 * alike; the others take nearly all. */
#include "traps.h"

/* Constants of every type: 1, 0. */
static const void *number(const trap *t, int value)
{
  static const float single[2][2] = {{0, 0}, {1, 0}};
  static const double twice[2][2] = {{0, 0}, {1, 0}};
  return t->type->real == DAP_F4 ? (const void *)single[value] : twice[value];
}

/* ---- products and triangles ----------------------------------------------------------------------- */

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
typedef const dap_scalapack_int *INT;
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

/* ---- copies --------------------------------------------------------------------------------------- */

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

const trap_routine trap_pblas_routines[] = {
    ROUTINE("gemm", "gemm", "gemm", 3, OF(entry_any, entry_any, entry_nans), OF({23, 17}, {17, 19}, {23, 19}),
            ANY, GRID, "", run_gemm, check_product),
    ROUTINE("trsm", "trsm", "trsm", 2, OF(entry_dominant, entry_any), OF({0}, {0, RHS}), ANY, GRID, "",
            run_trsm, check_triangle),
    ROUTINE("symm", "symm", "hemm", 3, OF(entry_hermitian, entry_any, entry_nans),
            OF({17, 17}, {17, 19}, {17, 19}), ANY, GRID, "", run_symm, check_product),
    ROUTINE("syrk", "syrk", "syrk", 2, OF(entry_any, entry_zero), OF({23, 17}, {23, 23}), ANY, GRID, "",
            run_syrk, check_syrk),
    ROUTINE("trmm", "trmm", "trmm", 2, OF(entry_any, entry_any), OF({0}, {0, RHS}), ANY, GRID, "", run_trmm,
            check_trmm),
    ROUTINE("tran", "tran", "tranu", 2, OF(entry_any, entry_nans), OF({23, 17}, {17, 23}), ANY, GRID, "",
            run_tran, check_tran),
    ROUTINE("geadd", "geadd", "geadd", 2, OF(entry_any, entry_nans), OF({23, 17}, {23, 17}), ANY, GRID, "",
            run_geadd, check_all),
    ROUTINE("tradd", "tradd", "tradd", 2, OF(entry_any, entry_zero), OF({23, 17}, {23, 17}), ANY, GRID, "",
            run_tradd, check_upper),
    ROUTINE("lacpy", "lacpy", "lacpy", 2, OF(entry_any, entry_zero), OF({23, 17}, {23, 17}), BLOCKS, SAME,
            "B: 3 x 3|B: 4 x 3|B: RSRC|B: CSRC|B: IB", run_lacpy, check_all),
    ROUTINE("lacpy U", "lacpy", "lacpy", 2, OF(entry_any, entry_zero), OF({17, 23}, {17, 23}), BLOCKS, SAME,
            "B: 3 x 3|B: 4 x 3|B: RSRC|B: CSRC|B: IB", run_lacpy_upper, check_upper),
    ROUTINE("laset", "laset", "laset", 1, OF(entry_any), OF({23, 17}), ANY, GRID, "", run_laset, check_laset),
    {.name = NULL},
};
