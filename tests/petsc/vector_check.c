#include "vector_check.h"

void vector_visit(const live *a, const dap_petsc_vector *v, vector_deed deed, int64_t shift)
{
  PetscInt begin = 0, end = 0;
  PetscScalar *memory = NULL;
  if (!v->vec) return;
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, &end));
  EXPECT(!(deed == WRITE ? VecGetArray(v->vec, &memory)
                         : VecGetArrayRead(v->vec, (const PetscScalar **)&memory)));
  for (PetscInt entry = begin; entry < end; entry++) {
    PetscInt element = entry;
    int64_t index[LIVE_NDIM] = {0};
    if (v->ao) EXPECT(!AOPetscToApplication(v->ao, 1, &element));
    for (int i = 0, rest = (int)element; i < live_ndim(a); i++) {
      const int j = a->options.order == DAP_ORDER_F ? i : live_ndim(a) - 1 - i;
      index[j] = rest % (int)live_size(a, j);
      rest /= (int)live_size(a, j);
    }
    const PetscScalar want = live_value(a, index, shift);
    if (deed == WRITE) memory[entry - begin] = want;
    EXPECT_MSG(memory[entry - begin] == want, "entry %d, element %d: %g, not %g", (int)entry, (int)element,
               (double)PetscRealPart(memory[entry - begin]), (double)PetscRealPart(want));
  }
  EXPECT(!(deed == WRITE ? VecRestoreArray(v->vec, &memory)
                         : VecRestoreArrayRead(v->vec, (const PetscScalar **)&memory)));
}

void vector_check_norm(const dap_petsc_vector *v)
{
  PetscReal norm = -1, sum = 0;
  const PetscScalar *memory = NULL;
  PetscInt n = 0;
  if (!v->vec) return;
  EXPECT(!VecNorm(v->vec, NORM_1, &norm) && !VecGetLocalSize(v->vec, &n) &&
         !VecGetArrayRead(v->vec, &memory));
  for (PetscInt i = 0; i < n; i++) sum += PetscAbsScalar(memory[i]);
  EXPECT(!VecRestoreArrayRead(v->vec, &memory));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)v->vec));
  EXPECT_MSG(PetscAbsReal(norm - sum) <= 1e-6 * sum, "norm %g, not %g", (double)norm, (double)sum);
}
