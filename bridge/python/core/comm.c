/* Calls collective functions: agreements, the making of layouts of foreign arrays, and questions about
 * them. */
#define _GNU_SOURCE /* dladdr() */
#include "core_impl.h"

#include <dlfcn.h>
#include <math.h>

/* Reads the communicator, a function's first argument. The other arguments may be wrong on one process only.
 * It then still calls C's function, with arguments that this refuses, so the others get an error and do not
 * wait. */
static bool read_comm(PyObject *args, MPI_Comm *comm)
{
  PyObject *handle = PyTuple_GetItem(args, 0);
  return handle && value_comm(handle, comm);
}

/* Reads the arguments of comm_agree(). The text may have any characters; C sees it up to the first 0. */
static bool read_agreed(PyObject *args, const char **function, int *status, PyObject **bytes, int *rule)
{
  PyObject *handle, *text;
  if (!PyArg_ParseTuple(args, "OsiO|i", &handle, function, status, &text, rule)) return false;
  if (*status < DAP_OK || *status > DAP_ERR_FILE)
    return errors_fail(DAP_ERR_ARG, "%d is not a status", *status);
  *bytes = PyUnicode_AsEncodedString(text, "utf-8", "replace");
  return *bytes;
}

PyObject *comm_agree(PyObject *module, PyObject *args)
{
  PyObject *bytes = NULL;
  const char *function = "dapbridge";
  int status, rule = 0;
  MPI_Comm comm;
  dap_error err = {.rank = -1};
  dap_status agreed;
  (void)module;
  if (!read_comm(args, &comm)) return NULL;
  const bool is_read = read_agreed(args, &function, &status, &bytes, &rule);
  if (!is_read) status = DAP_ERR_ARG;
  const char *text = is_read ? PyBytes_AsString(bytes) : "arguments";
  if (status && rule > 0)
    (void)dap_fail_rule(&err, rule, (dap_status)status, "%s", text);
  else if (status)
    (void)dap_fail(&err, (dap_status)status, "%s", text);
  Py_BEGIN_ALLOW_THREADS;
  agreed = dap_agree_call(comm, function, (dap_status)status, &err);
  Py_END_ALLOW_THREADS;
  Py_XDECREF(bytes);
  if (!is_read) return NULL;
  return agreed ? errors_raise(agreed, &err) : Py_NewRef(Py_None);
}

PyObject *comm_agree_word(PyObject *module, PyObject *args)
{
  PyObject *handle;
  const char *name = "arguments";
  unsigned long long given = 0;
  MPI_Comm comm;
  dap_error err = {.rank = -1};
  dap_status status = DAP_OK;
  (void)module;
  if (!read_comm(args, &comm)) return NULL;
  const bool is_read = PyArg_ParseTuple(args, "OsK", &handle, &name, &given);
  if (!is_read) return comm_fail_all(comm, "agree_word");
  const uint64_t word = given;
  Py_BEGIN_ALLOW_THREADS;
  status = dap_agree_words(comm, &word, &name, 1, &err);
  Py_END_ALLOW_THREADS;
  return status ? errors_raise(status, &err) : Py_NewRef(Py_None);
}

/* ---- errors of one process ------------------------------------------------------------------------- */

/* The exception's text as the library's error. */
static dap_status describe_exception(dap_error *err)
{
  PyObject *type, *value, *trace;
  const dap_status status = PyErr_ExceptionMatches(PyExc_MemoryError) ? DAP_ERR_NOMEM : DAP_ERR_ARG;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *words = value ? PyObject_Str(value) : NULL;
  const char *text = words ? PyUnicode_AsUTF8AndSize(words, NULL) : NULL;
  (void)dap_fail(err, status, "%s", text ? text : "an exception without a text");
  PyErr_Clear();
  Py_XDECREF(words);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return status;
}

PyObject *comm_fail_all(MPI_Comm comm, const char *function)
{
  dap_error err = {.rank = -1};
  dap_status s = describe_exception(&err);
  Py_BEGIN_ALLOW_THREADS;
  s = dap_agree_call(comm, function, s, &err);
  Py_END_ALLOW_THREADS;
  return errors_raise(s, &err);
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
    for (Py_ssize_t i = 0; f->has[k] && i < f->views[k].len; i++)
      if (((const unsigned char *)f->views[k].buf)[i] > 1)
        return errors_fail(DAP_ERR_ARG, "owned: axis %d: flag %lld is neither 0 nor 1", k, (long long)i);
  }
  return true;
}

PyObject *comm_assemble(PyObject *module, PyObject *args)
{
  PyObject *handle, *object, *owned;
  const char *rules;
  MPI_Comm comm;
  local_object *local = NULL;
  flags f = {0};
  dap_layout *layout;
  dap_error err;
  dap_status status;
  (void)module;
  if (!read_comm(args, &comm)) return NULL;
  const bool is_read = PyArg_ParseTuple(args, "OzOO", &handle, &rules, &object, &owned) &&
                       local_of(object, &local) && (owned == Py_None || flags_read(owned, &local->array, &f));
  const bool is_ghosted = is_read && owned != Py_None;
  Py_BEGIN_ALLOW_THREADS;
  status = dap_layout_assemble_ghosted(comm, is_read ? rules : NULL, is_read ? &local->array : NULL,
                                       is_ghosted ? f.is_owned : NULL, &layout, &err);
  Py_END_ALLOW_THREADS;
  flags_release(&f);
  if (!is_read) return NULL;
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
  if (!read_comm(args, &comm)) return NULL;
  if (!PyArg_ParseTuple(args, "OOO", &handle, &object, &indices) || !layout_of(object, &layout) ||
      !value_indices(indices, dap_layout_ndim(layout), &view, &count)) {
    Py_BEGIN_ALLOW_THREADS;
    (void)dap_layout_lookup(comm, NULL, 0, NULL, NULL, NULL, &err);
    Py_END_ALLOW_THREADS;
    return NULL;
  }
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
  if (!read_comm(args, &comm)) return NULL;
  const bool is_read = PyArg_ParseTuple(args, "OOO", &handle, &object, &part) && layout_of(object, &layout) &&
                       local_of(part, &local);
  const dap_darray array = is_read ? (dap_darray){layout, &local->array} : (dap_darray){0};
  Py_BEGIN_ALLOW_THREADS;
  status = dap_replicas_check(comm, array, &err);
  Py_END_ALLOW_THREADS;
  if (!is_read) return NULL;
  return status ? errors_raise(status, &err) : Py_NewRef(Py_None);
}

PyObject *comm_wait_limit(PyObject *module, PyObject *args)
{
  PyObject *handle;
  double seconds = 0;
  MPI_Comm comm;
  dap_error err;
  dap_status status;
  (void)module;
  if (!read_comm(args, &comm)) return NULL;
  const bool is_read = PyArg_ParseTuple(args, "Od", &handle, &seconds);
  Py_BEGIN_ALLOW_THREADS;
  status = dap_wait_limit(comm, is_read ? seconds : NAN, &err);
  Py_END_ALLOW_THREADS;
  if (!is_read) return NULL;
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
