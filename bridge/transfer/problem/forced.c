/* In a file of its own, so that a program with another function of this name does not get this one. */
#include "problem_impl.h"

unsigned dap_forced_bits(void)
{
  return 0;
}
