/* Partners for many processes. Each process of the destination has a few candidates, those ranks that have most of
 * what it wants, found axis by axis. The largest volumes of all are paired first; then pairs swap while that keeps
 * more. Time and memory grow with the number of processes, not with its square. */
#include "relabel_impl.h"

#include <stdlib.h>

enum {
  MOST_EDGES = 1 << 21,            /* in all, as far as LEAST allows */
  LEAST = 8,                       /* candidates of a process */
  PRODUCTS = 6 * DAP_MUTUALS_BEST, /* more than the sum of 64 / i, i <= 64 */
  PASSES = 16                      /* of swaps */
};

/* A process of the destination and a rank it could be. */
typedef struct edge {
  int64_t volume;
  int p, q;
} edge;

typedef struct pairing {
  const dap_volumes *volumes;
  int width;                      /* candidates of a process */
  dap_mutual *best[DAP_MAX_NDIM]; /* [ndim][procs of to][width] */
  int *best_count[DAP_MAX_NDIM];  /* [ndim][procs of to] */
  edge *edges;                    /* [count] */
  int64_t count;
  int *holder;   /* [ranks] process of `to` that is this rank; -1: none */
  int *ranks;    /* [nprocs of to] */
  int64_t *kept; /* [nprocs of to] its volume with its rank */
} pairing;

/* ---- candidates ----------------------------------------------------------------------------------- */

static dap_status find_best(pairing *a, int axis, dap_error *err)
{
  const dap_mutuals *mutuals = &a->volumes->axes[axis];
  const size_t procs = (size_t)mutuals->to->axis.procs, width = (size_t)a->width;
  a->best[axis] = malloc(procs * width * sizeof *a->best[axis]);
  a->best_count[axis] = malloc(procs * sizeof *a->best_count[axis]);
  DAP_REQUIRE(a->best[axis] && a->best_count[axis], err, DAP_ERR_NOMEM,
              "dim %d: no memory for the partners of %zu processes", axis, procs);
  for (size_t q = 0; q < procs; q++)
    a->best_count[axis][q] = dap_mutuals_best(mutuals, (int)q, a->width, a->best[axis] + q * width);
  return DAP_OK;
}

static int by_count(const void *left, const void *right)
{
  const dap_mutual *a = left, *b = right;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  return (a->coord > b->coord) - (a->coord < b->coord);
}

/* The best products of what is so far (its coordinates are places in the grid) with what one more axis has. Of
 * two descending lists, product (i, j) can only be among the first n if (i + 1) * (j + 1) <= n. */
static int combine(int width, int count, dap_mutual so_far[], const dap_mutual axis[], int axis_count,
                   int procs)
{
  dap_mutual all[PRODUCTS];
  int found = 0;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < axis_count && (i + 1) * (j + 1) <= width; j++)
      all[found++] = (dap_mutual){so_far[i].coord * procs + axis[j].coord, so_far[i].count * axis[j].count};
  if (axis_count > 1) qsort(all, (size_t)found, sizeof *all, by_count);
  if (found > width) found = width;
  for (int i = 0; i < found; i++) so_far[i] = all[i];
  return found;
}

static void add_edge(pairing *a, int p, int q, int64_t volume)
{
  if (volume > 0) a->edges[a->count++] = (edge){volume, p, q};
}

/* Rank q itself is always among the candidates of process q. */
static void add_candidates(pairing *a, int q)
{
  const dap_layout *from = a->volumes->from, *to = a->volumes->to;
  dap_mutual found[DAP_MUTUALS_BEST] = {{.coord = 0, .count = 1}};
  int coords[DAP_MAX_NDIM], count = 1;
  dap_layout_coords(to, q, coords);
  for (int k = 0; k < to->ndim; k++)
    count = combine(a->width, count, found, a->best[k] + (int64_t)coords[k] * a->width,
                    a->best_count[k][coords[k]], from->maps[k].axis.procs);
  bool has_own = false;
  for (int i = 0; i < count; i++) {
    const int p = from->ranks ? from->ranks[found[i].coord] : found[i].coord;
    has_own = has_own || p == q;
    add_edge(a, p, q, found[i].count);
  }
  if (!has_own) add_edge(a, q, q, dap_volume(a->volumes, q, q));
}

/* ---- paired --------------------------------------------------------------------------------------- */

static int by_volume(const void *left, const void *right)
{
  const edge *a = left, *b = right;
  if (a->volume != b->volume) return a->volume > b->volume ? -1 : 1;
  if ((a->p == a->q) != (b->p == b->q)) return a->p == a->q ? -1 : 1;
  if (a->q != b->q) return a->q < b->q ? -1 : 1;
  return (a->p > b->p) - (a->p < b->p);
}

static void set_pair(pairing *a, int p, int q, int64_t volume)
{
  a->holder[p] = q;
  a->ranks[q] = p;
  a->kept[q] = volume;
}

static void set_none(pairing *a)
{
  for (int p = 0; p < a->volumes->ranks; p++) a->holder[p] = -1;
  for (int q = 0; q < a->volumes->to->nprocs; q++) a->ranks[q] = -1;
}

static int64_t sum_kept(const pairing *a)
{
  int64_t kept = 0;
  for (int q = 0; q < a->volumes->to->nprocs; q++) kept += a->kept[q];
  return kept;
}

static int64_t pair_own(pairing *a)
{
  set_none(a);
  for (int q = 0; q < a->volumes->to->nprocs; q++) set_pair(a, q, q, dap_volume(a->volumes, q, q));
  return sum_kept(a);
}

/* Who is left takes its own rank if it can, or else the lowest that is free. */
static int64_t pair_largest(pairing *a)
{
  const int count = a->volumes->to->nprocs;
  int next = 0;
  set_none(a);
  for (int64_t i = 0; i < a->count; i++) {
    const edge *e = &a->edges[i];
    if (a->holder[e->p] < 0 && a->ranks[e->q] < 0) set_pair(a, e->p, e->q, e->volume);
  }
  for (int q = 0; q < count; q++)
    if (a->ranks[q] < 0 && a->holder[q] < 0) set_pair(a, q, q, dap_volume(a->volumes, q, q));
  for (int q = 0; q < count; q++) {
    if (a->ranks[q] >= 0) continue;
    while (a->holder[next] >= 0) next++;
    set_pair(a, next, q, dap_volume(a->volumes, next, q));
  }
  return sum_kept(a);
}

/* Gives e->q the rank e->p, and who was that the rank of e->q, if both together then keep more. */
static bool swap(pairing *a, const edge *e)
{
  const int old = a->ranks[e->q], other = a->holder[e->p];
  if (old == e->p) return false;
  const int64_t lost = a->kept[e->q] + (other >= 0 ? a->kept[other] : 0);
  const int64_t theirs = other >= 0 ? dap_volume(a->volumes, old, other) : 0;
  if (e->volume + theirs <= lost) return false;
  a->holder[old] = -1;
  if (other >= 0) set_pair(a, old, other, theirs);
  set_pair(a, e->p, e->q, e->volume);
  return true;
}

static void improve(pairing *a)
{
  bool better = true;
  for (int pass = 0; pass < PASSES && better; pass++) {
    better = false;
    for (int64_t i = 0; i < a->count; i++) better = swap(a, &a->edges[i]) || better;
  }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static dap_status allocate(pairing *a, dap_error *err)
{
  const size_t count = (size_t)a->volumes->to->nprocs;
  a->holder = malloc((size_t)a->volumes->ranks * sizeof *a->holder);
  a->kept = malloc(count * sizeof *a->kept);
  a->edges = malloc(count * ((size_t)a->width + 1) * sizeof *a->edges);
  DAP_REQUIRE(a->holder && a->kept && a->edges, err, DAP_ERR_NOMEM,
              "no memory to find partners for %zu processes", count);
  for (int k = 0; k < a->volumes->to->ndim; k++) DAP_TRY(find_best(a, k, err));
  return DAP_OK;
}

static void find_partners(pairing *a)
{
  for (int q = 0; q < a->volumes->to->nprocs; q++) add_candidates(a, q);
  qsort(a->edges, (size_t)a->count, sizeof *a->edges, by_volume);
  const int64_t own = pair_own(a);
  if (pair_largest(a) < own) (void)pair_own(a);
  improve(a);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written through the context */
dap_status dap_pair_up(const dap_volumes *volumes, int ranks[], dap_error *err)
{
  const int width = MOST_EDGES / volumes->to->nprocs;
  pairing a = {.volumes = volumes,
               .ranks = ranks,
               .width = width < LEAST              ? LEAST
                        : width > DAP_MUTUALS_BEST ? DAP_MUTUALS_BEST
                                                   : width};
  const dap_status s = allocate(&a, err);
  if (!s) find_partners(&a);
  for (int k = 0; k < volumes->to->ndim; k++) {
    free(a.best[k]);
    free(a.best_count[k]);
  }
  free(a.edges);
  free(a.holder);
  free(a.kept);
  return s;
}
