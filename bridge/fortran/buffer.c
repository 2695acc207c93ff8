/* Gives Fortran and the library the same elements in place, by the descriptors of ISO_Fortran_binding.h
 * (Fortran 2018, 18.4). So types, extents and strides need no code for each type or rank. */
#include "fortran_impl.h"

#include <stddef.h>

static const struct {
  CFI_type_t type;
  dap_dtype dtype;
} types[] = {
    {CFI_type_float, DAP_F4},           {CFI_type_double, DAP_F8},  {CFI_type_float_Complex, DAP_C8},
    {CFI_type_double_Complex, DAP_C16}, {CFI_type_int32_t, DAP_I4}, {CFI_type_int64_t, DAP_I8},
    {CFI_type_int8_t, DAP_I1},          {CFI_type_int16_t, DAP_I2},
};

dap_dtype dap_f_dtype(const CFI_cdesc_t *data)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].type == data->type) return types[i].dtype;
  return DAP_NONE;
}

/* Types that the library does not have. gfortran and flang number some of them differently. */
static const struct {
  CFI_type_t type;
  const char *name;
} other_types[] = {
    {CFI_type_Bool, "LOGICAL(1)"},
#ifdef CFI_type_Logical /* gfortran */
    {CFI_type_Logical + (2 << CFI_type_kind_shift), "LOGICAL(2)"},
    {CFI_type_Logical + (4 << CFI_type_kind_shift), "LOGICAL(4)"},
    {CFI_type_Logical + (8 << CFI_type_kind_shift), "LOGICAL(8)"},
    {CFI_type_Integer + (16 << CFI_type_kind_shift), "INTEGER(16)"},
    {CFI_type_Real + (16 << CFI_type_kind_shift), "REAL of 16 bytes"},
    {CFI_type_Complex + (16 << CFI_type_kind_shift), "COMPLEX of 32 bytes"},
#else /* flang */
    {CFI_type_int_least16_t, "LOGICAL(2)"},
    {CFI_type_int_least32_t, "LOGICAL(4)"},
    {CFI_type_int_least64_t, "LOGICAL(8)"},
#endif
#ifdef CFI_type_int128_t
    {CFI_type_int128_t, "INTEGER(16)"},
#endif
#ifdef CFI_type_float128
    {CFI_type_float128, "REAL(16)"},
    {CFI_type_float128_Complex, "COMPLEX(16)"},
#endif
    {CFI_type_long_double, "REAL(10)"},
    {CFI_type_long_double_Complex, "COMPLEX(10)"},
    {CFI_type_char, "CHARACTER"},
    {CFI_type_struct, "of a derived type"},
    {CFI_type_cptr, "CLASS(*) or TYPE(C_PTR)"},
};

dap_status dap_f_check_type(const CFI_cdesc_t *data, const char *name, dap_error *err)
{
  if (dap_f_dtype(data) != DAP_NONE) return DAP_OK;
  const char *type = "of a type without a name here";
  for (size_t i = sizeof other_types / sizeof *other_types; i-- > 0;)
    if (other_types[i].type == data->type) type = other_types[i].name;
  return dap_fail(err, DAP_ERR_BUFFER,
                  "%s is %s: elements are INTEGER or REAL of 4 or 8 bytes, or COMPLEX of 8 or 16 bytes", name,
                  type);
}

dap_status dap_f_refuse_memory(const char *name, dap_error *err)
{
  return dap_fail(err, DAP_ERR_BUFFER,
                  "%s has no memory: it is not allocated, or a pointer that is not associated", name);
}

dap_status dap_f_check_memory(const CFI_cdesc_t *data, const char *name, dap_error *err)
{
  bool has_elements = true;
  for (int k = 0; k < data->rank; k++) has_elements = has_elements && data->dim[k].extent != 0;
  return data->base_addr || !has_elements ? DAP_OK : dap_f_refuse_memory(name, err);
}

bool dap_f_is_missing(const CFI_cdesc_t *list)
{
  return !list->base_addr;
}

/* An empty pointer is associated, too, so that its size can be asked for. */
dap_status dap_f_pointer(const void *object, CFI_cdesc_t *pointer, dap_error *err)
{
  static max_align_t nothing;
  const dap_f_object *head = object;
  if (!head) return dap_fail(err, DAP_ERR_ARG, "an object that is not set has no elements");
  if (!head->kind->buffer) return dap_fail(err, DAP_ERR_ARG, "a %s has no elements", head->kind->name);
  dap_f_buffer buffer = {0};
  head->kind->buffer(object, &buffer);
  if (dap_f_dtype(pointer) != buffer.dtype)
    return dap_fail(err, DAP_ERR_BUFFER, "the %s has elements of type %s, the pointer has %s",
                    head->kind->name, dap_dtype_name(buffer.dtype), dap_dtype_name(dap_f_dtype(pointer)));
  if (pointer->rank != buffer.ndim)
    return dap_fail(err, DAP_ERR_BUFFER, "the rank of the %s is %d, the pointer's %d", head->kind->name,
                    buffer.ndim, (int)pointer->rank);

  CFI_CDESC_T(DAP_MAX_NDIM) elements;
  CFI_cdesc_t *source = (CFI_cdesc_t *)&elements;
  CFI_index_t extents[DAP_MAX_NDIM], lower[DAP_MAX_NDIM];
  for (int k = 0; k < buffer.ndim; k++) {
    extents[k] = (CFI_index_t)buffer.shape[k];
    lower[k] = 1;
  }
  void *data = buffer.data ? buffer.data : &nothing;
  int failed = CFI_establish(source, data, CFI_attribute_other, pointer->type, pointer->elem_len,
                             pointer->rank, extents);
  for (int k = 0; k < buffer.ndim; k++) source->dim[k].sm = (CFI_index_t)buffer.strides[k];
  if (!failed) failed = CFI_setpointer(pointer, source, lower);
  return failed ? dap_fail(err, DAP_ERR_LIBRARY, "CFI_setpointer failed with %d", failed) : DAP_OK;
}
