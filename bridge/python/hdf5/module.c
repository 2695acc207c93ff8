/* Defines the module dapbridge._hdf5, which the functions of dapbridge._core for files take as their
 * format. */
#include "extension.h"

#include <dapbridge/hdf5.h>

static PyObject *format(PyObject *module, PyObject *nothing)
{
  (void)module, (void)nothing;
  return PyCapsule_New((void *)dap_file_hdf5(), DAP_PY_FILE_FORMAT, NULL);
}

static PyMethodDef functions[] = {
    {"format", format, METH_NOARGS, NULL},
    {0},
};

PyMODINIT_FUNC PyInit__hdf5(void);
PyMODINIT_FUNC PyInit__hdf5(void)
{
  static PyModuleDef_Slot slots[] = {{0}};
  static PyModuleDef definition = {
      .m_base = PyModuleDef_HEAD_INIT, .m_name = "_hdf5", .m_methods = functions, .m_slots = slots};
  return PyModuleDef_Init(&definition);
}
