/* Defines the type Plan. */
#include "core_impl.h"

static PyTypeObject *plan_type;

plan_object *plan_new(void)
{
  return (plan_object *)PyType_GenericAlloc(plan_type, 0);
}

/* Only all processes together can end a run that has been begun, so such a plan is left as it is. */
static void dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  plan_object *plan = (plan_object *)self;
  PyObject_GC_UnTrack(self);
  if (!plan->is_begun) {
    dap_plan_destroy(&plan->plan);
    Py_CLEAR(plan->source);
    Py_CLEAR(plan->target);
  }
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
  Py_VISIT(((plan_object *)self)->source);
  Py_VISIT(((plan_object *)self)->target);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

static bool is_there(const plan_object *plan)
{
  return plan->plan ||
         errors_fail(DAP_ERR_ARG, "the plan was destroyed, as a with block does: make a new one");
}

bool plan_claim(plan_object *plan)
{
  if (plan->is_busy) return errors_fail(DAP_ERR_ARG, "another thread is using the plan");
  return is_there(plan) && (plan->is_busy = true);
}

static PyObject *destroy(PyObject *self, PyObject *unused)
{
  plan_object *plan = (plan_object *)self;
  (void)unused;
  if (!plan->plan && !plan->is_busy) return Py_NewRef(Py_None); /* again */
  if (!plan_claim(plan)) return NULL;
  dap_plan *ended = plan->plan;
  plan->plan = NULL; /* for threads that ask about it meanwhile */
  Py_BEGIN_ALLOW_THREADS;
  dap_plan_destroy(&ended);
  Py_END_ALLOW_THREADS;
  plan->is_busy = plan->is_begun = false;
  Py_CLEAR(plan->source);
  Py_CLEAR(plan->target);
  return Py_NewRef(Py_None);
}

static size_t text_of_plan(const void *plan, char *text, size_t capacity)
{
  return dap_plan_describe((const dap_plan *)plan, text, capacity);
}

static PyObject *describe(PyObject *self, PyObject *unused)
{
  (void)unused;
  const plan_object *plan = (plan_object *)self;
  return is_there(plan) ? value_text(text_of_plan, plan->plan) : NULL;
}

static PyObject *get_is_begun(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(((plan_object *)self)->is_begun);
}

static PyObject *get_is_broken(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(dap_plan_is_broken(((plan_object *)self)->plan));
}

static PyObject *get_stats(PyObject *self, void *unused)
{
  (void)unused;
  const plan_object *plan = (plan_object *)self;
  if (!is_there(plan)) return NULL;
  const dap_plan_stats s = dap_plan_summarize(plan->plan);
  return Py_BuildValue("{sLsLsLsLsLsLsLsLsLsL}", "bytes_local", (long long)s.bytes_local, "bytes_sent",
                       (long long)s.bytes_sent, "bytes_received", (long long)s.bytes_received,
                       "messages_sent", (long long)s.messages_sent, "messages_received",
                       (long long)s.messages_received, "rounds", (long long)s.rounds, "bytes_buffer",
                       (long long)s.bytes_buffer, "bytes_plan", (long long)s.bytes_plan, "bytes_handed_on",
                       (long long)s.bytes_handed_on, "phases", (long long)s.phases);
}

#define CLASS (METH_VARARGS | METH_CLASS)
#define FAST(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

static PyMethodDef methods[] = {
    {"create", plan_make, CLASS, "create(comm, source, target, itemsize, options)"},
    {"halo", plan_make_halo, CLASS, "halo(comm, side, itemsize, options)"},
    {"halo_reverse", plan_make_halo_reverse, CLASS, "halo_reverse(comm, side, itemsize, options)"},
    {"run", FAST(plan_run), "run(source, target): moves the elements. Collective."},
    {"begin", FAST(plan_begin), "begin(source, target): starts a run. Collective."},
    {"end", plan_end, METH_NOARGS, "Completes the run. Collective."},
    {"run_many", plan_run_many, METH_VARARGS,
     "run_many(sources, targets): moves several arrays. Collective."},
    {"describe", describe, METH_NOARGS, "Describes how elements are moved, and why."},
    {"destroy", destroy, METH_NOARGS, "Frees the plan. Collective if a run has begun."},
    {0}};

static PyGetSetDef attributes[] = {
    {"is_begun", get_is_begun, NULL, "True if a run has begun and has not ended.", NULL},
    {"is_broken", get_is_broken, NULL, "True if a run has failed. The plan can then only be freed.", NULL},
    {"stats", get_stats, NULL, "Statistics of one run on this process.", NULL},
    {0}};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A plan, which can move the elements of one array to another many times."},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_traverse, (void *)traverse},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0}};

static PyType_Spec spec = {.name = "dapbridge._core.Plan",
                           .basicsize = sizeof(plan_object),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

PyTypeObject *plan_init_type(void)
{
  plan_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return plan_type;
}
