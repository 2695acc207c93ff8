/* Bounds of workspace, in 64 bits. */
#include "room_impl.h"

dap_room_matrix dap_room_of(const dap_scalapack_matrix *view)
{
  enum { CTXT = 1, MB = 4, RSRC = 6 }; /* of a descriptor; columns follow the rows */
  dap_scalapack_int procs[2], place[2];
  dap_room_matrix a = {.size = {view->m, view->n}};
  Cblacs_gridinfo(view->desc[CTXT], &procs[0], &procs[1], &place[0], &place[1]);
  for (int k = 0; k < 2; k++) {
    a.block[k] = view->desc[MB + k];
    a.procs[k] = (int)procs[k], a.place[k] = (int)place[k], a.source[k] = (int)view->desc[RSRC + k];
  }
  return a;
}

/* NUMROC (TOOLS/numroc.f). */
int64_t dap_room_local(const dap_room_matrix *a, int axis)
{
  const int64_t size = a->size[axis], block = a->block[axis], procs = a->procs[axis];
  const int64_t distance = (a->place[axis] - a->source[axis] + procs) % procs;
  const int64_t whole = size / block, extra = whole % procs;
  return whole / procs * block + (distance < extra ? block : distance == extra ? size % block : 0);
}

int64_t dap_room_times(int64_t a, int64_t b)
{
  const int64_t most = INT64_C(1) << 60;
  return b > 0 && a > most / b ? most : a * b;
}

/* Lines of an axis that a process has at most of a part of the matrix, wherever that begins. */
static int64_t lines(const dap_room_matrix *a, int axis)
{
  const int64_t local = dap_room_local(a, axis) + a->block[axis];
  return local < a->size[axis] ? local : a->size[axis];
}

/* larfb takes NB * (lines + NB), and where NB is small the others take some for each line. */
int64_t dap_room_panels(int64_t block, const dap_room_matrix *a)
{
  const int64_t both = lines(a, 0) + lines(a, 1);
  return dap_room_times(block, both + block + 3) + 3 * both;
}

/* larfb transposes row reflectors from the left, and column reflectors from the right. Lines of A and C then
 * count once more. */
int64_t dap_room_product(bool lq, char side, const dap_room_matrix *a, const dap_room_matrix *c)
{
  const int along = side == 'L' ? 0 : 1;
  const int64_t block = a->block[lq ? 0 : 1], turned = lines(a, 1 - along) + lines(c, along) + 2 * block;
  return dap_room_panels(block, c) + (lq == (side == 'L') ? dap_room_times(block, turned) : 0);
}

int64_t dap_room_gels(const dap_room_matrix *a, const dap_room_matrix *b)
{
  const bool lq = a->size[0] < a->size[1];
  const int axis = lq ? 0 : 1;
  return lines(a, axis) +
         dap_room_larger(dap_room_panels(a->block[axis], a), dap_room_product(lq, 'L', a, b));
}

/* Rows or columns of `count` that a process has at most, in blocks of `block` over all processes. */
static int64_t dealt(const dap_room_matrix *a, int64_t block, int64_t count)
{
  const int64_t most = count / ((int64_t)a->procs[0] * a->procs[1]) + block;
  return most < count ? most : count;
}

int64_t dap_room_ev(const dap_room_matrix *a)
{
  const int64_t n = a->size[0], block = a->block[1];
  return 7 * n + 1 + dap_room_times(n, dealt(a, block, n)) + dap_room_panels(block, a);
}

int64_t dap_room_gesvd(const dap_room_matrix *a)
{
  const int64_t m = a->size[0], n = a->size[1], longer = dap_room_larger(m, n), shorter = m + n - longer;
  const int64_t vectors = dap_room_times(shorter, dealt(a, 1, m) + dealt(a, 1, n));
  return 1 + 10 * longer + vectors + dap_room_panels(dap_room_larger(a->block[0], a->block[1]), a);
}
