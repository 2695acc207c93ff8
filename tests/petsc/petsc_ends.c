#include "petsc_ends.h"

#include "mpi_test.h"

#include <petscvec.h>

void petsc_starts(void **state)
{
  (void)state;
  EXPECT(!PetscInitializeNoArguments() && !PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  SETTLE();
}

/* The option -malloc_debug would do it, too, but has every block looked at in each call; without, it is
 * looked at when it is freed. */
void petsc_counts_memory(void)
{
#if !defined(PETSC_USE_DEBUG) /* which always counts */
  EXPECT(!PetscMallocSetDebug(PETSC_FALSE, PETSC_TRUE));
#endif
}

void petsc_starts_watched(void **state)
{
  PetscBool watched = PETSC_FALSE;
  petsc_counts_memory();
  petsc_starts(state);
  EXPECT(!PetscMallocGetDebug(&watched, NULL, NULL) && watched);
  SETTLE();
}

bool petsc_keeps_locks(void)
{
  PetscInt locks = 0;
  Vec vector = NULL;
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 1, &vector) && !VecLockReadPush(vector));
  (void)(VecLockGet(vector, &locks)); /* an assignment, not a call, in an optimised PETSc 3.18 */
  EXPECT(!VecLockReadPop(vector) && !VecDestroy(&vector));
  return locks != 0;
}

void petsc_ends(void **state)
{
  (void)state;
  EXPECT(!PetscPopErrorHandler() && !PetscFinalize());
  SETTLE();
}

void petsc_is_initialised(void **state)
{
  (void)state;
  EXPECT(!PetscOptionsSetValue(NULL, "-no_signal_handler", "true") && !PetscInitializeNoArguments());
  SETTLE();
}

void petsc_is_finalised(void **state)
{
  (void)state;
  EXPECT(!PetscFinalize());
  SETTLE();
}
