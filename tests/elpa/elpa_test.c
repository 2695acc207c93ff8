#include "elpa_test.h"

bool has_type(const element_type *type)
{
  static bool asked, has_single;
  if (type->dtype == DAP_F8 || type->dtype == DAP_C16) return true;
  if (asked) return has_single;
  const int grid[2] = {test_nprocs(), 1};
  matrix a = matrix_make(&sources[0], element_type_of(DAP_F4), 4, 4, grid, entry_identity);
  matrix w = vector_make(0, element_type_of(DAP_F4), 4, entry_nans);
  dap_error err = {0};
  const dap_status status =
      dap_elpa_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), (dap_darray){0}, NULL, &err);
  has_single = status == DAP_OK;
  asked = true;
  if (!has_single)
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "float32|without single precision");
  matrix_free(&w), matrix_free(&a);
  return has_single;
}

int shares(const source *s, const matrix *m, const int grid[2])
{
  const int wanted = source_shares(s, m->size, grid);
  for (int axis = 0; axis < 2; axis++)
    for (int c = 0; c < dap_layout_procs(m->held.layout, axis); c++)
      if (dap_layout_owned(m->held.layout, axis, c) == 0) return 0;
  return wanted;
}
