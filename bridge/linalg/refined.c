/* Solves as the expert solver: by the method of LAPACK's gesvx and gerfs, for all right-hand sides at
 * once. */
#include "system_impl.h"

#include <math.h>

enum { A, B, X };
enum { MOST_STEPS = 5 }; /* as gerfs */

/* With the views M of A and B, and X as columns, op(A) X = B is t(M) X = B with t of equation.c. F = R M C is
 * factored, with powers of 2 on the diagonals R and C. Residuals and bounds are those of M, because the
 * backward error does not depend on the scaling of rows and columns, and the forward error is then that of
 * X. */
typedef struct refined {
  dap_linalg_call *call;
  dap_equation e; /* t */
  const dap_scalapack_matrix *m;
  dap_scalapack_matrix f; /* P L U over R M C */
  dap_swaps swaps;        /* beside the columns */
  int *exponents[2];      /* [n] R(i, i) = 2^-exponents[0][i], C(i, i) = 2^-exponents[1][i]; NULL: 1 */
  /* n x nrhs, distributed alike; the last two are real */
  dap_scalapack_matrix x, b, r; /* solutions, right-hand sides, residuals and corrections */
  dap_scalapack_matrix size_x;  /* |X| */
  dap_scalapack_matrix bound;   /* |t(M)| |X| + |B| */
  dap_scalapack_matrix panel;   /* room for columns of |M| */
  double eps;                   /* unit roundoff of the type */
  double *forward, *backward;   /* the caller's results; may be NULL */
  dap_linalg_refinement refinement;
} refined;

/* Returns this process's part of columns of the real type. */
static dap_linalg_part real_part_of(const refined *p, const dap_scalapack_matrix *view)
{
  dap_linalg_part part = dap_linalg_part_of(p->call, view);
  part.item = dap_dtype_size(p->call->lib->real);
  part.components = 1;
  return part;
}

/* ---- equilibration ------------------------------------------------------------------------------------- */

/* The rules are those of LAPACK's geequ and laqge (3.11, SRC/dgeequ.f, SRC/dlaqge.f), with powers of 2, so
 * nothing is rounded. Rows are scaled if the largest elements of two rows differ by more than a factor of
 * 10, or if the largest of all is near to overflow or underflow. Then columns are scaled by the same rule. */

/* Finds the largest element of each row (axis 0) or column of M, scaled by the exponents known so far. */
static dap_status largest(const refined *p, int axis, double most[])
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, p->m);
  const int *other = p->exponents[1 - axis];
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);) {
    const int64_t i = dap_linalg_global(&part, axis, at[axis]);
    const double size = dap_linalg_size(&part, at[0], at[1]);
    const int exponent = other ? other[dap_linalg_global(&part, 1 - axis, at[1 - axis])] : 0;
    most[i] = fmax(most[i], exponent ? ldexp(size, -exponent) : size);
  }
  return dap_linalg_most(p->call, most, p->m->n);
}

/* Returns whether lines differ enough to be scaled. A line of zeros is left to the factorisation. */
static bool is_uneven(const refined *p, const double most[])
{
  const double low = p->call->lib->tiny / p->eps;
  double least = INFINITY, all = 0;
  for (int64_t i = 0; i < p->m->n; i++) {
    if (most[i] == 0) continue;
    least = fmin(least, most[i]);
    all = fmax(all, most[i]);
  }
  return all > 0 && (least < 0.1 * all || all < low || all > 1 / low);
}

static dap_status choose_exponents(refined *p, int axis)
{
  double *most;
  DAP_TRY(dap_linalg_work(p->call, p->m->n, DAP_F8, &most));
  DAP_TRY(largest(p, axis, most));
  if (!is_uneven(p, most)) return DAP_OK;
  DAP_TRY(dap_linalg_work(p->call, p->m->n, DAP_I4, &p->exponents[axis]));
  for (int64_t i = 0; i < p->m->n; i++) (void)frexp(most[i], &p->exponents[axis][i]);
  return DAP_OK;
}

/* Multiplies element (i, j) by 2^-(rows[i] + columns[j]). NULL stands for zeros. */
static void scale(const refined *p, const dap_scalapack_matrix *view, const int *rows, const int *columns)
{
  if (!rows && !columns) return;
  const dap_linalg_part part = dap_linalg_part_of(p->call, view);
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);) {
    const int by = (rows ? rows[dap_linalg_global(&part, 0, at[0])] : 0) +
                   (columns ? columns[dap_linalg_global(&part, 1, at[1])] : 0);
    double value[2];
    dap_linalg_value(&part, at[0], at[1], value);
    for (int c = 0; c < 2; c++) value[c] = ldexp(value[c], -by);
    dap_linalg_set(&part, at[0], at[1], value);
  }
}

static dap_status equilibrate(refined *p)
{
  const int rows = p->m->op == 'N' ? 0 : 1; /* rows of A come first, as in gesvx */
  DAP_TRY(choose_exponents(p, rows));
  DAP_TRY(choose_exponents(p, 1 - rows));
  DAP_TRY(dap_linalg_space_of(p->call, p->m, p->m->m, p->m->n, p->call->lib->dtype, &p->f));
  dap_linalg_copy_part(p->call, p->m, &p->f);
  scale(p, &p->f, p->exponents[0], p->exponents[1]);
  return DAP_OK;
}

/* S = inv(t(M)) S with t 'N', 'T' or 'C', for an S that is distributed like the columns: inv(M) is C inv(F)
 * R. Collective in ScaLAPACK only. */
static dap_status solve_scaled(const refined *p, char trans, const dap_scalapack_matrix *s)
{
  const int first = trans == 'N' ? 0 : 1;
  scale(p, s, p->exponents[first], NULL);
  DAP_TRY(dap_lu_substitute(p->call, &p->f, &p->swaps, trans, s));
  scale(p, s, p->exponents[1 - first], NULL);
  return DAP_OK;
}

/* ---- residuals and errors -------------------------------------------------------------------------- */

/* Source: Higham (2002), theorem 7.3 (the componentwise backward error of Oettli and Prager), and (7.31).
 * The forward error is at most || |inv(t(M))| (|r| + nz eps (|t(M)| |x| + |b|)) || / ||x|| in the largest
 * element. nz = n + 1 stands for the errors of the residual itself. This is estimated as the norm of
 * inv(t(M)) diag(w). LAPACK's gerfs has the same formulas, and its care with numbers near to underflow. */

/* Sets `to`, which is real, to the absolute values of `from`. */
static void sizes(const refined *p, const dap_scalapack_matrix *from, const dap_scalapack_matrix *to)
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, from), real = real_part_of(p, to);
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);)
    dap_linalg_set(&real, at[0], at[1], (const double[2]){dap_linalg_size(&part, at[0], at[1]), 0});
}

/* Returns columns j0, ... of |M|, at most as many as the panel has. Columns before j0 fill whole rounds of
 * the grid, so each process has as many of them. */
static dap_scalapack_matrix panel_from(const refined *p, int64_t j0)
{
  dap_scalapack_matrix panel = p->panel, part = *p->m;
  const dap_linalg_part whole = dap_linalg_part_of(p->call, p->m);
  const int64_t before = j0 / whole.procs[1], left = p->m->n - j0;
  if (panel.n > left) panel.n = panel.desc[DAP_N] = (dap_scalapack_int)left;
  part.n = part.desc[DAP_N] = panel.n;
  if (whole.extents[0] > 0 && whole.extents[1] > before)
    part.data = (char *)part.data + before * part.desc[DAP_LLD] * whole.item;
  sizes(p, &part, &panel);
  return panel;
}

/* bound += |t(M)| size_x, by panels, because |M| as a whole would take too much memory. */
static void add_products(const refined *p)
{
  const dap_linalg_routines *real = dap_linalg_routines_of(p->call->lib->real);
  const dap_scalapack_matrix *x = &p->size_x, *d = &p->bound;
  const dap_scalapack_int one = 1;
  const bool plain = p->e.trans == 'N';
  for (int64_t j0 = 0; j0 < p->m->n; j0 += p->panel.n) {
    const dap_scalapack_matrix a = panel_from(p, j0);
    const dap_scalapack_int j = (dap_scalapack_int)j0 + 1;
    real->gemm(plain ? "N" : "T", "N", plain ? &d->m : &a.n, &d->n, plain ? &a.n : &a.m, real->one, a.data,
               &one, &one, a.desc, x->data, plain ? &j : &one, &one, x->desc, real->one, d->data,
               plain ? &one : &j, &one, d->desc);
  }
}

/* Sets r = B - t(M) X, and `bound`. Collective in ScaLAPACK only. */
static void find_residual(const refined *p)
{
  const dap_linalg_routines *lib = p->call->lib;
  const dap_scalapack_matrix *m = p->m, *x = &p->x, *r = &p->r;
  dap_linalg_copy_part(p->call, &p->b, r);
  lib->gemm(&p->e.trans, "N", &r->m, &r->n, &m->n, lib->minus_one, DAP_MATRIX(m), DAP_MATRIX(x), lib->one,
            DAP_MATRIX(r));
  sizes(p, x, &p->size_x);
  sizes(p, &p->b, &p->bound);
  add_products(p);
}

/* Finds the largest ratio() of the elements of each column. If it is NULL, finds the largest of `bound`. */
static dap_status largest_of_columns(const refined *p, double ratio(const refined *p, double r, double bound),
                                     double values[])
{
  const dap_linalg_part r = dap_linalg_part_of(p->call, &p->r), bound = real_part_of(p, &p->bound);
  for (int64_t j = 0; j < p->x.n; j++) values[j] = 0;
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&r, at);) {
    double *most = &values[dap_linalg_global(&r, 1, at[1])];
    const double size = dap_linalg_size(&bound, at[0], at[1]);
    const double value = ratio ? ratio(p, dap_linalg_size(&r, at[0], at[1]), size) : size;
    if (!(value <= *most)) *most = isnan(value) ? INFINITY : value; /* MPI would pass over NaN */
  }
  return dap_linalg_most(p->call, values, p->x.n);
}

/* Returns a number that is hardly more than rounding errors of the smallest ones. */
static double safe(const refined *p)
{
  return (double)(p->m->n + 1) * p->call->lib->tiny;
}

/* Returns the backward error of one element. */
static double relative(const refined *p, double r, double bound)
{
  if (r == 0) return 0;
  return bound > safe(p) / p->eps ? r / bound : (r + safe(p)) / (bound + safe(p));
}

/* Bounds the part of t(M) x - b that is not known to be 0. */
static void weigh(const refined *p)
{
  const dap_linalg_part r = dap_linalg_part_of(p->call, &p->r), bound = real_part_of(p, &p->bound);
  const double factor = (double)(p->m->n + 1) * p->eps;
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&r, at);) {
    const double size = dap_linalg_size(&bound, at[0], at[1]), more = size > safe(p) / p->eps ? 0 : safe(p),
                 w = dap_linalg_size(&r, at[0], at[1]) + factor * size + more;
    dap_linalg_set(&bound, at[0], at[1], (const double[2]){w, 0});
  }
}

static void multiply_by_weights(const refined *p, const dap_scalapack_matrix *s)
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, s), weights = real_part_of(p, &p->bound);
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);) {
    double value[2];
    const double w = dap_linalg_size(&weights, at[0], at[1]);
    dap_linalg_value(&part, at[0], at[1], value);
    dap_linalg_set(&part, at[0], at[1], (const double[2]){w * value[0], w * value[1]});
  }
}

/* Multiplies by K = diag(w) inv(G)^H with G = t(M), whose norm '1' is the norm 'I' of |inv(G)| w. Elements
 * of M^T and M^H have the same sizes, so G is M or M^H. */
static dap_status apply(void *context, const dap_scalapack_matrix *x, bool adjoint)
{
  const refined *p = context;
  const bool is_plain = p->e.trans == 'N';
  if (adjoint) multiply_by_weights(p, x);
  DAP_TRY(solve_scaled(p, is_plain == adjoint ? 'N' : 'C', x));
  if (!adjoint) multiply_by_weights(p, x);
  return DAP_OK;
}

/* Finds the forward errors [nrhs], the same on every process. Overwrites r and `bound`. Collective. */
static dap_status find_forward(refined *p, double values[])
{
  double *largest_x;
  DAP_TRY(dap_linalg_work(p->call, p->x.n, DAP_F8, &largest_x));
  weigh(p);
  const dap_linalg_product product = {.x = p->r, .apply = apply, .context = p};
  DAP_TRY(dap_linalg_norms(p->call, &product, values));
  sizes(p, &p->x, &p->bound);
  DAP_TRY(largest_of_columns(p, NULL, largest_x));
  for (int64_t j = 0; j < p->x.n; j++)
    if (largest_x[j] != 0) values[j] /= largest_x[j];
  return DAP_OK;
}

/* ---- the solver ---------------------------------------------------------------------------------------- */

/* Reserves a panel of M: as many rounds of its grid as have about 256 columns. */
static dap_status make_panel(refined *p)
{
  enum { USUAL = 256 };
  dap_scalapack_matrix like = *p->m;
  const dap_linalg_part part = dap_linalg_part_of(p->call, p->m);
  const int64_t round = (int64_t)p->m->desc[DAP_NB] * part.procs[1];
  const int64_t width = round * (round < USUAL ? USUAL / round : 1);
  if (width < like.n) like.n = like.desc[DAP_N] = (dap_scalapack_int)width;
  return dap_linalg_space_of(p->call, &like, like.m, like.n, p->call->lib->real, &p->panel);
}

static dap_status make_columns(refined *p, const dap_scalapack_matrix *b)
{
  dap_scalapack_matrix *const of_type[] = {&p->x, &p->b, &p->r}, *const real[] = {&p->size_x, &p->bound};
  for (int k = 0; k < 3; k++)
    DAP_TRY(dap_linalg_columns_beside(p->call, p->m, dap_linalg_cols(p->call, B), of_type[k]));
  for (int k = 0; k < 2; k++)
    DAP_TRY(dap_linalg_space_of(p->call, &p->x, p->x.m, p->x.n, p->call->lib->real, real[k]));
  DAP_TRY(make_panel(p));
  if (p->x.n == 0) return DAP_OK;
  dap_linalg_copy_seen(p->call, b, &p->b);
  if (p->e.conjugate) dap_linalg_conjugate(p->call, &p->b);
  return DAP_OK;
}

/* Factors F, and finds the condition number. */
static dap_status factor(refined *p)
{
  dap_linalg_refinement *out = &p->refinement;
  dap_linalg_call *call = p->call;
  const char norm = dap_linalg_chosen(call, 0) == 'N' ? '1' : 'I';
  double norm_of_f, norm_of_inverse;
  dap_lu lu;
  dap_scalapack_int *pivots;
  DAP_TRY(dap_linalg_finite(call, p->m, 'A'));
  DAP_TRY(equilibrate(p));
  DAP_TRY(dap_linalg_norm_of(call, norm, &p->f, &norm_of_f));
  DAP_TRY(dap_lu_factor(call, &p->f, &lu));
  DAP_TRY(dap_lu_regular(call, &lu));
  DAP_TRY(dap_linalg_norm_of_inverse(call, &p->f, 0, dap_linalg_norm_seen(norm, p->m->op), &norm_of_inverse));
  out->rcond = dap_linalg_reciprocal(norm_of_f, norm_of_inverse);
  const int rows = p->m->op == 'N' ? 0 : 1; /* of A */
  out->scaled_rows = p->exponents[rows];
  out->scaled_columns = p->exponents[1 - rows];
  DAP_TRY(dap_lu_pivots(call, &lu, &pivots));
  return dap_lu_align(call, pivots, &p->x, &p->swaps);
}

/* Clears the columns of the correction that have converged, or no longer improve. */
static void clear_settled(const refined *p, const bool goes_on[])
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, &p->r);
  for (int64_t at[2] = {-1, 0}; dap_linalg_next(&part, at);)
    if (!goes_on[dap_linalg_global(&part, 1, at[1])])
      dap_linalg_set(&part, at[0], at[1], (const double[2]){0, 0});
}

/* Goes on with a column while each step at least halves its backward error. Sets errors [nrhs] to the
 * last. */
static dap_status refine(refined *p, double errors[])
{
  const dap_linalg_routines *lib = p->call->lib;
  const dap_scalapack_matrix *r = &p->r, *x = &p->x;
  double *now;
  bool *goes_on;
  const int64_t nrhs = p->x.n;
  DAP_TRY(dap_linalg_work(p->call, nrhs, DAP_F8, &now));
  DAP_TRY(dap_linalg_work(p->call, nrhs, DAP_BOOL, &goes_on));
  for (int64_t j = 0; j < nrhs; j++) errors[j] = 3, goes_on[j] = true;
  for (int steps = 0;; steps++) {
    bool any = false;
    p->refinement.steps = steps;
    find_residual(p);
    DAP_TRY(largest_of_columns(p, relative, now));
    for (int64_t j = 0; j < nrhs; j++) {
      goes_on[j] = goes_on[j] && steps < MOST_STEPS && now[j] > p->eps && 2 * now[j] <= errors[j];
      errors[j] = now[j];
      any = any || goes_on[j];
    }
    if (!any) return DAP_OK;
    clear_settled(p, goes_on);
    DAP_TRY(solve_scaled(p, p->e.trans, r));
    lib->geadd("N", &x->m, &x->n, lib->one, DAP_MATRIX(r), lib->one, DAP_MATRIX(x));
  }
}

static dap_status solve(dap_linalg_call *call)
{
  refined *p = call->arguments.context;
  dap_scalapack_matrix *m, *b, *x;
  double *errors;
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getrf"}, &m));
  DAP_TRY(dap_linalg_view_right_side(call, B, m, &b));
  DAP_TRY(dap_linalg_view_right_side(call, X, m, &x));
  p->call = call;
  p->eps = call->lib->eps / 2;
  p->m = m;
  p->e = dap_equation_of(dap_linalg_chosen(call, 0), m->op, 'N');
  DAP_TRY(make_columns(p, b));
  DAP_TRY(factor(p));
  DAP_TRY(dap_linalg_work(call, p->x.n, DAP_F8, &errors));
  if (p->x.n == 0) return DAP_OK;

  dap_linalg_copy_part(call, &p->b, &p->x);
  DAP_TRY(solve_scaled(p, p->e.trans, &p->x));
  DAP_TRY(refine(p, errors));
  for (int64_t j = 0; j < p->x.n && p->backward; j++) p->backward[j] = errors[j];
  if (p->forward) DAP_TRY(find_forward(p, p->forward));
  if (p->e.conjugate) dap_linalg_conjugate(call, &p->x);
  dap_linalg_copy_seen(call, &p->x, x);
  return DAP_OK;
}

dap_status dap_linalg_solve_refined(MPI_Comm comm, char trans, dap_darray a, dap_darray b, dap_darray x,
                                    double forward[], double backward[], dap_linalg_refinement *refinement,
                                    const dap_linalg_options *options, dap_error *err)
{
  refined p = {0};
  p.forward = forward;
  p.backward = backward;
  const dap_linalg_arguments arguments = {__func__,
                                          solve,
                                          &p,
                                          .operands = {{"A", a, DAP_LINALG_INPUT, "nn"},
                                                       {"B", b, DAP_LINALG_INPUT, "n[r]"},
                                                       {"X", x, DAP_LINALG_RESULT, "n[r]"}},
                                          .choices = {{"trans", trans, "NTC"}},
                                          .words = {{"forward: whether it is NULL", forward == NULL},
                                                    {"backward: whether it is NULL", backward == NULL}}};
  const dap_status status = dap_linalg_run(comm, &arguments, options, err);
  if (!status && refinement) *refinement = p.refinement;
  return status;
}
