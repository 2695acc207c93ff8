/* Defines the type Matrix: an array of two axes as a matrix. */
#include "python_petsc_impl.h"

#include <string.h>

#define AT(member) offsetof(dap_petsc_matrix, member)

static view_member mat = {.slot = 0, .class = PETSC_MAT, .offset = AT(mat), .shared = AT(shared)};
static size_t shared = AT(shared), reason = AT(reason);

static bool read_form(PyObject *value, dap_petsc_form *form)
{
  static const char *const words[] = {"any", "dense", "scalapack", NULL};
  int word = 0;
  if (!dap_py_word(petsc_core, value, "form", words, &word)) return false;
  *form = (dap_petsc_form)word;
  return true;
}

/* One for both axes, or two. */
static bool read_block_size(PyObject *value, int64_t block_size[2])
{
  if (!PyTuple_Check(value) || PyTuple_Size(value) != 2)
    return option_int64(value, "block_size", &block_size[0]);
  return option_int64(PyTuple_GetItem(value, 0), "block_size", &block_size[0]) &&
         option_int64(PyTuple_GetItem(value, 1), "block_size", &block_size[1]);
}

static bool read_option(const char *name, PyObject *value, view_request *request)
{
  dap_petsc_matrix_options *o = &request->options.matrix;
  if (!strcmp(name, "form")) return read_form(value, &o->form);
  if (!strcmp(name, "block_size")) return read_block_size(value, o->block_size);
  return option_fail("%.40s is not an option of a matrix", name);
}

static dap_status get_matrix(const view_request *request, void *view, dap_error *err)
{
  dap_petsc_matrix_options options = request->options.matrix;
  options.sharing = request->sharing;
  options.lossy = request->lossy;
  options.part = request->part.part;
  return dap_petsc_matrix_get(request->comm, request->array, request->access, &options,
                              (dap_petsc_matrix *)view, err);
}

static dap_status call(void *view, view_call what, dap_error *err)
{
  dap_petsc_matrix *matrix = (dap_petsc_matrix *)view;
  switch (what) {
  case VIEW_RESTORE:
    return dap_petsc_matrix_restore(matrix, err);
  case VIEW_DISCARD:
    return dap_petsc_matrix_discard(matrix, err);
  case VIEW_LOAD:
    return dap_petsc_matrix_load(matrix, err);
  case VIEW_STORE:
    return dap_petsc_matrix_store(matrix, err);
  case VIEW_HALO:
    break;
  }
  return dap_petsc_matrix_halo(matrix, err);
}

static size_t describe(const void *view, char *text, size_t capacity)
{
  return dap_petsc_matrix_describe((const dap_petsc_matrix *)view, text, capacity);
}

static view_member *const members[] = {&mat, NULL};

static const view_kind kind = {.function = "dap_petsc_matrix_get",
                               .size = sizeof(dap_petsc_matrix),
                               .handle = AT(handle),
                               .moved_bytes = AT(moved_bytes),
                               .members = members,
                               .read = read_option,
                               .get = get_matrix,
                               .call = call,
                               .describe = describe};

static PyObject *get(PyObject *type, PyObject *args)
{
  return view_get(type, &kind, args);
}

static PyMethodDef methods[] = {
    {"get", get, METH_VARARGS | METH_CLASS, "get(comm, layout, local, access, options). Collective."},
    VIEW_METHODS,
    {0}};

static PyGetSetDef attributes[] = {{"mat", view_get_object, NULL, "The matrix.", &mat},
                                   {"shared", view_get_bool, NULL, "mat has the array's memory.", &shared},
                                   {"reason", view_get_text, NULL, "Why, and as what; or why not.", &reason},
                                   VIEW_ATTRIBUTES,
                                   {0}};

PyTypeObject *matrix_type(void)
{
  return view_type(PETSC_MODULE_NAME ".Matrix", "An array as a matrix.", methods, attributes);
}
