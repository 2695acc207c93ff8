/* Defines the module dapbridge._elpa, which dapbridge._scalapack.eigh() takes as its backend. */
#include "extension.h"

#include <dapbridge/elpa.h>
#include <limits.h>

static PyObject *backend(PyObject *module, PyObject *stages)
{
  (void)module;
  const long number = PyLong_AsLong(stages);
  if (number == -1 && PyErr_Occurred()) return NULL;
  const void *found = dap_elpa_backend(number >= 0 && number <= INT_MAX ? (int)number : -1);
  return PyCapsule_New((void *)found, DAP_PY_BACKEND, NULL);
}

static PyMethodDef functions[] = {
    {"backend", backend, METH_O, NULL},
    {0},
};

PyMODINIT_FUNC PyInit__elpa(void);
PyMODINIT_FUNC PyInit__elpa(void)
{
  static PyModuleDef_Slot slots[] = {{0}};
  static PyModuleDef definition = {
      .m_base = PyModuleDef_HEAD_INIT, .m_name = "_elpa", .m_methods = functions, .m_slots = slots};
  return PyModuleDef_Init(&definition);
}
