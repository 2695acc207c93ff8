/* Makes arrays from dense matrices, and makes matrices from these arrays again. */
#include "live.h"

typedef struct import_row {
  const char *why;
  PetscInt rows, columns;
  bool irregular;
  PetscInt gap;  /* leading dimension beyond the rows */
  bool borrowed; /* in memory of the test */
} import_row;

static const import_row imports[] = {
    {"even rows", 13, 5, false, 0, false},
    {"square", 12, 12, false, 0, false},
    {"irregular rows, empty on some", 17, 7, true, 0, false},
    {"a leading dimension", 13, 6, false, 3, false},
    {"a leading dimension, irregular", 17, 4, true, 2, true},
    {"on memory of somebody's", 11, 4, false, 0, true},
    {"fewer rows than processes", 2, 5, false, 0, false},
    {"a column", 13, 1, false, 0, false},
    {"a row", 1, 13, false, 0, false},
    {"no rows", 0, 4, false, 0, false},
    {"no columns", 5, 0, false, 0, false},
};

static PetscInt rows_here(const import_row *row)
{
  PetscInt left = row->rows;
  if (!row->irregular) return PETSC_DECIDE;
  for (int c = 0; c < test_rank(); c++) left -= PetscMin(left, 3 * (c % 2) + c);
  return test_rank() == test_nprocs() - 1 ? left : PetscMin(left, 3 * (test_rank() % 2) + test_rank());
}

enum { MOST = 256 };

static Mat make(const import_row *row, PetscScalar memory[MOST])
{
  Mat mat = NULL;
  PetscInt here = rows_here(row), lead = row->rows + row->gap + 1;
  const known_matrix k = {.rows = row->rows, .columns = row->columns, .factor = 1};
  EXPECT(!MatCreate(MPI_COMM_WORLD, &mat));
  EXPECT(!MatSetSizes(mat, here, PETSC_DECIDE, row->rows, row->columns) && !MatSetType(mat, MATDENSE));
  if (row->gap > 0) EXPECT(!MatDenseSetLDA(mat, lead));
  EXPECT(lead * (row->columns + 1) <= MOST);
  EXPECT(!MatSeqDenseSetPreallocation(mat, row->borrowed ? memory : NULL));
  EXPECT(!MatMPIDenseSetPreallocation(mat, row->borrowed ? memory : NULL));
  set_values(mat, &k);
  return mat;
}

static void check_import(const import_row *row)
{
  dap_array array;
  dap_layout *layout;
  dap_error err;
  const PetscScalar *lent, *address;
  PetscScalar memory[MOST];
  PetscReal before = 0, after = 0;
  known_matrix k = {.rows = row->rows, .columns = row->columns, .factor = 1};
  Mat mat = make(row, memory);
  EXPECT(!MatDenseGetArrayRead(mat, &lent));
  address = lent;
  EXPECT(!MatDenseRestoreArrayRead(mat, &lent) && !MatNorm(mat, NORM_INFINITY, &before));
  if (!EXPECT_OK(dap_petsc_matrix_import(mat, &array, &layout, &err), &err)) return;
  EXPECT(array.data == address && !array.readonly && array.ndim == 2 && array.dtype == scalar_dtype());
  EXPECT_INT(dap_layout_size(layout, 0), row->rows);
  EXPECT_INT(dap_layout_size(layout, 1), row->columns);
  check_global(layout, test_rank(), &array, PADDING_ANY);
  EXPECT_INT(references_of((PetscObject)mat), 2);
  expect_dictionaries(layout, &array);

  /* Back in PETSc, the matrix must have the same memory. */
  dap_petsc_matrix again;
  const dap_petsc_matrix_options options = {.form = DAP_PETSC_DENSE, .sharing = DAP_SHARE_OR_FAIL};
  const dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE,
                                            &options, &again, &err);
  if (EXPECT_OK(s, &err)) {
    check_values(again.mat, &k);
    EXPECT(!MatScale(again.mat, 2));
    EXPECT_OK(dap_petsc_matrix_restore(&again, &err), &err);
    EXPECT_INT(again.moved_bytes, 0);
  }
  dap_array_release(&array);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  EXPECT_INT(references_of((PetscObject)mat), 1);
  k.factor = 2;
  check_values(mat, &k);
  EXPECT(!MatNorm(mat, NORM_INFINITY, &after));
  check_renewed(after, before, 2);
  EXPECT(!MatDestroy(&mat));
}

static void imports_dense(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof imports / sizeof imports[0]; i++) {
    TEST_CASE("%s", imports[i].why);
    check_import(&imports[i]);
    SETTLE();
  }
}

/* The array outlives the caller's reference. */
static void keeps_a_reference(void **state)
{
  (void)state;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  PetscScalar memory[MOST];
  Mat mat = make(&imports[0], memory);
  EXPECT_OK(dap_petsc_matrix_import(mat, &array, &layout, &err), &err);
  EXPECT(!MatDestroy(&mat));
  check_global(layout, test_rank(), &array, PADDING_ANY);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- MATSCALAPACK ------------------------------------------------------------------------------------- */

typedef struct cyclic_row {
  const char *why;
  PetscInt rows, columns, block[2];
  bool last; /* the first block is on the last process row and column */
} cyclic_row;

static const cyclic_row cyclics[] = {
    {"square", 24, 24, {4, 4}, false},
    {"rectangular, other blocks", 24, 12, {3, 2}, false},
    {"first block elsewhere", 12, 24, {2, 3}, true},
    {"more processes than blocks", 12, 12, {64, 64}, false},
    {"single elements", 12, 12, {1, 1}, true},
};

static Mat make_cyclic(const cyclic_row *row)
{
  Mat probe, mat;
  IS is;
  PetscInt across;
  const PetscInt p = test_nprocs();
  const known_matrix k = {.rows = row->rows, .columns = row->columns, .factor = 1};
  EXPECT(!MatCreateScaLAPACK(MPI_COMM_WORLD, 1, 1, p, p, 0, 0, &probe));
  EXPECT(!MatGetOwnershipIS(probe, &is, NULL) && !ISGetLocalSize(is, &across) && !ISDestroy(&is));
  EXPECT(!MatCreateScaLAPACK(MPI_COMM_WORLD, row->block[0], row->block[1], row->rows, row->columns,
                             row->last ? p / across - 1 : 0, row->last ? across - 1 : 0, &mat));
  EXPECT(!MatDestroy(&probe));
  set_values(mat, &k);
  return mat;
}

/* Checks that each process has the rows and columns that PETSc names, in the same order. */
static void check_places(Mat mat, const dap_array *array, const dap_layout *layout)
{
  IS is[2];
  EXPECT(!MatGetOwnershipIS(mat, &is[0], &is[1]));
  for (int k = 0; k < 2; k++) {
    const PetscInt *indices;
    PetscInt count;
    EXPECT(!ISGetLocalSize(is[k], &count) && !ISGetIndices(is[k], &indices));
    EXPECT_INT(array->shape[k], count);
    for (PetscInt i = 0; i < count && array->shape[1 - k] > 0; i++) {
      const int64_t local[2] = {k == 0 ? i : 0, k == 1 ? i : 0};
      int64_t global[2];
      EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, global, NULL, NULL), NULL);
      EXPECT_INT(global[k], indices[i]);
    }
    EXPECT(!ISRestoreIndices(is[k], &indices) && !ISDestroy(&is[k]));
  }
}

static void imports_cyclic(void **state)
{
  (void)state;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  for (size_t i = 0; i < sizeof cyclics / sizeof cyclics[0]; i++) {
    TEST_CASE("MATSCALAPACK, %s", cyclics[i].why);
    Mat mat = make_cyclic(&cyclics[i]);
    if (EXPECT_OK(dap_petsc_matrix_import(mat, &array, &layout, &err), &err)) {
      EXPECT(array.readonly);
      EXPECT(dap_layout_axis(layout, 0).dist_type == 'c' && dap_layout_axis(layout, 1).dist_type == 'c');
      EXPECT_INT(dap_layout_axis(layout, 0).block_size, cyclics[i].block[0]);
      EXPECT_INT(dap_layout_axis(layout, 1).block_size, cyclics[i].block[1]);
      check_global(layout, test_rank(), &array, PADDING_ANY);
      check_places(mat, &array, layout);
      expect_dictionaries(layout, &array);
      dap_array_release(&array);
      dap_layout_destroy(&layout);
    }
    EXPECT(!MatDestroy(&mat));
    SETTLE();
  }
}

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuse(Mat mat, dap_array *array, dap_status status, const char *parts)
{
  dap_layout *layout;
  dap_error err;
  const dap_status s = dap_petsc_matrix_import(mat, array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, status, parts);
  EXPECT(!layout && (!array || (!array->data && !array->release)));
  EXPECT(!MatDestroy(&mat));
  SETTLE();
}

static void refuses(void **state)
{
  (void)state;
  Mat mat;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  PetscScalar memory[MOST];
  TEST_CASE("no matrix");
  EXPECT_FAIL(dap_petsc_matrix_import(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "matrix|NULL");
  SETTLE();

  TEST_CASE("a sparse matrix");
  EXPECT(!MatCreateAIJ(MPI_COMM_WORLD, 3, 3, PETSC_DECIDE, PETSC_DECIDE, 1, NULL, 0, NULL, &mat));
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  refuse(mat, &array, DAP_ERR_UNSUPPORTED, "aij|neither");

  TEST_CASE("a matrix without a type");
  EXPECT(!MatCreate(MPI_COMM_WORLD, &mat));
  refuse(mat, &array, DAP_ERR_UNSUPPORTED, "type none");

  TEST_CASE("not assembled, on one process");
  mat = make(&imports[0], memory);
  if (test_rank() == 0) EXPECT(!MatSetValue(mat, 0, 0, 5, INSERT_VALUES));
  refuse(mat, &array, DAP_ERR_ARG, "not assembled");

  TEST_CASE("nowhere to put the array, on one process");
  mat = make(&imports[0], memory);
  refuse(mat, test_rank() ? &array : NULL, DAP_ERR_ARG, "array|NULL");

  TEST_CASE("a factored matrix");
  mat = make_cyclic(&cyclics[0]);
  EXPECT(!MatShift(mat, 1e4) && !MatLUFactor(mat, NULL, NULL, NULL));
  refuse(mat, &array, DAP_ERR_UNSUPPORTED, "factored");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),   cmocka_unit_test(imports_dense), cmocka_unit_test(keeps_a_reference),
    cmocka_unit_test(imports_cyclic), cmocka_unit_test(refuses),       cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
