/* The library's log as a callable of Python's. */
#include "core_impl.h"

#include <string.h>

static PyObject *listener;

static void tell(void *context, const char *line)
{
  (void)context;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject *text = PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
  PyObject *result = text && listener ? PyObject_CallFunctionObjArgs(listener, text, NULL) : NULL;
  if (!result && PyErr_Occurred()) PyErr_WriteUnraisable(listener);
  Py_XDECREF(result);
  Py_XDECREF(text);
  PyGILState_Release(state);
}

PyObject *log_set(PyObject *module, PyObject *function)
{
  (void)module;
  if (function != Py_None && !PyCallable_Check(function))
    return errors_fail(DAP_ERR_ARG, "the log is neither a function nor None");
  PyObject *before = listener;
  listener = function == Py_None ? NULL : Py_NewRef(function);
  dap_log_set(listener ? tell : NULL, NULL);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}
