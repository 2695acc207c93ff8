/* The functions of dapbridge/linalg_schur.h. */
#include "python_linalg_call.h"

#include <dapbridge/linalg_schur.h>

static PyObject *schur(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 6) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1), t = argument(&call, args, 2);
  const dap_darray z = argument(&call, args, 3), w = argument(&call, args, 4);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_schur(call.comm, first(&call, a), t, z, w, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

static PyObject *eig(PyObject *module, PyObject *args)
{
  (void)module;
  linalg_call call;
  dap_status s;
  if (!check_count(args, 5) || !begin(&call, args)) return NULL;
  const dap_darray a = argument(&call, args, 1), w = argument(&call, args, 2), v = argument(&call, args, 3);
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_linalg_eig(call.comm, first(&call, a), w, v, &call.options, &call.err);
  PyEval_RestoreThread(thread);
  return finish(&call, s);
}

PyMethodDef linalg_schur_methods[] = {
    {"schur", schur, METH_VARARGS, NULL},
    {"eig", eig, METH_VARARGS, NULL},
    {0},
};
