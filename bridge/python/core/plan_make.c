/* Makes a Plan. A side is a tuple: (layout, local, part, ranks, dtype), each None where it is not given. */
#include "core_impl.h"

#include <dapbridge/context.h>

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
  bool is_int = true;
  for (Py_ssize_t i = 0; s->ranks && i < count; i++) {
    s->ranks[i] = (int)words[i];
    is_int = is_int && s->ranks[i] == words[i];
  }
  PyMem_Free(words);
  const bool fits = !s->side.layout || count == dap_layout_nprocs(s->side.layout);
  s->side.ranks = s->ranks;
  if (!s->ranks) return PyErr_NoMemory();
  if (!is_int) return errors_fail(DAP_ERR_RANGE, "ranks: an integer of more than 31 bits");
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
  if (local && local->array.abi) { /* not one without a part, which only maps those of others */
    s->is_here = true;
    s->array = local->array;
    s->array.release = NULL;
    s->array.data = NULL;
  }
  const dap_darray array = {layout, s->is_here ? &s->array : NULL};
  s->side = dap_side_of(array);
  if (dtype != DAP_NONE) s->side.dtype = dtype;
  s->side.part = s->part.part;
  return read_ranks(ranks_item, s);
}

static void keep_form(const side *s, plan_form *form)
{
  *form = (plan_form){.is_here = s->is_here, .array = s->array};
}

/* Arguments that all plans have. If they cannot be read, an exception is set. The process still asks for a
 * plan, with an itemsize of -1, so that the other processes get an error and do not wait. */
typedef struct request {
  MPI_Comm comm;
  int64_t itemsize;
  plan_options options;
  bool is_read;
} request;

/* The communicator comes first. */
static bool read_comm(PyObject *args, request *r)
{
  PyObject *handle = PyTuple_GetItem(args, 0);
  return handle && value_comm(handle, &r->comm);
}

static void read_rest(PyObject *itemsize, PyObject *options, request *r)
{
  r->is_read = value_int64(itemsize, "itemsize", &r->itemsize) && plan_options_read(options, &r->options);
}

static void refuse(request *r, side *from, side *to)
{
  if (r->is_read) return;
  r->itemsize = -1;
  from->side = (dap_side){0};
  if (to) to->side = (dap_side){0};
}

/* Takes *plan over. */
static PyObject *finish(const request *r, dap_plan *plan, dap_status status, const dap_error *err,
                        const side *from, const side *to)
{
  if (status) return r->is_read ? errors_raise(status, err) : NULL;
  plan_object *object = r->is_read ? plan_new() : NULL;
  if (!object) {
    dap_plan_destroy(&plan);
    return NULL;
  }
  object->plan = plan;
  object->arrays = r->options.options.arrays ? r->options.options.arrays : 1;
  if (from) keep_form(from, &object->from);
  if (to) keep_form(to, &object->to);
  return (PyObject *)object;
}

PyObject *plan_make(PyObject *type, PyObject *args)
{
  PyObject *handle, *from_tuple, *to_tuple, *itemsize, *dict;
  request r = {0};
  side from = {0}, to = {0};
  dap_plan *plan = NULL;
  dap_error err;
  dap_status status;
  (void)type;
  if (!read_comm(args, &r)) return NULL;
  if (PyArg_ParseTuple(args, "OOOOO", &handle, &from_tuple, &to_tuple, &itemsize, &dict) &&
      side_read(from_tuple, &from) && side_read(to_tuple, &to))
    read_rest(itemsize, dict, &r);
  refuse(&r, &from, &to);
  Py_BEGIN_ALLOW_THREADS;
  status = dap_plan_create(r.comm, &from.side, &to.side, r.itemsize, &r.options.options, &plan, &err);
  Py_END_ALLOW_THREADS;
  PyObject *result = finish(&r, plan, status, &err, &from, &to);
  side_release(&from);
  side_release(&to);
  return result;
}

/* ---- of one side ---------------------------------------------------------------------------------- */

typedef dap_status make_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                             const dap_plan_options *options, dap_plan **plan, dap_error *err);

static PyObject *make_in_place(PyObject *args, make_halo *make)
{
  PyObject *handle, *tuple, *itemsize, *dict;
  request r = {0};
  side own = {0};
  dap_plan *plan = NULL;
  dap_error err;
  dap_status status;
  if (!read_comm(args, &r)) return NULL;
  if (PyArg_ParseTuple(args, "OOOO", &handle, &tuple, &itemsize, &dict) && side_read(tuple, &own))
    read_rest(itemsize, dict, &r);
  refuse(&r, &own, NULL);
  Py_BEGIN_ALLOW_THREADS;
  status = make(r.comm, &own.side, r.itemsize, &r.options.options, &plan, &err);
  Py_END_ALLOW_THREADS;
  PyObject *result = finish(&r, plan, status, &err, &own, &own);
  side_release(&own);
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
