/* Workspace of reductions, eigenvalues and singular values, in 64 bits. */
#include "room_impl.h"

/* ---- reductions -------------------------------------------------------------------------------------- */

int64_t dap_room_sytrd(const dap_room_matrix *a)
{
  const int64_t nb = a->block[1], rows = dap_room_local(a, 0, 0, a->size[0]);
  return dap_room_times(dap_room_larger(rows + 1, 3), nb);
}

int64_t dap_room_gebrd(const dap_room_matrix *a)
{
  const int64_t nb = a->block[0];
  const int64_t rows = dap_room_local(a, 0, 0, a->size[0]), cols = dap_room_local(a, 1, 0, a->size[1]);
  return dap_room_times(nb, rows + cols + 1) + cols;
}

/* ---- their reflectors -------------------------------------------------------------------------------- */

/* Reflectors that leave the first row or column of C as it is begin below or beside the diagonal of A. */
static dap_room_operands less_one(char side, bool below, const dap_room_matrix *a, const dap_room_matrix *c)
{
  const int along = side == 'L' ? 0 : 1;
  dap_room_operands p = {.a = a, .c = c, .size = {c->size[0], c->size[1]}};
  p.size[along]--;
  p.a_start[below ? 0 : 1] = 1;
  p.c_start[along] = 1;
  return p;
}

int64_t dap_room_ormtr(char side, char uplo, const dap_room_matrix *a, const dap_room_matrix *c)
{
  dap_room_operands p = less_one(side, uplo == 'L', a, c);
  if (uplo != 'L') p.c_start[0] = p.c_start[1] = 0; /* the last one stays */
  return dap_room_product(false, side, &p);
}

int64_t dap_room_ormbr(char vect, char side, int64_t k, const dap_room_matrix *a, const dap_room_matrix *c)
{
  const int64_t order = c->size[side == 'L' ? 0 : 1];
  dap_room_operands p = {.a = a, .c = c, .size = {c->size[0], c->size[1]}};
  if (vect == 'Q' ? order < k : order <= k) p = less_one(side, side == 'L', a, c);
  return dap_room_product(vect == 'P', side, &p);
}

/* ---- drivers ----------------------------------------------------------------------------------------- */

/* Rows of `count` that this process has where all processes are one column of the grid, in blocks of
 * `block`. */
static int64_t in_a_column(const dap_room_matrix *a, int64_t block, int64_t count)
{
  dap_room_matrix column = {.block = {block, block}, .procs = {a->procs[0] * a->procs[1], 1}};
  column.place[0] = a->place[0] * a->procs[1] + a->place[1];
  return dap_room_local(&column, 0, 0, count);
}

void dap_room_ev(const dap_room_matrix *a, char uplo, bool is_complex, bool has_vectors, int64_t room[2])
{
  const int64_t n = a->size[0], nb = a->block[1], sytrd = dap_room_sytrd(a);
  const int64_t vectors = dap_room_times(n, dap_room_larger(1, in_a_column(a, nb, n))), steps = 2 * n - 2;
  const int64_t both = dap_room_local(a, 0, 0, n) + dap_room_local(a, 1, 0, n);
  if (is_complex) {
    const int64_t apply = has_vectors ? dap_room_larger(dap_room_ormtr('L', uplo, a, a), vectors) : 0;
    room[0] = 3 * n + dap_room_larger(sytrd, apply);
    room[1] = 2 * n + (has_vectors ? dap_room_larger(1, steps) : 0);
  } else {
    const int64_t apply = dap_room_larger(dap_room_apply(nb, both), steps);
    room[0] = 5 * n + 1 + (has_vectors ? vectors + apply : sytrd);
    room[1] = 0;
  }
}

/* Rows or columns that the process with the first block has. */
static int64_t first_share(const dap_room_matrix *a, int axis)
{
  dap_room_matrix first = *a;
  first.place[axis] = first.source[axis];
  return dap_room_local(&first, axis, 0, a->size[axis]);
}

int64_t dap_room_gesvd(const dap_room_matrix *a, bool is_complex, const dap_room_matrix *u,
                       const dap_room_matrix *vt)
{
  const int64_t m = a->size[0], n = a->size[1], longer = dap_room_larger(m, n), k = m + n - longer;
  const int64_t rows = dap_room_local(a, 0, 0, m), cols = dap_room_local(a, 1, 0, n);
  const int64_t q = u ? dap_room_apply(a->block[1], dap_room_local(u, 1, 0, k) + rows) : 0;
  const int64_t p = vt ? dap_room_apply(a->block[0], dap_room_local(vt, 0, 0, k) + cols) : 0;
  const int64_t to_bidiagonal =
      dap_room_larger(dap_room_gebrd(a), dap_room_larger(first_share(a, 0), first_share(a, 1)));
  const int64_t own = (u ? in_a_column(a, 1, m) : 0) + (vt ? in_a_column(a, 1, n) : 0);
  const int64_t vectors = dap_room_times(k, own);
  const int64_t to_values = vectors + dap_room_larger(dap_room_larger(1, 4 * k), dap_room_larger(q, p));
  return 1 + (is_complex ? 2 : 6) * longer + dap_room_larger(to_bidiagonal, to_values);
}
