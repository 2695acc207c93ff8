/* Gives element types as MPI types. */
#include "comm_impl.h"

/* MPI does not have DAP_F2. */
MPI_Datatype dap_dtype_mpi(dap_dtype dtype)
{
  const struct {
    dap_dtype dtype;
    MPI_Datatype type;
  } types[] = {
      {DAP_BOOL, MPI_C_BOOL},
      {DAP_I1, MPI_INT8_T},
      {DAP_U1, MPI_UINT8_T},
      {DAP_I2, MPI_INT16_T},
      {DAP_U2, MPI_UINT16_T},
      {DAP_I4, MPI_INT32_T},
      {DAP_U4, MPI_UINT32_T},
      {DAP_I8, MPI_INT64_T},
      {DAP_U8, MPI_UINT64_T},
      {DAP_F4, MPI_FLOAT},
      {DAP_F8, MPI_DOUBLE},
      {DAP_C8, MPI_C_FLOAT_COMPLEX},
      {DAP_C16, MPI_C_DOUBLE_COMPLEX},
      {DAP_F16, sizeof(long double) == 16 ? MPI_LONG_DOUBLE : MPI_DATATYPE_NULL},
      {DAP_C32, sizeof(long double) == 16 ? MPI_C_LONG_DOUBLE_COMPLEX : MPI_DATATYPE_NULL},
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (types[i].dtype == dtype) return types[i].type;
  return MPI_DATATYPE_NULL;
}
