/* Runs COSTA's code of bridge/docs/coming/costa.md. */
#include "costa.h"

#include <costa/grid2grid/transform.hpp>
#include <costa/layout.hpp>

namespace {
#include "costa_before.inc"
}

extern "C" void before_costa(MPI_Comm comm, const grid *g, double *a, double *b)
{
  before(comm, *g, a, b);
}
