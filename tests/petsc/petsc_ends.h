/* Starts and ends PETSc in the test programs, and asks its vectors and matrices. */
#ifndef DAP_PETSC_ENDS_H
#define DAP_PETSC_ENDS_H

#include <petscmat.h>
#include <stdbool.h>

/* First and last tests of programs that call PETSc themselves, whose errors are returned and not printed
 * meanwhile. PETSc has no signal handler. */
void petsc_starts(void **state);
void petsc_ends(void **state);

/* The first, where PETSc shall count its memory from its start on. */
void petsc_starts_watched(void **state);

PetscReal norm_of(Vec vec); /* NORM_1 */
const PetscScalar *address_of(Vec vec);
PetscInt references_of(PetscObject object);

/* PETSc forgot the norm that it knew when the memory was written to. */
void check_renewed(PetscReal now, PetscReal before, PetscReal factor);

/* True iff the matrix is of that type; MATDENSE on one process and on several. */
bool has_type(Mat mat, MatType type);

#endif
