/* Gives the local part of a Matrix as a buffer. */
#include "python_scalapack_impl.h"

#include <stdio.h>

static matrix_object *matrix(PyObject *self)
{
  return (matrix_object *)(void *)self;
}

void matrix_set_extents(matrix_object *self)
{
  enum { LLD = 8 };
  int64_t extents[2];
  const int64_t itemsize = dap_dtype_size(self->dtype);
  import_extents(self->view->desc, extents);
  (void)snprintf(self->format, sizeof self->format, "%s", dap_dtype_format(self->dtype));
  self->shape[0] = (Py_ssize_t)extents[0];
  self->shape[1] = (Py_ssize_t)extents[1];
  self->strides[0] = (Py_ssize_t)itemsize;
  self->strides[1] = (Py_ssize_t)(itemsize * self->view->desc[LLD]);
}

static bool is_asked(int flags, int bits)
{
  return (flags & bits) == bits;
}

/* Returns why a consumer cannot have the buffer; NULL: it can. */
static const char *find_obstacle(const matrix_object *self, int flags)
{
  const bool is_f = self->shape[1] <= 1 || self->strides[1] == self->shape[0] * self->strides[0];
  const bool is_c = self->shape[0] <= 1 && self->strides[1] == self->strides[0];
  if (!self->is_live) return "the view of the matrix has ended";
  if (is_asked(flags, PyBUF_WRITABLE) && !(self->access & DAP_WRITE)) return "the view was got for reading";
  if (!is_asked(flags, PyBUF_STRIDES)) return "the matrix is column-major, which needs strides";
  if (is_asked(flags, PyBUF_C_CONTIGUOUS) && !is_c) return "the matrix is column-major";
  if (is_asked(flags, PyBUF_F_CONTIGUOUS) && !is_f) return "the matrix's columns are apart";
  if (is_asked(flags, PyBUF_ANY_CONTIGUOUS) && !is_f) return "the matrix's columns are apart";
  return NULL;
}

int matrix_get_buffer(PyObject *object, Py_buffer *buffer, int flags)
{
  static char nothing[16];
  matrix_object *self = matrix(object);
  const char *obstacle = find_obstacle(self, flags);
  buffer->obj = NULL;
  if (obstacle) {
    PyErr_SetString(PyExc_BufferError, obstacle);
    return -1;
  }
  *buffer = (Py_buffer){
      .buf = self->view->data ? self->view->data : nothing,
      .obj = Py_NewRef(object),
      .len = self->shape[0] * self->shape[1] * self->strides[0],
      .itemsize = self->strides[0],
      .readonly = !(self->access & DAP_WRITE),
      .ndim = 2,
      .format = is_asked(flags, PyBUF_FORMAT) ? self->format : NULL,
      .shape = self->shape,
      .strides = self->strides,
  };
  self->exports++;
  return 0;
}

void matrix_release_buffer(PyObject *object, Py_buffer *buffer)
{
  (void)buffer;
  matrix_object *self = matrix(object);
  if (--self->exports == 0 && !self->is_live) (void)dap_scalapack_discard(self->view, NULL);
}
