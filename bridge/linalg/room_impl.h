/* How much workspace ScaLAPACK's routines demand, in 64 bits.
 *
 * Asked with LWORK = -1, a routine computes the answer in ScaLAPACK's integers. Those of 32 bits wrap where
 * the answer does not fit, and beyond 2^32 a wrapped answer is positive again. The routine is then called
 * with too little, and ends the job by MPI_Abort. So each function here repeats a routine's formula, as
 * SRC/pd*.f and SRC/pz*.f of ScaLAPACK 2.2 compute LWMIN, of matrices that begin at their first element (IA
 * = JA = 1). The functions are not collective, and need neither MPI nor a matrix. */
#ifndef DAP_ROOM_IMPL_H
#define DAP_ROOM_IMPL_H

#include "linalg_impl.h"

/* A matrix as a process of its grid sees it. [0]: rows, [1]: columns. */
typedef struct dap_room_matrix {
  int64_t size[2], block[2];
  int procs[2], place[2], source[2]; /* the grid, this process in it, the first block's process */
} dap_room_matrix;

/* room.c. of: that of a view. local: elements of `count` rows (axis 0) or columns (1), from number `start`
 * on, that this process has. apply: what larfb needs for `count` rows and columns and a block of
 * reflectors. */
dap_room_matrix dap_room_of(const dap_scalapack_matrix *view);
int64_t dap_room_local(const dap_room_matrix *a, int axis, int64_t start, int64_t count);
int64_t dap_room_apply(int64_t block, int64_t count);
int64_t dap_room_times(int64_t a, int64_t b); /* at most 2^60, so that sums of some do not overflow */
static inline int64_t dap_room_larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* A product of C (size [2], from c_start [2] on) with reflectors of A (from a_start [2] on); counted from
 * 0. */
typedef struct dap_room_operands {
  const dap_room_matrix *a, *c;
  int64_t a_start[2], c_start[2], size[2];
} dap_room_operands;

/* room.c: what larfb needs where Q or P of `p`, columns or rows (lq), comes from `side`. */
int64_t dap_room_product(bool lq, char side, const dap_room_operands *p);

/* room.c: elements of WORK.
 * qr: geqrf and orgqr; lq: gelqf and orglq. ormqr, ormlq: of a product with `c`, by the first k columns or
 * rows of `a`. gels: `b` is the longer one of right-hand sides and solutions. geqpf: with RWORK [1] of
 * complex matrices. getri: with IWORK [1]. */
int64_t dap_room_qr(const dap_room_matrix *a);
int64_t dap_room_lq(const dap_room_matrix *a);
int64_t dap_room_ormqr(char side, const dap_room_matrix *a, const dap_room_matrix *c);
int64_t dap_room_ormlq(char side, const dap_room_matrix *a, const dap_room_matrix *c);
int64_t dap_room_gels(const dap_room_matrix *a, const dap_room_matrix *b);
void dap_room_geqpf(const dap_room_matrix *a, bool is_complex, int64_t room[2]);
void dap_room_getri(const dap_room_matrix *a, int64_t room[2]);

/* room_eigen.c: the same. `c` has the rows and columns of the product. ormbr: Q ('Q') or P ('P') of k columns
 * or rows. ev: WORK [0] and RWORK [1] of syev or heev. gesvd: `u` and `vt` are
 * views as gesvd takes them, or NULL if these vectors are not wanted. */
int64_t dap_room_sytrd(const dap_room_matrix *a);
int64_t dap_room_ormtr(char side, char uplo, const dap_room_matrix *a, const dap_room_matrix *c);
int64_t dap_room_gebrd(const dap_room_matrix *a);
int64_t dap_room_ormbr(char vect, char side, int64_t k, const dap_room_matrix *a, const dap_room_matrix *c);
void dap_room_ev(const dap_room_matrix *a, char uplo, bool is_complex, bool has_vectors, int64_t room[2]);
int64_t dap_room_gesvd(const dap_room_matrix *a, bool is_complex, const dap_room_matrix *u,
                       const dap_room_matrix *vt);

#endif
