/* Defines the type Vector: an array as a vector without a grid. */
#include "python_petsc_impl.h"

#include <string.h>

#define AT(member) offsetof(dap_petsc_vector, member)

static view_member vec = {.slot = 0, .class = PETSC_VEC, .offset = AT(vec), .shared = AT(shared)},
                   ao = {.slot = 1, .class = PETSC_AO, .offset = AT(ao)};
static size_t shared = AT(shared), reason = AT(reason);

static bool read_option(const char *name, PyObject *value, view_request *request)
{
  dap_petsc_vector_options *o = &request->options.vector;
  if (!strcmp(name, "order")) return option_order(value, &o->order);
  if (!strcmp(name, "natural")) return option_bool(value, &o->natural);
  if (!strcmp(name, "block_size")) return option_int64(value, name, &o->block_size);
  return option_fail("%.40s is not an option of a vector", name);
}

static dap_status get_vector(const view_request *request, void *view, dap_error *err)
{
  dap_petsc_vector_options options = request->options.vector;
  options.sharing = request->sharing;
  options.lossy = request->lossy;
  options.part = request->part.part;
  return dap_petsc_vector_get(request->comm, request->array, request->access, &options,
                              (dap_petsc_vector *)view, err);
}

static dap_status call(void *view, view_call what, dap_error *err)
{
  dap_petsc_vector *vector = (dap_petsc_vector *)view;
  switch (what) {
  case VIEW_RESTORE:
    return dap_petsc_vector_restore(vector, err);
  case VIEW_DISCARD:
    return dap_petsc_vector_discard(vector, err);
  case VIEW_LOAD:
    return dap_petsc_vector_load(vector, err);
  case VIEW_STORE:
    return dap_petsc_vector_store(vector, err);
  case VIEW_HALO:
    break;
  }
  return dap_petsc_vector_halo(vector, err);
}

static dap_status reverse(void *view, dap_combine combine, dap_padding padding, dap_error *err)
{
  return dap_petsc_vector_halo_reverse((dap_petsc_vector *)view, combine, padding, err);
}

static size_t describe(const void *view, char *text, size_t capacity)
{
  return dap_petsc_vector_describe((const dap_petsc_vector *)view, text, capacity);
}

static view_member *const members[] = {&vec, &ao, NULL};

static const view_kind kind = {.function = "dap_petsc_vector_get",
                               .size = sizeof(dap_petsc_vector),
                               .handle = AT(handle),
                               .moved_bytes = AT(moved_bytes),
                               .members = members,
                               .read = read_option,
                               .get = get_vector,
                               .call = call,
                               .reverse = reverse,
                               .describe = describe};

static PyObject *get(PyObject *type, PyObject *args)
{
  return view_get(type, &kind, args);
}

static PyMethodDef methods[] = {
    {"get", get, METH_VARARGS | METH_CLASS, "get(comm, layout, local, access, options). Collective."},
    {"halo_reverse", view_halo_reverse, METH_VARARGS, "halo_reverse(combine, padding). Collective."},
    VIEW_METHODS,
    {0}};

static PyGetSetDef attributes[] = {{"vec", view_get_object, NULL, "The vector.", &vec},
                                   {"ao", view_get_object, NULL, "From elements to entries, or None.", &ao},
                                   {"shared", view_get_bool, NULL, "vec has the array's memory.", &shared},
                                   {"reason", view_get_text, NULL, "Why, or why not.", &reason},
                                   VIEW_ATTRIBUTES,
                                   {0}};

PyTypeObject *vector_type(void)
{
  return view_type(PETSC_MODULE_NAME ".Vector", "An array as a vector.", methods, attributes);
}
