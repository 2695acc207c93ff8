/* Keeps the memory of an array that PETSc's objects still use when its view has ended. A KSP holds its last
 * solution, for example, and a program may hold a name. These objects must not be used, but may be, so the
 * memory lives as long as they do. */
#include "python_petsc_impl.h"

#include "petsc_versions.h"

PetscInt keep_count(PetscObject object)
{
  PetscInt count = 0;
  return object && PetscObjectGetReference(object, &count) == 0 ? count : 0;
}

/* PETSc may destroy an object at any time, after Python's end too. */
static PetscErrorCode drop(dap_context_arg local)
{
  if (!Py_IsInitialized()) return 0;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF((PyObject *)dap_context_of(local));
  PyGILState_Release(state);
  return 0;
}

static PetscErrorCode attach(PetscObject object, PyObject *local)
{
  PetscContainer container = NULL;
  PetscErrorCode code = PetscContainerCreate(PETSC_COMM_SELF, &container);
  if (!code) code = PetscContainerSetPointer(container, local);
  if (!code) code = PetscObjectCompose(object, "dapbridge_memory", (PetscObject)container);
  if (!code) code = PetscContainerSetCtxDestroy(container, drop);
  const PetscErrorCode last = PetscContainerDestroy(&container);
  return code ? code : last;
}

/* Without memory for it, or a PETSc, the array's memory is never freed, which is safe, too. */
void keep_with(PetscObject object, PyObject *local)
{
  PetscBool is_over = PETSC_FALSE;
  Py_INCREF(local);
  if (PetscFinalized(&is_over) == 0 && !is_over) (void)attach(object, local);
}
