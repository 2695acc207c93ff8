/* Converts Python's values to C's, and back. */
#include "core_impl.h"

#include <dapbridge/context.h>
#include <limits.h>
#include <string.h>

bool value_is_bool(PyObject *value)
{
  if (PyBool_Check(value)) return true;
  PyObject *name = PyType_GetName(Py_TYPE(value));
  const char *type = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  const bool is_numpy = type && (!strcmp(type, "bool_") || !strcmp(type, "bool"));
  Py_XDECREF(name);
  return is_numpy;
}

bool value_int64(PyObject *value, const char *name, int64_t *result)
{
  int overflow = 0;
  PyObject *index = !PyLong_CheckExact(value) && value_is_bool(value) ? NULL : PyNumber_Index(value);
  if (!index) {
    PyErr_Clear();
    return errors_fail(DAP_ERR_ARG, "%s is not an integer", name);
  }
  *result = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (overflow) return errors_fail(DAP_ERR_RANGE, "%s is an integer of more than 63 bits", name);
  return true;
}

bool value_int(PyObject *value, const char *name, int *result)
{
  int64_t word = 0;
  if (!value_int64(value, name, &word)) return false;
  if (word < INT_MIN || word > INT_MAX)
    return errors_fail(DAP_ERR_RANGE, "%s is an integer of more than 31 bits", name);
  *result = (int)word;
  return true;
}

bool value_int64_list(PyObject *sequence, const char *name, Py_ssize_t *count, int64_t **result)
{
  *result = NULL;
  *count = 0;
  if (sequence == Py_None) return true;
  PyObject *tuple = PySequence_Tuple(sequence);
  if (!tuple) {
    PyErr_Clear();
    return errors_fail(DAP_ERR_ARG, "%s is not a sequence of integers", name);
  }
  *count = PyTuple_Size(tuple);
  *result = (int64_t *)PyMem_Calloc((size_t)*count + 1, sizeof **result);
  bool is_good = *result;
  if (!is_good) PyErr_NoMemory();
  for (Py_ssize_t i = 0; is_good && i < *count; i++)
    is_good = value_int64(PyTuple_GetItem(tuple, i), name, &(*result)[i]);
  Py_DECREF(tuple);
  if (is_good) return true;
  PyMem_Free(*result);
  *result = NULL;
  return false;
}

bool value_int64s(PyObject *sequence, const char *name, Py_ssize_t capacity, Py_ssize_t *count,
                  int64_t result[], bool *given)
{
  int64_t *values;
  Py_ssize_t found;
  *given = sequence != Py_None;
  if (!value_int64_list(sequence, name, &found, &values)) return false;
  const bool fits = !*given || (*count < 0 ? found <= capacity : found == *count);
  if (!fits)
    errors_fail(DAP_ERR_ARG, "%s has %lld integers, not %s%lld", name, (long long)found,
                *count < 0 ? "at most " : "", (long long)(*count < 0 ? capacity : *count));
  else if (*given && found > 0)
    memcpy(result, values, (size_t)found * sizeof *values);
  if (fits && *given) *count = found;
  PyMem_Free(values);
  return fits;
}

bool value_ints(PyObject *sequence, const char *name, Py_ssize_t capacity, Py_ssize_t *count, int result[],
                bool *given)
{
  int64_t words[DAP_MAX_NDIM];
  if (!value_int64s(sequence, name, capacity < DAP_MAX_NDIM ? capacity : DAP_MAX_NDIM, count, words, given))
    return false;
  for (Py_ssize_t i = 0; *given && i < *count; i++) {
    if (words[i] < INT_MIN || words[i] > INT_MAX)
      return errors_fail(DAP_ERR_RANGE, "%s: an integer of more than 31 bits", name);
    result[i] = (int)words[i];
  }
  return true;
}

PyObject *value_tuple(const int64_t values[], int count)
{
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; i++) {
    PyObject *item = PyLong_FromLongLong(values[i]);
    if (!item) Py_CLEAR(tuple);
    if (tuple) PyTuple_SetItem(tuple, i, item);
  }
  return tuple;
}

PyObject *value_list(const int values[], int count)
{
  PyObject *list = PyList_New(count);
  for (int i = 0; list && i < count; i++) {
    PyObject *item = PyLong_FromLong(values[i]);
    if (!item) Py_CLEAR(list);
    if (list) PyList_SetItem(list, i, item);
  }
  return list;
}

PyObject *value_text(value_describe *describe, const void *object)
{
  const size_t length = describe(object, NULL, 0);
  char *text = (char *)PyMem_Malloc(length + 1);
  if (!text) return PyErr_NoMemory();
  (void)describe(object, text, length + 1);
  PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
  PyMem_Free(text);
  return result;
}

bool value_indices(PyObject *buffer, int width, Py_buffer *view, int64_t *count)
{
  dap_dtype dtype = DAP_NONE;
  bool swapped;
  if (PyObject_GetBuffer(buffer, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) return false;
  const bool is_int64 =
      dap_dtype_parse(view->format, &dtype, &swapped, NULL) == DAP_OK && dtype == DAP_I8 && !swapped;
  const Py_ssize_t bytes = (Py_ssize_t)sizeof(int64_t) * (width > 0 ? width : 1);
  const bool is_aligned = (uintptr_t)view->buf % _Alignof(int64_t) == 0;
  if (!is_int64 || !is_aligned || view->len % bytes != 0) {
    PyBuffer_Release(view);
    return errors_fail(DAP_ERR_ARG, "indices: not %sint64 of %d axes", is_aligned ? "" : "aligned ", width);
  }
  *count = view->len / bytes;
  return true;
}

bool value_comm(PyObject *handle, MPI_Comm *comm)
{
  int word = 0;
  if (!value_int(handle, "the communicator's handle", &word)) return false;
  if (!dap_mpi_is_running()) /* MPI would end the program */
    return errors_fail(DAP_ERR_LIBRARY, "MPI is not running: it was finalised, or not initialised");
  *comm = MPI_Comm_f2c((MPI_Fint)word);
  return true;
}

bool value_dtype(PyObject *name, dap_dtype *dtype)
{
  *dtype = DAP_NONE;
  if (name == Py_None) return true;
  const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  for (int type = DAP_BOOL; text && type <= DAP_C32; type++)
    if (!strcmp(text, dap_dtype_name((dap_dtype)type))) *dtype = (dap_dtype)type;
  if (*dtype == DAP_NONE)
    return errors_fail(DAP_ERR_BUFFER, "%s is not the name of an element type", text ? text : "the type");
  return true;
}

PyObject *value_item(PyObject *sequence, Py_ssize_t i, const char *name)
{
  PyObject *item = PyTuple_Check(sequence) ? PyTuple_GetItem(sequence, i) : NULL;
  if (!item) {
    PyErr_Clear();
    return errors_fail(DAP_ERR_ARG, "%s: not a tuple of more than %lld items", name, (long long)i);
  }
  return item;
}

bool value_part(PyObject *tuple, dap_py_part *result)
{
  static const char *const names[] = {"part: axes", "part: start", "part: shape"};
  *result = (dap_py_part){0};
  if (tuple == Py_None) return true;
  bool given[3];
  Py_ssize_t naxes = -1, any = -1;
  PyObject *items[3];
  for (int i = 0; i < 3; i++) {
    items[i] = value_item(tuple, i, names[i]);
    if (!items[i]) return false;
  }
  if (!value_ints(items[0], names[0], DAP_MAX_NDIM, &naxes, result->axes, &given[0])) return false;
  if (!value_int64s(items[1], names[1], DAP_MAX_NDIM, &any, result->start, &given[1])) return false;
  any = -1;
  if (!value_int64s(items[2], names[2], DAP_MAX_NDIM, &any, result->shape, &given[2])) return false;
  result->part = (dap_part){.naxes = given[0] ? (int)naxes : 0,
                            .axes = given[0] ? result->axes : NULL,
                            .start = given[1] ? result->start : NULL,
                            .shape = given[2] ? result->shape : NULL};
  return true;
}

bool value_order(PyObject *order, dap_order *result)
{
  const char *text = PyUnicode_Check(order) ? PyUnicode_AsUTF8AndSize(order, NULL) : NULL;
  if (!text || (strcmp(text, "C") != 0 && strcmp(text, "F") != 0))
    return errors_fail(DAP_ERR_ARG, "order: neither 'C' nor 'F'");
  *result = text[0] == 'C' ? DAP_ORDER_C : DAP_ORDER_F;
  return true;
}

bool value_truth(PyObject *value, bool *result)
{
  const int truth = PyObject_IsTrue(value);
  *result = truth == 1;
  return truth >= 0;
}

bool value_options(PyObject *dict, value_option *read, void *context)
{
  PyObject *key, *value;
  Py_ssize_t place = 0;
  if (!PyDict_Check(dict)) return errors_fail(DAP_ERR_ARG, "options: not a dict");
  PyObject *own = PyDict_Copy(dict); /* which no value's __index__() can change */
  bool is_good = own;
  while (is_good && PyDict_Next(own, &place, &key, &value)) {
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : "";
    is_good = name && read(name, value, context);
  }
  Py_XDECREF(own);
  return is_good;
}
