/* Defines Layout's methods that answer questions about axes, processes and elements. */
#include "core_impl.h"

#include <string.h>

static const dap_layout *own(PyObject *self)
{
  return ((layout_object *)self)->layout;
}

/* ---- axes and processes --------------------------------------------------------------------------- */

static bool read_axis(const dap_layout *layout, PyObject *const args[], int *axis)
{
  if (!value_int(args[0], "axis", axis)) return false;
  if (*axis < 0 || *axis >= dap_layout_ndim(layout))
    return errors_fail(DAP_ERR_ARG, "axis %d of %d", *axis, dap_layout_ndim(layout));
  return true;
}

/* (axis, coord) */
static bool read_place(PyObject *self, PyObject *const args[], Py_ssize_t count, int *axis, int *coord)
{
  if (count != 2) return errors_fail(DAP_ERR_ARG, "wanted: an axis and a coordinate");
  if (!read_axis(own(self), args, axis) || !value_int(args[1], "coordinate", coord)) return false;
  if (*coord < 0 || *coord >= dap_layout_procs(own(self), *axis))
    return errors_fail(DAP_ERR_ARG, "coordinate %d along axis %d, which is over %d processes", *coord, *axis,
                       dap_layout_procs(own(self), *axis));
  return true;
}

static PyObject *coords(PyObject *self, PyObject *argument)
{
  int rank, found[DAP_MAX_NDIM];
  int64_t words[DAP_MAX_NDIM];
  if (!value_int(argument, "rank", &rank)) return NULL;
  if (rank < 0 || rank >= dap_layout_nprocs(own(self)))
    return errors_fail(DAP_ERR_ARG, "rank %d of %d", rank, dap_layout_nprocs(own(self)));
  dap_layout_coords(own(self), rank, found);
  for (int k = 0; k < dap_layout_ndim(own(self)); k++) words[k] = found[k];
  return value_tuple(words, dap_layout_ndim(own(self)));
}

static PyObject *rank_of(PyObject *self, PyObject *argument)
{
  int place[DAP_MAX_NDIM];
  bool given;
  Py_ssize_t ndim = dap_layout_ndim(own(self));
  if (!value_ints(argument, "coordinates", DAP_MAX_NDIM, &ndim, place, &given)) return NULL;
  for (int k = 0; k < ndim; k++)
    if (!given || place[k] < 0 || place[k] >= dap_layout_procs(own(self), k))
      return errors_fail(DAP_ERR_ARG, "coordinates: axis %d: not one of %d", k,
                         dap_layout_procs(own(self), k));
  return PyLong_FromLong(dap_layout_rank(own(self), place));
}

static PyObject *axis_of(PyObject *self, PyObject *argument)
{
  int axis;
  if (!read_axis(own(self), &argument, &axis)) return NULL;
  const dap_axis a = dap_layout_axis(own(self), axis);
  const char type[] = {a.dist_type, '\0'};
  return Py_BuildValue(
      "{sssNsNsNsNsNsisisLsLs(LL)}", "dist_type", type, "periodic", PyBool_FromLong(a.periodic), "one_to_one",
      PyBool_FromLong(a.one_to_one), "owners_given", PyBool_FromLong(a.owners_given), "replicated",
      PyBool_FromLong(a.replicated), "partial", PyBool_FromLong(a.partial), "procs", a.procs, "first_owner",
      a.first_owner, "size", (long long)a.size, "block_size", (long long)a.block_size, "boundary",
      (long long)a.boundary[0], (long long)a.boundary[1]);
}

static PyObject *knows(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  int axis, coord;
  if (!read_place(self, args, count, &axis, &coord)) return NULL;
  return PyBool_FromLong(dap_layout_knows(own(self), axis, coord));
}

static PyObject *owned(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  int axis, coord;
  if (!read_place(self, args, count, &axis, &coord)) return NULL;
  return PyLong_FromLongLong(dap_layout_owned(own(self), axis, coord));
}

static PyObject *extent(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  int axis, coord;
  if (!read_place(self, args, count, &axis, &coord)) return NULL;
  return PyLong_FromLongLong(dap_layout_extent(own(self), axis, coord));
}

static PyObject *halo(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  int axis, coord;
  int64_t width[2];
  if (!read_place(self, args, count, &axis, &coord)) return NULL;
  dap_layout_halo(own(self), axis, coord, width);
  return value_tuple(width, 2);
}

static PyObject *remote(int axis, int coord)
{
  return errors_fail(DAP_ERR_REMOTE, "axis %d: this process does not know the indices at coordinate %d", axis,
                     coord);
}

static PyObject *runs(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  int axis, coord;
  dap_run run = {0};
  if (!read_place(self, args, count, &axis, &coord)) return NULL;
  if (!dap_layout_knows(own(self), axis, coord)) return remote(axis, coord);
  PyObject *list = PyList_New(0);
  while (list && dap_layout_next_run(own(self), axis, coord, &run)) {
    const int64_t words[] = {run.global, run.local, run.length};
    PyObject *item = value_tuple(words, 3);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  return list;
}

static PyObject *is_owned(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  int axis, coord;
  if (!read_place(self, args, count, &axis, &coord)) return NULL;
  if (!dap_layout_knows(own(self), axis, coord)) return remote(axis, coord);
  const int64_t length = dap_layout_extent(own(self), axis, coord);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length);
  char *flags = bytes ? PyBytes_AsString(bytes) : NULL;
  for (int64_t i = 0; flags && i < length; i++) flags[i] = dap_layout_is_owned(own(self), axis, coord, i);
  return bytes;
}

static PyObject *dim(PyObject *self, PyObject *args)
{
  const char *version;
  int axis, coord;
  dap_dim found;
  dap_error err;
  if (!PyArg_ParseTuple(args, "zii", &version, &axis, &coord)) return NULL;
  const dap_status status = dap_layout_dim(own(self), version, axis, coord, &found, &err);
  return status ? errors_raise(status, &err) : dims_write(&found, self);
}

static PyObject *blocks(PyObject *self, PyObject *argument)
{
  int axis;
  dap_blocks found;
  dap_error err;
  if (!read_axis(own(self), &argument, &axis)) return NULL;
  const dap_status status = dap_layout_blocks(own(self), axis, &found, &err);
  if (status) return errors_raise(status, &err);
  const int64_t words[] = {found.size, found.least, found.source};
  return value_tuple(words, 3);
}

/* ---- elements ------------------------------------------------------------------------------------- */

static PyObject *locate(PyObject *self, PyObject *argument)
{
  Py_buffer view;
  int64_t count;
  dap_error err;
  const int ndim = dap_layout_ndim(own(self));
  if (!value_indices(argument, ndim, &view, &count)) return NULL;
  PyObject *ranks = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * (int64_t)sizeof(int)));
  PyObject *places = PyBytes_FromStringAndSize(NULL, view.len);
  PyObject *result = NULL;
  if (ranks && places) {
    const dap_status status = dap_layout_locate_all(own(self), count, (const int64_t *)view.buf,
                                                    (int *)(void *)PyBytes_AsString(ranks),
                                                    (int64_t *)(void *)PyBytes_AsString(places), &err);
    result = status ? errors_raise(status, &err) : PyTuple_Pack(2, ranks, places);
  }
  Py_XDECREF(ranks);
  Py_XDECREF(places);
  PyBuffer_Release(&view);
  return result;
}

static PyObject *globalize(PyObject *self, PyObject *args)
{
  PyObject *positions;
  Py_buffer view;
  int rank;
  int64_t count;
  dap_error err;
  if (!PyArg_ParseTuple(args, "iO", &rank, &positions) ||
      !value_indices(positions, dap_layout_ndim(own(self)), &view, &count))
    return NULL;
  PyObject *indices = PyBytes_FromStringAndSize(NULL, view.len);
  PyObject *flags = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count);
  PyObject *result = NULL;
  if (indices && flags) {
    const dap_status status = dap_layout_globalize_all(own(self), rank, count, (const int64_t *)view.buf,
                                                       (int64_t *)(void *)PyBytes_AsString(indices),
                                                       (bool *)PyBytes_AsString(flags), &err);
    result = status ? errors_raise(status, &err) : PyTuple_Pack(2, indices, flags);
  }
  Py_XDECREF(indices);
  Py_XDECREF(flags);
  PyBuffer_Release(&view);
  return result;
}

/* ---- other layouts -------------------------------------------------------------------------------- */

static PyObject *part(PyObject *self, PyObject *argument)
{
  dap_py_part p;
  dap_layout *found;
  dap_error err;
  if (!value_part(argument, &p)) return NULL;
  int *ranks = (int *)PyMem_Calloc((size_t)dap_layout_nprocs(own(self)), sizeof *ranks);
  if (!ranks) return PyErr_NoMemory();
  PyObject *result = NULL;
  const dap_status status = dap_layout_part(own(self), &p.part, &found, ranks, &err);
  if (status)
    errors_raise(status, &err);
  else {
    PyObject *list = value_list(ranks, dap_layout_nprocs(found));
    PyObject *layout = layout_wrap(found);
    if (list && layout) result = PyTuple_Pack(2, layout, list);
    Py_XDECREF(list);
    Py_XDECREF(layout);
  }
  PyMem_Free(ranks);
  return result;
}

static PyObject *reorder(PyObject *self, PyObject *ranks)
{
  dap_layout *layout = layout_reorder(dap_layout_retain(own(self)), ranks);
  return layout ? layout_wrap(layout) : NULL;
}

static PyObject *reduce(PyObject *self, PyObject *unused)
{
  (void)self;
  (void)unused;
  PyErr_SetString(PyExc_TypeError,
                  "a Layout cannot be pickled: send its dictionaries (Array.__distarray__())");
  return NULL;
}

#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL
#define NAMED(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

PyMethodDef layout_methods[] = {
    {"coords", coords, METH_O, "coords(rank): returns the coordinates of a rank on the process grid."},
    {"rank", rank_of, METH_O, "rank(coords): returns the rank at these coordinates of the process grid."},
    {"axis", axis_of, METH_O,
     "axis(axis): returns the properties of an axis by name, the same on all processes."},
    {"knows", FAST(knows),
     "knows(axis, coord): true if this process knows which elements are at a coordinate."},
    {"owned", FAST(owned), "owned(axis, coord): returns the number of elements owned at a coordinate."},
    {"extent", FAST(extent),
     "extent(axis, coord): the extent of the buffer at a coordinate, with padding and ghosts."},
    {"halo", FAST(halo), "halo(axis, coord): the communication padding at the low and the high end."},
    {"runs", FAST(runs), "runs(axis, coord): (global, local, length) of each run of owned elements."},
    {"is_owned", FAST(is_owned), "is_owned(axis, coord): a byte, 0 or 1, for each position of the buffer."},
    {"dim", dim, METH_VARARGS, "dim(version, axis, coord): the dictionary that is exported."},
    {"blocks", blocks, METH_O,
     "blocks(axis): block size, least block size and source of a block-cyclic axis."},
    {"locate", locate, METH_O, "locate(indices): ranks and positions of elements by their global indices."},
    {"globalize", globalize, METH_VARARGS,
     "globalize(rank, positions): global indices, and whether they are owned."},
    {"part", part, METH_O, "part(part): the layout of a part, and the ranks of its processes."},
    {"reorder", reorder, METH_O,
     "reorder(ranks): the same distributions with other ranks, in row-major order."},
    {"describe", layout_describe, METH_NOARGS, "describe(): the layout in words, with a line for each axis."},
    {"summary", layout_summary, METH_NOARGS, "summary(): the layout in words, on one line."},
    {"parse", layout_parse, METH_VARARGS | METH_CLASS,
     "parse(text): makes a layout from a short description, such as '100x80 on 2x2: b, c(8)'."},
    {"format", layout_format, METH_NOARGS,
     "format(): returns a short description, from which parse() makes an equal layout."},
    {"draw", NAMED(layout_draw),
     "draw(plane=None): draws which process owns which elements of a plane, as plain text."},
    {"_repr_svg_", layout_svg, METH_VARARGS, "Draws the layout as an SVG picture, for notebooks."},
    {"export", NAMED(layout_export),
     "export(file, comm, version=None): writes a description of the layout for the command dapbridge."},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {0}};
