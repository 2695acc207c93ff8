/* Replaces the rule that decides when the rows of a matrix are factored. The real rule accepts only long
 * columns. This rule needs only as few rows as singular values do.
 * Private: the rule has no public name. */
#include "tsqr_impl.h"

bool __wrap_dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns);
bool __wrap_dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns)
{
  return dap_tsqr_is_tall(call, rows, columns);
}
