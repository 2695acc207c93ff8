/* Two p?gemr2d in one program: ScaLAPACK's, which it is linked with, and the drop-in, which is loaded with
 * names that nobody else sees. (Linked first, it would also be what ScaLAPACK's own p?gemr2d_ calls by its
 * C name.) */
#ifndef DAP_TEST_GEMR2D_CALLS_H
#define DAP_TEST_GEMR2D_CALLS_H

#include "matrix.h"

/* The four names of a routine. */
typedef enum call_form { FORM_FORTRAN, FORM_C, FORM_FORTRAN_OLD, FORM_C_OLD, FORMS } call_form;

/* Fails the test and returns false if the drop-in cannot be loaded, or is ScaLAPACK itself. */
bool calls_load(void);

/* Copies the sub-matrix of part[2] of `a` to that of `b`. The old forms, which have no context, need all
 * processes. */
void call_reference(call_form form, const matrix *a, matrix *b, const int part[2], const grid *all);
/* Whether all calls go by plans, and wrong arguments do not end the program. calls_load() asks for that. Else
 * some calls go to ScaLAPACK, as in programs that do not ask. */
void calls_take_plans_only(bool only);
/* dlclose(). What the library hung on MPI must work on. */
void calls_unload(void);
/* After calls_load(). */
dap_pgemr2d *dropin_pdgemr2d(void);
void call_dropin(call_form form, const matrix *a, matrix *b, const int part[2], const grid *all);

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
/* The same where the call gets these pointers. */
void check_move_of(setting *s, void *from, void *to, const int part[2], int salt);

#endif
