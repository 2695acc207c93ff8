/* Read locks: who got a view to read only cannot write to its vectors, and what is locked is lent for
 * reading. Of a PETSc that keeps no locks the tests see that nothing depends on them. */
#include "live.h"

/* Can the vector's memory be had for writing? */
static bool is_writable(Vec vector)
{
  PetscScalar *memory = NULL;
  EXPECT(!PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = VecGetArray(vector, &memory);
  if (code == 0) EXPECT(!VecRestoreArray(vector, &memory));
  EXPECT(!PetscPopErrorHandler());
  return code == 0;
}

static void check_lock(const char *why, Vec vector, bool wants_lock)
{
  const PetscScalar *memory = NULL;
  EXPECT_MSG(is_writable(vector) == !(wants_lock && petsc_keeps_locks()), "%s", why);
  EXPECT_MSG(!VecGetArrayRead(vector, &memory) && !VecRestoreArrayRead(vector, &memory), "%s: cannot be read",
             why);
}

/* ---- views -------------------------------------------------------------------------------------------- */

static const struct view_row {
  const char *why;
  dap_access access;
  dap_sharing sharing;
  bool locked;
} views[] = {
    {"shared, to read", DAP_READ, DAP_SHARE_IF_POSSIBLE, true},
    {"shared, to write", DAP_WRITE, DAP_SHARE_IF_POSSIBLE, false},
    {"shared, to read and write", DAP_READ_WRITE, DAP_SHARE_IF_POSSIBLE, false},
    {"a copy, to read: what is written to it would be lost", DAP_READ, DAP_SHARE_NEVER, true},
    {"a copy, to read and write", DAP_READ_WRITE, DAP_SHARE_NEVER, false},
};

/* Whatever was done to the view. */
static void check_view(const struct view_row *row, const any_view *v)
{
  if (v->kind == VECTOR) check_lock(row->why, v->vector.vec, row->locked);
  if (v->kind == VECTOR) return;
  check_lock(row->why, v->field.global, row->locked);
  check_lock(row->why, v->field.local, row->locked);
}

static void check_row(const struct view_row *row, any_kind kind)
{
  const dap_dist dists[] = {dap_dist_padded(3 * test_nprocs(), test_nprocs(), 1), dap_dist_even(5, 1)};
  live a;
  dap_error err;
  any_view v = {.kind = kind};
  any_share(&v, row->sharing);
  live_make_cut(&a, 2, dists, FORM_C);
  EXPECT_OK(any_get(MPI_COMM_WORLD, &v, (dap_darray){a.layout, &a.array}, row->access, &err), &err);
  check_view(row, &v);
  if (row->access & DAP_READ) EXPECT_OK(any_do(&v, LOAD, &err), &err);
  check_view(row, &v); /* loading writes to copies, and locks them again */
  if (row->access & DAP_WRITE) EXPECT_OK(any_do(&v, STORE, &err), &err);
  check_view(row, &v);
  Vec kept = kind == VECTOR ? v.vector.vec : v.field.global;
  EXPECT(!PetscObjectReference((PetscObject)kept));
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
  if (row->sharing == DAP_SHARE_NEVER) check_lock("a copy that outlives its view", kept, false);
  EXPECT(!VecDestroy(&kept));
  live_free(&a);
  SETTLE();
}

static void fields_and_vectors(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
    for (any_kind kind = FIELD; kind <= VECTOR; kind++) check_row(&views[i], kind);
}

/* ---- imports ------------------------------------------------------------------------------------------ */

/* A vector that is locked on all processes is lent for reading, and is locked no more and no less
 * afterwards. */
static void check_import(bool locked)
{
  dap_array array;
  dap_error err;
  Vec vector;
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 4, PETSC_DETERMINE, &vector) && !VecSet(vector, 3));
  if (locked) EXPECT(!VecLockReadPush(vector));
  EXPECT_OK(dap_petsc_vector_import(vector, &array, NULL, &err), &err);
  EXPECT_MSG(array.readonly == (locked && petsc_keeps_locks()), "read-only: %d", array.readonly);
  EXPECT(((const PetscScalar *)array.data)[3] == 3);
  dap_array_release(&array);
  check_lock(locked ? "locked before" : "not locked", vector, locked);
  if (locked) EXPECT(!VecLockReadPop(vector));
  check_lock("unlocked again", vector, false);
  EXPECT(!VecDestroy(&vector));
  SETTLE();
}

static void imports(void **state)
{
  (void)state;
  check_import(false);
  check_import(true);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(fields_and_vectors),
    cmocka_unit_test(imports),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
