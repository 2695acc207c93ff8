/* Solves the Bratu problem -laplace(u) = 6 exp(u) on the unit square with u = 0 on its sides. SNES uses
 * the DMDA of a padded array, which contains the first guess and in the end u. The array is distributed
 * along its slowest axis only, so both vectors use its memory. The Jacobian is computed by finite
 * differences with the DMDA's colours. Runs on up to 33 processes. */
#include "log.h"

#include <dapbridge/petsc.h>
#include <petscsnes.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
static dap_error err;
/* Computes the residual: the five-point formula times h^2, and on the sides u itself. */
static PetscErrorCode residual(DMDALocalInfo *g, void *at, void *result, void *unused)
{
  PetscScalar **const u = at, **const f = result;
  const PetscInt last = g->mx - 1; /* in both directions */
  const PetscReal h = 1. / (PetscReal)last;
  (void)unused;
  for (PetscInt i = g->ys; i < g->ys + g->ym; i++)
    for (PetscInt j = g->xs; j < g->xs + g->xm; j++)
      f[i][j] = i % last && j % last ? 4. * u[i][j] - u[i - 1][j] - u[i + 1][j] - u[i][j - 1] - u[i][j + 1] -
                                           6 * h * h * PetscExpScalar(u[i][j])
                                     : u[i][j];
  return 0;
}

/* Finds, without PETSc, the largest u, and the largest residual relative to that of u = 0. Except on the
 * sides, the process owns the points inside its buffer. dap_petsc_field_restore() has filled the halo. */
static void check(const dap_array *array, double h, double found[2])
{
  const PetscScalar *u = array->data;
  const int64_t n = array->shape[1];
  found[0] = found[1] = 0;
  for (int64_t i = 1; i < array->shape[0] - 1; i++)
    for (int64_t e = i * n + 1; e < i * n + n - 1; e++) {
      const PetscScalar f = (4. * u[e] - u[e - n] - u[e + n] - u[e - 1] - u[e + 1]) / (h * h);
      found[0] = fmax(found[0], PetscRealPart(u[e]));
      found[1] = fmax(found[1], PetscAbsScalar(f - 6. * PetscExpScalar(u[e])) / 6);
    }
  MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  PetscCall(PetscOptionsInsertString(NULL, "-snes_fd_color -snes_rtol 1e-10 -ksp_rtol 1e-6"));
  const dap_dtype scalar = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  double found[2][2];
  for (int run = 0; run < 2; run++) {
    const int n = 33 + 32 * run; /* points along an axis, sides included */
    const dap_dist cuts[] = {dap_dist_padded(n, PetscGlobalSize, 1), dap_dist_local(n)};
    const dap_petsc_field_options star = {.star = true, .width = 1}; /* 5 colours, 9 without star */
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    char text[1200];
    SNES snes;
    CHECK(dap_layout_create(2, cuts, &layout, &err));
    CHECK(dap_array_init(&array, layout, PetscGlobalRank, scalar, DAP_ORDER_C, NULL, &err)); /* u = 0 */
    const dap_darray distributed = {layout, &array};
    CHECK(dap_petsc_field_get(PETSC_COMM_WORLD, distributed, DAP_READ_WRITE, &star, &field, &err));
    PetscCall(DMDASNESSetFunctionLocal(field.dm, INSERT_VALUES, residual, NULL));
    PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
    PetscCall(SNESSetDM(snes, field.dm));
    PetscCall(SNESSetFromOptions(snes));
    PetscCall(SNESSolve(snes, NULL, field.global));
    PetscCall(SNESDestroy(&snes));
    CHECK(dap_petsc_field_restore(&field, &err));
    check(&array, 1. / (n - 1), found[run]);
    dap_petsc_field_describe(&field, text, sizeof text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d x %d points\n%slargest u %.6f, residual %.1e\n\n", n, n, text,
                          found[run][0], found[run][1]));
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  /* Half of h gives a quarter of the error. Without error, u's maximum is 0.79711 (by a spectral method). */
  const double maximum = found[1][0] + (found[1][0] - found[0][0]) / 3;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest u without the grid's error: %.4f\n", maximum));
  return PetscFinalize() || !(fabs(maximum - 0.79711) < 5e-5 && fmax(found[0][1], found[1][1]) < 1e-8);
}
