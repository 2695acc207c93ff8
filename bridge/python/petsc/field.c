/* Defines the type Field: an array as a DMDA with vectors. */
#include "python_petsc_impl.h"

#include <limits.h>
#include <string.h>

#define AT(member) offsetof(dap_petsc_field, member)

static view_member dm = {.slot = 0, .class = PETSC_DM, .offset = AT(dm)},
                   local = {.slot = 1, .class = PETSC_VEC, .offset = AT(local), .shared = AT(shared_local)},
                   global = {
                       .slot = 2, .class = PETSC_VEC, .offset = AT(global), .shared = AT(shared_global)};
static size_t shared_global = AT(shared_global), shared_local = AT(shared_local),
              reason_global = AT(reason_global), reason_local = AT(reason_local);

static bool read_int(const char *name, PyObject *value, int *result)
{
  int64_t word = 0;
  if (!option_int64(value, name, &word)) return false;
  if (word < INT_MIN || word > INT_MAX) return option_fail("%.40s: out of range", name);
  *result = (int)word;
  return true;
}

static bool read_boundary(PyObject *value, DMBoundaryType *boundary)
{
  static const char *const words[] = {"none", "ghosted", NULL};
  int word = 0;
  if (!dap_py_word(petsc_core, value, "boundary", words, &word)) return false;
  *boundary = word ? DM_BOUNDARY_GHOSTED : DM_BOUNDARY_NONE;
  return true;
}

static bool read_vectors(PyObject *value, unsigned *vectors)
{
  int word = 0;
  if (!read_int("vectors", value, &word)) return false;
  *vectors = (unsigned)word;
  return true;
}

/* The caller's dict keeps it for the call. */
static bool read_dm(PyObject *value, DM *result)
{
  PetscObject object = NULL;
  if (value != Py_None && !petsc4py_get(PETSC_DM, value, &object)) return false;
  *result = (DM)object;
  return true;
}

static bool read_option(const char *name, PyObject *value, view_request *request)
{
  dap_petsc_field_options *o = &request->options.field;
  if (!strcmp(name, "width")) return option_int64(value, name, &o->width);
  if (!strcmp(name, "star")) return option_bool(value, &o->star);
  if (!strcmp(name, "matrix_width")) return option_int64(value, name, &o->matrix_width);
  if (!strcmp(name, "matrix_star")) return option_bool(value, &o->matrix_star);
  if (!strcmp(name, "order")) return option_order(value, &o->order);
  if (!strcmp(name, "dof_axes")) return read_int(name, value, &o->dof_axes);
  if (!strcmp(name, "vectors")) return read_vectors(value, &o->vectors);
  if (!strcmp(name, "boundary")) return read_boundary(value, &o->boundary);
  if (!strcmp(name, "strip_periodic")) return option_bool(value, &o->strip_periodic);
  if (!strcmp(name, "dm")) return read_dm(value, &o->dm);
  return option_fail("%.40s is not an option of a field", name);
}

static dap_status get_field(const view_request *request, void *view, dap_error *err)
{
  dap_petsc_field_options options = request->options.field;
  options.sharing = request->sharing;
  options.lossy = request->lossy;
  options.part = request->part.part;
  return dap_petsc_field_get(request->comm, request->array, request->access, &options,
                             (dap_petsc_field *)view, err);
}

static dap_status call(void *view, view_call what, dap_error *err)
{
  dap_petsc_field *field = (dap_petsc_field *)view;
  switch (what) {
  case VIEW_RESTORE:
    return dap_petsc_field_restore(field, err);
  case VIEW_DISCARD:
    return dap_petsc_field_discard(field, err);
  case VIEW_LOAD:
    return dap_petsc_field_load(field, err);
  case VIEW_STORE:
    return dap_petsc_field_store(field, err);
  case VIEW_HALO:
    break;
  }
  return dap_petsc_field_halo(field, err);
}

static dap_status reverse(void *view, dap_combine combine, dap_padding padding, dap_error *err)
{
  return dap_petsc_field_halo_reverse((dap_petsc_field *)view, combine, padding, err);
}

static size_t describe(const void *view, char *text, size_t capacity)
{
  return dap_petsc_field_describe((const dap_petsc_field *)view, text, capacity);
}

static view_member *const members[] = {&dm, &local, &global, NULL};

static const view_kind kind = {.function = "dap_petsc_field_get",
                               .size = sizeof(dap_petsc_field),
                               .handle = AT(handle),
                               .moved_bytes = AT(moved_bytes),
                               .members = members,
                               .read = read_option,
                               .get = get_field,
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

static PyGetSetDef attributes[] = {
    {"dm", view_get_object, NULL, "The DMDA.", &dm},
    {"local", view_get_object, NULL, "The local vector.", &local},
    {"global_vec", view_get_object, NULL, "The global vector.", &global},
    {"shared_global", view_get_bool, NULL, "global_vec has the array's memory.", &shared_global},
    {"shared_local", view_get_bool, NULL, "local has the array's memory.", &shared_local},
    {"reason_global", view_get_text, NULL, "Why, or why not.", &reason_global},
    {"reason_local", view_get_text, NULL, "Why, or why not.", &reason_local},
    VIEW_ATTRIBUTES,
    {0}};

PyTypeObject *field_type(void)
{
  return view_type(PETSC_MODULE_NAME ".Field", "An array as a DMDA with vectors.", methods, attributes);
}
