/* Tells whether ScaLAPACK can use an array in place, and why not, by matrix.h's predicate, without
 * ScaLAPACK. */
#include "core_impl.h"

#include <dapbridge/matrix.h>

static PyObject *verdict(bool is_shared, const char *reason, const dap_matrix_form *form)
{
  char text[DAP_ERROR_TEXT] = "";
  if (form) (void)dap_matrix_describe(form, text, sizeof text);
  return Py_BuildValue("(Nss)", PyBool_FromLong(is_shared), reason, text);
}

/* The first of 'T' and 'N', or the other way round, that shares; else why the first does not. */
static PyObject *try_ops(const char *ops, dap_darray array, int rank, const dap_matrix_needs *needs)
{
  const int64_t no_wish[] = {1, 1};
  dap_error first = {0}, err;
  for (int i = 0; i < 2; i++) {
    dap_matrix_form form;
    void *data;
    int64_t lld;
    dap_status status = dap_matrix_fit(array.layout, ops[i], needs, no_wish, &form, &err);
    if (!status && array.local) status = dap_matrix_local(array, rank, ops[i], &data, &lld, &err);
    if (!status) return verdict(true, "", &form);
    if (status != DAP_ERR_SHARE) return errors_raise(status, &err);
    if (i == 0) first = err;
  }
  return verdict(false, first.text, NULL);
}

PyObject *explain_matrix(PyObject *module, PyObject *args)
{
  PyObject *object, *part;
  const dap_layout *layout;
  local_object *local;
  int rank;
  const char *routine;
  dap_matrix_needs needs = {0};
  dap_error err;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOiz", &object, &part, &rank, &routine) || !layout_of(object, &layout) ||
      !local_or_none(part, &local))
    return NULL;
  const dap_darray array = {layout, local ? &local->array : NULL};
  dap_status status = routine ? dap_matrix_needs_for(routine, true, &needs, &err) : DAP_OK;
  if (!status && local && dap_layout_ndim(layout) == 2) {
    const int64_t size[] = {dap_layout_size(layout, 0), dap_layout_size(layout, 1)};
    status = dap_matrix_check(&needs, local->array.dtype, size, &err);
  }
  if (status) return errors_raise(status, &err);
  const bool is_fortran =
      local && local->array.ndim == 2 && local->array.strides[0] < local->array.strides[1];
  return try_ops(is_fortran ? "NT" : "TN", array, rank, &needs);
}
