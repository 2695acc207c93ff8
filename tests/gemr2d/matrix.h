/* Block-cyclic matrices on BLACS grids over any of the processes, and what a p?gemr2d must make of them.
 * All of it is arithmetic on single elements, and shares nothing with the library. */
#ifndef DAP_TEST_GEMR2D_MATRIX_H
#define DAP_TEST_GEMR2D_MATRIX_H

#include <dapbridge/scalapack_calls.h>

#include "mpi_test.h"

enum { MATRIX_PROCS = 16 /* most in a grid */ };

/* The element types, by p?gemr2d's letters. */
typedef enum matrix_type { TYPE_I, TYPE_S, TYPE_D, TYPE_C, TYPE_Z, TYPES } matrix_type;
char type_letter(matrix_type type);

typedef struct grid {
  int nprow, npcol;
  int ranks[MATRIX_PROCS]; /* in MPI_COMM_WORLD, of the places row by row */
  int row, col;            /* this process's; -1: it is outside */
  dap_scalapack_int context;
} grid;

/* Ranks from `first` on, round and round. */
grid grid_from(int nprow, int npcol, int first);

/* Sets row, col and context. Collective on MPI_COMM_WORLD; stop on the grid. */
void grid_start(grid *g);
void grid_stop(grid *g);
bool grid_has(const grid *g, int rank);

typedef struct matrix {
  grid grid;
  int size[2], block[2], source[2], start[2]; /* start: of the sub-matrix, from 0 */
  int gap;                                    /* leading dimension: so many more than needed */
  /* made by matrix_start() */
  matrix_type type;
  int64_t local[2], ld, bytes; /* bytes: of memory, with guards around the elements */
  unsigned char *memory;
  void *data; /* NULL: no elements here */
  dap_scalapack_int desc[9];
} matrix;

/* Starts the grid; memory is all guard bytes. The descriptor's words are rubbish outside the grid, but CTXT
 * = -1. */
void matrix_start(matrix *m, matrix_type type);
void matrix_stop(matrix *m);

/* Element (i, j) becomes a number made of i, j and salt. */
void matrix_fill(matrix *m, int salt);
/* All bytes as matrix_start() left them. */
void matrix_clear(matrix *m);
/* Elements of this matrix's sub-matrix of part[2] elements become what matrix_fill(a, salt) put in a's. */
void matrix_expect(matrix *m, const matrix *a, const int part[2], int salt);
/* A copy of the memory alone, to be freed. */
unsigned char *matrix_copy(const matrix *m);
/* The memory of b after a move of part[2] from a, to be freed; b is cleared. */
unsigned char *matrix_model(matrix *b, const matrix *a, const int part[2], int salt);

#endif
