/* Estimates 1-norms from products with vectors. The method is that of N. J. Higham, "FORTRAN codes for
 * estimating the one-norm of a real or complex matrix", ACM Trans. Math. Softw. 14 (1988), algorithms 4.1 and
 * 5.1. The real versions of ScaLAPACK's gecon and gerfs are too small by a factor of 10 for harmless
 * matrices, because pdlacon.f of 2.2 clears the estimate at every call. */
#include "system_impl.h"

#include <math.h>

enum { MOST_STEPS = 5 };

/* The estimate is the largest ||K x|| that a walk over unit vectors finds, or that of one more vector, which
 * finds what the walk is blind to. Several matrices are walked over at once, each by a column of x. The
 * column of a walk that has ended goes through the products of the others, and its results are not used. */
typedef struct walk {
  dap_linalg_call *call;
  const dap_linalg_product *k;
  dap_linalg_part part; /* of x */
  int64_t count;        /* columns */
  double *norms;        /* [count] ||K x|| of this step */
  double *indices;      /* [count] the 0-based row of the largest element in this step */
  double *last;         /* [count] the same in the step before; -1: there was none */
  double *best;         /* [count] the largest norms so far; the caller's */
  bool *goes_on;        /* [count] */
} walk;

static dap_status start(walk *w, dap_linalg_call *call, const dap_linalg_product *product, double values[])
{
  const int64_t count = product->x.n;
  *w = (walk){.call = call, .k = product, .count = count, .best = values};
  DAP_TRY(dap_linalg_work(call, 3 * count, DAP_F8, &w->norms));
  DAP_TRY(dap_linalg_work(call, count, DAP_BOOL, &w->goes_on));
  w->indices = w->norms + count;
  w->last = w->indices + count;
  w->part = dap_linalg_part_of(call, &product->x);
  for (int64_t j = 0; j < count; j++) {
    values[j] = 0;
    w->last[j] = -1;
    w->goes_on[j] = true;
  }
  return DAP_OK;
}

/* ---- vectors ------------------------------------------------------------------------------------------ */

/* The elements of an alternating vector grow, so cancellation is not likely to hide its product. */
typedef enum vector { EVEN, UNIT, ALTERNATING } vector;

static double element(const walk *w, vector kind, int64_t i, int64_t j)
{
  const int64_t n = w->k->x.m;
  if (kind == EVEN) return 1 / (double)n;
  if (kind == UNIT) return (double)i == w->indices[j] ? 1 : 0;
  const double size = 1 + (double)i / (double)(n > 1 ? n - 1 : 1);
  return i % 2 ? -size : size;
}

static void fill(const walk *w, vector kind)
{
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&w->part, at);) {
    const double x =
        element(w, kind, dap_linalg_global(&w->part, 0, at[0]), dap_linalg_global(&w->part, 1, at[1]));
    dap_linalg_set(&w->part, at[0], at[1], (const double[2]){x, 0});
  }
}

/* Divides each element by its absolute value. */
static void normalise(const walk *w)
{
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&w->part, at);) {
    double value[2];
    dap_linalg_value(&w->part, at[0], at[1], value);
    const double size = hypot(value[0], value[1]);
    const double sign[2] = {size > 0 ? value[0] / size : 1, size > 0 ? value[1] / size : 0};
    dap_linalg_set(&w->part, at[0], at[1], sign);
  }
}

/* Finds ||x|| of each column, the same on every process, because it decides on the next step. */
static dap_status sum(const walk *w)
{
  for (int64_t j = 0; j < w->count; j++) w->norms[j] = 0;
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&w->part, at);)
    w->norms[dap_linalg_global(&w->part, 1, at[1])] += dap_linalg_size(&w->part, at[0], at[1]);
  return dap_linalg_sums(w->call, w->norms, w->count);
}

/* Finds the row of the largest element of each column, the last one of equals. */
static dap_status largest(const walk *w)
{
  for (int64_t j = 0; j < w->count; j++) w->norms[j] = -1, w->indices[j] = 0;
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&w->part, at);) {
    double *most = &w->norms[dap_linalg_global(&w->part, 1, at[1])];
    *most = fmax(*most, dap_linalg_size(&w->part, at[0], at[1])); /* passes over NaN */
  }
  DAP_TRY(dap_linalg_most(w->call, w->norms, w->count));
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&w->part, at);) {
    const int64_t j = dap_linalg_global(&w->part, 1, at[1]);
    if (dap_linalg_size(&w->part, at[0], at[1]) == w->norms[j])
      w->indices[j] = (double)dap_linalg_global(&w->part, 0, at[0]);
  }
  return dap_linalg_most(w->call, w->indices, w->count);
}

/* ---- the walk ----------------------------------------------------------------------------------------- */

/* Finds ||K x|| of vectors, times `scale`, for each walk that goes on. A norm that is not larger ends the
 * walk. */
static dap_status measure(const walk *w, vector kind, double scale)
{
  fill(w, kind);
  DAP_TRY(w->k->apply(w->k->context, &w->k->x, false));
  DAP_TRY(sum(w));
  for (int64_t j = 0; j < w->count; j++) {
    const double norm = w->norms[j] * scale;
    if (!w->goes_on[j]) continue;
    w->goes_on[j] = !(norm <= w->best[j]); /* true for NaN */
    if (w->goes_on[j]) w->best[j] = norm;
    w->goes_on[j] = w->goes_on[j] && isfinite(norm);
  }
  return DAP_OK;
}

/* Goes to the unit vectors that promise the largest norms. */
static dap_status step(const walk *w)
{
  normalise(w);
  DAP_TRY(w->k->apply(w->k->context, &w->k->x, true));
  DAP_TRY(largest(w));
  for (int64_t j = 0; j < w->count; j++) {
    if (w->indices[j] == w->last[j]) w->goes_on[j] = false;
    w->last[j] = w->indices[j];
  }
  return DAP_OK;
}

static bool any_goes_on(const walk *w)
{
  int64_t j = 0;
  while (j < w->count && !w->goes_on[j]) j++;
  return j < w->count;
}

dap_status dap_linalg_norms(dap_linalg_call *call, const dap_linalg_product *product, double values[])
{
  walk w;
  DAP_TRY(start(&w, call, product, values));
  if (product->x.m == 0 || w.count == 0) return DAP_OK;
  DAP_TRY(measure(&w, EVEN, 1));
  for (int n = 1; n < MOST_STEPS && any_goes_on(&w); n++) {
    DAP_TRY(step(&w));
    if (any_goes_on(&w)) DAP_TRY(measure(&w, UNIT, 1));
  }
  for (int64_t j = 0; j < w.count; j++) w.goes_on[j] = isfinite(values[j]);
  return measure(&w, ALTERNATING, 2 / (3 * (double)product->x.m));
}

/* ---- norms of inverses -------------------------------------------------------------------------------- */

typedef struct inverse {
  const dap_linalg_call *call;
  const dap_scalapack_matrix *m;
  char uplo;       /* triangle of the Cholesky factor in M; 0: M has LU factors */
  bool transposed; /* K is the inverse of M^H */
} inverse;

/* K is the inverse of L U (norm '1') or of its conjugate transpose (norm 'I'). Pivots permute the columns of
 * the former or the rows of the latter, which does not change the norm, so they are not needed. A Hermitian
 * matrix is its own adjoint. */
static dap_status apply_inverse(void *context, const dap_scalapack_matrix *x, bool adjoint)
{
  const inverse *k = context;
  if (k->uplo) {
    dap_cholesky_substitute(k->call, k->uplo, k->m, x);
  } else if (adjoint == k->transposed) {
    dap_linalg_triangular(k->call, 'L', 'N', 'U', k->m, x);
    dap_linalg_triangular(k->call, 'U', 'N', 'N', k->m, x);
  } else {
    dap_linalg_triangular(k->call, 'U', 'C', 'N', k->m, x);
    dap_linalg_triangular(k->call, 'L', 'C', 'U', k->m, x);
  }
  return DAP_OK;
}

dap_status dap_linalg_norm_of_inverse(dap_linalg_call *call, const dap_scalapack_matrix *m, char uplo,
                                      char norm, double *value)
{
  inverse k = {call, m, uplo, norm == 'I'};
  dap_linalg_product product = {.apply = apply_inverse, .context = &k};
  DAP_TRY(dap_linalg_columns_beside(call, m, 1, &product.x));
  return dap_linalg_norms(call, &product, value);
}
