/* In the place of the library's function: plans of this program may be forced. */
#include "problem_impl.h"

unsigned dap_forced_bits(void)
{
  return DAP_FORCED;
}
