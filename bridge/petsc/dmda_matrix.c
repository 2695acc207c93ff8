/* Matrices by another stencil than that of the ghost points. A DMDA has one stencil, for both. So the
 * function that makes its matrices is replaced, as DMDASetGetMatrix() is for: it asks a second DMDA, of the
 * same points on the same processes, whose stencil is the matrices', for one. To programs the matrix belongs
 * to the first DMDA all the same, whose local vectors number the points that MatSetValuesLocal() means: so
 * it must name no point that these do not have. */
#include "field_impl.h"

/* ---- the second DMDA ---------------------------------------------------------------------------------- */

/* Its types and its prefix, which decide about the type of the matrix. */
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
  PetscInt ndim, size[DAP_GRID_MAX], procs[DAP_GRID_MAX], dof;
  DMBoundaryType outer[DAP_GRID_MAX];
  const PetscInt *ranges[DAP_GRID_MAX];
  PetscCall(DMDAGetInfo(from, &ndim, &size[0], &size[1], &size[2], &procs[0], &procs[1], &procs[2], &dof,
                        NULL, &outer[0], &outer[1], &outer[2], NULL));
  PetscCall(DMDAGetOwnershipRanges(from, &ranges[0], &ranges[1], &ranges[2]));
  for (PetscInt d = ndim; d < DAP_GRID_MAX; d++) {
    size[d] = procs[d] = 1;
    outer[d] = DM_BOUNDARY_NONE;
    ranges[d] = NULL;
  }
  PetscCall(DMSetDimension(to, ndim));
  PetscCall(DMDASetSizes(to, size[0], size[1], size[2]));
  PetscCall(DMDASetNumProcs(to, procs[0], procs[1], procs[2]));
  PetscCall(DMDASetBoundaryType(to, outer[0], outer[1], outer[2]));
  PetscCall(DMDASetDof(to, dof));
  PetscCall(DMDASetStencilType(to, stencil->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX));
  PetscCall(DMDASetStencilWidth(to, (PetscInt)stencil->width));
  PetscCall(DMDASetOwnershipRanges(to, ranges[0], ranges[1], ranges[2]));
  return DMSetUp(to);
}

/* ---- the matrix --------------------------------------------------------------------------------------- */

/* Types that take entries by points of the local vectors. What MATIS, for one, keeps on each process has the
 * points of the second DMDA's. */
static PetscErrorCode check_type(Mat matrix)
{
  static const char *const types[] = {"aij", "sell", "dense"}; /* "baij" too */
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

/* The matrix becomes the first DMDA's. */
static PetscErrorCode hand_over(Mat matrix, DM dm)
{
  ISLocalToGlobalMapping points = NULL;
  PetscInt ndim, dof, begin[DAP_GRID_MAX], length[DAP_GRID_MAX];
  PetscCall(check_type(matrix));
  PetscCall(DMDAGetInfo(dm, &ndim, NULL, NULL, NULL, NULL, NULL, NULL, &dof, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMGetLocalToGlobalMapping(dm, &points));
  PetscCall(MatSetLocalToGlobalMapping(matrix, points, points));
  PetscCall(DMDAGetGhostCorners(dm, &begin[0], &begin[1], &begin[2], &length[0], &length[1], &length[2]));
  PetscCall(MatSetStencil(matrix, ndim, length, begin, dof));
  return MatSetDM(matrix, dm);
}

/* Makes a matrix, for DMDASetGetMatrix(). */
static PetscErrorCode make_matrix(DM dm, Mat *matrix)
{
  DM second = NULL;
  Mat made = NULL;
  dap_stencil stencil;
  PetscCall(dap_dm_get_matrix(dm, &stencil));
  PetscCall(DMDACreate(PetscObjectComm((PetscObject)dm), &second));
  PetscErrorCode code = copy_types(dm, second);
  if (!code) code = copy_grid(dm, &stencil, second);
  if (!code) code = DMCreateMatrix(second, &made);
  if (!code) code = hand_over(made, dm);
  PetscCall(DMDestroy(&second));
  if (code) PetscCall(MatDestroy(&made));
  PetscCall(code);
  *matrix = made;
  return 0;
}

/* ---- coarser and finer DMDAs --------------------------------------------------------------------------- */

/* PETSc's DMCoarsen() and DMRefine() hand on the function, but not what it needs to know. */
static PetscErrorCode hand_on(DM from, DM to, void *unused)
{
  dap_stencil stencil;
  (void)unused;
  PetscCall(dap_dm_get_matrix(from, &stencil));
  return dap_dm_set_matrix(to, &stencil);
}

PetscErrorCode dap_dm_set_matrix(DM dm, const dap_stencil *stencil)
{
  if (stencil->width == 0) return 0;
  PetscCall(dap_dm_remember_matrix(dm, stencil));
  PetscCall(DMCoarsenHookAdd(dm, hand_on, NULL, NULL));
  PetscCall(DMRefineHookAdd(dm, hand_on, NULL, NULL));
  return DMDASetGetMatrix(dm, make_matrix);
}
