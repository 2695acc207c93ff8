/* Parts of arrays as matrices that live on: loaded, stored, discarded, their padding filled, described. */
#include "live.h"
#include "live_axes.h"
#include "matrix_check.h"

/* clang-format off */
static const live_row rows[] = {
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

enum { ROWS = sizeof rows / sizeof rows[0] };

static Mat inner_of(Mat mat, bool *transposed)
{
  Mat dense = mat;
  *transposed = has_type(mat, MATTRANSPOSEVIRTUAL);
  if (*transposed) EXPECT(!MatTransposeGetMat(mat, &dense));
  return dense;
}

/* Every element, by products with unit vectors, which any matrix has. */
static void check(const live *a, const dap_petsc_matrix *m, int64_t shift)
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
static void write(const live *a, const dap_petsc_matrix *m, int64_t shift)
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

static void check_words(const live *a, const dap_petsc_matrix *m)
{
  char text[1024], head[64];
  (void)snprintf(head, sizeof head, "%d x %d matrix; %s", (int)live_size(a, 0), (int)live_size(a, 1),
                 m->shared ? "shared" : "moved");
  EXPECT(dap_petsc_matrix_describe(m, text, sizeof text) == strlen(text));
  EXPECT_MSG(strncmp(text, head, strlen(head)) == 0 && strstr(text, m->reason), "%s", text);
}

static void live_on(const live_row *row, dap_sharing sharing, dap_petsc_form form)
{
  enum { FIRST = 1000, SECOND = 2000, THIRD = 3000, LAST = 4000 };
  live a;
  dap_petsc_matrix m;
  dap_error err = {.rank = -1};
  live_make_row(&a, row);
  const dap_petsc_matrix_options o = {.sharing = sharing, .part = live_part(&a), .form = form};
  const dap_darray array = {a.layout, &a.array};
  const dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &m, &err);
  if (s == DAP_ERR_UNSUPPORTED && form == DAP_PETSC_SCALAPACK) {
    expect_same_error(MPI_COMM_WORLD, s, &err, s, "MATSCALAPACK");
  } else if (EXPECT_OK(s, &err)) {
    if (sharing == DAP_SHARE_NEVER || form == DAP_PETSC_SCALAPACK)
      EXPECT(!m.shared);
    else if (row->want.global != DEPENDS && test_nprocs() > 2)
      EXPECT_MSG(m.shared == (row->want.global == SHARED), "shared %d: %s", m.shared, m.reason);
    check(&a, &m, 0);
    check_words(&a, &m);

    live_fill(&a, FIRST);
    EXPECT_OK(dap_petsc_matrix_load(&m, &err), &err);
    check(&a, &m, FIRST);
    EXPECT_OK(dap_petsc_matrix_halo(&m, &err), &err);
    live_check(&a, FIRST, BEFORE, BEFORE, PADDING_FILLED);

    write(&a, &m, SECOND);
    EXPECT_OK(dap_petsc_matrix_store(&m, &err), &err);
    live_check(&a, SECOND, BEFORE, BEFORE, PADDING_FILLED);
    EXPECT(!m.shared || m.moved_bytes == 0);

    dap_petsc_matrix copy = m;
    EXPECT_FAIL(dap_petsc_matrix_restore(&copy, &err), DAP_ERR_ARG, &err, "a copy of a live view");

    write(&a, &m, THIRD);
    const bool is_shared = m.shared;
    EXPECT_OK(dap_petsc_matrix_discard(&m, &err), &err);
    EXPECT(!m.mat && m.shared == is_shared);
    live_check(&a, is_shared ? THIRD : SECOND, BEFORE, BEFORE, PADDING_ANY);

    EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_WRITE, &o, &m, &err), &err);
    write(&a, &m, LAST);
    EXPECT_OK(dap_petsc_matrix_restore(&m, &err), &err);
    live_check(&a, LAST, BEFORE, BEFORE, PADDING_FILLED);
  }
  live_free(&a);
}

static void check_rows(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    TEST_CASE("%s", rows[i].why);
    live_on(&rows[i], DAP_SHARE_IF_POSSIBLE, DAP_PETSC_ANY);
    TEST_CASE("%s, moved", rows[i].why);
    live_on(&rows[i], DAP_SHARE_NEVER, DAP_PETSC_ANY);
    TEST_CASE("%s, MATSCALAPACK", rows[i].why);
    live_on(&rows[i], DAP_SHARE_IF_POSSIBLE, DAP_PETSC_SCALAPACK);
    SETTLE();
  }
}

/* What MatScale() did to a shell is taken back by a load. */
static void loads_a_shell(void **state)
{
  (void)state;
  live a;
  dap_petsc_matrix m;
  dap_error err = {.rank = -1};
  live_make_row(&a, &rows[1]);
  const dap_darray array = {a.layout, &a.array};
  EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_READ, NULL, &m, &err), &err);
  if (has_type(m.mat, MATSHELL)) EXPECT(!MatScale(m.mat, 2));
  EXPECT_OK(dap_petsc_matrix_load(&m, &err), &err);
  check(&a, &m, 0);
  EXPECT_OK(dap_petsc_matrix_restore(&m, &err), &err);
  live_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_rows),
    cmocka_unit_test(loads_a_shell),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
