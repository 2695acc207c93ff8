/* Tests fields whose matrices have another stencil than their ghost points. The tests check which entries a
 * matrix has, and that stencil and local indices give their places. */
#include "stencil.h"

typedef struct stencil_row {
  live_row row;
  int64_t width; /* of the matrix, and its shape */
  bool is_star;
  const char *words; /* in the field's description; NULL: nothing about matrices */
  MatType type;
} stencil_row;

/* The local vector alone, in the buffer; one process has no halo to see the width by. */
#define SHARE .sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_LOCAL
#define ONE_WIDE SHARE, .width = 2, .matrix_width = 1
#define FIVE_POINTS ONE_WIDE, .matrix_star = true
#define STAR 1, true, "of matrices 1 (star)"
#define BOX 1, false, "of matrices 1 (box)"

/* clang-format off */
static const stencil_row rows[] = {
  {.row = {{"1-D, narrower", 1, {37}, .halo = {2}}, .options = {ONE_WIDE}}, BOX},
  {.row = {{"2-D, the five-point formula", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}},
   .options = {FIVE_POINTS}}, STAR},
  {.row = {{"2-D, the same width without corners", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}},
   .options = {SHARE, .width = 2, .matrix_star = true}}, 2, true, "of matrices 2 (star)"},
  {.row = {{"2-D, narrower with corners", 2, {29, 11}, FIRST_AXIS, .halo = {3, 3}}, .options = {SHARE,
   .width = 3, .matrix_width = 2}}, 2, false, "of matrices 2 (box)"},
  {.row = {{"2-D, asked for what it is", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}}, .options = {SHARE,
   .width = 2, .matrix_width = 2}}, 2},
  {.row = {{"2-D, a star has star matrices", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}}, .options = {ONE_WIDE,
   .star = true}}, STAR},
  {.row = {{"2-D, two degrees of freedom", 3, {25, 9, 2}, FIRST_AXIS, .halo = {2, 2}},
   .options = {FIVE_POINTS, .dof_axes = 1}}, STAR},
  {{{"2-D, blocks of two", 3, {25, 9, 2}, FIRST_AXIS, .halo = {2, 2}}, .options = {FIVE_POINTS,
   .dof_axes = 1}}, STAR, .type = MATBAIJ},
  {.row = {{"2-D, periodic", 2, {31, 12}, FIRST_AXIS, .halo = {2, 2}, .wraps = {true, true}},
   .options = {FIVE_POINTS}}, STAR},
  {.row = {{"3-D, the seven-point formula", 3, {19, 6, 5}, FIRST_AXIS, .halo = {2, 2, 2}},
   .options = {FIVE_POINTS}}, STAR},
  {.row = {{"3-D, periodic, corners", 3, {19, 6, 5}, FIRST_AXIS, .halo = {2, 2, 2},
   .wraps = {true, true, true}}, .options = {ONE_WIDE}}, BOX},
  {.row = {{"3-D, nothing asked for", 3, {19, 6, 5}, FIRST_AXIS, .halo = {2, 2, 2}}, .options = {SHARE,
   .width = 2}}, 2},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0], PLANE = 1 };

static void check_words(const live *a, const char *words)
{
  char text[2048];
  (void)dap_petsc_field_describe(&a->field, text, sizeof text);
  EXPECT_MSG(words ? strstr(text, words) != NULL : !strstr(text, "of matrices"), "%s", text);
}

static void entries_are_the_stencil(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    const stencil_row *r = &rows[i];
    live a;
    TEST_CASE("%s", r->row.layout.why);
    if (stencil_make(&a, &r->row)) {
      EXPECT(a.field.shared_local && a.field.moved_bytes == 0);
      check_words(&a, r->words);
      if (r->type) EXPECT(!DMSetMatType(a.field.dm, r->type));
      stencil_check(a.field.dm, r->width, r->is_star, r->row.layout.why);
    }
    stencil_end(&a);
    SETTLE();
  }
}

/* A program that hands on the DMDA has its matrices' stencil too, in the form that is kept and without it. */
static void a_dm_that_is_given_keeps_its_matrices(void **state)
{
  (void)state;
  live_row row = rows[PLANE].row;
  live a;
  stencil_make(&a, &row);
  row.options.dm = a.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)row.options.dm));
  stencil_end(&a);
  for (int again = 0; again < 3; again++) {
    row.options.matrix_width = again == 1 ? 0 : 1; /* may be repeated */
    row.options.matrix_star = again != 1;
    stencil_make(&a, &row);
    check_words(&a, rows[PLANE].words);
    EXPECT(a.field.dm == row.options.dm);
    stencil_check(a.field.dm, 1, true, "given");
    stencil_end(&a);
  }
  EXPECT(!DMDestroy(&row.options.dm));
  SETTLE();
}

/* Fields of one array with different matrices are of different forms. */
static void each_stencil_is_a_form_of_its_own(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    live_row row = rows[PLANE].row;
    live a;
    row.options.matrix_width = i % 2 ? 0 : 1;
    row.options.matrix_star = i < 2;
    stencil_make(&a, &row);
    stencil_check(a.field.dm, i % 2 ? 2 : 1, i < 2, "one after the other");
    stencil_end(&a);
  }
  SETTLE();
}

static void coarser_and_finer_grids_have_it(void **state)
{
  (void)state;
  const live_row wide = {{"wide", 2, {49, 17}, FIRST_AXIS, .halo = {2, 2}}, .options = {FIVE_POINTS}};
  live a;
  DM fine = NULL, coarse = NULL, again = NULL;
  if (stencil_make(&a, &wide)) {
    EXPECT(!DMRefine(a.field.dm, MPI_COMM_WORLD, &fine));
    stencil_check(fine, 1, true, "refined");
    EXPECT(!DMCoarsen(a.field.dm, MPI_COMM_WORLD, &coarse));
    stencil_check(coarse, 1, true, "coarsened");
    EXPECT(!DMRefine(coarse, MPI_COMM_WORLD, &again));
    stencil_check(again, 1, true, "coarsened and refined");
    EXPECT(!DMDestroy(&again) && !DMDestroy(&coarse) && !DMDestroy(&fine));
  }
  stencil_end(&a);
  SETTLE();
}

/* With an empty process the DMDA has ranges of its own, and vectors are moved. */
static void moved_fields_have_it(void **state)
{
  (void)state;
  const live_row row = {{"an empty process", 2, {28, 9}, FIRST_AXIS, .cut = {CUT_HOLES}},
                        .options = {.width = 2, .matrix_width = 1, .matrix_star = true}};
  live a;
  if (stencil_make(&a, &row)) {
    EXPECT(a.field.shared_global == (test_nprocs() == 1));
    stencil_check(a.field.dm, 1, true, "with an empty process");
  }
  stencil_end(&a);
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
