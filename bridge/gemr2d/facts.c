/* Exchanges what processes must know before they make a plan, by one reduction. Processes outside a grid do
 * not know its matrix, and no process knows the others' places. */
#include "gemr2d_impl.h"

#include <stdlib.h>

/* The reduction takes the least of each number and of its complement. These tell the least and the greatest
 * of the processes that know the number. Behind them comes the rank at each place of both grids. */
enum { NUMBERS = 2 + 2 * DAP_GEMR2D_WORDS };
#define NOTHING INT64_MAX

static int64_t *rank_words(int64_t words[], int k, int nprocs)
{
  return words + 2 * NUMBERS + (size_t)k * (size_t)nprocs;
}

static void put(int64_t words[], int *at, bool is_known, int64_t number)
{
  words[(*at)++] = is_known ? number : NOTHING;
  words[(*at)++] = is_known ? ~number : NOTHING;
}

static void put_all(const dap_gemr2d_call *call, int nprocs, int rank, int64_t words[])
{
  int at = 0;
  for (int k = 0; k < 2; k++) put(words, &at, true, call->size[k]);
  for (int k = 0; k < 2; k++) {
    const dap_gemr2d_matrix *matrix = &call->matrices[k];
    for (int w = 0; w < DAP_GEMR2D_WORDS; w++) put(words, &at, matrix->is_here, matrix->words[w]);
    int64_t *ranks = rank_words(words, k, nprocs);
    for (int place = 0; place < nprocs; place++) ranks[place] = NOTHING;
    const int64_t place = matrix->row * matrix->words[DAP_GEMR2D_NPCOL] + matrix->column;
    if (matrix->is_here && place < nprocs) ranks[place] = rank;
  }
}

static int64_t get(const int64_t words[], int *at, bool *is_same)
{
  const int64_t least = words[(*at)++], complement = words[(*at)++];
  *is_same = least == ~complement;
  return least;
}

static void get_all(int64_t words[], dap_gemr2d_facts *facts)
{
  int at = 0;
  for (int k = 0; k < 2; k++) facts->size[k] = get(words, &at, &facts->same_size[k]);
  for (int k = 0; k < 2; k++) {
    for (int w = 0; w < DAP_GEMR2D_WORDS; w++)
      facts->matrices[k].words[w] = get(words, &at, &facts->matrices[k].same[w]);
    facts->matrices[k].is_known = facts->matrices[k].words[DAP_GEMR2D_NPROW] != NOTHING;
    const int64_t *ranks = rank_words(words, k, facts->nprocs);
    for (int place = 0; place < facts->nprocs; place++)
      facts->matrices[k].ranks[place] = ranks[place] == NOTHING ? -1 : (int)ranks[place];
  }
}

static dap_status exchange(MPI_Comm comm, const dap_gemr2d_call *call, int64_t words[],
                           dap_gemr2d_facts *facts, dap_error *err)
{
  const int count = 2 * (NUMBERS + facts->nprocs);
  const bool whole = words && facts->matrices[0].ranks && facts->matrices[1].ranks;
  DAP_TRY(dap_agree(
      comm,
      whole ? DAP_OK
            : dap_fail(err, DAP_ERR_NOMEM, "no memory to describe grids of %d processes", facts->nprocs),
      err));
  put_all(call, facts->nprocs, facts->rank, words);
  DAP_REQUIRE(MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_INT64_T, MPI_MIN, comm) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Allreduce failed");
  get_all(words, facts);
  return DAP_OK;
}

dap_status dap_gemr2d_gather(MPI_Comm comm, const dap_gemr2d_call *call, dap_gemr2d_facts *facts,
                             dap_error *err)
{
  *facts = (dap_gemr2d_facts){0};
  DAP_REQUIRE(MPI_Comm_size(comm, &facts->nprocs) == MPI_SUCCESS &&
                  MPI_Comm_rank(comm, &facts->rank) == MPI_SUCCESS,
              err, DAP_ERR_LIBRARY, "MPI_Comm_size or MPI_Comm_rank failed");
  int64_t *words = malloc(2 * (NUMBERS + (size_t)facts->nprocs) * sizeof *words);
  for (int k = 0; k < 2; k++)
    facts->matrices[k].ranks = malloc((size_t)facts->nprocs * sizeof *facts->matrices[k].ranks);
  const dap_status status = exchange(comm, call, words, facts, err);
  free(words);
  if (status) dap_gemr2d_facts_release(facts);
  return status;
}

void dap_gemr2d_facts_release(dap_gemr2d_facts *facts)
{
  for (int k = 0; k < 2; k++) free(facts->matrices[k].ranks);
  *facts = (dap_gemr2d_facts){0};
}
