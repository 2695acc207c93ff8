#include "views.h"

/* clang-format off */
const view_row views[VIEWS] = {
  {.why = "shared field", .kind = FIELD, .row = {"rows", 2, {24, 5}, ALONG_FIRST, .halo = {1, 0}}},
  {.why = "moved field", .kind = FIELD,
   .row = {"cyclic", 2, {24, 5}, ALONG_FIRST, .lengths = CYCLIC, .options = {.width = 1}}},
  {.why = "field of another type", .kind = FIELD,
   .row = {"rows", 2, {24, 5}, ALONG_FIRST, .halo = {1, 0}, .options = {.lossy = true}}, .is_narrow = true},
  {.why = "field of a DMDA that is given", .kind = FIELD,
   .row = {"rows", 2, {24, 5}, ALONG_FIRST, .halo = {1, 0}}, .is_given = true},
  {.why = "field on part of the processes", .kind = FIELD,
   .row = {"rows", 2, {24, 5}, ALONG_FIRST, .options = {.width = 1}}, .naxes = 1},
  {.why = "shared vector", .kind = VECTOR, .row = {"block", 1, {24}, .halo = {1}}},
  {.why = "unstructured vector", .kind = VECTOR, .row = {"lists", 1, {40}, .lists = {LISTS}}},
  {.why = "ghosted vector", .kind = VECTOR, .row = {"nodes", 1, {40}, .lists = {GHOSTED_LISTS}}},
  {.why = "moved vector", .kind = VECTOR, .row = {"cyclic", 1, {40}, .lengths = CYCLIC}},
  {.why = "vector of another type", .kind = VECTOR,
   .row = {"block", 1, {24}, .halo = {1}, .options = {.lossy = true}}, .is_narrow = true},
  {.why = "MATDENSE", .kind = MATRIX,
   .row = {"rows", 2, {24, 12}, ALONG_FIRST, .halo = {1, 0}, .form = FORM_F}},
  {.why = "shell or transposed view", .kind = MATRIX,
   .row = {"rows", 2, {24, 12}, ALONG_FIRST, .lengths = EVEN}},
  {.why = "transposed view", .kind = MATRIX, .row = {"columns", 2, {24, 12}, ALONG_LAST, .lengths = EVEN}},
  {.why = "moved MATDENSE", .kind = MATRIX, .row = {"blocks", 2, {24, 12}, SQUARE, .lengths = EVEN},
   .form = DAP_PETSC_DENSE},
  {.why = "MATSCALAPACK", .kind = MATRIX, .row = {"rows", 2, {24, 12}, ALONG_FIRST, .lengths = EVEN},
   .form = DAP_PETSC_SCALAPACK},
};
/* clang-format on */

/* ---- making them ------------------------------------------------------------------------------------- */

static dap_status get(trial *t, dap_access access, dap_error *err)
{
  return any_get(MPI_COMM_WORLD, &t->view, (dap_darray){t->layout, &t->array}, access, err);
}

dap_status trial_get(trial *t, dap_error *err)
{
  return get(t, DAP_READ_WRITE, err);
}

/* A DMDA that has the plans of a field that is only read. */
static void give_dm(trial *t)
{
  dap_error err;
  EXPECT_OK(get(t, DAP_READ, &err), &err);
  DM dm = t->view.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)dm));
  EXPECT_OK(any_do(&t->view, RESTORE, &err), &err);
  t->view.of_field.dm = dm;
}

void trial_make(trial *t, const view_row *row)
{
  static const int axes[] = {1};
  test_random random = test_random_init(5);
  const bool lossy = row->row.options.lossy;
  const dap_dtype narrow = scalar_dtype() == DAP_C16 ? DAP_C8 : DAP_F4;
  const dap_dtype dtype = row->is_narrow ? narrow : scalar_dtype();
  *t = (trial){.row = row, .layout = row_layout(&row->row), .view = {.kind = row->kind}};
  t->view.of_field = row->row.options;
  t->view.of_field.part = (dap_part){.naxes = row->naxes, .axes = row->naxes ? axes : NULL};
  t->view.of_vector.lossy = lossy;
  t->view.of_matrix = (dap_petsc_matrix_options){.lossy = lossy, .form = row->form, .block_size = {3, 3}};
  t->buffer = test_buffer_make(t->layout, test_rank(), dap_dtype_size(dtype), row->row.form, &random);
  t->array = test_buffer_array(&t->buffer, dtype);
  fill_global(t->layout, test_rank(), &t->array);
  if (row->is_given) give_dm(t);
}

void trial_free(trial *t)
{
  EXPECT(!DMDestroy(&t->view.of_field.dm));
  EXPECT(check_gaps(&t->buffer));
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}
