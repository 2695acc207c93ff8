/* Takes, uses and ends views. */
#include "python_petsc_impl.h"

#include <stdlib.h>
#include <string.h>

PetscObject view_object_of(const view_object *self, const view_member *member)
{
  return *(PetscObject *)(void *)((char *)self->view + member->offset);
}

bool view_is_live(const view_object *self)
{
  return self->view && ((dap_view_handle *)(void *)((char *)self->view + self->kind->handle))->view;
}

/* ---- get ------------------------------------------------------------------------------------------ */

static bool read_access(const char *text, dap_access *access)
{
  const char *const words[] = {"r", "w", "rw"};
  const dap_access values[] = {DAP_READ, DAP_WRITE, DAP_READ_WRITE};
  for (int i = 0; i < 3; i++)
    if (!strcmp(text, words[i])) {
      *access = values[i];
      return true;
    }
  return option_fail("access '%.20s' is neither 'r', 'w' nor 'rw'", text);
}

static bool read_request(PyObject *args, const view_kind *kind, view_request *request, PyObject **local)
{
  PyObject *layout, *options, *handle;
  const char *access;
  return PyArg_ParseTuple(args, "OOOsO", &handle, &layout, local, &access, &options) &&
         petsc_core->darray(layout, *local, &request->array) && read_access(access, &request->access) &&
         options_read(options, kind->read, request);
}

/* Notes what was got. */
static void take(view_object *self, PyObject *local)
{
  self->local = Py_NewRef(local);
  self->has_memory = PyObject_GetBuffer(local, &self->memory, PyBUF_FULL_RO) == 0;
  if (!self->has_memory) PyErr_Clear();
  for (view_member *const *member = self->kind->members; *member; member++)
    self->references[(*member)->slot] = keep_count(view_object_of(self, *member));
}

/* Makes an object without a view. This fails only for lack of memory. */
static view_object *new_object(PyObject *type, const view_kind *kind)
{
  view_object *self = (view_object *)PyType_GenericAlloc((PyTypeObject *)type, 0);
  if (!self) return NULL;
  self->kind = kind;
  self->view = calloc(1, kind->size);
  if (self->view) return self;
  Py_DECREF(self);
  PyErr_NoMemory();
  return NULL;
}

PyObject *view_get(PyObject *type, const view_kind *kind, PyObject *args)
{
  view_request request = {.comm = MPI_COMM_NULL};
  PyObject *local = NULL;
  dap_error err;
  dap_status s;
  if (PyTuple_Size(args) < 1 || !petsc_core->comm(PyTuple_GetItem(args, 0), &request.comm)) return NULL;
  view_object *self = new_object(type, kind);
  if (!self || !read_request(args, kind, &request, &local)) {
    Py_XDECREF((PyObject *)self);
    return petsc_core->fail_all(request.comm, kind->function);
  }
  Py_BEGIN_ALLOW_THREADS;
  s = kind->get(&request, self->view, &err);
  Py_END_ALLOW_THREADS;
  if (!s) {
    take(self, local);
    return (PyObject *)self;
  }
  Py_DECREF(self);
  return petsc_core->raise(s, &err);
}

/* ---- use and end ---------------------------------------------------------------------------------- */

/* Releases this object's references to PETSc's objects, before they end. An object that others refer to, and
 * that lies in the array's memory, keeps that memory. */
static void release_objects(view_object *self)
{
  for (view_member *const *m = self->kind->members; *m; m++) {
    const view_member *member = *m;
    PetscObject object = view_object_of(self, member);
    Py_CLEAR(self->objects[member->slot]);
    const bool is_shared = member->shared && *((const bool *)self->view + member->shared);
    if (is_shared && keep_count(object) > self->references[member->slot]) keep_with(object, self->local);
  }
}

void view_drop_memory(view_object *self)
{
  if (self->has_memory) PyBuffer_Release(&self->memory);
  self->has_memory = false;
  Py_CLEAR(self->local);
}

static bool check_free(const view_object *self)
{
  return self->is_busy ? option_fail("the view is in use by %s", "another thread") : true;
}

static PyObject *call(view_object *self, view_call what)
{
  dap_error err;
  dap_status s;
  if (!check_free(self)) return NULL;
  const bool ends = what == VIEW_RESTORE || what == VIEW_DISCARD;
  if (ends && view_is_live(self)) release_objects(self);
  self->is_busy = true;
  Py_BEGIN_ALLOW_THREADS;
  s = self->kind->call(self->view, what, &err);
  Py_END_ALLOW_THREADS;
  self->is_busy = false;
  if (!view_is_live(self)) view_drop_memory(self);
  return s ? petsc_core->raise(s, &err) : Py_NewRef(Py_None);
}

PyObject *view_restore(PyObject *self, PyObject *unused)
{
  (void)unused;
  return call((view_object *)self, VIEW_RESTORE);
}

PyObject *view_discard(PyObject *self, PyObject *unused)
{
  (void)unused;
  return call((view_object *)self, VIEW_DISCARD);
}

PyObject *view_load(PyObject *self, PyObject *unused)
{
  (void)unused;
  return call((view_object *)self, VIEW_LOAD);
}

PyObject *view_store(PyObject *self, PyObject *unused)
{
  (void)unused;
  return call((view_object *)self, VIEW_STORE);
}

PyObject *view_halo(PyObject *self, PyObject *unused)
{
  (void)unused;
  return call((view_object *)self, VIEW_HALO);
}

/* An unknown word becomes a number that is not valid, about which the processes agree. */
static int word_or_none(PyObject *word, const char *const words[])
{
  const char *text = PyUnicode_Check(word) ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
  int i = 0;
  PyErr_Clear();
  while (text && words[i] && strcmp(words[i], text) != 0) i++;
  return text && words[i] ? i : -1;
}

PyObject *view_halo_reverse(PyObject *object, PyObject *args)
{
  static const char *const combines[] = {"", "sum", "max", "min", NULL}, *const paddings[] = {
                                                                             "", "clear", "refresh", NULL};
  view_object *self = (view_object *)object;
  PyObject *combine, *padding;
  dap_error err;
  dap_status s;
  if (!PyArg_ParseTuple(args, "OO", &combine, &padding) || !check_free(self)) return NULL;
  const int words[] = {word_or_none(combine, combines), word_or_none(padding, paddings)};
  self->is_busy = true;
  Py_BEGIN_ALLOW_THREADS;
  s = self->kind->reverse(self->view, (dap_combine)words[0], (dap_padding)words[1], &err);
  Py_END_ALLOW_THREADS;
  self->is_busy = false;
  return s ? petsc_core->raise(s, &err) : Py_NewRef(Py_None);
}
