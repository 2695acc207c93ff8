/* Declares functions and types that the functions of linear algebra share, to read arguments and to return
 * results. */
#ifndef DAP_PYTHON_LINALG_CALL_H
#define DAP_PYTHON_LINALG_CALL_H

#include "python_scalapack_impl.h"

typedef struct linalg_call {
  MPI_Comm comm;
  dap_linalg_options options;
  dap_linalg_report report;
  dap_error err;
  bool is_read; /* this process could read all arguments */
} linalg_call;

/* ---- before ----------------------------------------------------------------------------------------- */

/* The communicator and the options, the first and the last argument. False: nothing can be called. */
static inline bool begin(linalg_call *call, PyObject *args)
{
  *call = (linalg_call){.is_read = true};
  const Py_ssize_t count = PyTuple_Size(args);
  PyObject *handle = PyTuple_GetItem(args, 0);
  if (!handle || !scalapack_core->comm(handle, &call->comm)) return false;
  call->is_read = options_of_linalg(PyTuple_GetItem(args, count - 1), &call->options);
  call->options.report = &call->report;
  return true;
}

/* An operand, a tuple of a layout and a local array; zeroed for None, and if it cannot be read. */
static inline dap_darray operand(linalg_call *call, PyObject *pair)
{
  dap_darray array = {0};
  if (!call->is_read || Py_IsNone(pair)) return array;
  call->is_read = false;
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
    PyErr_Format(PyExc_TypeError, "%R is not a pair of a Layout and a Local", pair);
    return array;
  }
  call->is_read = scalapack_core->darray(PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), &array);
  return call->is_read ? array : (dap_darray){0};
}

static inline dap_darray argument(linalg_call *call, PyObject *args, int i)
{
  PyObject *pair = PyTuple_GetItem(args, i);
  if (!pair) call->is_read = false;
  return pair ? operand(call, pair) : (dap_darray){0};
}

/* The first operand: none at all if this process could not read its arguments, which is an error on all. */
static inline dap_darray first(const linalg_call *call, dap_darray array)
{
  return call->is_read ? array : (dap_darray){0};
}

/* A letter that the library checks. */
static inline char letter(linalg_call *call, PyObject *args, int i)
{
  PyObject *item = call->is_read ? PyTuple_GetItem(args, i) : NULL;
  Py_ssize_t length = 0;
  const char *text = item && PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &length) : NULL;
  if (text && length == 1) return text[0];
  if (call->is_read && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%R is not one letter", item);
  call->is_read = false;
  return 'N';
}

static inline void number(linalg_call *call, PyObject *args, int i, double result[2])
{
  PyObject *item = call->is_read ? PyTuple_GetItem(args, i) : NULL;
  if (!item) {
    call->is_read = false;
    return;
  }
  result[0] = PyComplex_RealAsDouble(item);
  result[1] = PyComplex_Check(item) ? PyComplex_ImagAsDouble(item) : 0;
  call->is_read = !PyErr_Occurred();
}

/* A whole number; `name` is for the error. */
static inline int64_t whole_number(linalg_call *call, PyObject *args, int i, const char *name)
{
  int64_t value = 0;
  PyObject *item = call->is_read ? PyTuple_GetItem(args, i) : NULL;
  call->is_read = item && option_int(item, name, &value);
  return value;
}

/* ---- after ------------------------------------------------------------------------------------------ */

static inline PyObject *uses_of(const dap_linalg_report *report)
{
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < report->count; i++) {
    const dap_linalg_use *use = &report->uses[i];
    PyObject *item = Py_BuildValue("(sOLs)", use->name, use->shared ? Py_True : Py_False,
                                   (long long)use->moved_bytes, use->reason);
    if (item && PyList_Append(list, item) == 0) {
      Py_DecRef(item);
      continue;
    }
    Py_DecRef(item);
    Py_DecRef(list);
    return NULL;
  }
  return list;
}

/* The uses, or the exception of a status, unless this process has one of its own. */
static inline PyObject *finish(const linalg_call *call, dap_status s)
{
  if (!call->is_read) return NULL;
  return s ? scalapack_core->raise(s, &call->err) : uses_of(&call->report);
}

static inline bool check_count(PyObject *args, Py_ssize_t count)
{
  if (PyTuple_Size(args) == count) return true;
  PyErr_Format(PyExc_TypeError, "%zd arguments, not %zd", PyTuple_Size(args), count);
  return false;
}

#endif
