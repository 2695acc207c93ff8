/* Passes the library's log to a Python function. */
#include "core_impl.h"

#include <string.h>

static PyObject *listener;

static void pass_line(void *context, const char *line)
{
  PyObject *type, *value, *traceback;
  (void)context;
  if (!Py_IsInitialized()) return; /* MPI_Finalize may come after the interpreter's end */
  const PyGILState_STATE state = PyGILState_Ensure();
  PyErr_Fetch(&type, &value, &traceback); /* objects may be ended while an exception is on its way */
  PyObject *function = Py_XNewRef(listener);
  PyObject *text = PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
  PyObject *result = text && function ? PyObject_CallFunctionObjArgs(function, text, NULL) : NULL;
  if (PyErr_Occurred()) PyErr_WriteUnraisable(function);
  Py_XDECREF(result);
  Py_XDECREF(text);
  Py_XDECREF(function);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(state);
}

PyObject *log_set(PyObject *module, PyObject *function)
{
  (void)module;
  if (function != Py_None && !PyCallable_Check(function))
    return errors_fail(DAP_ERR_ARG, "the log is neither a function nor None");
  PyObject *before = listener;
  listener = function == Py_None ? NULL : Py_NewRef(function);
  dap_log_set(listener ? pass_line : NULL, NULL);
  Py_XDECREF(before);
  return Py_NewRef(Py_None);
}
