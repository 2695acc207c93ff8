/* The table's rows, one after the other. Counts of operations are those of LAPACK Working Note 41. */
#include "linalg.h"

const linalg_row *linalg_row_at(int i)
{
  static const linalg_row *const tables[] = {linalg_products, linalg_systems, linalg_kept, linalg_orthogonal,
                                             linalg_eigen,    linalg_general, linalg_bands};
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
    for (const linalg_row *row = tables[t]; row->name; row++)
      if (i-- == 0) return row;
  return NULL;
}
