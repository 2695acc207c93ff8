/* Tests shared matrices whose rows are distributed unevenly. Their leading dimension is the number of rows
 * on all processes, on some, or on none, and they must behave like matrices without gaps. PETSc does some
 * of this wrong, so petsc/matrix_repair.c replaces it.
 *
 * If a row says that PETSc is wrong, but PETSc is right, this version of PETSc no longer needs the repair.
 * Add the version to petsc_versions.h. */
#include "live.h"

enum { SIZE = 24, GAP = 2, MOST = 64 };

/* ---- does the first matrix give something else than the second, which has no gaps? --------------------- */

static bool is_off(PetscReal found, PetscReal want)
{
  return !(PetscAbsReal(found - want) <= (PetscReal)1e-5 * want);
}

static bool norms(Mat mat, Mat like)
{
  static const NormType types[] = {NORM_1, NORM_FROBENIUS, NORM_INFINITY};
  bool wrong = false;
  for (int i = 0; i < 3; i++) {
    PetscReal found = 0, want = 0;
    EXPECT(!MatNorm(mat, types[i], &found) && !MatNorm(like, types[i], &want));
    wrong = wrong || is_off(found, want);
  }
  return wrong;
}

static bool column_norms(Mat mat, Mat like)
{
  PetscReal found[SIZE] = {0}, want[SIZE] = {0};
  bool wrong = false;
  EXPECT(!MatGetColumnNorms(mat, NORM_1, found) && !MatGetColumnNorms(like, NORM_1, want));
  for (int j = 0; j < SIZE; j++) wrong = wrong || is_off(found[j], want[j]);
  return wrong;
}

static bool column_norms_here(Mat mat, Mat like)
{
  Mat found = NULL, want = NULL;
  EXPECT(!MatDenseGetLocalMatrix(mat, &found) && !MatDenseGetLocalMatrix(like, &want));
  return column_norms(found, want);
}

static bool differ(Vec found, Vec want)
{
  PetscReal off = 0, norm = 0;
  EXPECT(!VecNorm(want, NORM_1, &norm) && !VecAXPY(found, -1, want) && !VecNorm(found, NORM_1, &off));
  EXPECT(!VecDestroy(&found) && !VecDestroy(&want));
  return !(off <= (PetscReal)1e-5 * norm);
}

static bool diagonal(Mat mat, Mat like)
{
  Vec found = NULL, want = NULL;
  EXPECT(!MatCreateVecs(mat, NULL, &found) && !MatCreateVecs(like, NULL, &want));
  EXPECT(!MatGetDiagonal(mat, found) && !MatGetDiagonal(like, want));
  return differ(found, want);
}

static bool are_unlike(Mat found, Mat want)
{
  PetscBool same = PETSC_TRUE;
  EXPECT(!MatEqual(found, want, &same));
  return !same;
}

static bool diagonal_block(Mat mat, Mat like)
{
  Mat found = NULL, want = NULL;
  EXPECT(!MatGetDiagonalBlock(mat, &found) && !MatGetDiagonalBlock(like, &want));
  EXPECT(!MatAssemblyBegin(found, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(found, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatAssemblyBegin(want, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(want, MAT_FINAL_ASSEMBLY));
  return are_unlike(found, want);
}

/* Compares a Gauss-Seidel sweep over the diagonal block. */
static bool sweep(Mat mat, Mat like)
{
  const MatSORType type = (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
  Mat blocks[2] = {NULL, NULL};
  Vec x[2] = {NULL, NULL}, b = NULL;
  EXPECT(!MatGetDiagonalBlock(mat, &blocks[0]) && !MatGetDiagonalBlock(like, &blocks[1]));
  for (int i = 0; i < 2; i++) {
    EXPECT(!MatCreateVecs(blocks[i], &x[i], &b) && !VecSet(b, 1));
    EXPECT(!MatSOR(blocks[i], b, 1, type, 0, 1, 1, x[i]) && !VecDestroy(&b));
  }
  return differ(x[0], x[1]);
}

/* Solves A X = B with A = B, by factors of a copy. */
static bool solution(Mat mat, Mat like)
{
  Mat factor = NULL, want = NULL;
  EXPECT(!MatGetFactor(like, MATSOLVERPETSC, MAT_FACTOR_LU, &factor));
  EXPECT(!MatLUFactorSymbolic(factor, like, NULL, NULL, NULL) && !MatLUFactorNumeric(factor, like, NULL));
  EXPECT(!MatDuplicate(like, MAT_COPY_VALUES, &want) && !MatMatSolve(factor, like, want));
  EXPECT(!MatMatSolve(factor, like, mat));
  const bool wrong = are_unlike(mat, want);
  EXPECT(!MatDestroy(&factor) && !MatDestroy(&want));
  return wrong;
}

/* Compares matrices of every second row and column. One is distributed, and one has all processes' rows on
 * every process. Both are made and then filled again. */
static bool every_second(Mat mat, Mat like)
{
  IS is = NULL, all = NULL;
  Mat part[2] = {NULL, NULL}, *parts[2] = {NULL, NULL};
  PetscInt lo = 0, hi = 0;
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi));
  const PetscInt first = lo + lo % 2, count = (hi - first + 1) / 2;
  EXPECT(!ISCreateStride(MPI_COMM_WORLD, count, first, 2, &is));
  EXPECT(!ISCreateStride(PETSC_COMM_SELF, SIZE / 2, 0, 2, &all));
  for (int i = 0; i < 2; i++) {
    Mat from = i ? like : mat;
    EXPECT(!MatCreateSubMatrix(from, is, is, MAT_INITIAL_MATRIX, &part[i]) && !MatZeroEntries(part[i]));
    EXPECT(!MatCreateSubMatrix(from, is, is, MAT_REUSE_MATRIX, &part[i]));
    EXPECT(!MatCreateSubMatrices(from, 1, &all, &all, MAT_INITIAL_MATRIX, &parts[i]));
    EXPECT(!MatZeroEntries(parts[i][0]));
    EXPECT(!MatCreateSubMatrices(from, 1, &all, &all, MAT_REUSE_MATRIX, &parts[i]));
  }
  const bool wrong = are_unlike(part[0], part[1]), wrong_here = are_unlike(parts[0][0], parts[1][0]);
  for (int i = 0; i < 2; i++) EXPECT(!MatDestroy(&part[i]) && !MatDestroySubMatrices(1, &parts[i]));
  EXPECT(!ISDestroy(&is) && !ISDestroy(&all));
  return wrong || wrong_here;
}

typedef struct comparison {
  const char *why;
  bool (*differs)(Mat mat, Mat like);
  bool alone, among; /* whether PETSc's own matrix is wrong on one process, and on several */
  bool any_shape;    /* false: only square matrices are compared */
  bool is_repaired;
} comparison;

static const comparison comparisons[] = {
    {"MatNorm", norms, false, true, true, true},
    {"MatGetColumnNorms", column_norms, true, true, true, true},
    {"MatGetColumnNorms of local rows", column_norms_here, true, true, true, true},
    {"MatGetDiagonal", diagonal, false, true, false, true},
    {"MatGetDiagonalBlock", diagonal_block, false, true, false, true},
    {"MatSOR", sweep, true, true, false, true},
    {"MatCreateSubMatrix", every_second, false, false, false, true},
    {"MatMatSolve", solution, true, false, false, false},
};
enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

static known_matrix elements_of(PetscInt columns)
{
  return (known_matrix){.rows = SIZE, .columns = columns, .factor = 1, .is_dominant = true};
}

/* ---- PETSc's own --------------------------------------------------------------------------------------- */

/* Makes PETSc's own matrix in memory with gaps. The gaps hold values that would show in any sum. */
static Mat make_own(PetscScalar memory[(SIZE + GAP) * SIZE])
{
  Mat mat = NULL;
  PetscInt here = PETSC_DECIDE, all = SIZE, lo = 0, hi = 0;
  EXPECT(!PetscSplitOwnership(MPI_COMM_WORLD, &here, &all) && !MatCreate(MPI_COMM_WORLD, &mat));
  for (int k = 0; k < (SIZE + GAP) * SIZE; k++) memory[k] = -1000;
  EXPECT(!MatSetSizes(mat, here, here, SIZE, SIZE) && !MatSetType(mat, MATDENSE));
  EXPECT(!MatDenseSetLDA(mat, here + GAP) && !MatSeqDenseSetPreallocation(mat, memory));
  EXPECT(!MatMPIDenseSetPreallocation(mat, memory) && !MatGetOwnershipRange(mat, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = 0; j < SIZE; j++) memory[i - lo + j * (here + GAP)] = dominant_at(i, j);
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  return mat;
}

static void needs_repairs(void **state)
{
  (void)state;
  static PetscScalar memory[(SIZE + GAP) * SIZE];
  const known_matrix elements = elements_of(SIZE);
  for (int c = 0; c < COMPARISONS; c++) {
    if (comparisons[c].differs == solution && test_nprocs() > 1) continue; /* PETSc has it on one only */
    Mat mat = make_own(memory), like = known_like(mat, &elements);
    TEST_CASE("%s", comparisons[c].why);
    int wrong = comparisons[c].differs(mat, like);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_INT(wrong, test_nprocs() == 1 ? comparisons[c].alone : comparisons[c].among);
    EXPECT(!MatDestroy(&mat) && !MatDestroy(&like));
    SETTLE();
  }
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

/* The ranges are even, or the first process has one row and the last one has the others. There are other
 * elements between the columns, and padding is part of these. */
typedef struct row {
  const char *why;
  int64_t columns;
  bool even;
  int64_t gap, last_gap; /* the gap on all processes but the last, and on the last */
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

/* Gets a matrix in memory of the program. The gaps hold values that would show in any sum. */
static void get(const row *r, dap_petsc_matrix *matrix)
{
  static PetscScalar memory[(SIZE + 3) * SIZE];
  const known_matrix elements = elements_of((PetscInt)r->columns);
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
  const dap_darray whole = {layout, &array};
  EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, whole, DAP_READ, &options, matrix, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
}

/* Checks that a matrix that is not square has no diagonal block on several processes. PETSc's own function
 * and the repaired one refuse it. */
static void has_no_block(Mat mat)
{
  Mat block = NULL;
  EXPECT(MatGetDiagonalBlock(mat, &block) == PETSC_ERR_SUP || test_nprocs() == 1);
}

static void keeps_gaps_out(void **state)
{
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    dap_petsc_matrix matrix;
    const bool is_square = rows[r].columns == SIZE;
    const known_matrix elements = elements_of((PetscInt)rows[r].columns);
    get(&rows[r], &matrix);
    Mat like = known_like(matrix.mat, &elements);
    for (int c = 0; c < COMPARISONS; c++) {
      TEST_CASE("%s: %s", rows[r].why, comparisons[c].why);
      if (comparisons[c].is_repaired && (is_square || comparisons[c].any_shape))
        EXPECT(!comparisons[c].differs(matrix.mat, like));
    }
    if (!is_square) has_no_block(matrix.mat);
    EXPECT(!MatDestroy(&like));
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, NULL), NULL);
    SETTLE();
  }
}

/* Norms that PETSc cannot compute must fail, and leave no memory behind. */
static void forgets_what_fails(void **state)
{
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    PetscLogDouble before = 0, after = 0;
    PetscReal norm = 0;
    dap_petsc_matrix matrix;
    TEST_CASE("%s", rows[r].why);
    get(&rows[r], &matrix);
    EXPECT(!PetscMallocGetCurrentUsage(&before));
    EXPECT(MatNorm(matrix.mat, NORM_2, &norm) != 0);
    EXPECT(!PetscMallocGetCurrentUsage(&after));
    EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, NULL), NULL);
    SETTLE();
  }
}

/* PETSc looks at the leading dimension if the ranges are not its own. It would refuse only on the processes
 * that have a gap. */
static void becomes_cyclic(void **state)
{
  (void)state;
  for (int r = 0; r < ROWS; r++) {
    Mat cyclic = NULL;
    dap_petsc_matrix matrix;
    const known_matrix elements = elements_of((PetscInt)rows[r].columns);
    TEST_CASE("%s", rows[r].why);
    get(&rows[r], &matrix);
    EXPECT(!MatConvert(matrix.mat, MATSCALAPACK, MAT_INITIAL_MATRIX, &cyclic));
    check_products(cyclic, &elements);
    EXPECT(!MatDestroy(&cyclic));
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, NULL), NULL);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched), cmocka_unit_test(needs_repairs),
    cmocka_unit_test(keeps_gaps_out),       cmocka_unit_test(forgets_what_fails),
    cmocka_unit_test(becomes_cyclic),       cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
