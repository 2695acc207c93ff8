/* Contains functions that all tests of ELPA use, besides the harness of linear algebra. */
#ifndef DAP_ELPA_TEST_H
#define DAP_ELPA_TEST_H

#include "harness.h"

#include <dapbridge/elpa.h>

/* Whether ELPA solves problems of this type. Some builds have no single precision. This checks that they
 * refuse it. Collective. */
static inline bool has_type(const element_type *type)
{
  static int has_single = -1; /* not known */
  if (type->real == DAP_F8 || has_single >= 0) return type->real == DAP_F8 || has_single;
  const int grid[2] = {test_nprocs(), 1};
  matrix a = matrix_make(&sources[0], element_type_of(DAP_F4), 4, 4, grid, entry_identity);
  matrix w = vector_make(0, element_type_of(DAP_F4), 4, entry_nans);
  dap_error err = {0};
  const dap_status status =
      dap_elpa_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), (dap_darray){0}, NULL, &err);
  has_single = status == DAP_OK;
  if (!has_single)
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "float32|without single precision");
  matrix_free(&w), matrix_free(&a);
  return has_single;
}

/* Whether a matrix is shared: 1 if its row of sources is, and no process row or column is empty; 0 if not;
 * -1 if it depends. */
static inline int shares(const source *s, const matrix *m, const int grid[2])
{
  for (int axis = 0; axis < 2; axis++)
    for (int c = 0; c < dap_layout_procs(m->held.layout, axis); c++)
      if (dap_layout_owned(m->held.layout, axis, c) == 0) return 0;
  return source_shares(s, m->size, grid);
}

#endif
