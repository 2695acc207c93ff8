/* Fields whose matrices have another stencil than their ghost points: solvers work with both stencils of one
 * DM, and what cannot be is refused. */
#include "stencil_grid.h"
#include "stencil_rows.h"

#include <petscsnes.h>

/* ---- solvers ------------------------------------------------------------------------------------------ */

/* The fourth-order formula of -laplace(u) + u, by local vectors with two ghost points; u is 0
 * outside. With the types that PETSc calls it by, whose name is another one from 3.21 on. */
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

/* A Jacobian of second order: it has five entries a row. */
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

/* Solves from 0, and leaves u in the array's buffer: as one column of numbers, in *sums, whatever the number
 * of processes. */
static void solve(const stencil_row *r, const dap_petsc_field_options *options, bool by_colours,
                  double sums[2])
{
  stencil_field m;
  SNES snes;
  Vec u;
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  stencil_make(r, options, &m);
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
  stencil_end(&m);
}

/* A Newton iteration with a narrow Jacobian, and one with that of the ghost points, end at one solution, that
 * of one process, which each process solves alone. */
static void a_narrow_jacobian_and_wide_ghosts(void **state)
{
  (void)state;
  const stencil_row r = {.ndim = 2, .size = {26, 13}, .halo = 2};
  const dap_petsc_field_options narrow = {.sharing = DAP_SHARE_OR_FAIL,
                                          .vectors = DAP_PETSC_LOCAL,
                                          .width = 2,
                                          .matrix_width = 1,
                                          .matrix_star = true};
  const dap_petsc_field_options wide = {.sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_LOCAL, .width = 2};
  const dap_petsc_field_options star = {
      .sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_LOCAL, .width = 2, .matrix_star = true};
  double got[4][2];
  solve(&r, &narrow, false, got[0]);
  solve(&r, &wide, false, got[1]);
  solve(&r, &star, true, got[2]); /* colours of the ghost points' stencil, entries of the star's */
  stencil_solve_alone(26, 13, got[3]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      EXPECT_MSG(fabs(got[i][k] - got[3][k]) < 1e-6 * got[3][k], "%d: %.10g, not %.10g", i, got[i][k],
                 got[3][k]);
  SETTLE();
}

static const stencil_row plane = {
    .why = "2-D", .ndim = 2, .size = {29, 11}, .halo = 2, .matrix_width = 1, .matrix_star = true};

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuse(const stencil_row *r, const dap_petsc_field_options *options, const char *parts,
                   const char *why)
{
  dap_error err = {0};
  stencil_field m = {.layout = stencil_lay(r, &err)};
  EXPECT_OK(dap_array_init(&m.array, m.layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  const dap_status status = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m.layout, &m.array},
                                                DAP_READ_WRITE, options, &m.field, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, parts);
  EXPECT_MSG(!m.field.dm && !m.field.local, "%s", why);
  stencil_end(&m);
  SETTLE();
}

static void bad_values_are_refused_alike(void **state)
{
  (void)state;
  const stencil_row *r = &plane;
  const struct {
    const char *why, *parts;
    dap_petsc_field_options options;
  } cases[] = {
      {"negative", "matrix_width -1|negative", {.width = 2, .matrix_width = -1}},
      {"wider than the halo", "matrix_width 3|stencil width 2", {.width = 2, .matrix_width = 3}},
      {"wider than asked for", "matrix_width 2|stencil width 1", {.width = 1, .matrix_width = 2}},
      {"larger than PetscInt", "matrix_width|stencil width 2", {.width = 2, .matrix_width = INT64_MAX}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    refuse(r, &cases[i].options, cases[i].parts, cases[i].why);
  const dap_petsc_field_options unlike = {.matrix_width = 1 + (test_rank() == test_nprocs() - 1)};
  if (test_nprocs() > 1) refuse(r, &unlike, "matrix_width|not the same", "not the same on all");
  const dap_petsc_field_options shape = {.matrix_width = 1, .matrix_star = test_rank() == 0};
  if (test_nprocs() > 1) refuse(r, &shape, "matrix_star|not the same", "not the same on all");
}

/* A DMDA's matrices are not changed by a later field. */
static void a_dm_of_another_stencil_is_refused(void **state)
{
  (void)state;
  const stencil_row *r = &plane;
  dap_petsc_field_options options = {.vectors = DAP_PETSC_LOCAL, .width = 2, .matrix_width = 1};
  stencil_field m;
  stencil_make(r, &options, &m);
  options.dm = m.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)options.dm));
  stencil_end(&m);
  options.matrix_star = true;
  refuse(r, &options, "matrix_star|box", "box matrices");
  options.matrix_star = false;
  options.matrix_width = 2;
  refuse(r, &options, "matrix_width is 2|matrices 1", "narrower matrices");
  EXPECT(!DMDestroy(&options.dm));

  options = (dap_petsc_field_options){.vectors = DAP_PETSC_LOCAL,
                                      .width = 2}; /* the program's own has the ghost points' */
  stencil_make(r, &options, &m);
  options.dm = m.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)options.dm));
  stencil_end(&m);
  options.matrix_width = 1;
  refuse(r, &options, "matrix_width is 1|matrices 2", "matrices of the ghost points' stencil");
  EXPECT(!DMDestroy(&options.dm));
}

/* MATIS keeps matrices of its own points. */
static void types_without_such_entries_are_refused(void **state)
{
  (void)state;
  const stencil_row *r = &plane;
  const dap_petsc_field_options options = stencil_options(r);
  stencil_field m;
  Mat matrix = NULL;
  stencil_make(r, &options, &m);
  EXPECT(!DMSetMatType(m.field.dm, MATIS));
  EXPECT(DMCreateMatrix(m.field.dm, &matrix) != 0 && !matrix);
  EXPECT(!DMSetMatType(m.field.dm, MATAIJ));
  stencil_check(m.field.dm, 1, true, "after a refusal");
  stencil_end(&m);
  SETTLE();
}

/* A field of one line of the array is on one process, with its DMDA; the others are told of that. */
static void some_processes_have_no_part(void **state)
{
  (void)state;
  const dap_dist dist[] = {dap_dist_even(2 * test_nprocs(), test_nprocs()), dap_dist_local(23)};
  const int axes[] = {1};
  const int64_t start[] = {2 * test_nprocs() - 1, 0};
  dap_petsc_field_options options = {
      .width = 2, .matrix_width = 1, .part = {.naxes = 1, .axes = axes, .start = start}};
  dap_error err = {0};
  stencil_field m = {0};
  EXPECT_OK(dap_layout_create(2, dist, &m.layout, &err), &err);
  EXPECT_OK(dap_array_init(&m.array, m.layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  for (int again = 0; again < 3; again++) { /* the last time it asks for another stencil than its dm has */
    if (again == 2) options.matrix_width = 2;
    const dap_status status = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m.layout, &m.array},
                                                  DAP_READ_WRITE, &options, &m.field, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, again < 2 ? DAP_OK : DAP_ERR_ARG,
                      again < 2 ? "" : "matrix_width is 2");
    EXPECT((m.field.dm != NULL) == (again < 2 && test_rank() == test_nprocs() - 1));
    if (m.field.dm) stencil_check(m.field.dm, 1, false, "a line");
    if (again == 0) options.dm = m.field.dm;
    if (again == 0 && options.dm) EXPECT(!PetscObjectReference((PetscObject)options.dm));
    EXPECT_OK(dap_petsc_field_restore(&m.field, &err), &err);
    SETTLE();
  }
  EXPECT(!DMDestroy(&options.dm));
  stencil_end(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(a_narrow_jacobian_and_wide_ghosts),
    cmocka_unit_test(bad_values_are_refused_alike),
    cmocka_unit_test(a_dm_of_another_stencil_is_refused),
    cmocka_unit_test(types_without_such_entries_are_refused),
    cmocka_unit_test(some_processes_have_no_part),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
