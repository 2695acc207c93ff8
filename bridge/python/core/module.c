/* Defines the module dapbridge._core. */
#include "core_impl.h"

static const dap_py_api api = {.version = DAP_PY_API,
                               .raise = errors_raise,
                               .fail_all = comm_fail_all,
                               .comm = value_comm,
                               .part = value_part,
                               .dtype = value_dtype,
                               .new_layout = layout_wrap,
                               .new_local = local_wrap};
static dap_py_api exported;

static bool read_darray(PyObject *layout, PyObject *object, dap_darray *array)
{
  local_object *local;
  if (!layout_of(layout, &array->layout) || !local_of(object, &local)) return false;
  array->local = &local->array;
  return true;
}

static PyObject *dtype_typestr(PyObject *module, PyObject *name)
{
  dap_dtype dtype;
  (void)module;
  if (!value_dtype(name, &dtype)) return NULL;
  dap_array array = {.abi = DAP_ARRAY_ABI, .dtype = dtype};
  PyObject *local = local_wrap(&array, NULL);
  PyObject *text = local ? PyObject_GetAttrString(local, "typestr") : NULL;
  Py_XDECREF(local);
  return text;
}

static PyObject *fail(PyObject *module, PyObject *args)
{
  int status;
  const char *text;
  (void)module;
  if (!PyArg_ParseTuple(args, "is", &status, &text)) return NULL;
  if (status <= DAP_OK || status > DAP_ERR_FILE)
    return errors_fail(DAP_ERR_ARG, "%d is the status of no error", status);
  return errors_fail((dap_status)status, "%s", text);
}

static size_t describe_build(const void *unused, char *text, size_t capacity)
{
  (void)unused;
  return dap_build_info(NULL, text, capacity);
}

static PyObject *build_info(PyObject *module, PyObject *unused)
{
  (void)module, (void)unused;
  return value_text(describe_build, NULL);
}

static PyMethodDef functions[] = {
    {"build_info", build_info, METH_NOARGS, "Returns the build configuration: one line for each key."},
    {"mpi_library_version", comm_library_version, METH_NOARGS,
     "Returns the version of the MPI library that this module uses."},
    {"mpi_library_path", comm_library_path, METH_NOARGS,
     "Returns the path of the MPI library that this module uses."},
    {"dialect", dims_dialect, METH_O, "Returns the keys and types of a version of the protocol, or None."},
    {"dtype_typestr", dtype_typestr, METH_O, "Returns numpy's type string for the name of a type."},
    {"agree_word", comm_agree_word, METH_VARARGS, "agree_word(comm, name, word). Collective."},
    {"agree", comm_agree, METH_VARARGS, "agree(comm, function, status, text, rule=0). Collective."},
    {"fail", fail, METH_VARARGS, "fail(status, text): raises the exception of a status."},
    {"assemble", comm_assemble, METH_VARARGS, "assemble(comm, rules, local, owned). Collective."},
    {"relabel", comm_relabel, METH_VARARGS,
     "relabel(source, target): ranks, elements moved before and after."},
    {"replicas_check", comm_replicas_check, METH_VARARGS, "replicas_check(comm, layout, local). Collective."},
    {"wait_limit", comm_wait_limit, METH_VARARGS, "wait_limit(comm, seconds). Collective."},
    {"export", comm_export, METH_VARARGS, "export(comm, version, layout, local, file). Collective."},
    {"file_save", file_save, METH_VARARGS, "file_save(comm, layout, local, path, options). Collective."},
    {"file_load", file_load, METH_VARARGS, "file_load(comm, layout, local, path, options). Collective."},
    {"file_query", file_query, METH_VARARGS, "file_query(comm, path, options): a dict. Collective."},
    {"lookup", comm_lookup, METH_VARARGS, "lookup(comm, layout, indices): ranks and positions. Collective."},
    {"set_call_site", call_site_set, METH_O, "Sets a function that returns where the program called."},
    {"set_log", log_set, METH_O,
     "set_log(function): calls the function with one line for each decision of the library. None means no "
     "log."},
    {"matrix_explain", explain_matrix, METH_VARARGS, "matrix_explain(layout, local, rank, routine)"},
    {0}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "dapbridge._core",
                                        .m_doc = "Layouts, local arrays and plans of dapbridge.",
                                        .m_size = -1, .m_methods = functions};

static bool add_type(PyObject *module, const char *name, PyTypeObject *type)
{
  return type && PyModule_AddObjectRef(module, name, (PyObject *)type) == 0;
}

static bool add_statuses(PyObject *module)
{
  PyObject *names = PyTuple_New(DAP_ERR_FILE + 1);
  for (int status = 0; names && status <= DAP_ERR_FILE; status++) {
    PyObject *name = PyUnicode_FromString(dap_status_name((dap_status)status));
    if (!name)
      Py_CLEAR(names);
    else
      PyTuple_SetItem(names, status, name);
  }
  const bool is_good = names && PyModule_AddObjectRef(module, "STATUSES", names) == 0;
  Py_XDECREF(names);
  return is_good;
}

static bool add_api(PyObject *module)
{
  exported = api;
  exported.darray = read_darray;
  PyObject *capsule = PyCapsule_New(&exported, DAP_PY_CAPSULE, NULL);
  const bool is_good = capsule && PyModule_AddObjectRef(module, "_api", capsule) == 0;
  Py_XDECREF(capsule);
  return is_good;
}

static bool fill(PyObject *module)
{
  return errors_init() && add_type(module, "Layout", layout_init_type()) &&
         add_type(module, "Local", local_init_type()) && add_type(module, "Plan", plan_init_type()) &&
         add_statuses(module) && add_api(module) &&
         PyModule_AddStringConstant(module, "VERSION", dap_version()) == 0;
}

PyMODINIT_FUNC PyInit__core(void)
{
  PyObject *module = PyModule_Create(&definition);
  if (module && !fill(module)) Py_CLEAR(module);
  return module;
}
