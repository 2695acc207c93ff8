/* Parts of arrays as matrices that live on: loaded, stored, discarded, their padding filled, described. */
#include "matrix_check.h"
#include "part_check.h"

/* clang-format off */
static const part_row rows[] = {
  {"rows in F order", 2, {24, 5}, {PADDED, WHOLE}, FORM_F, .shared = 1},
  {"rows in C order: a shell", 2, {24, 5}, {PADDED, WHOLE}, .shared = 1},
  {"columns in C order: a transposed view", 2, {5, 24}, {WHOLE, PADDED}, .shared = 1},
  {"blocks of both axes", 2, {18, 14}, {PADDED, PADDED}, .shared = -1},
  {"a range of rows in F order", 2, {24, 5}, {PADDED, WHOLE}, FORM_F, .start = {3, 1}, .shape = {17, 3},
   .shared = 1},
  {"a range of rows dealt", 2, {40, 5}, {DEALT, WHOLE}, FORM_F, .start = {3, 1}, .shape = {20, 3},
   .shared = 0},
  {"axes swapped: a transposed view of rows", 2, {24, 5}, {PADDED, WHOLE}, FORM_F, 2, {1, 0}, {0},
   .shared = 1},
  {"axes swapped: columns of C order", 2, {5, 24}, {WHOLE, BLOCKS}, FORM_C, 2, {1, 0}, {0}, .shared = 1},
  {"two of three axes in F order", 3, {14, 4, 3}, {PADDED, WHOLE, WHOLE}, FORM_F, 2, {0, 2}, {0, 1, 0},
   .shared = 1},
  {"two of three axes, not contiguous", 3, {14, 4, 3}, {PADDED, WHOLE, WHOLE}, FORM_C, 2, {0, 1}, {0, 0, 1},
   .shared = 0},
  {"a plane that some processes have", 3, {7, 14, 5}, {PADDED, PADDED, WHOLE}, FORM_F, 2, {0, 2}, {0, 11, 0},
   .shared = 1},
  {"a plane that one process has", 3, {24, 4, 5}, {PADDED, WHOLE, WHOLE}, FORM_C, 2, {1, 2}, {23, 0, 0},
   .shared = 1},
  {"one axis as a column", 1, {24}, {PADDED}, FORM_C, 2, {0, -1}, {0}, .shared = 1},
  {"rows in lists", 2, {24, 5}, {LISTED, WHOLE}, FORM_F, .shared = 0},
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
static void check(const parted *p, const dap_petsc_matrix *m, int64_t shift)
{
  Vec x = NULL, y = NULL;
  if (!m->mat) return;
  EXPECT(!MatCreateVecs(m->mat, &x, &y));
  for (PetscInt j = 0; j < (PetscInt)p->shape[1]; j++) {
    PetscInt begin = 0, end = 0;
    const PetscScalar *memory = NULL;
    EXPECT(!VecGetOwnershipRange(x, &begin, &end) && !VecZeroEntries(x));
    if (j >= begin && j < end) EXPECT(!VecSetValue(x, j, 1, INSERT_VALUES));
    EXPECT(!VecAssemblyBegin(x) && !VecAssemblyEnd(x) && !MatMult(m->mat, x, y));
    EXPECT(!VecGetOwnershipRange(y, &begin, &end) && !VecGetArrayRead(y, &memory));
    for (PetscInt i = begin; i < end; i++) {
      const int64_t index[2] = {i, j};
      EXPECT_MSG(memory[i - begin] == parted_value(p, index, shift), "element (%d, %d): %g", (int)i, (int)j,
                 (double)PetscRealPart(memory[i - begin]));
    }
    EXPECT(!VecRestoreArrayRead(y, &memory));
  }
  EXPECT(!VecDestroy(&x) && !VecDestroy(&y));
}

/* By PETSc, but where nobody but the buffer's owner can write. */
static void write(const parted *p, const dap_petsc_matrix *m, int64_t shift)
{
  bool transposed = false;
  Mat mat = m->mat ? inner_of(m->mat, &transposed) : NULL;
  if (mat && has_type(mat, MATSHELL)) parted_fill(p, shift);
  if (!mat || has_type(mat, MATSHELL)) return;
  PetscMPIInt rank = 0, procs = 0;
  MPI_Comm_rank(PetscObjectComm((PetscObject)mat), &rank);
  MPI_Comm_size(PetscObjectComm((PetscObject)mat), &procs);
  for (PetscInt i = 0; i < (PetscInt)p->shape[0]; i++)
    for (PetscInt j = 0; j < (PetscInt)p->shape[1]; j++) {
      const int64_t index[2] = {i, j};
      if ((i + j) % procs == rank)
        EXPECT(!MatSetValue(mat, transposed ? j : i, transposed ? i : j, parted_value(p, index, shift),
                            INSERT_VALUES));
    }
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
}

static void check_words(const parted *p, const dap_petsc_matrix *m)
{
  char text[1024], head[64];
  (void)snprintf(head, sizeof head, "%d x %d matrix; %s", (int)p->shape[0], (int)p->shape[1],
                 m->shared ? "shared" : "moved");
  EXPECT(dap_petsc_matrix_describe(m, text, sizeof text) == strlen(text));
  EXPECT_MSG(strncmp(text, head, strlen(head)) == 0 && strstr(text, m->reason), "%s", text);
}

static void live(const part_row *row, dap_sharing sharing, dap_petsc_form form)
{
  enum { FIRST = 1000, SECOND = 2000, THIRD = 3000, LAST = 4000 };
  parted p;
  dap_petsc_matrix m;
  dap_error err = {.rank = -1};
  parted_make(&p, row);
  const dap_petsc_matrix_options o = {.sharing = sharing, .part = p.part, .form = form};
  const dap_darray array = {p.layout, &p.array};
  const dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &m, &err);
  if (s == DAP_ERR_UNSUPPORTED && form == DAP_PETSC_SCALAPACK) {
    expect_same_error(MPI_COMM_WORLD, s, &err, s, "MATSCALAPACK");
  } else if (EXPECT_OK(s, &err)) {
    if (sharing == DAP_SHARE_NEVER || form == DAP_PETSC_SCALAPACK)
      EXPECT(!m.shared);
    else if (row->shared >= 0 && test_nprocs() > 2)
      EXPECT_MSG(m.shared == row->shared, "shared %d: %s", m.shared, m.reason);
    check(&p, &m, 0);
    check_words(&p, &m);

    parted_fill(&p, FIRST);
    EXPECT_OK(dap_petsc_matrix_load(&m, &err), &err);
    check(&p, &m, FIRST);
    EXPECT_OK(dap_petsc_matrix_halo(&m, &err), &err);
    parted_check(&p, FIRST, PADDING_FILLED);

    write(&p, &m, SECOND);
    EXPECT_OK(dap_petsc_matrix_store(&m, &err), &err);
    parted_check(&p, SECOND, PADDING_FILLED);
    EXPECT(!m.shared || m.moved_bytes == 0);

    dap_petsc_matrix copy = m;
    EXPECT_FAIL(dap_petsc_matrix_restore(&copy, &err), DAP_ERR_ARG, &err, "a copy of a live view");

    write(&p, &m, THIRD);
    const bool is_shared = m.shared;
    EXPECT_OK(dap_petsc_matrix_discard(&m, &err), &err);
    EXPECT(!m.mat && m.shared == is_shared);
    parted_check(&p, is_shared ? THIRD : SECOND, PADDING_ANY);

    EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_WRITE, &o, &m, &err), &err);
    write(&p, &m, LAST);
    EXPECT_OK(dap_petsc_matrix_restore(&m, &err), &err);
    parted_check(&p, LAST, PADDING_FILLED);
  }
  parted_free(&p);
}

static void check_rows(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    TEST_CASE("%s", rows[i].why);
    live(&rows[i], DAP_SHARE_IF_POSSIBLE, DAP_PETSC_ANY);
    TEST_CASE("%s, moved", rows[i].why);
    live(&rows[i], DAP_SHARE_NEVER, DAP_PETSC_ANY);
    TEST_CASE("%s, MATSCALAPACK", rows[i].why);
    live(&rows[i], DAP_SHARE_IF_POSSIBLE, DAP_PETSC_SCALAPACK);
    SETTLE();
  }
}

/* What MatScale() did to a shell is taken back by a load. */
static void loads_a_shell(void **state)
{
  (void)state;
  parted p;
  dap_petsc_matrix m;
  dap_error err = {.rank = -1};
  parted_make(&p, &rows[1]);
  const dap_darray array = {p.layout, &p.array};
  EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, array, DAP_READ, NULL, &m, &err), &err);
  if (has_type(m.mat, MATSHELL)) EXPECT(!MatScale(m.mat, 2));
  EXPECT_OK(dap_petsc_matrix_load(&m, &err), &err);
  check(&p, &m, 0);
  EXPECT_OK(dap_petsc_matrix_restore(&m, &err), &err);
  parted_free(&p);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_rows),
    cmocka_unit_test(loads_a_shell),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
