/* Defines Layout's methods that put it in words, in pictures and into files. */
#include "core_impl.h"

#include <stdio.h>
#include <stdlib.h>

static const dap_layout *own(PyObject *self)
{
  return ((layout_object *)self)->layout;
}

/* ---- in words ------------------------------------------------------------------------------------- */

static size_t text_of_layout(const void *layout, char *text, size_t capacity)
{
  return dap_layout_describe((const dap_layout *)layout, text, capacity);
}

static size_t text_of_summary(const void *layout, char *text, size_t capacity)
{
  return dap_layout_summary((const dap_layout *)layout, text, capacity);
}

static size_t text_of_format(const void *layout, char *text, size_t capacity)
{
  return dap_layout_format((const dap_layout *)layout, text, capacity);
}

PyObject *layout_describe(PyObject *self, PyObject *unused)
{
  (void)unused;
  return value_text(text_of_layout, own(self));
}

PyObject *layout_summary(PyObject *self, PyObject *unused)
{
  (void)unused;
  return value_text(text_of_summary, own(self));
}

PyObject *layout_format(PyObject *self, PyObject *unused)
{
  (void)unused;
  return value_text(text_of_format, own(self));
}

/* ---- in pictures ---------------------------------------------------------------------------------- */

/* A plane of a layout: its index along each axis, -1 along those that are drawn. */
typedef struct plane {
  const dap_layout *layout;
  int64_t at[DAP_MAX_NDIM];
} plane;

static size_t text_of_drawing(const void *layout, char *text, size_t capacity)
{
  return dap_layout_draw((const dap_layout *)layout, text, capacity);
}

static size_t text_of_plane(const void *object, char *text, size_t capacity)
{
  const plane *p = (const plane *)object;
  return dap_layout_draw_plane(p->layout, p->at, text, capacity);
}

/* Reads a plane in the words of dapbridge.draw. */
static bool read_plane(PyObject *self, PyObject *object, plane *p)
{
  Py_ssize_t count = dap_layout_ndim(own(self));
  bool given = false;
  PyObject *module = PyImport_ImportModule("dapbridge.draw");
  PyObject *found = module ? PyObject_CallMethod(module, "plane_of", "OO", self, object) : NULL;
  p->layout = own(self);
  const bool is_read = found && value_int64s(found, "plane", DAP_MAX_NDIM, &count, p->at, &given);
  Py_XDECREF(found);
  Py_XDECREF(module);
  return is_read && (given || errors_fail(DAP_ERR_ARG, "plane: none"));
}

PyObject *layout_draw(PyObject *self, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"plane", NULL};
  PyObject *object = Py_None;
  plane p;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O", names, &object)) return NULL;
  if (object == Py_None) return value_text(text_of_drawing, own(self));
  return read_plane(self, object, &p) ? value_text(text_of_plane, &p) : NULL;
}

/* plane: NULL for the default. */
static PyObject *draw_svg(const dap_layout *layout, const int64_t at[])
{
  char *text = NULL;
  size_t length = 0;
  dap_error err = {0};
  FILE *stream = open_memstream(&text, &length);
  if (!stream) return PyErr_NoMemory();
  const dap_status status = dap_layout_draw_svg(layout, at, NULL, stream, &err);
  const bool is_whole = fclose(stream) == 0;
  PyObject *picture = NULL;
  if (status)
    picture = errors_raise(status, &err);
  else
    picture = is_whole ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "strict") : PyErr_NoMemory();
  free(text);
  return picture;
}

PyObject *layout_svg(PyObject *self, PyObject *args)
{
  PyObject *object = Py_None;
  plane p;
  if (!PyArg_ParseTuple(args, "|O", &object)) return NULL;
  if (object == Py_None) return draw_svg(own(self), NULL);
  return read_plane(self, object, &p) ? draw_svg(p.layout, p.at) : NULL;
}

/* ---- into files ----------------------------------------------------------------------------------- */

PyObject *layout_export(PyObject *self, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"file", "comm", "version", NULL};
  PyObject *file, *comm, *version = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|O", names, &file, &comm, &version)) return NULL;
  PyObject *module = PyImport_ImportModule("dapbridge._document");
  PyObject *done =
      module ? PyObject_CallMethod(module, "write_layout", "OOOO", self, file, comm, version) : NULL;
  Py_XDECREF(module);
  return done;
}
