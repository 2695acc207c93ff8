/* Collective functions: agreement, layouts of foreign arrays, and what is asked about them. */
#define _GNU_SOURCE /* dladdr() */
#include "core_impl.h"

#include <dlfcn.h>

PyObject *comm_agree(PyObject *module, PyObject *args)
{
  PyObject *handle;
  const char *function, *text;
  int status;
  MPI_Comm comm;
  dap_error err = {.rank = -1};
  dap_status agreed;
  (void)module;
  if (!PyArg_ParseTuple(args, "Osis", &handle, &function, &status, &text) || !value_comm(handle, &comm))
    return NULL;
  if (status) (void)dap_fail(&err, (dap_status)status, "%s", text);
  Py_BEGIN_ALLOW_THREADS;
  agreed = dap_agree_call(comm, function, (dap_status)status, &err);
  Py_END_ALLOW_THREADS;
  return agreed ? errors_raise(agreed, &err) : Py_NewRef(Py_None);
}

/* ---- assemble ------------------------------------------------------------------------------------- */

/* Flags of owned indices: a buffer of bools for each axis, or None. */
typedef struct flags {
  const bool *is_owned[DAP_MAX_NDIM];
  Py_buffer views[DAP_MAX_NDIM];
  bool has[DAP_MAX_NDIM];
} flags;

static void flags_release(flags *f)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    if (f->has[k]) PyBuffer_Release(&f->views[k]);
}

static bool flags_read(PyObject *sequence, const dap_array *array, flags *f)
{
  static const bool none;
  const Py_ssize_t count = PySequence_Size(sequence);
  if (count != array->dim_count) {
    PyErr_Clear();
    return errors_fail(DAP_ERR_ARG, "owned: not an entry for each of %d axes", (int)array->dim_count);
  }
  for (int k = 0; k < count; k++) {
    PyObject *item = PySequence_GetItem(sequence, k);
    if (!item) return false;
    if (item != Py_None) {
      f->has[k] = PyObject_GetBuffer(item, &f->views[k], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0;
      f->is_owned[k] = f->has[k] && f->views[k].len > 0 ? (const bool *)f->views[k].buf : &none;
    }
    Py_DECREF(item);
    if (item != Py_None && !f->has[k]) return false;
    if (f->has[k] && (f->views[k].itemsize != 1 || f->views[k].len != array->dims[k].index_count))
      return errors_fail(DAP_ERR_ARG, "owned: axis %d: not a flag for each of its indices", k);
  }
  return true;
}

PyObject *comm_assemble(PyObject *module, PyObject *args)
{
  PyObject *handle, *object, *owned;
  const char *rules;
  MPI_Comm comm;
  local_object *local;
  flags f = {0};
  dap_layout *layout;
  dap_error err;
  dap_status status;
  (void)module;
  if (!PyArg_ParseTuple(args, "OzOO", &handle, &rules, &object, &owned) || !value_comm(handle, &comm) ||
      !local_of(object, &local))
    return NULL;
  const bool is_ghosted = owned != Py_None;
  if (is_ghosted && !flags_read(owned, &local->array, &f)) {
    flags_release(&f);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS;
  status =
      dap_layout_assemble_ghosted(comm, rules, &local->array, is_ghosted ? f.is_owned : NULL, &layout, &err);
  Py_END_ALLOW_THREADS;
  flags_release(&f);
  return status ? errors_raise(status, &err) : layout_wrap(layout);
}

/* ---- questions ------------------------------------------------------------------------------------ */

PyObject *comm_lookup(PyObject *module, PyObject *args)
{
  PyObject *handle, *object, *indices, *result = NULL;
  const dap_layout *layout;
  MPI_Comm comm;
  Py_buffer view;
  int64_t count;
  dap_error err;
  dap_status status;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOO", &handle, &object, &indices) || !value_comm(handle, &comm) ||
      !layout_of(object, &layout) || !value_indices(indices, dap_layout_ndim(layout), &view, &count))
    return NULL;
  PyObject *ranks = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * (int64_t)sizeof(int)));
  PyObject *places = PyBytes_FromStringAndSize(NULL, view.len);
  if (ranks && places) {
    int *to_ranks = (int *)(void *)PyBytes_AsString(ranks);
    int64_t *to_places = (int64_t *)(void *)PyBytes_AsString(places);
    Py_BEGIN_ALLOW_THREADS;
    status = dap_layout_lookup(comm, layout, count, (const int64_t *)view.buf, to_ranks, to_places, &err);
    Py_END_ALLOW_THREADS;
    result = status ? errors_raise(status, &err) : PyTuple_Pack(2, ranks, places);
  }
  Py_XDECREF(ranks);
  Py_XDECREF(places);
  PyBuffer_Release(&view);
  return result;
}

PyObject *comm_relabel(PyObject *module, PyObject *args)
{
  PyObject *from_object, *to_object;
  const dap_layout *from, *to;
  int64_t before, after;
  dap_error err;
  dap_status status;
  (void)module;
  if (!PyArg_ParseTuple(args, "OO", &from_object, &to_object) || !layout_of(from_object, &from) ||
      !layout_of(to_object, &to))
    return NULL;
  int *ranks = (int *)PyMem_Calloc((size_t)dap_layout_nprocs(to), sizeof *ranks);
  if (!ranks) return PyErr_NoMemory();
  Py_BEGIN_ALLOW_THREADS;
  status = dap_plan_relabel(from, to, ranks, &before, &after, &err);
  Py_END_ALLOW_THREADS;
  PyObject *result = status ? errors_raise(status, &err)
                            : Py_BuildValue("(NLL)", value_list(ranks, dap_layout_nprocs(to)),
                                            (long long)before, (long long)after);
  PyMem_Free(ranks);
  return result;
}

PyObject *comm_replicas_check(PyObject *module, PyObject *args)
{
  PyObject *handle, *object, *part;
  const dap_layout *layout;
  local_object *local;
  MPI_Comm comm;
  dap_error err;
  dap_status status;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOO", &handle, &object, &part) || !value_comm(handle, &comm) ||
      !layout_of(object, &layout) || !local_of(part, &local))
    return NULL;
  const dap_darray array = {layout, &local->array};
  Py_BEGIN_ALLOW_THREADS;
  status = dap_replicas_check(comm, array, &err);
  Py_END_ALLOW_THREADS;
  return status ? errors_raise(status, &err) : Py_NewRef(Py_None);
}

/* ---- the MPI library ------------------------------------------------------------------------------ */

PyObject *comm_library_version(PyObject *module, PyObject *unused)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  (void)module;
  (void)unused;
  if (MPI_Get_library_version(text, &length)) length = 0;
  return PyUnicode_DecodeUTF8(text, length, "replace");
}

PyObject *comm_library_path(PyObject *module, PyObject *unused)
{
  Dl_info info = {0};
  (void)module;
  (void)unused;
  const bool is_found = dladdr((const void *)(uintptr_t)MPI_Get_library_version, &info) && info.dli_fname;
  return PyUnicode_DecodeFSDefault(is_found ? info.dli_fname : "");
}
