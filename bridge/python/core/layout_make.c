/* Makes Layout(dists, ranks): calls dap_layout_create() with Python's tuples. */
#include "core_impl.h"

#include <string.h>

/* Memory that the dists point to, released together. */
typedef struct made {
  dap_dist dists[DAP_MAX_NDIM];
  int64_t *lengths[DAP_MAX_NDIM], *owned[DAP_MAX_NDIM];
  Py_buffer *views[DAP_MAX_NDIM]; /* [procs of the axis] */
  int viewed[DAP_MAX_NDIM];       /* number of them that must be released */
  const int64_t **lists[DAP_MAX_NDIM];
} made;

static void release(made *m)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    for (int p = 0; p < m->viewed[k]; p++) PyBuffer_Release(&m->views[k][p]);
    PyMem_Free(m->views[k]);
    PyMem_Free((void *)m->lists[k]);
    PyMem_Free(m->lengths[k]);
    PyMem_Free(m->owned[k]);
  }
}

static bool read_kind(PyObject *name, dap_dist_kind *kind)
{
  static const char *const names[] = {"even",         "ceil",       "lengths", "cyclic",
                                      "unstructured", "replicated", "partial"};
  const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : "";
  for (size_t i = 0; text && i < sizeof names / sizeof names[0]; i++)
    if (!strcmp(text, names[i])) {
      *kind = (dap_dist_kind)i;
      return true;
    }
  return errors_fail(DAP_ERR_ARG, "%s is not a kind of distribution", text ? text : "that");
}

/* A list of integers that has one for each process along the axis. */
static bool read_per_process(PyObject *sequence, const char *name, int procs, int64_t **list)
{
  Py_ssize_t count;
  if (!value_int64_list(sequence, name, &count, list)) return false;
  if (*list && count != procs)
    return errors_fail(DAP_ERR_DIM, "%s: %lld of them for %d processes", name, (long long)count, procs);
  return true;
}

static bool read_lists(made *m, int axis, PyObject *lists)
{
  if (lists == Py_None) return true;
  const int procs = m->dists[axis].procs;
  if (PySequence_Size(lists) != procs) {
    PyErr_Clear();
    return errors_fail(DAP_ERR_DIM, "indices: not a list for each of %d processes", procs);
  }
  m->views[axis] = (Py_buffer *)PyMem_Calloc((size_t)procs, sizeof *m->views[axis]);
  m->lists[axis] = (const int64_t **)PyMem_Calloc((size_t)procs, sizeof *m->lists[axis]);
  PyMem_Free(m->lengths[axis]);
  m->lengths[axis] = (int64_t *)PyMem_Calloc((size_t)procs, sizeof *m->lengths[axis]);
  if (!m->views[axis] || !m->lists[axis] || !m->lengths[axis]) return PyErr_NoMemory();
  for (int p = 0; p < procs; p++) {
    PyObject *list = PySequence_GetItem(lists, p);
    const bool is_good = list && value_indices(list, 1, &m->views[axis][p], &m->lengths[axis][p]);
    Py_XDECREF(list);
    if (!is_good) return false;
    m->lists[axis][p] = (const int64_t *)m->views[axis][p].buf;
    m->viewed[axis]++;
  }
  m->dists[axis].indices = m->lists[axis];
  return true;
}

static bool read_dist(made *m, int axis, PyObject *tuple)
{
  PyObject *kind, *size, *procs, *lengths, *block_size, *first_owner, *halo, *boundary, *indices, *owned;
  int periodic, wraps, one_to_one;
  dap_dist *dist = &m->dists[axis];
  bool given;
  Py_ssize_t two = 2;
  if (!PyTuple_Check(tuple))
    return errors_fail(DAP_ERR_ARG, "axis %d: its distribution is not a tuple", axis);
  if (!PyArg_ParseTuple(tuple, "OOOOOOOOppOpO", &kind, &size, &procs, &lengths, &block_size, &first_owner,
                        &halo, &boundary, &periodic, &wraps, &indices, &one_to_one, &owned))
    return false;
  if (!read_kind(kind, &dist->kind) || !value_int64(size, "size", &dist->size) ||
      !value_int(procs, "procs", &dist->procs) || !value_int64(block_size, "block_size", &dist->block_size) ||
      !value_int(first_owner, "first_owner", &dist->first_owner) || !value_int64(halo, "halo", &dist->halo) ||
      !value_int64s(boundary, "boundary", 2, &two, dist->boundary, &given))
    return false;
  dist->periodic = periodic;
  dist->wraps = wraps;
  dist->one_to_one = one_to_one;
  if (dist->procs < 1) return errors_fail(DAP_ERR_DIM, "axis %d: on %d processes", axis, dist->procs);
  if (!read_per_process(lengths, "lengths", dist->procs, &m->lengths[axis]) ||
      !read_per_process(owned, "owned", dist->procs, &m->owned[axis]) || !read_lists(m, axis, indices))
    return false;
  dist->lengths = m->lengths[axis];
  dist->owned = m->owned[axis];
  return true;
}

dap_layout *layout_reorder(dap_layout *layout, PyObject *ranks)
{
  int64_t *words;
  Py_ssize_t count;
  dap_layout *reordered = NULL;
  dap_error err;
  if (ranks == Py_None) return layout;
  if (value_int64_list(ranks, "ranks", &count, &words)) {
    int *list = (int *)PyMem_Calloc((size_t)count + 1, sizeof *list);
    bool is_good = list && count == dap_layout_nprocs(layout);
    for (Py_ssize_t i = 0; is_good && i < count; i++) {
      list[i] = (int)words[i];
      is_good = list[i] == words[i];
    }
    if (!list)
      PyErr_NoMemory();
    else if (!is_good)
      errors_fail(DAP_ERR_ARG, "ranks: not one for each of %d processes", dap_layout_nprocs(layout));
    else {
      const dap_status status = dap_layout_reorder(layout, list, &reordered, &err);
      if (status) errors_raise(status, &err);
    }
    PyMem_Free(list);
    PyMem_Free(words);
  }
  dap_layout_destroy(&layout);
  return reordered;
}

dap_layout *layout_make(PyObject *dists, PyObject *ranks)
{
  made m = {0};
  dap_layout *layout = NULL;
  dap_error err;
  PyObject *tuple = PySequence_Tuple(dists);
  if (!tuple) return NULL;
  const Py_ssize_t ndim = PyTuple_Size(tuple);
  bool is_good = ndim <= DAP_MAX_NDIM;
  if (!is_good) errors_fail(DAP_ERR_ARG, "%lld axes, more than %d", (long long)ndim, DAP_MAX_NDIM);
  for (int k = 0; is_good && k < ndim; k++) is_good = read_dist(&m, k, PyTuple_GetItem(tuple, k));
  if (is_good) {
    const dap_status status = dap_layout_create((int)ndim, m.dists, &layout, &err);
    if (status) errors_raise(status, &err);
  }
  release(&m);
  Py_DECREF(tuple);
  return layout ? layout_reorder(layout, ranks) : NULL;
}
