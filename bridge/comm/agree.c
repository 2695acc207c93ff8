/* Makes the processes of a communicator agree on one status and one text. */
#include "comm_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Returns whether an inner agreement made the error. Its text begins with a rank then. */
static bool is_agreed(const dap_error *err)
{
  char prefix[32];
  if (err->rank < 0) return false;
  const int length = snprintf(prefix, sizeof prefix, "rank %d: ", err->rank);
  return strncmp(err->text, prefix, (size_t)length) == 0;
}

void dap_agree_name_rank(int rank, dap_error *err)
{
  if (err && err->text[0] && !is_agreed(err)) dap_error_name_rank(rank, err);
}

/* ---- one reduction ----------------------------------------------------------------------------------- */

/* Every agreement of the library reduces these words, each to its minimum. Their number is always the same,
 * so that processes in different functions can find that out. The minima of a number and of its complement
 * are a lower and an upper bound, which are equal if all processes have the same number. */
enum {
  FAILED,
  FUNCTION,
  NOT_FUNCTION,
  HAS,
  EQUAL,
  NOT_EQUAL,
  LEAST,
  BITS = LEAST + DAP_AGREE_LEAST,
  NOT_BITS = BITS + DAP_AGREE_BITS,
  WORDS = NOT_BITS + DAP_AGREE_BITS
};

/* The error of the first process that failed, as it sends it to the others. */
typedef struct verdict {
  int status;
  dap_error error;
} verdict;

static dap_status share_verdict(MPI_Comm comm, int first, dap_status status, dap_error *err)
{
  int rank = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  verdict sent = {.status = (int)status};
  if (rank == first && err) sent.error = *err;
  if (!sent.error.text[0]) (void)dap_fail(&sent.error, status, "%s", dap_status_name(status));
  dap_agree_name_rank(first, &sent.error);
  DAP_TRY(dap_bcast(comm, &sent, (int)sizeof sent, MPI_BYTE, first, err));
  if (err) *err = sent.error;
  return (dap_status)sent.status;
}

/* A function as a process names it to the others. Names are compared by their hashes, as `text` may be
 * cut. */
typedef struct function_name {
  uint64_t hash; /* 0: a later step of a function */
  char text[192];
} function_name;

static uint64_t hash_function(const char *function)
{
  return function ? dap_hash(0, function, strlen(function)) : 0;
}

/* Names a process that is in another function than rank 0. Collective, once it is known that one is. */
static dap_status name_functions(MPI_Comm comm, const char *function, dap_error *err)
{
  function_name mine = {.hash = hash_function(function)}, first;
  (void)snprintf(mine.text, sizeof mine.text, "%s", function ? function : "a later step of another function");
  first = mine;
  dap_status s = dap_bcast(comm, &first, (int)sizeof first, MPI_BYTE, 0, err);
  if (!s && mine.hash != first.hash)
    s = dap_fail(err, DAP_ERR_ARG, "this process is in %s, rank 0 in %s", mine.text, first.text);
  return dap_agree(comm, s, err);
}

/* Names a process that differs from rank 0, and the word. Collective, once it is known that one does. */
static dap_status name_difference(MPI_Comm comm, const dap_agreement *a, dap_error *err)
{
  uint64_t first[DAP_AGREE_MOST] = {0};
  for (int i = 0; i < a->count; i++) first[i] = a->words[i];
  dap_status s = dap_bcast(comm, first, DAP_AGREE_MOST, MPI_UINT64_T, 0, err);
  for (int i = 0; i < a->count && !s; i++)
    if (a->words[i] != first[i]) s = dap_fail(err, DAP_ERR_ARG, "%s: not the same as on rank 0", a->names[i]);
  return dap_agree(comm, s, err);
}

static void fill(const dap_agreement *a, int rank, int64_t words[])
{
  const uint64_t function = hash_function(a->function);
  const uint64_t equal = a->count > 0 ? dap_hash(0, a->words, (size_t)a->count * sizeof *a->words) : 0;
  words[FAILED] = a->status ? rank : INT_MAX;
  words[FUNCTION] = (int64_t)function;
  words[NOT_FUNCTION] = (int64_t)~function;
  words[HAS] = a->count > 0;
  words[EQUAL] = (int64_t)equal;
  words[NOT_EQUAL] = (int64_t)~equal;
  memcpy(&words[LEAST], a->least, sizeof a->least);
  for (int i = 0; i < DAP_AGREE_BITS; i++) {
    words[BITS + i] = (int64_t)a->bits[i];
    words[NOT_BITS + i] = (int64_t)~a->bits[i];
  }
}

/* Finds the bits that all processes set. It takes a reduction unless all have the same bits. */
static dap_status share_bits(MPI_Comm comm, dap_context *context, const int64_t words[], dap_agreement *a,
                             dap_error *err)
{
  bool same = true;
  int64_t common[DAP_AGREE_BITS];
  for (int i = 0; i < DAP_AGREE_BITS; i++) same = same && words[BITS + i] == ~words[NOT_BITS + i];
  if (same) return DAP_OK;
  memcpy(common, a->bits, sizeof common);
  DAP_TRY(dap_reduce(comm, context, NULL, DAP_REDUCE_AND, common, DAP_AGREE_BITS, err));
  memcpy(a->bits, common, sizeof common);
  return DAP_OK;
}

/* Agrees on `comm`. `context` is that of `comm`, or NULL, and `rank` is this process's. */
static dap_status agree(MPI_Comm comm, dap_context *context, int rank, dap_agreement *a, dap_error *err)
{
  int64_t words[WORDS];
  fill(a, rank, words);
  DAP_TRY(dap_reduce(comm, context, a->function, DAP_REDUCE_MIN, words, WORDS, err));
  memcpy(a->least, &words[LEAST], sizeof a->least);
  if (words[FUNCTION] != ~words[NOT_FUNCTION]) return name_functions(comm, a->function, err);
  if (words[FAILED] != INT_MAX) return share_verdict(comm, (int)words[FAILED], a->status, err);
  if (words[HAS] && words[EQUAL] != ~words[NOT_EQUAL]) return name_difference(comm, a, err);
  return share_bits(comm, context, words, a, err);
}

dap_status dap_context_agree(dap_context *context, dap_agreement *a, dap_error *err)
{
  DAP_REQUIRE(context->comm != MPI_COMM_NULL, err, DAP_ERR_LIBRARY, "the context has ended, as MPI has");
  return agree(context->comm, context, context->rank, a, err);
}

dap_status dap_agree_all(MPI_Comm comm, dap_agreement *a, dap_error *err)
{
  dap_context *context = NULL;
  int rank = 0;
  DAP_TRY(dap_comm_check(comm, err));
  if (!a->without_context) context = dap_context_find(comm);
  if (context) return dap_context_agree(context, a, err);
  dap_launch_check(); /* a program's first agreement comes here */
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  return agree(comm, NULL, rank, a, err);
}

dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err)
{
  return dap_agree_all(comm, &(dap_agreement){.status = status}, err);
}

dap_status dap_agree_words(MPI_Comm comm, const uint64_t words[], const char *const names[], int count,
                           dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  DAP_REQUIRE(count >= 0 && count <= DAP_AGREE_MOST, err, DAP_ERR_ARG, "count %d is outside 0 .. %d", count,
              DAP_AGREE_MOST);
  return dap_agree_all(comm, &(dap_agreement){.words = words, .names = names, .count = count}, err);
}
