/* Packs a layout into words, from which another process makes the same layout.
 *
 *     ndim, whether there is an order of ranks,
 *     for each axis: the members of dap_axis; of 'b' the bounds and halos; of 'u' with lists the digest,
 *     whether all lists are in order, and the numbers of indices held and owned,
 *     the order of ranks, the fingerprint of all words before
 *
 * Lists and directories of 'u' axes are not packed. The other process knows as much of them as every process
 * does. It takes part in plans like a process outside the layout, which asks those that know more. */
#include "lists_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 2, AXIS = 10, FINGERPRINT = 1 };

/* ---- packing -------------------------------------------------------------------------------------- */

/* The words of a layout; `words` NULL: they are counted only. */
typedef struct packing {
  int64_t *words, count;
} packing;

static void put(packing *p, const int64_t values[], int64_t count)
{
  if (p->words) memcpy(p->words + p->count, values, (size_t)count * sizeof *values);
  p->count += count;
}

enum { GIVEN = 1, REPLICATED = 2, PARTIAL = 3 }; /* values of the word on copies */

static int64_t copies_of(const dap_axis *axis)
{
  return axis->replicated ? REPLICATED : axis->partial ? PARTIAL : axis->owners_given ? GIVEN : 0;
}

static void put_map(packing *p, const dap_map *map)
{
  const dap_axis *a = &map->axis;
  const int64_t axis[AXIS] = {a->dist_type,  a->procs,       a->size,        a->periodic,    a->one_to_one,
                              a->block_size, a->first_owner, a->boundary[0], a->boundary[1], copies_of(a)};
  put(p, axis, AXIS);
  if (map->bounds) {
    put(p, map->bounds, (int64_t)a->procs + 1);
    put(p, map->halo[0], 2 * (int64_t)a->procs);
  }
  if (map->lists) {
    const int64_t head[] = {(int64_t)map->lists->digest, map->lists->in_order};
    put(p, head, 2);
    put(p, map->lists->held, a->procs);
    put(p, map->lists->owned, a->procs);
  }
}

static void put_layout(packing *p, const dap_layout *layout)
{
  const int64_t head[HEAD] = {layout->ndim, layout->ranks != NULL};
  put(p, head, HEAD);
  for (int k = 0; k < layout->ndim; k++) put_map(p, &layout->maps[k]);
  for (int i = 0; layout->ranks && i < layout->nprocs; i++) put(p, &(int64_t){layout->ranks[i]}, 1);
  const int64_t fingerprint =
      p->words ? (int64_t)dap_hash(0, p->words, (size_t)p->count * sizeof *p->words) : 0;
  put(p, &fingerprint, FINGERPRINT);
}

dap_status dap_layout_pack(const dap_layout *layout, int64_t **words, int64_t *count, dap_error *err)
{
  DAP_REQUIRE(words && count, err, DAP_ERR_ARG, "words and count must not be NULL");
  *words = NULL;
  *count = 0;
  DAP_TRY(dap_layout_check(layout, err));
  packing all = {0}, packed = {0};
  put_layout(&all, layout);
  packed.words = malloc((size_t)all.count * sizeof *packed.words);
  DAP_REQUIRE(packed.words, err, DAP_ERR_NOMEM, "no memory for the %" PRId64 " words of a layout", all.count);
  put_layout(&packed, layout);
  *words = packed.words;
  *count = packed.count;
  return DAP_OK;
}

/* ---- unpacking --------------------------------------------------------------------------------------
 * Every word is checked before code relies on it. Allocations are no larger than the words themselves. */

typedef struct reading {
  const int64_t *next;
  int64_t left;
} reading;

/* Returns the next words; NULL if there are fewer. */
static const int64_t *take(reading *r, int64_t count)
{
  if (count > r->left) return NULL;
  const int64_t *words = r->next;
  r->next += count;
  r->left -= count;
  return words;
}

static dap_status fail_short(const reading *r, dap_error *err)
{
  return dap_fail(err, DAP_ERR_ARG, "%" PRId64 " words are left of a packed layout, fewer than are to come",
                  r->left);
}

static dap_status check_range(const char *name, int axis, int64_t value, int64_t low, int64_t high,
                              dap_error *err)
{
  DAP_REQUIRE(high < INT64_MAX || value >= low, err, DAP_ERR_ARG,
              "a packed layout's dim %d: %s %" PRId64 " is below %" PRId64, axis, name, value, low);
  DAP_REQUIRE(value >= low && value <= high, err, DAP_ERR_ARG,
              "a packed layout's dim %d: %s %" PRId64 " is outside %" PRId64 " .. %" PRId64, axis, name,
              value, low, high);
  return DAP_OK;
}

static dap_status take_axis(reading *r, int axis, dap_map *map, dap_error *err)
{
  const int64_t *word = take(r, AXIS);
  if (!word) return fail_short(r, err);
  DAP_TRY(check_range("dist_type", axis, word[0], 0, CHAR_MAX, err));
  map->ops = dap_dist_ops_find((char)word[0]);
  DAP_REQUIRE(map->ops, err, DAP_ERR_ARG, "a packed layout's dim %d: %" PRId64 " is no dist_type", axis,
              word[0]);
  DAP_TRY(check_range("procs", axis, word[1], 1, INT_MAX, err));
  DAP_TRY(check_range("size", axis, word[2], 0, INT64_MAX, err));
  const bool block = word[0] == 'b', cyclic = word[0] == 'c', listed = word[0] == 'u';
  DAP_TRY(check_range("periodic", axis, word[3], 0, block, err));
  DAP_TRY(check_range("one_to_one", axis, word[4], 0, listed, err));
  DAP_TRY(check_range("block_size", axis, word[5], cyclic, cyclic ? INT64_MAX : 0, err));
  DAP_TRY(check_range("first_owner", axis, word[6], 0, cyclic ? word[1] - 1 : 0, err));
  DAP_TRY(check_range("boundary[0]", axis, word[7], 0, block ? word[2] : 0, err));
  DAP_TRY(check_range("boundary[1]", axis, word[8], 0, block ? word[2] : 0, err));
  DAP_TRY(check_range("owners_given", axis, word[9], 0, !listed ? 0 : word[4] ? GIVEN : PARTIAL, err));
  if (word[9] == REPLICATED) map->ops = &dap_replicated_ops;
  if (word[9] == PARTIAL) map->ops = &dap_partial_ops;
  map->axis = (dap_axis){.dist_type = (char)word[0],
                         .periodic = word[3] != 0,
                         .one_to_one = word[4] != 0,
                         .owners_given = word[9] == GIVEN,
                         .replicated = word[9] == REPLICATED,
                         .partial = word[9] == PARTIAL,
                         .procs = (int)word[1],
                         .first_owner = (int)word[6],
                         .size = word[2],
                         .block_size = word[5],
                         .boundary = {word[7], word[8]}};
  return DAP_OK;
}

/* Checks that ranges tile [0, size), that no padding is wider than the axis, and that extents fit into 63
 * bits. */
static dap_status check_ranges(int axis, const dap_map *map, const int64_t bounds[], const int64_t halo[],
                               dap_error *err)
{
  const int procs = map->axis.procs;
  const int64_t size = map->axis.size;
  DAP_TRY(check_range("first bound", axis, bounds[0], 0, 0, err));
  DAP_TRY(check_range("last bound", axis, bounds[procs], size, size, err));
  for (int c = 0; c < procs; c++) {
    DAP_TRY(check_range("bound", axis, bounds[c + 1], bounds[c], size, err));
    int64_t sum = 0;
    for (int side = 0; side < 2; side++) DAP_TRY(check_range("halo", axis, halo[2 * c + side], 0, size, err));
    DAP_REQUIRE(dap_add(bounds[c + 1] - bounds[c], halo[2 * c], &sum) &&
                    dap_add(sum, halo[2 * c + 1], &sum) && dap_add(size, halo[2 * c + 1], &sum),
                err, DAP_ERR_ARG, "a packed layout's dim %d: the extent of process %d exceeds 2^63 - 1", axis,
                c);
  }
  return DAP_OK;
}

static dap_status take_ranges(reading *r, int axis, dap_map *map, dap_error *err)
{
  const int64_t procs = map->axis.procs, *bounds = take(r, procs + 1), *halo = take(r, 2 * procs);
  if (!bounds || !halo) return fail_short(r, err);
  DAP_TRY(check_ranges(axis, map, bounds, halo, err));
  DAP_TRY(dap_block_allocate(axis, map, err));
  memcpy(map->bounds, bounds, (size_t)(procs + 1) * sizeof *map->bounds);
  memcpy(map->halo, halo, (size_t)procs * sizeof *map->halo);
  return DAP_OK;
}

/* Checks that processes own no more than they hold, and all indices together. */
static dap_status check_lists(int axis, const dap_map *map, const int64_t held[], const int64_t owned[],
                              dap_error *err)
{
  int64_t left = map->axis.size, all = 0;
  for (int c = 0; c < map->axis.procs; c++) {
    DAP_TRY(check_range("held", axis, held[c], 0, map->axis.size, err));
    DAP_TRY(check_range("owned", axis, owned[c], map->axis.one_to_one ? held[c] : 0,
                        dap_smaller(held[c], left), err));
    left -= owned[c];
    DAP_REQUIRE(dap_add(all, held[c], &all), err, DAP_ERR_ARG,
                "a packed layout's dim %d: the indices of all processes are more than 2^63 - 1", axis);
  }
  return check_range("indices without owner", axis, left, 0, 0, err);
}

static dap_status take_lists(reading *r, int axis, dap_map *map, dap_error *err)
{
  const int64_t procs = map->axis.procs;
  const int64_t *head = take(r, 2), *held = take(r, procs), *owned = take(r, procs);
  if (!head || !held || !owned) return fail_short(r, err);
  DAP_TRY(check_range("in_order", axis, head[1], 0, 1, err));
  DAP_TRY(check_lists(axis, map, held, owned, err));
  DAP_TRY(dap_lists_start(axis, map->axis.one_to_one, map, err));
  memcpy(map->lists->held, held, (size_t)procs * sizeof *held);
  memcpy(map->lists->owned, owned, (size_t)procs * sizeof *owned);
  map->lists->digest = (uint64_t)head[0];
  map->lists->in_order = head[1] != 0;
  map->lists->directory.twice = INT64_MAX;
  return DAP_OK;
}

static dap_status take_maps(reading *r, int ndim, dap_map maps[], dap_error *err)
{
  for (int k = 0; k < ndim; k++) {
    DAP_TRY(take_axis(r, k, &maps[k], err));
    if (maps[k].axis.dist_type == 'b') DAP_TRY(take_ranges(r, k, &maps[k], err));
    if (maps[k].axis.dist_type == 'u' && !dap_map_is_whole(&maps[k]))
      DAP_TRY(take_lists(r, k, &maps[k], err));
  }
  return DAP_OK;
}

/* Replaces the layout by one with the order of ranks. */
static dap_status take_ranks(reading *r, dap_layout **layout, dap_error *err)
{
  const int count = (*layout)->nprocs;
  const int64_t *words = take(r, count);
  if (!words) return fail_short(r, err);
  int *ranks = malloc((size_t)count * sizeof *ranks);
  DAP_REQUIRE(ranks, err, DAP_ERR_NOMEM, "no memory for the order of %d ranks", count);
  for (int i = 0; i < count; i++) ranks[i] = words[i] >= 0 && words[i] < count ? (int)words[i] : -1;
  dap_layout *ordered = NULL;
  const dap_status s = dap_layout_reorder(*layout, ranks, &ordered, err);
  free(ranks);
  if (s) return s;
  dap_layout_destroy(layout);
  *layout = ordered;
  return DAP_OK;
}

static dap_status take_layout(reading *r, dap_layout **layout, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  const int64_t *head = take(r, HEAD);
  if (!head) return fail_short(r, err);
  DAP_REQUIRE(head[0] >= 0 && head[0] <= DAP_MAX_NDIM, err, DAP_ERR_ARG,
              "a packed layout's ndim %" PRId64 " is outside 0 .. %d", head[0], DAP_MAX_NDIM);
  const int ndim = (int)head[0];
  dap_status s = take_maps(r, ndim, maps, err);
  s = dap_layout_from_maps(s, ndim, maps, layout, err);
  if (s == DAP_ERR_RANGE)
    s = dap_fail(err, DAP_ERR_ARG, "a packed layout exceeds what its elements and processes are counted in");
  if (!s && head[1]) s = take_ranks(r, layout, err);
  if (!s && r->left != FINGERPRINT)
    s = dap_fail(err, DAP_ERR_ARG, "a packed layout has %" PRId64 " words more than it needs",
                 r->left - FINGERPRINT);
  return s;
}

dap_status dap_layout_unpack(const int64_t words[], int64_t count, dap_layout **layout, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  *layout = NULL;
  DAP_REQUIRE(words, err, DAP_ERR_ARG, "words must not be NULL");
  DAP_REQUIRE(count >= HEAD + FINGERPRINT, err, DAP_ERR_ARG, "%" PRId64 " words are no packed layout", count);
  reading r = {words, count};
  dap_status s = take_layout(&r, layout, err);
  if (!s && (int64_t)dap_hash(0, words, (size_t)(count - FINGERPRINT) * sizeof *words) != words[count - 1])
    s = dap_fail(err, DAP_ERR_ARG, "a packed layout's fingerprint is not that of its words");
  if (s) dap_layout_destroy(layout);
  return s;
}
