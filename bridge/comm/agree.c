/* Agreement: one status and one text for all processes of a communicator. */
#include "comm_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

dap_status dap_mpi_check(int code, const char *what, dap_error *err)
{
  if (code == MPI_SUCCESS) return DAP_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) text[0] = '\0';
  return dap_fail(err, DAP_ERR_LIBRARY, "%s: %.300s", what, text);
}

/* What the failing process tells the others. */
typedef struct verdict {
  int status;
  int prefixed; /* the text names its rank already: an inner agreement made it */
  char text[DAP_ERROR_TEXT];
} verdict;

static void adopt(const verdict *told, int rank, dap_error *err)
{
  if (!err) return;
  char prefix[32] = "";
  if (!told->prefixed) (void)snprintf(prefix, sizeof prefix, "rank %d: ", rank);
  const size_t length = strlen(prefix);
  memcpy(err->text, prefix, length);
  memcpy(err->text + length, told->text, sizeof err->text - length);
  err->text[sizeof err->text - 1] = '\0';
  err->rank = rank;
}

dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err)
{
  int rank = 0, first = INT_MAX;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  const int mine = status ? rank : INT_MAX;
  DAP_TRY(dap_mpi_check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  if (first == INT_MAX) return DAP_OK;
  verdict told = {.status = (int)status};
  if (rank == first && err) {
    told.prefixed = err->rank >= 0;
    memcpy(told.text, err->text, sizeof told.text);
    told.text[sizeof told.text - 1] = '\0';
  }
  if (rank == first && !err) (void)snprintf(told.text, sizeof told.text, "%s", dap_status_name(status));
  DAP_TRY(dap_mpi_check(MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, comm), "MPI_Bcast", err));
  adopt(&told, first, err);
  return (dap_status)told.status;
}

dap_status dap_same_words(MPI_Comm comm, const int64_t words[], const char *const names[], int count,
                          dap_error *err)
{
  int64_t first[64] = {0};
  DAP_REQUIRE(count <= (int)(sizeof first / sizeof first[0]), err, DAP_ERR_RANGE, "%d words to compare",
              count);
  memcpy(first, words, (size_t)count * sizeof *first);
  DAP_TRY(dap_mpi_check(MPI_Bcast(first, count, MPI_INT64_T, 0, comm), "MPI_Bcast", err));
  for (int i = 0; i < count; i++)
    DAP_REQUIRE(words[i] == first[i], err, DAP_ERR_ARG, "%s differs from rank 0's", names[i]);
  return DAP_OK;
}

dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err)
{
  *own = MPI_COMM_NULL;
  DAP_TRY(dap_mpi_check(MPI_Comm_dup(comm, own), "MPI_Comm_dup", err));
  return dap_mpi_check(MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err);
}
