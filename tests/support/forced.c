/* Replaces a function of the library, to force this program's plans. Private: programs cannot force plans. */
#include "problem_impl.h"

unsigned dap_forced_bits(void)
{
  return DAP_FORCED;
}
