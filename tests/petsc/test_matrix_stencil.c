/* Fields whose matrices have another stencil than their ghost points: which entries a matrix has, and that
 * they are where stencil and local indices say. */
#include "stencil_grid.h"
#include "stencil_rows.h"

/* clang-format off */
static const stencil_row rows[] = {
  {"1-D, narrower", 1, {37}, .halo = 2, .matrix_width = 1, .width = 1, .words = "of matrices 1 (box)"},
  {"2-D, the five-point formula", 2, {29, 11}, .halo = 2, .matrix_width = 1, .matrix_star = true,
   .width = 1, .is_star = true, .words = "of matrices 1 (star)"},
  {"2-D, the same width without corners", 2, {29, 11}, .halo = 2, .matrix_star = true,
   .width = 2, .is_star = true, .words = "of matrices 2 (star)"},
  {"2-D, narrower with corners", 2, {29, 11}, .halo = 3, .matrix_width = 2, .width = 2,
   .words = "of matrices 2 (box)"},
  {"2-D, asked for what it is", 2, {29, 11}, .halo = 2, .matrix_width = 2, .width = 2},
  {"2-D, a star has star matrices", 2, {29, 11}, .halo = 2, .star = true, .matrix_width = 1,
   .width = 1, .is_star = true, .words = "of matrices 1 (star)"},
  {"2-D, two degrees of freedom", 2, {25, 9, 2}, .dof_axes = 1, .halo = 2, .matrix_width = 1,
   .matrix_star = true, .width = 1, .is_star = true, .words = "of matrices 1 (star)"},
  {"2-D, blocks of two", 2, {25, 9, 2}, .dof_axes = 1, .halo = 2, .matrix_width = 1, .matrix_star = true,
   .width = 1, .is_star = true, .words = "of matrices 1 (star)", .type = MATBAIJ},
  {"2-D, periodic", 2, {31, 12}, .halo = 2, .periodic = true, .matrix_width = 1, .matrix_star = true,
   .width = 1, .is_star = true, .words = "of matrices 1 (star)"},
  {"3-D, the seven-point formula", 3, {19, 6, 5}, .halo = 2, .matrix_width = 1, .matrix_star = true,
   .width = 1, .is_star = true, .words = "of matrices 1 (star)"},
  {"3-D, periodic, corners", 3, {19, 6, 5}, .halo = 2, .periodic = true, .matrix_width = 1, .width = 1,
   .words = "of matrices 1 (box)"},
  {"3-D, nothing asked for", 3, {19, 6, 5}, .halo = 2, .width = 2},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

static void entries_are_the_stencil(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    const stencil_row *r = &rows[i];
    const dap_petsc_field_options options = stencil_options(r);
    stencil_field m;
    char text[2048];
    if (stencil_make(r, &options, &m)) {
      EXPECT_MSG(m.field.shared_local && m.field.moved_bytes == 0, "%s: not shared: %s", r->why,
                 m.field.reason_local);
      (void)dap_petsc_field_describe(&m.field, text, sizeof text);
      EXPECT_MSG(r->words ? strstr(text, r->words) != NULL : !strstr(text, "of matrices"), "%s: %s", r->why,
                 text);
      if (r->type) EXPECT(!DMSetMatType(m.field.dm, r->type));
      stencil_check(m.field.dm, r->width, r->is_star, r->why);
    }
    stencil_end(&m);
    SETTLE();
  }
}

/* A program that hands on the DMDA has its matrices' stencil too, in the form that is kept and without it. */
static void a_dm_that_is_given_keeps_its_matrices(void **state)
{
  (void)state;
  const stencil_row *r = &rows[1];
  dap_petsc_field_options options = stencil_options(r);
  stencil_field m;
  stencil_make(r, &options, &m);
  options.dm = m.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)options.dm));
  stencil_end(&m);
  for (int again = 0; again < 3; again++) {
    char text[2048];
    options.matrix_width = again == 1 ? 0 : 1; /* may be repeated */
    options.matrix_star = again != 1;
    stencil_make(r, &options, &m);
    (void)dap_petsc_field_describe(&m.field, text, sizeof text);
    EXPECT_MSG(strstr(text, r->words), "%s", text);
    EXPECT(m.field.dm == options.dm);
    stencil_check(m.field.dm, 1, true, "given");
    stencil_end(&m);
  }
  EXPECT(!DMDestroy(&options.dm));
  SETTLE();
}

/* Fields of one array with different matrices are of different forms. */
static void each_stencil_is_a_form_of_its_own(void **state)
{
  (void)state;
  const stencil_row *r = &rows[1];
  for (int i = 0; i < 4; i++) {
    dap_petsc_field_options options = stencil_options(r);
    stencil_field m;
    options.matrix_width = i % 2 ? 0 : 1;
    options.matrix_star = i < 2;
    stencil_make(r, &options, &m);
    stencil_check(m.field.dm, i % 2 ? 2 : 1, i < 2, "one after the other");
    stencil_end(&m);
  }
  SETTLE();
}

static void coarser_and_finer_grids_have_it(void **state)
{
  (void)state;
  const stencil_row wide = {.ndim = 2, .size = {49, 17}, .halo = 2};
  const dap_petsc_field_options options = {.sharing = DAP_SHARE_OR_FAIL,
                                           .vectors = DAP_PETSC_LOCAL,
                                           .width = 2,
                                           .matrix_width = 1,
                                           .matrix_star = true};
  stencil_field m;
  DM fine = NULL, coarse = NULL, again = NULL;
  if (stencil_make(&wide, &options, &m)) {
    EXPECT(!DMRefine(m.field.dm, MPI_COMM_WORLD, &fine));
    stencil_check(fine, 1, true, "refined");
    EXPECT(!DMCoarsen(m.field.dm, MPI_COMM_WORLD, &coarse));
    stencil_check(coarse, 1, true, "coarsened");
    EXPECT(!DMRefine(coarse, MPI_COMM_WORLD, &again));
    stencil_check(again, 1, true, "coarsened and refined");
    EXPECT(!DMDestroy(&again) && !DMDestroy(&coarse) && !DMDestroy(&fine));
  }
  stencil_end(&m);
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
  stencil_field m = {0};
  EXPECT_OK(dap_layout_create(2, dist, &m.layout, &err), &err);
  EXPECT_OK(dap_array_init(&m.array, m.layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  if (EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m.layout, &m.array}, DAP_READ_WRITE,
                                    &options, &m.field, &err),
                &err)) {
    EXPECT(m.field.shared_global == (test_nprocs() == 1));
    stencil_check(m.field.dm, 1, true, "with an empty process");
  }
  stencil_end(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(entries_are_the_stencil),
    cmocka_unit_test(a_dm_that_is_given_keeps_its_matrices),
    cmocka_unit_test(each_stencil_is_a_form_of_its_own),
    cmocka_unit_test(coarser_and_finer_grids_have_it),
    cmocka_unit_test(moved_fields_have_it),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
