/* Reads options and other values from Python. */
#include "python_scalapack_impl.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const dap_py_api *scalapack_core;

PyObject *option_fail(const char *format, ...)
{
  dap_error err;
  char text[DAP_ERROR_TEXT];
  va_list values;
  va_start(values, format);
  (void)vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return scalapack_core->raise(dap_fail(&err, DAP_ERR_ARG, "%s", text), &err);
}

/* ---- numbers and words ------------------------------------------------------------------------------ */

bool option_int(PyObject *value, const char *name, int64_t *result)
{
  PyObject *number = PyBool_Check(value) ? NULL : PyNumber_Index(value);
  if (!number) {
    PyErr_Format(PyExc_TypeError, "%s is %R, not an integer", name, value);
    return false;
  }
  *result = PyLong_AsLongLong(number);
  Py_DecRef(number);
  return *result != -1 || !PyErr_Occurred();
}

static bool in_range(int64_t value, const char *name, int64_t most)
{
  return (value >= -most - 1 && value <= most) ||
         option_fail("%s is %lld, outside %lld .. %lld", name, (long long)value, (long long)(-most - 1),
                     (long long)most);
}

bool option_integer(PyObject *value, const char *name, dap_scalapack_int *result)
{
  const int64_t most = sizeof *result == sizeof(int64_t) ? INT64_MAX : INT32_MAX;
  int64_t wide;
  if (!option_int(value, name, &wide) || !in_range(wide, name, most)) return false;
  *result = (dap_scalapack_int)wide;
  return true;
}

bool option_access(PyObject *value, dap_access *result)
{
  static const char *const words[] = {"r", "w", "rw", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, "access", words, &found)) return false;
  *result = (dap_access[]){DAP_READ, DAP_WRITE, DAP_READ_WRITE}[found];
  return true;
}

/* ---- one option each: dict[name] to the member at `to` ---------------------------------------------- */

typedef bool reader(PyObject *value, const char *name, void *to);

static bool read_int64(PyObject *value, const char *name, void *to)
{
  return option_int(value, name, to);
}

static bool read_bool(PyObject *value, const char *name, void *to)
{
  (void)name;
  const int truth = PyObject_IsTrue(value);
  *(bool *)to = truth > 0;
  return truth >= 0;
}

static bool read_sharing(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"if-possible", "required", "never", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(dap_sharing *)to = (dap_sharing[]){DAP_SHARE_IF_POSSIBLE, DAP_SHARE_OR_FAIL, DAP_SHARE_NEVER}[found];
  return true;
}

static bool read_solver(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"auto", "ev", "evd", "evr", "backend", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(dap_eigh_solver *)to =
      (dap_eigh_solver[]){DAP_EIGH_AUTO, DAP_EIGH_EV, DAP_EIGH_EVD, DAP_EIGH_EVR, DAP_EIGH_BACKEND}[found];
  return true;
}

static bool read_svd_solver(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"auto", "gesvd", "gesdd", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(dap_svd_solver *)to = (dap_svd_solver[]){DAP_SVD_AUTO, DAP_SVD_GESVD, DAP_SVD_GESDD}[found];
  return true;
}

static bool read_backend(PyObject *value, const char *name, void *to)
{
  (void)name;
  *(const void **)to = PyCapsule_GetPointer(value, DAP_PY_BACKEND);
  return !PyErr_Occurred();
}

static bool read_range(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"all", "index", "value", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(dap_eigh_range *)to = (dap_eigh_range[]){DAP_EIGH_ALL, DAP_EIGH_BY_INDEX, DAP_EIGH_BY_VALUE}[found];
  return true;
}

static bool read_double(PyObject *value, const char *name, void *to)
{
  (void)name;
  *(double *)to = PyFloat_AsDouble(value);
  return !PyErr_Occurred();
}

static bool read_offset(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"none", "block", "any", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(dap_offset *)to = (dap_offset)found;
  return true;
}

static bool read_align(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"grid", "rows", "longer", "same", "leading", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(dap_align *)to = (dap_align)found;
  return true;
}

static bool read_text(PyObject *value, const char *name, void *to)
{
  const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  if (!text && !PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s is %R, not a string", name, value);
  *(const char **)to = text;
  return text;
}

static bool read_letter(PyObject *value, const char *name, void *to)
{
  static const char *const words[] = {"N", "T", NULL};
  int found;
  if (!dap_py_word(scalapack_core, value, name, words, &found)) return false;
  *(char *)to = words[found][0];
  return true;
}

/* One integer, or two. */
static bool read_block_size(PyObject *value, const char *name, void *to)
{
  int64_t *sizes = to;
  if (!PySequence_Check(value)) {
    if (!option_int(value, name, &sizes[0])) return false;
    sizes[1] = sizes[0];
    return true;
  }
  const Py_ssize_t count = PySequence_Size(value);
  if (count != 2) return count < 0 ? false : option_fail("%s has %zd numbers, not 2", name, count);
  for (int k = 0; k < 2; k++) {
    PyObject *item = PySequence_GetItem(value, k);
    const bool ok = item && option_int(item, name, &sizes[k]);
    Py_DecRef(item);
    if (!ok) return false;
  }
  return true;
}

static bool read_grid(PyObject *value, const char *name, void *to)
{
  int64_t sizes[2] = {0};
  if (!PySequence_Check(value)) return option_fail("%s is not two integers", name);
  if (!read_block_size(value, name, sizes)) return false;
  for (int k = 0; k < 2; k++) {
    if (!in_range(sizes[k], name, INT32_MAX)) return false;
    ((int *)to)[k] = (int)sizes[k];
  }
  return true;
}

/* A sequence of numpy's names, as bits. */
static bool read_dtypes(PyObject *value, const char *name, void *to)
{
  (void)name;
  uint32_t *bits = to;
  const Py_ssize_t count = PySequence_Size(value);
  for (Py_ssize_t i = 0; i < count; i++) {
    dap_dtype dtype;
    PyObject *item = PySequence_GetItem(value, i);
    const bool ok = item && scalapack_core->dtype(item, &dtype);
    Py_DecRef(item);
    if (!ok) return false;
    *bits |= UINT32_C(1) << dtype;
  }
  return count >= 0;
}

static bool read_object(PyObject *value, const char *name, void *to)
{
  (void)name;
  *(PyObject **)to = value;
  return true;
}

static bool read_part(PyObject *value, const char *name, void *to)
{
  (void)name;
  return scalapack_core->part(value, to);
}

static bool read_context(PyObject *value, const char *name, void *to)
{
  return option_integer(value, name, to);
}

/* ---- dicts -------------------------------------------------------------------------------------------- */

typedef struct option {
  const char *name;
  reader *read;
  size_t offset;
} option;

/* Sets what the dict has, which is None where the default is meant. */
static bool read_dict(PyObject *dict, const option options[], int count, void *result)
{
  PyObject *key, *value;
  Py_ssize_t at = 0;
  if (!PyDict_Check(dict)) {
    PyErr_Format(PyExc_TypeError, "options are %R, not a dict", dict);
    return false;
  }
  while (PyDict_Next(dict, &at, &key, &value)) {
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
    int i = 0;
    while (name && i < count && strcmp(options[i].name, name) != 0) i++;
    if (!name || i == count) {
      if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%R is not an option here", key);
      return false;
    }
    if (Py_IsNone(value)) continue;
    if (!options[i].read(value, name, (char *)result + options[i].offset)) return false;
  }
  return true;
}

#define AT(member) offsetof(matrix_options, member)
static const option of_matrix[] = {
    {"share", read_sharing, AT(options.sharing)},
    {"part", read_part, AT(part)},
    {"routine", read_text, AT(options.routine)},
    {"op", read_letter, AT(options.op)},
    {"block_size", read_block_size, AT(options.block_size)},
    {"grid", read_grid, AT(options.grid)},
    {"columns", read_int64, AT(options.columns)},
    {"aligned_with", read_object, AT(aligned_with)},
    {"context", read_context, AT(context)},
    {"dtypes", read_dtypes, AT(options.needs.dtypes)},
    {"square", read_bool, AT(options.needs.square)},
    {"least_size", read_int64, AT(options.needs.least_size)},
    {"square_blocks", read_bool, AT(options.needs.square_blocks)},
    {"any_sources", read_bool, AT(options.needs.any_sources)},
    {"several_blocks", read_bool, AT(options.needs.several_blocks)},
    {"spans_grid", read_bool, AT(options.needs.spans_grid)},
    {"occupied", read_bool, AT(options.needs.occupied)},
    {"tall_grid", read_bool, AT(options.needs.tall_grid)},
    {"factorised", read_bool, AT(options.needs.factorised)},
    {"no_row_pair", read_bool, AT(options.needs.no_row_pair)},
    {"least_block", read_int64, AT(options.needs.least_block)},
    {"most_block", read_int64, AT(options.needs.most_block)},
    {"offset", read_offset, AT(options.needs.offset)},
    {"align", read_align, AT(options.needs.align)},
};

bool options_of_matrix(PyObject *dict, matrix_options *result)
{
  *result = (matrix_options){0};
  if (!read_dict(dict, of_matrix, (int)(sizeof of_matrix / sizeof of_matrix[0]), result)) return false;
  PyObject *context = PyDict_GetItemString(dict, "context");
  if (context && !Py_IsNone(context)) result->options.context = &result->context;
  result->options.part = result->part.part;
  return true;
}

static const option of_linalg[] = {
    {"share", read_sharing, offsetof(dap_linalg_options, sharing)},
    {"keep", read_bool, offsetof(dap_linalg_options, keep)},
    {"block_size", read_int64, offsetof(dap_linalg_options, block_size)},
    {"solver", read_solver, offsetof(dap_linalg_options, eigh.solver)},
    {"range", read_range, offsetof(dap_linalg_options, eigh.range)},
    {"start", read_int64, offsetof(dap_linalg_options, eigh.start)},
    {"stop", read_int64, offsetof(dap_linalg_options, eigh.stop)},
    {"above", read_double, offsetof(dap_linalg_options, eigh.above)},
    {"up_to", read_double, offsetof(dap_linalg_options, eigh.up_to)},
    {"backend", read_backend, offsetof(dap_linalg_options, eigh.backend)},
    {"svd_solver", read_svd_solver, offsetof(dap_linalg_options, svd.solver)},
};

bool options_of_linalg(PyObject *dict, dap_linalg_options *result)
{
  *result = (dap_linalg_options){0};
  return read_dict(dict, of_linalg, (int)(sizeof of_linalg / sizeof of_linalg[0]), result);
}
