/* Calls dap_linalg_solve_refined(), which returns error bounds with one number for each right-hand side. */
#include "python_linalg_call.h"

#include <stdlib.h>

/* Numbers of each right-hand side. */
static PyObject *list_of(const double values[], Py_ssize_t count)
{
  PyObject *list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; i++) {
    PyObject *item = PyFloat_FromDouble(values[i]);
    if (item && PyList_SetItem(list, i, item) == 0) continue; /* which takes the item */
    Py_DecRef(list);
    return NULL;
  }
  return list;
}

PyObject *linalg_solve_refined(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  dap_linalg_refinement r = {0};
  if (!check_count(args, 6) || !begin(&call, args)) return NULL;
  const char trans = letter(&call, args, 1);
  const dap_darray a = argument(&call, args, 2), b = argument(&call, args, 3), x = argument(&call, args, 4);
  const bool is_wide = call.is_read && b.layout && dap_layout_ndim(b.layout) == 2;
  const Py_ssize_t nrhs = is_wide ? (Py_ssize_t)dap_layout_size(b.layout, 1) : 1;
  double *bounds = calloc(2 * (size_t)(nrhs > 0 ? nrhs : 1), sizeof *bounds);
  if (!bounds && call.is_read) PyErr_NoMemory();
  call.is_read = call.is_read && bounds;
  static double nowhere; /* of a process that cannot take part: its arguments are refused before */
  double *forward = bounds ? bounds : &nowhere, *backward = bounds ? bounds + nrhs : &nowhere;
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_solve_refined(call.comm, trans, first(&call, a), b, x, forward, backward, &r, &call.options,
                               &call.err);
  PyEval_RestoreThread(thread);
  PyObject *uses = finish(&call, s);
  PyObject *result =
      uses ? Py_BuildValue("(NNdNNiN)", list_of(forward, nrhs), list_of(backward, nrhs), r.rcond,
                           PyBool_FromLong(r.scaled_rows), PyBool_FromLong(r.scaled_columns), r.steps, uses)
           : NULL;
  free(bounds);
  return result;
}
