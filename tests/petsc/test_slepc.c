/* Uses SLEPc on matrices that are arrays. It finds some eigenpairs and singular values of a MATDENSE, its
 * transpose, a MATSHELL and a MATSCALAPACK. Eigenvectors and singular vectors are written to arrays.
 *
 * The matrix is P K P^H with K(i, j) = min(i, j) + 1. The inverse of K is tridiagonal, so its eigenvalues
 * are 1 / (4 sin^2(x / 2)) and its vectors are sin((i + 1) x), with x = (2 k + 1) pi / (2 n + 1) and k = 0
 * for the largest. P is a diagonal of phases, which are 1 if PETSc has no complex numbers. */
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <slepceps.h>
#include <slepcsvd.h>

#include "mpi_test.h"

enum { N = 40, WANTED = 4, TALL = 2 /* times N rows, for singular values */ };

typedef enum cut { ROWS, COLUMNS, BLOCKS } cut;

static const struct {
  const char *why;
  cut cut;
  dap_order order;
  dap_petsc_form form;
  bool shared;            /* on several processes */
  const char *type, *one; /* the matrix's type on several processes, and on one */
} rows[] = {
    {"F order, rows", ROWS, DAP_ORDER_F, DAP_PETSC_ANY, true, MATMPIDENSE, MATSEQDENSE},
    {"C order, rows", ROWS, DAP_ORDER_C, DAP_PETSC_ANY, true, MATSHELL, MATTRANSPOSEVIRTUAL},
    {"C order, columns", COLUMNS, DAP_ORDER_C, DAP_PETSC_ANY, true, MATTRANSPOSEVIRTUAL, MATTRANSPOSEVIRTUAL},
    {"blocks", BLOCKS, DAP_ORDER_C, DAP_PETSC_DENSE, false, MATMPIDENSE, MATSEQDENSE},
    {"cyclic", BLOCKS, DAP_ORDER_F, DAP_PETSC_SCALAPACK, false, MATSCALAPACK, MATSCALAPACK},
};

/* ---- the matrix ------------------------------------------------------------------------------------ */

static PetscScalar phase(int64_t i)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscExpScalar(PETSC_i * (PetscReal)(0.7 * (double)(i % N)));
#else
  (void)i;
  return 1;
#endif
}

static double angle(int k)
{
  return (2 * k + 1) * (double)PETSC_PI / (2 * N + 1);
}

static double eigenvalue(int k)
{
  const double s = sin(angle(k) / 2);
  return 1 / (4 * s * s);
}

/* Rows from N on are the first ones again, each twice as large. */
static PetscScalar element(int64_t i, int64_t j)
{
  const int64_t row = i % N;
  return (PetscReal)(1 + i / N) * (PetscReal)((row < j ? row : j) + 1) * phase(row) * PetscConj(phase(j));
}

typedef struct matrix {
  dap_layout *layout;
  dap_array array;
} matrix;

static dap_dtype scalar(void)
{
  return PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
}

static matrix make(int64_t m, int64_t n, cut how, dap_order order)
{
  int grid[2] = {0, 0};
  matrix a = {0};
  dap_error err = {0};
  MPI_Dims_create(test_nprocs(), 2, grid);
  const dap_dist by_rows[] = {dap_dist_even(m, test_nprocs()), dap_dist_local(n)};
  const dap_dist by_columns[] = {dap_dist_local(m), dap_dist_even(n, test_nprocs())};
  const dap_dist blocks[] = {dap_dist_cyclic(m, grid[0], 5), dap_dist_cyclic(n, grid[1], 5)};
  const dap_dist *const dists[] = {by_rows, by_columns, blocks};
  EXPECT_OK(dap_layout_create(2, dists[how], &a.layout, &err), &err);
  EXPECT_OK(dap_array_init(&a.array, a.layout, test_rank(), scalar(), order, NULL, &err), &err);
  return a;
}

static void end(matrix *a)
{
  dap_array_release(&a->array);
  dap_layout_destroy(&a->layout);
}

static PetscScalar *at(const matrix *a, int64_t i, int64_t j, int64_t global[2])
{
  const int64_t local[2] = {i, j};
  dap_error err = {0};
  EXPECT_OK(dap_layout_globalize(a->layout, test_rank(), local, global, NULL, &err), &err);
  return (PetscScalar *)(void *)((char *)a->array.data + i * a->array.strides[0] + j * a->array.strides[1]);
}

/* Makes an array with the ranges of the matrix's right or left vectors. */
static matrix make_columns(Mat mat, bool is_left)
{
  enum { MOST = 64 };
  PetscInt own = 0, all = 0;
  int64_t lengths[MOST] = {0};
  matrix z = {0};
  dap_error err = {0};
  EXPECT(!MatGetLocalSize(mat, is_left ? &own : NULL, is_left ? NULL : &own));
  EXPECT(!MatGetSize(mat, is_left ? &all : NULL, is_left ? NULL : &all));
  const int64_t length = own;
  MPI_Allgather(&length, 1, MPI_INT64_T, lengths, 1, MPI_INT64_T, MPI_COMM_WORLD);
  const dap_dist dists[] = {dap_dist_lengths(all, test_nprocs(), lengths), dap_dist_local(WANTED)};
  EXPECT_OK(dap_layout_create(2, dists, &z.layout, &err), &err);
  EXPECT_OK(dap_array_init(&z.array, z.layout, test_rank(), scalar(), DAP_ORDER_F, NULL, &err), &err);
  return z;
}

static void fill(matrix *a)
{
  int64_t g[2];
  for (int64_t i = 0; i < a->array.shape[0]; i++)
    for (int64_t j = 0; j < a->array.shape[1]; j++) {
      PetscScalar *value = at(a, i, j, g);
      *value = element(g[0], g[1]);
    }
}

static void view(const matrix *a, size_t row, dap_petsc_matrix *m)
{
  const dap_petsc_matrix_options options = {.form = rows[row].form};
  dap_error err = {0};
  const bool one = test_nprocs() == 1;
  EXPECT_OK(
      dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){a->layout, &a->array}, DAP_READ, &options, m, &err),
      &err);
  MatType type = "none";
  EXPECT(!MatGetType(m->mat, &type));
  const char *const wanted = one ? rows[row].one : rows[row].type;
  const bool is_dense = strstr(type, "dense") && strstr(wanted, "dense");
  EXPECT_MSG(is_dense || !strcmp(type, wanted), "a %s, not a %s: %s", type, wanted, m->reason);
  EXPECT_MSG(one || m->shared == rows[row].shared, "%s: %s", m->shared ? "shared" : "moved", m->reason);
}

/* Makes a vector in the memory of column k. */
static void get_column(const matrix *z, int k, dap_petsc_vector *column)
{
  const int axes[] = {0};
  const int64_t start[] = {0, k};
  const dap_petsc_vector_options options = {.part = {.naxes = 1, .axes = axes, .start = start}};
  dap_error err = {0};
  EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){z->layout, &z->array}, DAP_WRITE, &options,
                                 column, &err),
            &err);
  EXPECT_MSG(column->shared, "moved: %s", column->reason);
}

/* ---- eigenpairs ------------------------------------------------------------------------------------- */

static void store_vector(EPS eps, int k, const matrix *z)
{
  dap_petsc_vector column;
  PetscScalar value = 0;
  dap_error err = {0};
  get_column(z, k, &column);
  EXPECT(!EPSGetEigenpair(eps, k, &value, NULL, column.vec, NULL));
  EXPECT_MSG(fabs(PetscRealPart(value) - eigenvalue(k)) < 1e-8 * eigenvalue(0),
             "eigenvalue %d is %.12g, not %.12g", k, (double)PetscRealPart(value), eigenvalue(k));
  EXPECT_OK(dap_petsc_vector_restore(&column, &err), &err);
}

/* Checks that each column is the known vector of length 1, times the phase of its first element. Lengths are
 * given as factors [WANTED]. */
static void check_vectors(const matrix *z, PetscScalar factors[])
{
  int64_t g[2];
  for (int k = 0; k < WANTED; k++) factors[k] = 0;
  for (int64_t i = 0; i < z->array.shape[0]; i++)
    for (int k = 0; k < WANTED; k++) {
      const PetscScalar value = *at(z, i, k, g);
      if (g[0] == 0) factors[k] = value / (phase(0) * (PetscReal)sin(angle(k)));
    }
  MPI_Bcast(factors, WANTED, PetscDefined(USE_COMPLEX) ? MPI_C_DOUBLE_COMPLEX : MPI_DOUBLE, 0,
            MPI_COMM_WORLD);
  const double length = 2 / sqrt(2 * N + 1);
  for (int k = 0; k < WANTED; k++)
    EXPECT_MSG(fabs((double)PetscAbsScalar(factors[k]) - length) < 1e-6,
               "vector %d has a factor of %g, not %g", k, (double)PetscAbsScalar(factors[k]), length);
  for (int64_t i = 0; i < z->array.shape[0]; i++)
    for (int k = 0; k < WANTED; k++) {
      const PetscScalar value = *at(z, i, k, g);
      const PetscScalar known = factors[k] * phase(g[0]) * (PetscReal)sin((double)(g[0] + 1) * angle(k));
      EXPECT_MSG((double)PetscAbsScalar(value - known) < 1e-6, "element %d of vector %d is off by %g",
                 (int)g[0], k, (double)PetscAbsScalar(value - known));
    }
}

static void eigenpairs(void **state)
{
  (void)state;
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    TEST_CASE("%s", rows[row].why);
    matrix a = make(N, N, rows[row].cut, rows[row].order);
    fill(&a);
    dap_petsc_matrix m;
    view(&a, row, &m);
    matrix z = make_columns(m.mat, false);
    EPS eps = NULL;
    PetscInt found = 0;
    dap_error err = {0};
    EXPECT(!EPSCreate(PetscObjectComm((PetscObject)m.mat), &eps) && !EPSSetOperators(eps, m.mat, NULL));
    EXPECT(!EPSSetProblemType(eps, EPS_HEP) && !EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
    EXPECT(!EPSSetDimensions(eps, WANTED, PETSC_DEFAULT, PETSC_DEFAULT) &&
           !EPSSetTolerances(eps, 1e-11, 500));
    EXPECT(!EPSSolve(eps) && !EPSGetConverged(eps, &found));
    EXPECT_MSG(found >= WANTED, "%d pairs", (int)found);
    for (int k = 0; k < WANTED && found >= WANTED; k++) store_vector(eps, k, &z);
    PetscScalar factors[WANTED];
    check_vectors(&z, factors);
    EXPECT(!EPSDestroy(&eps));
    EXPECT_OK(dap_petsc_matrix_restore(&m, &err), &err);
    end(&z), end(&a);
    SETTLE();
  }
}

/* ---- singular values -------------------------------------------------------------------------------- */

static void store_triplet(SVD svd, int k, const matrix *u, const matrix *v)
{
  const double known = sqrt(5) * eigenvalue(k); /* of the matrix and of twice the matrix */
  dap_petsc_vector left, right;
  PetscReal sigma = 0;
  dap_error err = {0};
  get_column(u, k, &left);
  get_column(v, k, &right);
  EXPECT(!SVDGetSingularTriplet(svd, k, &sigma, left.vec, right.vec));
  EXPECT_MSG(fabs((double)sigma - known) < 1e-7 * eigenvalue(0), "singular value %d is %.12g, not %.12g", k,
             (double)sigma, known);
  EXPECT_OK(dap_petsc_vector_restore(&right, &err), &err);
  EXPECT_OK(dap_petsc_vector_restore(&left, &err), &err);
}

/* Checks A v = sigma u. v has the form of the eigenvectors, with these factors. */
static void check_left(const matrix *u, const PetscScalar factors[])
{
  int64_t g[2];
  for (int64_t i = 0; i < u->array.shape[0]; i++)
    for (int k = 0; k < WANTED; k++) {
      const PetscScalar value = *at(u, i, k, g), scale = factors[k] * (PetscReal)(1 + g[0] / N);
      const double wave = sin((double)(g[0] % N + 1) * angle(k)) / sqrt(5);
      EXPECT_MSG((double)PetscAbsScalar(value - scale * phase(g[0]) * (PetscReal)wave) < 1e-6,
                 "element %d of left vector %d is wrong", (int)g[0], k);
    }
}

static void singular_values(void **state)
{
  (void)state;
  for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
    TEST_CASE("%s", rows[row].why);
    matrix a = make(TALL * N, N, rows[row].cut, rows[row].order);
    fill(&a);
    dap_petsc_matrix m;
    view(&a, row, &m);
    SVD svd = NULL;
    PetscInt found = 0;
    dap_error err = {0};
    EXPECT(!SVDCreate(PetscObjectComm((PetscObject)m.mat), &svd) && !SVDSetOperators(svd, m.mat, NULL));
    EXPECT(!SVDSetImplicitTranspose(svd, PETSC_TRUE)); /* because a shell cannot be transposed */
    EXPECT(!SVDSetDimensions(svd, WANTED, PETSC_DEFAULT, PETSC_DEFAULT) &&
           !SVDSetTolerances(svd, 1e-10, 500));
    EXPECT(!SVDSolve(svd) && !SVDGetConverged(svd, &found));
    EXPECT_MSG(found >= WANTED, "%d values", (int)found);
    matrix u = make_columns(m.mat, true), v = make_columns(m.mat, false);
    for (int k = 0; k < WANTED && found >= WANTED; k++) store_triplet(svd, k, &u, &v);
    PetscScalar factors[WANTED];
    check_vectors(&v, factors);
    check_left(&u, factors);
    EXPECT(!SVDDestroy(&svd));
    EXPECT_OK(dap_petsc_matrix_restore(&m, &err), &err);
    end(&v), end(&u), end(&a);
    SETTLE();
  }
}

/* ---- SLEPc's beginning and end -------------------------------------------------------------------- */

static void starts(void **state)
{
  (void)state;
  EXPECT(!SlepcInitializeNoArguments() && !PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  SETTLE();
}

static void ends(void **state)
{
  (void)state;
  EXPECT(!PetscPopErrorHandler() && !SlepcFinalize());
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(starts), cmocka_unit_test(eigenpairs),
                                          cmocka_unit_test(singular_values), cmocka_unit_test(ends)};
MPI_TEST_MAIN(tests)
