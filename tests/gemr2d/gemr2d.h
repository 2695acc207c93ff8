/* Calls two p?gemr2d from one program. ScaLAPACK's is linked; the drop-in is loaded, and its names are
 * hidden. (If the drop-in were linked first, ScaLAPACK's own p?gemr2d_ would call it by its C name.) The
 * expected elements are computed one by one, without code of the library. Matrices are block-cyclic, on
 * BLACS grids of any of the processes. */
#ifndef DAP_TEST_GEMR2D_H
#define DAP_TEST_GEMR2D_H

#include <dapbridge/scalapack_calls.h>

#include "mpi_test.h"

/* ---- matrices ------------------------------------------------------------------------------------------ */

enum { MATRIX_PROCS = 16 /* most in a grid */ };

/* The element types, by p?gemr2d's letters. */
typedef enum matrix_type { TYPE_I, TYPE_S, TYPE_D, TYPE_C, TYPE_Z, TYPES } matrix_type;
#define TYPE_LETTERS "isdcz"

typedef struct grid {
  int nprow, npcol;
  int ranks[MATRIX_PROCS]; /* in MPI_COMM_WORLD, of the places row by row */
  int row, col;            /* this process's; -1: it is outside */
  dap_scalapack_int context;
} grid;

/* The ranks count up from `first`, and from the last one go on with 0. */
grid grid_from(int nprow, int npcol, int first);

/* Sets row, col and context. grid_start() is collective on MPI_COMM_WORLD, grid_stop() on the grid. */
void grid_start(grid *g);
void grid_stop(grid *g);

typedef struct matrix {
  grid grid;
  int size[2], block[2], source[2], start[2]; /* start: of the sub-matrix, from 0 */
  int gap;                                    /* leading dimension: so many more than needed */
  /* made by matrix_start() */
  matrix_type type;
  int64_t item, local[2], ld, bytes; /* bytes: of memory, with guards around the elements */
  unsigned char *memory;
  void *data; /* NULL: no elements here */
  dap_scalapack_int desc[9];
} matrix;

/* Starts the grid and fills the memory with guard bytes. Outside the grid CTXT is -1, and the other words
 * of the descriptor are rubbish. */
void matrix_start(matrix *m, matrix_type type);
void matrix_stop(matrix *m);

/* Sets element (i, j) to a number made of i, j and salt. */
void matrix_fill(matrix *m, int salt);
/* Makes all bytes guard bytes again. */
void matrix_clear(matrix *m);
/* Sets the sub-matrix of part[2] elements to the elements that matrix_fill(a, salt) gave to a's
 * sub-matrix. */
void matrix_expect(matrix *m, const matrix *a, const int part[2], int salt);
/* Copies the memory. The caller frees the copy. */
unsigned char *matrix_copy(const matrix *m);
/* Checks that all bytes of the memory are `want`. */
bool matrix_holds(const matrix *m, const unsigned char *want, const char *what);
/* Returns what b's memory must be after a move of part[2] elements from a, to be freed. Clears b. */
unsigned char *matrix_model(matrix *b, const matrix *a, const int part[2], int salt);

/* ---- routines ------------------------------------------------------------------------------------------ */

/* A routine has four names. */
typedef enum call_form { CALL_FORTRAN, CALL_C, CALL_FORTRAN_OLD, CALL_C_OLD, CALL_FORMS } call_form;

typedef struct gemr2d_routine {
  dap_pgemr2d *fortran;
  dap_Cpgemr2d *c;
  dap_pgemr2do *fortran_old;
  dap_Cpgemr2do *c_old;
} gemr2d_routine;
extern const gemr2d_routine reference[TYPES]; /* ScaLAPACK's */
extern gemr2d_routine dropin[TYPES];          /* after calls_load() */

/* Fails the test and returns false if the drop-in cannot be loaded, or is ScaLAPACK itself. */
bool calls_load(void);

/* If `only`, all calls use plans, and wrong arguments do not end the program. calls_load() sets this.
 * Otherwise some calls go to ScaLAPACK, as in programs without the setting. */
void calls_take_plans_only(bool only);
/* Calls dlclose(). Attributes of the library on MPI's communicators must still work. */
void calls_unload(void);

/* Copies the sub-matrix of part[2] of `a` to that of `b`. The old forms, which have no context, need all
 * processes. */
void call_gemr2d(const gemr2d_routine of[], call_form form, const matrix *a, matrix *b, const int part[2],
                 const grid *all);

/* ---- a move between two matrices, and its context ------------------------------------------------------ */

typedef struct setting {
  grid all; /* of all processes: 1 x P */
  matrix a, b;
} setting;

/* Starts the grid and both matrices, of which sizes, blocks and grids are set. Collective on
 * MPI_COMM_WORLD, as setting_stop() is. */
setting setting_start(matrix a, matrix b, matrix_type type);
void setting_stop(setting *s);

/* Fills a, moves a part of it to b with the drop-in, and checks every byte of b. */
void check_move(setting *s, const int part[2], int salt);

#endif
