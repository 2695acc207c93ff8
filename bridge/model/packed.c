/* Keeps arrays of numbers in as few bytes as their largest needs, so that tables of 'u' axes are small. */
#include "model_impl.h"

#include <stdlib.h>

bool dap_packed_create(int64_t count, int64_t most, dap_packed *packed)
{
  packed->width = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
  packed->data = calloc(count > 0 ? (size_t)count : 1, (size_t)packed->width);
  return packed->data != NULL;
}

void dap_packed_release(dap_packed *packed)
{
  free(packed->data);
  packed->data = NULL;
}

dap_dtype dap_packed_dtype(const dap_packed *packed)
{
  static const dap_dtype dtypes[] = {[1] = DAP_U1, [2] = DAP_U2, [4] = DAP_U4, [8] = DAP_I8};
  return dtypes[packed->width];
}

int64_t dap_packed_get(const dap_packed *packed, int64_t index)
{
  switch (packed->width) {
  case 1:
    return ((const uint8_t *)packed->data)[index];
  case 2:
    return ((const uint16_t *)packed->data)[index];
  case 4:
    return ((const uint32_t *)packed->data)[index];
  default:
    return ((const int64_t *)packed->data)[index];
  }
}

void dap_packed_set(dap_packed *packed, int64_t index, int64_t value)
{
  switch (packed->width) {
  case 1:
    ((uint8_t *)packed->data)[index] = (uint8_t)value;
    break;
  case 2:
    ((uint16_t *)packed->data)[index] = (uint16_t)value;
    break;
  case 4:
    ((uint32_t *)packed->data)[index] = (uint32_t)value;
    break;
  default:
    ((int64_t *)packed->data)[index] = value;
  }
}
