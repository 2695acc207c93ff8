/* Element types as MPI types. */
#include "comm_impl.h"

MPI_Datatype dap_dtype_mpi(dap_dtype dtype)
{
  switch (dtype) {
  case DAP_BOOL:
    return MPI_C_BOOL;
  case DAP_I1:
    return MPI_INT8_T;
  case DAP_U1:
    return MPI_UINT8_T;
  case DAP_I2:
    return MPI_INT16_T;
  case DAP_U2:
    return MPI_UINT16_T;
  case DAP_I4:
    return MPI_INT32_T;
  case DAP_U4:
    return MPI_UINT32_T;
  case DAP_I8:
    return MPI_INT64_T;
  case DAP_U8:
    return MPI_UINT64_T;
  case DAP_F4:
    return MPI_FLOAT;
  case DAP_F8:
    return MPI_DOUBLE;
  case DAP_C8:
    return MPI_C_FLOAT_COMPLEX;
  case DAP_C16:
    return MPI_C_DOUBLE_COMPLEX;
  case DAP_F16:
    return sizeof(long double) == 16 ? MPI_LONG_DOUBLE : MPI_DATATYPE_NULL;
  case DAP_C32:
    return sizeof(long double) == 16 ? MPI_C_LONG_DOUBLE_COMPLEX : MPI_DATATYPE_NULL;
  case DAP_F2: /* MPI has none */
  case DAP_NONE:
    break;
  }
  return MPI_DATATYPE_NULL;
}
