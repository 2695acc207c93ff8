#include "brute.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The owner of each element, in order. False iff the members are outside their range. */
static bool deal_owners(const dap_dist *dist, brute_axis *axis)
{
  int64_t quota[BRUTE_PROCS] = {0};
  int64_t dealt = 0;
  if (dist->cut == DAP_CUT_EVEN)
    for (int64_t i = 0; i < dist->size; i++) quota[i % dist->procs]++;
  if (dist->cut == DAP_CUT_CEIL) {
    int64_t pile = 0;
    while (pile * dist->procs < dist->size) pile++;
    for (int p = 0; p < dist->procs; p++) quota[p] = pile;
  }
  if (dist->cut == DAP_CUT_LENGTHS)
    for (int p = 0; p < dist->procs; p++) {
      if (!dist->lengths || dist->lengths[p] < 0) return false;
      quota[p] = dist->lengths[p];
      dealt += dist->lengths[p];
    }
  if (dist->cut == DAP_CUT_LENGTHS && dealt != dist->size) return false;
  if (dist->cut == DAP_CUT_CYCLIC) {
    if (dist->block_size < 1 || dist->first_owner < 0 || dist->first_owner >= dist->procs) return false;
    int p = dist->first_owner;
    int64_t in_block = 0;
    for (int64_t i = 0; i < dist->size; i++) {
      if (in_block == dist->block_size) p = p + 1 == dist->procs ? 0 : p + 1;
      if (in_block == dist->block_size) in_block = 0;
      in_block++;
      axis->owner[i] = p;
    }
    return true;
  }
  for (int64_t i = 0, p = 0; i < dist->size; i++) {
    while (quota[p] == 0) p++;
    quota[p]--;
    axis->owner[i] = (int)p;
  }
  return true;
}

/* Halos and boundary widths fit: no interface's halo is wider than the parts on its two sides. */
static bool add_halos(const dap_dist *dist, brute_axis *axis)
{
  const int last = dist->procs - 1;
  const int64_t *boundary = dist->boundary;
  if (dist->cut == DAP_CUT_CYCLIC) return true;
  if (dist->halo < 0 || boundary[0] < 0 || boundary[1] < 0) return false;
  for (int p = 0; p < last; p++) {
    if (dist->halo > axis->owned[p] || dist->halo > axis->owned[p + 1]) return false;
    axis->halo[p][1] = axis->halo[p + 1][0] = dist->halo;
  }
  return boundary[0] <= axis->owned[0] && boundary[1] <= axis->owned[last] &&
         (last > 0 || boundary[0] + boundary[1] <= dist->size);
}

bool brute_deal(const dap_dist *dist, brute_axis *axis)
{
  memset(axis, 0, sizeof *axis);
  if (dist->size < 0 || dist->procs < 1) return false;
  axis->size = dist->size;
  axis->procs = dist->procs;
  if (!deal_owners(dist, axis)) return false;
  for (int64_t i = 0; i < dist->size; i++) axis->owned[axis->owner[i]]++;
  if (!add_halos(dist, axis)) return false;

  for (int p = 0; p < dist->procs; p++) {
    int64_t first = 0, position = 0;
    while (first < dist->size && axis->owner[first] != p) first++;
    for (int64_t i = first - axis->halo[p][0]; i < first; i++) axis->held[p][position++] = i;
    int64_t next = first;
    for (int64_t i = first; i < dist->size; i++) {
      if (axis->owner[i] != p) continue;
      axis->local[i] = position;
      axis->held[p][position++] = i;
      next = i + 1;
    }
    for (int64_t k = 0; k < axis->halo[p][1]; k++) axis->held[p][position++] = next + k;
    axis->extent[p] = position;
  }
  return true;
}

/* ---- random cases ------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void random_lengths(test_random *random, dap_dist *dist, int64_t *lengths)
{
  int64_t rest = dist->size;
  for (int p = 0; p < dist->procs; p++) lengths[p] = 0;
  for (; rest > 0; rest--) lengths[test_random_int(random, 0, dist->procs - 1)]++;
  if (test_random_one_in(random, 3)) { /* an empty process somewhere, its part given to another */
    const int64_t from = test_random_int(random, 0, dist->procs - 1);
    const int64_t part = lengths[from];
    lengths[from] = 0;
    lengths[test_random_int(random, 0, dist->procs - 1)] += part;
  }
  dist->lengths = lengths;
}

dap_dist random_dist_of(test_random *random, int procs, int64_t size, bool halos, int64_t *lengths)
{
  dap_dist dist = {.cut = (dap_cut)test_random_int(random, DAP_CUT_EVEN, DAP_CUT_CYCLIC)};
  dist.procs = procs;
  dist.size = size;
  if (dist.cut == DAP_CUT_CYCLIC) {
    dist.block_size = test_random_int(random, 1, test_random_one_in(random, 4) ? size + 3 : 4);
    dist.first_owner = (int)test_random_int(random, 0, procs - 1);
    return dist;
  }
  if (dist.cut == DAP_CUT_LENGTHS) random_lengths(random, &dist, lengths);
  brute_axis axis;
  (void)brute_deal(&dist, &axis);
  int64_t least = size;
  for (int p = 0; p < procs; p++) least = smaller(least, axis.owned[p]);
  if (halos) dist.halo = smaller(test_random_int(random, 0, 3), least);
  if (test_random_one_in(random, 3)) {
    dist.boundary[0] = test_random_int(random, 0, smaller(2, axis.owned[0]));
    const int64_t room = axis.owned[procs - 1] - (procs == 1 ? dist.boundary[0] : 0);
    dist.boundary[1] = test_random_int(random, 0, smaller(2, room));
    dist.periodic = test_random_one_in(random, 2);
  }
  return dist;
}

dap_dist random_dist(test_random *random, int procs, int64_t max_size, bool halos, int64_t *lengths)
{
  return random_dist_of(random, procs, test_random_int(random, 0, max_size), halos, lengths);
}

void random_grid(test_random *random, int nprocs, int ndim, int procs[])
{
  for (int axis = 0; axis < ndim; axis++) procs[axis] = 1;
  for (int factor = 2; factor <= nprocs; factor++)
    while (nprocs % factor == 0) {
      procs[test_random_int(random, 0, ndim - 1)] *= factor;
      nprocs /= factor;
    }
}

const char *dist_text(const dap_dist *dist)
{
  static const char *const cuts[] = {"even", "ceil", "lengths", "cyclic"};
  static char texts[4][160];
  static int next;
  char *text = texts[next];
  next = (next + 1) % 4;
  int used = snprintf(text, sizeof texts[0], "%s %" PRId64 "/%d", cuts[dist->cut], dist->size, dist->procs);
  if (dist->cut == DAP_CUT_CYCLIC)
    snprintf(text + used, sizeof texts[0] - (size_t)used, " bs %" PRId64 " first %d", dist->block_size,
             dist->first_owner);
  else
    snprintf(text + used, sizeof texts[0] - (size_t)used,
             " halo %" PRId64 " boundary %" PRId64 ",%" PRId64 "%s", dist->halo, dist->boundary[0],
             dist->boundary[1], dist->periodic ? " periodic" : "");
  return text;
}
