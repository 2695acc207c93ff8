/* Replaces operations that PETSc gets wrong for a MATDENSE whose leading dimension is not its number of rows:
 * from 3.18 to 3.25 they run through the memory as if it were (src/mat/impls/dense, mpi/mpidense.c and
 * seq/dense.c). tests/petsc/test_matrix_gaps.c fails with the first PETSc that does one of them right. */
#include "matrix_impl.h"

/* Destroys a matrix that was made, and returns the `code` of its use. */
static PetscErrorCode drop(Mat *made, PetscErrorCode code)
{
  PetscCall(MatDestroy(made));
  return code;
}

/* ---- from the elements: on several processes ------------------------------------------------------- */

static PetscErrorCode get_diagonal(Mat mat, Vec diagonal)
{
  const PetscScalar *memory = NULL;
  PetscScalar *entries = NULL;
  PetscInt lead = 0, begin = 0, end = 0, columns = 0;
  PetscCall(MatDenseGetLDA(mat, &lead));
  PetscCall(MatGetOwnershipRange(mat, &begin, &end));
  PetscCall(MatGetSize(mat, NULL, &columns));
  PetscCall(MatDenseGetArrayRead(mat, &memory));
  PetscCall(VecGetArrayWrite(diagonal, &entries));
  for (PetscInt i = begin; i < end; i++) entries[i - begin] = i < columns ? memory[i - begin + i * lead] : 0;
  PetscCall(VecRestoreArrayWrite(diagonal, &entries));
  PetscCall(MatDenseRestoreArrayRead(mat, &memory));
  return 0;
}

static PetscErrorCode make_block(Mat mat, Mat *block)
{
  PetscInt lead = 0, begin = 0, rows = 0;
  PetscScalar *memory = NULL;
  PetscCall(MatDenseGetLDA(mat, &lead));
  PetscCall(MatGetOwnershipRange(mat, &begin, NULL));
  PetscCall(MatGetLocalSize(mat, &rows, NULL));
  PetscCall(MatDenseGetArray(mat, &memory));
  PetscCall(MatCreate(PETSC_COMM_SELF, block));
  PetscCall(MatSetSizes(*block, rows, rows, rows, rows));
  PetscCall(MatSetType(*block, MATSEQDENSE));
  PetscCall(MatDenseSetLDA(*block, lead));
  PetscCall(MatSeqDenseSetPreallocation(*block, rows > 0 ? memory + begin * lead : memory));
  PetscCall(MatDenseRestoreArray(mat, &memory));
  return dap_dense_repair(*block);
}

/* Keeps the block with the matrix, and marks it as changed whenever it is asked for, because it shares the
 * memory. */
static PetscErrorCode get_diagonal_block(Mat mat, Mat *block)
{
  static const char key[] = "dapbridge: diagonal block";
  PetscInt size[2] = {0};
  PetscCall(MatGetSize(mat, &size[0], &size[1]));
  PetscCheck(size[0] == size[1], PetscObjectComm((PetscObject)mat), PETSC_ERR_SUP,
             "A matrix that is not square has no diagonal block");
  PetscCall(PetscObjectQuery((PetscObject)mat, key, (PetscObject *)block));
  if (!*block) {
    Mat made = NULL;
    PetscErrorCode code = make_block(mat, &made);
    if (!code) code = PetscObjectCompose((PetscObject)mat, key, (PetscObject)made);
    *block = made;
    PetscCall(drop(&made, code));
  }
  return dap_mat_assemble(*block);
}

/* ---- from a copy --------------------------------------------------------------------------------------- */

static PetscErrorCode get_norm(Mat mat, NormType type, PetscReal *norm)
{
  Mat copy = NULL;
  PetscCall(MatDuplicate(mat, MAT_COPY_VALUES, &copy));
  return drop(&copy, MatNorm(copy, type, norm));
}

static PetscErrorCode get_reductions(Mat mat, PetscInt type, PetscReal reductions[])
{
  Mat copy = NULL;
  PetscCall(MatDuplicate(mat, MAT_COPY_VALUES, &copy));
  return drop(&copy, MatGetColumnReductions(copy, type, reductions));
}

/* PETSc refuses this, but only on processes that have a gap. */
static PetscErrorCode convert(Mat mat, MatType type, MatReuse reuse, Mat *made)
{
  Mat copy = NULL;
  PetscCheck(reuse != MAT_INPLACE_MATRIX, PetscObjectComm((PetscObject)mat), PETSC_ERR_SUP,
             "A matrix on its caller's memory cannot become another in place");
  PetscCall(MatDuplicate(mat, MAT_COPY_VALUES, &copy));
  return drop(&copy, MatConvert(copy, type, reuse, made));
}

static PetscErrorCode relax(Mat mat, Vec b, PetscReal omega, MatSORType type, PetscReal shift,
                            PetscInt iterations, PetscInt local_iterations, Vec x)
{
  Mat copy = NULL;
  PetscCall(MatDuplicate(mat, MAT_COPY_VALUES, &copy));
  return drop(&copy, MatSOR(copy, b, omega, type, shift, iterations, local_iterations, x));
}

/* Each process's part of a matrix on several is a matrix of its own, which is repaired as well. */
PetscErrorCode dap_dense_repair(Mat mat)
{
  Mat here = NULL;
  PetscMPIInt procs = 0;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)mat), &procs));
  PetscCall(MatSetOperation(mat, MATOP_GET_COLUMN_NORMS, (void (*)(void))get_reductions));
  if (procs == 1) return MatSetOperation(mat, MATOP_SOR, (void (*)(void))relax);
  PetscCall(MatDenseGetLocalMatrix(mat, &here));
  PetscCall(dap_dense_repair(here));
  PetscCall(PetscObjectComposeFunction((PetscObject)mat, "MatConvert_mpidense_scalapack_C", convert));
  PetscCall(MatSetOperation(mat, MATOP_NORM, (void (*)(void))get_norm));
  PetscCall(MatSetOperation(mat, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal));
  PetscCall(MatSetOperation(mat, MATOP_GET_DIAGONAL_BLOCK, (void (*)(void))get_diagonal_block));
  return 0;
}
