/* The functions of dapbridge/linalg.h. */
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
static bool begin(linalg_call *call, PyObject *args)
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
static dap_darray operand(linalg_call *call, PyObject *pair)
{
  dap_darray array = {0};
  if (!call->is_read || Py_IsNone(pair)) return array;
  call->is_read = false;
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
    PyErr_Format(PyExc_TypeError, "%R is no pair of a Layout and a Local", pair);
    return array;
  }
  call->is_read = scalapack_core->darray(PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), &array);
  return call->is_read ? array : (dap_darray){0};
}

static dap_darray argument(linalg_call *call, PyObject *args, int i)
{
  PyObject *pair = PyTuple_GetItem(args, i);
  if (!pair) call->is_read = false;
  return pair ? operand(call, pair) : (dap_darray){0};
}

/* The first operand: none at all if this process could not read its arguments, which is an error on all. */
static dap_darray first(const linalg_call *call, dap_darray array)
{
  return call->is_read ? array : (dap_darray){0};
}

/* A letter that the library checks. */
static char letter(linalg_call *call, PyObject *args, int i)
{
  PyObject *item = call->is_read ? PyTuple_GetItem(args, i) : NULL;
  Py_ssize_t length = 0;
  const char *text = item && PyUnicode_Check(item) ? PyUnicode_AsUTF8AndSize(item, &length) : NULL;
  if (text && length == 1) return text[0];
  if (call->is_read && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%R is not one letter", item);
  call->is_read = false;
  return 'N';
}

static void number(linalg_call *call, PyObject *args, int i, double result[2])
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

/* ---- after ------------------------------------------------------------------------------------------ */

static PyObject *uses_of(const dap_linalg_report *report)
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
static PyObject *finish(const linalg_call *call, dap_status s)
{
  if (!call->is_read) return NULL;
  return s ? scalapack_core->raise(s, &call->err) : uses_of(&call->report);
}

/* The same of a function that has a number as result, too. */
static PyObject *finish_number(const linalg_call *call, dap_status s, double value)
{
  PyObject *uses = finish(call, s);
  return uses ? Py_BuildValue("(dN)", value, uses) : NULL;
}

/* ---- the functions ---------------------------------------------------------------------------------- */

static bool check_count(PyObject *args, Py_ssize_t count)
{
  if (PyTuple_Size(args) == count) return true;
  PyErr_Format(PyExc_TypeError, "%zd arguments, not %zd", PyTuple_Size(args), count);
  return false;
}

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

/* Of one matrix, or with a second one of a pair. */
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
