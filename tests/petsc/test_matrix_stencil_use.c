/* Tests fields whose matrices have another stencil than their ghost points. Solvers must work with both
 * stencils of one DM, and impossible requests must be refused. */
#include "live.h"

#include <math.h>
#include <petscsnes.h>

/* ---- solvers ------------------------------------------------------------------------------------------ */

/* Computes -laplace(u) + u by the fourth-order formula, from local vectors with two ghost points. u is 0
 * outside. PETSc calls the function with types whose name differs from 3.21 on. */
static PetscErrorCode residual(DMDALocalInfo *g, void *from, void *to, void *unused)
{
  PetscScalar **u = from, **f = to;
  static const double weight[] = {2.5, -4. / 3, 1. / 12};
  (void)unused;
  PetscCheck(g->sw == 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "too few ghost points");
  for (PetscInt i = g->ys; i < g->ys + g->ym; i++)
    for (PetscInt j = g->xs; j < g->xs + g->xm; j++) {
      PetscScalar sum = u[i][j] - (double)(1 + (3 * i + 5 * j) % 7);
      for (PetscInt d = -2; d <= 2; d++) {
        const double w = weight[d < 0 ? -d : d];
        if (i + d >= 0 && i + d < g->my) sum += w * u[i + d][j];
        if (j + d >= 0 && j + d < g->mx) sum += w * u[i][j + d];
      }
      f[i][j] = sum;
    }
  return 0;
}

/* Computes the Jacobian of the second-order formula, which has five entries a row. */
static PetscErrorCode jacobian(DMDALocalInfo *g, void *u, Mat J, Mat P, void *unused)
{
  (void)u, (void)J, (void)unused;
  for (PetscInt i = g->ys; i < g->ys + g->ym; i++)
    for (PetscInt j = g->xs; j < g->xs + g->xm; j++) {
      const MatStencil at = {.j = i, .i = j};
      const MatStencil points[5] = {
          at, {.j = i - 1, .i = j}, {.j = i + 1, .i = j}, {.j = i, .i = j - 1}, {.j = i, .i = j + 1}};
      const PetscScalar values[5] = {5, -1, -1, -1, -1};
      MatStencil inside[5];
      PetscScalar entries[5];
      PetscInt count = 0;
      for (int n = 0; n < 5; n++)
        if (points[n].i >= 0 && points[n].i < g->mx && points[n].j >= 0 && points[n].j < g->my) {
          inside[count] = points[n];
          entries[count++] = values[n];
        }
      PetscCall(MatSetValuesStencil(P, 1, &at, count, inside, entries, INSERT_VALUES));
    }
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY);
}

/* Solves from 0, and leaves u in the array's buffer. sums[] has the 2-norm and the largest number, which do
 * not depend on the number of processes. */
static void solve(const live_row *row, bool by_colours, double sums[2])
{
  live m;
  SNES snes;
  Vec u;
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  live_open(&m, row, DAP_READ_WRITE);
  EXPECT(!SNESCreate(PetscObjectComm((PetscObject)m.field.dm), &snes));
  EXPECT(!SNESSetDM(snes, m.field.dm));
  EXPECT(!DMDASNESSetFunctionLocal(m.field.dm, INSERT_VALUES, residual, NULL));
  if (!by_colours) EXPECT(!DMDASNESSetJacobianLocal(m.field.dm, jacobian, NULL));
  EXPECT(!SNESSetTolerances(snes, 1e-13, 1e-12, 0, 200, 10000));
  EXPECT(!DMCreateGlobalVector(m.field.dm, &u) && !VecSet(u, 0));
  EXPECT(!SNESSolve(snes, NULL, u));
  EXPECT(!SNESGetConvergedReason(snes, &reason));
  EXPECT_MSG(reason > 0, "SNES ended with reason %d", (int)reason);
  EXPECT(!DMGlobalToLocal(m.field.dm, u, INSERT_VALUES, m.field.local));
  PetscReal norm = 0, largest = 0;
  EXPECT(!VecNorm(u, NORM_2, &norm) && !VecNorm(u, NORM_INFINITY, &largest));
  sums[0] = (double)norm;
  sums[1] = (double)largest;
  EXPECT(!VecDestroy(&u) && !SNESDestroy(&snes));
  EXPECT(m.field.shared_local);
  live_close(&m);
}

#define SHARE .sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_LOCAL, .width = 2

/* Newton's method must find the same solution with a narrow Jacobian as with that of the ghost points. The
 * numbers come from dense Gaussian elimination on one process. */
static void a_narrow_jacobian_and_wide_ghosts(void **state)
{
  (void)state;
  const dap_petsc_field_options options[] = {
      {SHARE, .matrix_width = 1, .matrix_star = true}, {SHARE}, {SHARE, .matrix_star = true}};
  static const double want[2] = {64.3224095169, 4.4612380181}; /* the 2-norm, and the largest number */
  double got[3][2];
  for (int i = 0; i < 3; i++) {
    const live_row row = {{"", 2, {26, 13}, FIRST_AXIS, .halo = {2, 2}}, .options = options[i]};
    solve(&row, i == 2, got[i]); /* the last has colours of the ghost points, and entries of the star */
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      EXPECT_MSG(fabs(got[i][k] - want[k]) < 1e-6 * want[k], "%d: %.10g, not %.10g", i, got[i][k], want[k]);
  SETTLE();
}

static const live_row plane = {{"2-D", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}},
                               .options = {SHARE, .matrix_width = 1, .matrix_star = true}};

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuse(const dap_petsc_field_options *options, const char *parts)
{
  live_row row = plane;
  live a;
  dap_error err = {0};
  row.options = *options;
  live_make_row(&a, &row);
  expect_same_error(MPI_COMM_WORLD, live_get(&a, DAP_READ_WRITE, &err), &err, DAP_ERR_ARG, parts);
  EXPECT(!a.field.dm && !a.field.local);
  live_free(&a);
  SETTLE();
}

static void bad_values_are_refused_alike(void **state)
{
  (void)state;
  static const struct {
    const char *parts;
    dap_petsc_field_options options;
  } cases[] = {
      {"matrix_width -1|negative", {.width = 2, .matrix_width = -1}},
      {"matrix_width 3|stencil width 2", {.width = 2, .matrix_width = 3}},
      {"matrix_width 2|stencil width 1", {.width = 1, .matrix_width = 2}},
      {"matrix_width|stencil width 2", {.width = 2, .matrix_width = INT64_MAX}}, /* larger than PetscInt */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) refuse(&cases[i].options, cases[i].parts);
  const dap_petsc_field_options unlike = {.matrix_width = 1 + (test_rank() == test_nprocs() - 1)};
  if (test_nprocs() > 1) refuse(&unlike, "matrix_width|not the same");
  const dap_petsc_field_options shape = {.matrix_width = 1, .matrix_star = test_rank() == 0};
  if (test_nprocs() > 1) refuse(&shape, "matrix_star|not the same");
}

/* Returns the DMDA of a field with these options. A later field cannot change them. */
static DM make_dm(const dap_petsc_field_options *options)
{
  live_row row = plane;
  live a;
  row.options = *options;
  live_open(&a, &row, DAP_READ_WRITE);
  DM dm = a.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)dm));
  live_close(&a);
  return dm;
}

static void a_dm_of_another_stencil_is_refused(void **state)
{
  (void)state;
  dap_petsc_field_options options = {.vectors = DAP_PETSC_LOCAL, .width = 2, .matrix_width = 1};
  options.dm = make_dm(&options);
  options.matrix_star = true;
  refuse(&options, "matrix_star|box");
  options.matrix_star = false;
  options.matrix_width = 2;
  refuse(&options, "matrix_width is 2|matrices 1");
  EXPECT(!DMDestroy(&options.dm));
  options = (dap_petsc_field_options){.vectors = DAP_PETSC_LOCAL, .width = 2}; /* no stencil of matrices */
  options.dm = make_dm(&options);
  options.matrix_width = 1;
  refuse(&options, "matrix_width is 1|matrices 2");
  EXPECT(!DMDestroy(&options.dm));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(a_narrow_jacobian_and_wide_ghosts),
    cmocka_unit_test(bad_values_are_refused_alike),
    cmocka_unit_test(a_dm_of_another_stencil_is_refused),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
