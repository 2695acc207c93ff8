#include "any_view.h"

#include "mpi_test.h"

void petsc_starts(void **state)
{
  (void)state;
  EXPECT(!PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
  EXPECT(!PetscInitializeNoArguments() && !PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  SETTLE();
}

/* The option -malloc_debug is not used, because PETSc would then check every block in each call. Now it
 * checks a block when it is freed. */
void petsc_starts_watched(void **state)
{
  PetscBool watched = PETSC_FALSE;
#if !defined(PETSC_USE_DEBUG) /* a debug build always counts */
  EXPECT(!PetscMallocSetDebug(PETSC_FALSE, PETSC_TRUE));
#endif
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

PetscReal norm_of(Vec vec)
{
  PetscReal norm = -1;
  EXPECT(!VecNorm(vec, NORM_1, &norm));
  return norm;
}

const PetscScalar *address_of(Vec vec)
{
  const PetscScalar *memory, *kept;
  EXPECT(!VecGetArrayRead(vec, &memory));
  kept = memory;
  EXPECT(!VecRestoreArrayRead(vec, &memory));
  return kept;
}

PetscInt references_of(PetscObject object)
{
  PetscInt count = 0;
  EXPECT(!PetscObjectGetReference(object, &count));
  return count;
}

void check_renewed(PetscReal now, PetscReal before, PetscReal factor)
{
  EXPECT_MSG(PetscAbsReal(now - factor * before) <= 1e-6 * before, "norm %g, was %g: not renewed",
             (double)now, (double)before);
}

bool has_type(Mat mat, MatType type)
{
  MatType found = "none";
  EXPECT(!MatGetType(mat, &found));
  if (strcmp(type, MATDENSE) == 0) return !strcmp(found, MATSEQDENSE) || !strcmp(found, MATMPIDENSE);
  return strcmp(found, type) == 0;
}
