#include "map_check.h"

#include "model_impl.h"
#include "mpi_test.h"

#include <inttypes.h>

/* ---- ranks ------------------------------------------------------------------------------------------ */

void check_ranks(const dap_layout *layout, const random_array *array)
{
  bool in_order = true;
  for (int rank = 0; rank < array->nprocs; rank++) {
    int coords[DAP_MAX_NDIM], want[DAP_MAX_NDIM];
    dap_layout_coords(layout, rank, coords);
    brute_coords(&array->model, rank, want);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(coords[k], want[k]);
    EXPECT_INT(dap_layout_rank(layout, want), rank);
    in_order = in_order && array->model.ranks[rank] == rank;
  }
  EXPECT_INT(dap_layout_is_row_major(layout), in_order);
  EXPECT_INT(dap_layout_nprocs(layout), array->nprocs);
  EXPECT_INT(dap_layout_ndim(layout), array->ndim);
  EXPECT_INT(dap_layout_count(layout), array->model.count);
}

/* ---- one axis --------------------------------------------------------------------------------------- */

/* Returns the expected number of runs. A range is one run, and so is each block; in lists, runs are as
 * long as the indices allow. */
static int64_t expect_runs(const brute_axis *brute, const dap_dist *dist, int coord)
{
  int64_t runs = 0, before = -2; /* index owned at the position before; -2: none */
  if (brute->kind == 'b') return brute->owned[coord] > 0;
  if (brute->kind == 'c')
    for (int64_t i = 0; i < brute->size; i += dist->block_size) runs += brute->owner[i] == coord;
  for (int64_t i = 0; i < brute->extent[coord] && brute->kind == 'u'; i++) {
    const bool owned = brute_owns(brute, coord, i);
    runs += owned && brute->held[coord][i] != before + 1;
    before = owned ? brute->held[coord][i] : -2;
  }
  return runs;
}

/* Checks the runs of owned elements, in the order of the buffer. */
static void check_runs(const dap_layout *layout, int k, const brute_axis *brute, const dap_dist *dist,
                       int coord)
{
  const int64_t blocks = expect_runs(brute, dist, coord);
  int64_t listed = 0, count = 0, behind = 0;
  EXPECT(dap_layout_knows(layout, k, coord));
  for (dap_run run = {0}; dap_layout_next_run(layout, k, coord, &run); count++) {
    EXPECT(run.length >= 1 && run.local >= behind && run.global + run.length <= brute->size);
    if (run.global < 0 || run.global + run.length > brute->size) return;
    for (int64_t j = 0; j < run.length; j++) {
      EXPECT_INT(brute->owner[run.global + j], coord);
      EXPECT_INT(run.local + j, brute->local[run.global + j]);
    }
    behind = run.local + run.length;
    listed += run.length;
  }
  EXPECT_INT(count, blocks);
  EXPECT_INT(listed, brute->owned[coord]);
}

/* Checks run_after(), which transfers use: the first run that ends after an element. */
static void check_run_after(const dap_map *map, const brute_axis *brute, int coord)
{
  for (int64_t global = 0; global < brute->size; global++) {
    int64_t want = 0;
    while (want < map->ops->run_count(map, coord)) {
      const dap_run run = map->ops->run(map, coord, want);
      if (run.global + run.length > global) break;
      want++;
    }
    EXPECT_INT(map->ops->run_after(map, coord, global), want);
  }
}

/* Checks the stretches that a transfer fills. Spread out to positions, they must match the contents of the
 * buffer. */
static void check_fill(const dap_map *map, const brute_axis *brute, int coord, dap_region region)
{
  const int64_t low = brute->halo[coord][0], high = brute->extent[coord] - brute->halo[coord][1];
  bool filled[BRUTE_SIZE] = {false};
  int64_t behind = 0;
  for (int64_t i = 0; i < dap_map_fill_count(map, coord, region); i++) {
    const dap_run run = dap_map_fill(map, coord, region, i);
    if (!EXPECT(run.length >= 1 && run.local >= behind && run.local + run.length <= brute->extent[coord]))
      return;
    behind = run.local + run.length;
    for (int64_t j = 0; j < run.length; j++) {
      filled[run.local + j] = true;
      EXPECT_INT(run.global + j, brute->held[coord][run.local + j]);
    }
  }
  for (int64_t i = 0; i < brute->extent[coord]; i++) {
    const bool owned = i >= low && i < high;
    EXPECT_INT(filled[i], region == DAP_REGION_ALL || owned == (region == DAP_REGION_OWNED));
  }
}

/* Checks start and stop, which include communication padding only in 0.10. Padding at the edges is a halo
 * if it wraps around. */
static void check_range(const dap_dim *dim, const brute_axis *brute, const dap_dist *dist, bool inside)
{
  const int coord = (int)dim->proc_grid_rank, last = brute->procs - 1;
  const int64_t *halo = brute->halo[coord], extent = brute->extent[coord];
  const int64_t first = inside ? 0 : halo[0]; /* position of the element `start` */
  EXPECT_INT(dim->stop - dim->start, inside ? extent : brute->owned[coord]);
  EXPECT(dim->stop == dim->start || dim->start == brute->held[coord][first]);
  EXPECT_INT(dim->periodic, dist->periodic);
  EXPECT_INT(dim->padding[0], halo[0] + (coord == 0 ? dist->boundary[0] : 0));
  EXPECT_INT(dim->padding[1], halo[1] + (coord == last ? dist->boundary[1] : 0));
}

static void check_indices(const dap_dim *dim, const brute_axis *brute, const dap_dist *dist)
{
  const int coord = (int)dim->proc_grid_rank;
  EXPECT_INT(dim->one_to_one, dist->kind == DAP_DIST_UNSTRUCTURED && dist->one_to_one);
  if (!EXPECT_INT(dim->index_count, brute->extent[coord])) return;
  for (int64_t i = 0; i < dim->index_count; i++) EXPECT_INT(dap_dim_index(dim, i), brute->held[coord][i]);
}

/* Checks that the dictionary describes the buffer, and passes the check of one process. */
static void check_dim(const dap_layout *layout, int k, const brute_axis *brute, const dap_dist *dist,
                      int coord, const char *version)
{
  static double element;
  const bool is_0_10 = !strcmp(version, "0.10.0");
  const bool wraps = brute->kind == 'b' && dist->wraps && dist->halo > 0;
  const bool edges = brute->kind == 'b' && dist->periodic && (dist->boundary[0] > 0 || dist->boundary[1] > 0);
  const bool promises = !strcmp(version, "0.0.1") && dist->kind == DAP_DIST_UNSTRUCTURED && dist->one_to_one;
  const int64_t extent = brute->extent[coord];
  dap_error err = {0};
  dap_dim dim;
  const dap_status s = dap_layout_dim(layout, version, k, coord, &dim, &err);
  EXPECT_STATUS(s, (is_0_10 ? wraps : edges) || promises ? DAP_ERR_UNSUPPORTED : DAP_OK, &err);
  if (s) return;
  EXPECT_INT(dim.dist_type, brute->kind);
  EXPECT_INT(dim.size, brute->size);
  EXPECT_INT(dim.proc_grid_size, brute->procs);
  EXPECT_INT(dim.proc_grid_rank, coord);
  if (brute->kind == 'b') check_range(&dim, brute, dist, is_0_10);
  if (brute->kind == 'c') EXPECT_INT(dim.block_size, dist->block_size);
  if (brute->kind == 'c') EXPECT(extent ? dim.start == brute->held[coord][0] : dim.start >= dim.size);
  if (brute->kind == 'u') check_indices(&dim, brute, dist);
  dap_array array = {.abi = DAP_ARRAY_ABI,
                     .dim_count = 1,
                     .dims = {dim},
                     .dtype = DAP_F8,
                     .ndim = 1,
                     .shape = {extent},
                     .strides = {8},
                     .data = &element};
  memcpy(array.version, version, strlen(version) + 1);
  EXPECT_OK(dap_array_check(&array, &err), &err);
}

static void check_words(const dap_axis *axis, const brute_axis *brute, const dap_dist *dist)
{
  EXPECT_INT(axis->dist_type, brute->kind);
  EXPECT_INT(axis->periodic, dist->periodic);
  EXPECT_INT(axis->one_to_one, dist->one_to_one);
  EXPECT_INT(axis->procs, dist->procs);
  EXPECT_INT(axis->size, dist->size);
  EXPECT_INT(axis->block_size, dist->block_size);
  EXPECT_INT(axis->boundary[0], dist->boundary[0]);
  EXPECT_INT(axis->boundary[1], dist->boundary[1]);
  if (dist->size > 0) EXPECT_INT(axis->first_owner, dist->first_owner);
}

void check_axis(const dap_layout *layout, const random_array *array, int k)
{
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  const dap_axis axis = dap_layout_axis(layout, k);
  const dap_map *map = &layout->maps[k];
  const brute_axis *brute = &array->model.axes[k];
  const dap_dist *dist = &array->dists[k];
  check_words(&axis, brute, dist);
  EXPECT_INT(dap_layout_size(layout, k), dist->size);
  EXPECT_INT(dap_layout_procs(layout, k), dist->procs);
  for (int p = 0; p < dist->procs; p++) {
    int64_t halo[2] = {-1, -1};
    dap_layout_halo(layout, k, p, halo);
    EXPECT_INT(halo[0], brute->halo[p][0]);
    EXPECT_INT(halo[1], brute->halo[p][1]);
    EXPECT_INT(dap_layout_owned(layout, k, p), brute->owned[p]);
    EXPECT_INT(dap_layout_extent(layout, k, p), brute->extent[p]);
    check_runs(layout, k, brute, dist, p);
    if (brute->kind != 'u') check_run_after(map, brute, p);
    for (dap_region region = DAP_REGION_OWNED; region <= DAP_REGION_ALL && brute->kind != 'u'; region++)
      check_fill(map, brute, p, region);
    for (int i = 0; i < 3; i++) check_dim(layout, k, brute, dist, p, versions[i]);
  }
}

/* ---- elements, one by one and all at once -------------------------------------------------------- */

enum { POSITIONS = 81 * 200 /* most positions of a buffer with halos */ };
static int64_t globals[POSITIONS * DAP_MAX_NDIM], locals[POSITIONS * DAP_MAX_NDIM],
    found[POSITIONS * DAP_MAX_NDIM];
static int ranks[POSITIONS];
static bool owned[POSITIONS];

/* Moves an index of the last element out of range. The text must name the element and the axis, and
 * earlier results must stay. */
static void check_outside(const dap_layout *layout, const random_array *array, int64_t count,
                          test_random *random)
{
  const int axis = (int)test_random_int(random, 0, array->ndim - 1);
  const int64_t size = dap_layout_size(layout, axis);
  const int64_t bad = test_random_one_in(random, 2) ? -1 : size + test_random_int(random, 0, 1);
  int64_t *index = &globals[(count - 1) * array->ndim + axis];
  char parts[120];
  dap_error err = {0};
  snprintf(parts, sizeof parts, "axis %d|index %" PRId64 "|%" PRId64, axis, bad, size - 1);
  *index = bad;
  memset(ranks, -1, sizeof ranks);
  EXPECT_FAIL(dap_layout_locate(layout, index - axis, ranks, found, &err), DAP_ERR_ARG, &err, parts);
  EXPECT(ranks[0] == -1);
  snprintf(parts, sizeof parts, "element %" PRId64 "|axis %d|index %" PRId64, count - 1, axis, bad);
  EXPECT_FAIL(dap_layout_locate_all(layout, count, globals, ranks, found, &err), DAP_ERR_ARG, &err, parts);
  for (int64_t i = 0; i + 1 < count; i++) {
    int64_t want[DAP_MAX_NDIM];
    EXPECT_INT(ranks[i], brute_find(&array->model, globals + i * array->ndim, want));
  }
}

void check_elements(const dap_layout *layout, const random_array *array, test_random *random)
{
  int64_t count = 0;
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&array->model, -1); !w.done; brute_walk_next(&w), count++) {
    int rank = -1;
    int64_t local[DAP_MAX_NDIM];
    EXPECT_OK(dap_layout_locate(layout, w.global, &rank, local, &err), &err);
    EXPECT_INT(rank, w.owner);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(local[k], w.local[k]);
    for (int k = 0; k < array->ndim; k++) globals[count * array->ndim + k] = w.global[k];
  }
  EXPECT_OK(dap_layout_locate_all(layout, count, globals, ranks, found, &err), &err);
  count = 0;
  for (brute_walk w = brute_walk_start(&array->model, -1); !w.done; brute_walk_next(&w), count++) {
    EXPECT_INT(ranks[count], w.owner);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(found[count * array->ndim + k], w.local[k]);
  }
  if (count > 0 && array->ndim > 0) check_outside(layout, array, count, random);
}

static void check_beyond(const dap_layout *layout, const random_array *array, int rank, int64_t count,
                         test_random *random)
{
  const int axis = (int)test_random_int(random, 0, array->ndim - 1);
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  const int64_t extent = dap_layout_extent(layout, axis, coords[axis]);
  const int64_t bad = test_random_one_in(random, 2) ? -1 : extent;
  char parts[120];
  dap_error err = {0};
  snprintf(parts, sizeof parts, "element %" PRId64 "|axis %d|position %" PRId64, count - 1, axis, bad);
  locals[(count - 1) * array->ndim + axis] = bad;
  EXPECT_FAIL(dap_layout_globalize_all(layout, rank, count, locals, found, NULL, &err), DAP_ERR_ARG, &err,
              parts);
  EXPECT_FAIL(dap_layout_globalize(layout, array->nprocs, locals, found, NULL, &err), DAP_ERR_ARG, &err,
              "rank");
  EXPECT_FAIL(dap_layout_globalize(layout, -1, locals, found, NULL, &err), DAP_ERR_ARG, &err, "rank -1");
}

void check_positions(const dap_layout *layout, const random_array *array, int rank, test_random *random)
{
  int64_t count = 0;
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&array->model, rank); !w.done; brute_walk_next(&w), count++) {
    int64_t global[DAP_MAX_NDIM];
    bool mine = false;
    EXPECT_OK(dap_layout_globalize(layout, rank, w.local, global, &mine, &err), &err);
    EXPECT_INT(mine, w.part == BRUTE_OWNED);
    EXPECT(!mine || w.owner == rank);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(global[k], w.global[k]);
    if (!EXPECT(count < POSITIONS)) return;
    for (int k = 0; k < array->ndim; k++) locals[count * array->ndim + k] = w.local[k];
  }
  EXPECT_OK(dap_layout_globalize_all(layout, rank, count, locals, found, owned, &err), &err);
  count = 0;
  for (brute_walk w = brute_walk_start(&array->model, rank); !w.done; brute_walk_next(&w), count++) {
    EXPECT_INT(owned[count], w.part == BRUTE_OWNED);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(found[count * array->ndim + k], w.global[k]);
  }
  if (count > 0 && array->ndim > 0) check_beyond(layout, array, rank, count, random);
}
