/* How much workspace ScaLAPACK's routines demand, in 64 bits.
 *
 * Asked with LWORK = -1, a routine computes the answer in ScaLAPACK's integers. Those of 32 bits wrap where
 * the answer does not fit, and beyond 2^32 a wrapped answer is positive again. The routine is then called
 * with too little, and ends the job by MPI_Abort. So each function here gives an upper bound of LWMIN in
 * SRC/pd*.f and SRC/pz*.f of ScaLAPACK 2.2, for matrices that begin at their first element (IA = JA = 1). An
 * answer is right if its bound fits ScaLAPACK's integers. The functions are not collective, and need neither
 * MPI nor a matrix. */
#ifndef DAP_ROOM_IMPL_H
#define DAP_ROOM_IMPL_H

#include "linalg_impl.h"

/* A matrix as a process of its grid sees it. [0]: rows, [1]: columns. */
typedef struct dap_room_matrix {
  int64_t size[2], block[2];
  int procs[2], place[2], source[2]; /* the grid, this process in it, the first block's process */
} dap_room_matrix;

/* room.c. of: that of a view. local: rows (axis 0) or columns (1) that this process has. times: the product,
 * at most 2^60, so that sums of some do not overflow. */
dap_room_matrix dap_room_of(const dap_scalapack_matrix *view);
int64_t dap_room_local(const dap_room_matrix *a, int axis);
int64_t dap_room_times(int64_t a, int64_t b);
static inline int64_t dap_room_larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* room.c: bounds of the elements of WORK.
 * panels: of a routine that works on `a` by `block` rows or columns at a time (geqrf, orgqr, gelqf, orglq,
 * geqpf, getri, sytrd, gebrd), and of a product of `a` with reflectors in such blocks (ormtr, ormbr).
 * product: of C with reflectors in columns or rows (lq) of A, from `side` (ormqr, ormlq).
 * gels: `b` is the longer one of right-hand sides and solutions.
 * ev: syev and heev with vectors. gesvd: with both kinds of vectors. */
int64_t dap_room_panels(int64_t block, const dap_room_matrix *a);
int64_t dap_room_product(bool lq, char side, const dap_room_matrix *a, const dap_room_matrix *c);
int64_t dap_room_gels(const dap_room_matrix *a, const dap_room_matrix *b);
int64_t dap_room_ev(const dap_room_matrix *a);
int64_t dap_room_gesvd(const dap_room_matrix *a);

#endif
