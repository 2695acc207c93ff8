#include "two_groups.h"

#include "mpi_test.h"

/* ---- groups ------------------------------------------------------------------------------------------ */

static int group_of(int rank, int first, group_order order)
{
  const int nprocs = test_nprocs(), shorter = first < nprocs - first ? first : nprocs - first;
  if (order == LOW_FIRST) return rank >= first;
  if (order == HIGH_FIRST) return rank < nprocs - first;
  if (rank < 2 * shorter) return rank % 2;
  return first == shorter;
}

two_groups two_groups_make(int first, group_order order)
{
  two_groups g = {.own = group_of(test_rank(), first, order), .group = MPI_COMM_NULL, .inter = MPI_COMM_NULL};
  const bool reversed = order == INTERLEAVED && g.own == 1;
  int mine[2] = {g.own, 0}, all[BRUTE_PROCS][2];
  MPI_Comm_split(MPI_COMM_WORLD, g.own, reversed ? -test_rank() : test_rank(), &g.group);
  MPI_Comm_rank(g.group, &mine[1]);
  MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < test_nprocs(); r++) {
    g.members[all[r][0]][all[r][1]] = r;
    g.size[all[r][0]]++;
  }
  MPI_Intercomm_create(g.group, 0, MPI_COMM_WORLD, g.members[1 - g.own][0], 3, &g.inter);
  return g;
}

void two_groups_free(two_groups *g)
{
  if (g->inter != MPI_COMM_NULL) MPI_Comm_free(&g->inter);
  MPI_Comm_free(&g->group);
}

/* ---- sides ------------------------------------------------------------------------------------------- */

int two_groups_rank(const two_groups *g, int holder, int rank)
{
  int in_group = -1;
  for (int i = 0; i < g->size[holder]; i++)
    if (g->members[holder][i] == rank) in_group = i;
  return in_group;
}

const dap_side *side_in_group(const two_groups *g, int holder, const test_side *s, test_random *own,
                              dap_side *given, int ranks[])
{
  bool ordered = true;
  const bool gives_null = test_random_one_in(own, 2);
  if (g->own != holder) *given = (dap_side){0};
  if (g->own != holder && gives_null) return NULL;
  for (int i = 0; given->layout && i < s->array->nprocs; i++) {
    ranks[i] = two_groups_rank(g, holder, s->ranks[i]);
    ordered = ordered && ranks[i] == i;
  }
  given->ranks = given->layout && !ordered ? ranks : NULL;
  return given;
}
