/* Tests the life of a matrix: solvers, changes, references, and plans that are kept. */
#include "live.h"

#include <petscksp.h>

/* A square array over `comm` with distributed rows or columns, in C or F order, with `halo`. */
typedef struct shape {
  const char *why;
  int cut;
  dap_order order;
  int64_t halo;
  dap_petsc_form form;
} shape;

static const shape shapes[] = {
    {"MATDENSE", 0, DAP_ORDER_F, 0, DAP_PETSC_ANY},
    {"MATDENSE, padded", 0, DAP_ORDER_F, 1, DAP_PETSC_ANY},
    {"transposed view", 1, DAP_ORDER_C, 0, DAP_PETSC_ANY},
    {"transposed view, padded", 1, DAP_ORDER_C, 2, DAP_PETSC_ANY},
    {"shell", 0, DAP_ORDER_C, 0, DAP_PETSC_ANY},
    {"shell, padded", 0, DAP_ORDER_C, 1, DAP_PETSC_ANY},
    {"shell of columns, padded", 1, DAP_ORDER_F, 1, DAP_PETSC_ANY},
    {"moved MATDENSE", 1, DAP_ORDER_F, 0, DAP_PETSC_DENSE},
    {"MATSCALAPACK", 0, DAP_ORDER_C, 1, DAP_PETSC_SCALAPACK},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], SIZE = 24, RIGHT_SIDES = 12 };

static known_matrix square_of(PetscScalar factor)
{
  return (known_matrix){.rows = SIZE, .columns = SIZE, .factor = factor, .is_dominant = true};
}

static void make_of(MPI_Comm comm, const shape *s, int64_t columns, PetscScalar factor, dap_layout **layout,
                    dap_array *array)
{
  dap_error err;
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  dap_dist dist[] = {dap_dist_even(SIZE, s->cut == 0 ? size : 1),
                     dap_dist_even(columns, s->cut == 1 ? size : 1)};
  dist[s->cut].halo = s->halo;
  EXPECT_OK(dap_layout_create(2, dist, layout, &err), &err);
  EXPECT_OK(dap_array_init(array, *layout, rank, scalar_dtype(), s->order, NULL, &err), &err);
  const known_matrix elements = square_of(factor);
  fill_known(*layout, array, &elements);
}

static void make(MPI_Comm comm, const shape *s, dap_layout **layout, dap_array *array)
{
  make_of(comm, s, SIZE, 1, layout, array);
}

static void drop(dap_layout **layout, dap_array *array)
{
  dap_array_release(array);
  dap_layout_destroy(layout);
}

static void get(MPI_Comm comm, const shape *s, const dap_layout *layout, const dap_array *array,
                dap_access access, dap_petsc_matrix *matrix)
{
  dap_error err;
  const dap_petsc_matrix_options options = {.form = s->form};
  EXPECT_OK(dap_petsc_matrix_get(comm, (dap_darray){layout, array}, access, &options, matrix, &err), &err);
}

/* ---- solvers ---------------------------------------------------------------------------------------- */

/* Solves A x = A u for u = (1, 2, ...). */
static void check_solve(KSP solver, Mat mat)
{
  Vec x = NULL, b = NULL;
  PetscInt lo = 0, hi = 0;
  PetscScalar *memory;
  EXPECT(!MatCreateVecs(mat, &x, &b) && !VecGetOwnershipRange(x, &lo, &hi) && !VecGetArray(x, &memory));
  for (PetscInt i = lo; i < hi; i++) memory[i - lo] = (PetscReal)(i + 1);
  EXPECT(!VecRestoreArray(x, &memory) && !MatMult(mat, x, b) && !VecZeroEntries(x));
  EXPECT(!KSPSolve(solver, b, x) && !VecGetArray(x, &memory));
  for (PetscInt i = lo; i < hi; i++)
    EXPECT_MSG(PetscAbsScalar(memory[i - lo] - (PetscReal)(i + 1)) < 1e-8, "unknown %d is %g", (int)i,
               (double)PetscRealPart(memory[i - lo]));
  EXPECT(!VecRestoreArray(x, &memory) && !VecDestroy(&x) && !VecDestroy(&b));
}

static void solve_with(Mat mat, PCType type)
{
  KSP solver;
  PC pc;
  EXPECT(!KSPCreate(PetscObjectComm((PetscObject)mat), &solver) && !KSPSetOperators(solver, mat, mat));
  EXPECT(!KSPGetPC(solver, &pc) && !PCSetType(pc, type));
  EXPECT(!KSPSetTolerances(solver, 1e-13, 1e-13, 1e9, 500));
  check_solve(solver, mat);
  EXPECT(!KSPDestroy(&solver));
}

static void solves(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_error err;
  for (int i = 0; i < SHAPES; i++) {
    TEST_CASE("%s", shapes[i].why);
    make(MPI_COMM_WORLD, &shapes[i], &layout, &array);
    dap_petsc_matrix matrix;
    get(MPI_COMM_WORLD, &shapes[i], layout, &array, DAP_READ, &matrix);
    solve_with(matrix.mat, PCNONE);
    if (!has_type(matrix.mat, MATTRANSPOSEVIRTUAL)) solve_with(matrix.mat, PCJACOBI);
    if (has_type(matrix.mat, MATDENSE)) solve_with(matrix.mat, PCBJACOBI);
    if (has_type(matrix.mat, MATSCALAPACK) || has_type(matrix.mat, MATSEQDENSE)) solve_with(matrix.mat, PCLU);
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    drop(&layout, &array);
    SETTLE();
  }
}

/* A solver that is kept must notice that the buffer has changed. */
static void notices_changes(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_error err;
  const known_matrix thrice = square_of(3);
  for (int i = 0; i < 2; i++) {
    KSP solver;
    PC pc;
    TEST_CASE("%s", shapes[i].why);
    make(MPI_COMM_WORLD, &shapes[i], &layout, &array);
    dap_petsc_matrix matrix;
    get(MPI_COMM_WORLD, &shapes[i], layout, &array, DAP_READ_WRITE, &matrix);
    EXPECT(!KSPCreate(MPI_COMM_WORLD, &solver) && !KSPSetOperators(solver, matrix.mat, matrix.mat));
    EXPECT(!KSPGetPC(solver, &pc) && !PCSetType(pc, test_nprocs() == 1 ? PCLU : PCBJACOBI));
    EXPECT(!KSPSetType(solver, test_nprocs() == 1 ? KSPPREONLY : KSPGMRES));
    EXPECT(!KSPSetTolerances(solver, 1e-13, 1e-13, 1e9, 500));
    check_solve(solver, matrix.mat);
    fill_known(layout, &array, &thrice);
    EXPECT(!MatAssemblyBegin(matrix.mat, MAT_FINAL_ASSEMBLY) &&
           !MatAssemblyEnd(matrix.mat, MAT_FINAL_ASSEMBLY));
    check_solve(solver, matrix.mat);
    EXPECT(!KSPDestroy(&solver));
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    drop(&layout, &array);
    SETTLE();
  }
}

/* Solves A X = B by MATSCALAPACK's factors. A and B are arrays, and X goes to a third one. */
static void solves_in_scalapack(void **state)
{
  (void)state;
  dap_layout *layout[3];
  dap_array array[3];
  dap_error err;
  dap_petsc_matrix matrix[3];
  Mat factor;
  const dap_petsc_matrix_options options = {.form = DAP_PETSC_SCALAPACK, .block_size = {3, 3}};
  for (int k = 0; k < 3; k++) {
    make_of(MPI_COMM_WORLD, &shapes[k == 1 ? 2 : 5], k ? RIGHT_SIDES : SIZE, k < 2, &layout[k], &array[k]);
    EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){layout[k], &array[k]},
                                   k < 2 ? DAP_READ : DAP_WRITE, &options, &matrix[k], &err),
              &err);
  }
  EXPECT(!MatGetFactor(matrix[0].mat, MATSOLVERSCALAPACK, MAT_FACTOR_LU, &factor));
  EXPECT(!MatLUFactorSymbolic(factor, matrix[0].mat, NULL, NULL, NULL));
  EXPECT(!MatLUFactorNumeric(factor, matrix[0].mat, NULL));
  EXPECT(!MatMatSolve(factor, matrix[1].mat, matrix[2].mat));
  EXPECT(!MatDestroy(&factor));
  for (int k = 0; k < 3; k++) EXPECT_OK(dap_petsc_matrix_restore(&matrix[k], &err), &err);

  /* Brings all of X to every process, and computes the product by hand. */
  PetscScalar x[SIZE * RIGHT_SIDES] = {0};
  for (int64_t i = 0; i < array[2].shape[0]; i++)
    for (int64_t j = 0; j < RIGHT_SIDES; j++) {
      const int64_t local[2] = {i, j};
      int64_t global[2];
      bool owned = false;
      EXPECT_OK(dap_layout_globalize(layout[2], test_rank(), local, global, &owned, NULL), NULL);
      if (owned) x[global[0] * RIGHT_SIDES + j] = ((PetscScalar *)array[2].data)[i * RIGHT_SIDES + j];
    }
  MPI_Allreduce(MPI_IN_PLACE, x, SIZE * RIGHT_SIDES, MPIU_SCALAR, MPIU_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < RIGHT_SIDES; j++) {
      PetscScalar sum = -dominant_at(i, j);
      for (int k = 0; k < SIZE; k++) sum += dominant_at(i, k) * x[k * RIGHT_SIDES + j];
      EXPECT_MSG(PetscAbsScalar(sum) < 1e-10, "A X - B is %g at (%d, %d)", (double)PetscAbsScalar(sum), i, j);
    }
  for (int k = 0; k < 3; k++) drop(&layout[k], &array[k]);
  SETTLE();
}

/* ---- the end ---------------------------------------------------------------------------------------- */

/* Duplicates and the matrix can be destroyed in any order, even if somebody else holds a reference. A change
 * to one of them does not change the others. */
static void duplicates(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_error err;
  const known_matrix once = square_of(1), twice = square_of(2);
  for (int i = 0; i < SHAPES; i++) {
    Mat copies[2] = {NULL, NULL};
    TEST_CASE("%s", shapes[i].why);
    make(MPI_COMM_WORLD, &shapes[i], &layout, &array);
    dap_petsc_matrix matrix;
    get(MPI_COMM_WORLD, &shapes[i], layout, &array, DAP_READ_WRITE, &matrix);
    const bool scales =
        !has_type(matrix.mat, MATTRANSPOSEVIRTUAL); /* PETSc has no MatScale() for this type */
    for (int k = 0; k < 2; k++) EXPECT(!MatDuplicate(matrix.mat, MAT_COPY_VALUES, &copies[k]));
    if (scales) EXPECT(!MatScale(copies[0], 2));
    for (int k = 0; k < 2; k++) check_products(copies[k], k == 0 && scales ? &twice : &once);
    EXPECT(!MatDestroy(&copies[0]));
    check_products(matrix.mat, &once);
    Mat mat = matrix.mat;
    EXPECT(!PetscObjectReference((PetscObject)mat));
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    drop(&layout, &array);
    EXPECT(!MatDestroy(&copies[1]) && !MatDestroy(&mat));
    SETTLE();
  }
}

/* The second matrix of a kind, on another buffer, uses the plans of the first. It must have its own
 * elements. */
static void keeps_plans(void **state)
{
  (void)state;
  for (int i = 0; i < SHAPES; i++) {
    dap_layout *layout[2];
    dap_array array[2];
    dap_error err;
    dap_petsc_matrix matrix[2];
    int kept = 0;
    MPI_Comm comm; /* on one process some shapes are alike */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    TEST_CASE("%s", shapes[i].why);
    live_count_lines(&kept, "matrix got by plans that were kept");
    for (int k = 0; k < 2; k++) {
      make_of(comm, &shapes[i], SIZE, 1 + k, &layout[k], &array[k]);
      get(comm, &shapes[i], layout[k], &array[k], DAP_READ_WRITE, &matrix[k]);
      EXPECT_INT(kept, k);
    }
    live_count_lines(NULL, NULL);
    for (int k = 0; k < 2; k++) {
      const known_matrix elements = square_of(1 + k);
      check_products(matrix[k].mat, &elements);
      EXPECT_OK(dap_petsc_matrix_restore(&matrix[k], &err), &err);
      drop(&layout[k], &array[k]);
    }
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),        cmocka_unit_test(solves),     cmocka_unit_test(notices_changes),
    cmocka_unit_test(solves_in_scalapack), cmocka_unit_test(duplicates), cmocka_unit_test(keeps_plans),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
