/* Raises the library's statuses as Python's exceptions. */
#include "core_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STATUSES = DAP_ERR_FILE + 1 };

static PyObject *exceptions[STATUSES]; /* by status; never released */

bool errors_init(void)
{
  PyObject *module = PyImport_ImportModule("dapbridge._errors");
  PyObject *by_name = module ? PyObject_GetAttrString(module, "by_name") : NULL;
  Py_XDECREF(module);
  for (int status = 1; by_name && status < STATUSES; status++) {
    PyObject *exception = PyMapping_GetItemString(by_name, dap_status_name((dap_status)status));
    if (!exception) Py_CLEAR(by_name);
    Py_XDECREF(exceptions[status]);
    exceptions[status] = exception;
  }
  Py_XDECREF(by_name);
  return by_name != NULL;
}

static PyObject *raise_text(dap_status status, const char *text, int rank, int rule)
{
  PyObject *class = status > DAP_OK && status <= DAP_ERR_FILE ? exceptions[status] : PyExc_SystemError;
  PyErr_Clear(); /* Python code must not be called with an exception on its way */
  PyObject *words = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  PyObject *exception = words ? PyObject_CallFunction(class, "Oii", words, rank, rule) : NULL;
  if (exception) PyErr_SetObject(class, exception);
  Py_XDECREF(exception);
  Py_XDECREF(words);
  return NULL;
}

PyObject *errors_raise(dap_status status, const dap_error *err)
{
  return raise_text(status, err->text, err->rank, err->rule);
}

PyObject *errors_fail(dap_status status, const char *format, ...)
{
  char text[DAP_ERROR_TEXT];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return raise_text(status, text, -1, 0);
}
