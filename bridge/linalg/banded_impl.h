/* Declares the types and functions that the files for band matrices share. */
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

/* banded_factor.c: replaces B with X and A with its factors, on a grid of one row of all processes in the
 * order of their ranks, which is `context`. Collective. */
dap_status dap_linalg_banded_factor(dap_linalg_call *call, const dap_banded *band, dap_scalapack_int context);

/* Returns the address of element (row, column) of this process's storage. */
static inline char *dap_linalg_banded_at(const dap_linalg_call *call, const dap_banded *band, int64_t row,
                                         int64_t column)
{
  return (char *)band->a + (row + column * band->height) * call->lib->item;
}

#endif
