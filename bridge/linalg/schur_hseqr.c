/* Schur form and eigenvalues of real matrices, by all processes of a communicator: A = Q H Q^T with a
 * Hessenberg matrix H (gehrd, ormhr), H = Y T Y^T (hseqr), Z = Q Y. Computed in a copy of A, in Z's place,
 * and copied to T. */
#include "room_impl.h"
#include "schur_impl.h"

/* Below the least hseqr refuses to work (SRC/pdhseqr.f). Above the most, that of its windows (pilaenvx.f,
 * ISPEC = 19), T is silently wrong where shifts are chased in them: of 221 rows and more in blocks of 90 to
 * 200. Above so many rows, where it takes laqr0 (piparmq.f, NMIN), eigenvalues without a form are silently
 * wrong on one process. */
enum {
  A = DAP_SCHUR_A,
  T = DAP_SCHUR_T,
  Z = DAP_SCHUR_Z,
  LEAST_BLOCK = 6,
  MOST_BLOCK = 80,
  USUAL_BLOCK = 32, /* as of small matrices that are moved (scalapack/target.c) */
  MOST_ALONE = 220
};

static const dap_scalapack_int one = 1;

/* A copy of A, and beside it T and Z. */
typedef struct problem {
  dap_scalapack_matrix *h, *t, *z; /* t, z: NULL: not wanted */
  void *tau, *values[2];           /* [n] real and imaginary parts, as hseqr has them */
  double sigma;                    /* the power of 2 by which A was multiplied */
} problem;

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

int64_t dap_linalg_schur_block(int64_t wanted, int64_t usual)
{
  const int64_t block = wanted > 0 ? wanted : smaller(usual, USUAL_BLOCK);
  return smaller(larger(block, LEAST_BLOCK), MOST_BLOCK);
}

static dap_status take_views(dap_linalg_call *call, bool has_form, problem *p)
{
  const dap_scalapack_options first = {
      .op = 'N', .needs = {.square_blocks = true, .least_block = LEAST_BLOCK, .most_block = MOST_BLOCK}};
  if (call->options.block_size > 0)
    call->options.block_size = dap_linalg_schur_block(call->options.block_size, MOST_BLOCK);
  call->kept[A] = true;  /* so the view is a copy */
  call->squarest = true; /* on one row of them it can wait without end: schur_fewer.c */
  DAP_TRY(dap_linalg_view(call, A, &first, &p->h));
  dap_linalg_note(call, A, 0, "to keep its values");
  const dap_scalapack_options beside = {
      .op = 'N', .aligned_with = p->h, .needs = {.square_blocks = true, .align = DAP_ALIGN_SAME}};
  if (has_form && call->given[T]) DAP_TRY(dap_linalg_view(call, T, &beside, &p->t));
  if (has_form && call->given[Z]) DAP_TRY(dap_linalg_view(call, Z, &beside, &p->z));
  return DAP_OK;
}

/* H over the copy of A, with the reflectors below it, and Q to Z. */
static dap_status reduce(dap_linalg_call *call, problem *p)
{
  const dap_linalg_routines *lib = call->lib;
  const dap_scalapack_matrix *h = p->h, *z = p->z;
  const dap_scalapack_int *n = &h->n, less = h->n - 2, third = 3;
  dap_scalapack_int info = 0, lwork = -1;
  int64_t extents[2];
  double asked[2] = {0};
  void *work;
  dap_linalg_local(h, extents);
  DAP_TRY(dap_linalg_work(call, extents[1], lib->dtype, &p->tau));
  lib->gehrd(n, &one, n, h->data, &one, &one, h->desc, p->tau, asked, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "gehrd, asked for its workspace", &info));
  const dap_room_matrix on_h = dap_room_of(h);
  DAP_TRY(dap_linalg_work_room(call, lib->dtype, dap_room_gehrd(&on_h), asked, &lwork, &work));
  lib->gehrd(n, &one, n, h->data, &one, &one, h->desc, p->tau, work, &lwork, &info);
  DAP_TRY(dap_linalg_info(call, "gehrd", &info));
  if (z) {
    lwork = -1;
    lib->laset("A", n, n, lib->zero, lib->one, z->data, &one, &one, z->desc);
    lib->ormhr("L", "N", n, n, &one, n, h->data, &one, &one, h->desc, p->tau, z->data, &one, &one, z->desc,
               asked, &lwork, &info);
    DAP_TRY(dap_linalg_info(call, "ormhr, asked for its workspace", &info));
    const dap_room_matrix on_z = dap_room_of(z);
    DAP_TRY(dap_linalg_work_room(call, lib->dtype, dap_room_ormhr(&on_h, &on_z), asked, &lwork, &work));
    lib->ormhr("L", "N", n, n, &one, n, h->data, &one, &one, h->desc, p->tau, z->data, &one, &one, z->desc,
               work, &lwork, &info);
    DAP_TRY(dap_linalg_info(call, "ormhr", &info));
  }
  if (less > 0) lib->laset("L", &less, &less, lib->zero, lib->zero, h->data, &third, &one, h->desc);
  return DAP_OK;
}

typedef struct space {
  void *work;
  dap_scalapack_int *iwork;
  dap_scalapack_int lwork, liwork;
} space;

static dap_scalapack_int call_hseqr(const dap_linalg_call *call, const problem *p, const space *s)
{
  const dap_scalapack_matrix *h = p->h, *z = p->z ? p->z : p->h; /* not looked at without vectors */
  const char *job = p->t || p->z || h->n > MOST_ALONE ? "S" : "E", *compz = p->z ? "V" : "N";
  dap_scalapack_int info = 0;
  call->lib->hseqr(job, compz, &h->n, &one, &h->n, h->data, h->desc, p->values[0], p->values[1], z->data,
                   z->desc, s->work, &s->lwork, s->iwork, &s->liwork, &info);
  return info;
}

/* A grid, and the elements that a process can get on it of what is distributed in blocks of nb, which may
 * begin amid a block. */
typedef struct spread {
  int64_t procs[2], nb;
} spread;

static int64_t share(const spread *s, int64_t rows, int64_t cols)
{
  return ((rows + s->nb) / s->procs[0] + s->nb) * ((cols + s->nb) / s->procs[1] + s->nb);
}

/* What a deflation window needs. hseqr asks for those of the usual size, but where nothing converges they
 * grow up to a third of the rows (SRC/pdlaqr0.f, NWMAX; or NTINY). There are three (V, T, W), and beside them
 * either two more (SRC/pdlaqr3.f, IPT0, IPZ0) or what is multiplied with one (DESCHH). On grids that are
 * large for a window a part of the processes has the two, each at most 384 rows and columns in whole blocks
 * (pilaenvx.f, ISPEC = 23), and may take windows of the window. */
static int64_t window_space(const dap_scalapack_matrix *h)
{
  enum { CTXT = 1, NB = 5, TINY = 12, ALONE = 384 };
  dap_scalapack_int procs[2], coords[2];
  Cblacs_gridinfo(h->desc[CTXT], &procs[0], &procs[1], &coords[0], &coords[1]);
  const spread s = {.procs = {procs[0], procs[1]}, .nb = h->desc[NB]};
  const int64_t window = smaller(h->n, larger(h->n / 3, TINY)), alone = smaller(window, ALONE) + 2 * s.nb;
  const int64_t product = larger(share(&s, h->n, window), share(&s, window, h->n));
  return 5 * share(&s, window, window) + product + (smaller(procs[0], procs[1]) > 2 ? 4 * alone * alone : 0);
}

/* What hseqr needs beyond what it asks for; else it goes on without a word where its steps refuse to work
 * (pslaqr1, pstrord), and writes before or behind its space. Asked, it lets pdtrord ask with n integers.
 * pdlaqr1's space is in what it asks for; pdtrord's is that of its comments, for windows of a block. */
static dap_status make_room(dap_linalg_call *call, const problem *p, space *s)
{
  enum { NB = 5 };
  const dap_scalapack_matrix *h = p->h;
  const int64_t n = h->n, nb = h->desc[NB];
  double asked[8] = {0};
  int64_t extents[2];
  void *integers;
  dap_linalg_local(h, extents);
  DAP_TRY(dap_linalg_work(call, n + 2 * nb + 8, dap_linalg_integer(), &integers));
  *s = (space){.work = asked, .iwork = integers, .lwork = -1, .liwork = -1};
  dap_scalapack_int info = call_hseqr(call, p, s);
  DAP_TRY(dap_linalg_info(call, "hseqr, asked for its workspace", &info));
  const int64_t first = dap_linalg_asked(call->lib->dtype, asked);
  const int64_t beside = window_space(h) + 20 * n + 7 * nb * nb;
  const int64_t order = 4 * (extents[0] + extents[1] + 2 * nb) * nb, select = s->iwork[0] + 2 * (n + nb);
  const int64_t elements = first < 0 ? first : first + beside + order;
  const int64_t count = select + 4 * nb * nb + 5 * (int64_t)call->nprocs + 512;
  DAP_TRY(dap_linalg_work(call, elements, call->lib->dtype, &s->work));
  DAP_TRY(dap_linalg_work(call, count, dap_linalg_integer(), &integers));
  s->iwork = integers, s->lwork = (dap_scalapack_int)elements, s->liwork = (dap_scalapack_int)count;
  return DAP_OK;
}

static dap_status iterate(dap_linalg_call *call, const problem *p)
{
  space s;
  DAP_TRY(make_room(call, p, &s));
  dap_scalapack_int info = call_hseqr(call, p, &s);
  if (info == -7777 || info == -8888)
    info = p->h->n; /* one algorithm failed, and of the next it says nothing */
  DAP_TRY(dap_linalg_info(call, "hseqr", &info));
  if (info > 0)
    return dap_linalg_numeric(call, info, "the eigenvalues up to number %d did not converge", (int)info);
  return DAP_OK;
}

/* Undoes the scaling, without which hseqr takes small elements for zeros. It comes before eigenvalues are
 * read from T: an element below the diagonal may become 0, and then the eigenvalues are real. */
static dap_status scale_back(dap_linalg_call *call, const problem *p)
{
  enum { LLD = 8 };
  const int64_t column = p->h->desc[LLD] * dap_dtype_size(call->lib->dtype);
  char *first = p->h->data;
  int64_t extents[2];
  dap_status status = DAP_OK;
  dap_linalg_local(p->h, extents);
  for (int64_t col = 0; col < extents[1] && p->sigma != 1; col++) {
    dap_linalg_scale_back(call, extents[0], p->sigma, first + col * column);
    if (p->t && !status)
      status = dap_linalg_finite_values(call, extents[0], first + col * column, "T: element");
  }
  if (status)
    status = dap_linalg_numeric(call, 1, "T has elements that exceed the range of %s",
                                dap_dtype_name(call->lib->dtype));
  return dap_agree(call->comm, status, call->err);
}

dap_status dap_linalg_schur_hseqr(dap_linalg_call *call, dap_linalg_general *g, bool has_form)
{
  problem p = {0};
  DAP_TRY(take_views(call, has_form, &p));
  DAP_TRY(dap_linalg_finite(call, p.h, 'A'));
  for (int k = 0; k < 2; k++) DAP_TRY(dap_linalg_work(call, g->n, call->lib->real, &p.values[k]));
  DAP_TRY(dap_linalg_work(call, g->n, dap_linalg_complex(call), &g->w));
  DAP_TRY(dap_linalg_scale(call, p.h, 'A', &p.sigma));
  DAP_TRY(reduce(call, &p));
  DAP_TRY(iterate(call, &p));
  DAP_TRY(scale_back(call, &p));
  DAP_TRY(dap_linalg_schur_blocks(call, g, p.h, p.z, p.t || p.z));
  DAP_TRY(dap_linalg_general_finite(call, g));
  if (p.t) dap_linalg_copy_part(call, p.h, p.t);
  return DAP_OK;
}
