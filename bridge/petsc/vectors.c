/* Vectors of a DMDA, on the caller's memory or on PETSc's own. */
#include "petsc_impl.h"

PetscErrorCode dap_vec_changed(Vec vector)
{
  PetscScalar *memory = NULL;
  PetscCall(VecGetArray(vector, &memory));
  return VecRestoreArray(vector, &memory);
}

static PetscErrorCode block_size(DM dm, PetscInt *dof)
{
  return DMDAGetInfo(dm, NULL, NULL, NULL, NULL, NULL, NULL, NULL, dof, NULL, NULL, NULL, NULL, NULL);
}

/* A wrapped vector with all that DMCreateGlobalVector() gives one: the DM, without which a colouring would
 * use a freed one, and the mapping that VecSetValuesLocal() needs. */
static PetscErrorCode wrap_global(DM dm, void *data, Vec *vector)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dm);
  ISLocalToGlobalMapping mapping;
  PetscInt dof, m, n, p;
  PetscMPIInt size;
  PetscCall(block_size(dm, &dof));
  PetscCall(DMDAGetCorners(dm, NULL, NULL, NULL, &m, &n, &p));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const PetscInt count = m * n * p * dof;
  if (size == 1)
    PetscCall(VecCreateSeqWithArray(comm, dof, count, data, vector));
  else
    PetscCall(VecCreateMPIWithArray(comm, dof, count, PETSC_DECIDE, data, vector));
  PetscCall(VecSetDM(*vector, dm));
  PetscCall(DMGetLocalToGlobalMapping(dm, &mapping));
  PetscCall(VecSetLocalToGlobalMapping(*vector, mapping));
  return dap_vec_changed(*vector);
}

PetscErrorCode dap_vec_global(DM dm, bool shared, void *data, Vec *vector)
{
  if (shared) return wrap_global(dm, data, vector);
  PetscCall(DMCreateGlobalVector(dm, vector));
  PetscCall(VecZeroEntries(*vector));
  return 0;
}

PetscErrorCode dap_vec_local(DM dm, bool shared, void *data, Vec *vector)
{
  PetscInt dof, m, n, p;
  if (!shared) {
    PetscCall(DMCreateLocalVector(dm, vector));
    PetscCall(VecZeroEntries(*vector));
    return 0;
  }
  PetscCall(block_size(dm, &dof));
  PetscCall(DMDAGetGhostCorners(dm, NULL, NULL, NULL, &m, &n, &p));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, dof, m * n * p * dof, data, vector));
  PetscCall(VecSetDM(*vector, dm));
  return dap_vec_changed(*vector);
}
