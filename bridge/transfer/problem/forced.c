/* Refuses the bits that only tests set. The file has no other function, so that a program with one of this
 * name does not get this one. */
#include "problem_impl.h"

unsigned dap_forced_bits(void)
{
  return 0;
}
