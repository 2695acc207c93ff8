/* Takes PETSc's vectors and matrices as arrays. */
#include "fortran_petsc_impl.h"

static dap_status import(int kind, void *object, dap_f_array *array, dap_error *err)
{
  switch (kind) {
  case DAP_F_OF_FIELD:
    return dap_petsc_field_import(object, &array->local, &array->layout, err);
  case DAP_F_OF_LOCAL:
    return dap_petsc_field_import_local(object, &array->local, &array->layout, err);
  case DAP_F_OF_VECTOR:
    return dap_petsc_vector_import(object, &array->local, &array->layout, err);
  default:
    return dap_petsc_matrix_import(object, &array->local, &array->layout, err);
  }
}

/* A NULL object names no communicator. */
static dap_status make(int kind, void *object, dap_f_array *array, dap_error *err)
{
  MPI_Comm comm = object ? PetscObjectComm((PetscObject)object) : MPI_COMM_NULL;
  if (!object) return dap_fail(err, DAP_ERR_ARG, "the object must not be a null one");
  dap_status status = dap_agree_call(comm, "dap_petsc_import", array ? DAP_OK : DAP_ERR_NOMEM, err);
  if (!status) status = import(kind, object, array, err);
  if (status) return status;
  array->dtype = array->local.dtype;
  if (MPI_Comm_rank(comm, &array->rank) != MPI_SUCCESS) status = DAP_ERR_LIBRARY;
  return dap_agree(comm, status, err);
}

dap_status dap_f_petsc_import(int64_t number, int kind, void **variable, dap_error *err)
{
  void *object = dap_f_petsc_object(number);
  dap_error own = {.rank = -1};
  dap_f_array *array = dap_f_new(&dap_f_array_kind, &own);
  const dap_status status = make(kind, object, array, &own);
  if (status) {
    dap_f_drop(array);
    if (err) *err = own;
  }
  dap_f_put(variable, status ? NULL : array);
  return status;
}
