/* Declares the workspace of ScaLAPACK's routines, and bounds of it in 64 bits. */
#ifndef DAP_ROOM_IMPL_H
#define DAP_ROOM_IMPL_H

#include "linalg_impl.h"

/* work.c: a routine is called twice. It says how much workspace it needs, and then computes.
 *
 *     dap_workspace w = {.routine = "geqrf", .bound = dap_room_panels(a->desc[NB], a)};
 *     while (dap_workspace_next(call, &w)) geqrf(..., w.work, &w.lwork, &w.info);
 *     return w.status;
 *
 * next: returns true if the routine is to be called. Reserves memory between the two calls, and agrees on the
 * info after each. DAP_ERR_RANGE if `bound` exceeds ScaLAPACK's integers. Collective.
 *
 * Asked with LWORK = -1, a routine computes the answer in ScaLAPACK's integers. Those of 32 bits wrap, and
 * beyond 2^32 a wrapped answer is positive again. Without a bound the routine would then be called with too
 * little, and end the job by MPI_Abort. An answer is right if its bound fits ScaLAPACK's integers. */
typedef struct dap_workspace {
  const char *routine;
  int64_t bound;  /* upper bound of the answers: room.c */
  int64_t more;   /* elements that the routine needs besides */
  bool has_reals; /* it has RWORK as well */
  bool may_fail;  /* a positive info is the caller's to read, else an error */
  int calls;      /* 1: the routine is asked, 2: it computes */
  void *work, *rwork;
  dap_scalapack_int lwork, lrwork, info;
  dap_status status;
  double answers[2][2]; /* WORK(1), RWORK(1) */
} dap_workspace;

bool dap_workspace_next(dap_linalg_call *call, dap_workspace *w);

/* room.c: upper bounds, in 64 bits, of the elements of WORK. Source: LWMIN in SRC/pd*.f and SRC/pz*.f of
 * ScaLAPACK 2.2, for matrices with IA = JA = 1. Not collective.
 * panels: for a routine that works on `a` by `block` rows or columns at a time (geqrf, orgqr, gelqf, orglq,
 * geqpf, getri, sytrd, gebrd), and for a product of `a` with reflectors in such blocks (ormtr, ormbr).
 * product: for a product of C with reflectors in columns or rows (lq) of A, from `side` (ormqr, ormlq).
 * gels: `b` is the longer one of right-hand sides and solutions.
 * vectors: for a routine that finds vectors of one side (syev, heev) or of two (gesvd). */
int64_t dap_room_panels(int64_t block, const dap_scalapack_matrix *a);
int64_t dap_room_product(bool lq, char side, const dap_scalapack_matrix *a, const dap_scalapack_matrix *c);
int64_t dap_room_gels(const dap_scalapack_matrix *a, const dap_scalapack_matrix *b);
int64_t dap_room_vectors(int sides, const dap_scalapack_matrix *a);
static inline int64_t dap_room_larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}
static inline int64_t dap_room_smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

#endif
