/* The layouts of a move, told to the processes that have no part in them and were given none. */
#include "transfer_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- as words ----------------------------------------------------------------------------------- */

/* ranks[0 .. nprocs - 1] or nothing, then the layout. */
typedef struct letter {
  int64_t head[2]; /* words in all, ranks among them; -1: it could not be written */
  int64_t *words;
} letter;

static dap_status write_letter(const dap_side *side, letter *l, dap_error *err)
{
  int64_t *layout = NULL, count = 0;
  DAP_TRY(dap_layout_pack(side->layout, &layout, &count, err));
  const int64_t ranks = side->ranks ? side->layout->nprocs : 0;
  l->words = malloc((size_t)(ranks + count + 1) * sizeof *l->words);
  if (l->words) {
    for (int64_t i = 0; i < ranks; i++) l->words[i] = side->ranks[i];
    memcpy(l->words + ranks, layout, (size_t)count * sizeof *layout);
  }
  free(layout);
  DAP_REQUIRE(l->words, err, DAP_ERR_NOMEM, "no memory to tell a layout of %d processes",
              side->layout->nprocs);
  DAP_REQUIRE(ranks + count <= INT_MAX, err, DAP_ERR_RANGE,
              "a layout of %d processes is too large to be told", side->layout->nprocs);
  l->head[0] = ranks + count;
  l->head[1] = ranks;
  return DAP_OK;
}

static dap_status new_ranks(int64_t count, int **ranks, dap_error *err)
{
  *ranks = malloc((size_t)(count + 1) * sizeof **ranks);
  DAP_REQUIRE(*ranks, err, DAP_ERR_NOMEM, "no memory for the ranks of %d processes", (int)count);
  return DAP_OK;
}

dap_status dap_ends_ranks(const dap_side *side, int **ranks, dap_error *err)
{
  *ranks = NULL;
  if (!side->ranks) return DAP_OK;
  DAP_TRY(new_ranks(side->layout->nprocs, ranks, err));
  for (int i = 0; i < side->layout->nprocs; i++) (*ranks)[i] = side->ranks[i];
  return DAP_OK;
}

static dap_status read_letter(const letter *l, dap_layout **layout, int **ranks, dap_error *err)
{
  if (l->head[1] > 0) DAP_TRY(new_ranks(l->head[1], ranks, err));
  for (int64_t i = 0; i < l->head[1]; i++) (*ranks)[i] = (int)l->words[i];
  return dap_layout_unpack(l->words + l->head[1], l->head[0] - l->head[1], layout, err);
}

/* ---- told --------------------------------------------------------------------------------------- */

static dap_status take_own(const dap_side *side, dap_layout **layout, int **ranks, dap_error *err)
{
  *layout = dap_layout_retain(side->layout);
  return dap_ends_ranks(side, ranks, err);
}

/* From rank `teller` to all; who has the layout already goes without. */
static dap_status tell(MPI_Comm comm, int teller, const dap_side *side, dap_layout **layout, int **ranks,
                       dap_error *err)
{
  int rank = 0;
  letter l = {.head = {-1, 0}};
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  dap_status s = rank == teller ? write_letter(side, &l, err) : DAP_OK;
  if (!s)
    s = dap_mpi_check(MPI_Bcast(l.head, 2, MPI_INT64_T, teller, comm), "MPI_Bcast", err);
  else
    (void)MPI_Bcast(l.head, 2, MPI_INT64_T, teller, comm);
  if (!s && rank != teller && l.head[0] > 0) {
    l.words = malloc((size_t)l.head[0] * sizeof *l.words);
    if (!l.words) s = dap_fail(err, DAP_ERR_NOMEM, "no memory to be told a layout");
  }
  s = dap_agree(comm, s, err);
  if (!s) s = dap_mpi_check(MPI_Bcast(l.words, (int)l.head[0], MPI_INT64_T, teller, comm), "MPI_Bcast", err);
  if (!s && !side->layout) s = read_letter(&l, layout, ranks, err);
  free(l.words);
  return dap_agree(comm, s, err);
}

dap_status dap_ends_share(MPI_Comm comm, const dap_side *from, const dap_side *to, dap_ends *ends,
                          dap_error *err)
{
  int rank = 0;
  dap_status s = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  if (!s && !(from && to)) s = dap_fail(err, DAP_ERR_ARG, "%s must not be NULL", from ? "to" : "from");
  DAP_TRY(dap_agree(comm, s, err));
  /* the lowest ranks that know, and whether all do */
  const bool knows[] = {from->layout != NULL, to->layout != NULL};
  const int mine[] = {knows[0] ? rank : INT_MAX, knows[1] ? rank : INT_MAX, knows[0], knows[1]};
  int least[4] = {0};
  DAP_TRY(dap_mpi_check(MPI_Allreduce(mine, least, 4, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  if (least[0] == INT_MAX || least[1] == INT_MAX)
    s = dap_fail(err, DAP_ERR_ARG, "%s: the layout is NULL on every process",
                 least[0] == INT_MAX ? "from" : "to");
  if (knows[0] && !s) s = take_own(from, &ends->from, &ends->from_ranks, err);
  if (knows[1] && !s) s = take_own(to, &ends->to, &ends->to_ranks, err);
  DAP_TRY(dap_agree(comm, s, err));
  if (!least[2]) DAP_TRY(tell(comm, least[0], from, &ends->from, &ends->from_ranks, err));
  if (!least[3]) DAP_TRY(tell(comm, least[1], to, &ends->to, &ends->to_ranks, err));
  return DAP_OK;
}
