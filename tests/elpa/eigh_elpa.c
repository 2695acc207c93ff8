/* The tests of dap_linalg_eigh() by ELPA, with one stage and two. */
#include "eigh_test.h"
#include "elpa_test.h"

const dap_eigh_backend *eigh_backend(int number)
{
  return dap_elpa_backend(number % 3);
}

bool eigh_is_backends(const element_type *type)
{
  return has_type(type);
}

int eigh_shares(const trial *t, const matrix *a)
{
  return has_type(t->type) ? shares(t, a) : source_shares(t->source, t->size, t->grid);
}
