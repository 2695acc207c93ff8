/* Takes the place of the rule by which the rows of a matrix are factored, which only takes long columns. As
 * few rows as singular values want will do. */
#include "tsqr_impl.h"

bool __wrap_dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns);
bool __wrap_dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns)
{
  return dap_tsqr_is_tall(call, rows, columns);
}
