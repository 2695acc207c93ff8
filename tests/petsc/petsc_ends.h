/* The beginning and the end of PETSc in the test programs. */
#ifndef DAP_PETSC_ENDS_H
#define DAP_PETSC_ENDS_H

/* First and last tests of programs that call PETSc themselves, whose errors are returned and not printed
 * meanwhile. */
void petsc_starts(void **state);
void petsc_ends(void **state);

/* The first, where PETSc shall count its memory, which it does only if asked to before it starts. */
void petsc_starts_watched(void **state);

/* Last test of programs in which the adapter started PETSc: that it is ended is the program's business. */
void petsc_is_finalised(void **state);

#endif
