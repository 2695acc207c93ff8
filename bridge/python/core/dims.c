/* Reads and makes dimension dictionaries, as tuples of their values in a fixed order, and dialects. */
#include "core_impl.h"

#include <stdio.h>
#include <string.h>

/* The places in a tuple: DimTuple of _core.pyi. */
enum {
  DIST_TYPE,
  SIZE,
  GRID_SIZE,
  GRID_RANK,
  START,
  STOP,
  PADDING,
  PERIODIC,
  BLOCK_SIZE,
  INDICES,
  ONE_TO_ONE,
  ITEMS
};

/* An item's value, for messages: "1.5". */
static PyObject *words(PyObject *value)
{
  PyObject *text = PyObject_Repr(value);
  if (text) return text;
  PyErr_Clear();
  return PyUnicode_FromString("its value");
}

/* Fails because a value is of a wrong type. Values of most keys break rule 3 then. */
static PyObject *fail(int rule, int axis, const char *key, PyObject *value, const char *wanted)
{
  PyObject *text = words(value), *type = PyType_GetName(Py_TYPE(value));
  const char *shown = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  const char *kind = type ? PyUnicode_AsUTF8AndSize(type, NULL) : NULL;
  dap_error err;
  if (shown && kind)
    errors_raise(dap_fail_rule(&err, rule, DAP_ERR_DIM, "axis %d: %s %.40s is of type %s, not %s", axis, key,
                               shown, kind, wanted),
                 &err);
  Py_XDECREF(text);
  Py_XDECREF(type);
  return NULL;
}

/* Rule 3: an integer is anything with __index__ except bool. */
static bool read_integer(int rule, PyObject *value, int axis, const char *key, int64_t *word)
{
  int overflow = 0;
  if (value == Py_None) {
    *word = DAP_ABSENT;
    return true;
  }
  PyObject *index = value_is_bool(value) ? NULL : PyNumber_Index(value);
  if (!index) {
    PyErr_Clear();
    return fail(rule, axis, key, value, "an integer");
  }
  *word = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  /* the least of all stands for a key that is not there */
  if (overflow || *word == DAP_ABSENT)
    return errors_fail(DAP_ERR_RANGE, "axis %d: %s is an integer of more than 63 bits", axis, key);
  return true;
}

static bool read_bool(PyObject *value, int axis, const char *key, bool *word)
{
  if (value == Py_None) {
    *word = false;
    return true;
  }
  if (!value_is_bool(value)) return fail(3, axis, key, value, "a bool");
  const int truth = PyObject_IsTrue(value);
  *word = truth == 1;
  return truth >= 0;
}

static bool read_padding(PyObject *value, int axis, const char *key, int64_t padding[2])
{
  padding[0] = padding[1] = 0;
  if (value == Py_None) return true;
  PyObject *pair = PyUnicode_Check(value) || PyBytes_Check(value) ? NULL : PySequence_Tuple(value);
  if (!pair || PyTuple_Size(pair) != 2) {
    PyErr_Clear();
    Py_XDECREF(pair);
    return fail(10, axis, key, value, "a sequence of two integers");
  }
  bool is_good = true;
  for (int end = 0; end < 2 && is_good; end++) {
    PyObject *width = PyTuple_GetItem(pair, end);
    is_good = width == Py_None ? fail(10, axis, key, value, "a sequence of two integers") != NULL
                               : read_integer(10, width, axis, key, &padding[end]);
  }
  Py_DECREF(pair);
  return is_good;
}

static bool read_indices(PyObject *value, int axis, const char *key, dap_dim *dim, Py_buffer *view,
                         bool *has_view)
{
  bool swapped = false;
  if (value == Py_None) {
    dim->index_count = DAP_ABSENT;
    return true;
  }
  if (PyObject_GetBuffer(value, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
    PyErr_Clear();
    return fail(17, axis, key, value, "a contiguous buffer of integers");
  }
  *has_view = true;
  dap_error err;
  const dap_status status = dap_dtype_parse(view->format, &dim->indices_dtype, &swapped, &err);
  if (status || swapped || view->ndim != 1)
    return fail(17, axis, key, value, "a list of integers with one axis");
  dim->index_count = (int64_t)(view->len / (view->itemsize ? view->itemsize : 1));
  dim->indices = view->buf;
  return true;
}

bool dims_read(PyObject *tuple, int axis, const dap_dialect *dialect, dap_dim *dim, Py_buffer *view,
               bool *has_view)
{
  const dap_keys *keys = &dialect->keys;
  *dim = (dap_dim){0};
  if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != ITEMS)
    return errors_fail(DAP_ERR_ARG, "axis %d: not a tuple of %d values", axis, ITEMS);
  PyObject *items[ITEMS];
  for (int i = 0; i < ITEMS; i++) items[i] = PyTuple_GetItem(tuple, i);
  const char *type =
      PyUnicode_Check(items[DIST_TYPE]) ? PyUnicode_AsUTF8AndSize(items[DIST_TYPE], NULL) : NULL;
  if (!type || strlen(type) > 1) return errors_fail(DAP_ERR_ARG, "axis %d: its type is not a letter", axis);
  dim->dist_type = type[0];
  return read_integer(3, items[SIZE], axis, keys->size, &dim->size) &&
         read_integer(3, items[GRID_SIZE], axis, keys->proc_grid_size, &dim->proc_grid_size) &&
         read_integer(3, items[GRID_RANK], axis, keys->proc_grid_rank, &dim->proc_grid_rank) &&
         read_integer(3, items[START], axis, keys->start, &dim->start) &&
         read_integer(3, items[STOP], axis, keys->stop, &dim->stop) &&
         read_padding(items[PADDING], axis, keys->padding ? keys->padding : "padding", dim->padding) &&
         read_bool(items[PERIODIC], axis, keys->periodic ? keys->periodic : "periodic", &dim->periodic) &&
         read_integer(3, items[BLOCK_SIZE], axis, keys->block_size ? keys->block_size : "block_size",
                      &dim->block_size) &&
         read_indices(items[INDICES], axis, keys->indices, dim, view, has_view) &&
         read_bool(items[ONE_TO_ONE], axis, keys->one_to_one ? keys->one_to_one : "one_to_one",
                   &dim->one_to_one);
}

/* ---- from C --------------------------------------------------------------------------------------- */

static PyObject *integer_or_none(int64_t word)
{
  return word == DAP_ABSENT ? Py_NewRef(Py_None) : PyLong_FromLongLong(word);
}

/* A list as an array of its own, of memory that `keeps` has. */
static PyObject *list_of(const dap_dim *dim, PyObject *keeps)
{
  if (dim->dist_type != 'u' || dim->index_count == DAP_ABSENT) return Py_NewRef(Py_None);
  dap_array list = {.abi = DAP_ARRAY_ABI,
                    .dtype = dim->indices_dtype,
                    .ndim = 1,
                    .shape = {dim->index_count},
                    .strides = {dap_dtype_size(dim->indices_dtype)},
                    .data = (void *)dim->indices,
                    .readonly = true};
  return local_wrap(&list, keeps);
}

PyObject *dims_write(const dap_dim *dim, PyObject *keeps)
{
  const char type[] = {dim->dist_type, '\0'};
  return Py_BuildValue(
      "(sNNNNN(LL)NNNN)", type, integer_or_none(dim->size), integer_or_none(dim->proc_grid_size),
      integer_or_none(dim->proc_grid_rank), integer_or_none(dim->start), integer_or_none(dim->stop),
      (long long)dim->padding[0], (long long)dim->padding[1], PyBool_FromLong(dim->periodic),
      integer_or_none(dim->block_size), list_of(dim, keeps), PyBool_FromLong(dim->one_to_one));
}

PyObject *dims_get(PyObject *local, void *unused)
{
  (void)unused;
  const dap_array *array = &((local_object *)local)->array;
  PyObject *dims = PyTuple_New(array->dim_count);
  for (int k = 0; dims && k < array->dim_count; k++) {
    PyObject *dim = dims_write(&array->dims[k], local);
    if (!dim)
      Py_CLEAR(dims);
    else
      PyTuple_SetItem(dims, k, dim);
  }
  return dims;
}

/* ---- dialects ------------------------------------------------------------------------------------- */

static PyObject *key_names(const dap_keys *keys)
{
  return Py_BuildValue("{szszszszszszszszszszszsz}", "dim_data", keys->dim_data, "dist_type", keys->dist_type,
                       "size", keys->size, "proc_grid_size", keys->proc_grid_size, "proc_grid_rank",
                       keys->proc_grid_rank, "start", keys->start, "stop", keys->stop, "padding",
                       keys->padding, "periodic", keys->periodic, "block_size", keys->block_size, "indices",
                       keys->indices, "one_to_one", keys->one_to_one);
}

static PyObject *type_names(const dap_dialect *dialect)
{
  PyObject *names = PyDict_New();
  for (int i = 0; names && i < dialect->name_count; i++) {
    const dap_dist_name *name = &dialect->names[i];
    const char type[] = {name->dist_type, '\0'};
    PyObject *key = Py_BuildValue("z", name->name);
    PyObject *value = Py_BuildValue("(sNN)", type, PyBool_FromLong(name->has_padding),
                                    PyBool_FromLong(name->has_block_size));
    if (!key || !value || PyDict_SetItem(names, key, value)) Py_CLEAR(names);
    Py_XDECREF(key);
    Py_XDECREF(value);
  }
  return names;
}

PyObject *dims_dialect(PyObject *module, PyObject *version)
{
  (void)module;
  Py_ssize_t length = 0;
  const char *text = PyUnicode_Check(version) ? PyUnicode_AsUTF8AndSize(version, &length) : NULL;
  const dap_dialect *dialect = text && strlen(text) == (size_t)length ? dap_dialect_find(text) : NULL;
  PyErr_Clear();
  if (!dialect) return Py_NewRef(Py_None);
  return Py_BuildValue("(sNNNN)", dialect->exported, PyBool_FromLong(dialect->is_tuple),
                       key_names(&dialect->keys), type_names(dialect), PyBool_FromLong(dialect->has_empty));
}
