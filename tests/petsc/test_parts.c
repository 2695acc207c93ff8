/* Tests parts of arrays as vectors and matrices that live on. They are loaded, stored, discarded and
 * described, and their padding is filled. */
#include "live.h"

/* clang-format off */
static const live_row vectors[] = {
  {.layout = {"nodes with ghosts behind, components", 2, {24, 5}, FIRST_AXIS, .cut = {CUT_LOTS_BEHIND}},
   DEPENDS, SHARED},
  {{"a component of nodes with ghosts", 2, {24, 5}, FIRST_AXIS, .cut = {CUT_GHOSTS_BEHIND}}, DEPENDS, SHARED,
   NULL, 1, {0}, {0, 2}, .form = FORM_F},
  {.layout = {"a layer of nodes with ghosts, assembled", 2, {5, 25}, .cut = {CUT_EVEN, CUT_LOTS_BEHIND},
   .assembled = true}, DEPENDS, SHARED, NULL, 1, {1}, {3}},
  {{"a range of nodes with ghosts", 2, {31, 2}, FIRST_AXIS, .cut = {CUT_GHOSTS_BEHIND}}, DEPENDS, MOVED,
   .index = {7, 0}, .shape = {20, 2}},
  {.layout = {"all of one axis, padded", 1, {37}, .halo = {1}}, DEPENDS, SHARED},
  {{"a range of rows", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, .index = {3, 0}, .shape = {17,
   5}},
  {{"a range of columns", 2, .size = {24, 5}, FIRST_AXIS}, DEPENDS, MOVED, .index = {0, 1}, .shape = {24, 3}},
  {{"a column in F order", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, NULL, 1, {0}, {0, 2},
   .form = FORM_F},
  {.layout = {"a column in C order", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, MOVED, NULL, 1, {0}, {0,
   2}},
  {{"a column of a grid of processes", 2, {18, 14}, .halo = {1, 1}}, DEPENDS, SHARED, NULL, 1, {0}, {0, 9},
   .form = FORM_F},
  {{"axes swapped, F order of entries", 2, .size = {24, 5}, FIRST_AXIS}, DEPENDS, SHARED, NULL, 2, {1, 0},
   .vector = {.order = DAP_ORDER_F}},
  {.layout = {"a new axis", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, NULL, 3, {0, -1, 1}},
  {.layout = {"two of three axes", 3, {12, 4, 3}, FIRST_AXIS, .halo = {1}}, DEPENDS, MOVED, NULL, 2, {0, 2},
   {0, 1, 0}},
  {.layout = {"a plane of three axes", 3, {3, 14, 4}, SECOND_AXIS, .halo = {0, 1}}, DEPENDS, SHARED, NULL, 2,
   {1, 2}, {2, 0, 0}},
  {{"lists along a column", 2, {24, 5}, FIRST_AXIS, .cut = {CUT_LOTS}}, DEPENDS, SHARED, NULL, 1, {0}, {0, 3},
   .form = FORM_F},
  {{"a range of blocks dealt", 1, {40}, .cut = {CUT_CYCLIC}}, DEPENDS, MOVED, .index = {3}, .shape = {20}},
  {{"a range of two axes of a grid", 2, {18, 14}, .halo = {1, 1}}, .index = {2, 3}, .shape = {11, 9}},
};

static const live_row matrices[] = {
  {{"rows in F order", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, .form = FORM_F},
  {.layout = {"rows in C order: a shell", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED},
  {.layout = {"columns in C order: a transposed view", 2, {5, 24}, SECOND_AXIS, .halo = {0, 1}}, DEPENDS,
   SHARED},
  {.layout = {"blocks of both axes", 2, {18, 14}, .halo = {1, 1}}},
  {{"a range of rows in F order", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, .index = {3, 1},
   .shape = {17, 3}, .form = FORM_F},
  {{"a range of rows dealt", 2, {40, 5}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, DEPENDS, MOVED, .index = {3, 1},
   .shape = {20, 3}, .form = FORM_F},
  {{"axes swapped: a transposed view of rows", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, NULL, 2,
   {1, 0}, .form = FORM_F},
  {{"two of three axes in F order", 3, {14, 4, 3}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, NULL, 2, {0, 2},
   {0, 1, 0}, .form = FORM_F},
  {.layout = {"two of three axes, not contiguous", 3, {14, 4, 3}, FIRST_AXIS, .halo = {1}}, DEPENDS, MOVED,
   NULL, 2, {0, 1}, {0, 0, 1}},
  {{"a plane that some processes have", 3, {7, 14, 5}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}}, DEPENDS,
   SHARED, NULL, 2, {0, 2}, {0, 11, 0}, .form = FORM_F},
  {.layout = {"a plane that one process has", 3, {24, 4, 5}, FIRST_AXIS, .halo = {1}}, DEPENDS, SHARED, NULL,
   2, {1, 2}, {23, 0, 0}},
  {.layout = {"one axis as a column", 1, {24}, .halo = {1}}, DEPENDS, SHARED, NULL, 2, {0, -1}},
};
/* clang-format on */

/* ---- any of them ------------------------------------------------------------------------------------- */

static void check(const live *a, const any_view *v, int64_t shift)
{
  if (v->kind == MATRIX) live_check_matrix(a, v->matrix.mat, shift);
  if (v->kind == MATRIX) return;
  live_visit(a, &v->vector, CHECK, shift);
  live_check_norm(v->vector.vec);
}

static void write_entries(const live *a, const any_view *v, int64_t shift)
{
  if (v->kind == MATRIX)
    live_write_matrix(a, v->matrix.mat, shift);
  else
    live_visit(a, &v->vector, WRITE, shift);
}

static void check_words(const live *a, const any_view *v)
{
  char text[1024], head[64];
  const int rows = (int)live_size(a, 0), columns = live_ndim(a) > 1 ? (int)live_size(a, 1) : 1;
  const char *verdict = any_is_shared(v) ? "shared" : "moved";
  size_t length;
  if (v->kind == MATRIX) {
    (void)snprintf(head, sizeof head, "%d x %d matrix; %s", rows, columns, verdict);
    length = dap_petsc_matrix_describe(&v->matrix, text, sizeof text);
  } else {
    const int count = rows * columns * (live_ndim(a) > 2 ? (int)live_size(a, 2) : 1);
    (void)snprintf(head, sizeof head, "vector of %d entries; %s", count, verdict);
    length = dap_petsc_vector_describe(&v->vector, text, sizeof text);
  }
  EXPECT(length == strlen(text) && strncmp(text, head, strlen(head)) == 0);
  EXPECT_MSG(strstr(text, v->kind == MATRIX ? v->matrix.reason : v->vector.reason), "%s", text);
}

static void check_verdict(const live_row *row, const any_view *v)
{
  const char *reason = v->kind == MATRIX ? v->matrix.reason : v->vector.reason;
  const dap_sharing sharing = v->of_vector.sharing;
  if (sharing == DAP_SHARE_NEVER || v->of_matrix.form == DAP_PETSC_SCALAPACK)
    EXPECT(!any_is_shared(v));
  else if (row->global != DEPENDS && test_nprocs() > 2)
    EXPECT_MSG(any_is_shared(v) == (row->global == SHARED), "%s", reason);
  EXPECT(!any_is_shared(v) || any_moved(v) == 0);
}

/* Uses the view from its first get on, and gets it once more. */
static void live_on(const live_row *row, live *a, any_view *v)
{
  enum { FIRST = 1000, SECOND = 2000, THIRD = 3000, LAST = 4000 };
  dap_error err = {.rank = -1};
  check_verdict(row, v);
  check(a, v, BEFORE);
  check_words(a, v);

  live_fill(a, FIRST);
  EXPECT_OK(any_do(v, LOAD, &err), &err);
  check(a, v, FIRST);
  EXPECT_OK(any_do(v, HALO, &err), &err);
  live_check(a, FIRST, BEFORE, BEFORE, PADDING_FILLED);

  write_entries(a, v, SECOND);
  EXPECT_OK(any_do(v, STORE, &err), &err);
  live_check(a, SECOND, BEFORE, BEFORE, PADDING_FILLED);
  EXPECT(!any_is_shared(v) || any_moved(v) == 0);

  any_view copy = *v;
  EXPECT_FAIL(any_do(&copy, STORE, &err), DAP_ERR_ARG, &err, "copy of|live view");

  write_entries(a, v, THIRD);
  const bool is_shared = any_is_shared(v);
  EXPECT_OK(any_do(v, DISCARD, &err), &err);
  EXPECT(!any_is_live(v) && any_is_shared(v) == is_shared);
  live_check(a, is_shared ? THIRD : SECOND, BEFORE, BEFORE, PADDING_ANY);
  EXPECT_FAIL(any_do(v, LOAD, &err), DAP_ERR_ARG, &err, "not a live");

  EXPECT_OK(any_get(MPI_COMM_WORLD, v, (dap_darray){a->layout, &a->array}, DAP_WRITE, &err), &err);
  write_entries(a, v, LAST);
  EXPECT_OK(any_do(v, RESTORE, &err), &err);
  live_check(a, LAST, BEFORE, BEFORE, PADDING_FILLED);
}

static void check_row(const live_row *row, any_kind kind, dap_sharing sharing, dap_petsc_form form)
{
  live a;
  dap_error err = {.rank = -1};
  any_view v = {.kind = kind};
  TEST_CASE("%s: %s, sharing %d, form %d", any_names[kind], row->layout.why, (int)sharing, (int)form);
  live_make_row(&a, row);
  any_share(&v, sharing);
  v.of_vector.part = v.of_matrix.part = live_part(&a);
  v.of_vector.order = row->vector.order;
  v.of_matrix.form = form;
  const dap_status s = any_get(MPI_COMM_WORLD, &v, (dap_darray){a.layout, &a.array}, DAP_READ_WRITE, &err);
  if (s == DAP_ERR_UNSUPPORTED && form == DAP_PETSC_SCALAPACK)
    expect_same_error(MPI_COMM_WORLD, s, &err, s, "MATSCALAPACK");
  else if (EXPECT_OK(s, &err))
    live_on(row, &a, &v);
  live_free(&a);
  SETTLE();
}

static void parts_as_vectors(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    check_row(&vectors[i], VECTOR, DAP_SHARE_IF_POSSIBLE, DAP_PETSC_ANY);
    check_row(&vectors[i], VECTOR, DAP_SHARE_NEVER, DAP_PETSC_ANY);
  }
}

static void parts_as_matrices(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
    check_row(&matrices[i], MATRIX, DAP_SHARE_IF_POSSIBLE, DAP_PETSC_ANY);
    check_row(&matrices[i], MATRIX, DAP_SHARE_NEVER, DAP_PETSC_ANY);
    check_row(&matrices[i], MATRIX, DAP_SHARE_IF_POSSIBLE, DAP_PETSC_SCALAPACK);
  }
}

/* A load undoes what MatScale() did to a shell. */
static void loads_a_shell(void **state)
{
  (void)state;
  live a;
  any_view v = {.kind = MATRIX};
  dap_error err = {.rank = -1};
  live_make_row(&a, &matrices[1]);
  EXPECT_OK(any_get(MPI_COMM_WORLD, &v, (dap_darray){a.layout, &a.array}, DAP_READ, &err), &err);
  if (has_type(v.matrix.mat, MATSHELL)) EXPECT(!MatScale(v.matrix.mat, 2));
  EXPECT_OK(any_do(&v, LOAD, &err), &err);
  check(&a, &v, BEFORE);
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
  live_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),  cmocka_unit_test(parts_as_vectors), cmocka_unit_test(parts_as_matrices),
    cmocka_unit_test(loads_a_shell), cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
