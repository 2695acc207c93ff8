/* Compares matrices of any of PETSc's types with matrices whose elements are known. */
#include "live.h"

/* ---- what is known ----------------------------------------------------------------------------------- */

PetscScalar dominant_at(int64_t i, int64_t j)
{
  return (PetscReal)((i * 5 + j * 3) % 7) + (i == j ? 100 : 0);
}

static PetscScalar known_at(const known_matrix *k, PetscInt i, PetscInt j)
{
  PetscScalar value = dominant_at(i, j);
  if (k->a) return live_entry(k->a, live_at(k->a, (const int64_t[]){i, j}), k->shift);
  if (!k->is_dominant) value_of(scalar_dtype(), (int64_t)i * k->columns + j, &value);
  return k->factor * value;
}

/* Gives the known sizes, and checks that PETSc's matrix has them. */
static void known_sizes(Mat mat, const known_matrix *k, PetscInt *rows, PetscInt *columns)
{
  PetscInt size[2] = {-1, -1};
  *rows = k->a ? (PetscInt)live_size(k->a, 0) : k->rows;
  *columns = k->a ? (PetscInt)live_size(k->a, 1) : k->columns;
  EXPECT(!MatGetSize(mat, &size[0], &size[1]));
  EXPECT_MSG(size[0] == *rows && size[1] == *columns, "%d x %d, not %d x %d", (int)size[0], (int)size[1],
             (int)*rows, (int)*columns);
}

Mat live_inner(Mat mat, bool *transposed)
{
  Mat dense = mat;
  *transposed = has_type(mat, MATTRANSPOSEVIRTUAL);
  if (*transposed) EXPECT(!MatTransposeGetMat(mat, &dense));
  return dense;
}

void set_values(Mat mat, const known_matrix *k)
{
  PetscMPIInt rank = 0, procs = 0;
  PetscInt rows = 0, columns = 0;
  bool transposed = false;
  Mat inner = live_inner(mat, &transposed);
  MPI_Comm_rank(PetscObjectComm((PetscObject)mat), &rank);
  MPI_Comm_size(PetscObjectComm((PetscObject)mat), &procs);
  known_sizes(mat, k, &rows, &columns);
  for (PetscInt i = 0; i < rows; i++)
    for (PetscInt j = 0; j < columns; j++)
      if ((i + j) % procs == rank)
        EXPECT(!MatSetValue(inner, transposed ? j : i, transposed ? i : j, known_at(k, i, j), INSERT_VALUES));
  EXPECT(!MatAssemblyBegin(inner, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(inner, MAT_FINAL_ASSEMBLY));
}

Mat known_like(Mat mat, const known_matrix *k)
{
  PetscInt m = 0, n = 0, rows = 0, columns = 0;
  Mat like = NULL;
  known_sizes(mat, k, &rows, &columns);
  EXPECT(!MatGetLocalSize(mat, &m, &n));
  EXPECT(!MatCreateDense(PetscObjectComm((PetscObject)mat), m, n, rows, columns, NULL, &like));
  set_values(like, k);
  return like;
}

void fill_known(const dap_layout *layout, const dap_array *array, const known_matrix *k)
{
  array_walk w = walk_begin(layout, test_rank(), array->strides);
  for (; !w.done; walk_next(&w))
    *(PetscScalar *)(void *)((char *)array->data + w.offset) =
        known_at(k, (PetscInt)w.global[0], (PetscInt)w.global[1]);
  walk_end(&w);
}

/* ---- compared ---------------------------------------------------------------------------------------- */

void check_values(Mat mat, const known_matrix *k)
{
  PetscInt lo = 0, hi = 0, rows = 0, columns = 0;
  known_sizes(mat, k, &rows, &columns);
  EXPECT(!MatGetOwnershipRange(mat, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = 0; j < columns; j++) {
      PetscScalar value = -1;
      EXPECT(!MatGetValues(mat, 1, &i, 1, &j, &value));
      EXPECT_MSG(value == known_at(k, i, j), "element (%d, %d) is %g", (int)i, (int)j,
                 (double)PetscRealPart(value));
    }
}

/* Checks y += op(A) x, where y is both a term and the result. */
static void check_in_place(Mat mat, Mat like, bool transposed)
{
  PetscErrorCode (*const add)(Mat, Vec, Vec, Vec) = transposed ? MatMultTransposeAdd : MatMultAdd;
  Vec x = NULL, y = NULL, want = NULL;
  PetscReal norm = 0, off = 0;
  EXPECT(!(transposed ? MatCreateVecs(mat, &y, &x) : MatCreateVecs(mat, &x, &y)));
  EXPECT(!VecSetRandom(x, NULL) && !VecSetRandom(y, NULL) && !VecDuplicate(y, &want) && !VecCopy(y, want));
  EXPECT(!add(mat, x, y, y) && !add(like, x, want, want));
  EXPECT(!VecNorm(want, NORM_1, &norm) && !VecAXPY(y, -1, want) && !VecNorm(y, NORM_1, &off));
  EXPECT_MSG(off <= (PetscReal)1e-5 * norm, "a product in place is off by %g of %g", (double)off,
             (double)norm);
  EXPECT(!VecDestroy(&x) && !VecDestroy(&y) && !VecDestroy(&want));
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

void check_products(Mat mat, const known_matrix *k)
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
  Mat like = known_like(mat, k);
  known_sizes(mat, k, &rows, &columns);
  EXPECT(!MatAssembled(mat, &assembled) && assembled);
  for (size_t i = 0; i < sizeof products / sizeof products[0] && rows > 0 && columns > 0; i++) {
    PetscBool same = PETSC_FALSE;
    EXPECT(!products[i].equal(mat, like, 2, &same));
    EXPECT_MSG(same, "another %s()", products[i].name);
  }
  for (int transposed = 0; transposed < 2 && rows > 0 && columns > 0; transposed++)
    check_in_place(mat, like, transposed);
  if (rows == columns) check_diagonal(mat, like);
  EXPECT(!MatDestroy(&like));
}

/* ---- live -------------------------------------------------------------------------------------------- */

void live_check_matrix(const live *a, Mat mat, int64_t shift)
{
  const known_matrix k = {.a = a, .shift = shift};
  PetscInt rows = 0, columns = 0;
  Mat dense = NULL;
  if (!mat) return;
  known_sizes(mat, &k, &rows, &columns);
  if (rows == 0 || columns == 0) return;
  EXPECT(!MatComputeOperator(mat, MATDENSE, &dense));
  check_values(dense, &k);
  EXPECT(!MatDestroy(&dense));
}

void live_write_matrix(const live *a, Mat mat, int64_t shift)
{
  bool transposed = false;
  if (mat && has_type(live_inner(mat, &transposed), MATSHELL))
    live_fill(a, shift);
  else if (mat)
    set_values(mat, &(known_matrix){.a = a, .shift = shift});
}
