/* The beginning and the end of PETSc in the test programs. */
#ifndef DAP_PETSC_ENDS_H
#define DAP_PETSC_ENDS_H

/* First and last tests of programs that call PETSc themselves, whose errors are returned and not printed
 * meanwhile. */
void petsc_starts(void **state);
void petsc_ends(void **state);

/* PETSc counts its memory from its start on, if it is asked to before. */
void petsc_counts_memory(void);

/* The first, where it shall. */
void petsc_starts_watched(void **state);

/* Last test of programs in which the adapter started PETSc: that it is ended is the program's business. */
void petsc_is_finalised(void **state);

#endif
