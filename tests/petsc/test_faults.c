/* Refuses an allocation or a call of PETSc on one process while a view is made, used or ended. Each of them
 * is refused in turn. All processes must get the same text, and the array must keep its elements. */
#include "live.h"
#include "refuse.h"

typedef struct view_row {
  any_kind kind;
  live_row row;
  dap_petsc_form form;
  bool is_given; /* on the DMDA of an earlier field that had another access */
} view_row;

/* clang-format off */
static const view_row views[] = {
  {FIELD, .row = {.layout = {"shared field", 2, {24, 5}, FIRST_AXIS, .halo = {1}}}},
  {FIELD, .row = {{"moved field", 2, {24, 5}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, .options = {.width = 1}}},
  {FIELD, .row = {{"field of another type", 2, {24, 5}, FIRST_AXIS, .halo = {1}}, .bytes = NARROW}},
  {FIELD, {.layout = {"field of a DMDA that is given", 2, {24, 5}, FIRST_AXIS, .halo = {1}}},
   .is_given = true},
  {FIELD, .row = {{"field on part of the processes", 2, .size = {24, 5}, FIRST_AXIS}, .naxes = 1, .axes = {1},
   .options = {.width = 1}}},
  {VECTOR, .row = {.layout = {"shared vector", 1, {24}, .halo = {1}}}},
  {VECTOR, .row = {.layout = {"unstructured vector", 1, {40}, .cut = {CUT_LOTS}}}},
  {VECTOR, .row = {.layout = {"ghosted vector", 1, {40}, .cut = {CUT_LOTS_BEHIND}}}},
  {VECTOR, .row = {.layout = {"moved vector", 1, {40}, .cut = {CUT_CYCLIC}}}},
  {VECTOR, .row = {{"vector of another type", 1, {24}, .halo = {1}}, .bytes = NARROW}},
  {MATRIX, .row = {{"MATDENSE", 2, {24, 12}, FIRST_AXIS, .halo = {1}}, .form = FORM_F}},
  {MATRIX, .row = {.layout = {"shell or transposed view", 2, .size = {24, 12}, FIRST_AXIS}}},
  {MATRIX, .row = {.layout = {"transposed view", 2, .size = {24, 12}, SECOND_AXIS}}},
  {MATRIX, .row = {.layout = {"moved MATDENSE", 2, .size = {24, 12}}}, DAP_PETSC_DENSE},
  {MATRIX, .row = {.layout = {"MATSCALAPACK", 2, .size = {24, 12}, FIRST_AXIS}}, DAP_PETSC_SCALAPACK},
};
/* clang-format on */
enum { VIEWS = sizeof views / sizeof views[0], GET = -1 /* among the deeds */ };

typedef struct attempt {
  const view_row *row;
  int deed;
} attempt;

/* A view and its array. */
typedef struct trial {
  live a;
  any_view view; /* of_field.dm: given, or NULL */
} trial;

static dap_status get(trial *t, dap_access access, dap_error *err)
{
  return any_get(MPI_COMM_WORLD, &t->view, (dap_darray){t->a.layout, &t->a.array}, access, err);
}

/* Returns a DMDA that has the plans of a field that is only read. */
static void give_dm(trial *t)
{
  dap_error err;
  EXPECT_OK(get(t, DAP_READ, &err), &err);
  DM dm = t->view.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)dm));
  EXPECT_OK(any_do(&t->view, RESTORE, &err), &err);
  t->view.of_field.dm = dm;
}

static void make(trial *t, const view_row *row)
{
  const bool lossy = row->row.bytes == NARROW;
  live_make_row(&t->a, &row->row);
  t->view = (any_view){.kind = row->kind, .of_field = row->row.options, .of_vector.lossy = lossy};
  t->view.of_matrix = (dap_petsc_matrix_options){.form = row->form, .block_size = {3, 3}};
  t->view.of_field.lossy = lossy;
  t->view.of_field.part = row->kind == FIELD ? live_part(&t->a) : (dap_part){0};
  if (row->row.naxes == 0) t->view.of_field.part = (dap_part){0};
  if (row->is_given) give_dm(t);
}

static void drop(trial *t)
{
  EXPECT(!DMDestroy(&t->view.of_field.dm));
  live_free(&t->a);
}

static bool refuse_one(const void *what, const fault *f, int64_t number)
{
  const attempt *a = what;
  const int deed = a->deed;
  trial t;
  dap_error err = {.rank = -1};
  make(&t, a->row);
  if (deed != GET) EXPECT_OK(get(&t, DAP_READ_WRITE, &err), &err);
  fault_start(f, number);
  const dap_status s = deed == GET ? get(&t, DAP_READ_WRITE, &err) : any_do(&t.view, (any_deed)deed, &err);
  const bool was_met = refuse_was_met(f, number, s, &err);
  EXPECT(any_is_live(&t.view) == (deed == GET ? !s : deed != RESTORE));
  if (any_is_live(&t.view)) EXPECT_OK(any_do(&t.view, RESTORE, &err), &err);
  live_check(&t.a, BEFORE, BEFORE, BEFORE, PADDING_ANY);
  drop(&t);
  return was_met;
}

static int64_t refuse_deed(const view_row *row, int deed, const fault *f)
{
  const attempt a = {row, deed};
  char why[100];
  (void)snprintf(why, sizeof why, "%s, %s", row->row.layout.why, deed == GET ? "get" : any_deed_names[deed]);
  return refuse_all(why, f, refuse_one, &a);
}

static void memory_is_refused(void **state)
{
  (void)state;
  for (int i = 0; i < VIEWS; i++)
    for (int deed = GET; deed <= HALO; deed++) {
      const int64_t count = refuse_deed(&views[i], deed, &refused_allocations);
      EXPECT_MSG(deed != GET || count > 1, "only %d allocations", (int)count);
      SETTLE();
    }
}

static void calls_are_refused(void **state)
{
  (void)state;
  int64_t count = 0;
  for (int i = 0; i < VIEWS; i++)
    for (int deed = GET; deed <= HALO; deed++) {
      /* PETSc destroys a shell, and loses the rest of it if the shell's own function fails. */
      refuse_ends = views[i].kind != MATRIX || deed == GET;
      count += refuse_deed(&views[i], deed, &refused_calls);
    }
  EXPECT_MSG(count > 30, "only %d calls", (int)count);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched),
    cmocka_unit_test(memory_is_refused),
    cmocka_unit_test(calls_are_refused),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
