/* Keeps the index lists of a 'u' axis in few bytes, with flags for owned indices. */
#include "lists_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

dap_status dap_dim_check_indices(int axis, const dap_dim *dim, dap_error *err)
{
  const int64_t count = dim->index_count;
  DAP_RULE(17, count >= 0, err, DAP_ERR_DIM, "axis %d: %" PRId64 " indices are fewer than 0", axis, count);
  DAP_RULE(17, count == 0 || dim->indices, err, DAP_ERR_DIM,
           "axis %d: indices is NULL, but has %" PRId64 " elements", axis, count);
  DAP_RULE(17, count == 0 || (dim->indices_dtype >= DAP_I1 && dim->indices_dtype <= DAP_U8), err, DAP_ERR_DIM,
           "axis %d: indices of type %s are not integers", axis, dap_dtype_name(dim->indices_dtype));
  return DAP_OK;
}

int64_t dap_dim_index(const dap_dim *dim, int64_t i)
{
  const char *at = (const char *)dim->indices + i * dap_dtype_size(dim->indices_dtype);
  union {
    int8_t i1;
    uint8_t u1;
    int16_t i2;
    uint16_t u2;
    int32_t i4;
    uint32_t u4;
    int64_t i8;
    uint64_t u8;
  } value;
  memcpy(&value, at, (size_t)dap_dtype_size(dim->indices_dtype)); /* which may be unaligned */
  switch (dim->indices_dtype) {
  case DAP_I1:
    return value.i1;
  case DAP_U1:
    return value.u1;
  case DAP_I2:
    return value.i2;
  case DAP_U2:
    return value.u2;
  case DAP_I4:
    return value.i4;
  case DAP_U4:
    return value.u4;
  case DAP_U8:
    return value.u8 > INT64_MAX ? INT64_MAX : (int64_t)value.u8;
  default:
    return value.i8;
  }
}

/* ---- making ------------------------------------------------------------------------------------- */

dap_status dap_lists_start(int axis, bool one_to_one, dap_map *map, dap_error *err)
{
  const size_t procs = (size_t)map->axis.procs;
  map->axis.one_to_one = one_to_one;
  dap_lists *lists = map->lists = calloc(1, sizeof *map->lists);
  if (lists) {
    atomic_init(&lists->references, 1);
    lists->held = calloc(procs, sizeof *lists->held);
    lists->owned = calloc(procs, sizeof *lists->owned);
    lists->list = calloc(procs, sizeof *lists->list);
  }
  DAP_REQUIRE(lists && lists->held && lists->owned && lists->list, err, DAP_ERR_NOMEM,
              "axis %d: no memory for %zu processes", axis, procs);
  lists->in_order = true;
  return DAP_OK;
}

/* Returns whether the indices ascend or descend. */
static bool is_in_order(const dap_dim *dim)
{
  bool ascends = true, descends = true;
  for (int64_t i = 1; i < dim->index_count; i++)
    *(dap_dim_index(dim, i - 1) < dap_dim_index(dim, i) ? &descends : &ascends) = false;
  return ascends || descends;
}

dap_status dap_lists_set(int axis, dap_map *map, int coord, const dap_dim *dim, dap_error *err)
{
  dap_list *list = &map->lists->list[coord];
  list->is_known = true;
  map->lists->held[coord] = map->lists->owned[coord] = dim->index_count;
  DAP_REQUIRE(dap_packed_create(dim->index_count, map->axis.size, &list->indices), err, DAP_ERR_NOMEM,
              "axis %d: no memory for %" PRId64 " indices", axis, dim->index_count);
  for (int64_t i = 0; i < dim->index_count; i++) dap_packed_set(&list->indices, i, dap_dim_index(dim, i));
  if (!is_in_order(dim)) map->lists->in_order = false;
  return DAP_OK;
}

dap_status dap_lists_count(int axis, const dap_map *map, bool *has_duplicates, dap_error *err)
{
  int64_t all = 0;
  for (int c = 0; c < map->axis.procs; c++)
    DAP_REQUIRE(dap_add(all, map->lists->held[c], &all), err, DAP_ERR_RANGE,
                "axis %d: the indices of all processes are more than 2^63 - 1", axis);
  DAP_RULE(17, all >= map->axis.size, err, DAP_ERR_LAYOUT,
           "axis %d: the processes hold %" PRId64 " indices, fewer than size %" PRId64
           ": some are held by no process",
           axis, all, map->axis.size);
  *has_duplicates = all > map->axis.size;
  DAP_RULE(18, !*has_duplicates || !map->axis.one_to_one || !map->axis.owners_given, err, DAP_ERR_LAYOUT,
           "axis %d: there are ghosts, as the processes hold %" PRId64 " indices of size %" PRId64
           ", but one_to_one is True",
           axis, all, map->axis.size);
  return DAP_OK;
}

dap_status dap_lists_disown(int axis, dap_map *map, int coord, dap_error *err)
{
  dap_list *list = &map->lists->list[coord];
  const int64_t held = map->lists->held[coord];
  map->lists->owned[coord] = 0;
  list->owned = calloc((size_t)(held / 8) + 1, 1);
  DAP_REQUIRE(list->owned, err, DAP_ERR_NOMEM, "axis %d: no memory for the owners of %" PRId64 " indices",
              axis, held);
  return DAP_OK;
}

void dap_lists_own(dap_map *map, int coord, int64_t local)
{
  map->lists->list[coord].owned[local / 8] |= (unsigned char)(1U << (local % 8));
  map->lists->owned[coord]++;
}

dap_status dap_lists_give(int axis, dap_map *map, int coord, int64_t first, const bool *is_owned,
                          dap_error *err)
{
  const int64_t held = map->lists->held[coord];
  map->axis.owners_given = true;
  DAP_REQUIRE(is_owned || (first >= 0 && first <= held), err, DAP_ERR_DIM,
              "axis %d: owned[%d] %" PRId64 " is outside 0 .. %" PRId64 ", the length of its list", axis,
              coord, first, held);
  DAP_TRY(dap_lists_disown(axis, map, coord, err));
  for (int64_t i = 0; i < held; i++)
    if (is_owned ? is_owned[i] : i < first) dap_lists_own(map, coord, i);
  return DAP_OK;
}

bool dap_lists_is_owned(const dap_map *map, int coord, int64_t local)
{
  const dap_list *list = &map->lists->list[coord];
  if (!list->owned) return map->lists->owned[coord] > 0;
  return ((unsigned)list->owned[local / 8] >> (local % 8)) & 1U;
}

/* Applies SplitMix64's finalizer (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014). Sums of its results hardly ever collide. Sums of plain FNV hashes of similar lists do. */
static uint64_t mix(uint64_t hash)
{
  hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
  return hash ^ (hash >> 31);
}

uint64_t dap_list_digest(const dap_map *map, int coord)
{
  const dap_list *list = &map->lists->list[coord];
  const int64_t held = map->lists->held[coord];
  const int64_t start[] = {coord, held};
  uint64_t hash = dap_hash(0, start, sizeof start);
  for (int64_t i = 0; i < held; i++) {
    const int64_t words[] = {dap_packed_get(&list->indices, i), dap_lists_is_owned(map, coord, i)};
    hash = dap_hash(hash, words, sizeof words);
  }
  return mix(hash);
}

/* ---- comparing and releasing ------------------------------------------------------------------- */

bool dap_lists_equal(const dap_map *a, const dap_map *b)
{
  const dap_lists *x = a->lists, *y = b->lists;
  const size_t procs = (size_t)a->axis.procs;
  if (x->digest != y->digest || memcmp(x->held, y->held, procs * sizeof *x->held) != 0 ||
      memcmp(x->owned, y->owned, procs * sizeof *x->owned) != 0)
    return false;
  for (size_t c = 0; c < procs; c++) {
    if (!x->list[c].is_known || !y->list[c].is_known) continue;
    for (int64_t i = 0; i < x->held[c]; i++)
      if (dap_packed_get(&x->list[c].indices, i) != dap_packed_get(&y->list[c].indices, i) ||
          dap_lists_is_owned(a, (int)c, i) != dap_lists_is_owned(b, (int)c, i))
        return false;
  }
  return true;
}

void dap_lists_release(dap_map *map)
{
  dap_lists *lists = map->lists;
  if (!lists || atomic_fetch_sub(&lists->references, 1) > 1) return;
  for (int c = 0; lists->list && c < map->axis.procs; c++) {
    dap_packed_release(&lists->list[c].indices);
    free(lists->list[c].owned);
  }
  dap_directory_release(&lists->directory);
  free(lists->held);
  free(lists->owned);
  free(lists->list);
  free(lists);
  map->lists = NULL;
}
