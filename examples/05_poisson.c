/* Solves -laplace(u) = f on the cube (0, pi)^3 with u = 0 on its faces. A KSP with multigrid uses the DMDA
 * of a padded block array. The array contains f first and u in the end. The solution is u = sin(x) sin(y)
 * sin(z). Run the program on 4 processes. */
#include "log.h"

#include <dapbridge/petsc.h>
#include <petscksp.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
static dap_error err;
/* Fills the buffer, padding too (start and stop include it), with f h^3; or returns how far it is from u. */
static double visit(dap_array *array, double h, bool fill)
{
  PetscScalar *at = array->data;
  double error = 0;
  for (int64_t i = array->dims[0].start; i < array->dims[0].stop; i++)
    for (int64_t j = array->dims[1].start; j < array->dims[1].stop; j++)
      for (int64_t k = array->dims[2].start; k < array->dims[2].stop; k++) {
        const double u = sin(h * (double)i) * sin(h * (double)j) * sin(h * (double)k);
        if (fill) *at = 3 * u * h * h * h;
        error = fmax(error, PetscAbsScalar(*at - u));
        at++;
      }
  return error;
}

/* Assembles the seven-point formula times h^3 on a grid; on the faces only its middle, for u = 0. */
static PetscErrorCode assemble(KSP ksp, Mat unused, Mat matrix, void *context)
{
  DMDALocalInfo g;
  (void)unused, (void)context;
  PetscCall(KSPGetDM(ksp, &g.da));
  PetscCall(DMDAGetLocalInfo(g.da, &g));
  const PetscInt last = g.mx - 1; /* in all directions */
  const PetscScalar h = PETSC_PI / (double)last, v[7] = {6 * h, -h, -h, -h, -h, -h, -h};
  for (PetscInt p = 0; p < g.xm * g.ym * g.zm; p++) {
    const PetscInt i = g.xs + p % g.xm, j = g.ys + p / g.xm % g.ym, k = g.zs + p / g.xm / g.ym;
    const MatStencil at[7] = {{k, j, i, 0},     {k, j, i - 1, 0}, {k, j, i + 1, 0}, {k, j - 1, i, 0},
                              {k, j + 1, i, 0}, {k - 1, j, i, 0}, {k + 1, j, i, 0}};
    PetscCall(
        MatSetValuesStencil(matrix, 1, at, i % last && j % last && k % last ? 7 : 1, at, v, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
}

int main(int argc, char **argv)
{
  static const int runs[][3] = {{33, 2, 2}, {65, 2, 2}, {65, 4, 1}}; /* points, processes along two axes */
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  if (PetscGlobalSize != 4) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "this example needs 4 processes\n"));
    return PetscFinalize() || 1;
  }
  PetscCall(PetscOptionsInsertString(NULL, "-ksp_rtol 1e-9 -pc_type mg -pc_mg_levels 4"));
  const dap_dtype scalar = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  double error[3];
  for (int run = 0; run < 3; run++) {
    const int n = runs[run][0], p = runs[run][1], q = runs[run][2];
    const dap_dist cuts[] = {dap_dist_padded(n, p, 1), dap_dist_padded(n, q, 1), dap_dist_local(n)};
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    char text[800];
    KSP ksp;
    CHECK(dap_layout_create(3, cuts, &layout, &err));
    CHECK(dap_array_init(&array, layout, PetscGlobalRank, scalar, DAP_ORDER_C, NULL, &err));
    visit(&array, PETSC_PI / (n - 1), true);
    double seconds = -MPI_Wtime();
    const dap_darray distributed = {layout, &array};
    const dap_petsc_field_options seven = {.matrix_star = true}; /* points of the formula; a box has 27 */
    CHECK(dap_petsc_field_get(PETSC_COMM_WORLD, distributed, DAP_READ_WRITE, &seven, &field, &err));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetDM(ksp, field.dm));
    PetscCall(KSPSetComputeOperators(ksp, assemble, NULL));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, field.global, field.global));
    PetscCall(KSPDestroy(&ksp));
    CHECK(dap_petsc_field_restore(&field, &err));
    seconds += MPI_Wtime();
    error[run] = visit(&array, PETSC_PI / (n - 1), false);
    MPI_Allreduce(MPI_IN_PLACE, &error[run], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &field.moved_bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
    dap_petsc_field_describe(&field, text, sizeof text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d^3 points on %d x %d processes\n%s", n, p, q, text));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.2f s, largest error %.2e\n\n", seconds, error[run]));
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "order of the error: %.2f\n", log2(error[0] / error[1])));
  return PetscFinalize() || fabs(log2(error[0] / error[1]) - 2) > 0.1;
}
