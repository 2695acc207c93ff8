/* Defines the module dapbridge._petsc_<build>. */
#include "python_petsc_impl.h"

static PyMethodDef functions[] = {
    {"version", library_version, METH_NOARGS,
     "Returns the version of the PETSc library that this module uses."},
    {"library_path", library_path, METH_VARARGS,
     "library_path(module=None): returns the path of the PETSc library that this module, or another loaded "
     "extension module, uses."},
    {"import_field", import_field, METH_O, "A global vector of a DMDA. Collective."},
    {"import_field_local", import_field_local, METH_O, "A local vector of a DMDA. Collective."},
    {"import_vector", import_vector, METH_O, "A vector. Collective."},
    {"import_matrix", import_matrix, METH_O, "A dense matrix. Collective."},
    {"dm_of", import_dm_of, METH_O, "Returns the DM of a vector, as an object of its own class, or None."},
    {0}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = PETSC_MODULE_NAME,
                                        .m_doc = "Arrays of dapbridge as objects of petsc4py.", .m_size = -1,
                                        .m_methods = functions};

/* numpy's name of PetscScalar. */
static const char *scalar_name(void)
{
#if defined(PETSC_USE_COMPLEX)
  return sizeof(PetscReal) == 8 ? "complex128" : "complex64";
#else
  return sizeof(PetscReal) == 8 ? "float64" : "float32";
#endif
}

static bool add_type(PyObject *module, const char *name, PyTypeObject *type)
{
  const bool is_good = type && PyModule_AddObjectRef(module, name, (PyObject *)type) == 0;
  Py_XDECREF((PyObject *)type);
  return is_good;
}

static bool fill(PyObject *module)
{
  return library_check() && add_type(module, "Field", field_type()) &&
         add_type(module, "Vector", vector_type()) && add_type(module, "Matrix", matrix_type()) &&
         PyModule_AddStringConstant(module, "SCALAR", scalar_name()) == 0 &&
         PyModule_AddIntConstant(module, "INT_SIZE", (long)sizeof(PetscInt)) == 0;
}

#define INIT_(module) PyInit_##module
#define INIT(module) INIT_(module)

PyMODINIT_FUNC INIT(DAP_PY_MODULE)(void)
{
  petsc_core = dap_py_import();
  PyObject *module = petsc_core && petsc4py_init() ? PyModule_Create(&definition) : NULL;
  if (module && !fill(module)) Py_CLEAR(module);
  return module;
}
