/* Replaces a function of the library, so that the plans of this program can be forced. Private:
 * programs cannot force plans. */
#include "problem_impl.h"

unsigned dap_forced_bits(void)
{
  return DAP_FORCED;
}
