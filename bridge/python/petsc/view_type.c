/* Defines the types of views: their attributes, and their end. */
#include "python_petsc_impl.h"

#include <stdlib.h>
#include <string.h>

PyObject *view_get_object(PyObject *object, void *closure)
{
  view_object *self = (view_object *)object;
  const view_member *member = (const view_member *)closure;
  PyObject **slot = &self->objects[member->slot];
  if (!view_is_live(self)) return option_fail("the view has ended%s", ""), NULL;
  if (!*slot) *slot = petsc4py_new(member->class, view_object_of(self, member));
  return Py_XNewRef(*slot);
}

PyObject *view_get_bool(PyObject *self, void *closure)
{
  return PyBool_FromLong(*((const bool *)((view_object *)self)->view + *(const size_t *)closure));
}

PyObject *view_get_text(PyObject *self, void *closure)
{
  const char *text = (const char *)((view_object *)self)->view + *(const size_t *)closure;
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *view_get_moved_bytes(PyObject *object, void *unused)
{
  const view_object *self = (view_object *)object;
  (void)unused;
  return PyLong_FromLongLong(*(const int64_t *)(void *)((char *)self->view + self->kind->moved_bytes));
}

PyObject *view_get_is_live(PyObject *self, void *unused)
{
  (void)unused;
  return PyBool_FromLong(view_is_live((view_object *)self));
}

PyObject *view_describe(PyObject *object, PyObject *unused)
{
  const view_object *self = (view_object *)object;
  (void)unused;
  const size_t length = self->kind->describe(self->view, NULL, 0);
  char *text = (char *)PyMem_Malloc(length + 1);
  if (!text) return PyErr_NoMemory();
  (void)self->kind->describe(self->view, text, length + 1);
  PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
  PyMem_Free(text);
  return result;
}

/* ---- the type ------------------------------------------------------------------------------------- */

/* Ending a live view needs all processes, so the view and the array's memory stay until the program ends. */
static void dealloc(PyObject *object)
{
  PyTypeObject *type = Py_TYPE(object);
  view_object *self = (view_object *)object;
  for (int i = 0; i < VIEW_OBJECTS; i++) Py_CLEAR(self->objects[i]);
  if (!view_is_live(self)) {
    view_drop_memory(self);
    free(self->view);
  }
  PyObject_Free(object);
  Py_DECREF(type);
}

PyTypeObject *view_type(const char *name, const char *doc, PyMethodDef methods[], PyGetSetDef attributes[])
{
  PyType_Slot slots[] = {{Py_tp_doc, (void *)(uintptr_t)doc},
                         {Py_tp_dealloc, (void *)dealloc},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, attributes},
                         {0}};
  PyType_Spec spec = {.name = name,
                      .basicsize = sizeof(view_object),
                      .flags =
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      .slots = slots};
  return (PyTypeObject *)PyType_FromSpec(&spec);
}
