/* Defines the module dapbridge._scalapack. */
#include "python_scalapack_impl.h"

/* Which the module keeps. */
static bool add_type(PyObject *module, const char *name, PyTypeObject *type)
{
  const int failed = type ? PyModule_AddObjectRef(module, name, (PyObject *)type) : -1;
  Py_DecRef((PyObject *)type);
  return !failed;
}

static int execute(PyObject *module)
{
  scalapack_core = dap_py_import();
  if (!scalapack_core) return -1;
  if (!add_type(module, "Matrix", matrix_init_type()) || !add_type(module, "Factors", factors_init_type()))
    return -1;
  if (PyModule_AddFunctions(module, linalg_methods)) return -1;
  return PyModule_AddIntConstant(module, "INTEGER_SIZE", sizeof(dap_scalapack_int));
}

static PyMethodDef functions[] = {
    {"context_comm", import_context_comm, METH_O, NULL},
    {"import_matrix", import_matrix, METH_VARARGS, NULL},
    {"solve_refined", linalg_solve_refined, METH_VARARGS, NULL},
    {0},
};

PyMODINIT_FUNC PyInit__scalapack(void);
PyMODINIT_FUNC PyInit__scalapack(void)
{
  static PyModuleDef_Slot slots[] = {{Py_mod_exec, execute}, {0}};
  static PyModuleDef definition = {
      .m_base = PyModuleDef_HEAD_INIT, .m_name = "_scalapack", .m_methods = functions, .m_slots = slots};
  return PyModuleDef_Init(&definition);
}
