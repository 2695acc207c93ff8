/* Makes a Local: of a layout, over a caller's buffer, of foreign dictionaries, or in the node's memory. */
#include "core_impl.h"

#include <string.h>

PyObject *local_make(PyObject *type, PyObject *args)
{
  PyObject *object, *dtype_name, *order_name;
  const dap_layout *layout;
  int rank;
  dap_dtype dtype;
  dap_order order;
  dap_array array;
  dap_error err;
  (void)type;
  if (!PyArg_ParseTuple(args, "OiOO", &object, &rank, &dtype_name, &order_name) ||
      !layout_of(object, &layout) || !value_dtype(dtype_name, &dtype) || !value_order(order_name, &order))
    return NULL;
  const dap_status status = dap_array_init(&array, layout, rank, dtype, order, NULL, &err);
  return status ? errors_raise(status, &err) : local_wrap(&array, NULL);
}

/* Over the caller's buffer: dictionaries come from the layout, form and memory from the buffer. */
static bool lay_over(local_object *local, const dap_layout *layout, int rank, PyObject *buffer,
                     PyObject *typestr)
{
  dap_array found = {0};
  dap_error err;
  if (!buffer_read(buffer, typestr, &local->data, &found)) return false;
  local->has_data = true;
  local->owner = Py_NewRef(buffer);
  static char any; /* dap_array_init() does not look at data, and is to allocate none */
  dap_status status = dap_array_init(&local->array, layout, rank, found.dtype, DAP_ORDER_C, &any, &err);
  if (status) return errors_raise(status, &err);
  local->array.ndim = found.ndim;
  memcpy(local->array.shape, found.shape, sizeof found.shape);
  memcpy(local->array.strides, found.strides, sizeof found.strides);
  local->array.data = found.data;
  local->array.readonly = found.readonly;
  local->array.swapped = found.swapped;
  const dap_darray whole = {layout, &local->array};
  status = dap_array_match(whole, rank, &err);
  return status ? errors_raise(status, &err) != NULL : true;
}

PyObject *local_make_wrapped(PyObject *type, PyObject *args)
{
  PyObject *object, *buffer, *typestr = Py_None;
  const dap_layout *layout;
  int rank;
  (void)type;
  if (!PyArg_ParseTuple(args, "OiO|O", &object, &rank, &buffer, &typestr) || !layout_of(object, &layout))
    return NULL;
  local_object *local = local_new();
  if (local && !lay_over(local, layout, rank, buffer, typestr)) Py_CLEAR(local);
  return (PyObject *)local;
}

static bool read_version(PyObject *version, char text[DAP_VERSION_TEXT])
{
  const char *found = PyUnicode_Check(version) ? PyUnicode_AsUTF8AndSize(version, NULL) : NULL;
  if (!found || strlen(found) >= DAP_VERSION_TEXT) {
    PyErr_Clear();
    return errors_fail(DAP_ERR_VERSION, "__version__ %.40s is not 0.0.1, 0.9.* or 0.10.*",
                       found ? found : "");
  }
  memcpy(text, found, strlen(found) + 1);
  return true;
}

static bool read_foreign(local_object *local, PyObject *version, PyObject *dims, PyObject *buffer,
                         PyObject *typestr)
{
  dap_array *array = &local->array;
  array->abi = DAP_ARRAY_ABI;
  if (!read_version(version, array->version)) return false;
  const dap_dialect *dialect = dap_dialect_find(array->version);
  if (!dialect) dialect = dap_dialect_find("0.10.0"); /* to be read by the rules that the caller names */
  if (!PyTuple_Check(dims)) return errors_fail(DAP_ERR_ARG, "dims: not a tuple");
  const Py_ssize_t count = PyTuple_Size(dims);
  if (count > DAP_MAX_NDIM)
    return errors_fail(DAP_ERR_RANGE, "dim_data has %lld dictionaries, but arrays have at most %d axes",
                       (long long)count, DAP_MAX_NDIM);
  array->dim_count = (int32_t)count;
  for (int k = 0; k < count; k++)
    if (!dims_read(PyTuple_GetItem(dims, k), k, dialect, &array->dims[k], &local->lists[k],
                   &local->has_list[k]))
      return false;
  if (!buffer_read(buffer, typestr, &local->data, array)) return false;
  local->has_data = true;
  local->owner = Py_NewRef(buffer);
  return true;
}

PyObject *local_make_of_dims(PyObject *type, PyObject *args)
{
  PyObject *version, *dims, *buffer, *typestr = Py_None;
  (void)type;
  if (!PyArg_ParseTuple(args, "OOO|O", &version, &dims, &buffer, &typestr)) return NULL;
  local_object *local = local_new();
  if (local && !read_foreign(local, version, dims, buffer, typestr)) Py_CLEAR(local);
  return (PyObject *)local;
}

PyObject *local_make_shared(PyObject *type, PyObject *args)
{
  PyObject *handle, *object, *dtype_name, *order_name;
  int contiguous;
  const dap_layout *layout;
  MPI_Comm comm;
  dap_dtype dtype;
  dap_order order;
  dap_array array;
  bool shared = false;
  dap_status status;
  dap_error err;
  (void)type;
  handle = PyTuple_GetItem(args, 0);
  if (!handle || !value_comm(handle, &comm)) return NULL;
  const bool is_read =
      PyArg_ParseTuple(args, "OOOOp", &handle, &object, &dtype_name, &order_name, &contiguous) &&
      layout_of(object, &layout) && value_dtype(dtype_name, &dtype) && value_order(order_name, &order);
  if (!is_read) { /* then C's function refuses it for all processes */
    layout = NULL;
    dtype = DAP_NONE;
    order = DAP_ORDER_C;
    contiguous = 0;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = contiguous ? dap_array_alloc_contiguous(comm, layout, dtype, order, &array, &shared, &err)
                      : dap_array_alloc(comm, layout, dtype, order, &array, &shared, &err);
  Py_END_ALLOW_THREADS;
  if (!is_read) return NULL;
  if (status) return errors_raise(status, &err);
  PyObject *local = local_wrap(&array, NULL);
  return local ? Py_BuildValue("(NN)", local, PyBool_FromLong(shared)) : NULL;
}
