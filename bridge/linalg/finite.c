/* NaN and infinity, which the factorisations take for a zero, a pivot or a success, as it comes. */
#include "linalg_impl.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_finite(const dap_linalg_part *part, int64_t row, int64_t col)
{
  double value[2];
  dap_linalg_value(part, row, col, value);
  return isfinite(value[0]) && isfinite(value[1]);
}

/* Whether matrix element (i, j) is in the triangle `uplo`; 'l', 'u': without the diagonal; 'A': all are. */
static bool within(char uplo, int64_t i, int64_t j)
{
  if (i == j) return uplo != 'l' && uplo != 'u';
  return uplo == 'A' || (uplo == 'L' || uplo == 'l') == (i > j);
}

/* The operand that has this view, or of which it is a copy. */
static const char *name_of(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  int i = 0;
  while (i < DAP_LINALG_USES && view != &call->views[i]) i++;
  return call->arguments.operands[i < DAP_LINALG_USES ? i : 0].name;
}

/* A number is not finite if all bits of its exponent are 1 (IEEE 754): then adding 1 to the exponent carries
 * into the sign. Integers, so that no trap of the processor is sprung. */
static bool are_finite_doubles(const void *numbers, int64_t count)
{
  const uint64_t exponent = UINT64_C(0x7ff0000000000000), one = UINT64_C(1) << 52;
  uint64_t carries = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, (const double *)numbers + i, sizeof bits);
    carries |= (bits & exponent) + one;
  }
  return carries >> 63 == 0;
}

static bool are_finite_floats(const void *numbers, int64_t count)
{
  const uint32_t exponent = UINT32_C(0x7f800000), one = UINT32_C(1) << 23;
  uint32_t carries = 0;
  for (int64_t i = 0; i < count; i++) {
    uint32_t bits;
    memcpy(&bits, (const float *)numbers + i, sizeof bits);
    carries |= (bits & exponent) + one;
  }
  return carries >> 31 == 0;
}

static bool is_column_finite(const dap_linalg_part *part, int64_t col)
{
  const void *column = dap_linalg_element(part, 0, col);
  const int64_t count = part->extents[0] * part->components;
  return part->single ? are_finite_floats(column, count) : are_finite_doubles(column, count);
}

static dap_status check(const dap_linalg_call *call, const dap_scalapack_matrix *view, char uplo,
                        dap_error *err)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  for (int64_t col = 0; part.extents[0] > 0 && col < part.extents[1]; col++) {
    if (is_column_finite(&part, col)) continue; /* as a rule; else where, and is it in the triangle? */
    const int64_t j = dap_linalg_global(&part, 1, col);
    for (int64_t row = 0; row < part.extents[0]; row++) {
      if (is_finite(&part, row, col)) continue;
      const int64_t i = dap_linalg_global(&part, 0, row);
      const bool flip = view->op == 'T';
      DAP_REQUIRE(!within(uplo, i, j), err, DAP_ERR_NUMERIC,
                  "%s has an element that is not finite, at (%" PRId64 ", %" PRId64 ")", name_of(call, view),
                  flip ? j : i, flip ? i : j);
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

dap_status dap_linalg_finite_result(dap_linalg_call *call, const dap_scalapack_matrix *view, const char *what)
{
  const dap_linalg_part part = dap_linalg_part_of(call, view);
  bool finite = true;
  for (int64_t col = 0; part.extents[0] > 0 && col < part.extents[1]; col++)
    finite = finite && is_column_finite(&part, col);
  const dap_status status = finite ? DAP_OK
                                   : dap_fail(call->err, DAP_ERR_NUMERIC, "%s exceeds the range of %s", what,
                                              dap_dtype_name(call->lib->dtype));
  return dap_agree(call->comm, status, call->err);
}

dap_status dap_linalg_finite_values(dap_linalg_call *call, int64_t count, const void *values,
                                    const char *what)
{
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(dap_linalg_get_real(call, values, k)))
      return dap_linalg_numeric(call, k + 1, "%s %" PRId64 " is not finite", what, k + 1);
  return DAP_OK;
}
