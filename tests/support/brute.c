#include "brute.h"

#include "buffers.h"
#include "mpi_test.h"

#include <string.h>

/* ---- one axis ----------------------------------------------------------------------------------- */

/* Finds how many elements each process gets, per round for blocks, and in total for ranges. Returns false if
 * the distribution is illegal. */
static bool find_quotas(const dap_dist *dist, int64_t quota[])
{
  const bool cyclic = dist->kind == DAP_DIST_CYCLIC;
  int64_t dealt = 0, pile = 0;
  if (cyclic && (dist->block_size < 1 || dist->first_owner < 0 || dist->first_owner >= dist->procs))
    return false;
  if (dist->kind == DAP_DIST_EVEN)
    for (int64_t i = 0; i < dist->size; i++) quota[i % dist->procs]++;
  while (pile * dist->procs < dist->size) pile++;
  for (int p = 0; p < dist->procs && dist->kind != DAP_DIST_EVEN; p++) {
    if (dist->kind == DAP_DIST_LENGTHS && (!dist->lengths || dist->lengths[p] < 0)) return false;
    quota[p] = cyclic ? dist->block_size : dist->kind == DAP_DIST_CEIL ? pile : dist->lengths[p];
    dealt += quota[p];
  }
  return dist->kind != DAP_DIST_LENGTHS || dealt == dist->size;
}

/* Deals ranges or blocks. owner[size] receives the coordinate that owns each element. */
static bool deal(const dap_dist *dist, int owner[])
{
  int64_t quota[BRUTE_PROCS] = {0};
  if (!find_quotas(dist, quota)) return false;
  int p = dist->kind == DAP_DIST_CYCLIC ? dist->first_owner : 0;
  int64_t left = quota[p];
  for (int64_t i = 0; i < dist->size; i++, left--) {
    for (; left == 0; left = quota[p]) p = (p + 1) % dist->procs;
    owner[i] = p;
  }
  return true;
}

/* Adds halos. Returns false if halos or boundary widths do not fit: a halo must not be wider than the parts
 * on both sides of its interface. With `wraps` the last process and the first one have an interface too. */
static bool add_halos(const dap_dist *dist, brute_axis *axis)
{
  const int last = dist->procs - 1;
  const int64_t *boundary = dist->boundary;
  if (dist->halo < 0 || boundary[0] < 0 || boundary[1] < 0) return false;
  if (dist->wraps && (!dist->periodic || boundary[0] > 0 || boundary[1] > 0)) return false;
  for (int p = 0; p <= last; p++) {
    const int next = p < last ? p + 1 : 0;
    if (p == last && !dist->wraps) break;
    if (dist->halo > axis->owned[p] || dist->halo > axis->owned[next]) return false;
    axis->halo[p][1] = axis->halo[next][0] = dist->halo;
  }
  return boundary[0] <= axis->owned[0] && boundary[1] <= axis->owned[last] &&
         (last > 0 || boundary[0] + boundary[1] <= dist->size);
}

/* Lists what process p holds: the elements it owns in order, between its halos. Returns their number. */
static int64_t lay_out(int64_t size, const int owner[], int p, const int64_t halo[2], int64_t held[])
{
  int64_t first = 0, position = 0;
  while (first < size && owner[first] != p) first++;
  for (int64_t i = first - halo[0]; i < first; i++) held[position++] = (i + size) % size;
  int64_t next = first;
  for (int64_t i = first; i < size; i++)
    if (owner[i] == p) {
      held[position++] = i;
      next = i + 1;
    }
  for (int64_t k = 0; k < halo[1]; k++) held[position++] = (next + k) % size;
  return position;
}

int64_t *brute_hold(const dap_dist *dist, int coord, const int64_t halo[2], int64_t *extent)
{
  int *owner = test_must(malloc((size_t)(dist->size + 1) * sizeof *owner));
  int64_t *held = test_must(malloc((size_t)(dist->size + halo[0] + halo[1] + 1) * sizeof *held));
  *extent =
      dist->procs <= BRUTE_PROCS && deal(dist, owner) ? lay_out(dist->size, owner, coord, halo, held) : -1;
  free(owner);
  return held;
}

static bool gives_owners(const dap_dist *dist)
{
  return dist->kind == DAP_DIST_UNSTRUCTURED && (dist->owned || dist->is_owned);
}

static bool is_ghost(const dap_dist *dist, int p, int64_t at)
{
  if (!gives_owners(dist)) return false;
  return dist->is_owned ? !dist->is_owned[p][at] : at >= dist->owned[p];
}

/* Puts one list into the buffer as it is. The first process that has an index owns it, unless owners are
 * given. An index has one owner. */
static bool take_list(const dap_dist *dist, int p, brute_axis *axis)
{
  const bool whole = axis->whole;
  bool seen[BRUTE_SIZE] = {false};
  axis->extent[p] = whole ? dist->size : dist->lengths[p];
  if (gives_owners(dist) && dist->owned && (dist->owned[p] < 0 || dist->owned[p] > axis->extent[p]))
    return false;
  if (axis->extent[p] < 0 || (axis->extent[p] > 0 && !whole && !dist->indices[p])) return false;
  for (int64_t at = 0; at < axis->extent[p]; at++) {
    const int64_t index = whole ? at : dist->indices[p][at];
    if (index < 0 || index >= dist->size || seen[index]) return false;
    seen[index] = true;
    axis->held[p][at] = index;
    if (is_ghost(dist, p, at) && dist->one_to_one) return false;
    if (is_ghost(dist, p, at)) continue;
    if (axis->owner[index] >= 0 && !whole && (dist->one_to_one || gives_owners(dist))) return false;
    if (axis->owner[index] >= 0) continue;
    axis->owner[index] = p;
    axis->local[index] = at;
    axis->owned[p]++;
  }
  return true;
}

static bool deal_lists(const dap_dist *dist, brute_axis *axis)
{
  axis->kind = 'u';
  axis->whole = dist->kind == DAP_DIST_REPLICATED || dist->kind == DAP_DIST_PARTIAL;
  if (dist->kind == DAP_DIST_UNSTRUCTURED && (!dist->lengths || !dist->indices)) return false;
  for (int64_t i = 0; i < dist->size; i++) axis->owner[i] = -1;
  for (int p = 0; p < dist->procs; p++)
    if (!take_list(dist, p, axis)) return false;
  for (int64_t i = 0; i < dist->size; i++)
    if (axis->owner[i] < 0) return false;
  return true;
}

bool brute_deal(const dap_dist *dist, brute_axis *axis)
{
  memset(axis, 0, sizeof *axis);
  if (dist->size < 0 || dist->procs < 1) return false;
  axis->size = dist->size;
  axis->procs = dist->procs;
  const bool is_padded = dist->boundary[0] || dist->boundary[1];
  if (dist->kind > DAP_DIST_LENGTHS && (dist->halo || is_padded || dist->periodic || dist->wraps))
    return false;
  if (dist->kind >= DAP_DIST_UNSTRUCTURED) return deal_lists(dist, axis);
  axis->kind = dist->kind == DAP_DIST_CYCLIC ? 'c' : 'b';
  if (!deal(dist, axis->owner)) return false;
  for (int64_t i = 0; i < dist->size; i++) axis->owned[axis->owner[i]]++;
  if (axis->kind == 'b' && !add_halos(dist, axis)) return false;
  for (int p = 0; p < dist->procs; p++) {
    axis->extent[p] = lay_out(dist->size, axis->owner, p, axis->halo[p], axis->held[p]);
    for (int64_t at = axis->halo[p][0]; at < axis->extent[p] - axis->halo[p][1]; at++)
      axis->local[axis->held[p][at]] = at;
  }
  return true;
}

bool brute_owns(const brute_axis *axis, int coord, int64_t position)
{
  const int64_t global = axis->held[coord][position];
  return axis->owner[global] == coord && axis->local[global] == position;
}

bool brute_pads(const brute_axis *axis, int coord, int64_t position)
{
  return position < axis->halo[coord][0] || position >= axis->extent[coord] - axis->halo[coord][1];
}

/* ---- many axes ---------------------------------------------------------------------------------- */

bool brute_array_deal(int ndim, const dap_dist dists[], const int ranks[], brute_array *array)
{
  array->ndim = ndim;
  array->nprocs = 1;
  array->count = 1;
  for (int k = 0; k < ndim; k++) {
    if (!brute_deal(&dists[k], &array->axes[k])) return false;
    array->nprocs *= dists[k].procs;
    array->count *= dists[k].size;
  }
  for (int i = 0; i < array->nprocs; i++) {
    array->ranks[i] = ranks ? ranks[i] : i;
    array->places[array->ranks[i]] = i;
  }
  return true;
}

void brute_coords(const brute_array *array, int rank, int coords[])
{
  int place = array->places[rank];
  for (int k = array->ndim - 1; k >= 0; k--) {
    coords[k] = place % array->axes[k].procs;
    place /= array->axes[k].procs;
  }
}

int brute_find(const brute_array *array, const int64_t global[], int64_t local[])
{
  int place = 0;
  for (int k = 0; k < array->ndim; k++) {
    const brute_axis *axis = &array->axes[k];
    place = place * axis->procs + axis->owner[global[k]];
    local[k] = axis->local[global[k]];
  }
  return array->ranks[place];
}

static void look(brute_walk *w)
{
  bool owned = true, pads = false, alike = true;
  int place = 0;
  w->flat = 0;
  for (int k = 0; k < w->array->ndim; k++) {
    const brute_axis *axis = &w->array->axes[k];
    const int64_t step = w->step[k], global = w->rank < 0 ? step : axis->held[w->coords[k]][step];
    const bool owns = w->rank < 0 || brute_owns(axis, w->coords[k], step);
    w->global[k] = global;
    w->local[k] = w->rank < 0 ? axis->local[global] : step;
    w->flat = w->flat * axis->size + global;
    place = place * axis->procs + axis->owner[global];
    owned = owned && owns;
    pads = pads || (w->rank >= 0 && brute_pads(axis, w->coords[k], step));
    alike = alike && (owns || axis->whole);
  }
  w->owner = w->array->ranks[place];
  w->part = pads ? BRUTE_PADDING : owned ? BRUTE_OWNED : BRUTE_COPY;
  w->alike = w->part == BRUTE_COPY && alike;
}

brute_walk brute_walk_start(const brute_array *array, int rank)
{
  brute_walk w = {.array = array, .rank = rank};
  if (rank >= 0) brute_coords(array, rank, w.coords);
  for (int k = 0; k < array->ndim; k++) {
    w.counts[k] = rank < 0 ? array->axes[k].size : array->axes[k].extent[w.coords[k]];
    w.done = w.done || w.counts[k] == 0;
  }
  if (!w.done) look(&w);
  return w;
}

void brute_walk_next(brute_walk *w)
{
  w->done = !next_position(w->array->ndim, w->counts, w->step);
  if (!w->done) look(w);
}
