/* Band matrices: an index of what their files share. */
#ifndef DAP_BANDED_IMPL_H
#define DAP_BANDED_IMPL_H

#include "linalg_impl.h"

/* A system on processes 0 .. procs - 1. Each has the next `block` columns of A and rows of B, and the last
 * has the rest. A has LAPACK's band storage: A(i, j) is in row diagonal + i - j of column j, both from 0.
 * Places without an element of A are 0. The sum of `lower` and `upper` is at least 1, because ScaLAPACK
 * would pass on leading dimensions of 0. */
typedef struct dap_banded {
  char kind; /* 'G': general, with room for fill-in above; 'L', 'U': a triangle of a positive definite one */
  int64_t n, nrhs, lower, upper;
  int64_t height, diagonal; /* rows of the storage, and the row of the main diagonal */
  int64_t block, columns;   /* columns on each process except the last, and on this one */
  int procs;
  struct {
    dap_scalapack_int n, nrhs, lower, upper, width, height;
  } ints;  /* the same for ScaLAPACK; width: lower + upper */
  void *a; /* [height * block] */
  void *b; /* [block * nrhs], column-major */
} dap_banded;

/* An operand with one or more of A's diagonals. Its element 0 belongs to the diagonal `above` the main one,
 * in column `column` of A. */
typedef struct dap_banded_piece {
  int operand;
  int64_t above, column;
} dap_banded_piece;

/* banded_move.c: all are collective.
 * place: chooses processes and reserves memory, by kind, n, nrhs, and lower and upper, which it may change.
 * load: moves A's pieces and B (operand b) there, and checks that A is finite.
 * store: moves B back. */
dap_status dap_linalg_banded_place(dap_linalg_call *call, dap_banded *band);
dap_status dap_linalg_banded_load(dap_linalg_call *call, const dap_banded *band,
                                  const dap_banded_piece pieces[], int count, int b);
dap_status dap_linalg_banded_store(dap_linalg_call *call, const dap_banded *band, int b);

/* Prototypes of LAPACK (SRC/dgbsv.f, SRC/dgbtrf.f, SRC/dpbsv.f, SRC/dpbtrf.f). Their rules are those
 * of scalapack_calls.h. */
typedef void dap_gbsv(const dap_scalapack_int *n, const dap_scalapack_int *kl, const dap_scalapack_int *ku,
                      const dap_scalapack_int *nrhs, void *ab, const dap_scalapack_int *ldab,
                      dap_scalapack_int *pivots, void *b, const dap_scalapack_int *ldb,
                      dap_scalapack_int *info);
typedef void dap_gbtrf(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *kl,
                       const dap_scalapack_int *ku, void *ab, const dap_scalapack_int *ldab,
                       dap_scalapack_int *pivots, dap_scalapack_int *info);
typedef void dap_pbsv(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *kd,
                      const dap_scalapack_int *nrhs, void *ab, const dap_scalapack_int *ldab, void *b,
                      const dap_scalapack_int *ldb, dap_scalapack_int *info);
typedef void dap_pbtrf(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *kd, void *ab,
                       const dap_scalapack_int *ldab, dap_scalapack_int *info);

/* banded_routines.c: the routines of the call's element type. */
typedef struct dap_banded_routines {
  dap_pgbtrf *gbtrf;
  dap_pgbtrs *gbtrs;
  dap_ppbtrf *pbtrf;
  dap_ppbtrs *pbtrs;
  dap_gbsv *gbsv;
  dap_pbsv *pbsv;
  dap_gbtrf *gbtrf_alone;
  dap_pbtrf *pbtrf_alone;
} dap_banded_routines;

const dap_banded_routines *dap_linalg_banded_routines_of(const dap_linalg_call *call);

/* banded_lu.c, banded_cholesky.c: replace B by X and A by its factors, on a grid of one row of all processes
 * in the order of their ranks, which is `context`. Collective. */
dap_status dap_linalg_banded_lu(dap_linalg_call *call, const dap_banded *band, dap_scalapack_int context);
dap_status dap_linalg_banded_cholesky(dap_linalg_call *call, const dap_banded *band,
                                      dap_scalapack_int context);

/* Returns the address of element (row, column) of this process's storage. */
static inline char *dap_linalg_banded_at(const dap_linalg_call *call, const dap_banded *band, int64_t row,
                                         int64_t column)
{
  return (char *)band->a + (row + column * band->height) * call->lib->item;
}

/* Sets descriptors of one dimension: A by columns (501) and B by rows (502). Source: SRC/pdgbtrf.f. */
static inline void dap_linalg_banded_describe(const dap_banded *band, dap_scalapack_int context,
                                              dap_scalapack_int a[7], dap_scalapack_int b[7])
{
  const dap_scalapack_int n = (dap_scalapack_int)band->n, block = (dap_scalapack_int)band->block;
  const dap_scalapack_int of_a[7] = {501, context, n, block, 0, (dap_scalapack_int)band->height, 0};
  const dap_scalapack_int of_b[7] = {502, context, n, block, 0, block, 0};
  for (int k = 0; k < 7; k++) a[k] = of_a[k], b[k] = of_b[k];
}

#endif
