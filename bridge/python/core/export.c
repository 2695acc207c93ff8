/* Writes arrays as JSON. */
#include "core_impl.h"

#include <stdio.h>
#include <unistd.h>

static size_t text_of_array(const void *array, char *text, size_t capacity)
{
  size_t length = 0;
  (void)dap_array_json((const dap_array *)array, text, capacity, &length, NULL);
  return length;
}

PyObject *local_json(PyObject *self, PyObject *unused)
{
  const dap_array *array = &((local_object *)self)->array;
  size_t length;
  dap_error err = {.rank = -1};
  (void)unused;
  const dap_status status = dap_array_json(array, NULL, 0, &length, &err);
  return status ? errors_raise(status, &err) : value_text(text_of_array, array);
}

/* A stream of its own on an open file of Python's, which stays open; None: NULL. A bare number is none: it
 * could be anybody's. */
static bool open_stream(PyObject *file, FILE **stream)
{
  *stream = NULL;
  if (file == Py_None) return true;
  if (PyLong_Check(file)) return errors_fail(DAP_ERR_ARG, "file: a number is not an open file");
  const int own = PyObject_AsFileDescriptor(file), copy = own < 0 ? -1 : dup(own);
  if (own < 0) return false;
  *stream = copy < 0 ? NULL : fdopen(copy, "w");
  if (*stream) return true;
  if (copy >= 0) (void)close(copy);
  return errors_fail(DAP_ERR_LIBRARY, "file: no stream on descriptor %d", own);
}

PyObject *comm_export(PyObject *module, PyObject *args)
{
  PyObject *handle, *object, *part, *file;
  const char *version;
  FILE *stream = NULL;
  const dap_layout *layout;
  local_object *local;
  MPI_Comm comm;
  dap_error err = {.rank = -1};
  dap_status status;
  (void)module;
  handle = PyTuple_GetItem(args, 0);
  if (!handle || !value_comm(handle, &comm)) return NULL;
  const bool is_read = PyArg_ParseTuple(args, "OzOOO", &handle, &version, &object, &part, &file) &&
                       layout_of(object, &layout) && local_or_none(part, &local) &&
                       open_stream(file, &stream);
  const dap_darray array = is_read ? (dap_darray){layout, local ? &local->array : NULL} : (dap_darray){0};
  Py_BEGIN_ALLOW_THREADS;
  status = dap_layout_export(comm, is_read ? version : NULL, array, stream, &err);
  Py_END_ALLOW_THREADS;
  if (stream) (void)fclose(stream); /* it has been flushed */
  if (!is_read) return NULL;
  return status ? errors_raise(status, &err) : Py_NewRef(Py_None);
}
