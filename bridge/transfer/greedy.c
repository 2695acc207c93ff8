/* Matches many destination processes to ranks, well but not always best. Each process has a few
 * candidates, the ranks with most of its elements, and the largest communication volumes are matched
 * first. Time and memory are about proportional to the number of processes. */
#include "relabel_impl.h"

#include <stdlib.h>

enum { WIDTH = 16, EDGES = WIDTH + 1 /* a process's candidates and its own rank */ };

/* A process of the destination and a rank that it could be. */
typedef struct edge {
  int64_t volume;
  int p, q;
} edge;

/* Inserts an entry into the best ones, which are sorted from the largest on. It follows its equals. */
static void enter(dap_common_entry one, dap_common_entry best[])
{
  int i = WIDTH;
  for (; i > 0 && best[i - 1].count < one.count; i--)
    if (i < WIDTH) best[i] = best[i - 1];
  if (i < WIDTH) best[i] = one;
}

/* Finds the source coordinates with most elements in common with q. Among equals it prefers those that
 * follow q, so that different q have different ones. */
static void find_best(const dap_common_matrix *matrix, int q, dap_common_entry best[])
{
  if (!matrix->first) { /* there are too many coordinates, with about as many elements each */
    if (q < matrix->from->axis.procs) best[0] = (dap_common_entry){q, dap_common_matrix_at(matrix, q, q)};
    return;
  }
  for (int before_q = 0; before_q < 2; before_q++)
    for (int64_t i = matrix->first[q]; i < matrix->first[q + 1]; i++)
      if ((matrix->entries[i].coord < q) == before_q) enter(matrix->entries[i], best);
}

/* Lists the candidates of q: the largest products of the numbers of elements in common along the axes. */
static int list_edges(const dap_volumes *volumes, int q, edge edges[])
{
  const dap_layout *from = volumes->from;
  dap_common_entry found[WIDTH] = {{.coord = 0, .count = 1}};
  int coords[DAP_MAX_NDIM], count = 0;
  dap_layout_coords(volumes->to, q, coords);
  for (int k = 0; k < from->ndim; k++) {
    dap_common_entry axis[WIDTH] = {0}, products[WIDTH] = {0};
    find_best(&volumes->axes[k], coords[k], axis);
    for (int i = 0; i < WIDTH && found[i].count > 0; i++)
      for (int j = 0; j < WIDTH && axis[j].count > 0; j++)
        enter((dap_common_entry){found[i].coord * from->maps[k].axis.procs + axis[j].coord,
                                 found[i].count * axis[j].count},
              products);
    for (int i = 0; i < WIDTH; i++) found[i] = products[i];
  }
  for (; count < WIDTH && found[count].count > 0; count++) {
    const int p = from->ranks ? from->ranks[found[count].coord] : found[count].coord;
    edges[count] = (edge){found[count].count, p, q};
  }
  edges[count++] = (edge){dap_volume(volumes, q, q), q, q};
  return count;
}

/* Orders the largest volumes first, and equal ones by how closely the rank follows q. */
static int by_volume(const void *left, const void *right)
{
  const edge *a = left, *b = right;
  const unsigned x = (unsigned)a->p - (unsigned)a->q, y = (unsigned)b->p - (unsigned)b->q;
  if (a->volume != b->volume) return a->volume > b->volume ? -1 : 1;
  return x != y ? (x > y) - (x < y) : (a->q > b->q) - (a->q < b->q);
}

dap_status dap_match_greedily(const dap_volumes *volumes, int ranks[], dap_error *err)
{
  const int nprocs = volumes->to->nprocs;
  edge *edges = malloc((size_t)nprocs * EDGES * sizeof *edges);
  bool *taken = calloc((size_t)volumes->ranks, sizeof *taken);
  size_t count = 0;
  for (int q = 0; q < nprocs; q++) {
    ranks[q] = -1;
    if (edges) count += (size_t)list_edges(volumes, q, edges + count);
  }
  if (edges) qsort(edges, count, sizeof *edges, by_volume);
  for (size_t i = 0; i < count && taken; i++) {
    const edge *e = &edges[i];
    if (ranks[e->q] >= 0 || taken[e->p]) continue;
    ranks[e->q] = e->p;
    taken[e->p] = true;
  }
  for (int q = 0, p = 0; q < nprocs && taken; q++) { /* processes whose own rank is taken */
    if (ranks[q] >= 0) continue;
    while (taken[p]) p++;
    ranks[q] = p++;
  }
  const bool allocated = edges && taken;
  free(edges);
  free(taken);
  DAP_REQUIRE(allocated, err, DAP_ERR_NOMEM, "no memory to match %d processes", nprocs);
  return DAP_OK;
}
