/* Makes matrices whose elements are known. */
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

Mat same_sizes(Mat mat)
{
  PetscInt m = 0, n = 0, rows = 0, columns = 0;
  Mat like = NULL;
  EXPECT(!MatGetLocalSize(mat, &m, &n) && !MatGetSize(mat, &rows, &columns));
  EXPECT(!MatCreateDense(PetscObjectComm((PetscObject)mat), m, n, rows, columns, NULL, &like));
  return like;
}

/* y += op(A) x is allowed. */
static void check_in_place(Mat mat, Mat like)
{
  Vec x[2] = {NULL, NULL}, y[2] = {NULL, NULL};
  PetscReal norm = 0, off = 0;
  for (int transposed = 0; transposed < 2; transposed++) {
    EXPECT(!MatCreateVecs(mat, &x[transposed], &x[1 - transposed]));
    EXPECT(!VecDuplicate(x[1], &y[1]) && !VecSetRandom(x[0], NULL) && !VecSetRandom(x[1], NULL));
    EXPECT(!VecCopy(x[1], y[1]));
    EXPECT(!(transposed ? MatMultTransposeAdd(mat, x[0], x[1], x[1]) : MatMultAdd(mat, x[0], x[1], x[1])));
    EXPECT(!(transposed ? MatMultTransposeAdd(like, x[0], y[1], y[1]) : MatMultAdd(like, x[0], y[1], y[1])));
    EXPECT(!VecNorm(y[1], NORM_1, &norm) && !VecAXPY(x[1], -1, y[1]) && !VecNorm(x[1], NORM_1, &off));
    EXPECT_MSG(off <= (PetscReal)1e-5 * norm, "a product in place is off by %g of %g", (double)off,
               (double)norm);
    EXPECT(!VecDestroy(&x[0]) && !VecDestroy(&x[1]) && !VecDestroy(&y[1]));
  }
}

static void check_diagonal(Mat mat, Mat like)
{
  Vec found = NULL, want = NULL;
  PetscBool same = PETSC_FALSE;
  EXPECT(!MatCreateVecs(mat, NULL, &found) && !VecDuplicate(found, &want));
  EXPECT(!MatGetDiagonal(mat, found) && !MatGetDiagonal(like, want) && !VecEqual(found, want, &same));
  EXPECT_MSG(same, "the diagonal is another");
  EXPECT(!VecDestroy(&found) && !VecDestroy(&want));
}

void check_alike(Mat mat, Mat like)
{
  static const struct {
    const char *name;
    PetscErrorCode (*equal)(Mat, Mat, PetscInt, PetscBool *);
  } products[] = {{"MatMult", MatMultEqual},
                  {"MatMultAdd", MatMultAddEqual},
                  {"MatMultTranspose", MatMultTransposeEqual},
                  {"MatMultTransposeAdd", MatMultTransposeAddEqual},
                  {"MatMultHermitianTranspose", MatMultHermitianTransposeEqual},
                  {"MatMultHermitianTransposeAdd", MatMultHermitianTransposeAddEqual}};
  PetscInt rows = 0, columns = 0;
  PetscBool assembled = PETSC_FALSE;
  EXPECT(!MatAssemblyBegin(like, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(like, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatGetSize(mat, &rows, &columns) && !MatAssembled(mat, &assembled) && assembled);
  for (size_t i = 0; i < sizeof products / sizeof products[0] && rows > 0 && columns > 0; i++) {
    PetscBool same = PETSC_FALSE;
    EXPECT(!products[i].equal(mat, like, 2, &same));
    EXPECT_MSG(same, "another %s()", products[i].name);
  }
  if (rows > 0 && columns > 0) check_in_place(mat, like);
  if (rows == columns) check_diagonal(mat, like);
  EXPECT(!MatDestroy(&like));
}

void check_products(Mat mat, const known *k)
{
  Mat like = same_sizes(mat);
  PetscInt begin = 0, end = 0;
  EXPECT(!MatGetOwnershipRange(like, &begin, &end));
  for (PetscInt i = begin; i < end; i++)
    for (PetscInt j = 0; j < k->columns; j++)
      EXPECT(!MatSetValue(like, i, j, known_at(k, i, j), INSERT_VALUES));
  check_alike(mat, like);
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

void set_values(Mat mat, const known *k)
{
  for (PetscInt i = 0; i < k->rows && test_rank() == test_nprocs() - 1; i++)
    for (PetscInt j = 0; j < k->columns; j++)
      EXPECT(!MatSetValue(mat, i, j, known_at(k, i, j), INSERT_VALUES));
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
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
