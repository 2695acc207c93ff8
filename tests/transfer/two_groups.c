#include "two_groups.h"

#include "mpi_test.h"

enum { MOST = 400 /* elements */ };

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

static test_side draw_side(test_random *random, const two_groups *g, int holder, int ndim,
                           const int64_t size[], int64_t itemsize, random_array *array)
{
  const int all = g->size[holder];
  const int nprocs = test_random_one_in(random, 3) ? (int)test_random_int(random, 1, all) : all;
  const bool ordered = test_random_one_in(random, 2);
  int order[BRUTE_PROCS], ranks[BRUTE_PROCS];
  random_array_draw(random, nprocs, ndim, size, array);
  random_ranks(random, all, order);
  for (int i = 0; i < nprocs; i++) ranks[i] = g->members[holder][ordered ? i : order[i]];
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  return side_make(array, origin, ranks, itemsize, (test_form)test_random_int(random, 0, FORM_COUNT - 1),
                   random);
}

void draw_groups(test_random *random, const two_groups *g, int sender, pair *c)
{
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 4096, 5000};
  const int ndim = (int)test_random_int(random, 1, 3);
  const int64_t itemsize = itemsizes[test_random_int(random, 0, 9)];
  int64_t size[DAP_MAX_NDIM];
  random_shape(random, ndim, MOST, size);
  c->from = draw_side(random, g, sender, ndim, size, itemsize, &c->arrays[0]);
  c->to = draw_side(random, g, 1 - sender, ndim, size, itemsize, &c->arrays[1]);
  c->alloc_from = alloc_side_make(MPI_COMM_WORLD, &c->from);
  c->alloc_to = alloc_side_make(MPI_COMM_WORLD, &c->to);
  c->tells = test_random_one_in(random, 2);
}

static int rank_in(const two_groups *g, int holder, int rank)
{
  int in_group = -1;
  for (int i = 0; i < g->size[holder]; i++)
    if (g->members[holder][i] == rank) in_group = i;
  return in_group;
}

const dap_side *side_in_group(const two_groups *g, int holder, const test_side *s, bool tells,
                              test_random *own, dap_side *room, int ranks[])
{
  bool ordered = true;
  *room = (dap_side){0};
  const bool is_outside = g->own != holder || (tells && s->process < 0);
  if (is_outside) return test_random_one_in(own, 2) ? room : NULL;
  *room = side_of(s);
  for (int i = 0; i < s->array->nprocs; i++) {
    ranks[i] = rank_in(g, holder, s->ranks[i]);
    ordered = ordered && ranks[i] == i;
  }
  room->ranks = ordered ? NULL : ranks;
  return room;
}
