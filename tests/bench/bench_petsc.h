/* Ends a benchmark when PETSc reports an error. */
#ifndef DAP_BENCH_PETSC_H
#define DAP_BENCH_PETSC_H

#include "fail.h"

#include <petscsys.h>

static inline void require(PetscErrorCode code)
{
  if (code) bench_fail("PETSc's error %d", (int)code);
}

#endif
