/* Goes through a dense matrix of any of PETSc's types, element by element. */
#include "live.h"

bool has_type(Mat mat, MatType type)
{
  PetscBool same = PETSC_FALSE;
  if (strcmp(type, MATDENSE) == 0)
    EXPECT(!PetscObjectTypeCompareAny((PetscObject)mat, &same, MATSEQDENSE, MATMPIDENSE, ""));
  else
    EXPECT(!PetscObjectTypeCompare((PetscObject)mat, type, &same));
  return same == PETSC_TRUE;
}

Mat live_inner(Mat mat, bool *transposed)
{
  Mat dense = mat;
  *transposed = has_type(mat, MATTRANSPOSEVIRTUAL);
  if (*transposed) EXPECT(!MatTransposeGetMat(mat, &dense));
  return dense;
}

void live_check_matrix(const live *a, Mat mat, int64_t shift)
{
  Vec x = NULL, y = NULL;
  if (!mat || live_size(a, 0) == 0 || live_size(a, 1) == 0) return;
  EXPECT(!MatCreateVecs(mat, &x, &y));
  for (PetscInt j = 0; j < (PetscInt)live_size(a, 1); j++) {
    PetscInt begin = 0, end = 0;
    const PetscScalar *memory = NULL;
    EXPECT(!VecGetOwnershipRange(x, &begin, &end) && !VecZeroEntries(x));
    if (j >= begin && j < end) EXPECT(!VecSetValue(x, j, 1, INSERT_VALUES));
    EXPECT(!VecAssemblyBegin(x) && !VecAssemblyEnd(x) && !MatMult(mat, x, y));
    EXPECT(!VecGetOwnershipRange(y, &begin, &end) && !VecGetArrayRead(y, &memory));
    for (PetscInt i = begin; i < end; i++) {
      const PetscScalar want = live_entry(a, live_at(a, (const int64_t[]){i, j}), shift);
      EXPECT_MSG(memory[i - begin] == want, "element (%d, %d): %g", (int)i, (int)j,
                 (double)PetscRealPart(memory[i - begin]));
    }
    EXPECT(!VecRestoreArrayRead(y, &memory));
  }
  EXPECT(!VecDestroy(&x) && !VecDestroy(&y));
}

void live_write_matrix(const live *a, Mat mat, int64_t shift)
{
  bool transposed = false;
  PetscMPIInt rank = 0, procs = 0;
  Mat inner = mat ? live_inner(mat, &transposed) : NULL;
  if (inner && has_type(inner, MATSHELL)) live_fill(a, shift);
  if (!inner || has_type(inner, MATSHELL)) return;
  MPI_Comm_rank(PetscObjectComm((PetscObject)inner), &rank);
  MPI_Comm_size(PetscObjectComm((PetscObject)inner), &procs);
  for (PetscInt i = 0; i < (PetscInt)live_size(a, 0); i++)
    for (PetscInt j = 0; j < (PetscInt)live_size(a, 1); j++) {
      const PetscScalar value = live_entry(a, live_at(a, (const int64_t[]){i, j}), shift);
      if ((i + j) % procs != rank) continue;
      EXPECT(!MatSetValue(inner, transposed ? j : i, transposed ? i : j, value, INSERT_VALUES));
    }
  EXPECT(!MatAssemblyBegin(inner, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(inner, MAT_FINAL_ASSEMBLY));
}
