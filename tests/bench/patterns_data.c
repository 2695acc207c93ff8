#include "fail.h"
#include "patterns.h"

#include <dapbridge/shared.h>
#include <stdlib.h>
#include <string.h>

enum { SPOILT = 0xa5 /* every byte of a value that no element has */ };

/* ---- places ------------------------------------------------------------------------------------------- */

/* Returns a number below `end`, the same on every machine (Knuth's MMIX generator). */
static int64_t random_below(uint64_t *state, int64_t end)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((*state >> 33) % (uint64_t)end);
}

/* Returns the indices along axis 0 that process `rank` sends, or receives. All its arrays have the same. */
static int64_t *make_places(const pattern_group *g, int rank, bool sent)
{
  const bool scattered = sent ? g->scattered_from : g->scattered_to;
  const int64_t start = sent ? g->from[0] : g->to[0], end = scattered ? g->among : g->count[0];
  uint64_t state = (uint64_t)(2 * rank + sent);
  int64_t *places = bench_alloc(end * (int64_t)sizeof *places);
  for (int64_t i = 0; i < end; i++) places[i] = scattered ? i : start + i;
  for (int64_t i = 0; scattered && i < g->count[0]; i++) {
    const int64_t other = i + random_below(&state, end - i), place = places[i];
    places[i] = places[other];
    places[other] = place;
  }
  return places;
}

static bool is_scattered(const pattern_group *g)
{
  return g->scattered_from || g->scattered_to;
}

/* ---- layouts ------------------------------------------------------------------------------------------ */

/* Makes the layout for a box: the first axis is the processes, each with its array. */
static dap_layout *make_boxes(const pattern_group *g, int nprocs)
{
  dap_dist dists[PATTERN_NDIM + 1] = {dap_dist_even(nprocs, nprocs)};
  dap_layout *layout;
  dap_error err;
  for (int k = 0; k < g->ndim; k++) dists[k + 1] = dap_dist_local(g->shape[k]);
  bench_require(dap_layout_create(g->ndim + 1, dists, &layout, &err), &err);
  return layout;
}

/* Returns global indices. Sent elements come first: element i of process p is index p * count + i. The
 * others follow in any order. */
static int64_t *make_indices(const pattern_group *g, int process, int rank, bool sent, int nprocs)
{
  const int64_t extent = g->shape[0], count = g->count[0];
  int64_t *places = make_places(g, rank, sent), *indices = bench_alloc(extent * (int64_t)sizeof *indices);
  int64_t next = nprocs * count + process * (extent - count);
  for (int64_t i = 0; i < extent; i++) indices[i] = -1;
  for (int64_t i = 0; i < count; i++) indices[places[i]] = process * count + i;
  for (int64_t i = 0; i < extent; i++)
    if (indices[i] < 0) indices[i] = next++;
  free(places);
  return indices;
}

static dap_layout *make_lists(const pattern_group *g, int nprocs, const int next[], bool sent)
{
  int64_t *lengths = bench_alloc(nprocs * (int64_t)sizeof *lengths);
  int64_t **lists = bench_alloc(nprocs * (int64_t)sizeof *lists);
  dap_layout *layout;
  dap_error err;
  for (int p = 0; p < nprocs; p++) {
    lengths[p] = g->shape[0];
    lists[p] = make_indices(g, p, sent ? p : next[p], sent, nprocs);
  }
  dap_dist dists[PATTERN_NDIM] = {
      dap_dist_unstructured(nprocs * g->shape[0], nprocs, lengths, (const int64_t *const *)lists)};
  dists[0].one_to_one = true;
  for (int k = 1; k < g->ndim; k++) dists[k] = dap_dist_local(g->shape[k]);
  bench_require(dap_layout_create(g->ndim, dists, &layout, &err), &err);
  for (int p = 0; p < nprocs; p++) free(lists[p]);
  free(lists), free(lengths);
  return layout;
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

/* Encodes the element of a position in an array of a process. All differ from each other and from spoilt
 * ones. */
static void encode(const pattern_data *d, int rank, int array, int64_t position, char *element)
{
  const uint64_t value =
      ((uint64_t)position * PATTERN_ARRAYS + (uint64_t)array) * (uint64_t)d->nprocs + (uint64_t)rank;
  const uint32_t low = (uint32_t)value;
  if (d->pattern->itemsize == (int)sizeof low)
    memcpy(element, &low, sizeof low);
  else
    memcpy(element, &value, sizeof value);
}

static void make_group(pattern_data *d, int i)
{
  const pattern *p = d->pattern;
  const pattern_group *g = &p->groups[i];
  const int64_t bytes = pattern_bytes(p, g);
  const bool lists = is_scattered(g);
  dap_error err;
  d->from_layouts[i] = lists ? make_lists(g, d->nprocs, d->next, true) : make_boxes(g, d->nprocs);
  d->to_layouts[i] = lists ? make_lists(g, d->nprocs, d->next, false) : make_boxes(g, d->nprocs);
  d->from_places[i] = lists ? make_places(g, d->rank, true) : NULL;
  d->to_places[i] = lists ? make_places(g, d->rank, false) : NULL;
  for (int a = 0; a < g->arrays; a++) {
    d->from[i][a] = bench_alloc(bytes);
    d->to[i][a] = bench_alloc(bytes);
    for (int64_t j = 0; j < bytes / p->itemsize; j++)
      encode(d, d->rank, a, j, d->from[i][a] + j * p->itemsize);
    bench_require(dap_array_alloc_contiguous(d->comm, d->from_layouts[i], p->itemsize == 4 ? DAP_F4 : DAP_F8,
                                             DAP_ORDER_C, &d->shared[i][a], NULL, &err),
                  &err);
  }
}

void pattern_data_make(MPI_Comm comm, const pattern *p, pattern_data *d)
{
  *d = (pattern_data){.comm = comm, .pattern = p};
  MPI_Comm_rank(comm, &d->rank);
  MPI_Comm_size(comm, &d->nprocs);
  d->next = bench_alloc(d->nprocs * (int64_t)sizeof *d->next);
  for (int i = 0; i < d->nprocs; i++) d->next[i] = (i + 1) % d->nprocs;
  while (d->groups < PATTERN_GROUPS && p->groups[d->groups].arrays > 0) make_group(d, d->groups++);
}

void pattern_data_free(pattern_data *d)
{
  for (int i = 0; i < d->groups; i++) {
    for (int a = 0; a < d->pattern->groups[i].arrays; a++) {
      free(d->from[i][a]);
      free(d->to[i][a]);
      dap_array_release(&d->shared[i][a]);
    }
    dap_layout_destroy(&d->from_layouts[i]);
    dap_layout_destroy(&d->to_layouts[i]);
    free(d->from_places[i]);
    free(d->to_places[i]);
  }
  free(d->next);
}

/* ---- checks ------------------------------------------------------------------------------------------- */

char *pattern_destination(const pattern_data *d, int group, int array, bool shared)
{
  return shared ? d->shared[group][array].data : d->to[group][array];
}

void pattern_spoil(const pattern_data *d, bool shared)
{
  for (int i = 0; i < d->groups; i++)
    for (int a = 0; a < d->pattern->groups[i].arrays; a++)
      memset(pattern_destination(d, i, a, shared), SPOILT,
             (size_t)pattern_bytes(d->pattern, &d->pattern->groups[i]));
}

/* Returns the sender's index for each index along an axis of the receiver; -1: nothing is received there. */
static int64_t *make_origins(const pattern_data *d, const pattern_group *g, int axis, int sender)
{
  int64_t *origins = bench_alloc(g->shape[axis] * (int64_t)sizeof *origins);
  for (int64_t i = 0; i < g->shape[axis]; i++) origins[i] = -1;
  if (axis > 0 || !is_scattered(g)) {
    for (int64_t i = 0; i < g->count[axis]; i++) origins[g->to[axis] + i] = g->from[axis] + i;
    return origins;
  }
  int64_t *sent = make_places(g, sender, true), *received = make_places(g, d->rank, false);
  for (int64_t i = 0; i < g->count[0]; i++) origins[received[i]] = sent[i];
  free(sent), free(received);
  return origins;
}

static int64_t count_wrong(const pattern_data *d, int group, int array, const char *data)
{
  const pattern_group *g = &d->pattern->groups[group];
  const int sender = (d->rank + d->nprocs - 1) % d->nprocs, size = d->pattern->itemsize;
  const int64_t elements = pattern_bytes(d->pattern, g) / size;
  int64_t *origins[PATTERN_NDIM], wrong = 0;
  for (int k = 0; k < g->ndim; k++) origins[k] = make_origins(d, g, k, sender);
  for (int64_t i = 0; i < elements; i++) {
    char expected[8];
    int64_t rest = i, position = 0, weight = 1;
    for (int k = g->ndim - 1; k >= 0; k--, rest /= g->shape[k + 1], weight *= g->shape[k + 1]) {
      const int64_t origin = origins[k][rest % g->shape[k]];
      position = origin < 0 || position < 0 ? -1 : position + weight * origin;
    }
    memset(expected, SPOILT, sizeof expected);
    if (position >= 0) encode(d, sender, array, position, expected);
    wrong += memcmp(data + i * size, expected, (size_t)size) != 0;
  }
  for (int k = 0; k < g->ndim; k++) free(origins[k]);
  return wrong;
}

int64_t pattern_count_wrong(const pattern_data *d, bool shared)
{
  int64_t wrong = 0;
  for (int i = 0; i < d->groups; i++)
    for (int a = 0; a < d->pattern->groups[i].arrays; a++)
      wrong += count_wrong(d, i, a, pattern_destination(d, i, a, shared));
  return wrong;
}
