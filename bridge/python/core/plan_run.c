/* Runs a plan. Its buffers are compared with those for which it was made. A buffer that does not fit is an
 * error here, and the other processes are told that the buffer is missing, so none of them waits. */
#include "core_impl.h"

#include <stdlib.h>
#include <string.h>

/* A buffer for one side of a run. */
typedef struct operand {
  void *data;
  PyObject *object; /* kept, because other threads run meanwhile */
  Py_buffer view;
  bool has_view;
  bool is_good;
} operand;

static void operand_release(operand *o)
{
  if (o->has_view) PyBuffer_Release(&o->view);
  Py_XDECREF(o->object);
}

static bool has_form(const dap_array *array, const dap_array *form, const char *name)
{
  if (array->dtype != form->dtype || array->swapped != form->swapped)
    return errors_fail(DAP_ERR_BUFFER, "%s: elements of type %s%s, and the plan is for %s%s", name,
                       dap_dtype_name(array->dtype), array->swapped ? " swapped" : "",
                       dap_dtype_name(form->dtype), form->swapped ? " swapped" : "");
  if (array->ndim != form->ndim)
    return errors_fail(DAP_ERR_BUFFER, "%s: the number of axes is %d, but the plan's is %d", name,
                       (int)array->ndim, (int)form->ndim);
  const bool is_empty = dap_array_count(form) == 0;
  for (int k = 0; k < form->ndim; k++) {
    if (array->shape[k] != form->shape[k])
      return errors_fail(DAP_ERR_BUFFER, "%s: axis %d: extent %lld, and the plan is for %lld", name, k,
                         (long long)array->shape[k], (long long)form->shape[k]);
    if (!is_empty && form->shape[k] > 1 && array->strides[k] != form->strides[k])
      return errors_fail(DAP_ERR_BUFFER, "%s: axis %d: stride %lld, and the plan is for %lld", name, k,
                         (long long)array->strides[k], (long long)form->strides[k]);
  }
  return true;
}

static bool read_operand(PyObject *object, const plan_form *form, const char *name, bool writes, operand *o)
{
  local_object *local = NULL;
  dap_array array = {0};
  if (!form->is_here) return true;
  if (object == Py_None) return errors_fail(DAP_ERR_BUFFER, "%s: None, where the plan has a part", name);
  if (local_is(object)) {
    if (!local_of(object, &local)) return false;
    array = local->array;
  } else {
    if (!buffer_read(object, Py_None, &o->view, &array)) return false;
    o->has_view = true;
  }
  if (!has_form(&array, &form->array, name)) return false;
  if (writes && array.readonly) return errors_fail(DAP_ERR_BUFFER, "%s: it is read-only", name);
  o->data = array.data;
  return true;
}

static void operand_init(operand *o, PyObject *object, const plan_form *form, const char *name, bool writes)
{
  *o = (operand){0};
  if (PyErr_Occurred()) return; /* of the other operand; nothing is moved then */
  o->object = Py_NewRef(object);
  o->is_good = read_operand(object, form, name, writes, o);
  if (!o->is_good) o->data = NULL;
}

/* An exception that is there already, kept while the others are told. */
typedef struct pending {
  PyObject *type, *value, *traceback;
} pending;

static pending keep_exception(void)
{
  pending p = {0};
  if (PyErr_Occurred()) PyErr_Fetch(&p.type, &p.value, &p.traceback);
  return p;
}

static PyObject *result_of(pending p, dap_status status, const dap_error *err)
{
  if (p.type)
    PyErr_Restore(p.type, p.value, p.traceback);
  else if (status)
    errors_raise(status, err);
  else
    return Py_NewRef(Py_None);
  return NULL;
}

static bool has_two(Py_ssize_t count)
{
  return count == 2 || errors_fail(DAP_ERR_ARG, "a run takes a source and a target");
}

PyObject *plan_run(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  plan_object *plan = (plan_object *)self;
  operand from, to;
  dap_error err;
  dap_status status;
  if (!has_two(count) || !plan_claim(plan)) return NULL;
  operand_init(&from, args[0], &plan->from, "source", false);
  operand_init(&to, args[1], &plan->to, "target", true);
  const pending p = keep_exception();
  Py_BEGIN_ALLOW_THREADS;
  status = dap_plan_run(plan->plan, from.is_good && to.is_good ? from.data : NULL,
                        from.is_good && to.is_good ? to.data : NULL, &err);
  Py_END_ALLOW_THREADS;
  plan->is_busy = false;
  operand_release(&from);
  operand_release(&to);
  return result_of(p, status, &err);
}

/* ---- begin and end -------------------------------------------------------------------------------- */

/* Returns an object that keeps a buffer alive until the end of a run, and says where the buffer is. */
static PyObject *pin(PyObject *object, const plan_form *form)
{
  if (!form->is_here) return Py_NewRef(Py_None);
  return object == Py_None || local_is(object) ? Py_NewRef(object) : PyMemoryView_FromObject(object);
}

PyObject *plan_begin(PyObject *self, PyObject *const args[], Py_ssize_t count)
{
  plan_object *plan = (plan_object *)self;
  operand from, to;
  dap_error err;
  dap_status status;
  if (!has_two(count)) return NULL;
  if (plan->is_begun) return errors_fail(DAP_ERR_ARG, "the plan has already been begun");
  if (!plan_claim(plan)) return NULL;
  PyObject *source = pin(args[0], &plan->from), *target = source ? pin(args[1], &plan->to) : NULL;
  operand_init(&from, args[0], &plan->from, "source", false);
  operand_init(&to, args[1], &plan->to, "target", true);
  pending p = keep_exception();
  Py_BEGIN_ALLOW_THREADS;
  status = dap_plan_begin(plan->plan, from.is_good && to.is_good ? from.data : NULL,
                          from.is_good && to.is_good ? to.data : NULL, &err);
  if (!status && p.type) (void)dap_plan_end(plan->plan, NULL); /* the others find out there */
  Py_END_ALLOW_THREADS;
  operand_release(&from);
  operand_release(&to);
  plan->is_busy = false;
  plan->is_begun = !status && !p.type;
  if (plan->is_begun) {
    plan->source = source;
    plan->target = target;
  } else {
    Py_XDECREF(source);
    Py_XDECREF(target);
  }
  return result_of(p, status, &err);
}

PyObject *plan_end(PyObject *self, PyObject *unused)
{
  plan_object *plan = (plan_object *)self;
  dap_error err;
  dap_status status;
  (void)unused;
  if (!plan->is_begun) return errors_fail(DAP_ERR_ARG, "the plan has not been begun");
  if (!plan_claim(plan)) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = dap_plan_end(plan->plan, &err);
  Py_END_ALLOW_THREADS;
  plan->is_busy = plan->is_begun = false;
  Py_CLEAR(plan->source);
  Py_CLEAR(plan->target);
  return status ? errors_raise(status, &err) : Py_NewRef(Py_None);
}

/* ---- several arrays ------------------------------------------------------------------------------- */

typedef struct operands {
  Py_ssize_t count;
  operand *each;
  void **data;
} operands;

static void operands_release(operands *all)
{
  for (Py_ssize_t i = 0; all->each && i < all->count; i++) operand_release(&all->each[i]);
  PyMem_Free(all->each);
  PyMem_Free(all->data);
}

static void operands_init(operands *all, PyObject *given, Py_ssize_t count, const plan_form *form,
                          const char *name, bool writes)
{
  *all = (operands){.count = count};
  if (PyErr_Occurred()) return;
  PyObject *sequence = PySequence_Tuple(given); /* which no other thread can change */
  const Py_ssize_t found = sequence ? PyTuple_Size(sequence) : 0;
  if (found != count)
    errors_fail(DAP_ERR_ARG, "%s: %lld arrays, and the plan is for %lld", name, (long long)found,
                (long long)count);
  all->each = (operand *)PyMem_Calloc((size_t)count + 1, sizeof *all->each);
  all->data = (void **)PyMem_Calloc((size_t)count + 1, sizeof *all->data);
  if (!all->each || !all->data) PyErr_NoMemory();
  for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
    operand_init(&all->each[i], PyTuple_GetItem(sequence, i), form, name, writes);
    all->data[i] = all->each[i].data;
  }
  Py_XDECREF(sequence);
}

PyObject *plan_run_many(PyObject *self, PyObject *args)
{
  plan_object *plan = (plan_object *)self;
  PyObject *sources, *targets;
  operands from, to;
  dap_error err;
  dap_status status;
  if (!PyArg_ParseTuple(args, "OO", &sources, &targets) || !plan_claim(plan)) return NULL;
  operands_init(&from, sources, plan->arrays, &plan->from, "sources", false);
  operands_init(&to, targets, plan->arrays, &plan->to, "targets", true);
  const pending p = keep_exception();
  const bool is_good = !p.type;
  Py_BEGIN_ALLOW_THREADS;
  status = dap_plan_run_many(plan->plan, is_good ? (const void *const *)from.data : NULL,
                             is_good ? to.data : NULL, &err);
  Py_END_ALLOW_THREADS;
  plan->is_busy = false;
  operands_release(&from);
  operands_release(&to);
  return result_of(p, status, &err);
}
