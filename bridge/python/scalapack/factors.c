/* Defines the type Factors: a matrix's factors, kept. It holds its matrix's array, in whose memory they may
 * be. */
#include "python_linalg_call.h"

static PyTypeObject *factors_type;

typedef struct factors_object {
  PyObject ob_base;
  dap_linalg_factors *factors; /* NULL: destroyed */
  PyObject *local;
  int users; /* threads that compute with them, without the interpreter's lock */
} factors_object;

static factors_object *factors(PyObject *self)
{
  return (factors_object *)(void *)self;
}

/* ---- made and ended ----------------------------------------------------------------------------------- */

static PyObject *make(PyObject *args, Py_ssize_t pair)
{
  allocfunc alloc = (allocfunc)PyType_GetSlot(factors_type, Py_tp_alloc);
  PyObject *self = alloc(factors_type, 0), *operand = PyTuple_GetItem(args, pair);
  if (self) factors(self)->local = Py_NewRef(operand ? operand : Py_None);
  return self;
}

/* (Factors, uses), which takes self. A matrix whose factors are in a copy is not needed any more. */
static PyObject *made(PyObject *self, linalg_call *call, dap_status s)
{
  if (self && !s && !call->report.uses[0].shared) Py_CLEAR(factors(self)->local);
  PyObject *uses = finish(call, s);
  if (uses && self) return Py_BuildValue("(NN)", self, uses);
  Py_DecRef(uses);
  Py_DecRef(self);
  return NULL;
}

static PyObject *lu(PyObject *type, PyObject *args)
{
  (void)type;
  linalg_call call;
  dap_status s;
  dap_linalg_factors *result = NULL;
  if (!check_count(args, 3) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1);
  PyObject *self = call.is_read ? make(args, 1) : NULL;
  call.is_read = self != NULL;
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_lu(call.comm, first(&call, a), &call.options, &result, &call.err);
  PyEval_RestoreThread(thread);
  if (self) factors(self)->factors = result;
  return made(self, &call, s);
}

static PyObject *cholesky(PyObject *type, PyObject *args)
{
  (void)type;
  linalg_call call;
  dap_status s;
  dap_linalg_factors *result = NULL;
  if (!check_count(args, 4) || !begin(&call, args)) return NULL;
  const char uplo = letter(&call, args, 1);
  const dap_darray a = argument(&call, args, 2);
  PyObject *self = call.is_read ? make(args, 2) : NULL;
  call.is_read = self != NULL;
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_cholesky(call.comm, uplo, first(&call, a), &call.options, &result, &call.err);
  PyEval_RestoreThread(thread);
  if (self) factors(self)->factors = result;
  return made(self, &call, s);
}

/* Not collective, so that it may be when no reference is left. */
static void end(PyObject *self)
{
  dap_linalg_factors_destroy(&factors(self)->factors);
  Py_CLEAR(factors(self)->local);
}

static PyObject *destroy(PyObject *self, PyObject *unused)
{
  (void)unused;
  if (factors(self)->users > 0) return option_fail("another thread is using the factors"), NULL;
  end(self);
  return Py_NewRef(Py_None);
}

static void drop(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  end(self);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DecRef((PyObject *)(void *)type);
}

/* ---- used --------------------------------------------------------------------------------------------- */

/* Gives the interpreter's lock away, because other processes may wait for it; and takes it again. */
static PyThreadState *leave(PyObject *self)
{
  factors(self)->users++;
  return PyEval_SaveThread();
}

static void enter(PyObject *self, PyThreadState *thread)
{
  PyEval_RestoreThread(thread);
  factors(self)->users--;
}

/* Begins a call whose arguments have a communicator for those that cannot read theirs. */
static bool use(PyObject *self, linalg_call *call, PyObject *args, Py_ssize_t count)
{
  return check_count(args, count) && begin(call, args) &&
         (factors(self)->factors || option_fail("the factors were destroyed"));
}

static PyObject *solve(PyObject *self, PyObject *args)
{
  linalg_call call;
  dap_status s;
  if (!use(self, &call, args, 4)) return NULL;
  const char trans = letter(&call, args, 1);
  const dap_darray b = argument(&call, args, 2);
  PyThreadState *thread = leave(self);
  s = dap_linalg_factors_solve(factors(self)->factors, trans, first(&call, b), &call.options, &call.err);
  enter(self, thread);
  return finish(&call, s);
}

static PyObject *inverse(PyObject *self, PyObject *args)
{
  linalg_call call;
  dap_status s;
  if (!use(self, &call, args, 3)) return NULL;
  const dap_darray x = argument(&call, args, 1);
  PyThreadState *thread = leave(self);
  s = dap_linalg_factors_inverse(factors(self)->factors, first(&call, x), &call.options, &call.err);
  enter(self, thread);
  return finish(&call, s);
}

static PyObject *determinant(PyObject *self, PyObject *unused)
{
  (void)unused;
  double sign[2] = {0}, log = 0;
  dap_error err = {.rank = -1};
  PyThreadState *thread = leave(self);
  const dap_status s = dap_linalg_factors_determinant(factors(self)->factors, sign, &log, &err);
  enter(self, thread);
  if (s) return scalapack_core->raise(s, &err);
  return Py_BuildValue("(Nd)", PyComplex_FromDoubles(sign[0], sign[1]), log);
}

static PyObject *condition(PyObject *self, PyObject *norm)
{
  double rcond = 0;
  dap_error err = {.rank = -1};
  Py_ssize_t length = 0;
  const char *text = PyUnicode_Check(norm) ? PyUnicode_AsUTF8AndSize(norm, &length) : NULL;
  const char kind = text && length == 1 ? text[0] : '?'; /* which all processes are told */
  PyThreadState *thread = leave(self);
  const dap_status s = dap_linalg_factors_condition(factors(self)->factors, kind, &rcond, &err);
  enter(self, thread);
  return s ? scalapack_core->raise(s, &err) : PyFloat_FromDouble(rcond);
}

static PyObject *get_is_live(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(factors(self)->factors != NULL);
}

PyTypeObject *factors_init_type(void)
{
  static PyMethodDef methods[] = {
      {"lu", lu, METH_VARARGS | METH_CLASS, NULL},
      {"cholesky", cholesky, METH_VARARGS | METH_CLASS, NULL},
      {"solve", solve, METH_VARARGS, NULL},
      {"inverse", inverse, METH_VARARGS, NULL},
      {"determinant", determinant, METH_NOARGS, NULL},
      {"condition", condition, METH_O, NULL},
      {"destroy", destroy, METH_NOARGS, NULL},
      {0},
  };
  static PyGetSetDef attributes[] = {{.name = "is_live", .get = get_is_live}, {0}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, "Factors of a matrix, made once and used many times."},
      {Py_tp_dealloc, drop},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {0},
  };
  static PyType_Spec spec = {
      .name = "dapbridge._scalapack.Factors",
      .basicsize = sizeof(factors_object),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
      .slots = slots,
  };
  factors_type = (PyTypeObject *)(void *)PyType_FromSpec(&spec);
  return factors_type;
}
