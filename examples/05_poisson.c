/* Solves -laplace(u) = f on the unit cube, u = 0 on its faces, by one KSP with multigrid on the DMDA of a padded
 * block array. f is chosen so that u = sin(pi x) sin(pi y) sin(pi z). Run it on 4 processes. */
#include <dapbridge.h>
#include <dapbridge/petsc.h>
#include <petscsnes.h>

static dap_error err;
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)

static double exact(double h, int64_t i, int64_t j, int64_t k)
{
  return sin(h * (double)i) * sin(h * (double)j) * sin(h * (double)k);
}

/* What the solution makes zero: the seven-point formula inside, u itself on the faces. */
static PetscErrorCode residual(DMDALocalInfo *g, PetscScalar ***u, PetscScalar ***r, void *unused)
{
  const double h = PETSC_PI / (double)(g->mx - 1);
  (void)unused;
  for (PetscInt k = g->zs; k < g->zs + g->zm; k++)
    for (PetscInt j = g->ys; j < g->ys + g->ym; j++)
      for (PetscInt i = g->xs; i < g->xs + g->xm; i++) {
        r[k][j][i] = u[k][j][i];
        if ((i + 1) % g->mx < 2 || (j + 1) % g->my < 2 || (k + 1) % g->mz < 2) continue;
        r[k][j][i] = 6 * u[k][j][i] - u[k][j][i - 1] - u[k][j][i + 1] - u[k][j - 1][i] - u[k][j + 1][i] -
                     u[k - 1][j][i] - u[k + 1][j][i] - 3 * h * h * exact(h, i, j, k);
      }
  return 0;
}

int main(int argc, char **argv)
{
  static const int runs[][3] = {{33, 2, 2}, {65, 2, 2}, {65, 4, 1}}; /* points, processes along two axes */
  const dap_petsc_options seven_points = {.width = 1, .star = true};
  double error[3] = {0};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsInsertString(NULL, "-snes_type ksponly -ksp_rtol 1e-8 -pc_type mg -pc_mg_levels 4"));
  for (int run = 0; run < 3; run++) {
    const int n = runs[run][0], *procs = &runs[run][1];
    const dap_dist cuts[] = {{.size = n, .procs = procs[0], .halo = 1},
                             {.size = n, .procs = procs[1], .halo = 1},
                             {.size = n, .procs = 1}};
    char text[800];
    dap_layout *layout;
    dap_array u;
    dap_petsc_field field;
    SNES solver;
    CHECK(dap_layout_create(3, cuts, &layout, &err));
    CHECK(dap_array_init(&u, layout, PetscGlobalRank, DAP_F8, DAP_ORDER_C, NULL, &err));
    double seconds = -MPI_Wtime();
    CHECK(dap_petsc_field_get(PETSC_COMM_WORLD, layout, &u, DAP_READ_WRITE, &seven_points, &field, &err));
    PetscCall(SNESCreate(PETSC_COMM_WORLD, &solver));
    PetscCall(SNESSetDM(solver, field.dm));
    PetscCall(DMDASNESSetFunctionLocal(field.dm, INSERT_VALUES, (DMDASNESFunction)residual, NULL));
    PetscCall(SNESSetFromOptions(solver));
    PetscCall(SNESSolve(solver, NULL, field.global));
    PetscCall(SNESDestroy(&solver));
    CHECK(dap_petsc_field_restore(&field, &err));
    seconds += MPI_Wtime();

    const double *at = u.data; /* the whole buffer, padding too: start and stop include it */
    for (int64_t i = u.dims[0].start; i < u.dims[0].stop; i++)
      for (int64_t j = u.dims[1].start; j < u.dims[1].stop; j++)
        for (int64_t k = u.dims[2].start; k < u.dims[2].stop; k++)
          error[run] = fmax(error[run], fabs(*at++ - exact(PETSC_PI / (n - 1), i, j, k)));
    MPI_Allreduce(MPI_IN_PLACE, &error[run], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &field.moved_bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
    dap_petsc_describe(&field, text, sizeof text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%d^3 points on %d x %d x 1 processes\n%s%.2f s, largest error %.2e\n\n", n,
                          procs[0], procs[1], text, seconds, error[run]));
    dap_array_release(&u);
    dap_layout_destroy(&layout);
  }
  const double order = log2(error[0] / error[1]);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "order of the error: %.2f\n", order));
  PetscCall(PetscFinalize());
  return fabs(order - 2) > 0.1;
}
