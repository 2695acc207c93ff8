#include "numbered.h"

#include <dapbridge/scalapack_calls.h>

/* Where elements are: numroc and indxl2g of ScaLAPACK's TOOLS. */
int64_t walk(const dap_scalapack_matrix *m, bool set)
{
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(m->desc[1], &grid[0], &grid[1], &grid[2], &grid[3]);
  if (grid[2] < 0) return 0;
  int64_t wrong = 0;
  for (dap_scalapack_int j = m->ja - 1; j < m->ja - 1 + m->n; j++) {
    if ((j / m->desc[5] + m->desc[7]) % grid[1] != grid[3]) continue;
    for (dap_scalapack_int i = m->ia - 1; i < m->ia - 1 + m->m; i++) {
      if ((i / m->desc[4] + m->desc[6]) % grid[0] != grid[2]) continue;
      const int64_t row = i / m->desc[4] / grid[0] * m->desc[4] + i % m->desc[4];
      const int64_t col = j / m->desc[5] / grid[1] * m->desc[5] + j % m->desc[5];
      double *element = (double *)m->data + col * m->desc[8] + row;
      const double want = 1 + 1000.0 * (double)(i - (m->ia - 1)) + (double)(j - (m->ja - 1));
      if (set) *element = want;
      if (*element != want) wrong++;
    }
  }
  return wrong;
}
