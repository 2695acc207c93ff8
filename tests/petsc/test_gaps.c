/* What PETSc alone gets wrong of a MATDENSE whose leading dimension is not its number of rows, which is why
 * petsc/matrix_repair.c replaces it. A row that fails: this PETSc does it right, and needs the repair no
 * longer; the version goes into petsc_versions.h. */
#include "matrix_check.h"

enum { SIZE = 24, GAP = 2 };

/* PETSc's own, on memory with gaps in which there is what would show in any sum. */
static Mat make(PetscScalar memory[(SIZE + GAP) * SIZE])
{
  Mat mat = NULL;
  PetscInt here = PETSC_DECIDE, all = SIZE, lo = 0, hi = 0;
  EXPECT(!PetscSplitOwnership(MPI_COMM_WORLD, &here, &all) && !MatCreate(MPI_COMM_WORLD, &mat));
  for (int k = 0; k < (SIZE + GAP) * SIZE; k++) memory[k] = -1000;
  EXPECT(!MatSetSizes(mat, here, here, SIZE, SIZE) && !MatSetType(mat, MATDENSE));
  EXPECT(!MatDenseSetLDA(mat, here + GAP) && !MatSeqDenseSetPreallocation(mat, memory));
  EXPECT(!MatMPIDenseSetPreallocation(mat, memory) && !MatGetOwnershipRange(mat, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = 0; j < SIZE; j++) memory[i - lo + j * (here + GAP)] = dominant_at(i, j);
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  return mat;
}

static bool differ(Vec found, Vec want)
{
  PetscReal norm = 0;
  EXPECT(!VecAXPY(found, -1, want) && !VecNorm(found, NORM_1, &norm));
  return !(norm < 1e-10);
}

/* ---- is what the first matrix gives other than what the second does, which has no gaps? ---------------- */

static bool norm(Mat mat, Mat copy)
{
  PetscReal found = 0, want = 0;
  EXPECT(!MatNorm(mat, NORM_1, &found) && !MatNorm(copy, NORM_1, &want));
  return found != want;
}

static bool column_norms(Mat mat, Mat copy)
{
  PetscReal found[SIZE] = {0}, want[SIZE] = {0};
  EXPECT(!MatGetColumnNorms(mat, NORM_1, found) && !MatGetColumnNorms(copy, NORM_1, want));
  return memcmp(found, want, sizeof found) != 0;
}

static bool diagonal(Mat mat, Mat copy)
{
  Vec found = NULL, want = NULL;
  EXPECT(!MatCreateVecs(mat, NULL, &found) && !MatCreateVecs(mat, NULL, &want));
  EXPECT(!MatGetDiagonal(mat, found) && !MatGetDiagonal(copy, want));
  const bool wrong = differ(found, want);
  EXPECT(!VecDestroy(&found) && !VecDestroy(&want));
  return wrong;
}

static bool diagonal_block(Mat mat, Mat copy)
{
  Mat found = NULL, want = NULL;
  PetscBool equal = PETSC_TRUE;
  EXPECT(!MatGetDiagonalBlock(mat, &found) && !MatGetDiagonalBlock(copy, &want));
  EXPECT(!MatAssemblyBegin(found, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(found, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatAssemblyBegin(want, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(want, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatEqual(found, want, &equal));
  return !equal;
}

static bool sweep(Mat mat, Mat copy)
{
  const MatSORType type = (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
  Vec found = NULL, want = NULL, b = NULL;
  EXPECT(!MatCreateVecs(mat, &found, &b) && !VecDuplicate(found, &want) && !VecSet(b, 1));
  EXPECT(!MatSOR(mat, b, 1, type, 0, 1, 1, found) && !MatSOR(copy, b, 1, type, 0, 1, 1, want));
  const bool wrong = differ(found, want);
  EXPECT(!VecDestroy(&found) && !VecDestroy(&want) && !VecDestroy(&b));
  return wrong;
}

/* Into the first: A X = B, with A = B, of copies. */
static bool solution(Mat mat, Mat copy)
{
  Mat factor = NULL, want = NULL;
  PetscBool equal = PETSC_TRUE;
  EXPECT(!MatGetFactor(copy, MATSOLVERPETSC, MAT_FACTOR_LU, &factor));
  EXPECT(!MatLUFactorSymbolic(factor, copy, NULL, NULL, NULL) && !MatLUFactorNumeric(factor, copy, NULL));
  EXPECT(!MatDuplicate(copy, MAT_COPY_VALUES, &want) && !MatMatSolve(factor, copy, want));
  EXPECT(!MatMatSolve(factor, copy, mat) && !MatEqual(mat, want, &equal));
  EXPECT(!MatDestroy(&factor) && !MatDestroy(&want));
  return !equal;
}

typedef struct row {
  const char *why;
  bool (*is_wrong)(Mat mat, Mat copy);
  bool alone, among; /* wrong on one process, on several */
  bool one_only;     /* PETSc has it on one process only */
} row;

static const row rows[] = {
    {"MatNorm", norm, false, true, false},
    {"MatGetColumnNorms", column_norms, true, true, false},
    {"MatGetDiagonal", diagonal, false, true, false},
    {"MatGetDiagonalBlock", diagonal_block, false, true, false},
    {"MatSOR", sweep, true, false, true},
    {"MatMatSolve, which is not repaired", solution, true, false, true},
};

static void check(const row *r)
{
  static PetscScalar memory[(SIZE + GAP) * SIZE];
  Mat mat = make(memory), copy = NULL;
  TEST_CASE("%s", r->why);
  EXPECT(!MatDuplicate(mat, MAT_COPY_VALUES, &copy));
  int wrong = r->is_wrong(mat, copy);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_INT(wrong, test_nprocs() == 1 ? r->alone : r->among);
  EXPECT(!MatDestroy(&mat) && !MatDestroy(&copy));
  SETTLE();
}

static void needs_repairs(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (test_nprocs() == 1 || !rows[i].one_only) check(&rows[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(needs_repairs),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
