/* Makes petsc4py's objects of PETSc's, by the functions that petsc4py.PETSc exports to C, without its
 * headers. */
#include "python_petsc_impl.h"

#include <string.h>

static struct {
  PyObject *(*new_vec)(Vec);
  PyObject *(*new_dm)(DM);
  PyObject *(*new_mat)(Mat);
  PyObject *(*new_ao)(AO);
  Vec (*get_vec)(PyObject *);
  DM (*get_dm)(PyObject *);
  Mat (*get_mat)(PyObject *);
} petsc4py;

/* A function by its name, if it has the signature that its capsule is named by. */
static bool find(PyObject *functions, const char *name, const char *signature, void *function)
{
  PyObject *capsule = PyMapping_GetItemString(functions, name);
  if (!capsule) return false;
  const char *found = PyCapsule_GetName(capsule);
  const bool is_good = found && strcmp(found, signature) == 0;
  void *pointer = is_good ? PyCapsule_GetPointer(capsule, found) : NULL;
  if (!is_good && !PyErr_Occurred())
    PyErr_Format(PyExc_ImportError, "petsc4py's %s is %s, not %s", name, found ? found : "no capsule",
                 signature);
  memcpy(function, &pointer, sizeof pointer);
  Py_DECREF(capsule);
  return pointer != NULL;
}

bool petsc4py_init(void)
{
  PyObject *module = PyImport_ImportModule("petsc4py.PETSc");
  PyObject *functions = module ? PyObject_GetAttrString(module, "__pyx_capi__") : NULL;
  const bool is_good = functions && find(functions, "PyPetscVec_New", "PyObject *(Vec)", &petsc4py.new_vec) &&
                       find(functions, "PyPetscDM_New", "PyObject *(DM)", &petsc4py.new_dm) &&
                       find(functions, "PyPetscMat_New", "PyObject *(Mat)", &petsc4py.new_mat) &&
                       find(functions, "PyPetscAO_New", "PyObject *(AO)", &petsc4py.new_ao) &&
                       find(functions, "PyPetscVec_Get", "Vec (PyObject *)", &petsc4py.get_vec) &&
                       find(functions, "PyPetscDM_Get", "DM (PyObject *)", &petsc4py.get_dm) &&
                       find(functions, "PyPetscMat_Get", "Mat (PyObject *)", &petsc4py.get_mat);
  Py_XDECREF(functions);
  Py_XDECREF(module);
  return is_good;
}

PyObject *petsc4py_new(petsc_class class, PetscObject object)
{
  if (!object) return Py_NewRef(Py_None);
  switch (class) {
  case PETSC_VEC:
    return petsc4py.new_vec((Vec)object);
  case PETSC_DM:
    return petsc4py.new_dm((DM)object);
  case PETSC_MAT:
    return petsc4py.new_mat((Mat)object);
  case PETSC_AO:
    return petsc4py.new_ao((AO)object);
  }
  return NULL;
}

bool petsc4py_get(petsc_class class, PyObject *of, PetscObject *object)
{
  static const char *const names[] = {"Vec", "DM", "Mat", "AO"};
  *object = NULL;
  if (class == PETSC_VEC) *object = (PetscObject)petsc4py.get_vec(of);
  if (class == PETSC_DM) *object = (PetscObject)petsc4py.get_dm(of);
  if (class == PETSC_MAT) *object = (PetscObject)petsc4py.get_mat(of);
  if (*object) return true;
  return PyErr_Occurred()
             ? false
             : option_fail("a petsc4py %s that was not created, or has been destroyed", names[class]);
}
