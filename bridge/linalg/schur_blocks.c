/* The blocks of 2 x 2 on the diagonal of a real Schur form T that hseqr has left, and the eigenvalues.
 *
 * hseqr promises blocks of LAPACK's standard form, with equal diagonal elements, and of complex eigenvalues
 * only, and does not always keep that; nor does it set the last eigenvalue where the last block of rows is
 * whole (SRC/pdhseqr.f: loops 30, 50 and 60). So both are done here, by LAPACK's lanv2 on every process. */
#include "schur_impl.h"

/* LAPACK's own (SRC/dlanv2.f): (a b; c d) becomes its standard form, by a rotation. */
void dlanv2_(double *a, double *b, double *c, double *d, double *re1, double *im1, double *re2, double *im2,
             double *cs, double *sn);

enum { M = 2, NB = 5 }; /* of a descriptor */

typedef struct rotation {
  double cs, sn;
} rotation;

typedef struct space {
  void *work;
  dap_scalapack_int lwork;
} space;

typedef struct band {
  double *on, *below, *above; /* [n], [n - 1], [n - 1] the diagonals of T, on every process */
} band;

static dap_status read_band(dap_linalg_call *call, const dap_scalapack_matrix *t, band *b)
{
  const int64_t n = t->n;
  void *numbers;
  DAP_TRY(dap_linalg_work(call, 3 * n, DAP_F8, &numbers));
  *b = (band){.on = numbers, .below = (double *)numbers + n, .above = (double *)numbers + 2 * n};
  DAP_TRY(dap_linalg_diagonal(call, t, 0, 0, n, b->on));
  DAP_TRY(dap_linalg_diagonal(call, t, 1, 0, n - 1, b->below));
  return dap_linalg_diagonal(call, t, 0, 1, n - 1, b->above);
}

/* Lines k and k + 1 of a matrix, rows or columns, in `count` elements from element `first` on. */
static dap_scalapack_int rotate(const dap_linalg_call *call, const dap_scalapack_matrix *m, bool rows,
                                int64_t k, int64_t first, int64_t count, const rotation *r, const space *s)
{
  const bool single = call->lib->real == DAP_F4;
  const float cs = (float)r->cs, sn = (float)r->sn;
  const dap_scalapack_int n = (dap_scalapack_int)count, from = (dap_scalapack_int)first + 1;
  const dap_scalapack_int line = (dap_scalapack_int)k + 1, next = line + 1, step = rows ? m->desc[M] : 1;
  dap_scalapack_int info = 0;
  if (count > 0)
    (single ? psrot_ : pdrot_)(&n, m->data, rows ? &line : &from, rows ? &from : &line, m->desc, &step,
                               m->data, rows ? &next : &from, rows ? &from : &next, m->desc, &step,
                               single ? (const void *)&cs : &r->cs, single ? (const void *)&sn : &r->sn,
                               s->work, &s->lwork, &info);
  return info;
}

/* The block at k, where this process has elements of it. */
static void store(const dap_linalg_call *call, const dap_scalapack_matrix *t, int64_t k, const band *b)
{
  const dap_linalg_part part = dap_linalg_part_of(call, t);
  const double block[2][2] = {{b->on[k], b->above[k]}, {b->below[k], b->on[k + 1]}};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const int64_t row = dap_linalg_place(&part, 0, k + i), col = dap_linalg_place(&part, 1, k + j);
      if (row >= 0 && col >= 0) dap_linalg_set(&part, row, col, (const double[2]){block[i][j], 0});
    }
}

/* The block at k has become its standard form in b: all of T and Z (NULL: not wanted) follow. */
static dap_scalapack_int transform(const dap_linalg_call *call, const dap_scalapack_matrix *t,
                                   const dap_scalapack_matrix *z, int64_t k, const band *b, const rotation *r,
                                   const space *s)
{
  const int64_t n = t->n;
  dap_scalapack_int info = rotate(call, t, true, k, k + 2, n - k - 2, r, s);
  if (!info) info = rotate(call, t, false, k, 0, k, r, s);
  if (!info && z) info = rotate(call, z, false, k, 0, n, r, s);
  store(call, t, k, b);
  return info;
}

static bool is_standard(const band *b, int64_t k)
{
  return b->on[k] == b->on[k + 1] && b->above[k] != 0 && (b->above[k] < 0) != (b->below[k] < 0);
}

dap_status dap_linalg_schur_blocks(dap_linalg_call *call, const dap_linalg_general *g,
                                   const dap_scalapack_matrix *t, const dap_scalapack_matrix *z,
                                   bool has_form)
{
  const int64_t n = g->n, lwork = 2 * (n + t->desc[NB]);
  space s = {.lwork = (dap_scalapack_int)lwork};
  dap_scalapack_int info = 0;
  band b;
  DAP_TRY(read_band(call, t, &b));
  DAP_TRY(dap_linalg_work(call, lwork, call->lib->dtype, &s.work));
  for (int64_t k = 0; k < n; k++) {
    double re[2] = {b.on[k]}, im[2] = {0};
    rotation r;
    const bool is_block = k + 1 < n && b.below[k] != 0, is_done = is_block && is_standard(&b, k);
    if (is_block)
      dlanv2_(&b.on[k], &b.above[k], &b.below[k], &b.on[k + 1], &re[0], &im[0], &re[1], &im[1], &r.cs, &r.sn);
    if (is_block && has_form && !is_done && !info) info = transform(call, t, z, k, &b, &r, &s);
    dap_linalg_general_put(call, g->w, k, re[0], im[0]);
    if (is_block) dap_linalg_general_put(call, g->w, ++k, re[1], im[1]);
  }
  return dap_linalg_info(call, "rot", &info);
}
