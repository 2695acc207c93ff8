/* Packs a layout into words, from which another process of the same job makes the same layout. The words have
 * neither lists nor directories of 'u' axes: the other process knows as much of them as every process does.
 * It takes part in plans like a process outside the layout, which asks those that know more. */
#include "lists_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEAD = 2,                  /* words: ndim, whether there is an order of ranks */
  AXIS = DAP_AXIS_WORDS + 1, /* words of an axis, and whether owners are given */
  LISTS = 2,                 /* words: digest, whether all lists are in order */
  FORMAT = 1                 /* seeds the fingerprint, so that no process reads words in another form */
};

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

static void put_map(packing *p, const dap_map *map)
{
  const int64_t procs = map->axis.procs;
  int64_t axis[AXIS];
  dap_axis_write(&map->axis, axis);
  axis[DAP_AXIS_WORDS] = map->axis.owners_given;
  put(p, axis, AXIS);
  if (map->bounds) {
    put(p, map->bounds, procs + 1);
    put(p, map->halo[0], 2 * procs);
  }
  if (map->lists) {
    const int64_t head[LISTS] = {(int64_t)map->lists->digest, map->lists->in_order};
    put(p, head, LISTS);
    put(p, map->lists->held, procs);
    put(p, map->lists->owned, procs);
  }
}

/* Puts the layout, without the fingerprint, which is the last word. */
static void put_layout(packing *p, const dap_layout *layout)
{
  const int64_t head[HEAD] = {layout->ndim, layout->ranks != NULL};
  put(p, head, HEAD);
  for (int k = 0; k < layout->ndim; k++) put_map(p, &layout->maps[k]);
  for (int i = 0; layout->ranks && i < layout->nprocs; i++) put(p, &(int64_t){layout->ranks[i]}, 1);
}

static int64_t fingerprint(const int64_t words[], int64_t count)
{
  return (int64_t)dap_hash(FORMAT, words, (size_t)count * sizeof *words);
}

dap_status dap_layout_pack(const dap_layout *layout, int64_t **words, int64_t *count, dap_error *err)
{
  packing all = {0}, packed = {0};
  *words = NULL;
  DAP_TRY(dap_layout_check(layout, err));
  put_layout(&all, layout);
  *count = all.count + 1;
  *words = packed.words = malloc((size_t)*count * sizeof **words);
  DAP_REQUIRE(*words, err, DAP_ERR_NOMEM, "no memory for the %" PRId64 " words of a layout", *count);
  put_layout(&packed, layout);
  (*words)[all.count] = fingerprint(*words, all.count);
  return DAP_OK;
}

/* ---- unpacking ------------------------------------------------------------------------------------ */

/* Takes the next `count` of the words at *next. */
static const int64_t *take(const int64_t **next, int64_t count)
{
  const int64_t *words = *next;
  *next += count;
  return words;
}

static void copy(const int64_t **next, int64_t count, void *to)
{
  memcpy(to, take(next, count), (size_t)count * sizeof(int64_t));
}

static dap_status take_lists(const int64_t **next, int axis, dap_map *map, dap_error *err)
{
  const int64_t *head = take(next, LISTS);
  DAP_TRY(dap_lists_start(axis, map->axis.one_to_one, map, err));
  map->lists->digest = (uint64_t)head[0];
  map->lists->in_order = head[1] != 0;
  map->lists->directory.twice = INT64_MAX;
  copy(next, map->axis.procs, map->lists->held);
  copy(next, map->axis.procs, map->lists->owned);
  return DAP_OK;
}

static dap_status take_map(const int64_t **next, int axis, dap_map *map, dap_error *err)
{
  const int64_t *words = take(next, AXIS);
  map->axis = dap_axis_read(words);
  map->axis.owners_given = words[DAP_AXIS_WORDS] != 0;
  map->ops = map->axis.replicated ? &dap_replicated_ops
             : map->axis.partial  ? &dap_partial_ops
                                  : dap_dist_ops_find(map->axis.dist_type);
  if (map->axis.dist_type == 'b') {
    DAP_TRY(dap_block_allocate(axis, map, err));
    copy(next, map->axis.procs + INT64_C(1), map->bounds);
    copy(next, 2 * (int64_t)map->axis.procs, map->halo);
  }
  const bool has_lists = map->axis.dist_type == 'u' && !dap_map_is_whole(map);
  return has_lists ? take_lists(next, axis, map, err) : DAP_OK;
}

static dap_status take_ranks(const int64_t words[], dap_layout *layout, dap_error *err)
{
  int *ranks = malloc((size_t)layout->nprocs * sizeof *ranks);
  DAP_REQUIRE(ranks, err, DAP_ERR_NOMEM, "no memory for the order of %d ranks", layout->nprocs);
  for (int i = 0; i < layout->nprocs; i++) ranks[i] = (int)words[i];
  const dap_status s = dap_layout_set_ranks(layout, ranks, err);
  free(ranks);
  return s;
}

dap_status dap_layout_unpack(const int64_t words[], int64_t count, dap_layout **layout, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  *layout = NULL;
  DAP_REQUIRE(count > HEAD && fingerprint(words, count - 1) == words[count - 1], err, DAP_ERR_ARG,
              "a packed layout's fingerprint is not that of its words");
  const int64_t *next = words + HEAD;
  for (int k = 0; k < words[0] && !s; k++) s = take_map(&next, k, &maps[k], err);
  s = dap_layout_from_maps(s, (int)words[0], maps, layout, err);
  if (!s && words[1]) s = take_ranks(next, *layout, err);
  if (s) dap_layout_destroy(layout);
  return s;
}
