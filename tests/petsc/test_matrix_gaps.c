/* Shared matrices whose rows lie unevenly on the processes, with a leading dimension that is the number of rows on all of
 * them, on some, on none. */
#include "matrix_check.h"

enum { SIZE = 24, MOST = 64 };

/* Even ranges, or one row on the first process and the others on the last; and elements between the columns. */
typedef struct row {
  const char *why;
  int64_t columns;
  bool even;
  int64_t gap, last_gap; /* on all processes but the last, on that one */
} row;

static const row rows[] = {
    {"even", SIZE, true, 0, 0},
    {"even, gaps", SIZE, true, 2, 2},
    {"processes without a row", SIZE, false, 0, 0},
    {"processes without a row, gaps", SIZE, false, 3, 3},
    {"a gap on the last process", SIZE, false, 0, 1},
    {"gaps on all but the last process", SIZE, true, 1, 0},
    {"not square, gaps", SIZE / 2, true, 1, 1},
    {"not square, processes without a row, gaps", SIZE / 2, false, 1, 1},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Dominated by its diagonal, neither symmetric nor a multiple of anything. */
static PetscScalar element(int64_t i, int64_t j)
{
  return (PetscReal)((i * 5 + j * 3) % 7) + (i == j ? 100 : 0);
}

static dap_layout *lay(const row *r)
{
  const int procs = test_nprocs();
  int64_t lengths[MOST] = {0};
  dap_layout *layout = NULL;
  dap_error err;
  if (procs > 1) lengths[0] = 1;
  lengths[procs - 1] = procs > 1 ? SIZE - 1 : SIZE;
  const dap_dist dist[] = {r->even ? dap_dist_even(SIZE, procs) : dap_dist_lengths(SIZE, procs, lengths),
                           dap_dist_even(r->columns, 1)};
  EXPECT_OK(dap_layout_create(2, dist, &layout, &err), &err);
  return layout;
}

/* In a memory of the program's. */
static dap_petsc_matrix get(const row *r, dap_access access)
{
  static PetscScalar memory[(SIZE + 3) * SIZE];
  const int64_t gap = test_rank() == test_nprocs() - 1 ? r->last_gap : r->gap;
  dap_layout *layout = lay(r);
  dap_array array;
  dap_petsc_matrix matrix;
  dap_error err;
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), scalar_dtype(), DAP_ORDER_F, memory, &err), &err);
  const int64_t here = array.shape[0], lead = here + gap;
  array.strides[1] = (lead > 0 ? lead : 1) * (int64_t)sizeof(PetscScalar);
  for (int64_t i = 0; i < here; i++)
    for (int64_t j = 0; j < r->columns; j++) {
      const int64_t local[2] = {i, j};
      int64_t global[2];
      EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, global, NULL, NULL), NULL);
      memory[i + j * lead] = element(global[0], global[1]);
    }
  const dap_petsc_matrix_options options = {.sharing = DAP_SHARE_OR_FAIL, .form = DAP_PETSC_DENSE};
  EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, layout, &array, access, &options, &matrix, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return matrix;
}

/* ---- what a process has --------------------------------------------------------------------------------- */

static void check_norms_here(Mat mat)
{
  Mat here = NULL;
  PetscInt lo = 0, hi = 0, n = 0;
  PetscReal columns[SIZE] = {0};
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi) && !MatGetSize(mat, NULL, &n));
  EXPECT(!MatDenseGetLocalMatrix(mat, &here) && !MatGetColumnNorms(here, NORM_1, columns));
  for (PetscInt j = 0; j < n; j++) {
    PetscReal sum = 0;
    for (PetscInt i = lo; i < hi; i++) sum += PetscAbsScalar(element(i, j));
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
    for (PetscInt j = 0; j < i; j++) want[i] -= element(lo + i, lo + j) * want[j];
    want[i] /= element(lo + i, lo + i);
    EXPECT_MSG(PetscAbsScalar(found[i] - want[i]) < 1e-14, "unknown %d is %g, not %g", (int)(lo + i),
               (double)PetscRealPart(found[i]), (double)PetscRealPart(want[i]));
  }
  EXPECT(!VecRestoreArrayRead(x, &found) && !VecDestroy(&x) && !VecDestroy(&b));
}

/* A matrix that is not square has no diagonal block on several processes, for PETSc as for what takes its place. */
static void has_parts(void **state)
{
  (void)state;
  dap_error err;
  for (int r = 0; r < ROWS; r++) {
    Mat block = NULL;
    PetscInt lo = 0, hi = 0;
    TEST_CASE("%s", rows[r].why);
    dap_petsc_matrix matrix = get(&rows[r], DAP_READ);
    check_norms_here(matrix.mat);
    EXPECT(!MatGetOwnershipRange(matrix.mat, &lo, &hi));
    EXPECT(!PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    const PetscErrorCode code = MatGetDiagonalBlock(matrix.mat, &block);
    EXPECT(!PetscPopErrorHandler());
    if (rows[r].columns == SIZE && EXPECT(code == 0)) check_sweep(block, lo, hi);
    if (rows[r].columns != SIZE) EXPECT(test_nprocs() == 1 || code == PETSC_ERR_SUP);
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    SETTLE();
  }
}

/* ---- MATSCALAPACK ---------------------------------------------------------------------------------------- */

/* A matrix times ones gives the sums of its rows. */
static void check_sums(Mat mat)
{
  Vec x = NULL, y = NULL;
  PetscInt lo = 0, hi = 0, n = 0;
  const PetscScalar *memory;
  EXPECT(!MatGetSize(mat, NULL, &n));
  EXPECT(!MatCreateVecs(mat, &x, &y) && !VecSet(x, 1) && !MatMult(mat, x, y));
  EXPECT(!VecGetOwnershipRange(y, &lo, &hi) && !VecGetArrayRead(y, &memory));
  for (PetscInt i = lo; i < hi; i++) {
    PetscScalar want = 0;
    for (PetscInt j = 0; j < n; j++) want += element(i, j);
    EXPECT_MSG(PetscAbsScalar(memory[i - lo] - want) < 1e-10, "row %d has the sum %g, not %g", (int)i,
               (double)PetscRealPart(memory[i - lo]), (double)PetscRealPart(want));
  }
  EXPECT(!VecRestoreArrayRead(y, &memory) && !VecDestroy(&x) && !VecDestroy(&y));
}

/* PETSc looks at the leading dimensions where the ranges are not its own, and refuses on those processes alone that have
 * a gap. */
static void becomes_cyclic(void **state)
{
  (void)state;
  dap_error err;
  for (int r = 0; r < ROWS; r++) {
    Mat cyclic = NULL;
    TEST_CASE("%s", rows[r].why);
    dap_petsc_matrix matrix = get(&rows[r], DAP_READ);
    EXPECT(!MatConvert(matrix.mat, MATSCALAPACK, MAT_INITIAL_MATRIX, &cyclic));
    check_sums(cyclic);
    EXPECT(!MatDestroy(&cyclic));
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(has_parts),
    cmocka_unit_test(becomes_cyclic),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
