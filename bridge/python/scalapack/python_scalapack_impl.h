/* Declares the functions and types that the files of dapbridge._scalapack share. dapbridge/_scalapack.pyi
 * describes the types and functions that Python sees. A function that returns NULL or false has set an
 * exception. */
#ifndef DAP_PYTHON_SCALAPACK_IMPL_H
#define DAP_PYTHON_SCALAPACK_IMPL_H

#include "extension.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_triangular.h>
#include <dapbridge/scalapack.h>
#include <stddef.h>

/* The functions of dapbridge._core; set when the module is imported.
 *
 * A process that cannot read its own arguments of a collective function still calls it, without an array. So
 * the others get an error instead of waiting. It then raises its own error. */
extern const dap_py_api *scalapack_core;

/* ---- options.c: dicts and other values from Python --------------------------------------------------- */

typedef struct matrix_options {
  dap_scalapack_options options; /* points into the others, and into the dict */
  dap_py_part part;
  dap_scalapack_int context;
  PyObject *aligned_with; /* not yet in options; may be NULL */
} matrix_options;

bool options_of_matrix(PyObject *dict, matrix_options *result);
bool options_of_linalg(PyObject *dict, dap_linalg_options *result);
/* 'r', 'w' or 'rw'. */
bool option_access(PyObject *value, dap_access *result);
bool option_int(PyObject *value, const char *name, int64_t *result);
/* A dap_scalapack_int. */
bool option_integer(PyObject *value, const char *name, dap_scalapack_int *result);
/* Sets the library's exception of DAP_ERR_ARG. Always NULL. */
PyObject *option_fail(const char *format, ...) DAP_PRINTF(1, 2);

/* ---- matrix.c, matrix_buffer.c: the type Matrix ----------------------------------------------------- */

typedef struct matrix_object {
  PyObject ob_base;
  /* Allocated, because it must stay where it is. If the object is dropped while the view lives, it stays for
   * ever. A view that has ended for Python but has exports is ended with the last of these. */
  dap_scalapack_matrix *view;
  bool is_live; /* for Python */
  PyObject *layout, *local;
  dap_access access;
  dap_dtype dtype;
  Py_ssize_t exports; /* buffers of it that are in use */
  Py_ssize_t shape[2], strides[2];
  char format[8];
} matrix_object;

PyTypeObject *matrix_init_type(void);

/* matrix_buffer.c. The first sets shape and strides of a view that was just got. */
void matrix_set_extents(matrix_object *self);
int matrix_get_buffer(PyObject *object, Py_buffer *buffer, int flags);
void matrix_release_buffer(PyObject *object, Py_buffer *buffer);

/* ---- import.c: matrices of others ------------------------------------------------------------------- */

/* Extents of this process's local part of a descriptor's matrix; 0 outside its grid. */
void import_extents(const dap_scalapack_int desc[9], int64_t extents[2]);
PyObject *import_matrix(PyObject *module, PyObject *args);
PyObject *import_context_comm(PyObject *module, PyObject *context);

/* ---- linalg.c, which the build writes (cmake/bindings.py), and solve_refined.c ----------------------- */

extern PyMethodDef linalg_methods[];
PyObject *linalg_solve_refined(PyObject *module, PyObject *args);

/* ---- factors.c: the type Factors -------------------------------------------------------------------- */

PyTypeObject *factors_init_type(void);

#endif
