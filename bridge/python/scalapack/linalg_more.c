/* The functions of dapbridge/linalg_triangular.h, and the expert solver. */
#include "python_linalg_call.h"

#include <stdlib.h>

/* The type of the functions that solve and multiply. */
typedef dap_status triangular(MPI_Comm comm, char side, char uplo, char trans, char diag,
                              const double alpha[2], dap_darray a, dap_darray b,
                              const dap_linalg_options *options, dap_error *err);

static PyObject *call_triangular(triangular *function, PyObject *args)
{
  linalg_call call;
  dap_status s;
  double alpha[2] = {1, 0};
  if (!check_count(args, 9) || !begin(&call, args)) return NULL;
  const char side = letter(&call, args, 1), uplo = letter(&call, args, 2), trans = letter(&call, args, 3),
             diag = letter(&call, args, 4);
  number(&call, args, 5, alpha);
  const dap_darray a = argument(&call, args, 6), b = argument(&call, args, 7);
  PyThreadState *thread = PyEval_SaveThread();
  s = function(call.comm, side, uplo, trans, diag, alpha, first(&call, a), b, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *triangular_solve(PyObject *module, PyObject *args)
{
  (void)module;
  return call_triangular(dap_linalg_triangular_solve, args);
}

static PyObject *triangular_multiply(PyObject *module, PyObject *args)
{
  (void)module;
  return call_triangular(dap_linalg_triangular_multiply, args);
}

static PyObject *rank_k(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double alpha[2] = {1, 0}, beta[2] = {0};
  if (!check_count(args, 9) || !begin(&call, args)) return NULL;
  const char form = letter(&call, args, 1), uplo = letter(&call, args, 2), trans = letter(&call, args, 3);
  number(&call, args, 4, alpha);
  const dap_darray a = argument(&call, args, 5);
  number(&call, args, 6, beta);
  const dap_darray c = argument(&call, args, 7);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_rank_k(call.comm, form, uplo, trans, alpha, first(&call, a), beta, c, &call.options,
                        &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

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

static PyObject *solve_refined(PyObject *module, PyObject *args)
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

PyMethodDef linalg_more_methods[] = {
    {"triangular_solve", triangular_solve, METH_VARARGS, NULL},
    {"triangular_multiply", triangular_multiply, METH_VARARGS, NULL},
    {"rank_k", rank_k, METH_VARARGS, NULL},
    {"solve_refined", solve_refined, METH_VARARGS, NULL},
    {0},
};
