/* Finds NaN and infinity, which factorisations may take for a zero, a pivot or a success. */
#include "linalg_impl.h"

#include <inttypes.h>
#include <math.h>

/* Whether `count` elements of a column are finite, from a local row on. */
static bool are_finite(const dap_linalg_call *call, const dap_linalg_part *part, int64_t row, int64_t col,
                       int64_t count)
{
  return isfinite(dap_linalg_largest_part(call, dap_linalg_element(part, row, col), count));
}

/* Returns the name of the operand that has this view, or that it is a copy of. */
static const char *name_of(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  int i = 0;
  while (i < DAP_LINALG_USES && view != &call->views[i]) i++;
  return call->arguments.operands[i < DAP_LINALG_USES ? i : 0].name;
}

static dap_status check(const dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                        dap_error *err)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t col = 0; part.extents[0] > 0 && col < part.extents[1]; col++) {
    if (are_finite(call, &part, 0, col, part.extents[0])) continue;
    const int64_t j = dap_linalg_global(&part, 1, col);
    for (int64_t row = 0; row < part.extents[0]; row++) {
      const int64_t i = dap_linalg_global(&part, 0, row);
      const bool flip = view->op == 'T';
      DAP_REQUIRE(are_finite(call, &part, row, col, 1) || !dap_linalg_within(&part, uplo, row, col), err,
                  DAP_ERR_NUMERIC, "%s has an element that is not finite, at (%" PRId64 ", %" PRId64 ")",
                  name_of(call, view), flip ? j : i, flip ? i : j);
    }
  }
  return DAP_OK;
}

dap_status dap_linalg_finite(dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo)
{
  dap_status status = dap_linalg_headroom_check(call, call->err); /* all views are taken */
  if (!status) status = check(call, view, uplo, call->err);
  return dap_agree(call->comm, status, call->err);
}

bool dap_linalg_is_finite(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  bool finite = true;
  for (int64_t col = 0; part.extents[0] > 0 && col < part.extents[1] && finite; col++)
    finite = are_finite(call, &part, 0, col, part.extents[0]);
  return finite;
}

dap_status dap_linalg_finite_result(dap_linalg_call *call, const dap_scalapack_matrix *view, const char *what)
{
  const dap_status status = dap_linalg_is_finite(call, view)
                                ? DAP_OK
                                : dap_fail(call->err, DAP_ERR_NUMERIC, "%s exceeds the range of %s", what,
                                           dap_dtype_name(call->lib->dtype));
  return dap_agree(call->comm, status, call->err);
}

dap_status dap_linalg_finite_values(dap_linalg_call *call, int64_t count, const void *values,
                                    const char *what)
{
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(dap_linalg_get_real(call->lib->real, values, k)))
      return dap_linalg_numeric(call, k + 1, "%s %" PRId64 " is not finite", what, k + 1);
  return DAP_OK;
}
