/* The life of a vector: a communicator of its own, a scatter, solvers' uses, plans that are kept, a scalar.
 * */
#include "live.h"

#include <dapbridge/log.h>
#include <petscmat.h>

static const live_row block = {.layout = {"block", 1, .size = {24}}};
static const live_row padded = {.layout = {"padded", 1, {24}, .halo = {1}}};
static const live_row unstructured = {.layout = {"lists", 1, {40}, .cut = {CUT_LOTS}}};
static const live_row ghosted = {.layout = {"lists with ghosts", 1, {40}, .cut = {CUT_LOTS_BEHIND}}};
static const live_row columns = {.layout = {"columns", 2, .size = {5, 18}, .axes = SECOND_AXIS}};
static const live_row reordered = {
    .layout = {"rotated", 1, {24}, .cut = {CUT_ROTATED_BLOCK}, .shuffled = true}};

static PetscScalar scalar_of(int64_t index)
{
  PetscScalar value;
  value_of(scalar_dtype(), index, &value);
  return value;
}

static dap_status get(const live *a, dap_access access, dap_petsc_vector *view, dap_error *err)
{
  return dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){a->layout, &a->array}, access, NULL, view, err);
}

static PetscReal norm_of(Vec vec)
{
  PetscReal norm = -1;
  EXPECT(!VecNorm(vec, NORM_1, &norm));
  return norm;
}

/* ---- tests ------------------------------------------------------------------------------------------- */

/* Must be the first test. */
static void needs_no_communicator(void **state)
{
  live a;
  dap_petsc_vector view;
  dap_error err;
  MPI_Comm comm;
  petsc_is_initialised(state);
  live_make_row(&a, &block);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const dap_darray array = {a.layout, &a.array};
  EXPECT_OK(dap_petsc_vector_get(comm, array, DAP_READ_WRITE, NULL, &view, &err), &err);
  MPI_Comm_free(&comm);                   /* the view has its own */
  memset(&a.array, 0xEE, sizeof a.array); /* and what it needs of the array */
  EXPECT(!VecScale(view.vec, 1));
  dap_layout_destroy(&a.layout);
  EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
  live_free(&a);
  SETTLE();
}

/* Each process fetches the elements that the next ones have, by the AO, and adds to them. */
static void scatters(void **state)
{
  (void)state;
  live a;
  dap_petsc_vector view;
  dap_error err;
  enum { SIZE = 40, COUNT = 13 };
  PetscInt entries[COUNT];
  IS wanted;
  Vec local;
  VecScatter scatter;
  PetscScalar *memory;
  live_make_row(&a, &unstructured);
  if (!EXPECT_OK(get(&a, DAP_READ_WRITE, &view, &err), &err)) return;
  EXPECT(view.shared && view.ao);
  for (int i = 0; i < COUNT; i++) entries[i] = (7 * i + 3 * test_rank()) % SIZE;
  EXPECT(!AOApplicationToPetsc(view.ao, COUNT, entries));
  EXPECT(!ISCreateGeneral(MPI_COMM_WORLD, COUNT, entries, PETSC_COPY_VALUES, &wanted));
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, COUNT, &local));
  EXPECT(!VecScatterCreate(view.vec, wanted, local, NULL, &scatter));
  EXPECT(!VecScatterBegin(scatter, view.vec, local, INSERT_VALUES, SCATTER_FORWARD));
  EXPECT(!VecScatterEnd(scatter, view.vec, local, INSERT_VALUES, SCATTER_FORWARD));
  EXPECT(!VecGetArray(local, &memory));
  for (int i = 0; i < COUNT; i++) {
    EXPECT(memory[i] == scalar_of((7 * i + 3 * test_rank()) % SIZE));
    memory[i] = 1000;
  }
  EXPECT(!VecRestoreArray(local, &memory));
  EXPECT(!VecScatterBegin(scatter, local, view.vec, ADD_VALUES, SCATTER_REVERSE));
  EXPECT(!VecScatterEnd(scatter, local, view.vec, ADD_VALUES, SCATTER_REVERSE));
  EXPECT(!VecScatterDestroy(&scatter) && !VecDestroy(&local) && !ISDestroy(&wanted));
  EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
  LIVE_EACH(&a, p)
  {
    PetscScalar want = scalar_of(p.walk.flat);
    for (int r = 0; r < test_nprocs(); r++)
      for (int j = 0; j < COUNT; j++)
        if ((7 * j + 3 * r) % SIZE == p.walk.flat) want += 1000;
    EXPECT_MSG(*(PetscScalar *)(void *)p.at == want, "element %d", (int)p.walk.flat);
  }
  live_free(&a);
  SETTLE();
}

/* Positions in a process's own list are local indices, in blocks too. */
static void maps_local_positions(void **state)
{
  (void)state;
  const int64_t n = 4, procs = test_nprocs();
  int64_t memory[32][4], lengths[32];
  const int64_t *indices[32];
  live a;
  dap_petsc_vector view;
  dap_error err;
  for (int64_t c = 0; c < procs; c++) {
    lengths[c] = n;
    indices[c] = memory[c];
    for (int64_t i = 0; i < n; i++) memory[c][i] = (n - 1 - i) * procs + c;
  }
  const dap_dist dist = dap_dist_unstructured(n * procs, (int)procs, lengths, indices);
  live_make_cut(&a, 1, &dist, FORM_C);
  const PetscScalar *found = a.array.data;
  for (int64_t size = 1; size <= 4; size *= 2) {
    const dap_petsc_vector_options options = {.block_size = size};
    const dap_darray array = {a.layout, &a.array};
    EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_WRITE, &options, &view, &err), &err);
    EXPECT(view.shared && view.ao);
    const PetscInt last = (PetscInt)(n - 1), first_block = 0;
    const PetscScalar value = scalar_of(size), whole[4] = {1, 2, 3, 4};
    EXPECT(!VecSetValuesBlockedLocal(view.vec, 1, &first_block, whole, INSERT_VALUES));
    EXPECT(!VecAssemblyBegin(view.vec) && !VecAssemblyEnd(view.vec));
    if (size < 4) EXPECT(!VecSetValuesLocal(view.vec, 1, &last, &value, INSERT_VALUES));
    EXPECT(!VecAssemblyBegin(view.vec) && !VecAssemblyEnd(view.vec));
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
    for (int64_t i = 0; i < size; i++) EXPECT(found[i] == whole[i]);
    if (size < 4) EXPECT(found[last] == value);
  }
  live_free(&a);
  SETTLE();
}

/* As a right-hand side and an unknown: a matrix with the vector's sizes. */
static void works_with_a_matrix(void **state)
{
  (void)state;
  static const live_row *const rows[] = {&block, &columns, &unstructured, &ghosted};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    live a;
    dap_petsc_vector view;
    dap_error err;
    Mat matrix;
    PetscInt n = 0, start = 0, stop = 0;
    TEST_CASE("%s", rows[i]->layout.why);
    live_make_row(&a, rows[i]);
    if (!EXPECT_OK(get(&a, DAP_READ_WRITE, &view, &err), &err)) return;
    const PetscReal before = norm_of(view.vec);
    Vec product;
    EXPECT(!VecGetLocalSize(view.vec, &n) && !VecGetOwnershipRange(view.vec, &start, &stop));
    EXPECT(!MatCreateAIJ(PetscObjectComm((PetscObject)view.vec), n, n, PETSC_DETERMINE, PETSC_DETERMINE, 1,
                         NULL, 0, NULL, &matrix));
    for (PetscInt r = start; r < stop; r++) EXPECT(!MatSetValue(matrix, r, r, 3, INSERT_VALUES));
    EXPECT(!MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    EXPECT(!VecDuplicate(view.vec, &product) && !MatMult(matrix, view.vec, product));
    EXPECT(!VecCopy(product, view.vec));
    EXPECT(PetscAbsReal(norm_of(view.vec) - 3 * before) <= 1e-6 * before);
    EXPECT(!VecDestroy(&product) && !MatDestroy(&matrix));
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
    /* The next view of the same memory knows nothing of old norms. */
    EXPECT_OK(get(&a, DAP_READ, &view, &err), &err);
    EXPECT(PetscAbsReal(norm_of(view.vec) - 3 * before) <= 1e-6 * before);
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
    live_free(&a);
    SETTLE();
  }
}

static void count_kept(void *context, const char *line)
{
  if (strstr(line, "vector got by plans that were kept")) ++*(int *)context;
}

/* The second vector of a kind comes by the plans of the first, shared or moved, and has all elements. */
static void keeps_plans(void **state)
{
  (void)state;
  static const live_row *const rows[] = {&block, &padded, &unstructured, &ghosted, &columns, &reordered};
  for (int i = 0; i < 12; i++) {
    live a;
    dap_petsc_vector views[2];
    const dap_petsc_vector_options options = {.sharing = i % 2 ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
    dap_error err;
    int kept = 0;
    TEST_CASE("%s, %d", rows[i / 2]->layout.why, i % 2);
    live_make_row(&a, rows[i / 2]);
    const dap_darray array = {a.layout, &a.array};
    dap_log_set(count_kept, &kept);
    for (int k = 0; k < 2; k++)
      EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_READ, &options, &views[k], &err), &err);
    dap_log_set(NULL, NULL);
    EXPECT_MSG(kept >= 1, "the second made plans of its own");
    PetscReal sums[2] = {norm_of(views[0].vec), norm_of(views[1].vec)};
    EXPECT(sums[0] > 0 && sums[0] == sums[1] && views[0].shared == views[1].shared);
    for (int k = 0; k < 2; k++) EXPECT_OK(dap_petsc_vector_restore(&views[k], &err), &err);
    live_free(&a);
    SETTLE();
  }
}

/* Of a scalar, on one process. */
static void takes_a_scalar(void **state)
{
  (void)state;
  PetscScalar value = 5;
  dap_layout *layout;
  dap_petsc_vector view;
  dap_error err;
  const dap_array array = {
      .abi = DAP_ARRAY_ABI, .version = "0.10.0", .dtype = scalar_dtype(), .data = &value};
  EXPECT_OK(dap_layout_create(0, NULL, &layout, &err), &err);
  for (int never = 0; never < 2; never++) {
    const dap_petsc_vector_options options = {.sharing = never ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
    EXPECT_OK(dap_petsc_vector_get(MPI_COMM_SELF, (dap_darray){layout, &array}, DAP_READ_WRITE, &options,
                                   &view, &err),
              &err);
    EXPECT(view.shared == !never && !VecScale(view.vec, 2));
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
  }
  EXPECT(value == (PetscScalar)20);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(needs_no_communicator), cmocka_unit_test(scatters),
    cmocka_unit_test(maps_local_positions),  cmocka_unit_test(works_with_a_matrix),
    cmocka_unit_test(keeps_plans),           cmocka_unit_test(takes_a_scalar),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
