/* Asks MPI whether it is running and whether a call succeeded. Makes private communicators. Converts counts
 * and element types to those of MPI. */
#include "comm_impl.h"

#include <inttypes.h>
#include <limits.h>

dap_status dap_mpi_check_running(dap_error *err)
{
  int begun = 0, ended = 0;
  DAP_REQUIRE(MPI_Initialized(&begun) == MPI_SUCCESS && begun, err, DAP_ERR_LIBRARY,
              "MPI is not running: MPI_Init comes first");
  DAP_REQUIRE(MPI_Finalized(&ended) == MPI_SUCCESS && !ended, err, DAP_ERR_LIBRARY, "MPI has been finalised");
  return DAP_OK;
}

bool dap_mpi_is_running(void)
{
  return dap_mpi_check_running(NULL) == DAP_OK;
}

dap_status dap_mpi_check(int code, const char *what, dap_error *err)
{
  if (code == MPI_SUCCESS) return DAP_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) text[0] = '\0';
  return dap_fail(err, DAP_ERR_LIBRARY, "%s: %.300s", what, text);
}

dap_status dap_comm_is_inter(MPI_Comm comm, bool *is_inter, dap_error *err)
{
  int inter = 0;
  *is_inter = false;
  DAP_TRY(dap_mpi_check_running(err));
  DAP_REQUIRE(comm != MPI_COMM_NULL, err, DAP_ERR_ARG, "comm must not be MPI_COMM_NULL");
  DAP_TRY(dap_mpi_check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter", err));
  *is_inter = inter != 0;
  return DAP_OK;
}

dap_status dap_comm_check(MPI_Comm comm, dap_error *err)
{
  bool is_inter;
  DAP_TRY(dap_comm_is_inter(comm, &is_inter, err));
  DAP_REQUIRE(!is_inter, err, DAP_ERR_ARG, "comm must not be an intercommunicator");
  return DAP_OK;
}

dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err)
{
  *own = MPI_COMM_NULL;
  DAP_TRY(dap_mpi_check(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, own), "MPI_Comm_dup_with_info", err));
  return dap_mpi_check(MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err);
}

dap_status dap_to_int(int64_t value, const char *what, int *result, dap_error *err)
{
  DAP_REQUIRE(value >= INT_MIN && value <= INT_MAX, err, DAP_ERR_RANGE,
              "%s %" PRId64 " does not fit MPI's int", what, value);
  *result = (int)value;
  return DAP_OK;
}

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
