/* The functions of dapbridge/linalg_banded.h that scipy has, and of dapbridge/linalg_rank.h. */
#include "python_linalg_call.h"

#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_rank.h>

static PyObject *banded_solve(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 6) || !begin(&call, args)) return NULL;
  const int64_t lower = whole_number(&call, args, 1, "lower"), upper = whole_number(&call, args, 2, "upper");
  const dap_darray ab = argument(&call, args, 3), b = argument(&call, args, 4);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_banded_solve(call.comm, lower, upper, first(&call, ab), b, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *positive_banded_solve(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 5) || !begin(&call, args)) return NULL;
  const char uplo = letter(&call, args, 1);
  const dap_darray ab = argument(&call, args, 2), b = argument(&call, args, 3);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_positive_banded_solve(call.comm, uplo, first(&call, ab), b, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *finish_rank(const linalg_call *call, dap_status s, int64_t rank)
{
  PyObject *uses = finish(call, s);
  return uses ? Py_BuildValue("(LN)", (long long)rank, uses) : NULL;
}

static PyObject *qr_pivoted(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double tolerance[2] = {-1, 0};
  int64_t rank = 0;
  if (!check_count(args, 7) || !begin(&call, args)) return NULL;
  number(&call, args, 1, tolerance);
  const dap_darray a = argument(&call, args, 2), q = argument(&call, args, 3);
  const dap_darray r = argument(&call, args, 4), p = argument(&call, args, 5);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_qr_pivoted(call.comm, tolerance[0], first(&call, a), q, r, p, &rank, &call.options,
                            &call.err);
  PyEval_RestoreThread(thread);
  return finish_rank(&call, s, rank);
}

static PyObject *least_squares_rank(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double tolerance[2] = {-1, 0};
  int64_t rank = 0;
  if (!check_count(args, 6) || !begin(&call, args)) return NULL;
  number(&call, args, 1, tolerance);
  const dap_darray a = argument(&call, args, 2), b = argument(&call, args, 3), x = argument(&call, args, 4);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_least_squares_rank(call.comm, tolerance[0], first(&call, a), b, x, &rank, &call.options,
                                    &call.err);
  PyEval_RestoreThread(thread);
  return finish_rank(&call, s, rank);
}

PyMethodDef linalg_banded_methods[] = {
    {"banded_solve", banded_solve, METH_VARARGS, NULL},
    {"positive_banded_solve", positive_banded_solve, METH_VARARGS, NULL},
    {"qr_pivoted", qr_pivoted, METH_VARARGS, NULL},
    {"least_squares_rank", least_squares_rank, METH_VARARGS, NULL},
    {0},
};
