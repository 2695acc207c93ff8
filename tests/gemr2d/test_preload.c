/* A program without dapbridge that is started with the drop-in in LD_PRELOAD. PETSc converts a dense
 * matrix to a ScaLAPACK matrix and back by p?gemr2d. The test sees the drop-in by the reductions. */
#include <petscmat.h>
#include <stdio.h>

#undef MPI_Allreduce /* which PETSc counts */
#undef MPI_Iallreduce
#include "reductions.h"

static int plans;

static void count_reduction(int count, MPI_Datatype type)
{
  plans += count > LONG && type == MPI_INT64_T;
}

static PetscScalar number(PetscInt i, PetscInt j)
{
  return (PetscScalar)(1000 * i + j + 1);
}

static PetscErrorCode fill(Mat dense)
{
  PetscInt first, last, columns;
  PetscCall(MatGetOwnershipRange(dense, &first, &last));
  PetscCall(MatGetSize(dense, NULL, &columns));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < columns; j++) PetscCall(MatSetValue(dense, i, j, number(i, j), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY));
  return 0;
}

static PetscErrorCode count_wrong(Mat dense, PetscInt *wrong)
{
  PetscInt first, last, columns;
  PetscCall(MatGetOwnershipRange(dense, &first, &last));
  PetscCall(MatGetSize(dense, NULL, &columns));
  for (PetscInt i = first; i < last; i++)
    for (PetscInt j = 0; j < columns; j++) {
      PetscScalar value;
      PetscCall(MatGetValues(dense, 1, &i, 1, &j, &value));
      *wrong += value != number(i, j);
    }
  return 0;
}

/* PETSc requires the same number of rows on every process. */
static PetscErrorCode there_and_back(PetscInt rows, PetscInt columns, PetscInt *wrong)
{
  Mat dense, cyclic, back;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, columns, NULL, &dense));
  PetscCall(fill(dense));
  PetscCall(MatConvert(dense, MATSCALAPACK, MAT_INITIAL_MATRIX, &cyclic));
  PetscCall(MatConvert(cyclic, MATDENSE, MAT_INITIAL_MATRIX, &back));
  PetscCall(count_wrong(back, wrong));
  PetscCall(MatDestroy(&dense));
  PetscCall(MatDestroy(&cyclic));
  PetscCall(MatDestroy(&back));
  return 0;
}

int main(int argc, char **argv)
{
  PetscInt wrong = 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int turn = 0; turn < 3; turn++) PetscCall(there_and_back(156, 180, &wrong));
  PetscCall(there_and_back(12, 24, &wrong));
  plans = 0;
  PetscCall(there_and_back(1200, 1200, &wrong)); /* has plans at once: there, and back */
  int failed = wrong != 0 || plans != 2;
  if (failed) (void)fprintf(stderr, "%ld elements are wrong; %d plans, not 2\n", (long)wrong, plans);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  PetscCall(PetscFinalize());
  return failed;
}
