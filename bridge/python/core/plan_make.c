/* How a Plan is made. A side is a tuple: (layout, local, part, ranks, dtype), each None where it is not
 * given. */
#include "core_impl.h"

#include <string.h>

typedef struct side {
  dap_side side; /* points into the others */
  dap_py_part part;
  int *ranks; /* released by side_release() */
  dap_array array;
  bool is_here;
} side;

static void side_release(side *s)
{
  PyMem_Free(s->ranks);
}

static bool read_ranks(PyObject *sequence, side *s)
{
  int64_t *words;
  Py_ssize_t count;
  if (sequence == Py_None) return true;
  if (!value_int64_list(sequence, "ranks", &count, &words)) return false;
  s->ranks = (int *)PyMem_Calloc((size_t)count + 1, sizeof *s->ranks);
  for (Py_ssize_t i = 0; s->ranks && i < count; i++) s->ranks[i] = (int)words[i];
  PyMem_Free(words);
  const bool fits = !s->side.layout || count == dap_layout_nprocs(s->side.layout);
  s->side.ranks = s->ranks;
  if (!s->ranks) return PyErr_NoMemory();
  return fits || errors_fail(DAP_ERR_ARG, "ranks: %lld for %d processes", (long long)count,
                             dap_layout_nprocs(s->side.layout));
}

static bool side_read(PyObject *tuple, side *s)
{
  PyObject *layout_item, *local_item, *part_item, *ranks_item, *dtype_item;
  const dap_layout *layout;
  local_object *local;
  dap_dtype dtype;
  *s = (side){0};
  if (!PyTuple_Check(tuple)) return errors_fail(DAP_ERR_ARG, "a plan's side is not a tuple");
  if (!PyArg_ParseTuple(tuple, "OOOOO", &layout_item, &local_item, &part_item, &ranks_item, &dtype_item) ||
      !layout_or_none(layout_item, &layout) || !local_or_none(local_item, &local) ||
      !value_part(part_item, &s->part) || !value_dtype(dtype_item, &dtype))
    return false;
  if (local) {
    s->is_here = true;
    s->array = local->array;
    s->array.release = NULL;
    s->array.data = NULL;
  }
  const dap_darray array = {layout, local ? &s->array : NULL};
  s->side = dap_side_of(array);
  if (dtype != DAP_NONE) s->side.dtype = dtype;
  s->side.part = s->part.part;
  return read_ranks(ranks_item, s);
}

static void keep_form(const side *s, plan_form *form)
{
  *form = (plan_form){.is_here = s->is_here, .array = s->array};
}

/* Takes *plan over. */
static PyObject *finish(dap_plan *plan, dap_status status, const dap_error *err, const side *from,
                        const side *to)
{
  if (status) return errors_raise(status, err);
  plan_object *object = plan_new();
  if (!object) {
    dap_plan_destroy(&plan);
    return NULL;
  }
  object->plan = plan;
  if (from) keep_form(from, &object->from);
  if (to) keep_form(to, &object->to);
  return (PyObject *)object;
}

PyObject *plan_make(PyObject *type, PyObject *args)
{
  PyObject *handle, *from_tuple, *to_tuple, *itemsize_item, *dict, *result = NULL;
  MPI_Comm comm;
  int64_t itemsize;
  side from = {0}, to = {0};
  plan_options options = {0};
  (void)type;
  if (!PyArg_ParseTuple(args, "OOOOO", &handle, &from_tuple, &to_tuple, &itemsize_item, &dict)) return NULL;
  if (value_comm(handle, &comm) && value_int64(itemsize_item, "itemsize", &itemsize) &&
      side_read(from_tuple, &from) && side_read(to_tuple, &to) && plan_options_read(dict, &options)) {
    dap_plan *plan = NULL;
    dap_error err;
    dap_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = dap_plan_create(comm, &from.side, &to.side, itemsize, &options.options, &plan, &err);
    Py_END_ALLOW_THREADS;
    result = finish(plan, status, &err, &from, &to);
  }
  side_release(&from);
  side_release(&to);
  plan_options_release(&options);
  return result;
}

/* ---- of one side ---------------------------------------------------------------------------------- */

typedef dap_status make_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                             const dap_plan_options *options, dap_plan **plan, dap_error *err);

static PyObject *make_in_place(PyObject *args, make_halo *make)
{
  PyObject *handle, *tuple, *itemsize_item, *dict, *result = NULL;
  MPI_Comm comm;
  int64_t itemsize;
  side own = {0};
  plan_options options = {0};
  if (!PyArg_ParseTuple(args, "OOOO", &handle, &tuple, &itemsize_item, &dict)) return NULL;
  if (value_comm(handle, &comm) && value_int64(itemsize_item, "itemsize", &itemsize) &&
      side_read(tuple, &own) && plan_options_read(dict, &options)) {
    dap_plan *plan = NULL;
    dap_error err;
    dap_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = make(comm, &own.side, itemsize, &options.options, &plan, &err);
    Py_END_ALLOW_THREADS;
    result = finish(plan, status, &err, &own, &own);
  }
  side_release(&own);
  plan_options_release(&options);
  return result;
}

PyObject *plan_make_halo(PyObject *type, PyObject *args)
{
  (void)type;
  return make_in_place(args, dap_plan_create_halo);
}

PyObject *plan_make_halo_reverse(PyObject *type, PyObject *args)
{
  (void)type;
  return make_in_place(args, dap_plan_create_halo_reverse);
}

/* Gathers from, or scatters to, the side. */
static PyObject *make_rooted(MPI_Comm comm, const side *own, int root, bool gathers, int64_t itemsize,
                             const dap_plan_options *options)
{
  dap_plan *plan = NULL;
  dap_error err;
  dap_status status;
  int rank = -1;
  Py_BEGIN_ALLOW_THREADS;
  status = gathers ? dap_plan_create_gather(comm, &own->side, root, itemsize, options, &plan, &err)
                   : dap_plan_create_scatter(comm, root, &own->side, itemsize, options, &plan, &err);
  if (!status) (void)MPI_Comm_rank(comm, &rank);
  Py_END_ALLOW_THREADS;
  PyObject *result = finish(plan, status, &err, gathers ? own : NULL, gathers ? NULL : own);
  if (!result) return NULL;
  plan_object *object = (plan_object *)result;
  const int64_t size = itemsize ? itemsize : dap_dtype_size(own->side.dtype);
  const int64_t bytes = own->side.layout ? dap_layout_count(own->side.layout) * size : 0;
  *(gathers ? &object->to : &object->from) =
      (plan_form){.is_here = rank == root, .is_whole = true, .bytes = bytes};
  return result;
}

static PyObject *make_with_root(PyObject *handle, PyObject *tuple, int root, bool gathers,
                                PyObject *itemsize_item, PyObject *dict)
{
  PyObject *result = NULL;
  MPI_Comm comm;
  int64_t itemsize;
  side own = {0};
  plan_options options = {0};
  if (value_comm(handle, &comm) && value_int64(itemsize_item, "itemsize", &itemsize) &&
      side_read(tuple, &own) && plan_options_read(dict, &options))
    result = make_rooted(comm, &own, root, gathers, itemsize, &options.options);
  side_release(&own);
  plan_options_release(&options);
  return result;
}

PyObject *plan_make_gather(PyObject *type, PyObject *args)
{
  PyObject *handle, *tuple, *itemsize, *dict;
  int root;
  (void)type;
  if (!PyArg_ParseTuple(args, "OOiOO", &handle, &tuple, &root, &itemsize, &dict)) return NULL;
  return make_with_root(handle, tuple, root, true, itemsize, dict);
}

PyObject *plan_make_scatter(PyObject *type, PyObject *args)
{
  PyObject *handle, *tuple, *itemsize, *dict;
  int root;
  (void)type;
  if (!PyArg_ParseTuple(args, "OiOOO", &handle, &root, &tuple, &itemsize, &dict)) return NULL;
  return make_with_root(handle, tuple, root, false, itemsize, dict);
}
