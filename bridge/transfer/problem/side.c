/* A side made from an array. */
#include "problem_impl.h"

dap_side dap_side_of(dap_darray array)
{
  dap_side side = {.layout = array.layout};
  if (!array.local) return side;
  side.strides = array.local->strides;
  side.dtype = array.local->dtype;
  side.swapped = array.local->swapped;
  side.local = array.local;
  return side;
}
