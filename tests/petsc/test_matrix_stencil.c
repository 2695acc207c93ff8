/* Fields whose matrices have another stencil than their ghost points: which entries a matrix has, that they
 * are where local and stencil indices say, and that solvers work with both stencils of one DM. */
#include "stencil_grid.h"

#include <petscsnes.h>

typedef struct row {
  const char *why;
  int ndim;
  int64_t size[4]; /* with dof axes */
  int dof_axes;
  int64_t halo;
  bool star, periodic;
  int64_t matrix_width;
  bool matrix_star;
  int64_t width; /* of the matrix, and its shape */
  bool is_star;
  const char *words; /* in the field's description; NULL: as it would be without */
  MatType type;
} row;

#define AS_GHOSTS NULL

static const row rows[] = {
    {"1-D, narrower", 1, {37}, 0, 2, false, false, 1, false, 1, false, "of matrices 1 (box)", NULL},
    {"2-D, the five-point formula",
     2,
     {29, 11},
     0,
     2,
     false,
     false,
     1,
     true,
     1,
     true,
     "of matrices 1 (star)",
     NULL},
    {"2-D, the same width without corners",
     2,
     {29, 11},
     0,
     2,
     false,
     false,
     0,
     true,
     2,
     true,
     "of matrices 2 (star)",
     NULL},
    {"2-D, narrower with corners",
     2,
     {29, 11},
     0,
     3,
     false,
     false,
     2,
     false,
     2,
     false,
     "of matrices 2 (box)",
     NULL},
    {"2-D, asked for what it is", 2, {29, 11}, 0, 2, false, false, 2, false, 2, false, AS_GHOSTS, NULL},
    {"2-D, a star has star matrices",
     2,
     {29, 11},
     0,
     2,
     true,
     false,
     1,
     false,
     1,
     true,
     "of matrices 1 (star)",
     NULL},
    {"2-D, two degrees of freedom",
     2,
     {25, 9, 2},
     1,
     2,
     false,
     false,
     1,
     true,
     1,
     true,
     "of matrices 1 (star)",
     NULL},
    {"2-D, blocks of two",
     2,
     {25, 9, 2},
     1,
     2,
     false,
     false,
     1,
     true,
     1,
     true,
     "of matrices 1 (star)",
     MATBAIJ},
    {"2-D, periodic", 2, {31, 12}, 0, 2, false, true, 1, true, 1, true, "of matrices 1 (star)", NULL},
    {"3-D, the seven-point formula",
     3,
     {19, 6, 5},
     0,
     2,
     false,
     false,
     1,
     true,
     1,
     true,
     "of matrices 1 (star)",
     NULL},
    {"3-D, periodic, corners",
     3,
     {19, 6, 5},
     0,
     2,
     false,
     true,
     1,
     false,
     1,
     false,
     "of matrices 1 (box)",
     NULL},
    {"3-D, nothing asked for", 3, {19, 6, 5}, 0, 2, false, false, 0, false, 2, false, AS_GHOSTS, NULL},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* The first axis over all processes, padded as the field has ghost points: a local vector may be the buffer. */
static dap_layout *lay(const row *r, dap_error *err)
{
  dap_layout *layout = NULL;
  dap_dist dist[4];
  for (int k = 0; k < r->ndim + r->dof_axes; k++) {
    const int procs = k == 0 ? test_nprocs() : 1;
    dist[k] = k < r->ndim ? dap_dist_padded(r->size[k], procs, r->halo) : dap_dist_local(r->size[k]);
    dist[k].periodic = dist[k].wraps = k < r->ndim && r->periodic;
  }
  EXPECT_OK(dap_layout_create(r->ndim + r->dof_axes, dist, &layout, err), err);
  return layout;
}

static dap_petsc_field_options options_of(const row *r)
{
  return (dap_petsc_field_options){.sharing = DAP_SHARE_OR_FAIL,
                                   .vectors = DAP_PETSC_LOCAL,
                                   .width = r->halo, /* one process has no halo to see it by */
                                   .star = r->star,
                                   .dof_axes = r->dof_axes,
                                   .matrix_width = r->matrix_width,
                                   .matrix_star = r->matrix_star};
}

typedef struct made {
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
} made;

static bool make(const row *r, const dap_petsc_field_options *options, made *m)
{
  dap_error err = {0};
  *m = (made){.layout = lay(r, &err)};
  EXPECT_OK(dap_array_init(&m->array, m->layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  return EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m->layout, &m->array}, DAP_READ_WRITE,
                                       options, &m->field, &err),
                   &err);
}

static void end(made *m)
{
  dap_error err = {0};
  EXPECT_OK(dap_petsc_field_restore(&m->field, &err), &err);
  dap_array_release(&m->array);
  dap_layout_destroy(&m->layout);
}

/* ---- entries ------------------------------------------------------------------------------------------ */

static void entries_are_the_stencil(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    const row *r = &rows[i];
    const dap_petsc_field_options options = options_of(r);
    made m;
    char text[2048];
    if (make(r, &options, &m)) {
      EXPECT_MSG(m.field.shared_local && m.field.moved_bytes == 0, "%s: not shared: %s", r->why,
                 m.field.reason_local);
      (void)dap_petsc_field_describe(&m.field, text, sizeof text);
      EXPECT_MSG(r->words ? strstr(text, r->words) != NULL : !strstr(text, "of matrices"), "%s: %s", r->why,
                 text);
      if (r->type) EXPECT(!DMSetMatType(m.field.dm, r->type));
      stencil_check(m.field.dm, r->width, r->is_star, r->why);
    }
    end(&m);
    SETTLE();
  }
}

/* A program that hands on the DMDA has its matrices' stencil too, in the form that is kept and without it. */
static void a_dm_that_is_given_keeps_its_matrices(void **state)
{
  (void)state;
  const row *r = &rows[1];
  dap_petsc_field_options options = options_of(r);
  made m;
  make(r, &options, &m);
  options.dm = m.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)options.dm));
  end(&m);
  for (int again = 0; again < 3; again++) {
    char text[2048];
    options.matrix_width = again == 1 ? 0 : 1; /* may be repeated */
    options.matrix_star = again != 1;
    make(r, &options, &m);
    (void)dap_petsc_field_describe(&m.field, text, sizeof text);
    EXPECT_MSG(strstr(text, r->words), "%s", text);
    EXPECT(m.field.dm == options.dm);
    stencil_check(m.field.dm, 1, true, "given");
    end(&m);
  }
  EXPECT(!DMDestroy(&options.dm));
  SETTLE();
}

/* Fields of one array with different matrices are of different forms. */
static void each_stencil_is_a_form_of_its_own(void **state)
{
  (void)state;
  const row *r = &rows[1];
  for (int i = 0; i < 4; i++) {
    dap_petsc_field_options options = options_of(r);
    made m;
    options.matrix_width = i % 2 ? 0 : 1;
    options.matrix_star = i < 2;
    make(r, &options, &m);
    stencil_check(m.field.dm, i % 2 ? 2 : 1, i < 2, "one after the other");
    end(&m);
  }
  SETTLE();
}

static void coarser_and_finer_grids_have_it(void **state)
{
  (void)state;
  const row wide = {.ndim = 2, .size = {49, 17}, .halo = 2};
  const dap_petsc_field_options options = {.sharing = DAP_SHARE_OR_FAIL,
                                           .vectors = DAP_PETSC_LOCAL,
                                           .width = 2,
                                           .matrix_width = 1,
                                           .matrix_star = true};
  made m;
  DM fine = NULL, coarse = NULL, again = NULL;
  if (make(&wide, &options, &m)) {
    EXPECT(!DMRefine(m.field.dm, MPI_COMM_WORLD, &fine));
    stencil_check(fine, 1, true, "refined");
    EXPECT(!DMCoarsen(m.field.dm, MPI_COMM_WORLD, &coarse));
    stencil_check(coarse, 1, true, "coarsened");
    EXPECT(!DMRefine(coarse, MPI_COMM_WORLD, &again));
    stencil_check(again, 1, true, "coarsened and refined");
    EXPECT(!DMDestroy(&again) && !DMDestroy(&coarse) && !DMDestroy(&fine));
  }
  end(&m);
  SETTLE();
}

/* With an empty process the DMDA has ranges of its own, and vectors are moved. */
static void moved_fields_have_it(void **state)
{
  (void)state;
  int64_t lengths[8] = {0};
  for (int c = 0; c < test_nprocs(); c++) lengths[c] = c == test_nprocs() - 1 && c > 0 ? 0 : 7;
  const int full = test_nprocs() > 1 ? test_nprocs() - 1 : 1;
  const dap_dist dist[] = {
      {.kind = DAP_DIST_LENGTHS, .procs = test_nprocs(), .size = 7 * full, .lengths = lengths},
      dap_dist_local(9)};
  const dap_petsc_field_options options = {.width = 2, .matrix_width = 1, .matrix_star = true};
  dap_error err = {0};
  made m = {0};
  EXPECT_OK(dap_layout_create(2, dist, &m.layout, &err), &err);
  EXPECT_OK(dap_array_init(&m.array, m.layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  if (EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m.layout, &m.array}, DAP_READ_WRITE,
                                    &options, &m.field, &err),
                &err)) {
    EXPECT(m.field.shared_global == (test_nprocs() == 1));
    stencil_check(m.field.dm, 1, true, "with an empty process");
  }
  end(&m);
  SETTLE();
}

/* ---- solvers ------------------------------------------------------------------------------------------ */

/* The fourth-order formula of -laplace(u) + u, by local vectors with two ghost points; u is 0 outside. */
static PetscErrorCode residual(DMDALocalInfo *g, PetscScalar **u, PetscScalar **f, void *unused)
{
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
static PetscErrorCode jacobian(DMDALocalInfo *g, PetscScalar **u, Mat J, Mat P, void *unused)
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

/* Solves from 0, and leaves u in the array's buffer: as one column of numbers, in *sums, whatever the number of
 * processes. */
static void solve(const row *r, const dap_petsc_field_options *options, bool by_colours, double sums[2])
{
  made m;
  SNES snes;
  Vec u;
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  make(r, options, &m);
  EXPECT(!SNESCreate(PetscObjectComm((PetscObject)m.field.dm), &snes));
  EXPECT(!SNESSetDM(snes, m.field.dm));
  EXPECT(!DMDASNESSetFunctionLocal(m.field.dm, INSERT_VALUES, (DMDASNESFunction)residual, NULL));
  if (!by_colours) EXPECT(!DMDASNESSetJacobianLocal(m.field.dm, (DMDASNESJacobian)jacobian, NULL));
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
  end(&m);
}

/* A Newton iteration with a narrow Jacobian, and one with that of the ghost points, end at one solution, that
 * of one process, which each process solves alone. */
static void a_narrow_jacobian_and_wide_ghosts(void **state)
{
  (void)state;
  const row r = {.ndim = 2, .size = {26, 13}, .halo = 2};
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

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuse(const row *r, const dap_petsc_field_options *options, const char *parts, const char *why)
{
  dap_error err = {0};
  made m = {.layout = lay(r, &err)};
  EXPECT_OK(dap_array_init(&m.array, m.layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  const dap_status status = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m.layout, &m.array},
                                                DAP_READ_WRITE, options, &m.field, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, parts);
  EXPECT_MSG(!m.field.dm && !m.field.local, "%s", why);
  end(&m);
  SETTLE();
}

static void bad_values_are_refused_alike(void **state)
{
  (void)state;
  const row *r = &rows[1];
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
  const row *r = &rows[1];
  dap_petsc_field_options options = {.vectors = DAP_PETSC_LOCAL, .width = 2, .matrix_width = 1};
  made m;
  make(r, &options, &m);
  options.dm = m.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)options.dm));
  end(&m);
  options.matrix_star = true;
  refuse(r, &options, "matrix_star|box", "box matrices");
  options.matrix_star = false;
  options.matrix_width = 2;
  refuse(r, &options, "matrix_width is 2|matrices 1", "narrower matrices");
  EXPECT(!DMDestroy(&options.dm));

  options = (dap_petsc_field_options){.vectors = DAP_PETSC_LOCAL,
                                      .width = 2}; /* the program's own has the ghost points' */
  make(r, &options, &m);
  options.dm = m.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)options.dm));
  end(&m);
  options.matrix_width = 1;
  refuse(r, &options, "matrix_width is 1|matrices 2", "matrices of the ghost points' stencil");
  EXPECT(!DMDestroy(&options.dm));
}

/* MATIS keeps matrices of its own points. */
static void types_without_such_entries_are_refused(void **state)
{
  (void)state;
  const row *r = &rows[1];
  const dap_petsc_field_options options = options_of(r);
  made m;
  Mat matrix = NULL;
  make(r, &options, &m);
  EXPECT(!DMSetMatType(m.field.dm, MATIS));
  EXPECT(DMCreateMatrix(m.field.dm, &matrix) != 0 && !matrix);
  EXPECT(!DMSetMatType(m.field.dm, MATAIJ));
  stencil_check(m.field.dm, 1, true, "after a refusal");
  end(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(entries_are_the_stencil),
    cmocka_unit_test(a_dm_that_is_given_keeps_its_matrices),
    cmocka_unit_test(each_stencil_is_a_form_of_its_own),
    cmocka_unit_test(coarser_and_finer_grids_have_it),
    cmocka_unit_test(moved_fields_have_it),
    cmocka_unit_test(a_narrow_jacobian_and_wide_ghosts),
    cmocka_unit_test(bad_values_are_refused_alike),
    cmocka_unit_test(a_dm_of_another_stencil_is_refused),
    cmocka_unit_test(types_without_such_entries_are_refused),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
