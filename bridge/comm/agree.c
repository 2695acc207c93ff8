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

dap_status dap_comm_check(MPI_Comm comm, dap_error *err)
{
  int inter = 0;
  DAP_REQUIRE(comm != MPI_COMM_NULL, err, DAP_ERR_ARG, "comm must not be MPI_COMM_NULL");
  DAP_TRY(dap_mpi_check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter", err));
  DAP_REQUIRE(!inter, err, DAP_ERR_ARG, "comm must not be an intercommunicator");
  return DAP_OK;
}

/* What the failing process tells the others. */
typedef struct verdict {
  int status;
  int rank; /* whose text it is; -1: the teller's, and the text does not say so yet */
  int rule;
  char text[DAP_ERROR_TEXT];
} verdict;

static void adopt(const verdict *told, int teller, dap_error *err)
{
  if (!err) return;
  char prefix[32] = "";
  if (told->rank < 0) (void)snprintf(prefix, sizeof prefix, "rank %d: ", teller);
  const size_t length = strlen(prefix);
  memcpy(err->text, prefix, length);
  memcpy(err->text + length, told->text, sizeof err->text - length);
  err->text[sizeof err->text - 1] = '\0';
  err->rank = told->rank < 0 ? teller : told->rank;
  err->rule = told->rule;
}

/* Whether an inner agreement made the text: then it names its rank. */
static bool is_agreed(const dap_error *err)
{
  char prefix[32];
  if (err->rank < 0) return false;
  const int length = snprintf(prefix, sizeof prefix, "rank %d: ", err->rank);
  return strncmp(err->text, prefix, (size_t)length) == 0;
}

dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err)
{
  int rank = 0, first = INT_MAX;
  DAP_TRY(dap_comm_check(comm, err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  const int mine = status ? rank : INT_MAX;
  DAP_TRY(dap_mpi_check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  if (first == INT_MAX) return DAP_OK;
  verdict told = {.status = (int)status, .rank = -1};
  if (rank == first && err && err->text[0]) {
    told.rule = err->rule;
    if (is_agreed(err)) told.rank = err->rank;
    memcpy(told.text, err->text, sizeof told.text);
    told.text[sizeof told.text - 1] = '\0';
  } else if (rank == first) {
    (void)snprintf(told.text, sizeof told.text, "%s", dap_status_name(status));
  }
  DAP_TRY(dap_mpi_check(MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, comm), "MPI_Bcast", err));
  adopt(&told, first, err);
  return (dap_status)told.status;
}

/* Who differs from rank 0, and in what. Collective, once it is known that someone does. */
static dap_status name_difference(MPI_Comm comm, const uint64_t words[], const char *const names[], int count,
                                  uint64_t first[], dap_error *err)
{
  dap_status s = dap_mpi_check(MPI_Bcast(first, count, MPI_UINT64_T, 0, comm), "MPI_Bcast", err);
  for (int i = 0; i < count && !s; i++)
    if (words[i] != first[i]) s = dap_fail(err, DAP_ERR_ARG, "%s: not the same as on rank 0", names[i]);
  return dap_agree(comm, s, err);
}

/* Bits that all processes set, and bits that none sets: together every bit iff all words are equal. */
dap_status dap_agree_words(MPI_Comm comm, const uint64_t words[], const char *const names[], int count,
                           dap_error *err)
{
  enum { MOST = 64 };
  dap_error own;
  err = err ? err : &own;
  uint64_t both[2 * MOST];
  DAP_TRY(dap_comm_check(comm, err));
  DAP_REQUIRE(count >= 0 && count <= MOST, err, DAP_ERR_ARG, "count %d is outside 0 .. %d", count, MOST);
  for (int i = 0; i < count; i++) {
    both[2 * i] = words[i];
    both[2 * i + 1] = ~words[i];
  }
  DAP_TRY(dap_mpi_check(MPI_Allreduce(MPI_IN_PLACE, both, 2 * count, MPI_UINT64_T, MPI_BAND, comm),
                        "MPI_Allreduce", err));
  bool same = true;
  for (int i = 0; i < count; i++) same = same && both[2 * i] == ~both[2 * i + 1];
  if (same) return DAP_OK;
  memcpy(both, words, (size_t)count * sizeof *both);
  return name_difference(comm, words, names, count, both, err);
}

dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err)
{
  *own = MPI_COMM_NULL;
  DAP_TRY(dap_mpi_check(MPI_Comm_dup(comm, own), "MPI_Comm_dup", err));
  return dap_mpi_check(MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err);
}
