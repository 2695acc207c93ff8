#include "reverse_trial.h"

#include "variants.h"

bool reverse_begin(trial *t, const field_row *row, dap_access access)
{
  test_random random = test_random_init(7);
  dap_error err;
  char text[1024];
  *t = (trial){.row = row, .access = access, .layout = row_layout(row)};
  t->buffer = test_buffer_make(t->layout, test_rank(), sizeof(PetscScalar), row->form, &random);
  t->array = test_buffer_array(&t->buffer, scalar_dtype());
  visit_array(t, FILL, BEFORE);
  if (row->bytes == SWAPPED || (row->bytes == SWAPPED_ON_ODD && test_rank() % 2 == 1))
    variant_swap(&t->array);
  const dap_darray array = {t->layout, &t->array};
  if (!EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, array, access, &row->options, &t->field, &err), &err))
    return false;
  (void)dap_petsc_field_describe(&t->field, text, sizeof text);
  t->fortran = strstr(text, "x is axis 0") != NULL;
  return true;
}

void reverse_end(trial *t)
{
  EXPECT_OK(dap_petsc_field_discard(&t->field, NULL), NULL);
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}
