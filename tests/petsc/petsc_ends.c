#include "petsc_ends.h"

#include "mpi_test.h"

#include <petscsys.h>

void petsc_starts(void **state)
{
  (void)state;
  EXPECT(!PetscInitializeNoArguments() && !PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  SETTLE();
}

void petsc_starts_watched(void **state)
{
  PetscBool watched = PETSC_FALSE;
  EXPECT(!PetscOptionsSetValue(NULL, "-malloc_debug", "true"));
  petsc_starts(state);
  EXPECT(!PetscMallocGetDebug(&watched, NULL, NULL) && watched);
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
