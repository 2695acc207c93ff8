#include "stencil.h"

bool stencil_make(live *a, const live_row *row)
{
  dap_error err = {0};
  live_make_row(a, row);
  return EXPECT_OK(live_get(a, DAP_READ_WRITE, &err), &err);
}

void stencil_end(live *a)
{
  live_restore(a);
  live_free(a);
}

/* PETSc's own DMDA with the same grid and that stencil. */
static DM reference(DM dm, int64_t width, bool star)
{
  PetscInt ndim = 0, dof = 1, size[3] = {0}, procs[3] = {0};
  const PetscInt *x = NULL, *y = NULL, *z = NULL;
  DMBoundaryType outer[3] = {DM_BOUNDARY_NONE};
  MatType type = MATAIJ;
  DM made = NULL;
  EXPECT(!DMDAGetInfo(dm, &ndim, &size[0], &size[1], &size[2], &procs[0], &procs[1], &procs[2], &dof, NULL,
                      &outer[0], &outer[1], &outer[2], NULL));
  EXPECT(!DMDAGetOwnershipRanges(dm, &x, &y, &z) && !DMGetMatType(dm, &type));
  EXPECT(!DMDACreate(PetscObjectComm((PetscObject)dm), &made) && !DMSetDimension(made, ndim));
  EXPECT(!DMDASetSizes(made, size[0], size[1], size[2]));
  EXPECT(!DMDASetNumProcs(made, procs[0], procs[1], procs[2]));
  EXPECT(!DMDASetOwnershipRanges(made, x, y, z));
  EXPECT(!DMDASetBoundaryType(made, outer[0], outer[1], outer[2]) && !DMDASetDof(made, dof));
  EXPECT(!DMDASetStencilWidth(made, (PetscInt)width));
  EXPECT(!DMDASetStencilType(made, star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX));
  EXPECT(!DMSetMatType(made, type) && !DMSetUp(made));
  return made;
}

/* Same rows, columns and values. */
static void compare(Mat found, Mat want, const char *why)
{
  PetscInt begin = 0, end = 0;
  EXPECT(!MatGetOwnershipRange(want, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    PetscInt count[2] = {0, 0};
    const PetscInt *columns[2] = {NULL, NULL};
    const PetscScalar *values[2] = {NULL, NULL};
    if (!EXPECT(!MatGetRow(found, row, &count[0], &columns[0], &values[0]))) return;
    if (!EXPECT(!MatGetRow(want, row, &count[1], &columns[1], &values[1]))) return;
    EXPECT_MSG(count[0] == count[1], "%s: a row of %d entries, not %d", why, (int)count[0], (int)count[1]);
    for (PetscInt i = 0; i < count[0] && count[0] == count[1]; i++)
      EXPECT_MSG(columns[0][i] == columns[1][i] && values[0][i] == values[1][i],
                 "%s: row %d, column %d: %g, not %g in column %d", why, (int)row, (int)columns[0][i],
                 (double)PetscRealPart(values[0][i]), (double)PetscRealPart(values[1][i]),
                 (int)columns[1][i]);
    EXPECT(!MatRestoreRow(found, row, &count[0], &columns[0], &values[0]));
    EXPECT(!MatRestoreRow(want, row, &count[1], &columns[1], &values[1]));
  }
}

/* The point of an index of a local vector. */
static MatStencil point_of(DM dm, PetscInt index)
{
  PetscInt begin[3] = {0}, n[3] = {1, 1, 1}, dof = 1;
  EXPECT(!DMDAGetGhostCorners(dm, &begin[0], &begin[1], &begin[2], &n[0], &n[1], &n[2]));
  EXPECT(!DMDAGetDof(dm, &dof));
  const PetscInt at = index / dof;
  return (MatStencil){.i = begin[0] + at % n[0],
                      .j = begin[1] + at / n[0] % n[1],
                      .k = begin[2] + at / n[0] / n[1],
                      .c = index % dof};
}

/* Sets a number of each entry's own in both matrices, which have the entries of `pattern`. */
static void fill(DM dm, Mat matrix, Mat other, Mat pattern, bool by_stencil)
{
  enum { MOST = 256 };
  ISLocalToGlobalMapping map;
  PetscInt begin = 0, end = 0;
  EXPECT(!DMGetLocalToGlobalMapping(dm, &map) && !MatGetOwnershipRange(pattern, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    PetscInt count = 0, at = -1, local[MOST];
    const PetscInt *columns = NULL;
    PetscScalar values[MOST];
    MatStencil points[MOST];
    EXPECT(!MatGetRow(pattern, row, &count, &columns, NULL) && count <= MOST);
    EXPECT(!ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, 1, &row, NULL, &at));
    EXPECT(!ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, count, columns, NULL, local));
    for (PetscInt i = 0; i < count; i++) {
      values[i] = (PetscReal)(1 + (31 * row + 17 * columns[i]) % 97);
      points[i] = point_of(dm, local[i]);
    }
    const MatStencil here = point_of(dm, at);
    EXPECT(!(by_stencil ? MatSetValuesStencil(matrix, 1, &here, count, points, values, INSERT_VALUES)
                        : MatSetValuesLocal(matrix, 1, &at, count, local, values, INSERT_VALUES)));
    EXPECT(!MatSetValues(other, 1, &row, count, columns, values, INSERT_VALUES));
    EXPECT(!MatRestoreRow(pattern, row, &count, &columns, NULL));
  }
  EXPECT(!MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatAssemblyBegin(other, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(other, MAT_FINAL_ASSEMBLY));
}

void stencil_check(DM dm, int64_t width, bool star, const char *why)
{
  DM like = reference(dm, width, star), its = NULL;
  Mat matrix = NULL, other = NULL, pattern = NULL;
  if (!EXPECT_MSG(!DMCreateMatrix(dm, &matrix), "%s: no matrix", why)) return;
  EXPECT(!DMCreateMatrix(like, &other) && !DMCreateMatrix(like, &pattern));
  EXPECT(!MatGetDM(matrix, &its) && its == dm);
  compare(matrix, pattern, why);
  EXPECT(!MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  for (int i = 0; i < 2; i++) {
    EXPECT(!MatZeroEntries(matrix) && !MatZeroEntries(other));
    fill(dm, matrix, other, pattern, i);
    compare(matrix, other, why);
  }
  EXPECT(!MatDestroy(&matrix) && !MatDestroy(&other) && !MatDestroy(&pattern) && !DMDestroy(&like));
}
