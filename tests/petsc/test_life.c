/* The life of a field: communicators of its own, whole vectors, verdicts that all share, no view at all. */
#include "live.h"

#include <signal.h>

/* A padded 2-D array over all processes, rows distributed. */
static void make(MPI_Comm comm, dap_layout **layout, dap_array *array)
{
  dap_error err;
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  dap_dist dist[] = {dap_dist_even(4 * size, size), dap_dist_even(5, 1)};
  dist[0].halo = 1;
  EXPECT_OK(dap_layout_create(2, dist, layout, &err), &err);
  EXPECT_OK(dap_array_init(array, *layout, rank, scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  fill_global(*layout, rank, array);
}

static PetscReal sum_of(Vec vector)
{
  PetscReal norm = 0;
  EXPECT(!VecNorm(vector, NORM_1, &norm));
  return norm;
}

static void on_signal(int number)
{
  (void)number;
}

/* Must be the first test. Half of the processes use PETSc first. */
static void half_of_the_processes(void **state)
{
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_error err;
  MPI_Comm half;
  petsc_is_initialised(state);
  void (*const before)(int) = signal(SIGFPE, on_signal);
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, 0, &half);
  if (test_rank() % 2 == 0) {
    make(half, &layout, &array);
    EXPECT_OK(dap_petsc_field_get(half, (dap_darray){layout, &array}, DAP_READ, NULL, &field, &err), &err);
    MPI_Comm_free(&half); /* the field has its own */
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  } else {
    MPI_Comm_free(&half);
  }
  make(MPI_COMM_WORLD, &layout, &array);
  EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, NULL, &field, &err),
            &err);
  EXPECT_MSG(signal(SIGFPE, before) == on_signal, "PETSc took the signal handler");
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* What solvers need of the vectors: their DM, block size, mapping, type. */
static void gives_whole_vectors(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_error err;
  DM dm;
  Mat matrix;
  Vec product = NULL;
  VecType type, own_type;
  make(MPI_COMM_WORLD, &layout, &array);
  const dap_petsc_field_options star = {.width = 1, .star = true};
  EXPECT_OK(
      dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &star, &field, &err),
      &err);
  EXPECT(!VecGetDM(field.global, &dm) && dm == field.dm);
  EXPECT(!VecGetDM(field.local, &dm) && dm == field.dm);
  EXPECT(!DMCreateMatrix(field.dm, &matrix) && !DMCreateGlobalVector(field.dm, &product));
  EXPECT(!VecGetType(product, &own_type) && !VecGetType(field.global, &type) && strcmp(type, own_type) == 0);
  const PetscInt row = 0;
  const PetscScalar value = 5;
  if (test_rank() == 0) EXPECT(!VecSetValuesLocal(field.global, 1, &row, &value, INSERT_VALUES));
  EXPECT(!VecAssemblyBegin(field.global) && !VecAssemblyEnd(field.global));
  EXPECT(!MatShift(matrix, 2) && !MatMult(matrix, field.global, product));
  EXPECT(!VecAXPY(product, -2, field.global));
  EXPECT(sum_of(product) == 0 && sum_of(field.global) > 0);
  if (test_rank() == 0) EXPECT(((PetscScalar *)array.data)[0] == value);
  EXPECT(!MatDestroy(&matrix) && !VecDestroy(&product));
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* One process has a gap behind each row: then all move. */
static void moves_where_one_must(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_error err;
  PetscScalar memory[6 * 8] = {0};
  make(MPI_COMM_WORLD, &layout, &array);
  dap_array gaps = array;
  gaps.strides[0] = 8 * (int64_t)sizeof(PetscScalar);
  gaps.data = memory;
  const int last = test_nprocs() - 1;
  dap_array *mine = test_rank() == last ? &gaps : &array;
  fill_global(layout, test_rank(), mine);
  EXPECT_OK(
      dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, mine}, DAP_READ_WRITE, NULL, &field, &err),
      &err);
  EXPECT(!field.shared_local && !field.shared_global);
  char rank[32] = "";
  if (last > 0) (void)snprintf(rank, sizeof rank, "rank %d: ", last); /* what all say names nobody */
  EXPECT_MSG(strstr(field.reason_local, rank) == field.reason_local, "%s", field.reason_local);
  EXPECT_MSG(strstr(field.reason_global, rank) == field.reason_global, "%s", field.reason_global);
  EXPECT(field.moved_bytes > 0);
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  check_global(layout, test_rank(), mine, PADDING_FILLED);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Nothing to restore. */
static void restores_nothing(void **state)
{
  (void)state;
  dap_petsc_field field = {0};
  char text[200];
  EXPECT_OK(dap_petsc_field_restore(NULL, NULL), NULL);
  EXPECT_OK(dap_petsc_field_restore(&field, NULL), NULL);
  EXPECT_INT(dap_petsc_field_describe(NULL, text, sizeof text), strlen("no live view"));
  const size_t whole = dap_petsc_field_describe(&field, NULL, 0);
  EXPECT_INT(dap_petsc_field_describe(&field, text, sizeof text), whole);
  EXPECT_INT(strlen(text), whole);
  EXPECT_INT(dap_petsc_field_describe(&field, text, 5), whole);
  EXPECT_INT(strlen(text), 4);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(half_of_the_processes), cmocka_unit_test(gives_whole_vectors),
    cmocka_unit_test(moves_where_one_must),  cmocka_unit_test(restores_nothing),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
