/* Tests fields on the DMDA of an earlier field. Any number of views must get the same plans back, until the
 * DMDA ends. */
#include "live.h"

#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED
#define STRIPPED .strip_periodic = true
#define NEVER .sharing = DAP_SHARE_NEVER

/* clang-format off */
static const live_row homes[] = {
  {.layout = {"1-D, both shared", 1, {17}, .halo = {1}}},
  {.layout = {"2-D, local shared", 2, {11, 13}, .halo = {1, 1}}},
  {.layout = {"2-D, ranks in an order of their own", 2, {11, 13}, .halo = {1, 1}, .shuffled = true}},
  {{"2-D, a copy asked for, star", 2, {11, 13}, .halo = {1, 1}}, .options = {NEVER, .star = true}},
  {{"2-D, cyclic rows", 2, {13, 6}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, .options = {.width = 1}},
  {{"2-D, boundary ghost points", 2, {13, 15}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}},
   .options = {GHOSTED}},
  {{"2-D, stripped", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {true, true}},
   .options = {STRIPPED}},
  {.layout = {"3-D", 3, {7, 6, 8}, .halo = {1, 1, 1}}},
};
/* clang-format on */

static void make(live *a, const live_row *row)
{
  live_make_row(a, row);
  a->options.vectors = BOTH;
}

/* Gets the field, and checks everything that came in. */
static bool get(live *a, dap_access access, int64_t shift)
{
  dap_error err;
  if (!EXPECT_OK(live_get(a, access, &err), &err)) return false;
  live_check_memory(a);
  if (access & DAP_READ) live_check_vectors(a, shift);
  return true;
}

/* Writes if the access allows it, restores, and checks everything that went out. */
static void restore(live *a, dap_access access, int64_t before, int64_t after)
{
  if (access & DAP_WRITE) live_solve(a, after);
  const bool edges = a->options.vectors & DAP_PETSC_LOCAL;
  live_restore(a);
  if (access & DAP_WRITE)
    live_check(a, after, after, edges ? after : before, PADDING_FILLED);
  else
    live_check(a, before, before, before, PADDING_ANY);
}

static DM keep(const live *a)
{
  EXPECT(!PetscObjectReference((PetscObject)a->field.dm));
  return a->field.dm;
}

/* Returns what views of one kind on one DMDA share. A live view holds it, so nothing else can have its
 * address. */
static const void *form_of(const live *a)
{
  return a->field.handle.view->form;
}

/* Gets a field, and returns how many plans were made for it; -1: it was refused. */
static int get_counted(live *a, dap_access access, int64_t shift)
{
  int plans;
  live_count_lines(&plans, "plan:");
  const bool well = get(a, access, shift);
  live_count_lines(NULL, NULL);
  return well ? plans : -1;
}

/* ---- the same form ----------------------------------------------------------------------------------- */

/* Checks that nothing is planned again. While a witness holds the form, its address must be the same too. */
static void come_back(const live_row *row, int rounds)
{
  live a, witness;
  TEST_CASE("%s; %d times", row->layout.why, rounds);
  make(&a, row);
  make(&witness, row);
  const int made = get_counted(&a, DAP_READ_WRITE, BEFORE);
  EXPECT(made > 0 || test_nprocs() == 1); /* the log tells of plans */
  if (!a.field.dm) return;
  const dap_petsc_field first = a.field;
  DM dm = keep(&a);
  restore(&a, DAP_READ_WRITE, BEFORE, AFTER);
  a.options.dm = witness.options.dm = dm;
  for (int round = 1; round <= rounds; round++) {
    const int64_t before = round * 1000, after = AFTER + before;
    live_fill(&a, before);
    const int plans = get_counted(&a, DAP_READ_WRITE, before);
    EXPECT_INT(plans, 0);
    if (plans < 0) break;
    if (round == rounds / 2) EXPECT_INT(get_counted(&witness, DAP_READ_WRITE, BEFORE), 0);
    EXPECT(a.field.dm == dm && (round < rounds / 2 || form_of(&a) == form_of(&witness)));
    EXPECT(a.field.shared_global == first.shared_global && a.field.shared_local == first.shared_local);
    EXPECT(strcmp(a.field.reason_global, first.reason_global) == 0);
    EXPECT(strcmp(a.field.reason_local, first.reason_local) == 0);
    EXPECT_INT(a.field.moved_bytes, first.moved_bytes);
    restore(&a, DAP_READ_WRITE, before, after);
  }
  if (witness.field.dm) restore(&witness, DAP_READ_WRITE, BEFORE, AFTER);
  EXPECT(!DMDestroy(&dm));
  live_free(&a);
  live_free(&witness);
  SETTLE();
}

static void the_same_array_again(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++) come_back(&homes[i], i < 2 ? 9 : 2);
}

/* Ends two live views of one DMDA, and the reference to it, in every order. */
static void two_views_at_once(void **state)
{
  (void)state;
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++)
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
      live view[2];
      TEST_CASE("%s; order %d", homes[i].layout.why, (int)o);
      if (test_nprocs() > 2 && (i + o) % 3) continue;
      make(&view[0], &homes[i]);
      make(&view[1], &homes[i]);
      live_fill(&view[1], LATER);
      if (!get(&view[0], DAP_READ_WRITE, BEFORE)) continue;
      DM dm = keep(&view[0]);
      view[1].options.dm = dm;
      if (!get(&view[1], DAP_READ_WRITE, LATER)) continue;
      EXPECT(view[1].field.dm == dm && form_of(&view[1]) == form_of(&view[0]));
      live_check_vectors(&view[0], BEFORE);
      for (int step = 0; step < 3; step++) {
        const int what = orders[o][step];
        if (what == 2) EXPECT(!DMDestroy(&dm));
        if (what < 2) restore(&view[what], DAP_READ_WRITE, what ? LATER : BEFORE, AFTER + LATER * what);
      }
      live_free(&view[0]);
      live_free(&view[1]);
      SETTLE();
    }
}

/* ---- other forms ------------------------------------------------------------------------------------- */

typedef struct use {
  const char *why;
  dap_access access;
  unsigned vectors;
  test_form form;
  live_bytes bytes;
  dap_sharing sharing;
  const char *reason; /* part of why the local vector is moved, if it is */
} use;

static const use uses[] = {
    {.why = "as it was", .access = DAP_READ_WRITE, .vectors = BOTH},
    {.why = "to read", .access = DAP_READ, .vectors = BOTH},
    {.why = "to write", .access = DAP_WRITE, .vectors = BOTH},
    {.why = "the global one", .access = DAP_READ_WRITE, .vectors = DAP_PETSC_GLOBAL},
    {.why = "the local one", .access = DAP_READ_WRITE, .vectors = DAP_PETSC_LOCAL},
    {"a window", DAP_READ_WRITE, BOTH, FORM_WINDOW, NATIVE, DAP_SHARE_IF_POSSIBLE, "contiguous"},
    {"F order", DAP_READ_WRITE, BOTH, FORM_F, NATIVE, DAP_SHARE_IF_POSSIBLE, NULL},
    {"swapped", DAP_READ_WRITE, BOTH, FORM_C, SWAPPED, DAP_SHARE_IF_POSSIBLE, "other byte order"},
    {"narrow", DAP_READ_WRITE, BOTH, FORM_C, NARROW, DAP_SHARE_IF_POSSIBLE, "PetscScalar is"},
    {"a copy", DAP_READ_WRITE, BOTH, FORM_C, NATIVE, DAP_SHARE_NEVER, "asked for"},
    {"backwards", DAP_READ, BOTH, FORM_NEGATIVE, NATIVE, DAP_SHARE_IF_POSSIBLE, NULL},
    {"shared or nothing", DAP_READ_WRITE, DAP_PETSC_LOCAL, FORM_C, NATIVE, DAP_SHARE_OR_FAIL, NULL},
};
enum { USES = sizeof uses / sizeof uses[0] };

static void make_use(live *a, const use *u, DM dm)
{
  live_row row = homes[1];
  row.form = u->form;
  row.bytes = u->bytes;
  row.options.sharing = u->sharing;
  make(a, &row);
  a->options.vectors = u->vectors;
  a->options.dm = dm;
}

/* Returns how many plans were made. */
static int use_it(DM dm, const use *u, int times)
{
  live a;
  TEST_CASE("%s; %d", u->why, times);
  make_use(&a, u, dm);
  const int plans = get_counted(&a, u->access, BEFORE);
  if (plans >= 0) {
    const bool plain = u->form == FORM_C && u->bytes == NATIVE && u->sharing != DAP_SHARE_NEVER;
    EXPECT(a.field.dm == dm);
    EXPECT(!plain || !a.field.local || a.field.shared_local);
    if (u->reason) EXPECT_MSG(test_contains(a.field.reason_local, u->reason), "%s", a.field.reason_local);
    EXPECT(!u->reason || !a.field.shared_local);
    restore(&a, u->access, BEFORE, AFTER);
  }
  live_free(&a);
  SETTLE();
  return plans;
}

/* Uses more kinds of fields on two DMDAs than are kept, in several orders. One field stays live all the time.
 * */
static void many_forms(void **state)
{
  (void)state;
  live first[2];
  DM dm[2] = {NULL, NULL};
  const void *form[2] = {NULL, NULL};
  for (int d = 0; d < 2; d++) {
    make(&first[d], &homes[1]);
    if (!get(&first[d], DAP_READ_WRITE, BEFORE)) return;
    dm[d] = keep(&first[d]);
    form[d] = form_of(&first[d]);
  }
  EXPECT(dm[0] != dm[1] && form[0] != form[1]);
  static const int steps[] = {1, USES - 1, 5, 7};
  for (int order = 0; order < 4; order++)
    for (int i = 0; i < USES; i++) {
      const use *u = &uses[(1 + i * steps[order]) % USES];
      for (int d = 0; d < 2; d++) (void)use_it(dm[d], u, order);
      EXPECT_INT(use_it(dm[order % 2], u, order), 0); /* it was used just now */
      for (int d = 0; d < 2; d++) {
        live_check_vectors(&first[d], BEFORE);
        EXPECT(form_of(&first[d]) == form[d]);
      }
    }
  for (int d = 0; d < 2; d++) {
    restore(&first[d], DAP_READ_WRITE, BEFORE, AFTER);
    live_free(&first[d]);
  }
  for (int i = 0; i < 9; i++) (void)use_it(dm[0], &uses[1 + i], 9); /* all of these are kept */
  for (int i = 0; i < 9; i++) EXPECT_INT(use_it(dm[0], &uses[1 + i], 10), 0);
  for (int d = 0; d < 2; d++) EXPECT(!DMDestroy(&dm[d]));
  SETTLE();
}

/* Fields on DMDAs that nobody keeps leave room for those on one that somebody does. */
static void forms_that_are_over(void **state)
{
  (void)state;
  live first, other;
  make(&first, &homes[1]);
  make(&other, &homes[1]);
  if (!get(&first, DAP_READ_WRITE, BEFORE)) return;
  DM dm = keep(&first);
  restore(&first, DAP_READ_WRITE, BEFORE, AFTER);
  for (int i = 0; i < 40; i++) {
    const int made = get_counted(&other, DAP_READ_WRITE, i == 0 ? BEFORE : AFTER);
    EXPECT(made > 0 || test_nprocs() == 1);
    restore(&other, DAP_READ_WRITE, BEFORE, AFTER);
  }
  first.options.dm = dm;
  EXPECT_INT(get_counted(&first, DAP_READ_WRITE, AFTER), 0);
  restore(&first, DAP_READ_WRITE, AFTER, LATER);
  EXPECT(!DMDestroy(&dm));
  live_free(&first);
  live_free(&other);
  SETTLE();
}

/* Has all forms live at once, so none can be dropped. When they have ended, only the newest are kept. */
static void many_views_at_once(void **state)
{
  (void)state;
  live view[USES];
  DM dm = NULL;
  for (int i = 0; i < USES; i++) {
    TEST_CASE("%s", uses[i].why);
    make_use(&view[i], &uses[i], dm);
    if (!get(&view[i], uses[i].access, BEFORE)) return;
    if (!dm) dm = keep(&view[i]);
  }
  EXPECT(!DMDestroy(&dm));
  for (int i = 0; i < USES; i++) {
    const int at = i * 5 % USES;
    TEST_CASE("%s", uses[at].why);
    restore(&view[at], uses[at].access, BEFORE, AFTER);
    live_free(&view[at]);
  }
  SETTLE();
}

/* ---- who holds the DMDA ------------------------------------------------------------------------------ */

/* A vector from DMCreateGlobalVector(), like those of solvers, keeps the DMDA and the plans until it is
 * destroyed. */
static void a_vector_holds_it(void **state)
{
  (void)state;
  live a;
  Vec copy = NULL;
  DM dm = NULL;
  make(&a, &homes[1]);
  if (!get(&a, DAP_READ_WRITE, BEFORE)) return;
  EXPECT(!DMCreateGlobalVector(a.field.dm, &copy));
  restore(&a, DAP_READ_WRITE, BEFORE, AFTER);
  EXPECT(!VecGetDM(copy, &dm));
  a.options.dm = dm;
  EXPECT_INT(get_counted(&a, DAP_READ_WRITE, AFTER), 0);
  EXPECT(!VecCopy(a.field.global, copy) && !VecDestroy(&copy)); /* the view is the last user */
  restore(&a, DAP_READ_WRITE, AFTER, LATER);
  live_free(&a);
  SETTLE();
}

/* The communicator of the first call is freed. The second call has another one of the same processes. */
static void a_freed_communicator(void **state)
{
  (void)state;
  live a;
  dap_error err;
  DM dm = NULL;
  make(&a, &homes[1]);
  for (int round = 0; round < 3; round++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const dap_darray array = {a.layout, &a.array};
    const dap_status s = dap_petsc_field_get(comm, array, DAP_READ_WRITE, &a.options, &a.field, &err);
    MPI_Comm_free(&comm);
    if (!EXPECT_OK(s, &err)) break;
    live_check_vectors(&a, round * AFTER);
    EXPECT(!dm || a.field.dm == dm);
    if (!dm) dm = keep(&a);
    a.options.dm = dm;
    restore(&a, DAP_READ_WRITE, round * AFTER, (round + 1) * AFTER);
  }
  EXPECT(!DMDestroy(&dm));
  live_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),        cmocka_unit_test(the_same_array_again),
    cmocka_unit_test(two_views_at_once),   cmocka_unit_test(many_forms),
    cmocka_unit_test(forms_that_are_over), cmocka_unit_test(many_views_at_once),
    cmocka_unit_test(a_vector_holds_it),   cmocka_unit_test(a_freed_communicator),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
