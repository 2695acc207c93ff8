/* Takes PETSc's vectors and matrices as arrays: (Layout, Local), whose memory is PETSc's. */
#include "python_petsc_impl.h"

typedef dap_status import_call(PetscObject object, dap_array *array, dap_layout **layout, dap_error *err);

/* The Local keeps the petsc4py object; the library's array has a reference of its own. */
static PyObject *import(PyObject *of, petsc_class class, import_call *import_object)
{
  PetscObject object = NULL;
  dap_array array;
  dap_layout *layout = NULL;
  dap_error err;
  dap_status s;
  if (!petsc4py_get(class, of, &object)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  s = import_object(object, &array, &layout, &err);
  Py_END_ALLOW_THREADS;
  if (s) return petsc_core->raise(s, &err);
  PyObject *first = petsc_core->new_layout(layout), *second = petsc_core->new_local(&array, of);
  PyObject *pair = first && second ? PyTuple_Pack(2, first, second) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  return pair;
}

static dap_status field(PetscObject object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_field_import((Vec)object, array, layout, err);
}

static dap_status field_local(PetscObject object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_field_import_local((Vec)object, array, layout, err);
}

static dap_status vector(PetscObject object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_vector_import((Vec)object, array, layout, err);
}

static dap_status matrix(PetscObject object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_matrix_import((Mat)object, array, layout, err);
}

PyObject *import_field(PyObject *module, PyObject *vec)
{
  (void)module;
  return import(vec, PETSC_VEC, field);
}

PyObject *import_field_local(PyObject *module, PyObject *vec)
{
  (void)module;
  return import(vec, PETSC_VEC, field_local);
}

PyObject *import_vector(PyObject *module, PyObject *vec)
{
  (void)module;
  return import(vec, PETSC_VEC, vector);
}

PyObject *import_matrix(PyObject *module, PyObject *mat)
{
  (void)module;
  return import(mat, PETSC_MAT, matrix);
}

/* petsc4py's Vec.getDM() does not make a DMDA of a DMDA. */
PyObject *import_dm_of(PyObject *module, PyObject *vec)
{
  PetscObject object = NULL;
  DM dm = NULL;
  (void)module;
  if (!petsc4py_get(PETSC_VEC, vec, &object)) return NULL;
  if (VecGetDM((Vec)object, &dm)) dm = NULL;
  return petsc4py_new(PETSC_DM, (PetscObject)dm);
}
