/* Workspace of LU, QR and least squares, in 64 bits. */
#include "room_impl.h"

/* ---- parts of the formulas --------------------------------------------------------------------------- */

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

/* NUMROC (TOOLS/numroc.f): of `count` elements in blocks those of process `place`. */
static int64_t numroc(int64_t count, int64_t block, int place, int source, int procs)
{
  const int distance = (place - source + procs) % procs;
  const int64_t whole = count / block, extra = whole % procs;
  return whole / procs * block + (distance < extra ? block : distance == extra ? count % block : 0);
}

int64_t dap_room_local(const dap_room_matrix *a, int axis, int64_t start, int64_t count)
{
  const int64_t inside = start % a->block[axis];
  const int first = (int)((a->source[axis] + start / a->block[axis]) % a->procs[axis]);
  return numroc(count + inside, a->block[axis], a->place[axis], first, a->procs[axis]);
}

int64_t dap_room_times(int64_t a, int64_t b)
{
  const int64_t most = INT64_C(1) << 60;
  return b > 0 && a > most / b ? most : a * b;
}

int64_t dap_room_apply(int64_t block, int64_t count)
{
  return dap_room_larger(dap_room_times(block, block - 1) / 2, dap_room_times(count, block)) +
         dap_room_times(block, block);
}

static int64_t least_multiple(const int procs[2])
{
  int64_t a = procs[0], b = procs[1];
  while (b) {
    const int64_t rest = a % b;
    a = b, b = rest;
  }
  return (int64_t)procs[0] / a * procs[1];
}

/* What larfb takes to transpose reflectors along `axis` of C: NUMROC of NUMROC in rounds of the grid. */
static int64_t transposed(const dap_room_matrix *c, int axis, int64_t count, int64_t block)
{
  const int rounds = (int)(least_multiple(c->procs) / c->procs[axis]);
  return numroc(numroc(count, block, 0, 0, c->procs[axis]), block, 0, 0, rounds);
}

/* ---- QR ---------------------------------------------------------------------------------------------- */

static int64_t factor(const dap_room_matrix *a, int64_t block)
{
  const int64_t rows = dap_room_local(a, 0, 0, a->size[0]), cols = dap_room_local(a, 1, 0, a->size[1]);
  return dap_room_times(block, rows + cols + block);
}

int64_t dap_room_qr(const dap_room_matrix *a)
{
  return factor(a, a->block[1]);
}

int64_t dap_room_lq(const dap_room_matrix *a)
{
  return factor(a, a->block[0]);
}

/* Where Q comes from the left, column reflectors lie as C's columns do; from the right, as its rows are. Of
 * row reflectors it is the other way round. */
int64_t dap_room_product(bool lq, char side, const dap_room_operands *p)
{
  const int along = side == 'L' ? 0 : 1, across = 1 - along;
  const int64_t block = p->a->block[lq ? 0 : 1];
  const int64_t mine = dap_room_local(p->c, along, p->c_start[along], p->size[along]);
  int64_t others = dap_room_local(p->c, across, p->c_start[across], p->size[across]);
  if (lq == (side == 'L')) {
    const int64_t inside = p->c_start[along] % p->c->block[along];
    const int64_t turned = dap_room_local(p->a, across, p->a_start[across], p->size[along]) +
                           transposed(p->c, along, p->size[along] + inside, block);
    others = dap_room_larger(turned, others);
  }
  return dap_room_apply(block, mine + others);
}

int64_t dap_room_ormqr(char side, const dap_room_matrix *a, const dap_room_matrix *c)
{
  const dap_room_operands p = {.a = a, .c = c, .size = {c->size[0], c->size[1]}};
  return dap_room_product(false, side, &p);
}

int64_t dap_room_ormlq(char side, const dap_room_matrix *a, const dap_room_matrix *c)
{
  const dap_room_operands p = {.a = a, .c = c, .size = {c->size[0], c->size[1]}};
  return dap_room_product(true, side, &p);
}

int64_t dap_room_gels(const dap_room_matrix *a, const dap_room_matrix *b)
{
  const bool lq = a->size[0] < a->size[1];
  const int64_t longer = dap_room_larger(a->size[0], a->size[1]), shorter = a->size[0] + a->size[1] - longer;
  const dap_room_operands p = {.a = a, .c = b, .size = {longer, b->size[1]}};
  const int64_t tau = dap_room_local(a, lq ? 0 : 1, 0, shorter);
  return tau + dap_room_larger(lq ? dap_room_lq(a) : dap_room_qr(a), dap_room_product(lq, 'L', &p));
}

void dap_room_geqpf(const dap_room_matrix *a, bool is_complex, int64_t room[2])
{
  const int64_t rows = dap_room_local(a, 0, 0, a->size[0]), cols = dap_room_local(a, 1, 0, a->size[1]);
  room[0] = dap_room_larger(3, rows + cols) + (is_complex ? 0 : 2 * cols);
  room[1] = is_complex ? 2 * cols : 0;
}

/* ---- LU and Hessenberg form -------------------------------------------------------------------------- */

static int64_t up(int64_t count, int64_t by)
{
  return (count + by - 1) / by;
}

void dap_room_getri(const dap_room_matrix *a, int64_t room[2])
{
  const int64_t n = a->size[0], mb = a->block[0], nb = a->block[1];
  room[0] = dap_room_times(dap_room_local(a, 0, 0, n), nb);
  if (a->procs[0] == a->procs[1]) {
    room[1] = dap_room_local(a, 1, 0, n) + nb;
    return;
  }
  const int64_t more = n + mb * a->procs[0], rounds = least_multiple(a->procs) / a->procs[0];
  room[1] = dap_room_local(a, 1, 0, more) +
            dap_room_larger(dap_room_times(mb, up(up(dap_room_local(a, 0, 0, more), mb), rounds)), nb);
}
