/* Reads the options of views: converts a dict of Python's values to C's. */
#include "python_petsc_impl.h"

#include <string.h>

const dap_py_api *petsc_core;

bool option_fail(const char *format, const char *name)
{
  dap_error err;
  char text[DAP_ERROR_TEXT];
  (void)PyOS_snprintf(text, sizeof text, format, name);
  (void)petsc_core->raise(dap_fail(&err, DAP_ERR_ARG, "%s", text), &err);
  return false;
}

bool option_bool(PyObject *value, bool *result)
{
  const int truth = PyObject_IsTrue(value);
  *result = truth == 1;
  return truth >= 0;
}

bool option_int64(PyObject *value, const char *name, int64_t *result)
{
  int overflow = 0;
  PyObject *index = PyBool_Check(value) ? NULL : PyNumber_Index(value);
  if (!index) {
    PyErr_Clear();
    return option_fail("%.40s: not an integer", name);
  }
  *result = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  return overflow ? option_fail("%.40s: an integer of more than 63 bits", name) : true;
}

bool option_order(PyObject *value, dap_order *order)
{
  static const char *const words[] = {"", "C", "F", NULL};
  static const dap_order orders[] = {(dap_order)0, DAP_ORDER_C, DAP_ORDER_F};
  int word = 0;
  if (!dap_py_word(petsc_core, value, "order", words, &word)) return false;
  *order = orders[word];
  return true;
}

static bool read_sharing(PyObject *value, dap_sharing *sharing)
{
  static const char *const words[] = {"if-possible", "required", "never", NULL};
  int word = 0;
  if (!dap_py_word(petsc_core, value, "share", words, &word)) return false;
  *sharing = (dap_sharing)word;
  return true;
}

static bool read_one(const char *name, PyObject *value, option_read *read, view_request *request)
{
  if (!strcmp(name, "share")) return read_sharing(value, &request->sharing);
  if (!strcmp(name, "lossy")) return option_bool(value, &request->lossy);
  if (!strcmp(name, "part")) return petsc_core->part(value, &request->part);
  return read(name, value, request);
}

bool options_read(PyObject *dict, option_read *read, view_request *request)
{
  PyObject *key, *value;
  Py_ssize_t place = 0;
  if (!PyDict_Check(dict)) return option_fail("%s: not a dict", "options");
  while (PyDict_Next(dict, &place, &key, &value)) {
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : "";
    if (!name || !read_one(name, value, read, request)) return false;
  }
  return true;
}
