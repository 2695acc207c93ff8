#include "import_check.h"

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

void check_dictionaries(const dap_layout *layout, const dap_array *array)
{
  dap_layout *assembled = NULL;
  dap_error err;
  EXPECT_OK(dap_array_check(array, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, array, &assembled, &err), &err);
  EXPECT(assembled && dap_layout_is_equal(assembled, layout));
  dap_layout_destroy(&assembled);
}

void check_renewed(PetscReal now, PetscReal before, PetscReal factor)
{
  EXPECT_MSG(PetscAbsReal(now - factor * before) <= 1e-6 * before, "norm %g, was %g: not renewed",
             (double)now, (double)before);
}
