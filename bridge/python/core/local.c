/* Defines the type Local: one process's dap_array, with the object that owns its memory. */
#include "core_impl.h"

static PyTypeObject *local_type;

bool local_is(PyObject *object)
{
  return PyObject_TypeCheck(object, local_type);
}

bool local_of(PyObject *object, local_object **local)
{
  if (!local_is(object)) return errors_fail(DAP_ERR_ARG, "not a dapbridge Local");
  *local = (local_object *)object;
  return true;
}

bool local_or_none(PyObject *object, local_object **local)
{
  *local = NULL;
  return object == Py_None || local_of(object, local);
}

local_object *local_new(void)
{
  return (local_object *)PyType_GenericAlloc(local_type, 0);
}

/* Returns the object that has the memory, so that windows of windows make no chains. */
static PyObject *memory_of(PyObject *local)
{
  PyObject *owner = ((local_object *)local)->owner;
  return owner && local_is(owner) ? owner : local;
}

PyObject *local_wrap(dap_array *array, PyObject *keeps)
{
  local_object *local = local_new();
  if (!local) {
    dap_array_release(array);
    return NULL;
  }
  local->array = *array;
  *array = (dap_array){0};
  local->owner = Py_XNewRef(keeps && local_is(keeps) ? memory_of(keeps) : keeps);
  return (PyObject *)local;
}

static void end(local_object *local)
{
  dap_array_release(&local->array);
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    if (local->has_list[k]) PyBuffer_Release(&local->lists[k]);
  if (local->has_data) PyBuffer_Release(&local->data);
  Py_CLEAR(local->owner);
}

/* The type does not define tp_clear. A Local refers only to objects that existed before it, so each cycle
 * contains another object that the collector can clear. */
static int traverse(PyObject *self, visitproc visit, void *arg)
{
  const local_object *local = (local_object *)self;
  Py_VISIT(local->owner);
  if (local->has_data) Py_VISIT(local->data.obj);
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    if (local->has_list[k]) Py_VISIT(local->lists[k].obj);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static void dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  end((local_object *)self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/* ---- attributes ----------------------------------------------------------------------------------- */

static const dap_array *own(PyObject *self)
{
  return &((local_object *)self)->array;
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLong(own(self)->ndim);
}

static PyObject *get_shape(PyObject *self, void *unused)
{
  (void)unused;
  return value_tuple(own(self)->shape, own(self)->ndim);
}

static PyObject *get_strides(PyObject *self, void *unused)
{
  (void)unused;
  return value_tuple(own(self)->strides, own(self)->ndim);
}

static char order_mark(const dap_array *array)
{
  const bool is_little = ((const union {
                           int word;
                           char byte;
                         }){.word = 1})
                             .byte == 1;
  if (dap_dtype_size(array->dtype) == 1) return '|';
  return is_little != array->swapped ? '<' : '>';
}

static PyObject *get_typestr(PyObject *self, void *unused)
{
  static const char kinds[] = {
      [DAP_BOOL] = 'b', [DAP_I1] = 'i', [DAP_U1] = 'u',  [DAP_I2] = 'i', [DAP_U2] = 'u', [DAP_I4] = 'i',
      [DAP_U4] = 'u',   [DAP_I8] = 'i', [DAP_U8] = 'u',  [DAP_F4] = 'f', [DAP_F8] = 'f', [DAP_C8] = 'c',
      [DAP_C16] = 'c',  [DAP_F2] = 'f', [DAP_F16] = 'f', [DAP_C32] = 'c'};
  (void)unused;
  const dap_array *array = own(self);
  if (array->dtype == DAP_NONE) return Py_NewRef(Py_None);
  return PyUnicode_FromFormat("%c%c%d", order_mark(array), kinds[array->dtype],
                              (int)dap_dtype_size(array->dtype));
}

static PyObject *get_dtype(PyObject *self, void *unused)
{
  (void)unused;
  return PyUnicode_FromString(dap_dtype_name(own(self)->dtype));
}

static PyObject *get_itemsize(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLongLong(dap_dtype_size(own(self)->dtype));
}

static PyObject *get_nbytes(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLongLong(own(self)->abi ? dap_array_bytes(own(self)) : 0);
}

static PyObject *get_address(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromVoidPtr(own(self)->data);
}

static PyObject *get_readonly(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(own(self)->readonly);
}

static PyObject *get_swapped(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(own(self)->swapped);
}

static PyObject *get_version(PyObject *self, void *unused)
{
  (void)unused;
  return PyUnicode_FromString(own(self)->version);
}

static PyObject *get_owner(PyObject *self, void *unused)
{
  (void)unused;
  PyObject *owner = ((local_object *)self)->owner;
  return Py_NewRef(owner ? owner : Py_None);
}

static PyGetSetDef attributes[] = {
    {"ndim", get_ndim, NULL, "The number of axes.", NULL},
    {"shape", get_shape, NULL, "Extents of the buffer, padding included.", NULL},
    {"strides", get_strides, NULL, "Bytes from one element to the next.", NULL},
    {"typestr", get_typestr, NULL, "numpy's type string.", NULL},
    {"dtype", get_dtype, NULL, "numpy's name of the element type.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all local elements.", NULL},
    {"address", get_address, NULL, "Of element (0, ..., 0).", NULL},
    {"readonly", get_readonly, NULL, NULL, NULL},
    {"swapped", get_swapped, NULL, "Elements have the opposite byte order.", NULL},
    {"version", get_version, NULL, "Of the protocol.", NULL},
    {"dims", dims_get, NULL, "The dimension dictionaries.", NULL},
    {"owner", get_owner, NULL, "What the memory belongs to, or None.", NULL},
    {0}};

/* ---- methods -------------------------------------------------------------------------------------- */

static PyObject *none_or_raise(dap_status status, const dap_error *err)
{
  return status ? errors_raise(status, err) : Py_NewRef(Py_None);
}

static PyObject *check(PyObject *self, PyObject *unused)
{
  dap_error err = {0};
  (void)unused;
  return none_or_raise(dap_array_check(own(self), &err), &err);
}

static PyObject *match(PyObject *self, PyObject *args)
{
  PyObject *object;
  const dap_layout *layout;
  int rank;
  dap_error err = {0};
  if (!PyArg_ParseTuple(args, "Oi", &object, &rank) || !layout_of(object, &layout)) return NULL;
  const dap_darray array = {layout, own(self)};
  return none_or_raise(dap_array_match(array, rank, &err), &err);
}

static PyObject *overlaps(PyObject *self, PyObject *object)
{
  local_object *other = NULL;
  if (!local_of(object, &other)) return NULL;
  return PyBool_FromLong(dap_array_overlaps(own(self), &other->array));
}

static PyObject *copy_to(PyObject *self, PyObject *object)
{
  local_object *other = NULL;
  dap_error err;
  dap_status status;
  if (!local_of(object, &other)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = dap_array_copy(own(self), &other->array, &err);
  Py_END_ALLOW_THREADS;
  return none_or_raise(status, &err);
}

static PyObject *part(PyObject *self, PyObject *args)
{
  PyObject *object, *tuple;
  const dap_layout *layout;
  int rank;
  dap_py_part p;
  dap_array window;
  dap_error err;
  if (!PyArg_ParseTuple(args, "OiO", &object, &rank, &tuple) || !layout_of(object, &layout) ||
      !value_part(tuple, &p))
    return NULL;
  const dap_darray whole = {layout, own(self)};
  const dap_status status = dap_array_part(whole, rank, &p.part, &window, &err);
  if (status) return errors_raise(status, &err);
  return window.abi ? local_wrap(&window, self) : Py_NewRef(Py_None);
}

static PyObject *reduce(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  PyErr_SetString(PyExc_TypeError,
                  "a distributed array cannot be pickled: gather it, or send its local part");
  return NULL;
}

#define CLASS (METH_VARARGS | METH_CLASS)

static PyMethodDef methods[] = {
    {"make", local_make, CLASS, "make(layout, rank, dtype, order): zeroed memory of its own."},
    {"wrap", local_make_wrapped, CLASS, "wrap(layout, rank, buffer, typestr=None): a caller's buffer."},
    {"of_dims", local_make_of_dims, CLASS, "of_dims(version, dims, buffer, typestr=None): a foreign array."},
    {"alloc", local_make_shared, CLASS, "alloc(comm, layout, dtype, order, contiguous): memory of the node."},
    {"check", check, METH_NOARGS, "Checks all that one process can check."},
    {"match", match, METH_VARARGS, "match(layout, rank): checks that the extents are the layout's there."},
    {"overlaps", overlaps, METH_O, "Whether an element shares memory with one of another array."},
    {"copy_to", copy_to, METH_O, "Copies the elements to another array of the same shape and type."},
    {"part", part, METH_VARARGS, "part(layout, rank, part): a window of the buffer, or None."},
    {"json", local_json, METH_NOARGS, "Dictionaries and the buffer's form as JSON."},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {0}};

static PyType_Slot slots[] = {{Py_tp_doc, "One process's part of a distributed array; exports its buffer."},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_traverse, (void *)traverse},
                              {Py_tp_methods, methods},
                              {Py_tp_getset, attributes},
                              {Py_bf_getbuffer, (void *)local_get_buffer},
                              {0}};

static PyType_Spec spec = {.name = "dapbridge._core.Local",
                           .basicsize = sizeof(local_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

PyTypeObject *local_init_type(void)
{
  local_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return local_type;
}
