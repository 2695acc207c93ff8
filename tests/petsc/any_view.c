#include "any_view.h"

const char *const any_names[KINDS] = {"field", "vector", "matrix"};
const char *const any_deed_names[DEEDS] = {"restore", "load", "store", "halo", "discard"};

dap_dtype scalar_dtype(void)
{
  return sizeof(PetscScalar) == sizeof(PetscReal) ? DAP_F8 : DAP_C16;
}

void any_share(any_view *v, dap_sharing sharing)
{
  v->of_field.sharing = v->of_vector.sharing = v->of_matrix.sharing = sharing;
}

dap_status any_get(MPI_Comm comm, any_view *v, dap_darray array, dap_access access, dap_error *err)
{
  if (v->kind == VECTOR) return dap_petsc_vector_get(comm, array, access, &v->of_vector, &v->vector, err);
  if (v->kind == MATRIX) return dap_petsc_matrix_get(comm, array, access, &v->of_matrix, &v->matrix, err);
  return dap_petsc_field_get(comm, array, access, &v->of_field, &v->field, err);
}

dap_status any_do(any_view *v, any_deed deed, dap_error *err)
{
  static dap_status (*const of_field[DEEDS])(dap_petsc_field *, dap_error *) = {
      dap_petsc_field_restore, dap_petsc_field_load, dap_petsc_field_store, dap_petsc_field_halo,
      dap_petsc_field_discard};
  static dap_status (*const of_vector[DEEDS])(dap_petsc_vector *, dap_error *) = {
      dap_petsc_vector_restore, dap_petsc_vector_load, dap_petsc_vector_store, dap_petsc_vector_halo,
      dap_petsc_vector_discard};
  static dap_status (*const of_matrix[DEEDS])(dap_petsc_matrix *, dap_error *) = {
      dap_petsc_matrix_restore, dap_petsc_matrix_load, dap_petsc_matrix_store, dap_petsc_matrix_halo,
      dap_petsc_matrix_discard};
  if (v->kind == VECTOR) return of_vector[deed](&v->vector, err);
  if (v->kind == MATRIX) return of_matrix[deed](&v->matrix, err);
  return of_field[deed](&v->field, err);
}

dap_status any_halo_reverse(any_view *v, dap_combine combine, dap_padding padding, dap_error *err)
{
  return v->kind == VECTOR ? dap_petsc_vector_halo_reverse(&v->vector, combine, padding, err)
                           : dap_petsc_field_halo_reverse(&v->field, combine, padding, err);
}

bool any_is_live(const any_view *v)
{
  return v->field.dm || v->field.global || v->field.local || v->field.handle.view || v->vector.vec ||
         v->vector.ao || v->vector.handle.view || v->matrix.mat || v->matrix.handle.view;
}

bool any_is_shared(const any_view *v)
{
  return v->field.shared_global || v->field.shared_local || v->vector.shared || v->matrix.shared;
}

int64_t any_moved(const any_view *v)
{
  return v->field.moved_bytes + v->vector.moved_bytes + v->matrix.moved_bytes;
}
