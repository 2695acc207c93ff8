/* Saves and loads arrays in files. Options are a dict by the names of dap_file_options' members. */
#include "core_impl.h"

#include <dapbridge/file.h>
#include <string.h>

typedef struct file_options {
  dap_file_options options; /* points into the others */
  dap_py_part part;
  int64_t shape[DAP_MAX_NDIM];
} file_options;

/* ---- read ----------------------------------------------------------------------------------------- */

/* A name of a format of the core, or another module's capsule. */
static bool read_format(PyObject *value, const dap_file_format **format)
{
  const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  if (text && !strcmp(text, "npy"))
    *format = dap_file_npy();
  else if (text && !strcmp(text, "raw"))
    *format = dap_file_raw();
  else if (PyCapsule_IsValid(value, DAP_PY_FILE_FORMAT))
    *format = (const dap_file_format *)PyCapsule_GetPointer(value, DAP_PY_FILE_FORMAT);
  else
    return errors_fail(DAP_ERR_ARG, "format is neither 'npy' nor 'raw' nor that of a module");
  return true;
}

static bool read_mode(PyObject *value, dap_file_mode *mode)
{
  static const char *const names[] = {"w", "r+", "a"};
  const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  for (int i = 0; text && i < 3; i++)
    if (!strcmp(text, names[i])) {
      *mode = (dap_file_mode)i;
      return true;
    }
  return errors_fail(DAP_ERR_ARG, "mode is not 'w', 'r+' or 'a'");
}

static bool read_shape(PyObject *value, file_options *o)
{
  bool is_given;
  Py_ssize_t count = -1;
  if (!value_int64s(value, "shape", DAP_MAX_NDIM, &count, o->shape, &is_given)) return false;
  if (!is_given) return true;
  o->options.ndim = (int)count;
  o->options.shape = o->shape;
  return true;
}

static bool read_part(PyObject *value, file_options *o)
{
  if (!value_part(value, &o->part)) return false;
  o->options.part = o->part.part;
  return true;
}

static bool read_option(const char *name, PyObject *value, void *context)
{
  file_options *o = context;
  dap_file_options *options = &o->options;
  if (!strcmp(name, "format")) return read_format(value, &options->format);
  if (!strcmp(name, "mode")) return read_mode(value, &options->mode);
  if (!strcmp(name, "dtype")) return value_dtype(value, &options->dtype);
  if (!strcmp(name, "order")) return value_order(value, &options->order);
  if (!strcmp(name, "lossy")) return value_truth(value, &options->lossy);
  if (!strcmp(name, "swapped")) return value_truth(value, &options->swapped);
  if (!strcmp(name, "drop_layout")) return value_truth(value, &options->drop_layout);
  if (!strcmp(name, "shape")) return read_shape(value, o);
  if (!strcmp(name, "part")) return read_part(value, o);
  if (!strcmp(name, "offset")) return value_int64(value, name, &options->offset);
  if (!strcmp(name, "writers")) return value_int(value, name, &options->writers);
  if (!strcmp(name, "align")) return value_int64(value, name, &options->align);
  if (!strcmp(name, "memory_bytes")) return value_int64(value, name, &options->memory_bytes);
  return errors_fail(DAP_ERR_ARG, "%.40s is not an option of a file", name);
}

/* Reads a path as bytes. The format "y" of PyArg_ParseTuple() also takes other objects with a buffer, and
 * reads beyond a buffer that does not end in a null byte. */
static bool read_path(PyObject *value, const char **path)
{
  char *bytes;
  if (PyBytes_AsStringAndSize(value, &bytes, NULL)) return false;
  *path = bytes;
  return true;
}

/* ---- save and load -------------------------------------------------------------------------------- */

typedef dap_status move_function(MPI_Comm comm, dap_darray array, const char *path,
                                 const dap_file_options *options, dap_error *err);

/* (comm, layout, local or None, path as bytes, options) */
static PyObject *move(PyObject *args, const char *name, move_function *function)
{
  PyObject *handle, *layout_item, *local_item, *path_item, *dict;
  const char *path;
  const dap_layout *layout;
  local_object *local;
  MPI_Comm comm;
  file_options o = {0};
  dap_error err = {.rank = -1};
  dap_status status;
  handle = PyTuple_GetItem(args, 0);
  if (!handle || !value_comm(handle, &comm)) return NULL;
  if (!PyArg_ParseTuple(args, "OOOOO", &handle, &layout_item, &local_item, &path_item, &dict) ||
      !layout_of(layout_item, &layout) || !local_or_none(local_item, &local) ||
      !read_path(path_item, &path) || !value_options(dict, read_option, &o))
    return comm_fail_all(comm, name);
  const dap_darray array = {layout, local && local->array.abi ? &local->array : NULL};
  Py_BEGIN_ALLOW_THREADS;
  status = function(comm, array, path, &o.options, &err);
  Py_END_ALLOW_THREADS;
  return status ? errors_raise(status, &err) : Py_NewRef(Py_None);
}

PyObject *file_save(PyObject *module, PyObject *args)
{
  (void)module;
  return move(args, "dap_file_save", dap_file_save);
}

PyObject *file_load(PyObject *module, PyObject *args)
{
  (void)module;
  return move(args, "dap_file_load", dap_file_load);
}

/* ---- query ---------------------------------------------------------------------------------------- */

/* Takes *layout over, also where it fails. */
static PyObject *make_info(const dap_file_info *info, dap_layout *layout)
{
  PyObject *object = layout_wrap(layout);
  if (!object) return NULL;
  PyObject *note = PyUnicode_DecodeUTF8(info->note, (Py_ssize_t)strlen(info->note), "replace");
  return Py_BuildValue("{sNsssNsssLsNsNsN}", "shape", value_tuple(info->shape, info->ndim), "dtype",
                       dap_dtype_name(info->dtype), "swapped", PyBool_FromLong(info->swapped), "order",
                       info->order == DAP_ORDER_F ? "F" : "C", "offset", (long long)info->offset,
                       "has_layout", PyBool_FromLong(info->has_layout), "note", note, "layout", object);
}

PyObject *file_query(PyObject *module, PyObject *args)
{
  PyObject *handle, *path_item, *dict;
  const char *path;
  MPI_Comm comm;
  file_options o = {0};
  dap_file_info info = {0};
  dap_layout *layout = NULL;
  dap_error err = {.rank = -1};
  dap_status status;
  (void)module;
  handle = PyTuple_GetItem(args, 0);
  if (!handle || !value_comm(handle, &comm)) return NULL;
  if (!PyArg_ParseTuple(args, "OOO", &handle, &path_item, &dict) || !read_path(path_item, &path) ||
      !value_options(dict, read_option, &o))
    return comm_fail_all(comm, "dap_file_query");
  Py_BEGIN_ALLOW_THREADS;
  status = dap_file_query(comm, path, &o.options, &info, &layout, &err);
  Py_END_ALLOW_THREADS;
  return status ? errors_raise(status, &err) : make_info(&info, layout);
}
