/* Tests the life of a field: communicators of its own, complete vectors, verdicts and norms that all
 * processes share, the axis that is x, read locks, and no view at all. */
#include "live.h"

#include <signal.h>

/* Makes a padded array of two axes. Its rows are spread over all processes. */
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

static void on_signal(int number)
{
  (void)number;
}

/* Must be the first test. Half of the processes use PETSc first. */
static void half_of_the_processes(void **state)
{
  MPI_Comm half;
  petsc_starts(state);
  void (*const before)(int) = signal(SIGFPE, on_signal);
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, 0, &half);
  for (int turn = 0; turn < 2; turn++) {
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    dap_error err;
    MPI_Comm comm = turn ? MPI_COMM_WORLD : half;
    if (turn == 0 && test_rank() % 2) continue;
    make(comm, &layout, &array);
    const dap_darray whole = {layout, &array};
    EXPECT_OK(dap_petsc_field_get(comm, whole, DAP_READ, NULL, &field, &err), &err);
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  EXPECT_MSG(signal(SIGFPE, before) == on_signal, "PETSc took the signal handler");
  MPI_Comm_free(&half);
  SETTLE();
}

/* A view has its own communicator and layout, and copies what it needs of the array. It ends once. */
static void needs_only_the_buffer(void **state)
{
  (void)state;
  for (any_kind kind = FIELD; kind < KINDS; kind++) {
    dap_layout *layout;
    dap_array array;
    dap_error err;
    MPI_Comm comm;
    any_view v = {.kind = kind};
    TEST_CASE("%s", any_names[kind]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make(comm, &layout, &array);
    EXPECT_OK(any_get(comm, &v, (dap_darray){layout, &array}, DAP_READ_WRITE, &err), &err);
    MPI_Comm_free(&comm);
    dap_layout_destroy(&layout);
    dap_array kept = array;
    memset(&array, 0xEE, sizeof array);
    for (int twice = 0; twice < 2; twice++) EXPECT_OK(any_do(&v, RESTORE, &err), &err);
    dap_array_release(&kept);
    SETTLE();
  }
}

/* Vectors have all that solvers need: DM, block size, mapping, type. */
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
  EXPECT(norm_of(product) == 0 && norm_of(field.global) > 0);
  if (test_rank() == 0) EXPECT(((PetscScalar *)array.data)[0] == value);
  EXPECT(!MatDestroy(&matrix) && !VecDestroy(&product));
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* If one process has a gap behind each row, all processes move their elements. */
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
  if (last > 0) (void)snprintf(rank, sizeof rank, "rank %d: ", last); /* not named if all have the reason */
  EXPECT_MSG(strstr(field.reason_local, rank) == field.reason_local, "%s", field.reason_local);
  EXPECT_MSG(strstr(field.reason_global, rank) == field.reason_global, "%s", field.reason_global);
  EXPECT(field.moved_bytes > 0);
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  check_global(layout, test_rank(), mine, PADDING_FILLED);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- one thing on all processes, and in one field after the other ------------------------------------- */

static void grant(live *a, dap_access access, const char *what)
{
  dap_error err = {0};
  TEST_CASE("%s", what);
  EXPECT_OK(live_get(a, access, &err), &err);
}

/* PETSc decides by a vector's state whether it computes a norm with the other processes. If states differ,
 * some processes wait for ever. On a process without entries the memory is NULL. */
static void norms_where_a_process_has_no_points(void **state)
{
  (void)state;
  const int n = test_nprocs();
  int64_t lengths[16] = {0};
  for (int c = 0; c < n; c++) lengths[c] = c == n / 2 && n > 1 ? 0 : 5;
  const dap_dist dist = dap_dist_lengths(n > 1 ? 5 * (n - 1) : 5, n, lengths);
  for (int i = 0; i < 2; i++) {
    live a = {0};
    dap_error err = {0};
    live_make_cut(&a, 1, &dist, FORM_C);
    a.options = (dap_petsc_field_options){.vectors = DAP_PETSC_GLOBAL,
                                          .sharing = i ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL};
    grant(&a, DAP_READ_WRITE, i ? "a copy" : "shared");
    for (int round = 0; round < 2; round++) {
      live_check_norm(a.field.global);
      live_fill(&a, LATER);
      EXPECT_OK(dap_petsc_field_load(&a.field, &err), &err);
    }
    live_restore(&a);
    live_free(&a);
    SETTLE();
  }
}

/* Another index on one process is refused, whether a form is kept for it or not. */
static void a_kept_dm_and_another_index(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  const dap_dist dists[] = {dap_dist_even(2, 1), dap_dist_even(4 * test_nprocs(), test_nprocs())};
  const int axes[] = {1};
  const int64_t index[] = {0, 0}, other[] = {test_rank() == 0, 0};
  live a = {0};
  dap_error err = {0};
  live_make_cut(&a, 2, dists, FORM_C);
  live_pick(&a, 1, axes, index);
  grant(&a, DAP_READ_WRITE, "first");
  DM dm = a.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)dm));
  live_restore(&a);
  live_pick(&a, 1, axes, other);
  a.options.dm = dm;
  const dap_status s = live_get(&a, DAP_READ_WRITE, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "part: start|not the same");
  EXPECT(!DMDestroy(&dm));
  live_free(&a);
  SETTLE();
}

/* In an array with as many rows as columns, element (1, 0) must be the same point of the DMDA in every field
 * on it. */
static void x_stays_the_axis_that_it_was(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[] = {dap_dist_replicated(4 * n, 1), dap_dist_cyclic(4 * n, n, 1)};
  for (int i = 0; i < 2; i++) {
    live a = {0};
    PetscScalar found = 0, want;
    live_make_cut(&a, 2, dists, FORM_F);
    a.options = (dap_petsc_field_options){.width = 1, .vectors = DAP_PETSC_GLOBAL};
    grant(&a, DAP_READ_WRITE, "an array that has no ranges");
    DM dm = a.field.dm;
    EXPECT(!PetscObjectReference((PetscObject)dm));
    live_restore(&a);
    a.options.dm = dm;
    a.options.width = 0;
    grant(&a, i ? DAP_READ_WRITE : DAP_READ, "its DMDA again");
    PetscInt begin[2], length[2];
    PetscScalar **points = NULL;
    EXPECT(!DMDAGetCorners(dm, &begin[0], &begin[1], NULL, &length[0], &length[1], NULL));
    EXPECT(!DMDAVecGetArrayRead(dm, a.field.global, &points));
    if (begin[0] == 0 && begin[1] <= 1 && begin[1] + length[1] > 1 && length[0] > 0) {
      found = points[1][0];
      value_of(scalar_dtype(), 4 * n, &want); /* row 1, column 0: x is the last axis */
      EXPECT_MSG(found == want, "%g, not %g", (double)PetscRealPart(found), (double)PetscRealPart(want));
    }
    EXPECT(!DMDAVecRestoreArrayRead(dm, a.field.global, &points));
    live_restore(&a);
    EXPECT(!DMDestroy(&dm));
    live_free(&a);
    SETTLE();
  }
}

/* ---- read locks: nothing depends on them, as some builds of PETSc keep none --------------------------- */

/* Returns whether PETSc gives the vector's memory for writing. */
static bool is_writable(Vec vector)
{
  PetscScalar *memory = NULL;
  return !VecGetArray(vector, &memory) && EXPECT(!VecRestoreArray(vector, &memory));
}

/* Returns whether this PETSc keeps read locks. Debug builds keep them. Optimised builds keep them in 3.22,
 * but not in 3.18. */
static bool keeps_locks(void)
{
  PetscInt locks = 0;
  Vec vector = NULL;
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 1, &vector) && !VecLockReadPush(vector));
  (void)(VecLockGet(vector, &locks)); /* an optimised PETSc 3.18 has an assignment here instead of a call */
  EXPECT(!VecLockReadPop(vector) && !VecDestroy(&vector));
  return locks != 0;
}

static void check_lock(const char *why, Vec vector, bool wants_lock)
{
  const PetscScalar *memory = NULL;
  EXPECT_MSG(is_writable(vector) == !(wants_lock && keeps_locks()), "%s", why);
  EXPECT_MSG(!VecGetArrayRead(vector, &memory) && !VecRestoreArrayRead(vector, &memory), "%s: cannot be read",
             why);
}

static const struct lock_row {
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

/* Checks the lock of each vector after whatever was done to the view. */
static void check_locks(const struct lock_row *row, const any_view *v)
{
  if (v->kind == VECTOR) {
    Vec local = NULL; /* the local form, which has the ghosts, or NULL */
    check_lock(row->why, v->vector.vec, row->locked);
    EXPECT(!VecGhostGetLocalForm(v->vector.vec, &local));
    if (local) check_lock(row->why, local, row->locked);
    EXPECT(!VecGhostRestoreLocalForm(v->vector.vec, &local));
    return;
  }
  check_lock(row->why, v->field.global, row->locked);
  check_lock(row->why, v->field.local, row->locked);
}

static void check_locked_row(const struct lock_row *row, any_kind kind, case_cut cut)
{
  const live_row array = {.layout = {"rows", 2, {24, 5}, FIRST_AXIS, .cut = {cut}, .halo = {1}}};
  live a;
  dap_error err;
  any_view v = {.kind = kind};
  any_share(&v, row->sharing);
  live_make_row(&a, &array);
  EXPECT_OK(any_get(MPI_COMM_WORLD, &v, (dap_darray){a.layout, &a.array}, row->access, &err), &err);
  check_locks(row, &v);
  if (row->access & DAP_READ) EXPECT_OK(any_do(&v, LOAD, &err), &err);
  check_locks(row, &v); /* a load writes to copies, and locks them again */
  if (row->access & DAP_WRITE) EXPECT_OK(any_do(&v, STORE, &err), &err);
  check_locks(row, &v);
  Vec kept = kind == VECTOR ? v.vector.vec : v.field.global;
  EXPECT(!PetscObjectReference((PetscObject)kept));
  EXPECT_OK(any_do(&v, RESTORE, &err), &err);
  if (row->sharing == DAP_SHARE_NEVER) check_lock("a copy that outlives its view", kept, false);
  EXPECT(!VecDestroy(&kept));
  live_free(&a);
  SETTLE();
}

static void locks_of_fields_and_vectors(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
    for (int ghosts = 0; ghosts < 2; ghosts++)
      check_locked_row(&views[i], VECTOR, ghosts ? CUT_GHOSTS_BEHIND : CUT_EVEN);
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) check_locked_row(&views[i], FIELD, CUT_EVEN);
}

/* A vector that is locked on all processes can be imported for reading. Afterwards it is locked exactly as
 * before. */
static void check_import(bool locked)
{
  dap_array array;
  dap_error err;
  Vec vector;
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 4, PETSC_DETERMINE, &vector) && !VecSet(vector, 3));
  if (locked) EXPECT(!VecLockReadPush(vector));
  EXPECT_OK(dap_petsc_vector_import(vector, &array, NULL, &err), &err);
  EXPECT_MSG(array.readonly == (locked && keeps_locks()), "read-only: %d", array.readonly);
  EXPECT(((const PetscScalar *)array.data)[3] == 3);
  dap_array_release(&array);
  check_lock(locked ? "locked before" : "not locked", vector, locked);
  if (locked) EXPECT(!VecLockReadPop(vector));
  check_lock("unlocked again", vector, false);
  EXPECT(!VecDestroy(&vector));
  SETTLE();
}

static void locks_of_imports(void **state)
{
  (void)state;
  check_import(false);
  check_import(true);
}

/* ---- nothing ------------------------------------------------------------------------------------------- */

/* Restores views that do not exist, which must do nothing. */
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
    cmocka_unit_test(half_of_the_processes),
    cmocka_unit_test(needs_only_the_buffer),
    cmocka_unit_test(gives_whole_vectors),
    cmocka_unit_test(moves_where_one_must),
    cmocka_unit_test(norms_where_a_process_has_no_points),
    cmocka_unit_test(a_kept_dm_and_another_index),
    cmocka_unit_test(x_stays_the_axis_that_it_was),
    cmocka_unit_test(locks_of_fields_and_vectors),
    cmocka_unit_test(locks_of_imports),
    cmocka_unit_test(restores_nothing),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
