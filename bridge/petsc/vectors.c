/* Locks vectors of views and gets their memory, and makes vectors of a DMDA. */
#include "petsc_impl.h"

PetscErrorCode dap_vec_changed(Vec vector)
{
  PetscScalar *memory = NULL;
  PetscCall(VecGetArray(vector, &memory));
  return VecRestoreArray(vector, &memory);
}

/* ---- locks ------------------------------------------------------------------------------------------- */

/* Finds the local form of a ghosted vector, a vector on the same memory that lives as long; else NULL. */
static PetscErrorCode find_local_form(Vec vector, Vec *local)
{
  Vec form = NULL;
  PetscCall(VecGhostGetLocalForm(vector, &form));
  *local = form == vector ? NULL : form;
  return VecGhostRestoreLocalForm(vector, &form);
}

static PetscErrorCode set_lock(dap_view_vec *v, bool locks)
{
  Vec both[2] = {v->vec, NULL};
  PetscCall(find_local_form(v->vec, &both[1]));
  v->is_locked = locks;
  for (int i = 0; i < 2; i++) {
    if (both[i] && locks) PetscCall(VecLockReadPush(both[i]));
    if (both[i] && !locks) PetscCall(VecLockReadPop(both[i]));
  }
  return 0;
}

PetscErrorCode dap_view_vec_lock(dap_view_vec *v)
{
  return v->is_readonly && v->vec ? set_lock(v, true) : 0;
}

static PetscErrorCode unlock(dap_view_vec *v)
{
  return v->is_locked ? set_lock(v, false) : 0;
}

PetscErrorCode dap_view_vec_destroy(dap_view_vec *v)
{
  const PetscErrorCode code = unlock(v), last = VecDestroy(&v->vec);
  return code ? code : last;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static PetscErrorCode get_array(dap_view_vec *v, bool writes, PetscScalar **memory)
{
  if (!writes) return VecGetArrayRead(v->vec, (const PetscScalar **)memory);
  PetscCall(unlock(v));
  const PetscErrorCode code = VecGetArray(v->vec, memory);
  if (code) (void)dap_view_vec_lock(v);
  return code;
}

/* Marks the vector as changed if it was written to. */
static PetscErrorCode restore_array(dap_view_vec *v, bool writes, PetscScalar **memory)
{
  if (!writes) return VecRestoreArrayRead(v->vec, (const PetscScalar **)memory);
  const PetscErrorCode code = VecRestoreArray(v->vec, memory);
  PetscCall(dap_view_vec_lock(v));
  return code;
}

dap_status dap_view_vec_get_array(dap_view *view, int target, dap_access access, void **memory,
                                  dap_error *err)
{
  dap_view_vec *v = &dap_petsc_state_of(view)->vectors[target];
  PetscScalar *entries = NULL;
  if (v->vec)
    DAP_TRY(DAP_CATCH(get_array(v, access & DAP_WRITE, &entries), "getting the vector's memory", err));
  *memory = entries;
  return DAP_OK;
}

dap_status dap_view_vec_restore_array(dap_view *view, int target, dap_access access, void *memory,
                                      dap_error *err)
{
  dap_view_vec *v = &dap_petsc_state_of(view)->vectors[target];
  PetscScalar *entries = memory;
  if (!v->vec) return DAP_OK;
  return DAP_CATCH(restore_array(v, access & DAP_WRITE, &entries), "restoring the vector's memory", err);
}

static PetscErrorCode mark_changed(dap_view_vec *v)
{
  PetscCall(unlock(v));
  const PetscErrorCode code = dap_vec_changed(v->vec);
  PetscCall(dap_view_vec_lock(v));
  return code;
}

dap_status dap_view_vec_changed(dap_view *view, int target, dap_error *err)
{
  dap_view_vec *v = &dap_petsc_state_of(view)->vectors[target];
  if (!v->vec) return DAP_OK;
  return DAP_CATCH(mark_changed(v), "marking the vector as changed", err);
}

/* ---- DMDAs ------------------------------------------------------------------------------------------- */

/* Makes a vector on its caller's memory, with all that DMCreateGlobalVector() or DMCreateLocalVector() adds:
 * the DM, without which a colouring would use a freed one, and the mapping that VecSetValuesLocal() needs. */
static PetscErrorCode wrap(DM dm, bool is_local, void *data, Vec *vector)
{
  MPI_Comm comm = is_local ? PETSC_COMM_SELF : PetscObjectComm((PetscObject)dm);
  ISLocalToGlobalMapping mapping;
  PetscInt dof, m, n, p;
  PetscMPIInt size;
  PetscCall(DMDAGetInfo(dm, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &dof, NULL, NULL, NULL, NULL, NULL));
  PetscCall((is_local ? DMDAGetGhostCorners : DMDAGetCorners)(dm, NULL, NULL, NULL, &m, &n, &p));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const PetscInt count = m * n * p * dof;
  if (size == 1)
    PetscCall(VecCreateSeqWithArray(comm, dof, count, data, vector));
  else
    PetscCall(VecCreateMPIWithArray(comm, dof, count, PETSC_DECIDE, data, vector));
  PetscCall(VecSetDM(*vector, dm));
  if (!is_local) {
    PetscCall(DMGetLocalToGlobalMapping(dm, &mapping));
    PetscCall(VecSetLocalToGlobalMapping(*vector, mapping));
  }
  return dap_vec_changed(*vector);
}

PetscErrorCode dap_vec_of_dm(DM dm, bool is_local, bool shared, void *data, Vec *vector)
{
  if (shared) return wrap(dm, is_local, data, vector);
  PetscCall((is_local ? DMCreateLocalVector : DMCreateGlobalVector)(dm, vector));
  return VecZeroEntries(*vector);
}
