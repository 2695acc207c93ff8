/* Converts between global indices and positions in the buffers of ranks; compares and hashes whole
 * layouts. */
#include "lists_impl.h"

#include <inttypes.h>
#include <string.h>

dap_status dap_layout_locate(const dap_layout *layout, const int64_t global[], int *rank, int64_t local[],
                             dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  DAP_TRY(dap_layout_check(layout, err));
  for (int k = 0; k < layout->ndim; k++) {
    const dap_map *map = &layout->maps[k];
    DAP_REQUIRE(global[k] >= 0 && global[k] < map->axis.size, err, DAP_ERR_ARG,
                "axis %d: index %" PRId64 " is outside 0 .. size - 1 = %" PRId64, k, global[k],
                map->axis.size - 1);
    DAP_REQUIRE(map->ops->locate(map, global[k], &coords[k], &local[k]), err, DAP_ERR_REMOTE,
                "axis %d: only another process knows who owns index %" PRId64, k, global[k]);
  }
  *rank = dap_layout_rank(layout, coords);
  return DAP_OK;
}

dap_status dap_layout_globalize(const dap_layout *layout, int rank, const int64_t local[], int64_t global[],
                                bool *owned, dap_error *err)
{
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(rank >= 0 && rank < layout->nprocs, err, DAP_ERR_ARG, "rank %d is outside 0 .. %d", rank,
              layout->nprocs - 1);
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  bool all_owned = true;
  for (int k = 0; k < layout->ndim; k++) {
    const dap_map *map = &layout->maps[k];
    const int64_t extent = map->ops->extent(map, coords[k]);
    DAP_REQUIRE(local[k] >= 0 && local[k] < extent, err, DAP_ERR_ARG,
                "axis %d: position %" PRId64 " is outside 0 .. extent - 1 = %" PRId64, k, local[k],
                extent - 1);
    if (!dap_map_knows(map, coords[k])) return dap_fail_remote(k, coords[k], err);
    global[k] = map->ops->globalize(map, coords[k], local[k]);
    all_owned = all_owned && map->ops->is_owned(map, coords[k], local[k]);
  }
  if (owned) *owned = all_owned;
  return DAP_OK;
}

/* ---- many at once ------------------------------------------------------------------------------- */

/* Puts the element's number before an error text. */
static dap_status number(int64_t i, dap_status status, const dap_error *error, dap_error *err)
{
  return status ? dap_fail(err, status, "element %" PRId64 ": %s", i, error->text) : DAP_OK;
}

dap_status dap_layout_locate_all(const dap_layout *layout, int64_t count, const int64_t global[], int ranks[],
                                 int64_t local[], dap_error *err)
{
  dap_error error;
  DAP_REQUIRE(layout && count >= 0 && ((global && ranks && local) || count == 0), err, DAP_ERR_ARG,
              "layout, global, ranks and local must not be NULL, count %" PRId64 " not negative", count);
  DAP_TRY(dap_layout_check(layout, err));
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = i * layout->ndim;
    DAP_TRY(number(i, dap_layout_locate(layout, global + at, &ranks[i], local + at, &error), &error, err));
  }
  return DAP_OK;
}

dap_status dap_layout_globalize_all(const dap_layout *layout, int rank, int64_t count, const int64_t local[],
                                    int64_t global[], bool owned[], dap_error *err)
{
  dap_error error;
  DAP_REQUIRE(layout && count >= 0 && ((global && local) || count == 0), err, DAP_ERR_ARG,
              "layout, local and global must not be NULL, count %" PRId64 " not negative", count);
  DAP_TRY(dap_layout_check(layout, err));
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = i * layout->ndim;
    bool *flag = owned ? &owned[i] : NULL;
    DAP_TRY(
        number(i, dap_layout_globalize(layout, rank, local + at, global + at, flag, &error), &error, err));
  }
  return DAP_OK;
}

/* ---- equality ------------------------------------------------------------------------------------ */

void dap_axis_write(const dap_axis *axis, int64_t words[DAP_AXIS_WORDS])
{
  const int64_t all[DAP_AXIS_WORDS] = {axis->dist_type,   axis->procs,       axis->size,
                                       axis->periodic,    axis->one_to_one,  axis->block_size,
                                       axis->first_owner, axis->boundary[0], axis->boundary[1],
                                       axis->replicated,  axis->partial};
  memcpy(words, all, sizeof all);
}

dap_axis dap_axis_read(const int64_t words[DAP_AXIS_WORDS])
{
  return (dap_axis){.dist_type = (char)words[0],
                    .procs = (int)words[1],
                    .size = words[2],
                    .periodic = words[3] != 0,
                    .one_to_one = words[4] != 0,
                    .block_size = words[5],
                    .first_owner = (int)words[6],
                    .boundary = {words[7], words[8]},
                    .replicated = words[9] != 0,
                    .partial = words[10] != 0};
}

static bool is_equal_map(const dap_map *a, const dap_map *b)
{
  int64_t x[DAP_AXIS_WORDS], y[DAP_AXIS_WORDS];
  const size_t procs = (size_t)a->axis.procs;
  dap_axis_write(&a->axis, x);
  dap_axis_write(&b->axis, y);
  if (memcmp(x, y, sizeof x) != 0) return false;
  if (a->lists) return dap_lists_equal(a, b);
  return !a->bounds || (memcmp(a->bounds, b->bounds, (procs + 1) * sizeof *a->bounds) == 0 &&
                        memcmp(a->halo, b->halo, procs * sizeof *a->halo) == 0);
}

bool dap_layout_is_equal(const dap_layout *a, const dap_layout *b)
{
  if (a == b) return true;
  if (!a || !b || a->ndim != b->ndim) return false;
  for (int k = 0; k < a->ndim; k++)
    if (!is_equal_map(&a->maps[k], &b->maps[k])) return false;
  if (!a->ranks || !b->ranks) return a->ranks == b->ranks;
  return memcmp(a->ranks, b->ranks, (size_t)a->nprocs * sizeof *a->ranks) == 0;
}

uint64_t dap_map_hash(uint64_t seed, const dap_map *map)
{
  int64_t words[DAP_AXIS_WORDS];
  dap_axis_write(&map->axis, words);
  uint64_t hash = dap_hash(seed, words, sizeof words);
  const size_t procs = (size_t)map->axis.procs;
  if (map->bounds) hash = dap_hash(hash, map->bounds, (procs + 1) * sizeof *map->bounds);
  if (map->halo) hash = dap_hash(hash, map->halo, procs * sizeof *map->halo);
  return map->lists ? dap_hash(hash, &map->lists->digest, sizeof map->lists->digest) : hash;
}

uint64_t dap_layout_hash(const dap_layout *layout)
{
  uint64_t hash = dap_hash(0, &layout->ndim, sizeof layout->ndim);
  for (int k = 0; k < layout->ndim; k++) hash = dap_map_hash(hash, &layout->maps[k]);
  if (layout->ranks) hash = dap_hash(hash, layout->ranks, (size_t)layout->nprocs * sizeof *layout->ranks);
  return hash;
}
