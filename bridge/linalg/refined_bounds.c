/* Residuals, and the errors that they show.
 *
 * Source: Higham (2002), theorem 7.3 (the componentwise backward error of Oettli and Prager), and (7.31).
 * The forward error is at most || |inv(t(M))| (|r| + nz eps (|t(M)| |x| + |b|)) || / ||x|| in the largest
 * element. nz = n + 1 stands for the errors of the residual itself. This is estimated as the norm of
 * inv(t(M)) diag(w). LAPACK's gerfs has the same formulas, and its care with numbers near to underflow. */
#include "refined_impl.h"

#include <math.h>

/* Sets `to`, which is real, to the absolute values of `from`. */
static void sizes(const dap_refined *p, const dap_scalapack_matrix *from, const dap_scalapack_matrix *to)
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, from), real = dap_refined_real_part(p, to);
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0; row < part.extents[0]; row++) {
      const double size = dap_linalg_size(&part, row, col);
      dap_linalg_set(&real, row, col, (const double[2]){size, 0});
    }
}

/* Returns columns j0, ... of |M|, at most as many as the panel has. Columns before j0 fill whole rounds of
 * the grid, so each process has as many of them. */
static dap_scalapack_matrix panel_from(const dap_refined *p, int64_t j0)
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
static void add_products(const dap_refined *p)
{
  const dap_linalg_routines *real = dap_linalg_routines_of(p->call->lib->real);
  const dap_scalapack_matrix *x = &p->size_x, *d = &p->bound;
  const dap_scalapack_int one = 1;
  for (int64_t j0 = 0; j0 < p->m->n; j0 += p->panel.n) {
    const dap_scalapack_matrix a = panel_from(p, j0);
    const dap_scalapack_int j = (dap_scalapack_int)j0 + 1;
    if (p->e.trans == 'N')
      real->gemm("N", "N", &d->m, &d->n, &a.n, real->one, a.data, &one, &one, a.desc, x->data, &j, &one,
                 x->desc, real->one, d->data, &one, &one, d->desc);
    else
      real->gemm("T", "N", &a.n, &d->n, &a.m, real->one, a.data, &one, &one, a.desc, x->data, &one, &one,
                 x->desc, real->one, d->data, &j, &one, d->desc);
  }
}

void dap_refined_residual(const dap_refined *p)
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

/* Finds the largest ratio of the elements of each column or, without `ratio`, the largest of `bound`. */
static dap_status largest(const dap_refined *p, double ratio(const dap_refined *p, double r, double bound),
                          double values[])
{
  const dap_linalg_part r = dap_linalg_part_of(p->call, &p->r), bound = dap_refined_real_part(p, &p->bound);
  for (int64_t j = 0; j < p->x.n; j++) values[j] = 0;
  for (int64_t col = 0; col < r.extents[1]; col++) {
    double *most = &values[dap_linalg_global(&r, 1, col)];
    for (int64_t row = 0; row < r.extents[0]; row++) {
      const double size = dap_linalg_size(&bound, row, col);
      const double value = ratio ? ratio(p, dap_linalg_size(&r, row, col), size) : size;
      if (!(value <= *most)) *most = isnan(value) ? INFINITY : value; /* MPI would pass over NaN */
    }
  }
  return dap_linalg_most(p->call, values, p->x.n);
}

/* Returns a number that is hardly more than rounding errors of the smallest ones. */
static double safe(const dap_refined *p)
{
  return (double)(p->m->n + 1) * p->call->lib->tiny;
}

static double relative(const dap_refined *p, double r, double bound)
{
  if (r == 0) return 0;
  return bound > safe(p) / p->eps ? r / bound : (r + safe(p)) / (bound + safe(p));
}

dap_status dap_refined_backward(const dap_refined *p, double values[])
{
  return largest(p, relative, values);
}

/* Bounds the part of t(M) x - b that is not known to be 0. */
static void weigh(const dap_refined *p)
{
  const dap_linalg_part r = dap_linalg_part_of(p->call, &p->r), bound = dap_refined_real_part(p, &p->bound);
  const double factor = (double)(p->m->n + 1) * p->eps;
  for (int64_t col = 0; col < r.extents[1]; col++)
    for (int64_t row = 0; row < r.extents[0]; row++) {
      const double size = dap_linalg_size(&bound, row, col), more = size > safe(p) / p->eps ? 0 : safe(p),
                   w = dap_linalg_size(&r, row, col) + factor * size + more;
      dap_linalg_set(&bound, row, col, (const double[2]){w, 0});
    }
}

static void multiply_by_weights(const dap_refined *p, const dap_scalapack_matrix *s)
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, s), weights = dap_refined_real_part(p, &p->bound);
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0; row < part.extents[0]; row++) {
      double value[2];
      const double w = dap_linalg_size(&weights, row, col);
      dap_linalg_value(&part, row, col, value);
      dap_linalg_set(&part, row, col, (const double[2]){w * value[0], w * value[1]});
    }
}

/* Multiplies by K = diag(w) inv(G)^H with G = t(M), whose norm '1' is the norm 'I' of |inv(G)| w. Elements
 * of M^T and M^H have the same sizes, so G is M or M^H. */
static dap_status apply(void *context, const dap_scalapack_matrix *x, bool adjoint)
{
  const dap_refined *p = context;
  const bool is_plain = p->e.trans == 'N';
  if (adjoint) multiply_by_weights(p, x);
  DAP_TRY(dap_refined_solve(p, is_plain == adjoint ? 'N' : 'C', x));
  if (!adjoint) multiply_by_weights(p, x);
  return DAP_OK;
}

dap_status dap_refined_forward(dap_refined *p, double values[])
{
  double *largest_x;
  DAP_TRY(dap_linalg_work(p->call, p->x.n, DAP_F8, &largest_x));
  weigh(p);
  const dap_linalg_product product = {.x = p->r, .apply = apply, .context = p};
  DAP_TRY(dap_linalg_norms(p->call, &product, values));
  sizes(p, &p->x, &p->bound);
  DAP_TRY(largest(p, NULL, largest_x));
  for (int64_t j = 0; j < p->x.n; j++)
    if (largest_x[j] != 0) values[j] /= largest_x[j];
  return DAP_OK;
}
