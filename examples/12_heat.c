/* Solves the heat equation u_t = laplace(u) implicitly with TS. The Jacobian is computed by finite
 * differences with the DMDA's colours. The first domain is a torus of width 2 pi that is cut both ways, so
 * the padding of both axes wraps around. The second is the wall of a tube whose ends are held at 0. It is
 * cut only around the tube. Only that axis is padded, and TS works in the array's memory. On both, u =
 * exp(-2 t) sin(x) sin(y). Runs on any number of processes up to 40. */
#include "log.h"

#include <dapbridge/petsc.h>
#include <petscts.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
static dap_error err;
/* Fills the buffer, including padding, with u(0), or returns how far it is from u(t). Only protocol 0.9 has
 * padding that wraps around. There, padding is outside start and stop. */
static double visit(dap_array *array, double h, double t, bool fill)
{
  const dap_dim *x = array->dims, *y = x + 1;
  PetscScalar *at = array->data;
  double error = 0;
  for (int64_t i = x->start - x->padding[0]; i < x->stop + x->padding[1]; i++)
    for (int64_t j = y->start - y->padding[0]; j < y->stop + y->padding[1]; j++) {
      const double u = exp(-2 * t) * sin(h * (double)i) * sin(h * (double)j);
      if (fill) *at = u;
      error = fmax(error, PetscAbsScalar(*at - u));
      at++;
    }
  return error;
}

/* Sets f = laplace(u). On a periodic axis, the points at its ends also have neighbours: ghost points. */
static PetscErrorCode laplace(DMDALocalInfo *g, PetscReal t, PetscScalar **u, PetscScalar **f, void *unused)
{
  const PetscReal h = 2 * PETSC_PI / (PetscReal)g->my;
  (void)t, (void)unused;
  for (PetscInt i = g->ys; i < g->ys + g->ym; i++)
    for (PetscInt j = g->xs; j < g->xs + g->xm; j++) {
      const bool held = g->bx == DM_BOUNDARY_NONE && (j == 0 || j == g->mx - 1);
      f[i][j] = held ? 0 : (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4. * u[i][j]) / (h * h);
    }
  return 0;
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  PetscCall(PetscOptionsInsertString(NULL, "-ts_type cn -snes_type ksponly -snes_fd_color -ksp_rtol 1e-9"));
  const dap_dtype scalar = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  double error[3];
  for (int run = 0; run < 3; run++) {
    const bool torus = run == 0;
    const int n = run < 2 ? 40 : 80; /* points around; PETSc 3.18 needs a multiple of the 5 colours */
    int procs[2] = {0, torus ? 0 : 1};
    MPI_Dims_create(PetscGlobalSize, 2, procs);
    dap_dist cuts[] = {dap_dist_padded(n, procs[0], 1), dap_dist_padded(torus ? n : n + 1, procs[1], 1)};
    cuts[0].periodic = cuts[0].wraps = true;
    cuts[1].periodic = cuts[1].wraps = torus;
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    char text[1200];
    TS ts;
    CHECK(dap_layout_create(2, cuts, &layout, &err));
    CHECK(dap_array_init(&array, layout, PetscGlobalRank, scalar, DAP_ORDER_C, NULL, &err));
    visit(&array, 2 * PETSC_PI / n, 0, true);
    const dap_petsc_field_options star = {.star = true}; /* the formula is a star: 5 colours; a box has 9 */
    const dap_darray distributed = {layout, &array};
    CHECK(dap_petsc_field_get(PETSC_COMM_WORLD, distributed, DAP_READ_WRITE, &star, &field, &err));
    PetscCall(DMDATSSetRHSFunctionLocal(field.dm, INSERT_VALUES, (DMDATSRHSFunctionLocal)laplace, NULL));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetDM(ts, field.dm));
    PetscCall(TSSetTimeStep(ts, 1. / n));
    PetscCall(TSSetMaxTime(ts, 0.5));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
    PetscCall(TSSetFromOptions(ts));
    PetscCall(TSSolve(ts, field.global));
    PetscCall(TSDestroy(&ts));
    CHECK(dap_petsc_field_restore(&field, &err));
    error[run] = visit(&array, 2 * PETSC_PI / n, 0.5, false);
    MPI_Allreduce(MPI_IN_PLACE, &error[run], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &field.moved_bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
    dap_petsc_field_describe(&field, text, sizeof text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%s, %d points round, on %d x %d processes\n%slargest error %.2e\n\n",
                          torus ? "torus" : "tube", n, procs[0], procs[1], text, error[run]));
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  const double order = log2(error[1] / error[2]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "order of the error: %.2f\n", order));
  return PetscFinalize() || !(fabs(order - 2) < 0.1 && error[0] < 1e-3);
}
