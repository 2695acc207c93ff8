/* Makes matrices by another stencil than that of the ghost points. A DMDA has one stencil for both, so the
 * function that makes its matrices is replaced (DMDASetGetMatrix): a second DMDA of the same points makes
 * them. The program sees a matrix of the first DMDA, so it must have the points of that one's local
 * vectors. */
#include "field_impl.h"
#include "import_impl.h"

/* Copies types and the prefix of options, which decide about the type of the matrix. */
static PetscErrorCode copy_types(DM from, DM to)
{
  const char *prefix = NULL;
  MatType matrix = NULL;
  VecType vector = NULL;
  PetscCall(DMGetMatType(from, &matrix));
  PetscCall(DMSetMatType(to, matrix));
  PetscCall(DMGetVecType(from, &vector));
  PetscCall(DMSetVecType(to, vector));
  PetscCall(DMGetOptionsPrefix(from, &prefix));
  return DMSetOptionsPrefix(to, prefix);
}

static PetscErrorCode copy_grid(DM from, const dap_stencil *stencil, DM to)
{
  dap_facts f;
  PetscCall(dap_facts_ask(from, &f));
  for (PetscInt d = f.ndim; d < DAP_GRID_MAX; d++) {
    f.size[d] = f.procs[d] = 1;
    f.outer[d] = DM_BOUNDARY_NONE;
    f.ranges[d] = NULL;
  }
  f.width = (PetscInt)stencil->width;
  f.stencil = stencil->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX;
  return dap_facts_set_up(&f, to);
}

/* Only types that take entries by points of the local vectors will do. MATIS, for example, keeps matrices
 * with the points of the second DMDA. */
static PetscErrorCode check_type(Mat matrix)
{
  static const char *const types[] = {"aij", "sell", "dense"}; /* and "baij" */
  MatType type = NULL;
  PetscCall(MatGetType(matrix, &type));
  for (int i = 0; i < 3; i++) {
    char *found = NULL;
    PetscCall(PetscStrstr(type, types[i], &found));
    if (found) return 0;
  }
  SETERRQ(PetscObjectComm((PetscObject)matrix), PETSC_ERR_SUP,
          "The field was given matrix_width or matrix_star, which matrices of type %s do not support", type);
}

/* Checks the type that DMCreateMatrix() would give a matrix, before it makes the matrix. PETSc makes a MATIS
 * only for a box stencil, and DMCreateMatrix() leaks a matrix that it cannot make. The option -mat_type
 * overrides the DMDA's type, so a matrix without elements is given its type in the same way (PETSc's
 * src/dm/impls/da/fdda.c). */
static PetscErrorCode check_type_of_dm(DM dm)
{
  Mat trial = NULL;
  MatType type = NULL;
  PetscCall(DMGetMatType(dm, &type));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)dm), &trial));
  PetscErrorCode code = MatSetType(trial, type);
  if (!code) code = MatSetFromOptions(trial);
  if (!code) code = check_type(trial);
  PetscCall(MatDestroy(&trial));
  return code;
}

/* Gives the matrix to the first DMDA. */
static PetscErrorCode hand_over(Mat matrix, DM dm)
{
  ISLocalToGlobalMapping points = NULL;
  dap_facts f;
  PetscCall(check_type(matrix));
  PetscCall(dap_facts_ask(dm, &f));
  PetscCall(DMGetLocalToGlobalMapping(dm, &points));
  PetscCall(MatSetLocalToGlobalMapping(matrix, points, points));
  PetscCall(MatSetStencil(matrix, f.ndim, f.ghost_length, f.ghost_begin, f.dof));
  return MatSetDM(matrix, dm);
}

/* Makes a matrix of a DMDA. */
static PetscErrorCode make_matrix(DM dm, Mat *matrix)
{
  DM second = NULL;
  Mat made = NULL;
  dap_dm_memo *memo = NULL;
  PetscCall(check_type_of_dm(dm));
  PetscCall(dap_dm_memo_of(dm, &memo));
  PetscCall(DMDACreate(PetscObjectComm((PetscObject)dm), &second));
  PetscErrorCode code = copy_types(dm, second);
  if (!code) code = copy_grid(dm, &memo->matrix, second);
  if (!code) code = DMCreateMatrix(second, &made);
  if (!code) code = hand_over(made, dm);
  PetscCall(DMDestroy(&second));
  if (code) PetscCall(MatDestroy(&made));
  PetscCall(code);
  *matrix = made;
  return 0;
}

/* PETSc's DMCoarsen() and DMRefine() hand on the function, but not the stencil that it needs. */
static PetscErrorCode hand_on(DM from, DM to, void *unused)
{
  dap_dm_memo *memo = NULL;
  (void)unused;
  PetscCall(dap_dm_memo_of(from, &memo));
  return dap_dm_set_matrix(to, &memo->matrix);
}

PetscErrorCode dap_dm_set_matrix(DM dm, const dap_stencil *stencil)
{
  dap_dm_memo *memo = NULL;
  if (stencil->width == 0) return 0;
  PetscCall(dap_dm_memo_of(dm, &memo));
  memo->matrix = *stencil;
  PetscCall(DMCoarsenHookAdd(dm, hand_on, NULL, NULL));
  PetscCall(DMRefineHookAdd(dm, hand_on, NULL, NULL));
  return DMDASetGetMatrix(dm, make_matrix);
}
