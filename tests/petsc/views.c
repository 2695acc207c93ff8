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

/* ---- what is done to them ----------------------------------------------------------------------------- */

static dap_status get_field(trial *t, dap_access access, dap_error *err)
{
  static const int axes[] = {1};
  dap_petsc_field_options options = t->row->row.options;
  options.dm = t->dm;
  options.part.naxes = t->row->naxes;
  options.part.axes = t->row->naxes ? axes : NULL;
  return dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, access, &options, &t->field,
                             err);
}

static dap_status get(trial *t, dap_access access, dap_error *err)
{
  const bool lossy = t->row->row.options.lossy;
  const dap_petsc_vector_options vector = {.lossy = lossy};
  const dap_petsc_matrix_options matrix = {.lossy = lossy, .form = t->row->form, .block_size = {3, 3}};
  if (t->row->kind == VECTOR)
    return dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, access, &vector,
                                &t->vector, err);
  if (t->row->kind == MATRIX)
    return dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){t->layout, &t->array}, access, &matrix,
                                &t->matrix, err);
  return get_field(t, access, err);
}

static dap_status restore(trial *t, dap_error *err)
{
  if (t->row->kind == VECTOR) return dap_petsc_vector_restore(&t->vector, err);
  if (t->row->kind == MATRIX) return dap_petsc_matrix_restore(&t->matrix, err);
  return dap_petsc_field_restore(&t->field, err);
}

static dap_status move(trial *t, phase p, dap_error *err)
{
  switch (t->row->kind) {
  case VECTOR:
    return p == LOAD    ? dap_petsc_vector_load(&t->vector, err)
           : p == STORE ? dap_petsc_vector_store(&t->vector, err)
                        : dap_petsc_vector_halo(&t->vector, err);
  case MATRIX:
    return p == LOAD    ? dap_petsc_matrix_load(&t->matrix, err)
           : p == STORE ? dap_petsc_matrix_store(&t->matrix, err)
                        : dap_petsc_matrix_halo(&t->matrix, err);
  default:
    return p == LOAD    ? dap_petsc_field_load(&t->field, err)
           : p == STORE ? dap_petsc_field_store(&t->field, err)
                        : dap_petsc_field_halo(&t->field, err);
  }
}

bool is_live(const trial *t)
{
  return t->field.handle.view || t->vector.handle.view || t->matrix.handle.view;
}

dap_status do_phase(trial *t, phase p, dap_error *err)
{
  switch (p) {
  case GET:
    return get(t, DAP_READ_WRITE, err);
  case LOAD:
  case STORE:
  case HALO:
    return move(t, p, err);
  default:
    return restore(t, err);
  }
}

/* ---- making them ------------------------------------------------------------------------------------- */

/* A DMDA that has the plans of a field that is only read. */
static void give_dm(trial *t)
{
  dap_error err;
  EXPECT_OK(get(t, DAP_READ, &err), &err);
  t->dm = t->field.dm;
  EXPECT(!PetscObjectReference((PetscObject)t->dm));
  EXPECT_OK(dap_petsc_field_restore(&t->field, &err), &err);
}

void trial_make(trial *t, const view_row *row)
{
  test_random random = test_random_init(5);
  const dap_dtype narrow = scalar_dtype() == DAP_C16 ? DAP_C8 : DAP_F4;
  const dap_dtype dtype = row->is_narrow ? narrow : scalar_dtype();
  *t = (trial){.row = row, .layout = row_layout(&row->row)};
  t->buffer = test_buffer_make(t->layout, test_rank(), dap_dtype_size(dtype), row->row.form, &random);
  t->array = test_buffer_array(&t->buffer, dtype);
  fill_global(t->layout, test_rank(), &t->array);
  if (row->is_given) give_dm(t);
}

void trial_free(trial *t)
{
  EXPECT(!DMDestroy(&t->dm));
  EXPECT(check_gaps(&t->buffer));
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}
