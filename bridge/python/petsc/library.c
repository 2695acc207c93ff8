/* Tells for which PETSc this module was compiled, and with which PETSc it was loaded. */
#define _GNU_SOURCE /* dladdr() */
#include "python_petsc_impl.h"

#include <dlfcn.h>

static bool size_is(PetscDataType type, size_t size)
{
  size_t found = 0;
  return PetscDataTypeGetSize(type, &found) == 0 && found == size;
}

/* A library of the same name but with other numbers, or of another release, is taken for ours if it was
 * loaded before. */
bool library_check(void)
{
  PetscInt major = 0, minor = 0;
  if (PetscGetVersionNumber(&major, &minor, NULL, NULL)) major = -1;
  const bool is_good = major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR &&
                       size_is(PETSC_INT, sizeof(PetscInt)) && size_is(PETSC_SCALAR, sizeof(PetscScalar));
  if (is_good) return true;
  PyObject *path = library_path(NULL, NULL);
  if (path)
    PyErr_Format(PyExc_ImportError,
                 "%s was compiled for PETSc %d.%d with %d-byte integers and %d-byte scalars; the library "
                 "that it was loaded with, %U, is PETSc %d.%d, or has others",
                 PETSC_MODULE_NAME, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, (int)sizeof(PetscInt),
                 (int)sizeof(PetscScalar), path, (int)major, (int)minor);
  Py_XDECREF(path);
  return false;
}

PyObject *library_version(PyObject *module, PyObject *unused)
{
  PetscInt major = 0, minor = 0, patch = 0;
  (void)module;
  (void)unused;
  (void)PetscGetVersionNumber(&major, &minor, &patch, NULL);
  return Py_BuildValue("(iii)", (int)major, (int)minor, (int)patch);
}

/* PetscInitialize() as a library that was loaded finds it, first among its own dependencies. */
static const void *find_start(const char *library)
{
  void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  const void *start = handle ? dlsym(handle, "PetscInitialize") : NULL;
  if (handle) (void)dlclose(handle);
  return start;
}

PyObject *library_path(PyObject *module, PyObject *args)
{
  const char *library = NULL;
  Dl_info info = {0};
  (void)module;
  if (args && !PyArg_ParseTuple(args, "|z", &library)) return NULL;
  const void *start = library ? find_start(library) : (const void *)(uintptr_t)PetscInitialize;
  const bool is_found = start && dladdr(start, &info) && info.dli_fname;
  return PyUnicode_DecodeFSDefault(is_found ? info.dli_fname : "");
}
