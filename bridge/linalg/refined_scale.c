/* Equilibration by the rules of LAPACK's geequ and laqge, with powers of 2, so nothing is rounded.
 *
 * Source: LAPACK 3.11, SRC/dgeequ.f and SRC/dlaqge.f. Rows are scaled if the largest elements of two rows
 * differ by more than a factor of 10, or if the largest of all is near to overflow or underflow. Then
 * columns are scaled by the same rule. */
#include "refined_impl.h"

#include <math.h>

dap_linalg_part dap_refined_real_part(const dap_refined *p, const dap_scalapack_matrix *view)
{
  dap_linalg_part part = dap_linalg_part_of(p->call, view);
  part.item = dap_dtype_size(p->call->lib->real);
  part.components = 1;
  return part;
}

/* Finds the largest element of each row (axis 0) or column of M, scaled by the exponents known so far. */
static dap_status largest(const dap_refined *p, int axis, double most[])
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, p->m);
  const int *other = p->exponents[1 - axis];
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0; row < part.extents[0]; row++) {
      const int64_t at[2] = {dap_linalg_global(&part, 0, row), dap_linalg_global(&part, 1, col)};
      const double size = dap_linalg_size(&part, row, col);
      most[at[axis]] = fmax(most[at[axis]], other ? ldexp(size, -other[at[1 - axis]]) : size);
    }
  return dap_linalg_most(p->call, most, p->m->n);
}

/* Whether lines differ so much that they are scaled. A line of zeros is left to the factorisation. */
static bool is_uneven(const dap_refined *p, const double most[])
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

static dap_status choose(dap_refined *p, int axis)
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
static void scale(const dap_refined *p, const dap_scalapack_matrix *view, const int *rows, const int *columns)
{
  if (!rows && !columns) return;
  const dap_linalg_part part = dap_linalg_part_of(p->call, view);
  for (int64_t col = 0; col < part.extents[1]; col++) {
    const int by_column = columns ? columns[dap_linalg_global(&part, 1, col)] : 0;
    for (int64_t row = 0; row < part.extents[0]; row++) {
      const int by = by_column + (rows ? rows[dap_linalg_global(&part, 0, row)] : 0);
      double value[2];
      dap_linalg_value(&part, row, col, value);
      for (int c = 0; c < 2; c++) value[c] = ldexp(value[c], -by);
      dap_linalg_set(&part, row, col, value);
    }
  }
}

dap_status dap_refined_scale(dap_refined *p)
{
  const int rows = p->m->op == 'N' ? 0 : 1; /* rows of A come first, as in gesvx */
  DAP_TRY(choose(p, rows));
  DAP_TRY(choose(p, 1 - rows));
  DAP_TRY(dap_linalg_space_like(p->call, p->m, p->call->lib->dtype, &p->f));
  dap_linalg_copy_part(p->call, p->m, &p->f);
  scale(p, &p->f, p->exponents[0], p->exponents[1]);
  return DAP_OK;
}

/* inv(M) is C inv(F) R. */
dap_status dap_refined_solve(const dap_refined *p, char trans, const dap_scalapack_matrix *s)
{
  const int first = trans == 'N' ? 0 : 1;
  scale(p, s, p->exponents[first], NULL);
  DAP_TRY(dap_lu_substitute(p->call, &p->f, &p->swaps, trans, s));
  scale(p, s, p->exponents[1 - first], NULL);
  return DAP_OK;
}
