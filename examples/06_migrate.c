/* Moves a symmetric matrix from PETSc to ScaLAPACK and back. A PETSc program keeps the matrix in a vector
 * on a 2-D DMDA. ScaLAPACK has it in other blocks on other processes, and factors it: A = L L'. Then L
 * moves back into PETSc's vector. Runs on 4 processes. */
#include "log.h"

#include <dapbridge/petsc.h>
#include <dapbridge/scalapack_calls.h>

enum { N = 1000 };
static dap_error err;
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)

static double element(PetscInt i, PetscInt j)
{
  return (i == j) + 1.0 / (double)(1 + PetscAbs(i - j));
}

/* Returns || (L L' - A) e || / (||A|| n eps) in the maximum norm, where all elements of e are 1. */
static PetscErrorCode check(const DMDALocalInfo *g, Vec vector, double *residual)
{
  PetscScalar **l;
  static double y[N], sums[2][N]; /* L' e; (L L' - A) e, A e */
  PetscCall(DMDAVecGetArrayRead(g->da, vector, &l));
  for (PetscInt i = g->ys; i < g->ys + g->ym; i++)
    for (PetscInt j = g->xs; j < g->xs + g->xm && j <= i; j++) y[j] += PetscRealPart(l[i][j]);
  MPI_Allreduce(MPI_IN_PLACE, y, N, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  for (PetscInt i = g->ys; i < g->ys + g->ym; i++)
    for (PetscInt j = g->xs; j < g->xs + g->xm; j++) {
      sums[0][i] += (j <= i ? PetscRealPart(l[i][j]) * y[j] : 0) - element(i, j);
      sums[1][i] += element(i, j);
    }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2 * N, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  double largest[2] = {0};
  for (int i = 0; i < 2 * N; i++) largest[i / N] = fmax(largest[i / N], fabs(sums[i / N][i % N]));
  *residual = largest[0] / (largest[1] * N * PETSC_MACHINE_EPSILON);
  return DMDAVecRestoreArrayRead(g->da, vector, &l);
}

int main(int argc, char **argv)
{
  DM dm;
  DMDALocalInfo g;
  Vec vector;
  PetscScalar **a;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  if (PetscGlobalSize != 4) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "this example needs 4 processes\n"));
    return PetscFinalize() || 1;
  }
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, N, N, 1, 4,
                         1, 0, NULL, (PetscInt[]){400, 300, 200, 100}, &dm));
  PetscCall(DMSetUp(dm));
  PetscCall(DMDAGetLocalInfo(dm, &g));
  PetscCall(DMCreateGlobalVector(dm, &vector));
  PetscCall(DMDAVecGetArray(dm, vector, &a));
  for (PetscInt i = g.ys; i < g.ys + g.ym; i++)
    for (PetscInt j = g.xs; j < g.xs + g.xm; j++) a[i][j] = element(i, j);
  PetscCall(DMDAVecRestoreArray(dm, vector, &a));
  dap_array array;
  dap_layout *layout;
  dap_scalapack_matrix matrix;
  const dap_scalapack_options options = {.routine = "potrf"};
  char text[1024];
  dap_scalapack_int one = 1, info = 0;
  double residual = 0, seconds = -MPI_Wtime();
  CHECK(dap_petsc_field_import(vector, &array, &layout, &err));
  const dap_darray elements = {layout, &array};
  CHECK(dap_scalapack_get(PETSC_COMM_WORLD, elements, DAP_READ_WRITE, &options, &matrix, &err));
  dap_scalapack_describe(&matrix, text, sizeof text);
  (PetscDefined(USE_COMPLEX) ? pzpotrf_ : pdpotrf_)(matrix.op == 'N' ? "L" : "U", &matrix.m, matrix.data,
                                                    &one, &one, matrix.desc, &info);
  CHECK(dap_scalapack_restore(&matrix, &err));
  dap_array_release(&array);
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &matrix.moved_bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  PetscCall(check(&g, vector, &residual));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s\nback in PETSc's vector: %lld bytes moved by all, %.2f s, residual %.2e\n", text,
                        (long long)matrix.moved_bytes, seconds, residual));
  dap_layout_destroy(&layout);
  PetscCall(VecDestroy(&vector));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return info != 0 || !(residual < 10);
}
