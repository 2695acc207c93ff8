/* The life of a field: PETSc's start, object states, references, leaks, halos that differ, its end. */
#include "field_test.h"

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
  petsc_counts_memory();
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

/* PETSc remembers norms by the state of an object. */
static void bumps_states(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_error err;
  make(MPI_COMM_WORLD, &layout, &array);
  EXPECT_OK(
      dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, NULL, &field, &err),
      &err);
  EXPECT(field.shared_global && field.shared_local);
  const PetscReal before = sum_of(field.global);
  const PetscScalar more = 1000;
  PetscScalar *memory = array.data;
  const int64_t first = test_rank() > 0 ? array.shape[1] : 0;
  double growth = -(double)PetscAbsScalar(memory[first]); /* of the norm, by hand: elements may be complex */
  memory[first] += more;
  growth += (double)PetscAbsScalar(memory[first]);
  MPI_Allreduce(MPI_IN_PLACE, &growth, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  PetscScalar *shared;
  EXPECT(!VecGetArray(field.global, &shared) && !VecRestoreArray(field.global, &shared));
  EXPECT_MSG(PetscAbsReal(sum_of(field.global) - before - growth) < 1e-6, "norm not renewed");
  memory[first] -= more;
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);

  /* A copy that is filled by get has no norm of before. */
  const dap_petsc_field_options copy = {.sharing = DAP_SHARE_NEVER};
  EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &copy, &field, &err),
            &err);
  EXPECT(PetscAbsReal(sum_of(field.global) - before) < 1e-6);
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

/* Interfaces of different widths cannot be dap_dist's; dictionaries can say them. Each side says the same of
 * an interface: 1 below an odd process, 2 below an even one. */
static void moves_halos_that_differ(void **state)
{
  (void)state;
  const int rank = test_rank(), procs = test_nprocs();
  const int64_t low = rank == 0 ? 0 : rank % 2 ? 1 : 2, high = rank == procs - 1 ? 0 : (rank + 1) % 2 ? 1 : 2;
  PetscScalar memory[16] = {0};
  dap_array array = {.abi = DAP_ARRAY_ABI,
                     .version = "0.10.0",
                     .data = memory,
                     .dim_count = 1,
                     .ndim = 1,
                     .dtype = scalar_dtype(),
                     .shape = {4 + low + high},
                     .strides = {(int64_t)sizeof(PetscScalar)}};
  array.dims[0] = (dap_dim){.dist_type = 'b',
                            .size = 4 * procs,
                            .proc_grid_size = procs,
                            .proc_grid_rank = rank,
                            .start = 4 * rank - low,
                            .stop = 4 * rank + 4 + high,
                            .padding = {low, high}};
  dap_layout *layout;
  dap_petsc_field field;
  dap_error err;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &layout, &err), &err);
  fill_global(layout, rank, &array);
  EXPECT_OK(
      dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, NULL, &field, &err),
      &err);
  PetscInt width = 0;
  EXPECT(!DMDAGetStencilWidth(field.dm, &width));
  EXPECT_INT(width, procs == 2 || procs == 1 ? 1 : 2);
  EXPECT_MSG(field.shared_local == (procs <= 2), "%s", field.reason_local);
  EXPECT_MSG(procs <= 2 || strstr(field.reason_local, "padding 1"), "%s", field.reason_local);
  EXPECT(field.shared_global);
  EXPECT(!VecScale(field.global, 1));
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  check_global(layout, rank, &array, PADDING_FILLED);
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

/* PETSc's memory is the same after many fields, and after failed ones. */
static void leaks_nothing(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_error err;
  PetscLogDouble used[2] = {0};
  make(MPI_COMM_WORLD, &layout, &array);
  for (int round = 0; round < 40; round++) {
    const dap_petsc_field_options options = {.sharing = (dap_sharing)(round % 3), .width = 1 + round % 2};
    const dap_access access = (dap_access)(1 + round % 3);
    const dap_status s =
        dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, access, &options, &field, &err);
    EXPECT(s == DAP_OK || (s == DAP_ERR_SHARE && options.sharing == DAP_SHARE_OR_FAIL));
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    EXPECT(!PetscMallocGetCurrentUsage(&used[round > 5]));
    if (round > 5)
      EXPECT_MSG(used[0] == used[1], "round %d: PETSc holds %g bytes, not %g", round, used[1], used[0]);
  }
  EXPECT_MSG(used[0] > 0, "PETSc does not count its memory");
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

/* Must be the last test. */
static void knows_that_petsc_is_over(void **state)
{
  (void)state;
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_error err;
  make(MPI_COMM_WORLD, &layout, &array);
  EXPECT(!PetscFinalize());
  const dap_status s =
      dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, NULL, &field, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "finalised");
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(half_of_the_processes), cmocka_unit_test(bumps_states),
    cmocka_unit_test(gives_whole_vectors),   cmocka_unit_test(moves_halos_that_differ),
    cmocka_unit_test(moves_where_one_must),  cmocka_unit_test(leaks_nothing),
    cmocka_unit_test(restores_nothing),      cmocka_unit_test(knows_that_petsc_is_over),
};

MPI_TEST_MAIN(tests)
