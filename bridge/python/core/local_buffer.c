/* Passes buffers by Python's buffer protocol (PEP 3118): a caller's becomes a dap_array, and a dap_array is
 * given to others. */
#include "core_impl.h"

#include <stdio.h>

static bool read_type(const Py_buffer *view, PyObject *typestr, dap_array *array)
{
  dap_error err;
  dap_status status;
  if (typestr == Py_None)
    status = dap_dtype_parse(view->format, &array->dtype, &array->swapped, &err);
  else {
    const char *text = PyUnicode_Check(typestr) ? PyUnicode_AsUTF8AndSize(typestr, NULL) : NULL;
    if (!text) return errors_fail(DAP_ERR_BUFFER, "the buffer's type is not told by a string");
    status = dap_dtype_parse_numpy(text, &array->dtype, &array->swapped, &err);
  }
  if (status) return errors_raise(status, &err);
  if (dap_dtype_size(array->dtype) != view->itemsize)
    return errors_fail(DAP_ERR_BUFFER, "the buffer's elements have %lld bytes, %s has %lld",
                       (long long)view->itemsize, dap_dtype_name(array->dtype),
                       (long long)dap_dtype_size(array->dtype));
  return true;
}

bool buffer_read(PyObject *object, PyObject *typestr, Py_buffer *view, dap_array *array)
{
  if (PyObject_GetBuffer(object, view, PyBUF_FULL_RO)) return false;
  bool is_good = view->ndim <= DAP_MAX_NDIM;
  if (!is_good) errors_fail(DAP_ERR_RANGE, "the buffer has %d axes, more than %d", view->ndim, DAP_MAX_NDIM);
  for (int k = 0; is_good && view->suboffsets && k < view->ndim; k++)
    is_good = view->suboffsets[k] < 0 || errors_fail(DAP_ERR_BUFFER, "axis %d: a buffer of pointers", k);
  if (!is_good || !read_type(view, typestr, array)) {
    PyBuffer_Release(view);
    return false;
  }
  array->ndim = view->ndim;
  array->data = view->buf;
  array->readonly = view->readonly;
  int64_t stride = view->itemsize;
  for (int k = view->ndim; k-- > 0;) {
    array->shape[k] = view->shape ? view->shape[k] : view->len / view->itemsize;
    array->strides[k] = view->strides ? view->strides[k] : stride;
    stride *= array->shape[k];
  }
  return true;
}

static bool is_contiguous(const dap_array *array, bool fortran)
{
  int64_t stride = dap_dtype_size(array->dtype);
  if (dap_array_count(array) == 0) return true;
  for (int i = 0; i < array->ndim; i++) {
    const int k = fortran ? i : array->ndim - 1 - i;
    if (array->shape[k] > 1 && array->strides[k] != stride) return false;
    stride *= array->shape[k];
  }
  return true;
}

static bool allows(const dap_array *array, int flags)
{
  const bool c = is_contiguous(array, false), f = is_contiguous(array, true);
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS) return c;
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) return f;
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS) return c || f;
  return c || (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
}

int local_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
  static char nothing[64]; /* where there are no elements */
  local_object *local = (local_object *)self;
  const dap_array *array = &local->array;
  view->obj = NULL;
  if (array->dtype == DAP_NONE || ((flags & PyBUF_WRITABLE) && array->readonly) || !allows(array, flags)) {
    PyErr_SetString(PyExc_BufferError, array->dtype == DAP_NONE ? "there is no part of the array here"
                                       : array->readonly        ? "the array is read-only"
                                                                : "the array is not contiguous");
    return -1;
  }
  const char *format = dap_dtype_format(array->dtype);
  const int one = 1;
  (void)snprintf(local->format, sizeof local->format, "%s%s",
                 !array->swapped       ? ""
                 : *(const char *)&one ? ">"
                                       : "<",
                 format);
  for (int k = 0; k < array->ndim; k++) {
    local->shape[k] = (Py_ssize_t)array->shape[k];
    local->strides[k] = (Py_ssize_t)array->strides[k];
  }
  const bool shaped = (flags & PyBUF_ND) == PyBUF_ND;
  *view = (Py_buffer){.buf = array->data ? array->data : nothing,
                      .obj = Py_NewRef(self),
                      .len = (Py_ssize_t)dap_array_bytes(array),
                      .readonly = array->readonly,
                      .itemsize = (Py_ssize_t)dap_dtype_size(array->dtype),
                      .format = (flags & PyBUF_FORMAT) ? local->format : NULL,
                      .ndim = array->ndim,
                      .shape = shaped ? local->shape : NULL,
                      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? local->strides : NULL};
  return 0;
}
