/* The functions of dapbridge/linalg.h. */
#include "python_linalg_call.h"

/* ---- the functions ---------------------------------------------------------------------------------- */

static PyObject *solve(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 5) || !begin(&call, args)) return NULL;
  const char trans = letter(&call, args, 1);
  const dap_darray a = argument(&call, args, 2), b = argument(&call, args, 3);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_solve(call.comm, trans, first(&call, a), b, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *cholesky_solve(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 5) || !begin(&call, args)) return NULL;
  const char uplo = letter(&call, args, 1);
  const dap_darray a = argument(&call, args, 2), b = argument(&call, args, 3);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_cholesky_solve(call.comm, uplo, first(&call, a), b, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *least_squares(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 5) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1), b = argument(&call, args, 2), x = argument(&call, args, 3);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_least_squares(call.comm, first(&call, a), b, x, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *inverse(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 3) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_inverse(call.comm, first(&call, a), &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *determinant(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double sign[2] = {0}, log = 0;
  if (!check_count(args, 3) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_determinant(call.comm, first(&call, a), sign, &log, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  PyObject *uses = finish(&call, s);
  return uses ? Py_BuildValue("(NdN)", PyComplex_FromDoubles(sign[0], sign[1]), log, uses) : NULL;
}

static PyObject *condition(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double rcond = 0;
  if (!check_count(args, 4) || !begin(&call, args)) return NULL;
  const char norm = letter(&call, args, 1);
  const dap_darray a = argument(&call, args, 2);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_condition(call.comm, norm, first(&call, a), &rcond, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish_number(&call, s, rcond);
}

static PyObject *multiply(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double alpha[2] = {1, 0}, beta[2] = {0};
  if (!check_count(args, 9) || !begin(&call, args)) return NULL;
  const char trans_a = letter(&call, args, 1), trans_b = letter(&call, args, 2);
  number(&call, args, 3, alpha);
  const dap_darray a = argument(&call, args, 4), b = argument(&call, args, 5);
  number(&call, args, 6, beta);
  const dap_darray c = argument(&call, args, 7);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_multiply(call.comm, trans_a, trans_b, alpha, first(&call, a), b, beta, c, &call.options,
                          &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *norm(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  double value = 0;
  if (!check_count(args, 4) || !begin(&call, args)) return NULL;
  const char kind = letter(&call, args, 1);
  const dap_darray a = argument(&call, args, 2);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_norm(call.comm, kind, first(&call, a), &value, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish_number(&call, s, value);
}

static PyObject *qr(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 5) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1), q = argument(&call, args, 2), r = argument(&call, args, 3);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_qr(call.comm, first(&call, a), q, r, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

/* Finds eigenvalues of one matrix, or of a pair. */
static PyObject *eigh(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 7) || !begin(&call, args)) return NULL;
  const char uplo = letter(&call, args, 1);
  const bool is_pair = !Py_IsNone(PyTuple_GetItem(args, 3));
  const dap_darray a = argument(&call, args, 2), b = argument(&call, args, 3);
  const dap_darray w = argument(&call, args, 4), z = argument(&call, args, 5);
  PyThreadState *thread = PyEval_SaveThread();
  if (is_pair)
    s = dap_linalg_eigh_generalized(call.comm, uplo, first(&call, a), b, w, z, &call.options, &call.err);
  else
    s = dap_linalg_eigh(call.comm, uplo, first(&call, a), w, z, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  PyObject *uses = finish(&call, s);
  return uses ? Py_BuildValue("(LN)", (long long)call.report.found, uses) : NULL;
}

static PyObject *svd(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 6) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1), u = argument(&call, args, 2);
  const dap_darray singular = argument(&call, args, 3), vt = argument(&call, args, 4);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_svd(call.comm, first(&call, a), u, singular, vt, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

PyMethodDef linalg_methods[] = {
    {"solve", solve, METH_VARARGS, NULL},
    {"cholesky_solve", cholesky_solve, METH_VARARGS, NULL},
    {"least_squares", least_squares, METH_VARARGS, NULL},
    {"inverse", inverse, METH_VARARGS, NULL},
    {"determinant", determinant, METH_VARARGS, NULL},
    {"condition", condition, METH_VARARGS, NULL},
    {"multiply", multiply, METH_VARARGS, NULL},
    {"norm", norm, METH_VARARGS, NULL},
    {"qr", qr, METH_VARARGS, NULL},
    {"eigh", eigh, METH_VARARGS, NULL},
    {"svd", svd, METH_VARARGS, NULL},
    {0},
};
