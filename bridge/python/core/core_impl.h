/* Declares the functions and types that the files of dapbridge._core share. dapbridge/_core.pyi describes the
 * types and functions that Python sees. A function that returns NULL, false or -1 has set an exception. */
#ifndef DAP_CORE_IMPL_H
#define DAP_CORE_IMPL_H

#include "extension.h"

/* ---- errors.c ------------------------------------------------------------------------------------- */

/* Imports the exceptions from dapbridge._errors. */
bool errors_init(void);
/* Sets the exception of a status, returns NULL. */
PyObject *errors_raise(dap_status status, const dap_error *err);
/* Sets the exception of `status`, with a text as by printf(). It stands in for PyErr_Format(), because the
 * Limited API has only parts of that. */
PyObject *errors_fail(dap_status status, const char *format, ...) DAP_PRINTF(2, 3);

/* ---- values.c: from and to Python's values -------------------------------------------------------- */

/* Returns whether a value is True, False, or one of numpy's, whose types have these names. */
bool value_is_bool(PyObject *value);
/* Reads anything with __index__ except bool, of 64 bits. `name` is for the text. */
bool value_int64(PyObject *value, const char *name, int64_t *result);
bool value_int(PyObject *value, const char *name, int *result);
/* None or a sequence of `count` integers (`count` -1: any number up to `capacity`, which is returned in
 * *count). *given is whether there was one. */
bool value_int64s(PyObject *sequence, const char *name, Py_ssize_t capacity, Py_ssize_t *count,
                  int64_t result[], bool *given);
bool value_ints(PyObject *sequence, const char *name, Py_ssize_t capacity, Py_ssize_t *count, int result[],
                bool *given);
/* A new array of a sequence's integers, to be freed by PyMem_Free(); None gives NULL. */
bool value_int64_list(PyObject *sequence, const char *name, Py_ssize_t *count, int64_t **result);
/* Item i of a tuple or list, borrowed for as long as `sequence` is not changed. */
PyObject *value_item(PyObject *sequence, Py_ssize_t i, const char *name);
PyObject *value_tuple(const int64_t values[], int count);
PyObject *value_list(const int values[], int count);
/* Text of a describing function, whose length it returns. */
typedef size_t value_describe(const void *object, char *text, size_t capacity);
PyObject *value_text(value_describe *describe, const void *object);
/* A contiguous buffer of int64, [count][width]; released by PyBuffer_Release(). */
bool value_indices(PyObject *buffer, int width, Py_buffer *view, int64_t *count);
bool value_comm(PyObject *handle, MPI_Comm *comm);
/* numpy's name of a type; None is DAP_NONE. */
bool value_dtype(PyObject *name, dap_dtype *dtype);
bool value_part(PyObject *tuple, dap_py_part *part);
/* Whether the value is true, as Python has it. */
bool value_truth(PyObject *value, bool *result);
/* Calls `read` for each item of a dict of options, until it returns false. */
typedef bool value_option(const char *name, PyObject *value, void *context);
bool value_options(PyObject *dict, value_option *read, void *context);
/* One of `letters` in a string of one letter. */
bool value_order(PyObject *order, dap_order *result);

/* ---- layout.c, layout_make.c, layout_ask.c, layout_words.c ----------------------------------------- */

typedef struct layout_object {
  PyObject ob_base;
  dap_layout *layout;
} layout_object;

PyTypeObject *layout_init_type(void);
/* Takes the layout over, also where it fails. */
PyObject *layout_wrap(dap_layout *layout);
PyObject *layout_parse(PyObject *type, PyObject *args); /* the class method that reads a short text */
bool layout_of(PyObject *object, const dap_layout **layout);
/* Takes an object that is a Layout; NULL for None. */
bool layout_or_none(PyObject *object, const dap_layout **layout);

/* layout_make.c: Layout(dists, ranks) */
dap_layout *layout_make(PyObject *dists, PyObject *ranks);
/* Makes a layout object with other ranks (None: with its own); takes *layout over. */
dap_layout *layout_reorder(dap_layout *layout, PyObject *ranks);

/* layout_ask.c: the methods that ask about axes and elements, and the table of all */
extern PyMethodDef layout_methods[];

/* layout_words.c: words, pictures, files */
PyObject *layout_describe(PyObject *self, PyObject *unused);
PyObject *layout_summary(PyObject *self, PyObject *unused);
PyObject *layout_format(PyObject *self, PyObject *unused);
PyObject *layout_draw(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *layout_svg(PyObject *self, PyObject *args);
PyObject *layout_export(PyObject *self, PyObject *args, PyObject *keywords);

/* ---- dims.c: dimension dictionaries --------------------------------------------------------------- */

/* Reads one, whose integers may be anything with __index__; `view` becomes that of the indices, if there
 * are some. */
bool dims_read(PyObject *tuple, int axis, const dap_dialect *dialect, dap_dim *dim, Py_buffer *view,
               bool *has_view);
/* `keeps` is what dim->indices belong to. */
PyObject *dims_write(const dap_dim *dim, PyObject *keeps);
PyObject *dims_get(PyObject *local, void *unused); /* Local.dims */
PyObject *dims_dialect(PyObject *module, PyObject *version);

/* ---- local.c, local_make.c, local_buffer.c -------------------------------------------------------- */

/* Does not change once it is made. A thread with a reference can use it without the interpreter's lock. */
typedef struct local_object {
  PyObject ob_base;
  dap_array array;
  PyObject *owner;               /* the object given as buffer, or the owner of the memory; may be NULL */
  Py_buffer data;                /* of owner, */
  bool has_data;                 /* if it was got */
  Py_buffer lists[DAP_MAX_NDIM]; /* of indices */
  bool has_list[DAP_MAX_NDIM];
  Py_ssize_t shape[DAP_MAX_NDIM], strides[DAP_MAX_NDIM];
  char format[8];
} local_object;

PyTypeObject *local_init_type(void);
PyObject *local_wrap(dap_array *array, PyObject *keeps);
bool local_is(PyObject *object);
bool local_of(PyObject *object, local_object **local);
bool local_or_none(PyObject *object, local_object **local);
/* An empty one, to be filled. */
local_object *local_new(void);

/* local_make.c: the class methods that make one */
extern PyMethodDef local_make_methods[];
PyObject *local_make(PyObject *type, PyObject *args);
PyObject *local_make_wrapped(PyObject *type, PyObject *args);
PyObject *local_make_of_dims(PyObject *type, PyObject *args);
PyObject *local_make_shared(PyObject *type, PyObject *args);

/* local_buffer.c: buffers in and out */

/* Fills dtype, ndim, shape, strides, data, readonly and swapped of `array` from a buffer. typestr None: by
 * the buffer's format. */
bool buffer_read(PyObject *object, PyObject *typestr, Py_buffer *view, dap_array *array);
int local_get_buffer(PyObject *self, Py_buffer *view, int flags);

/* ---- comm.c: collective functions ----------------------------------------------------------------- */

PyObject *comm_agree(PyObject *module, PyObject *args);
PyObject *comm_agree_word(PyObject *module, PyObject *args);
/* Functions of dap_py_api. */
PyObject *comm_fail_all(MPI_Comm comm, const char *function);
PyObject *comm_assemble(PyObject *module, PyObject *args);
PyObject *comm_lookup(PyObject *module, PyObject *args);
PyObject *comm_relabel(PyObject *module, PyObject *args);
PyObject *comm_replicas_check(PyObject *module, PyObject *args);
PyObject *comm_wait_limit(PyObject *module, PyObject *args);
PyObject *comm_library_version(PyObject *module, PyObject *unused);
PyObject *comm_library_path(PyObject *module, PyObject *unused);

/* ---- export.c: an array as JSON ---------------------------------------------------------------------- */

PyObject *local_json(PyObject *self, PyObject *unused);
PyObject *comm_export(PyObject *module, PyObject *args);

/* ---- file.c: arrays in files ------------------------------------------------------------------------- */

PyObject *file_save(PyObject *module, PyObject *args);
PyObject *file_load(PyObject *module, PyObject *args);
PyObject *file_query(PyObject *module, PyObject *args);

/* ---- log.c, call_site.c, explain.c ---------------------------------------------------------------- */

PyObject *log_set(PyObject *module, PyObject *function);
PyObject *call_site_set(PyObject *module, PyObject *function);
PyObject *explain_matrix(PyObject *module, PyObject *args);

/* ---- plan.c, plan_make.c, plan_run.c -------------------------------------------------------------- */

/* The form that a buffer of a run must have. */
typedef struct plan_form {
  bool is_here;    /* this process has a part of the side */
  dap_array array; /* dtype, ndim, shape, strides, swapped; the rest is zeroed */
} plan_form;

typedef struct plan_object {
  PyObject ob_base;
  dap_plan *plan;
  plan_form from, to;
  int64_t arrays; /* that run_many() moves */
  bool is_begun;
  bool is_busy;              /* a thread is in a collective function of it, without the interpreter's lock */
  PyObject *source, *target; /* of a begun run */
} plan_object;

PyTypeObject *plan_init_type(void);
plan_object *plan_new(void);
/* Claims the plan for a function that changes it. Returns false if another thread is in such a function. */
bool plan_claim(plan_object *plan);

/* plan_make.c */
PyObject *plan_make(PyObject *type, PyObject *args);
PyObject *plan_make_halo(PyObject *type, PyObject *args);
PyObject *plan_make_halo_reverse(PyObject *type, PyObject *args);

/* plan_options.c: a dap_plan_options of a dict. It points to the others. */
typedef struct plan_options {
  dap_plan_options options;
  double alpha[2], beta[2];
} plan_options;
bool plan_options_read(PyObject *dict, plan_options *options);

/* plan_run.c */
PyObject *plan_run(PyObject *self, PyObject *const args[], Py_ssize_t count);
PyObject *plan_begin(PyObject *self, PyObject *const args[], Py_ssize_t count);
PyObject *plan_end(PyObject *self, PyObject *unused);
PyObject *plan_run_many(PyObject *self, PyObject *args);

#endif
