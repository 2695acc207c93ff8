/* Defines the type Layout. */
#include "core_impl.h"

static PyTypeObject *layout_type;

bool layout_or_none(PyObject *object, const dap_layout **layout)
{
  *layout = NULL;
  return object == Py_None || layout_of(object, layout);
}

bool layout_of(PyObject *object, const dap_layout **layout)
{
  if (!PyObject_TypeCheck(object, layout_type)) return errors_fail(DAP_ERR_ARG, "not a dapbridge.Layout");
  *layout = ((layout_object *)object)->layout;
  return true;
}

static PyObject *wrap(PyTypeObject *type, dap_layout *layout)
{
  layout_object *object = layout ? (layout_object *)PyType_GenericAlloc(type, 0) : NULL;
  if (!object)
    dap_layout_destroy(&layout);
  else
    object->layout = layout;
  return (PyObject *)object;
}

PyObject *layout_wrap(dap_layout *layout)
{
  return wrap(layout_type, layout);
}

static PyObject *new_layout(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"dists", "ranks", NULL};
  PyObject *dists, *ranks = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O", names, &dists, &ranks)) return NULL;
  return wrap(type, layout_make(dists, ranks));
}

PyObject *layout_parse(PyObject *type, PyObject *args)
{
  const char *text;
  dap_layout *layout;
  dap_error err = {.rank = -1};
  if (!PyArg_ParseTuple(args, "s", &text)) return NULL;
  const dap_status status = dap_layout_parse(text, &layout, &err);
  return status ? errors_raise(status, &err) : wrap((PyTypeObject *)type, layout);
}

static void dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  dap_layout_destroy(&((layout_object *)self)->layout);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject *compare(PyObject *self, PyObject *other, int operation)
{
  if (!PyObject_TypeCheck(other, layout_type) || (operation != Py_EQ && operation != Py_NE))
    return Py_NewRef(Py_NotImplemented);
  const bool is_equal =
      dap_layout_is_equal(((layout_object *)self)->layout, ((layout_object *)other)->layout);
  return PyBool_FromLong(is_equal == (operation == Py_EQ));
}

static Py_hash_t hash(PyObject *self)
{
  const Py_hash_t value = (Py_hash_t)dap_layout_hash(((layout_object *)self)->layout);
  return value == -1 ? -2 : value;
}

static size_t summary(const void *layout, char *text, size_t capacity)
{
  return dap_layout_summary((const dap_layout *)layout, text, capacity);
}

static PyObject *represent(PyObject *self)
{
  PyObject *text = value_text(summary, ((layout_object *)self)->layout);
  PyObject *result = text ? PyUnicode_FromFormat("<Layout %U>", text) : NULL;
  Py_XDECREF(text);
  return result;
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLong(dap_layout_ndim(((layout_object *)self)->layout));
}

static PyObject *get_shape(PyObject *self, void *unused)
{
  (void)unused;
  const dap_layout *layout = ((layout_object *)self)->layout;
  int64_t shape[DAP_MAX_NDIM];
  for (int k = 0; k < dap_layout_ndim(layout); k++) shape[k] = dap_layout_size(layout, k);
  return value_tuple(shape, dap_layout_ndim(layout));
}

static PyObject *get_grid(PyObject *self, void *unused)
{
  (void)unused;
  const dap_layout *layout = ((layout_object *)self)->layout;
  int64_t grid[DAP_MAX_NDIM];
  for (int k = 0; k < dap_layout_ndim(layout); k++) grid[k] = dap_layout_procs(layout, k);
  return value_tuple(grid, dap_layout_ndim(layout));
}

static PyObject *get_nprocs(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromLong(dap_layout_nprocs(((layout_object *)self)->layout));
}

static PyObject *get_is_row_major(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(dap_layout_is_row_major(((layout_object *)self)->layout));
}

static PyGetSetDef attributes[] = {
    {"ndim", get_ndim, NULL, "Number of axes.", NULL},
    {"shape", get_shape, NULL, "Number of elements along each axis.", NULL},
    {"grid", get_grid, NULL, "Number of processes along each axis.", NULL},
    {"nprocs", get_nprocs, NULL, "Number of processes.", NULL},
    {"is_row_major", get_is_row_major, NULL, "True if ranks are in row-major order on the grid.", NULL},
    {0}};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Determines where each element of a distributed array is. Immutable, and the same on every process."},
    {Py_tp_new, (void *)new_layout},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_richcompare, (void *)compare},
    {Py_tp_hash, (void *)hash},
    {Py_tp_repr, (void *)represent},
    {Py_tp_methods, layout_methods},
    {Py_tp_getset, attributes},
    {0}};

static PyType_Spec spec = {.name = "dapbridge._core.Layout",
                           .basicsize = sizeof(layout_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                           .slots = slots};

PyTypeObject *layout_init_type(void)
{
  layout_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return layout_type;
}
