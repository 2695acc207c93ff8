/* Makes a shell that multiplies with local blocks that no MATDENSE can hold on several processes. PETSc makes
 * sums, scalings and Hermitian products of its products (src/mat/impls/shell/shell.c), so MatScale() and
 * similar functions work. */
#include "matrix_impl.h"
#include "petsc_versions.h"

typedef struct shell {
  int axis;       /* is spread over the processes in ranges */
  PetscInt begin; /* the beginning of this process's range */
  Mat block;      /* sequential: rows along the whole axis, columns along the spread one */
  Vec part;       /* along the block's columns; each product lends it memory */
  Vec whole;
  VecScatter gather; /* gathers all processes' parts of a vector along the block's rows */
} shell;

/* Sets y = block^T x. */
static PetscErrorCode multiply_whole(const shell *s, Vec x, Vec y)
{
  PetscScalar *memory = NULL;
  PetscCall(VecScatterBegin(s->gather, x, s->whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(s->gather, x, s->whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayWrite(y, &memory));
  PetscCall(VecPlaceArray(s->part, memory));
  PetscCall(MatMultTranspose(s->block, s->whole, s->part));
  PetscCall(VecResetArray(s->part));
  PetscCall(VecRestoreArrayWrite(y, &memory));
  return 0;
}

/* Sets y to the sum of block x over the processes. */
static PetscErrorCode multiply_part(const shell *s, Vec x, Vec y)
{
  const PetscScalar *memory = NULL;
  PetscCall(VecGetArrayRead(x, &memory));
  PetscCall(VecPlaceArray(s->part, memory));
  PetscCall(MatMult(s->block, s->part, s->whole));
  PetscCall(VecResetArray(s->part));
  PetscCall(VecRestoreArrayRead(x, &memory));
  PetscCall(VecZeroEntries(y));
  PetscCall(VecScatterBegin(s->gather, s->whole, y, ADD_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(s->gather, s->whole, y, ADD_VALUES, SCATTER_REVERSE));
  return 0;
}

static PetscErrorCode multiply(Mat mat, Vec x, Vec y)
{
  shell *s = NULL;
  PetscCall(MatShellGetContext(mat, &s));
  return s->axis == 0 ? multiply_whole(s, x, y) : multiply_part(s, x, y);
}

static PetscErrorCode multiply_transposed(Mat mat, Vec x, Vec y)
{
  shell *s = NULL;
  PetscCall(MatShellGetContext(mat, &s));
  return s->axis == 0 ? multiply_part(s, x, y) : multiply_whole(s, x, y);
}

/* The process that holds element (g, g) need not own entry g of a vector along the rows. */
static PetscErrorCode get_diagonal(Mat mat, Vec diagonal)
{
  shell *s = NULL;
  const PetscScalar *memory = NULL;
  PetscInt rows = 0, columns = 0, lead = 0;
  PetscCall(MatShellGetContext(mat, &s));
  PetscCall(MatGetSize(s->block, &rows, &columns));
  PetscCall(MatDenseGetLDA(s->block, &lead));
  PetscCall(VecZeroEntries(diagonal));
  PetscCall(MatDenseGetArrayRead(s->block, &memory));
  for (PetscInt i = 0; i < columns && s->begin + i < rows; i++)
    PetscCall(VecSetValue(diagonal, s->begin + i, memory[s->begin + i + i * lead], INSERT_VALUES));
  PetscCall(MatDenseRestoreArrayRead(s->block, &memory));
  PetscCall(VecAssemblyBegin(diagonal));
  PetscCall(VecAssemblyEnd(diagonal));
  return 0;
}

/* Ends the context that duplicates share. MatShellSetContextDestroy() does so with the last of them,
 * MATOP_DESTROY would with each. */
static PetscErrorCode destroy(dap_context_arg arg)
{
  shell *s = dap_context_of(arg);
  const PetscErrorCode ends[] = {VecScatterDestroy(&s->gather), VecDestroy(&s->whole), VecDestroy(&s->part),
                                 MatDestroy(&s->block)};
  PetscErrorCode first = PetscFree(s);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    if (!first) first = ends[i];
  return first;
}

static PetscErrorCode make_block(shell *s, const dap_mat_block *block)
{
  const PetscInt rows = (PetscInt)block->size[block->inner], columns = (PetscInt)block->owned;
  PetscCall(MatCreate(PETSC_COMM_SELF, &s->block));
  PetscCall(MatSetSizes(s->block, rows, columns, rows, columns));
  PetscCall(MatSetType(s->block, MATSEQDENSE));
  PetscCall(MatDenseSetLDA(s->block, (PetscInt)block->lead));
  PetscCall(MatSeqDenseSetPreallocation(s->block, block->data));
  PetscCall(dap_mat_assemble(s->block));
  return VecCreateSeqWithArray(PETSC_COMM_SELF, 1, columns, NULL, &s->part);
}

static PetscErrorCode make_gather(shell *s, Mat mat, int inner)
{
  Vec vectors[2] = {NULL, NULL}; /* along the rows, along the columns */
  PetscErrorCode code = MatCreateVecs(mat, &vectors[1], &vectors[0]);
  if (!code) code = VecScatterCreateToAll(vectors[inner], &s->gather, &s->whole);
  if (!code) code = VecGetOwnershipRange(vectors[s->axis], &s->begin, NULL);
  for (int k = 0; k < 2; k++) {
    const PetscErrorCode last = VecDestroy(&vectors[k]);
    if (!code) code = last;
  }
  return code;
}

PetscErrorCode dap_shell_create(MPI_Comm comm, const dap_mat_block *block, Mat *mat)
{
  const PetscInt size[2] = {(PetscInt)block->size[0], (PetscInt)block->size[1]};
  PetscInt here[2] = {PETSC_DECIDE, PETSC_DECIDE};
  shell *s = NULL;
  here[block->axis] = (PetscInt)block->owned;
  if (size[0] == size[1]) here[1 - block->axis] = here[block->axis];
  PetscCall(PetscNew(&s));
  s->axis = block->axis;
  PetscErrorCode code = MatCreateShell(comm, here[0], here[1], size[0], size[1], s, mat);
  if (!code) code = MatShellSetContextDestroy(*mat, destroy);
  if (code) (void)PetscFree(s); /* the matrix does not own it yet */
  PetscCall(code);
  PetscCall(MatShellSetOperation(*mat, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(*mat, MATOP_MULT_TRANSPOSE, (void (*)(void))multiply_transposed));
  PetscCall(MatShellSetOperation(*mat, MATOP_GET_DIAGONAL, (void (*)(void))get_diagonal));
  PetscCall(make_block(s, block));
  return make_gather(s, *mat, block->inner);
}
