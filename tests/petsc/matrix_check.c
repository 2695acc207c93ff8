/* Matrices whose elements are known. */
#include "matrix_check.h"

PetscScalar dominant_at(int64_t i, int64_t j)
{
  return (PetscReal)((i * 5 + j * 3) % 7) + (i == j ? 100 : 0);
}

PetscScalar known_at(const known *k, PetscInt i, PetscInt j)
{
  PetscScalar value = dominant_at(i, j);
  if (!k->dominant) value_of(scalar_dtype(), (int64_t)i * k->columns + j, &value);
  return k->factor * value;
}

/* Entry i of the vectors that are multiplied; with an imaginary part where there is one. */
static PetscScalar entry(PetscInt i, PetscInt seed)
{
#if defined(PETSC_USE_COMPLEX)
  return (PetscReal)((i * 7 + seed) % 11 + 1) + PETSC_i * (PetscReal)(i % 3 - seed);
#else
  return (PetscReal)((i * 7 + seed) % 11 + 1);
#endif
}

/* Which product. */
typedef enum product { PLAIN, TRANSPOSED, HERMITIAN } product;

static PetscScalar element(const known *k, product p, PetscInt i, PetscInt j)
{
  const PetscScalar value = p == PLAIN ? known_at(k, i, j) : known_at(k, j, i);
  return p == HERMITIAN ? PetscConj(value) : value;
}

/* y = op(A) x + z, with x of entries of seed 1, z of seed 2 times `add`. */
static void check_product(Vec y, const known *k, product p, PetscInt add, const char *what)
{
  const PetscScalar *memory;
  PetscInt lo = 0, hi = 0;
  EXPECT(!VecGetOwnershipRange(y, &lo, &hi) && !VecGetArrayRead(y, &memory));
  for (PetscInt i = lo; i < hi; i++) {
    PetscScalar sum = (PetscReal)add * entry(i, 2);
    PetscReal size = PetscAbsScalar(sum) + 1;
    for (PetscInt j = 0; j < (p == PLAIN ? k->columns : k->rows); j++) {
      sum += element(k, p, i, j) * entry(j, 1);
      size += PetscAbsScalar(element(k, p, i, j)) * 13;
    }
    EXPECT_MSG(PetscAbsScalar(memory[i - lo] - sum) <= 1e-13 * size, "%s: entry %d is %g, not %g", what,
               (int)i, (double)PetscRealPart(memory[i - lo]), (double)PetscRealPart(sum));
  }
  EXPECT(!VecRestoreArrayRead(y, &memory));
}

static void fill_entries(Vec x, PetscInt seed)
{
  PetscInt lo = 0, hi = 0;
  PetscScalar *memory;
  EXPECT(!VecGetOwnershipRange(x, &lo, &hi) && !VecGetArrayWrite(x, &memory));
  for (PetscInt i = lo; i < hi; i++) memory[i - lo] = entry(i, seed);
  EXPECT(!VecRestoreArrayWrite(x, &memory));
}

/* Column j of the matrix, or row j, by the product with a unit vector, which is exact. */
static void check_unit(Mat mat, const known *k, product p, PetscInt j, Vec x, Vec y)
{
  const PetscScalar *memory;
  PetscScalar *unit;
  PetscInt lo = 0, hi = 0;
  EXPECT(!VecZeroEntries(x) && !VecGetOwnershipRange(x, &lo, &hi) && !VecGetArray(x, &unit));
  if (j >= lo && j < hi) unit[j - lo] = 1;
  EXPECT(!VecRestoreArray(x, &unit));
  EXPECT(!(p == PLAIN ? MatMult(mat, x, y) : MatMultTranspose(mat, x, y)));
  EXPECT(!VecGetOwnershipRange(y, &lo, &hi) && !VecGetArrayRead(y, &memory));
  for (PetscInt i = lo; i < hi; i++)
    EXPECT_MSG(memory[i - lo] == element(k, p, i, j), "%s %d: element %d is %g, not %g",
               p == PLAIN ? "column" : "row", (int)j, (int)i, (double)PetscRealPart(memory[i - lo]),
               (double)PetscRealPart(element(k, p, i, j)));
  EXPECT(!VecRestoreArrayRead(y, &memory));
}

static void check_diagonal(Mat mat, const known *k, Vec v)
{
  const PetscScalar *memory;
  PetscInt lo = 0, hi = 0;
  EXPECT(!MatGetDiagonal(mat, v));
  EXPECT(!VecGetOwnershipRange(v, &lo, &hi) && !VecGetArrayRead(v, &memory));
  for (PetscInt i = lo; i < hi; i++) EXPECT_MSG(memory[i - lo] == known_at(k, i, i), "diagonal %d", (int)i);
  EXPECT(!VecRestoreArrayRead(v, &memory));
}

static void check_all_products(Mat mat, const known *k, Vec right, Vec left, Vec more_right, Vec more_left)
{
  fill_entries(right, 1);
  EXPECT(!MatMult(mat, right, left));
  check_product(left, k, PLAIN, 0, "MatMult");
  fill_entries(more_left, 2);
  EXPECT(!MatMultAdd(mat, right, more_left, left));
  check_product(left, k, PLAIN, 1, "MatMultAdd");
  EXPECT(!MatMultAdd(mat, right, more_left, more_left));
  check_product(more_left, k, PLAIN, 1, "MatMultAdd in place");
  fill_entries(left, 1);
  EXPECT(!MatMultTranspose(mat, left, right));
  check_product(right, k, TRANSPOSED, 0, "MatMultTranspose");
  fill_entries(more_right, 2);
  EXPECT(!MatMultTransposeAdd(mat, left, more_right, right));
  check_product(right, k, TRANSPOSED, 1, "MatMultTransposeAdd");
  EXPECT(!MatMultTransposeAdd(mat, left, more_right, more_right));
  check_product(more_right, k, TRANSPOSED, 1, "MatMultTransposeAdd in place");
  EXPECT(!MatMultHermitianTranspose(mat, left, right));
  check_product(right, k, HERMITIAN, 0, "MatMultHermitianTranspose");
  fill_entries(more_right, 2);
  EXPECT(!MatMultHermitianTransposeAdd(mat, left, more_right, right));
  check_product(right, k, HERMITIAN, 1, "MatMultHermitianTransposeAdd");
}

void check_products(Mat mat, const known *k, bool units)
{
  Vec right = NULL, left = NULL, more_right = NULL, more_left = NULL;
  PetscInt rows = 0, columns = 0;
  PetscBool assembled = PETSC_FALSE;
  EXPECT(!MatGetSize(mat, &rows, &columns) && !MatAssembled(mat, &assembled) && assembled);
  EXPECT_INT(rows, k->rows);
  EXPECT_INT(columns, k->columns);
  EXPECT(!MatCreateVecs(mat, &right, &left));
  EXPECT(!VecDuplicate(right, &more_right) && !VecDuplicate(left, &more_left));
  for (PetscInt j = 0; j < k->columns && units; j++) check_unit(mat, k, PLAIN, j, right, left);
  for (PetscInt i = 0; i < k->rows && units; i++) check_unit(mat, k, TRANSPOSED, i, left, right);
  check_all_products(mat, k, right, left, more_right, more_left);
  if (rows == columns) check_diagonal(mat, k, left);
  EXPECT(!VecDestroy(&right) && !VecDestroy(&left) && !VecDestroy(&more_right) && !VecDestroy(&more_left));
}

void check_values(Mat mat, const known *k)
{
  PetscInt lo = 0, hi = 0;
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = 0; j < k->columns; j++) {
      PetscScalar value = -1;
      EXPECT(!MatGetValues(mat, 1, &i, 1, &j, &value));
      EXPECT_MSG(value == known_at(k, i, j), "element (%d, %d) is %g", (int)i, (int)j,
                 (double)PetscRealPart(value));
    }
}

void set_values(Mat mat, const known *k, bool transposed)
{
  for (PetscInt i = 0; i < k->rows && test_rank() == test_nprocs() - 1; i++)
    for (PetscInt j = 0; j < k->columns; j++)
      EXPECT(!MatSetValue(mat, transposed ? j : i, transposed ? i : j, known_at(k, i, j), INSERT_VALUES));
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
}

bool has_type(Mat mat, MatType type)
{
  PetscBool same = PETSC_FALSE;
  if (strcmp(type, MATDENSE) == 0)
    EXPECT(!PetscObjectTypeCompareAny((PetscObject)mat, &same, MATSEQDENSE, MATMPIDENSE, ""));
  else
    EXPECT(!PetscObjectTypeCompare((PetscObject)mat, type, &same));
  return same == PETSC_TRUE;
}

void fill_known(const dap_layout *layout, const dap_array *array, const known *k)
{
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++) {
      const int64_t local[2] = {i, j};
      int64_t global[2];
      EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, global, NULL, NULL), NULL);
      *(PetscScalar *)(void *)((char *)array->data + i * array->strides[0] + j * array->strides[1]) =
          known_at(k, (PetscInt)global[0], (PetscInt)global[1]);
    }
}

void scale_array(const dap_array *array, PetscScalar factor)
{
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++)
      *(PetscScalar *)(void *)((char *)array->data + i * array->strides[0] + j * array->strides[1]) *= factor;
}
