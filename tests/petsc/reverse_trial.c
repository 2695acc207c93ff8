#include "reverse_trial.h"

bool reverse_begin(trial *t, const field_row *row, dap_access access)
{
  dap_error err;
  char text[1024];
  *t = (trial){.row = row};
  live_make(&t->a, row_layout(row), row->form, row->bytes, &row->options);
  if (!EXPECT_OK(live_get(&t->a, access, &err), &err)) return false;
  (void)dap_petsc_field_describe(&t->a.field, text, sizeof text);
  t->fortran = strstr(text, "x is axis 0") != NULL;
  return true;
}

void reverse_end(trial *t)
{
  EXPECT_OK(dap_petsc_field_discard(&t->a.field, NULL), NULL);
  live_free(&t->a);
}
