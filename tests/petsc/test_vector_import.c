/* Makes arrays from plain vectors, and makes vectors from these arrays again. */
#include "live.h"

typedef struct plain_row {
  const char *why;
  case_cut cut;
  int64_t size;
  PetscInt block;
  bool ghosted;
} plain_row;

static const plain_row plains[] = {
    {"even", CUT_EVEN, 37, 1, false},
    {"irregular", CUT_IRREGULAR, 37, 1, false},
    {"blocks, none on the last", CUT_CEIL, 14, 2, false},
    {"all on the last", CUT_LAST, 8, 4, false},
    {"no entries", CUT_EVEN, 0, 1, false},
    {"ghosted", CUT_EVEN, 37, 1, true},
};

/* Returns the number of this process's entries. Even ranges are of whole blocks. */
static PetscInt count_of(const plain_row *row)
{
  static random_memory memory;
  static brute_axis axis;
  test_random random = test_random_init(11);
  const dap_dist dist = cut_axis(row->cut, row->size / row->block, test_nprocs(), 0, &random, &memory);
  EXPECT(brute_deal(&dist, &axis));
  return (PetscInt)axis.owned[test_rank()] * row->block;
}

static PetscScalar scalar_of(int64_t index)
{
  PetscScalar value;
  value_of(scalar_dtype(), index, &value);
  return value;
}

static void make_plain(const plain_row *row, Vec *vec)
{
  PetscInt start, end;
  const PetscInt n = count_of(row), ghost = 0;
  if (row->ghosted) {
    EXPECT(!VecCreateGhost(MPI_COMM_WORLD, n, PETSC_DECIDE, test_rank() > 0, &ghost, vec));
  } else {
    EXPECT(!VecCreate(MPI_COMM_WORLD, vec) && !VecSetSizes(*vec, n, PETSC_DECIDE));
    EXPECT(!VecSetBlockSize(*vec, row->block) && !VecSetType(*vec, VECSTANDARD));
  }
  EXPECT(!VecGetOwnershipRange(*vec, &start, &end));
  for (PetscInt i = start; i < end; i++) EXPECT(!VecSetValue(*vec, i, scalar_of(i), INSERT_VALUES));
  EXPECT(!VecAssemblyBegin(*vec) && !VecAssemblyEnd(*vec));
}

static void check_plain(const plain_row *row)
{
  Vec vec;
  dap_array array;
  dap_layout *layout;
  dap_petsc_vector view;
  dap_error err;
  make_plain(row, &vec);
  const PetscReal before = norm_of(vec);
  const PetscScalar *memory = address_of(vec);
  PetscInt count = 0, all = 0, start = 0, end = 0;
  EXPECT(!VecGetLocalSize(vec, &count) && !VecGetSize(vec, &all) && !VecGetOwnershipRange(vec, &start, &end));
  if (!EXPECT_OK(dap_petsc_vector_import(vec, &array, &layout, &err), &err)) return;
  EXPECT(array.data == memory && !array.readonly && references_of((PetscObject)vec) == 2);
  EXPECT_INT(array.shape[0], count);
  EXPECT_INT(dap_layout_size(layout, 0), all);
  expect_dictionaries(layout, &array);
  check_global(layout, test_rank(), &array, PADDING_ANY);

  /* Back in PETSc, the vector must have the same memory. */
  const dap_petsc_vector_options options = {.sharing = DAP_SHARE_OR_FAIL, .block_size = row->block};
  if (EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options,
                                     &view, &err),
                &err)) {
    EXPECT(address_of(view.vec) == memory || count == 0);
    EXPECT(!VecScale(view.vec, 2));
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
  }
  dap_array_release(&array);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  EXPECT_INT(references_of((PetscObject)vec), 1);
  check_renewed(norm_of(vec), before, 2);
  for (PetscInt i = start; i < end; i++) {
    PetscScalar found;
    EXPECT(!VecGetValues(vec, 1, &i, &found) && found == (PetscScalar)2 * scalar_of(i));
  }
  EXPECT(!VecDestroy(&vec));
}

static void imports_plain(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof plains / sizeof plains[0]; i++) {
    TEST_CASE("%s", plains[i].why);
    check_plain(&plains[i]);
    SETTLE();
  }
}

/* Imports a vector of one process only. The array must outlive the caller's reference. */
static void keeps_a_reference(void **state)
{
  (void)state;
  Vec vec;
  dap_array array;
  dap_error err;
  const PetscScalar value = 3 + test_rank();
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 5, &vec) && !VecSet(vec, value));
  EXPECT_OK(dap_petsc_vector_import(vec, &array, NULL, &err), &err);
  EXPECT(!VecDestroy(&vec));
  EXPECT_INT(array.dims[0].proc_grid_size, 1);
  for (int64_t i = 0; i < 5; i++) EXPECT(((PetscScalar *)array.data)[i] == value);
  dap_array_release(&array);
  SETTLE();
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

static void refuses_plain(void **state)
{
  (void)state;
  Vec vec = NULL, part = NULL;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  TEST_CASE("no vector");
  EXPECT_FAIL(dap_petsc_vector_import(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "vector|NULL");
  SETTLE();

  TEST_CASE("nowhere to put the array, on one process");
  PetscBool known = PETSC_FALSE;
  PetscReal norm = 0;
  make_plain(&plains[0], &part);
  const PetscReal before = norm_of(part);
  dap_status s = dap_petsc_vector_import(part, test_rank() ? &array : NULL, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "array|NULL");
  EXPECT(!layout && references_of((PetscObject)part) == 1);
  EXPECT(test_rank() == 0 || !array.release);
  /* If only some processes forgot the norm, they would wait for the others for ever. */
  EXPECT(!VecNormAvailable(part, NORM_1, &known, &norm) && known && norm == before);
  SETTLE();

  TEST_CASE("a nested vector");
  EXPECT(!VecCreateNest(MPI_COMM_WORLD, 1, NULL, &part, &vec));
  s = dap_petsc_vector_import(vec, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "type nest|seq|mpi");
  EXPECT(!layout && !array.data && !array.release);
  EXPECT(!VecDestroy(&vec) && !VecDestroy(&part));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),  cmocka_unit_test(imports_plain), cmocka_unit_test(keeps_a_reference),
    cmocka_unit_test(refuses_plain), cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
