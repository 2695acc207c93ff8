/* Tests the life of vectors. PETSc's updates of ghosts, in both directions, must leave the same elements in
 * the array's buffer as the library's updates. The tests also cover plans that are kept for equal layouts
 * unless one broke, local positions, and a scalar. */
#include "live.h"

/* clang-format off */
static const live_row rows[] = {
  {.layout = {"lists", 1, {41}, .cut = {CUT_LOTS_BEHIND}}},
  {.layout = {"lists, ranks in another order, assembled", 1, {41}, .cut = {CUT_LOTS_BEHIND}, .shuffled = true,
   .assembled = true}},
  {.layout = {"ranges", 1, {41}, .cut = {CUT_GHOSTS_BEHIND}}},
  {.layout = {"fewer nodes than processes", 1, {2}, .cut = {CUT_GHOSTS_BEHIND}}},
  {{"components in blocks", 2, {31, 3}, FIRST_AXIS, .cut = {CUT_LOTS_BEHIND}}, .vector = {.block_size = 3}},
  {{"nodes last, F order of both", 2, {3, 31}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_GHOSTS_BEHIND}},
   .form = FORM_F, .vector = {.order = DAP_ORDER_F}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- MPI, with each process on a node of its own where a test asks for it, and a wait that fails -------
 * In parentheses where PETSc has a macro of that name. */

static bool are_apart, waits_fail;

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  return are_apart ? PMPI_Comm_split(comm, test_rank(), key, made)
                   : PMPI_Comm_split_type(comm, type, key, info, made);
}

int(MPI_Testall)(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  const int code = PMPI_Testall(count, requests, flag, statuses);
  const bool no = waits_fail && *flag;
  if (no) waits_fail = false;
  return no ? MPI_ERR_OTHER : code;
}

/* ---- one view ------------------------------------------------------------------------------------------ */

static bool get(MPI_Comm comm, const live *a, const live_row *row, dap_access access, dap_petsc_vector *v)
{
  dap_error err;
  const dap_darray array = {a->layout, &a->array};
  return EXPECT_OK(dap_petsc_vector_get(comm, array, access, &row->vector, v, &err), &err);
}

static bool has_form(Vec vec)
{
  Vec local = NULL;
  EXPECT(!VecGhostGetLocalForm(vec, &local));
  const bool has = local && local != vec;
  EXPECT(!VecGhostRestoreLocalForm(vec, &local));
  return has;
}

/* Returns a number that only this process has. */
static void put_in_ghosts(const live *a, PetscReal number)
{
  const PetscScalar value = number;
  LIVE_EACH(a, p)
  if (!p.owned) memcpy(p.at, &value, sizeof value);
}

/* ---- updates ------------------------------------------------------------------------------------------- */

/* Lets PETSc add the same ghosts in a vector of its own. */
static void add_by_petsc(const dap_petsc_vector *v, Vec *sums)
{
  Vec from = NULL, to = NULL;
  EXPECT(!VecDuplicate(v->vec, sums));
  EXPECT(!VecGhostGetLocalForm(v->vec, &from) && !VecGhostGetLocalForm(*sums, &to) && !VecCopy(from, to));
  EXPECT(!VecGhostRestoreLocalForm(v->vec, &from) && !VecGhostRestoreLocalForm(*sums, &to));
  EXPECT(!VecGhostUpdateBegin(*sums, ADD_VALUES, SCATTER_REVERSE));
  EXPECT(!VecGhostUpdateEnd(*sums, ADD_VALUES, SCATTER_REVERSE));
}

static void check_reverse(const live *a, dap_petsc_vector *v, dap_padding padding)
{
  Vec sums = NULL;
  PetscBool same = PETSC_FALSE;
  dap_error err;
  put_in_ghosts(a, 2 + test_rank());
  live_check_norm(v->vec);
  add_by_petsc(v, &sums);
  EXPECT_OK(dap_petsc_vector_halo_reverse(v, DAP_COMBINE_NONE, padding, &err), &err);
  EXPECT(!VecEqual(sums, v->vec, &same) && same && !VecDestroy(&sums));
  live_check_norm(v->vec);
}

static void updates(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    live a;
    dap_petsc_vector v;
    TEST_CASE("%s", rows[i].layout.why);
    live_make_row(&a, &rows[i]);
    if (get(MPI_COMM_WORLD, &a, &rows[i], DAP_READ_WRITE, &v)) {
      EXPECT(v.shared && has_form(v.vec) == (test_nprocs() > 1));
      live_check(&a, BEFORE, BEFORE, BEFORE, PADDING_POISON);
      if (has_form(v.vec)) {
        EXPECT(!VecGhostUpdateBegin(v.vec, INSERT_VALUES, SCATTER_FORWARD));
        EXPECT(!VecGhostUpdateEnd(v.vec, INSERT_VALUES, SCATTER_FORWARD));
        live_check(&a, BEFORE, BEFORE, BEFORE, PADDING_FILLED);
        for (int padding = DAP_PADDING_KEEP; padding <= DAP_PADDING_REFRESH; padding++)
          check_reverse(&a, &v, (dap_padding)padding);
      }
      EXPECT_OK(dap_petsc_vector_discard(&v, NULL), NULL);
    }
    live_free(&a);
    SETTLE();
  }
}

/* ---- kept plans ---------------------------------------------------------------------------------------- */

static const char kept_plans[] = "vector got by plans that were kept";

/* The second vector of a kind uses the plans of the first, and must have all elements, whether shared or
 * moved. */
static void keeps_plans(void **state)
{
  (void)state;
  static const case_layout layouts[] = {{"a line", 1, {24}, .cut = {CUT_EVEN}},
                                        {"padded", 1, {24}, .halo = {1}},
                                        {"lists", 1, {40}, .cut = {CUT_LOTS}},
                                        {"lists with ghosts", 1, {40}, .cut = {CUT_LOTS_BEHIND}},
                                        {"columns", 2, .size = {5, 18}, .axes = SECOND_AXIS},
                                        {"rotated", 1, {24}, .cut = {CUT_ROTATED_BLOCK}, .shuffled = true}};
  for (int i = 0; i < 12; i++) {
    live a;
    dap_petsc_vector views[2];
    const dap_petsc_vector_options options = {.sharing = i % 2 ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
    dap_error err;
    int kept = 0;
    TEST_CASE("%s, %d", layouts[i / 2].why, i % 2);
    const live_row row = {.layout = layouts[i / 2]};
    live_make_row(&a, &row);
    const dap_darray array = {a.layout, &a.array};
    live_count_lines(&kept, kept_plans);
    for (int k = 0; k < 2; k++)
      EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_READ, &options, &views[k], &err), &err);
    live_count_lines(NULL, NULL);
    EXPECT_MSG(kept >= 1, "the second made plans of its own");
    EXPECT(views[0].shared == views[1].shared);
    for (int k = 0; k < 2; k++) live_visit(&a, &views[k], CHECK, BEFORE);
    for (int k = 0; k < 2; k++) EXPECT_OK(dap_petsc_vector_restore(&views[k], &err), &err);
    live_free(&a);
    SETTLE();
  }
}

/* Layouts with the same owners are equal, whether owners were given or not. Vectors have a local form only if
 * owners were given. */
static void owners_given_or_not(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    static random_memory memory;
    test_random random = test_random_init(5);
    dap_dist dist = cut_axis(CUT_LOTS, 41, test_nprocs(), 0, &random, &memory);
    live a;
    dap_petsc_vector v;
    TEST_CASE("%d", i);
    if (i % 2) dist.owned = memory.lengths;
    live_make_cut(&a, 1, &dist, FORM_C);
    if (get(MPI_COMM_WORLD, &a, &rows[0], DAP_READ, &v)) {
      EXPECT(has_form(v.vec) == (i % 2 && test_nprocs() > 1));
      live_check_places(&a, &v);
      EXPECT_OK(dap_petsc_vector_restore(&v, NULL), NULL);
    }
    live_free(&a);
    SETTLE();
  }
}

/* The first of four views of one kind makes a plan, and the second breaks it. The third must make another
 * one, which the fourth uses. */
static void broken_plans_are_not_kept(void **state)
{
  (void)state;
  static const bool is_kept[] = {false, true, false, true};
  MPI_Comm comm;
  live a;
  if (test_nprocs() == 1) return;
  are_apart = true;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  live_make_row(&a, &rows[0]);
  for (int i = 0; i < 4; i++) {
    dap_petsc_vector v;
    dap_error err = {0};
    int kept = 0;
    TEST_CASE("view %d", i);
    live_count_lines(&kept, kept_plans);
    const bool is_got = get(comm, &a, &rows[0], DAP_READ_WRITE, &v);
    live_count_lines(NULL, NULL);
    EXPECT_INT(kept, is_kept[i]);
    if (!is_got) continue;
    live_fill(&a, i);
    put_in_ghosts(&a, 0);
    waits_fail = i == 1 && test_rank() == 0;
    const dap_status s = dap_petsc_vector_halo_reverse(&v, DAP_COMBINE_SUM, DAP_PADDING_KEEP, &err);
    EXPECT(!waits_fail);
    EXPECT_FAIL(s, i == 1 ? DAP_ERR_LIBRARY : DAP_OK, &err, i == 1 ? "run of this plan" : "");
    if (!s) live_check(&a, i, i, i, PADDING_ANY);
    EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
    SETTLE();
  }
  live_free(&a);
  MPI_Comm_free(&comm);
  are_apart = false;
  SETTLE();
}

/* ---- local positions, and a scalar --------------------------------------------------------------------- */

/* Positions in a process's own list are local indices, also in blocks. */
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
    const PetscScalar value = (PetscReal)size, whole[4] = {1, 2, 3, 4};
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

/* Makes a vector of a scalar, on one process. */
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
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(updates),
    cmocka_unit_test(keeps_plans),
    cmocka_unit_test(owners_given_or_not),
    cmocka_unit_test(broken_plans_are_not_kept),
    cmocka_unit_test(maps_local_positions),
    cmocka_unit_test(takes_a_scalar),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
