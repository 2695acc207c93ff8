/* Parts of arrays as vectors and matrices that live on: loaded, stored, discarded, their padding filled,
 * described. */
#include "live_axes.h"
#include "matrix_check.h"
#include "vector_check.h"

/* clang-format off */
static const live_row vectors[] = {
  {"all of one axis, padded", 1, {PAD(37, 1)}, .want = {.global = SHARED}},
  {"all of one cyclic axis", 1, {ROUND(37, 2)}, .want = {.global = MOVED}},
  {"rows", 2, {PAD(24, 1), ONE(5)}, .want = {.global = SHARED}},
  {"a range of rows", 2, {PAD(24, 1), ONE(5)}, .index = {3, 0}, .shape = {17, 5}, .want = {.global = SHARED}},
  {"a range of columns", 2, {ALL(24), ONE(5)}, .index = {0, 1}, .shape = {24, 3}, .want = {.global = MOVED}},
  {"a column in F order", 2, {PAD(24, 1), ONE(5)}, 1, {0}, {0, 2}, .form = FORM_F,
   .want = {.global = SHARED}},
  {"a column in C order", 2, {PAD(24, 1), ONE(5)}, 1, {0}, {0, 2}, .want = {.global = MOVED}},
  {"a row, which one process has", 2, {PAD(24, 1), ONE(5)}, 1, {1}, {23, 0}, .want = {.global = SHARED}},
  {"a column of a grid of processes", 2, {PAD(18, 1), PAD(14, 1)}, 1, {0}, {0, 9}, .form = FORM_F,
   .want = {.global = SHARED}},
  {"a column of a grid of processes in C order", 2, {PAD(18, 1), PAD(14, 1)}, 1, {0}, {0, 9},
   .want = {.global = MOVED}},
  {"axes swapped, F order of entries", 2, {ALL(24), ONE(5)}, 2, {1, 0}, .options = {.order = DAP_ORDER_F},
   .want = {.global = SHARED}},
  {"axes swapped, C order of entries", 2, {ALL(24), ONE(5)}, 2, {1, 0}, .want = {.global = MOVED}},
  {"a new axis", 2, {PAD(24, 1), ONE(5)}, 3, {0, -1, 1}, .want = {.global = SHARED}},
  {"two of three axes", 3, {PAD(12, 1), ONE(4), ONE(3)}, 2, {0, 2}, {0, 1, 0}, .want = {.global = MOVED}},
  {"a plane of three axes", 3, {ONE(3), PAD(14, 1), ONE(4)}, 2, {1, 2}, {2, 0, 0},
   .want = {.global = SHARED}},
  {"lists along a column", 2, {LIST(24), ONE(5)}, 1, {0}, {0, 3}, .form = FORM_F, .want = {.global = SHARED}},
  {"a range of lists", 1, {LIST(24)}, .index = {3}, .shape = {17}, .want = {.global = MOVED}},
  {"a range of blocks dealt", 1, {ROUND(40, 2)}, .index = {3}, .shape = {20}, .want = {.global = MOVED}},
  {"a range of two axes of a grid", 2, {PAD(18, 1), PAD(14, 1)}, .index = {2, 3}, .shape = {11, 9},
   .want = {.global = DEPENDS}},
};

static const live_row matrices[] = {
  {"rows in F order", 2, {PAD(24, 1), ONE(5)}, .form = FORM_F, .want = {.global = SHARED}},
  {"rows in C order: a shell", 2, {PAD(24, 1), ONE(5)}, .want = {.global = SHARED}},
  {"columns in C order: a transposed view", 2, {ONE(5), PAD(24, 1)}, .want = {.global = SHARED}},
  {"blocks of both axes", 2, {PAD(18, 1), PAD(14, 1)}, .want = {.global = DEPENDS}},
  {"a range of rows in F order", 2, {PAD(24, 1), ONE(5)}, .form = FORM_F, .index = {3, 1}, .shape = {17, 3},
   .want = {.global = SHARED}},
  {"a range of rows dealt", 2, {ROUND(40, 2), ONE(5)}, .form = FORM_F, .index = {3, 1}, .shape = {20, 3},
   .want = {.global = MOVED}},
  {"axes swapped: a transposed view of rows", 2, {PAD(24, 1), ONE(5)}, 2, {1, 0}, .form = FORM_F,
   .want = {.global = SHARED}},
  {"axes swapped: columns of C order", 2, {ONE(5), ALL(24)}, 2, {1, 0}, .want = {.global = SHARED}},
  {"two of three axes in F order", 3, {PAD(14, 1), ONE(4), ONE(3)}, 2, {0, 2}, {0, 1, 0}, .form = FORM_F,
   .want = {.global = SHARED}},
  {"two of three axes, not contiguous", 3, {PAD(14, 1), ONE(4), ONE(3)}, 2, {0, 1}, {0, 0, 1},
   .want = {.global = MOVED}},
  {"a plane that some processes have", 3, {PAD(7, 1), PAD(14, 1), ONE(5)}, 2, {0, 2}, {0, 11, 0},
   .form = FORM_F, .want = {.global = SHARED}},
  {"a plane that one process has", 3, {PAD(24, 1), ONE(4), ONE(5)}, 2, {1, 2}, {23, 0, 0},
   .want = {.global = SHARED}},
  {"one axis as a column", 1, {PAD(24, 1)}, 2, {0, -1}, .want = {.global = SHARED}},
  {"rows in lists", 2, {LIST(24), ONE(5)}, .form = FORM_F, .want = {.global = MOVED}},
};
/* clang-format on */

/* ---- matrices ---------------------------------------------------------------------------------------- */

static Mat inner_of(Mat mat, bool *transposed)
{
  Mat dense = mat;
  *transposed = has_type(mat, MATTRANSPOSEVIRTUAL);
  if (*transposed) EXPECT(!MatTransposeGetMat(mat, &dense));
  return dense;
}

/* Every element, by products with unit vectors, which any matrix has. */
static void check_matrix(const live *a, const dap_petsc_matrix *m, int64_t shift)
{
  Vec x = NULL, y = NULL;
  if (!m->mat) return;
  EXPECT(!MatCreateVecs(m->mat, &x, &y));
  for (PetscInt j = 0; j < (PetscInt)live_size(a, 1); j++) {
    PetscInt begin = 0, end = 0;
    const PetscScalar *memory = NULL;
    EXPECT(!VecGetOwnershipRange(x, &begin, &end) && !VecZeroEntries(x));
    if (j >= begin && j < end) EXPECT(!VecSetValue(x, j, 1, INSERT_VALUES));
    EXPECT(!VecAssemblyBegin(x) && !VecAssemblyEnd(x) && !MatMult(m->mat, x, y));
    EXPECT(!VecGetOwnershipRange(y, &begin, &end) && !VecGetArrayRead(y, &memory));
    for (PetscInt i = begin; i < end; i++) {
      const int64_t index[2] = {i, j};
      EXPECT_MSG(memory[i - begin] == live_value(a, index, shift), "element (%d, %d): %g", (int)i, (int)j,
                 (double)PetscRealPart(memory[i - begin]));
    }
    EXPECT(!VecRestoreArrayRead(y, &memory));
  }
  EXPECT(!VecDestroy(&x) && !VecDestroy(&y));
}

/* By PETSc, but where nobody but the buffer's owner can write. */
static void write_matrix(const live *a, const dap_petsc_matrix *m, int64_t shift)
{
  bool transposed = false;
  Mat mat = m->mat ? inner_of(m->mat, &transposed) : NULL;
  if (mat && has_type(mat, MATSHELL)) live_fill(a, shift);
  if (!mat || has_type(mat, MATSHELL)) return;
  PetscMPIInt rank = 0, procs = 0;
  MPI_Comm_rank(PetscObjectComm((PetscObject)mat), &rank);
  MPI_Comm_size(PetscObjectComm((PetscObject)mat), &procs);
  for (PetscInt i = 0; i < (PetscInt)live_size(a, 0); i++)
    for (PetscInt j = 0; j < (PetscInt)live_size(a, 1); j++) {
      const int64_t index[2] = {i, j};
      if ((i + j) % procs == rank)
        EXPECT(!MatSetValue(mat, transposed ? j : i, transposed ? i : j, live_value(a, index, shift),
                            INSERT_VALUES));
    }
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
}

/* ---- any of them ------------------------------------------------------------------------------------- */

static void check(const live *a, const any_view *v, int64_t shift)
{
  if (v->kind == MATRIX) check_matrix(a, &v->matrix, shift);
  if (v->kind == MATRIX) return;
  vector_visit(a, &v->vector, CHECK, shift);
  vector_check_norm(&v->vector);
}

static void write_entries(const live *a, const any_view *v, int64_t shift)
{
  if (v->kind == MATRIX)
    write_matrix(a, &v->matrix, shift);
  else
    vector_visit(a, &v->vector, WRITE, shift);
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
  else if (row->want.global != DEPENDS && test_nprocs() > 2)
    EXPECT_MSG(any_is_shared(v) == (row->want.global == SHARED), "%s", reason);
  EXPECT(!any_is_shared(v) || any_moved(v) == 0);
}

/* From its first get on, and once more. */
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
  TEST_CASE("%s: %s, sharing %d, form %d", any_names[kind], row->why, (int)sharing, (int)form);
  live_make_row(&a, row);
  any_share(&v, sharing);
  v.of_vector.part = v.of_matrix.part = live_part(&a);
  v.of_vector.order = row->options.order;
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

/* What MatScale() did to a shell is taken back by a load. */
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
