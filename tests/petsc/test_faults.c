/* An allocation that one process alone is refused, while a view is made, used or ended: each in turn. All learn of it, in
 * the same words; PETSc holds no more than before, and the array what it held. */
#include "allocations.h"
#include "field_test.h"

#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <inttypes.h>

typedef enum view_kind { FIELD, VECTOR, MATRIX } view_kind;

typedef struct view_row {
  const char *why;
  view_kind kind;
  field_row row;  /* its options are a field's */
  bool is_narrow; /* elements of half the bytes */
  bool is_given;  /* with the DMDA of an earlier field, which another access had */
  int naxes;
  dap_petsc_form form;
} view_row;

/* clang-format off */
static const view_row views[] = {
  {.why = "shared field", .kind = FIELD, .row = {"rows", 2, {24, 5}, ALONG_FIRST, .halo = {1, 0}}},
  {.why = "moved field", .kind = FIELD, .row = {"cyclic", 2, {24, 5}, ALONG_FIRST, .lengths = CYCLIC, .options = {.width = 1}}},
  {.why = "field of another type", .kind = FIELD, .row = {"rows", 2, {24, 5}, ALONG_FIRST, .halo = {1, 0}, .options = {.lossy = true}}, .is_narrow = true},
  {.why = "field of a DMDA that is given", .kind = FIELD, .row = {"rows", 2, {24, 5}, ALONG_FIRST, .halo = {1, 0}}, .is_given = true},
  {.why = "field on part of the processes", .kind = FIELD, .row = {"rows", 2, {24, 5}, ALONG_FIRST, .options = {.width = 1}}, .naxes = 1},
  {.why = "shared vector", .kind = VECTOR, .row = {"block", 1, {24}, .halo = {1}}},
  {.why = "unstructured vector", .kind = VECTOR, .row = {"lists", 1, {40}, .lists = {LISTS}}},
  {.why = "moved vector", .kind = VECTOR, .row = {"cyclic", 1, {40}, .lengths = CYCLIC}},
  {.why = "vector of another type", .kind = VECTOR, .row = {"block", 1, {24}, .halo = {1}, .options = {.lossy = true}}, .is_narrow = true},
  {.why = "MATDENSE", .kind = MATRIX, .row = {"rows", 2, {24, 12}, ALONG_FIRST, .halo = {1, 0}, .form = FORM_F}},
  {.why = "shell or transposed view", .kind = MATRIX, .row = {"rows", 2, {24, 12}, ALONG_FIRST}},
  {.why = "moved MATDENSE", .kind = MATRIX, .row = {"blocks", 2, {24, 12}, SQUARE}, .form = DAP_PETSC_DENSE},
  {.why = "MATSCALAPACK", .kind = MATRIX, .row = {"rows", 2, {24, 12}, ALONG_FIRST}, .form = DAP_PETSC_SCALAPACK},
};
/* clang-format on */
enum { VIEWS = sizeof views / sizeof views[0] };

/* A view, and all that it is made of. */
typedef struct trial {
  const view_row *row;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  DM dm; /* that is given, or NULL */
  dap_petsc_field field;
  dap_petsc_vector vector;
  dap_petsc_matrix matrix;
} trial;

static void trial_make(trial *t, const view_row *row)
{
  test_random random = test_random_init(5);
  const dap_dtype narrow = scalar_dtype() == DAP_C16 ? DAP_C8 : DAP_F4;
  const dap_dtype dtype = row->is_narrow ? narrow : scalar_dtype();
  *t = (trial){.row = row, .layout = row_layout(&row->row)};
  t->buffer = test_buffer_make(t->layout, test_rank(), dap_dtype_size(dtype), row->row.form, &random);
  t->array = test_buffer_array(&t->buffer, dtype);
  fill_global(t->layout, test_rank(), &t->array);
}

static void trial_free(trial *t)
{
  EXPECT(check_gaps(&t->buffer));
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}

static dap_status get_field(trial *t, dap_access access, dap_error *err)
{
  static const int axes[] = {1};
  dap_petsc_options options = t->row->row.options;
  options.dm = t->dm;
  options.naxes = t->row->naxes;
  options.axes = t->row->naxes ? axes : NULL;
  return dap_petsc_field_get(MPI_COMM_WORLD, t->layout, &t->array, access, &options, &t->field, err);
}

static dap_status get(trial *t, dap_access access, dap_error *err)
{
  const bool lossy = t->row->row.options.lossy;
  const dap_petsc_vector_options vector = {.lossy = lossy};
  const dap_petsc_matrix_options matrix = {.lossy = lossy, .form = t->row->form, .block_size = {3, 3}};
  if (t->row->kind == VECTOR)
    return dap_petsc_vector_get(MPI_COMM_WORLD, t->layout, &t->array, access, &vector, &t->vector, err);
  if (t->row->kind == MATRIX)
    return dap_petsc_matrix_get(MPI_COMM_WORLD, t->layout, &t->array, access, &matrix, &t->matrix, err);
  return get_field(t, access, err);
}

static dap_status restore(trial *t, dap_error *err)
{
  if (t->row->kind == VECTOR) return dap_petsc_vector_restore(&t->vector, err);
  if (t->row->kind == MATRIX) return dap_petsc_matrix_restore(&t->matrix, err);
  return dap_petsc_field_restore(&t->field, err);
}

static bool is_live(const trial *t)
{
  return t->field.state || t->vector.state || t->matrix.state;
}

/* ---- one process is refused memory -------------------------------------------------------------------- */

typedef enum phase { GET, RESTORE, LOAD, STORE, HALO, PHASES } phase;

static dap_status do_phase(trial *t, phase p, dap_error *err)
{
  switch (p) {
  case GET:
    return get(t, DAP_READ_WRITE, err);
  case LOAD:
    return dap_petsc_field_load(&t->field, err);
  case STORE:
    return dap_petsc_field_store(&t->field, err);
  case HALO:
    return dap_petsc_field_halo(&t->field, err);
  default:
    return restore(t, err);
  }
}

/* Allocation number `number` of this process is refused, or of none if 0. Returns whether there was one on any. */
static bool refuse_one(trial *t, phase p, int64_t number)
{
  dap_error err = {.rank = -1};
  if (p != GET) EXPECT_OK(get(t, DAP_READ_WRITE, &err), &err);
  allocations_start(number);
  const dap_status s = do_phase(t, p, &err);
  int seen[] = {number > 0 && allocations_count() >= number, s != DAP_OK};
  allocations_start(0);
  MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (seen[1]) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
  EXPECT(!seen[1] || seen[0]);
  EXPECT(is_live(t) == (p == GET ? !seen[1] : p != RESTORE));
  if (is_live(t)) EXPECT_OK(restore(t, &err), &err);
  EXPECT(check_global(t->layout, test_rank(), &t->array, PADDING_ANY));
  return seen[0];
}

/* A DMDA that has the plans of a field that is only read. */
static void give_dm(trial *t)
{
  dap_error err;
  if (!t->row->is_given) return;
  EXPECT_OK(get(t, DAP_READ, &err), &err);
  t->dm = t->field.dm;
  EXPECT(!PetscObjectReference((PetscObject)t->dm));
  EXPECT_OK(dap_petsc_field_restore(&t->field, &err), &err);
}

/* One trial of its own, and what PETSc holds after it. */
static bool try_one(const view_row *row, phase p, int64_t number, PetscLogDouble *used)
{
  trial t;
  trial_make(&t, row);
  give_dm(&t);
  const bool more = refuse_one(&t, p, number);
  EXPECT(!DMDestroy(&t.dm));
  trial_free(&t);
  EXPECT(!PetscMallocGetCurrentUsage(used));
  SETTLE();
  return more;
}

static void refuse_all(const view_row *row, phase p, int victim)
{
  PetscLogDouble before = 0, after = 0;
  int64_t number = 1;
  TEST_CASE("%s, phase %d", row->why, (int)p);
  for (int warm = 0; warm < 2; warm++) (void)try_one(row, p, 0, &before);
  for (bool more = true; more; number++) {
    TEST_CASE("%s, phase %d: allocation %" PRId64 " of rank %d is refused", row->why, (int)p, number, victim);
    more = try_one(row, p, test_rank() == victim ? number : 0, &after);
    EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
  }
  EXPECT_MSG(p != GET || number > 2, "only %" PRId64 " allocations", number);
}

static void views_of_one_process(void **state)
{
  (void)state;
  for (int i = 0; i < VIEWS; i++)
    for (phase p = GET; p < (views[i].kind == FIELD ? PHASES : LOAD); p++) {
      refuse_all(&views[i], p, 0);
      if (test_nprocs() > 1) refuse_all(&views[i], p, test_nprocs() - 1);
    }
  SETTLE();
}

/* PETSc counts its memory only if asked to before it starts. */
static void petsc_counts(void **state)
{
  EXPECT(!PetscOptionsSetValue(NULL, "-malloc_debug", "true"));
  petsc_starts(state);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_counts),
    cmocka_unit_test(views_of_one_process),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
