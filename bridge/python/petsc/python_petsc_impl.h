/* Declares the functions and types that the files of dapbridge._petsc_<build> share. dapbridge/_petsc.pyi
 * describes the types and functions that Python sees. A function that returns NULL or false has set an
 * exception. */
#ifndef DAP_PYTHON_PETSC_IMPL_H
#define DAP_PYTHON_PETSC_IMPL_H

#include "extension.h"

#include <dapbridge/petsc.h>
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <stddef.h>

/* DAP_PY_MODULE, from the build, is the module's name: _petsc_real. */
#define PETSC_TEXT_(name) #name
#define PETSC_TEXT(name) PETSC_TEXT_(name)
#define PETSC_MODULE_NAME "dapbridge." PETSC_TEXT(DAP_PY_MODULE)

extern const dap_py_api *petsc_core; /* dapbridge._core */

/* ---- library.c: which PETSc this is --------------------------------------------------------------- */

/* Whether the module was compiled for the library that was loaded. */
bool library_check(void);
PyObject *library_version(PyObject *module, PyObject *unused);
PyObject *library_path(PyObject *module, PyObject *args);

/* ---- petsc4py.c: PETSc's objects as petsc4py's ---------------------------------------------------- */

typedef enum petsc_class { PETSC_VEC, PETSC_DM, PETSC_MAT, PETSC_AO } petsc_class;

/* Finds petsc4py's functions. */
bool petsc4py_init(void);
/* A new petsc4py object with a reference of its own to `object`; None for NULL. */
PyObject *petsc4py_new(petsc_class class, PetscObject object);
/* The object of a Vec, DM or Mat of petsc4py, borrowed; one that was not created is an error. */
bool petsc4py_get(petsc_class class, PyObject *of, PetscObject *object);

/* ---- options.c: a view's arguments ---------------------------------------------------------------- */

typedef struct view_request {
  MPI_Comm comm;
  dap_darray array;
  dap_access access;
  dap_sharing sharing;
  bool lossy;
  dap_py_part part;
  union {
    dap_petsc_field_options field;
    dap_petsc_vector_options vector;
    dap_petsc_matrix_options matrix;
  } options;
} view_request;

bool option_fail(const char *format, const char *name);
bool option_bool(PyObject *value, bool *result);
bool option_int64(PyObject *value, const char *name, int64_t *result);
/* "", "C", "F" */
bool option_order(PyObject *value, dap_order *order);
/* The options that all views have; the others are left to `read`. */
typedef bool option_read(const char *name, PyObject *value, view_request *request);
bool options_read(PyObject *dict, option_read *read, view_request *request);

/* ---- view.c, view_type.c: what Field, Vector and Matrix have in common ---------------------------- */

enum { VIEW_OBJECTS = 3 };

typedef enum view_call { VIEW_RESTORE, VIEW_DISCARD, VIEW_LOAD, VIEW_STORE, VIEW_HALO } view_call;

/* One of PETSc's objects in a public struct of dapbridge, at these offsets. */
typedef struct view_member {
  int slot;
  petsc_class class;
  size_t offset;
  size_t shared; /* offset of the bool that says whether it lies in the array's memory; 0: it never does */
} view_member;

/* Properties in which kinds of views differ. Offsets are those of the public struct. */
typedef struct view_kind {
  const char *function; /* of dapbridge's, which all processes call */
  size_t size, handle, moved_bytes;
  view_member *const *members; /* NULL ends them */
  option_read *read;
  dap_status (*get)(const view_request *request, void *view, dap_error *err);
  dap_status (*call)(void *view, view_call call, dap_error *err);
  dap_status (*reverse)(void *view, dap_combine combine, dap_padding padding, dap_error *err); /* or NULL */
  size_t (*describe)(const void *view, char *text, size_t capacity);
} view_kind;

typedef struct view_object {
  PyObject ob_base;
  const view_kind *kind;
  void *view; /* the public struct: it stays where it is, and outlives this object if it is live */
  bool is_busy;
  PyObject *local; /* whose memory the view may share, */
  Py_buffer memory;
  bool has_memory;                   /* if it was got, so that Local.release() is refused */
  PyObject *objects[VIEW_OBJECTS];   /* petsc4py's, made when first asked for */
  PetscInt references[VIEW_OBJECTS]; /* to PETSc's objects, when they were new */
} view_object;

/* Collective. */
PyObject *view_get(PyObject *type, const view_kind *kind, PyObject *args);
bool view_is_live(const view_object *self);
PetscObject view_object_of(const view_object *self, const view_member *member);
/* Lets go of the array's memory. */
void view_drop_memory(view_object *self);

/* Methods and attributes of all views, and the getters of others: the closure is a view_member, or the offset
 * of the member. */
PyTypeObject *view_type(const char *name, const char *doc, PyMethodDef methods[], PyGetSetDef attributes[]);
PyObject *view_get_object(PyObject *object, void *closure);
PyObject *view_get_bool(PyObject *self, void *closure);
PyObject *view_get_text(PyObject *self, void *closure);
PyObject *view_get_moved_bytes(PyObject *object, void *unused);
PyObject *view_get_is_live(PyObject *self, void *unused);
PyObject *view_restore(PyObject *self, PyObject *unused);
PyObject *view_discard(PyObject *self, PyObject *unused);
PyObject *view_load(PyObject *self, PyObject *unused);
PyObject *view_store(PyObject *self, PyObject *unused);
PyObject *view_halo(PyObject *self, PyObject *unused);
PyObject *view_halo_reverse(PyObject *object, PyObject *args);
PyObject *view_describe(PyObject *object, PyObject *unused);

#define VIEW_METHODS                                                                                         \
  {"restore", view_restore, METH_NOARGS, "Ends the view; the array has the result. Collective."},            \
      {"discard", view_discard, METH_NOARGS, "Ends the view; nothing is moved back. Collective."},           \
      {"load", view_load, METH_NOARGS, "The view gets what the array holds. Collective."},                   \
      {"store", view_store, METH_NOARGS, "The array gets what the view holds. Collective."},                 \
      {"halo", view_halo, METH_NOARGS, "Updates the array's halo in place. Collective."},                    \
  {                                                                                                          \
    "describe", view_describe, METH_NOARGS, "The view in words."                                             \
  }

#define VIEW_ATTRIBUTES                                                                                      \
  {"moved_bytes", view_get_moved_bytes, NULL, "Bytes that this process moved for the view.", NULL},          \
  {                                                                                                          \
    "is_live", view_get_is_live, NULL, "Neither restored nor discarded.", NULL                               \
  }

/* ---- keep.c: memory that PETSc's objects still use when a view has ended ---------------------------- */

/* PETSc's count of references to an object; 0 for NULL. */
PetscInt keep_count(PetscObject object);
/* The object, which others have references to, keeps `local` until it is destroyed. */
void keep_with(PetscObject object, PyObject *local);

/* ---- field.c, vector.c, matrix.c: the types; import.c: PETSc's objects as arrays -------------------- */

PyTypeObject *field_type(void);
PyTypeObject *vector_type(void);
PyTypeObject *matrix_type(void);

PyObject *import_field(PyObject *module, PyObject *vec);
PyObject *import_field_local(PyObject *module, PyObject *vec);
PyObject *import_vector(PyObject *module, PyObject *vec);
PyObject *import_matrix(PyObject *module, PyObject *mat);
PyObject *import_dm_of(PyObject *module, PyObject *vec);

#endif
