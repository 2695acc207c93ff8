/* Finds where the program called the package, for the line about a long wait. */
#include "core_impl.h"

#include <stdio.h>

static PyObject *finder;

static void find(void *context, char *text, size_t capacity)
{
  PyObject *type, *value, *traceback;
  (void)context;
  if (!Py_IsInitialized()) return; /* MPI_Finalize may come after the interpreter's end */
  const PyGILState_STATE state = PyGILState_Ensure();
  PyErr_Fetch(&type, &value, &traceback);
  PyObject *function = Py_XNewRef(finder);
  PyObject *found = function ? PyObject_CallFunctionObjArgs(function, NULL) : NULL;
  const char *words = found && PyUnicode_Check(found) ? PyUnicode_AsUTF8AndSize(found, NULL) : NULL;
  if (words) (void)snprintf(text, capacity, "%s", words);
  if (PyErr_Occurred()) PyErr_WriteUnraisable(function);
  Py_XDECREF(found);
  Py_XDECREF(function);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
}

PyObject *call_site_set(PyObject *module, PyObject *function)
{
  (void)module;
  if (function != Py_None && !PyCallable_Check(function))
    return errors_fail(DAP_ERR_ARG, "what finds the place of a call is neither a function nor None");
  PyObject *before = finder;
  finder = function == Py_None ? NULL : Py_NewRef(function);
  dap_call_site_set(finder ? find : NULL, NULL);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}
