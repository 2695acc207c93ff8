#include "petsc_ends.h"

#include "mpi_test.h"

#include <petscsys.h>

void petsc_starts(void **state)
{
  (void)state;
  EXPECT(!PetscInitializeNoArguments() && !PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  SETTLE();
}

void petsc_ends(void **state)
{
  (void)state;
  EXPECT(!PetscPopErrorHandler() && !PetscFinalize());
  SETTLE();
}

void petsc_is_finalised(void **state)
{
  (void)state;
  EXPECT(!PetscFinalize());
  SETTLE();
}
