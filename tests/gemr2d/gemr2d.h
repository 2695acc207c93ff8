/* Two p?gemr2d in one program: ScaLAPACK's, which it is linked with, and the drop-in, which is loaded with
 * names that nobody else sees. (Linked first, it would also be what ScaLAPACK's own p?gemr2d_ calls by its
 * C name.) What they must make of block-cyclic matrices on BLACS grids over any of the processes is
 * arithmetic on single elements, and shares nothing with the library. */
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

/* Ranks from `first` on, round and round. */
grid grid_from(int nprow, int npcol, int first);

/* Sets row, col and context. Collective on MPI_COMM_WORLD; stop on the grid. */
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
/* The memory is this, all bytes of it. */
bool matrix_holds(const matrix *m, const unsigned char *want, const char *what);
/* The memory of b after a move of part[2] from a, to be freed; b is cleared. */
unsigned char *matrix_model(matrix *b, const matrix *a, const int part[2], int salt);

/* ---- routines ------------------------------------------------------------------------------------------ */

/* The four names of a routine. */
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

/* Whether all calls go by plans, and wrong arguments do not end the program. calls_load() asks for that. Else
 * some calls go to ScaLAPACK, as in programs that do not ask. */
void calls_take_plans_only(bool only);
/* dlclose(). What the library hung on MPI must work on. */
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

/* Starts the three; a and b are described. Collective on MPI_COMM_WORLD, as setting_stop() is. */
setting setting_start(matrix a, matrix b, matrix_type type);
void setting_stop(setting *s);

/* Fills a, moves a part of it to b by the drop-in, and checks every byte of b. */
void check_move(setting *s, const int part[2], int salt);

#endif
