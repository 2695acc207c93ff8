/* Reverse updates of vectors of nodes with ghosts: the largest and the smallest, by a model of the tests'
 * own; arguments that differ between processes; and plans that are kept, of which one breaks. */
#include <dapbridge/log.h>

#include "ghosts_test.h"

/* clang-format off */
static const ghost_row rows[] = {
  {"random owners", 41, .want = GHOSTED},
  {"the lowest that has a node owns it, components", 29, 3, .owners = LOWEST, .want = GHOSTED},
  {"all have all, each owns some", 23, .share = ALL, .want = GHOSTED},
  {"ghosts ahead: a copy", 41, .owners = FLAGS, .place = AHEAD, .want = COPIED},
  {"a copy", 41, .options = {.sharing = DAP_SHARE_NEVER}, .want = COPIED},
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

/* ---- numbers ------------------------------------------------------------------------------------------ */

static int number_at(int coord, int64_t node, int64_t j, int salt)
{
  test_random random = {.state =
                            (uint64_t)coord * 7919 + (uint64_t)node * 104729 + (uint64_t)(j + salt * 1009)};
  return (int)test_random_int(&random, -50, 50);
}

/* Every position, owned or not, has a number of its own. */
static void fill(const ghost_trial *t, int salt)
{
  for (int64_t p = 0; p < t->model.lengths[t->coord]; p++)
    for (int64_t j = 0; j < t->inner; j++) {
      const PetscScalar value = number_at(t->coord, t->model.lists[t->coord][p], j, salt);
      memcpy(t->first + p * t->step + j * t->within, &value, sizeof value);
    }
}

/* What all that hold an entry make of it: they are few, and sums of small integers are exact. */
static int combined(const ghost_trial *t, dap_combine how, int64_t node, int64_t j, int salt)
{
  int value = how == DAP_COMBINE_SUM ? 0 : how == DAP_COMBINE_MAX ? -1000 : 1000;
  for (int c = 0; c < t->model.procs; c++)
    for (int64_t p = 0; p < t->model.lengths[c]; p++) {
      const int number = number_at(c, node, j, salt);
      if (t->model.lists[c][p] != node) continue;
      value = how == DAP_COMBINE_SUM                         ? value + number
              : (how == DAP_COMBINE_MAX) == (number > value) ? number
                                                             : value;
    }
  return value;
}

/* After a run; or of one that was refused, all as it was filled. */
static void check(const ghost_trial *t, bool has_run, dap_combine how, dap_padding padding, int salt)
{
  for (int64_t p = 0; p < t->model.lengths[t->coord]; p++)
    for (int64_t j = 0; j < t->inner; j++) {
      const int64_t node = t->model.lists[t->coord][p];
      const bool owned = t->model.flags[t->coord][p];
      const int before = number_at(t->coord, node, j, salt), after = combined(t, how, node, j, salt);
      const int want = !has_run                                  ? before
                       : owned || padding == DAP_PADDING_REFRESH ? after
                       : padding == DAP_PADDING_CLEAR            ? 0
                                                                 : before;
      PetscScalar found;
      memcpy(&found, t->first + p * t->step + j * t->within, sizeof found);
      EXPECT_MSG(found == (PetscScalar)want, "%s node %d, component %d: %g, not %d",
                 owned ? "owned" : "ghost", (int)node, (int)j, (double)PetscRealPart(found), want);
    }
}

static dap_status get(MPI_Comm comm, const ghost_trial *t, dap_petsc_vector *v, dap_error *err)
{
  return dap_petsc_vector_get(comm, (dap_darray){t->layout, &t->array}, DAP_READ_WRITE, &t->options, v, err);
}

/* ---- the largest, the smallest ------------------------------------------------------------------------ */

static void try_extremes(const ghost_trial *t, dap_petsc_vector *v)
{
  for (int i = 0; i < 6; i++) {
    const dap_combine how = i % 2 ? DAP_COMBINE_MIN : DAP_COMBINE_MAX;
    const dap_padding padding = (dap_padding)(i / 2);
    dap_error err = {0};
    TEST_CASE("%s: combine %d, padding %d", t->row->why, (int)how, (int)padding);
    fill(t, i);
    const dap_status s = dap_petsc_vector_halo_reverse(v, how, padding, &err);
    const bool is_complex = PetscDefined(USE_COMPLEX);
    expect_same_error(MPI_COMM_WORLD, s, &err, is_complex ? DAP_ERR_ARG : DAP_OK,
                      i % 2 ? "no smallest" : "no largest");
    check(t, !is_complex, how, padding, i);
  }
}

static void extremes(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    ghost_trial t;
    dap_petsc_vector v;
    dap_error err = {0};
    TEST_CASE("%s", rows[i].why);
    ghosts_make(&t, &rows[i], (uint64_t)i);
    if (EXPECT_OK(get(MPI_COMM_WORLD, &t, &v, &err), &err)) {
      try_extremes(&t, &v);
      EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
    }
    ghosts_free(&t);
    SETTLE();
  }
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

typedef struct argument {
  dap_combine combine;
  dap_padding padding;
} argument;

/* One process, the first or the last, asks for something else. */
static void arguments_differ(void **state)
{
  (void)state;
  static const struct {
    argument one, others;
    const char *parts;
  } pairs[] = {
      {{DAP_COMBINE_SUM, DAP_PADDING_KEEP}, {DAP_COMBINE_SUM, DAP_PADDING_CLEAR}, "padding|not the same"},
      {{DAP_COMBINE_SUM, DAP_PADDING_REFRESH}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "padding|not the same"},
      {{DAP_COMBINE_MAX, DAP_PADDING_KEEP}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "combine|not the same"},
      {{(dap_combine)9, DAP_PADDING_KEEP}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "combine 9"},
      {{DAP_COMBINE_SUM, (dap_padding)-1}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "padding -1"}};
  const int n = test_nprocs();
  for (int i = 0; i < ROWS && n > 1; i++) {
    ghost_trial t;
    dap_petsc_vector v;
    dap_error err = {0};
    ghosts_make(&t, &rows[i], (uint64_t)i);
    if (EXPECT_OK(get(MPI_COMM_WORLD, &t, &v, &err), &err)) {
      fill(&t, i);
      for (int pair = 0; pair < 2 * (int)(sizeof pairs / sizeof pairs[0]); pair++) {
        const bool is_one = test_rank() == (pair % 2 ? n - 1 : 0);
        const argument a = is_one ? pairs[pair / 2].one : pairs[pair / 2].others;
        TEST_CASE("%s: pair %d", rows[i].why, pair);
        const dap_status s = dap_petsc_vector_halo_reverse(&v, a.combine, a.padding, &err);
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, pairs[pair / 2].parts);
        check(&t, false, DAP_COMBINE_SUM, DAP_PADDING_KEEP, i);
      }
      EXPECT_OK(dap_petsc_vector_halo_reverse(&v, DAP_COMBINE_SUM, DAP_PADDING_CLEAR, &err), &err);
      check(&t, true, DAP_COMBINE_SUM, DAP_PADDING_CLEAR, i);
      EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
    }
    ghosts_free(&t);
    SETTLE();
  }
}

/* ---- kept plans --------------------------------------------------------------------------------------- */

static void count_kept(void *context, const char *line)
{
  if (strstr(line, "vector got by plans that were kept")) ++*(int *)context;
}

/* The second of four views of one kind breaks the plan that the first has made: the third makes another,
 * which serves the fourth. */
static void broken_plans_are_not_kept(void **state)
{
  (void)state;
  static const bool is_kept[] = {false, true, false, true};
  MPI_Comm comm;
  ghost_trial t;
  if (test_nprocs() == 1) return;
  are_apart = true;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  ghosts_make(&t, &rows[0], 7);
  for (int i = 0; i < 4; i++) {
    dap_petsc_vector v;
    dap_error err = {0};
    int kept = 0;
    TEST_CASE("view %d", i);
    dap_log_set(count_kept, &kept);
    const bool is_got = EXPECT_OK(get(comm, &t, &v, &err), &err);
    dap_log_set(NULL, NULL);
    EXPECT_INT(kept, is_kept[i]);
    if (!is_got) continue;
    fill(&t, i);
    waits_fail = i == 1 && test_rank() == 0;
    const dap_status s = dap_petsc_vector_halo_reverse(&v, DAP_COMBINE_SUM, DAP_PADDING_KEEP, &err);
    EXPECT(!waits_fail);
    EXPECT_FAIL(s, i == 1 ? DAP_ERR_LIBRARY : DAP_OK, &err, i == 1 ? "run of this plan" : "");
    if (!s) check(&t, true, DAP_COMBINE_SUM, DAP_PADDING_KEEP, i);
    EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
    SETTLE();
  }
  ghosts_free(&t);
  MPI_Comm_free(&comm);
  are_apart = false;
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),     cmocka_unit_test(extremes),
    cmocka_unit_test(arguments_differ), cmocka_unit_test(broken_plans_are_not_kept),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
