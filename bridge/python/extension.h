/* Declares the functions and types that the extension modules share: Python's Limited API, and the functions
 * of dapbridge._core that the others call through a capsule. They use only public headers of dapbridge. A
 * function that returns NULL or false has set an exception. */
#ifndef DAP_EXTENSION_H
#define DAP_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <dapbridge.h>
#include <dapbridge/adapter.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A part as Python gives it: (axes, start, shape), each None or a sequence. */
typedef struct dap_py_part {
  dap_part part; /* points into the others */
  int axes[DAP_MAX_NDIM];
  int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
} dap_py_part;

enum { DAP_PY_API = 1 };
#define DAP_PY_CAPSULE "dapbridge._core._api"
#define DAP_PY_FILE_FORMAT "dapbridge file_format" /* a capsule with a dap_file_format, which stays */
#define DAP_PY_BACKEND "dapbridge eigh_backend"    /* a capsule with a dap_eigh_backend, which stays */

/* dapbridge._core, for the other modules. */
typedef struct dap_py_api {
  int version; /* DAP_PY_API */
  /* Sets the exception of a status; always NULL, to be returned. */
  PyObject *(*raise)(dap_status status, const dap_error *err);
  /* This process's arguments are wrong, and the others of `comm` are in the library's `function`: the
   * exception that is set becomes the error of all. NULL. Collective. */
  PyObject *(*fail_all)(MPI_Comm comm, const char *function);
  /* A Fortran handle. */
  bool (*comm)(PyObject *handle, MPI_Comm *comm);
  /* A Layout and a Local, which the caller keeps as long as it uses *array. */
  bool (*darray)(PyObject *layout, PyObject *local, dap_darray *array);
  /* None: the whole. */
  bool (*part)(PyObject *tuple, dap_py_part *part);
  /* numpy's name of a type, or None for DAP_NONE. */
  bool (*dtype)(PyObject *name, dap_dtype *dtype);
  /* New objects that take *layout and *array over, also where they fail. `keeps` (may be NULL) is what the
   * array's memory belongs to; the Local holds a reference. */
  PyObject *(*new_layout)(dap_layout *layout);
  PyObject *(*new_local)(dap_array *array, PyObject *keeps);
} dap_py_api;

/* In an extension other than _core: imports the capsule. */
static inline const dap_py_api *dap_py_import(void)
{
  const dap_py_api *api = (const dap_py_api *)PyCapsule_Import(DAP_PY_CAPSULE, 0);
  if (api && api->version != DAP_PY_API) {
    PyErr_SetString(PyExc_ImportError, "dapbridge._core is of another release than this module");
    return NULL;
  }
  return api;
}

/* Sets *result to the index of a word in words[], which ends with NULL. `name` is the user's keyword. */
static inline bool dap_py_word(const dap_py_api *api, PyObject *value, const char *name,
                               const char *const words[], int *result)
{
  const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
  char allowed[160] = "";
  dap_error err;
  for (int i = 0; words[i]; i++) {
    const size_t used = strlen(allowed);
    const char *before = i == 0 ? "" : words[i + 1] ? ", " : " or ";
    *result = i;
    if (text && !strcmp(text, words[i])) return true;
    (void)snprintf(allowed + used, sizeof allowed - used, "%s'%s'", before, words[i]);
  }
  PyErr_Clear();
  PyObject *shown = PyObject_ASCII(value);
  const char *given = shown ? PyUnicode_AsUTF8AndSize(shown, NULL) : NULL;
  if (given)
    (void)api->raise(dap_fail(&err, DAP_ERR_ARG, "%s is %.60s; it must be %s", name, given, allowed), &err);
  Py_DecRef(shown);
  return false;
}

#endif
