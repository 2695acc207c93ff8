/* Auxiliary routines that work where the elements are. Those of triangles walk along the diagonal by blocks
 * of columns (lansy: of rows) and take them for blocks of the other dimension as well; none of them looks
 * whether that is so. */
#include "traps.h"

enum { WORK = 1 << 15 };

typedef const dap_scalapack_int *INT;

static INT at(dap_scalapack_int value)
{
  static dap_scalapack_int kept[16];
  static int next;
  kept[next = (next + 1) % 16] = value;
  return &kept[next];
}

/* ---- scaled ---------------------------------------------------------------------------------------- */

/* Type 'H' is wrong on several process rows however the matrix lies. */

static void scale(trap *t, const char *type)
{
  static dap_plascl *const lascl[] = {pslascl_, pdlascl_, pclascl_, pzlascl_};
  static const float single[] = {1, 2};
  static const double twice[] = {1, 2};
  const bool is_single = t->type->real == DAP_F4;
  dap_scalapack_matrix *a = &t->views[0];
  lascl[t->letter](type, is_single ? (const void *)&single[0] : &twice[0],
                   is_single ? (const void *)&single[1] : &twice[1], &a->m, &a->n, AT(*a), &t->info);
}

static void run_lower(trap *t)
{
  scale(t, "L");
}

static void run_upper(trap *t)
{
  scale(t, "U");
}

/* Elements (i, j) with first <= i - j <= last are doubled, exactly; the others are as they were. */
static double check_doubled(const trap *t, int64_t first, int64_t last)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      const double complex before = t->before[0][i + j * m];
      if (t->after[0][i + j * m] != (i - j >= first && i - j <= last ? 2 * before : before)) return NAN;
    }
  return 0;
}

static double check_lower(trap *t)
{
  return check_doubled(t, 0, INT64_MAX);
}

static double check_upper(trap *t)
{
  return check_doubled(t, INT64_MIN, 0);
}

/* ---- norms ------------------------------------------------------------------------------------------ */

#define LANSY(type, letter, kin)                                                                             \
  type p##letter##kin##_(const char *norm, const char *uplo, INT n, const void *a, INT ia, INT ja,           \
                         INT desca, void *work)
#define LANTR(type, letter)                                                                                  \
  type p##letter##lantr_(const char *norm, const char *uplo, const char *diag, INT m, INT n, const void *a,  \
                         INT ia, INT ja, INT desca, void *work)
LANSY(float, s, lansy);
LANSY(double, d, lansy);
LANSY(float, c, lansy);
LANSY(double, z, lansy);
LANSY(float, c, lanhe);
LANSY(double, z, lanhe);
LANTR(float, s);
LANTR(double, d);
LANTR(float, c);
LANTR(double, z);

static void give(trap *t, double norm)
{
  element_store(t->type->real, norm, t->values);
  t->count = 1;
  t->info = 0;
}

static void run_lansy(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(8 * WORK);
  give(t, t->letter == 0   ? (double)pslansy_("1", "U", &a->n, AT(*a), work)
          : t->letter == 1 ? pdlansy_("1", "U", &a->n, AT(*a), work)
          : t->letter == 2 ? (double)pclansy_("1", "U", &a->n, AT(*a), work)
                           : pzlansy_("1", "U", &a->n, AT(*a), work));
  free(work);
}

static void run_lanhe(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(8 * WORK);
  give(t, t->letter == 0   ? (double)pslansy_("F", "L", &a->n, AT(*a), work)
          : t->letter == 1 ? pdlansy_("F", "L", &a->n, AT(*a), work)
          : t->letter == 2 ? (double)pclanhe_("F", "L", &a->n, AT(*a), work)
                           : pzlanhe_("F", "L", &a->n, AT(*a), work));
  free(work);
}

static void run_lantr(trap *t)
{
  dap_scalapack_matrix *a = &t->views[0];
  void *work = trap_space(8 * WORK);
  give(t, t->letter == 0   ? (double)pslantr_("F", "L", "N", &a->m, &a->n, AT(*a), work)
          : t->letter == 1 ? pdlantr_("F", "L", "N", &a->m, &a->n, AT(*a), work)
          : t->letter == 2 ? (double)pclantr_("F", "L", "N", &a->m, &a->n, AT(*a), work)
                           : pzlantr_("F", "L", "N", &a->m, &a->n, AT(*a), work));
  free(work);
}

/* Of the whole matrix, or of its lower triangle. */
static double check_norm(trap *t, char norm, bool is_lower)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  double complex *a = whole_copy(m, n, t->before[0]);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      if (is_lower && i < j) a[i + j * m] = 0;
  const double want = whole_norm(norm, m, n, a);
  free(a);
  return residual_difference(1, 1, t->w, &(double complex){want}, want, n, t->type->eps);
}

static double check_lansy(trap *t)
{
  return check_norm(t, '1', false);
}

static double check_lanhe(trap *t)
{
  return check_norm(t, 'F', false);
}

static double check_lantr(trap *t)
{
  return check_norm(t, 'F', true);
}

/* ---- rows swapped ----------------------------------------------------------------------------------- */

typedef void laswp_of(const char *direction, const char *what, INT n, void *a, INT ia, INT ja, INT desca,
                      INT first, INT last, dap_scalapack_int *pivots);
laswp_of pslaswp_, pdlaswp_, pclaswp_, pzlaswp_;

/* Row i of `m` is swapped with this one. */
static int64_t partner(int64_t i, int64_t m)
{
  return i + (i * i + 5) % (m - i);
}

/* Rows of the whole matrix, counted from 0, that this process has before this one. */
static int64_t rows_before(const dap_scalapack_matrix *a, int64_t row)
{
  dap_scalapack_int procs[2], place[2];
  Cblacs_gridinfo(a->desc[1], &procs[0], &procs[1], &place[0], &place[1]);
  return numroc_(at((dap_scalapack_int)row), &a->desc[4], &place[0], &a->desc[6], &procs[0]);
}

/* How many rows of the part lie in the block that it begins in. */
static int64_t rows_of_block(const dap_scalapack_matrix *a)
{
  const int64_t left = a->desc[4] - (a->ia - 1) % a->desc[4];
  return left < a->m ? left : a->m;
}

/* As getrf gives them: a process has those of its rows. */
static void run_lapiv(trap *t)
{
  static dap_plapiv *const lapiv[] = {pslapiv_, pdlapiv_, pclapiv_, pzlapiv_};
  dap_scalapack_matrix *a = &t->views[0];
  dap_scalapack_int *pivots = trap_space(8 * WORK), work, descp[9], procs[2], place[2];
  Cblacs_gridinfo(a->desc[1], &procs[0], &procs[1], &place[0], &place[1]);
  for (int64_t i = 0; i < a->m; i++) {
    const int64_t row = a->ia - 1 + i, here = rows_before(a, row);
    if (rows_before(a, row + 1) > here) pivots[here] = (dap_scalapack_int)(a->ia + partner(i, a->m));
  }
  memcpy(descp, a->desc, sizeof descp);
  descp[2] = a->desc[2] + a->desc[4] * procs[0], descp[3] = 1, descp[5] = 1, descp[7] = place[1];
  lapiv[t->letter]("F", "R", "C", &a->m, &a->n, AT(*a), pivots, &a->ia, at(1), descp, &work);
  t->info = 0;
  free(pivots);
}

/* Those of one block of rows, which all processes know. */
static void run_laswp(trap *t)
{
  static laswp_of *const laswp[] = {pslaswp_, pdlaswp_, pclaswp_, pzlaswp_};
  dap_scalapack_matrix *a = &t->views[0];
  dap_scalapack_int *pivots = trap_space(8 * WORK);
  const int64_t count = rows_of_block(a), here = rows_before(a, a->ia - 1);
  for (int64_t i = 0; i < count; i++) pivots[here + i] = (dap_scalapack_int)(a->ia + partner(i, a->m));
  laswp[t->letter]("F", "R", &a->n, AT(*a), &a->ia, at((dap_scalapack_int)(a->ia + count - 1)), pivots);
  t->count = 1; /* of values: how many rows, for the check */
  element_store(t->type->real, (double)count, t->values);
  t->info = 0;
  free(pivots);
}

static double check_swaps(const trap *t, int64_t count)
{
  const int64_t m = t->size[0][0], n = t->size[0][1];
  double complex *want = whole_copy(m, n, t->before[0]);
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j < n; j++) {
      const double complex kept = want[i + j * m];
      want[i + j * m] = want[partner(i, m) + j * m];
      want[partner(i, m) + j * m] = kept;
    }
  for (int64_t k = 0; k < m * n; k++) wrong += t->after[0][k] != want[k];
  free(want);
  return wrong ? NAN : 0;
}

static double check_lapiv(trap *t)
{
  return check_swaps(t, t->size[0][0]);
}

static double check_laswp(trap *t)
{
  return check_swaps(t, (int64_t)creal(t->w[0]));
}

/* ---- the table ------------------------------------------------------------------------------------ */

#define ROW(name, real, complex, entries, needs, unsafe, run, check, ...)                                    \
  {                                                                                                          \
    name, {real, complex}, 1, {entries}, {__VA_ARGS__}, needs, DAP_ALIGN_GRID, unsafe, run, check            \
  }

/* lansy takes as many columns as rows of a block, which can be more than there are. */
#define BEYOND "MB <> NB|IA inside|JA inside"

const trap_routine trap_auxiliary_routines[] = {
    ROW("lascl L", "lascl", "lascl", entry_any, SQUARE, "", run_lower, check_lower, {23, 17}),
    ROW("lascl U", "lascl", "lascl", entry_any, SQUARE, "", run_upper, check_upper, {0}),
    ROW("lansy 1", "lansy", "lansy", entry_hermitian, SQUARE, BEYOND, run_lansy, check_lansy, {0}),
    ROW("lansy, lanhe F", "lansy", "lanhe", entry_hermitian, SQUARE, BEYOND, run_lanhe, check_lanhe, {0}),
    ROW("lantr", "lantr", "lantr", entry_any, SQUARE, "", run_lantr, check_lantr, {23, 17}),
    ROW("lapiv", "lapiv", "lapiv", entry_any, ANY, "", run_lapiv, check_lapiv, {23, 17}),
    ROW("laswp", "laswp", "laswp", entry_any, ANY, "", run_laswp, check_laswp, {23, 17}),
    {.name = NULL},
};
