/* Shared matrices whose rows lie unevenly on the processes, with a leading dimension that is the number of
 * rows on all of them, on some, on none. */
#include "matrix_check.h"

enum { SIZE = 24, MOST = 64 };

/* Even ranges, or one row on the first process and the others on the last; and elements between the columns,
 * of which padding is some. */
typedef struct row {
  const char *why;
  int64_t columns;
  bool even;
  int64_t gap, last_gap; /* on all processes but the last, on that one */
  int64_t halo;
} row;

static const row rows[] = {
    {"even", SIZE, true, 0, 0, 0},
    {"even, gaps", SIZE, true, 2, 2, 0},
    {"even, padded", SIZE, true, 0, 0, 1},
    {"processes without a row", SIZE, false, 0, 0, 0},
    {"processes without a row, gaps", SIZE, false, 3, 3, 0},
    {"a gap on the last process", SIZE, false, 0, 1, 0},
    {"gaps on all but the last process", SIZE, true, 1, 0, 0},
    {"not square, gaps", SIZE / 2, true, 1, 1, 0},
    {"not square, processes without a row, gaps", SIZE / 2, false, 1, 1, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static dap_layout *lay(const row *r)
{
  const int procs = test_nprocs();
  int64_t lengths[MOST] = {0};
  dap_layout *layout = NULL;
  dap_error err;
  if (procs > 1) lengths[0] = 1;
  lengths[procs - 1] = procs > 1 ? SIZE - 1 : SIZE;
  dap_dist dist[] = {r->even ? dap_dist_even(SIZE, procs) : dap_dist_lengths(SIZE, procs, lengths),
                     dap_dist_even(r->columns, 1)};
  dist[0].halo = r->halo;
  EXPECT_OK(dap_layout_create(2, dist, &layout, &err), &err);
  return layout;
}

/* In a memory of the program's, where gaps have what would show in any sum. */
static void get(const row *r, dap_access access, dap_petsc_matrix *matrix)
{
  static PetscScalar memory[(SIZE + 3) * SIZE];
  const known elements = {SIZE, (PetscInt)r->columns, 1, true};
  const int64_t gap = test_rank() == test_nprocs() - 1 ? r->last_gap : r->gap;
  dap_layout *layout = lay(r);
  dap_array array;
  dap_error err;
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), scalar_dtype(), DAP_ORDER_F, memory, &err), &err);
  const int64_t lead = array.shape[0] + gap;
  array.strides[1] = (lead > 0 ? lead : 1) * (int64_t)sizeof(PetscScalar);
  for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++) memory[k] = -1000;
  fill_known(layout, &array, &elements);
  const dap_petsc_matrix_options options = {.sharing = DAP_SHARE_OR_FAIL, .form = DAP_PETSC_DENSE};
  EXPECT_OK(
      dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, access, &options, matrix, &err),
      &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
}

/* ---- what a process has ------------------------------------------------------------------------------ */

static void check_norms_here(Mat mat)
{
  Mat here = NULL;
  PetscInt lo = 0, hi = 0, n = 0;
  PetscReal columns[SIZE] = {0};
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi) && !MatGetSize(mat, NULL, &n));
  EXPECT(!MatDenseGetLocalMatrix(mat, &here) && !MatGetColumnNorms(here, NORM_1, columns));
  for (PetscInt j = 0; j < n; j++) {
    PetscReal sum = 0;
    for (PetscInt i = lo; i < hi; i++) sum += PetscAbsScalar(dominant_at(i, j));
    EXPECT_MSG(columns[j] == sum, "column %d here: sum %g", (int)j, (double)columns[j]);
  }
}

/* A sweep of Gauss and Seidel over the diagonal block, by hand. */
static void check_sweep(Mat block, PetscInt lo, PetscInt hi)
{
  Vec x = NULL, b = NULL;
  PetscScalar want[SIZE] = {0};
  const PetscScalar *found;
  EXPECT(!MatCreateVecs(block, &x, &b) && !VecSet(b, 1));
  EXPECT(!MatSOR(block, b, 1, (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x));
  EXPECT(!VecGetArrayRead(x, &found));
  for (PetscInt i = 0; i < hi - lo; i++) {
    want[i] = 1;
    for (PetscInt j = 0; j < i; j++) want[i] -= dominant_at(lo + i, lo + j) * want[j];
    want[i] /= dominant_at(lo + i, lo + i);
    EXPECT_MSG(PetscAbsScalar(found[i] - want[i]) < 1e-14, "unknown %d is %g, not %g", (int)(lo + i),
               (double)PetscRealPart(found[i]), (double)PetscRealPart(want[i]));
  }
  EXPECT(!VecRestoreArrayRead(x, &found) && !VecDestroy(&x) && !VecDestroy(&b));
}

/* A matrix that is not square has no diagonal block on several processes, for PETSc as for what takes its
 * place. */
static void check_block(Mat mat, bool square)
{
  Mat block = NULL;
  PetscInt lo = 0, hi = 0;
  PetscScalar value = 0;
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi));
  EXPECT(!PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = MatGetDiagonalBlock(mat, &block);
  EXPECT(!PetscPopErrorHandler());
  if (!square) EXPECT(test_nprocs() == 1 || code == PETSC_ERR_SUP);
  if (!square || !EXPECT(code == 0)) return;
  for (PetscInt i = 0; i < hi - lo; i++)
    for (PetscInt j = 0; j < hi - lo; j++)
      EXPECT(!MatGetValues(block, 1, &i, 1, &j, &value) && value == dominant_at(lo + i, lo + j));
  check_sweep(block, lo, hi);
}

static void has_parts(void **state)
{
  (void)state;
  dap_error err;
  for (int r = 0; r < ROWS; r++) {
    TEST_CASE("%s", rows[r].why);
    dap_petsc_matrix matrix;
    get(&rows[r], DAP_READ, &matrix);
    check_norms_here(matrix.mat);
    check_block(matrix.mat, rows[r].columns == SIZE);
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    SETTLE();
  }
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static void check_norms(Mat mat)
{
  static const NormType types[] = {NORM_1, NORM_FROBENIUS, NORM_INFINITY};
  PetscReal norm[3] = {0}, columns[SIZE] = {0};
  double want[3] = {0, 0, 0};
  EXPECT(!MatGetColumnNorms(mat, NORM_1, columns));
  for (int i = 0; i < SIZE; i++) {
    double along = 0, down = 0;
    for (int j = 0; j < SIZE; j++) {
      along += (double)PetscAbsScalar(dominant_at(i, j));
      down += (double)PetscAbsScalar(dominant_at(j, i));
      want[1] += (double)PetscRealPart(dominant_at(i, j) * dominant_at(i, j));
    }
    EXPECT_MSG(columns[i] == (PetscReal)down, "column %d: sum %g", i, (double)columns[i]);
    want[0] = down > want[0] ? down : want[0];
    want[2] = along > want[2] ? along : want[2];
  }
  want[1] = (double)PetscSqrtReal((PetscReal)want[1]);
  for (int k = 0; k < 3; k++) {
    EXPECT(!MatNorm(mat, types[k], &norm[k]));
    EXPECT_MSG(PetscAbsReal(norm[k] - (PetscReal)want[k]) < 1e-10, "norm %d: %g, not %g", k, (double)norm[k],
               want[k]);
  }
}

/* Every second row and column: in parallel, and of all processes' rows on every process; made, and filled
 * again. */
static void check_seconds(Mat mat)
{
  IS is = NULL, all = NULL;
  Mat part = NULL, *parts = NULL;
  PetscInt lo = 0, hi = 0, here = 0, across = 0;
  PetscScalar value = 0;
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi));
  const PetscInt first = lo + lo % 2, count = (hi - first + 1) / 2;
  EXPECT(!ISCreateStride(MPI_COMM_WORLD, count, first, 2, &is));
  EXPECT(!MatCreateSubMatrix(mat, is, is, MAT_INITIAL_MATRIX, &part) && !MatZeroEntries(part));
  EXPECT(!MatCreateSubMatrix(mat, is, is, MAT_REUSE_MATRIX, &part) && !ISDestroy(&is));
  EXPECT(!MatGetSize(part, &here, &across) && here == SIZE / 2 && across == SIZE / 2);
  EXPECT(!MatGetOwnershipRange(part, &lo, &hi) && hi - lo == count);
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = 0; j < across; j++)
      EXPECT(!MatGetValues(part, 1, &i, 1, &j, &value) && value == dominant_at(2 * i, 2 * j));
  EXPECT(!MatDestroy(&part) && !ISCreateStride(PETSC_COMM_SELF, SIZE / 2, 0, 2, &all));
  EXPECT(!MatCreateSubMatrices(mat, 1, &all, &all, MAT_INITIAL_MATRIX, &parts) && !MatZeroEntries(parts[0]));
  EXPECT(!MatCreateSubMatrices(mat, 1, &all, &all, MAT_REUSE_MATRIX, &parts));
  for (PetscInt i = 0; i < SIZE / 2; i++)
    for (PetscInt j = 0; j < SIZE / 2; j++)
      EXPECT(!MatGetValues(parts[0], 1, &i, 1, &j, &value) && value == dominant_at(2 * i, 2 * j));
  EXPECT(!MatDestroySubMatrices(1, &parts) && !ISDestroy(&all));
}

/* What PETSc itself gets wrong of them; without gaps the same, by PETSc's own. */
static void keeps_gaps_out(void **state)
{
  (void)state;
  dap_error err;
  for (int r = 0; r < ROWS; r++) {
    if (rows[r].columns != SIZE) continue;
    TEST_CASE("%s", rows[r].why);
    dap_petsc_matrix matrix;
    get(&rows[r], DAP_READ, &matrix);
    PetscScalar trace = 0, want = 0;
    for (int k = 0; k < SIZE; k++) want += dominant_at(k, k);
    EXPECT(matrix.shared && !MatGetTrace(matrix.mat, &trace) && PetscAbsScalar(trace - want) < 1e-9);
    check_norms(matrix.mat);
    check_seconds(matrix.mat);
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    SETTLE();
  }
}

/* What PETSc cannot do fails, and leaves nothing behind. */
static void forgets_what_fails(void **state)
{
  (void)state;
  dap_error err;
  for (int r = 0; r < ROWS; r++) {
    PetscLogDouble before = 0, after = 0;
    PetscReal norm = 0;
    TEST_CASE("%s", rows[r].why);
    dap_petsc_matrix matrix;
    get(&rows[r], DAP_READ, &matrix);
    EXPECT(!PetscMallocGetCurrentUsage(&before));
    EXPECT(MatNorm(matrix.mat, NORM_2, &norm) != 0);
    EXPECT(!PetscMallocGetCurrentUsage(&after));
    EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    SETTLE();
  }
}

/* ---- MATSCALAPACK ------------------------------------------------------------------------------------ */

/* PETSc looks at the leading dimensions where the ranges are not its own, and refuses on those processes
 * alone that have a gap. */
static void becomes_cyclic(void **state)
{
  (void)state;
  dap_error err;
  for (int r = 0; r < ROWS; r++) {
    Mat cyclic = NULL;
    const known elements = {SIZE, (PetscInt)rows[r].columns, 1, true};
    TEST_CASE("%s", rows[r].why);
    dap_petsc_matrix matrix;
    get(&rows[r], DAP_READ, &matrix);
    EXPECT(!MatConvert(matrix.mat, MATSCALAPACK, MAT_INITIAL_MATRIX, &cyclic));
    check_products(cyclic, &elements);
    EXPECT(!MatDestroy(&cyclic));
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched), cmocka_unit_test(has_parts),
    cmocka_unit_test(keeps_gaps_out),       cmocka_unit_test(forgets_what_fails),
    cmocka_unit_test(becomes_cyclic),       cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
