/* The one checked cast from 64-bit counts to MPI's int. */
#include "comm_impl.h"

#include <inttypes.h>
#include <limits.h>

dap_status dap_to_int(int64_t value, const char *what, int *result, dap_error *err)
{
  DAP_REQUIRE(value >= INT_MIN && value <= INT_MAX, err, DAP_ERR_RANGE,
              "%s %" PRId64 " does not fit MPI's int", what, value);
  *result = (int)value;
  return DAP_OK;
}
