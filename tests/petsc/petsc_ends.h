/* Starts and ends PETSc in the test programs. */
#ifndef DAP_PETSC_ENDS_H
#define DAP_PETSC_ENDS_H

#include <stdbool.h>

/* First and last tests of programs that call PETSc themselves, whose errors are returned and not printed
 * meanwhile. */
void petsc_starts(void **state);
void petsc_ends(void **state);

/* PETSc counts its memory from its start on, if it is asked to before. */
void petsc_counts_memory(void);

/* The first, where it shall. */
void petsc_starts_watched(void **state);

/* Whether this PETSc, which has started, keeps read locks: every debug build, but an optimised one of 3.22
 * too and not of 3.18. */
bool petsc_keeps_locks(void);

/* First and last tests of other programs: PETSc has its own error handler, and no signal handler. */
void petsc_is_initialised(void **state);
void petsc_is_finalised(void **state);

#endif
