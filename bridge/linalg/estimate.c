/* The norm of an inverse, estimated.
 *
 * Source: N. J. Higham, "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM Trans.
 * Math. Softw. 14 (1988), algorithms 4.1 and 5.1: the largest ||K x|| that a walk over unit vectors finds,
 * and that of a vector which the walk is blind to. ScaLAPACK has it in gecon, whose real version forgets all
 * but the last (pdlacon.f of 2.2 clears the estimate at every call): too small by an order of magnitude for
 * harmless matrices.
 *
 * K is the inverse of L U (norm '1') or of its conjugate transpose (norm 'I'): permuting the columns of the
 * one, or the rows of the other, changes no sums of columns, so the pivots are not needed. */
#include "linalg_impl.h"

#include <math.h>

enum { MOST_STEPS = 5 };

/* A vector x beside the rows of M, on the first process column. */
typedef struct walk {
  dap_linalg_call *call;
  const dap_scalapack_matrix *m;
  dap_scalapack_matrix x;
  dap_linalg_part part; /* of x */
  int64_t count;        /* of x on this process */
  bool transposed;      /* K is the inverse of M^H */
} walk;

static dap_status start(walk *w, dap_linalg_call *call, const dap_linalg_lu *lu, char norm)
{
  enum { CTXT = 1, MB = 4 };
  const dap_scalapack_matrix *m = lu->matrix;
  int64_t extents[2];
  dap_linalg_local(m, extents);
  const dap_scalapack_int rows = (dap_scalapack_int)extents[0];
  *w = (walk){.call = call, .m = m, .transposed = norm == 'I'};
  w->x = (dap_scalapack_matrix){
      .desc = {1, m->desc[CTXT], m->m, 1, m->desc[MB], 1, 0, 0, rows > 0 ? rows : 1},
      .m = m->m,
      .n = 1,
      .ia = 1,
      .ja = 1,
      .op = 'N',
  };
  DAP_TRY(dap_linalg_work(call, extents[0], call->lib->dtype, &w->x.data));
  w->part = dap_linalg_part_of(call, &w->x);
  w->count = w->part.extents[1] > 0 ? w->part.extents[0] : 0;
  return DAP_OK;
}

/* x = K x, or K^H x. */
static void apply(const walk *w, bool adjoint)
{
  if (adjoint == w->transposed) {
    dap_linalg_triangular(w->call, 'L', 'N', 'U', w->m, &w->x);
    dap_linalg_triangular(w->call, 'U', 'N', 'N', w->m, &w->x);
  } else {
    dap_linalg_triangular(w->call, 'U', 'C', 'N', w->m, &w->x);
    dap_linalg_triangular(w->call, 'L', 'C', 'U', w->m, &w->x);
  }
}

typedef double element_of(int64_t i, int64_t n, int64_t chosen);

static double even(int64_t i, int64_t n, int64_t chosen)
{
  (void)i, (void)chosen;
  return 1 / (double)n;
}

static double unit(int64_t i, int64_t n, int64_t chosen)
{
  (void)n;
  return i == chosen ? 1 : 0;
}

/* What no cancellation is likely to hide. */
static double alternating(int64_t i, int64_t n, int64_t chosen)
{
  (void)chosen;
  const double size = 1 + (double)i / (double)(n > 1 ? n - 1 : 1);
  return i % 2 ? -size : size;
}

static void fill(const walk *w, element_of *element, int64_t chosen)
{
  for (int64_t k = 0; k < w->count; k++) {
    const int64_t i = dap_linalg_global(&w->part, 0, k);
    dap_linalg_set(&w->part, k, 0, (const double[2]){element(i, w->x.m, chosen), 0});
  }
}

/* Each element by its absolute value. */
static void normalise(const walk *w)
{
  for (int64_t k = 0; k < w->count; k++) {
    double value[2];
    dap_linalg_value(&w->part, k, 0, value);
    const double size = hypot(value[0], value[1]);
    const double sign[2] = {size > 0 ? value[0] / size : 1, size > 0 ? value[1] / size : 0};
    dap_linalg_set(&w->part, k, 0, sign);
  }
}

/* ||x||: the same on every process, as it decides on the next step. */
static dap_status sum(const walk *w, double *norm)
{
  double local = 0;
  for (int64_t k = 0; k < w->count; k++) {
    double value[2];
    dap_linalg_value(&w->part, k, 0, value);
    local += hypot(value[0], value[1]);
  }
  *norm = local;
  return dap_linalg_sum(w->call, norm);
}

/* Where the largest element of x is. */
static dap_status largest(const walk *w, int64_t *index)
{
  double size = -1;
  int64_t found = 0;
  for (int64_t k = 0; k < w->count; k++) {
    double value[2];
    dap_linalg_value(&w->part, k, 0, value);
    if (!(hypot(value[0], value[1]) > size)) continue; /* nor what is not a number */
    size = hypot(value[0], value[1]);
    found = dap_linalg_global(&w->part, 0, k);
  }
  struct {
    double size;
    int rank;
  } best = {size, w->call->rank};
  DAP_TRY(dap_linalg_mpi(w->call,
                         MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, w->call->comm),
                         "MPI_Allreduce"));
  DAP_TRY(dap_linalg_mpi(w->call, MPI_Bcast(&found, 1, MPI_INT64_T, best.rank, w->call->comm), "MPI_Bcast"));
  *index = found;
  return DAP_OK;
}

/* ||K x|| of a vector; true in *better if it is the largest so far. */
static dap_status measure(const walk *w, element_of *element, int64_t chosen, double scale, double *best,
                          bool *better)
{
  double norm;
  fill(w, element, chosen);
  apply(w, false);
  DAP_TRY(sum(w, &norm));
  *better = !(norm * scale <= *best); /* also what is not a number */
  if (*better) *best = norm * scale;
  return DAP_OK;
}

dap_status dap_linalg_estimate(dap_linalg_call *call, const dap_linalg_lu *lu, char norm, double *value)
{
  walk w;
  *value = 0;
  DAP_TRY(start(&w, call, lu, norm));
  if (w.x.m == 0) return DAP_OK;
  bool better;
  int64_t index = -1, last;
  DAP_TRY(measure(&w, even, 0, 1, value, &better));
  for (int step = 1; better && isfinite(*value) && step < MOST_STEPS; step++) {
    normalise(&w);
    apply(&w, true);
    last = index;
    DAP_TRY(largest(&w, &index));
    if (index == last) break;
    DAP_TRY(measure(&w, unit, index, 1, value, &better));
  }
  const double scale = 2 / (3 * (double)w.x.m);
  return isfinite(*value) ? measure(&w, alternating, 0, scale, value, &better) : DAP_OK;
}
