/* Defines the type Matrix: a live view. */
#include "python_scalapack_impl.h"

#include <dapbridge/context.h>
#include <stdlib.h>

static PyTypeObject *matrix_type;

static matrix_object *matrix(PyObject *self)
{
  return (matrix_object *)(void *)self;
}

/* The view of a Matrix; one that has ended gives a zeroed view. */
static bool matrix_of(PyObject *object, const dap_scalapack_matrix **view)
{
  static const dap_scalapack_matrix ended = {0};
  if (!PyObject_TypeCheck(object, matrix_type)) {
    PyErr_Format(PyExc_TypeError, "%R is not a ScaLAPACK matrix", object);
    return false;
  }
  *view = matrix(object)->is_live ? matrix(object)->view : &ended;
  return true;
}

/* ---- get -------------------------------------------------------------------------------------------- */

static matrix_object *make(PyObject *type)
{
  allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject *)(void *)type, Py_tp_alloc);
  PyObject *self = alloc((PyTypeObject *)(void *)type, 0);
  if (!self) return NULL;
  matrix(self)->view = calloc(1, sizeof *matrix(self)->view);
  if (matrix(self)->view) return matrix(self);
  Py_DecRef(self);
  PyErr_NoMemory();
  return NULL;
}

typedef struct request {
  dap_darray array;
  dap_access access;
  matrix_options options;
} request;

static bool read_request(PyObject *args, request *r)
{
  PyObject *comm, *layout, *local, *access, *options;
  return PyArg_ParseTuple(args, "OOOOO:get", &comm, &layout, &local, &access, &options) &&
         scalapack_core->darray(layout, local, &r->array) && option_access(access, &r->access) &&
         options_of_matrix(options, &r->options) &&
         (!r->options.aligned_with || matrix_of(r->options.aligned_with, &r->options.options.aligned_with));
}

/* Keeps arguments that have been read. */
static void keep(matrix_object *self, PyObject *args, const request *r)
{
  self->layout = Py_NewRef(PyTuple_GetItem(args, 1));
  self->local = Py_NewRef(PyTuple_GetItem(args, 2));
  self->access = r->access;
  self->dtype = r->array.local->dtype;
  self->is_live = true;
  matrix_set_extents(self);
}

static PyObject *get(PyObject *type, PyObject *args)
{
  MPI_Comm comm;
  request r = {0};
  dap_error err;
  dap_status s;
  PyObject *handle = PyTuple_GetItem(args, 0);
  if (!handle || !scalapack_core->comm(handle, &comm)) return NULL;
  matrix_object *self = make(type);
  if (!self || !read_request(args, &r)) {
    Py_DecRef((PyObject *)self);
    return scalapack_core->fail_all(comm, "dap_scalapack_get");
  }
  PyThreadState *thread = PyEval_SaveThread();
  s = dap_scalapack_get(comm, r.array, r.access, &r.options.options, self->view, &err);
  PyEval_RestoreThread(thread);
  if (!s) {
    keep(self, args, &r);
    return &self->ob_base;
  }
  Py_DecRef((PyObject *)self);
  return scalapack_core->raise(s, &err);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

/* Ends a view. The collective step is done at once. A moved view's memory must exist as long as numpy's views
 * of it, so the rest, which is local, is done when the last of these has gone. */
static PyObject *end(matrix_object *self, bool stores)
{
  dap_error err;
  dap_status s = DAP_OK;
  if (!self->is_live) return Py_NewRef(Py_None);
  self->is_live = false;
  self->exports++; /* meanwhile another thread may drop the last of numpy's views */
  PyThreadState *thread = PyEval_SaveThread();
  if (stores && self->access & DAP_WRITE) s = dap_scalapack_store(self->view, &err);
  PyEval_RestoreThread(thread);
  if (--self->exports > 0) return s ? scalapack_core->raise(s, &err) : Py_NewRef(Py_None);
  const dap_status ended = dap_scalapack_discard(self->view, s ? NULL : &err);
  if (!s) s = ended;
  return s ? scalapack_core->raise(s, &err) : Py_NewRef(Py_None);
}

static PyObject *restore(PyObject *self, PyObject *unused)
{
  (void)unused;
  return end(matrix(self), true);
}

static PyObject *discard(PyObject *self, PyObject *unused)
{
  (void)unused;
  return end(matrix(self), false);
}

/* A view that was not ended stays as it is, because to end it other processes would have to take part. */
static void drop(PyObject *object)
{
  matrix_object *self = matrix(object);
  PyTypeObject *type = Py_TYPE(object);
  if (self->is_live && !dap_mpi_is_running()) {
    (void)dap_scalapack_discard(self->view, NULL);
    self->is_live = false;
  }
  if (!self->is_live) free(self->view);
  Py_DecRef(self->layout);
  Py_DecRef(self->local);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DecRef((PyObject *)type);
}

/* ---- while it lives --------------------------------------------------------------------------------- */

typedef dap_status move(dap_scalapack_matrix *view, dap_error *err);

static bool check_live(const matrix_object *self)
{
  return self->is_live || option_fail("the view of the matrix has ended");
}

static PyObject *run(PyObject *object, move *function)
{
  dap_error err;
  matrix_object *self = matrix(object);
  if (!check_live(self)) return NULL;
  self->exports++; /* meanwhile another thread may end the view */
  PyThreadState *thread = PyEval_SaveThread();
  const dap_status s = function(self->view, &err);
  PyEval_RestoreThread(thread);
  matrix_release_buffer(object, NULL);
  return s ? scalapack_core->raise(s, &err) : Py_NewRef(Py_None);
}

static PyObject *load(PyObject *self, PyObject *unused)
{
  (void)unused;
  return run(self, dap_scalapack_load);
}

static PyObject *store(PyObject *self, PyObject *unused)
{
  (void)unused;
  return run(self, dap_scalapack_store);
}

static PyObject *halo(PyObject *self, PyObject *unused)
{
  (void)unused;
  return run(self, dap_scalapack_halo);
}

static PyObject *describe(PyObject *self, PyObject *unused)
{
  (void)unused;
  char text[2 * DAP_ERROR_TEXT];
  if (!check_live(matrix(self))) return NULL;
  (void)dap_scalapack_describe(matrix(self)->view, text, sizeof text);
  return PyUnicode_FromString(text);
}

/* ---- attributes ------------------------------------------------------------------------------------- */

static PyObject *get_desc(PyObject *self, void *unused)
{
  (void)unused;
  if (!check_live(matrix(self))) return NULL;
  PyObject *tuple = PyTuple_New(9);
  for (int i = 0; tuple && i < 9; i++) {
    PyObject *item = PyLong_FromLongLong(matrix(self)->view->desc[i]);
    if (item && PyTuple_SetItem(tuple, i, item) == 0) continue;
    Py_DecRef(tuple);
    return NULL;
  }
  return tuple;
}

static PyObject *integer(PyObject *self, dap_scalapack_int value)
{
  return check_live(matrix(self)) ? PyLong_FromLongLong(value) : NULL;
}

static PyObject *get_m(PyObject *self, void *unused)
{
  (void)unused;
  return integer(self, matrix(self)->view->m);
}

static PyObject *get_n(PyObject *self, void *unused)
{
  (void)unused;
  return integer(self, matrix(self)->view->n);
}

static PyObject *get_ia(PyObject *self, void *unused)
{
  (void)unused;
  return integer(self, matrix(self)->view->ia);
}

static PyObject *get_ja(PyObject *self, void *unused)
{
  (void)unused;
  return integer(self, matrix(self)->view->ja);
}

static PyObject *get_op(PyObject *self, void *unused)
{
  (void)unused;
  return check_live(matrix(self)) ? PyUnicode_FromStringAndSize(&matrix(self)->view->op, 1) : NULL;
}

static PyObject *get_shared(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(matrix(self)->view->shared);
}

static PyObject *get_reason(PyObject *self, void *unused)
{
  (void)unused;
  return PyUnicode_FromString(matrix(self)->view->reason);
}

static PyObject *get_moved_bytes(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLongLong(matrix(self)->view->moved_bytes);
}

static PyObject *get_address(PyObject *self, void *unused)
{
  (void)unused;
  return check_live(matrix(self)) ? PyLong_FromVoidPtr(matrix(self)->view->data) : NULL;
}

static PyObject *get_desc_address(PyObject *self, void *unused)
{
  (void)unused;
  return check_live(matrix(self)) ? PyLong_FromVoidPtr(matrix(self)->view->desc) : NULL;
}

static PyObject *get_is_live(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(matrix(self)->is_live);
}

static PyGetSetDef attributes[] = {
    {.name = "desc", .get = get_desc},
    {.name = "m", .get = get_m},
    {.name = "n", .get = get_n},
    {.name = "ia", .get = get_ia},
    {.name = "ja", .get = get_ja},
    {.name = "op", .get = get_op},
    {.name = "shared", .get = get_shared},
    {.name = "reason", .get = get_reason},
    {.name = "moved_bytes", .get = get_moved_bytes},
    {.name = "address", .get = get_address},
    {.name = "desc_address", .get = get_desc_address},
    {.name = "is_live", .get = get_is_live},
    {0},
};

static PyMethodDef methods[] = {
    {"get", get, METH_VARARGS | METH_CLASS, NULL}, {"restore", restore, METH_NOARGS, NULL},
    {"discard", discard, METH_NOARGS, NULL},       {"load", load, METH_NOARGS, NULL},
    {"store", store, METH_NOARGS, NULL},           {"halo", halo, METH_NOARGS, NULL},
    {"describe", describe, METH_NOARGS, NULL},     {0},
};

PyTypeObject *matrix_init_type(void)
{
  static PyType_Slot slots[] = {
      {Py_tp_doc, "A live view of an array as a ScaLAPACK matrix, and a buffer of its local part."},
      {Py_tp_dealloc, drop},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {Py_bf_getbuffer, matrix_get_buffer},
      {Py_bf_releasebuffer, matrix_release_buffer},
      {0},
  };
  static PyType_Spec spec = {
      .name = "dapbridge._scalapack.Matrix",
      .basicsize = sizeof(matrix_object),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
      .slots = slots,
  };
  matrix_type = (PyTypeObject *)(void *)PyType_FromSpec(&spec);
  return matrix_type;
}
