/* Private: no public function returns the runs of transfers. */
#include "map_check.h"

#include "model_impl.h"
#include "mpi_test.h"

#include <inttypes.h>

/* ---- ranks ------------------------------------------------------------------------------------------ */

static void check_ranks(const dap_layout *layout, const random_array *array)
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

/* Returns the expected number of runs. A range is one run, and so is each block. In lists, runs are as long
 * as the indices allow. */
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
  const int64_t extent = brute->extent[coord];
  dap_error err = {0};
  dap_dim dim;
  const dap_status s = dap_layout_dim(layout, version, k, coord, &dim, &err);
  EXPECT_STATUS(s, dist_is_sayable(dist, version) ? DAP_OK : DAP_ERR_UNSUPPORTED, &err);
  if (s) return;
  EXPECT_INT(dim.dist_type, brute->kind);
  EXPECT_INT(dim.size, brute->size);
  EXPECT_INT(dim.proc_grid_size, brute->procs);
  EXPECT_INT(dim.proc_grid_rank, coord);
  if (brute->kind == 'b') check_range(&dim, brute, dist, !strcmp(version, "0.10.0"));
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

/* Checks widths, extents, runs of owned elements, and the dictionaries of all processes of an axis. */
static void check_axis(const dap_layout *layout, const random_array *array, int k)
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

/* ---- elements and positions -------------------------------------------------------------------------- */

enum { POSITIONS = 81 * 200 /* most positions of a buffer with halos */ };

/* The indices that are passed to functions, and the expected and returned indices. owners[] and told[] are
 * the expected and returned ranks of elements. For positions they are 1 if the process owns the element
 * there. */
static int64_t asked[POSITIONS * DAP_MAX_NDIM], places[POSITIONS * DAP_MAX_NDIM],
    found[POSITIONS * DAP_MAX_NDIM];
static int owners[POSITIONS], told[POSITIONS];

/* Asks where `count` elements are (rank -1), or which elements are at positions of that process's buffer. */
static dap_status ask_all(const dap_layout *layout, int rank, int64_t count, dap_error *err)
{
  static bool owned[POSITIONS];
  if (rank < 0) return dap_layout_locate_all(layout, count, asked, told, found, err);
  for (int64_t i = 0; i < count; i++) owned[i] = !owners[i];
  const dap_status s = dap_layout_globalize_all(layout, rank, count, asked, found, owned, err);
  for (int64_t i = 0; i < count; i++) told[i] = owned[i];
  return s;
}

static dap_status ask_one(const dap_layout *layout, int rank, const int64_t from[], dap_error *err)
{
  bool owned = told[0] > 0;
  if (rank < 0) return dap_layout_locate(layout, from, told, found, err);
  const dap_status s = dap_layout_globalize(layout, rank, from, found, &owned, err);
  if (!s) told[0] = owned;
  return s;
}

static void check_told(int64_t first, int64_t count, int ndim)
{
  for (int64_t i = 0; i < count; i++) EXPECT_INT(told[i], owners[first + i]);
  for (int64_t i = 0; i < count * ndim; i++) EXPECT_INT(found[i], places[first * ndim + i]);
}

/* Moves an index of the last element or position out of range. The text must name the element and the axis,
 * and the answers for all elements before it must be valid. */
static void check_outside(const dap_layout *layout, int rank, int64_t count, test_random *random)
{
  const int ndim = dap_layout_ndim(layout), axis = (int)test_random_int(random, 0, ndim - 1);
  int coords[DAP_MAX_NDIM] = {0};
  int64_t *last = &asked[(count - 1) * ndim];
  char parts[120];
  dap_error err = {0};
  if (rank >= 0) dap_layout_coords(layout, rank, coords);
  const int64_t most =
      rank < 0 ? dap_layout_size(layout, axis) : dap_layout_extent(layout, axis, coords[axis]);
  last[axis] = test_random_one_in(random, 2) ? -1 : most + test_random_int(random, 0, 1);
  const int named = snprintf(parts, sizeof parts, "axis %d|%s %" PRId64 "|%" PRId64, axis,
                             rank < 0 ? "index" : "position", last[axis], most - 1);
  told[0] = -1;
  EXPECT_FAIL(ask_one(layout, rank, last, &err), DAP_ERR_ARG, &err, parts);
  EXPECT_INT(told[0], -1);
  snprintf(parts + named, sizeof parts - (size_t)named, "|element %" PRId64, count - 1);
  memset(told, -1, sizeof told);
  memset(found, -1, sizeof found);
  EXPECT_FAIL(ask_all(layout, rank, count, &err), DAP_ERR_ARG, &err, parts);
  check_told(0, count - 1, ndim);
  if (rank < 0) return;
  const dap_status s = dap_layout_globalize_all(layout, rank, count, asked, found, NULL, &err);
  EXPECT_FAIL(s, DAP_ERR_ARG, &err, parts);
  const int nprocs = dap_layout_nprocs(layout);
  EXPECT_FAIL(ask_one(layout, nprocs, asked, &err), DAP_ERR_ARG, &err, "rank");
  EXPECT_FAIL(dap_layout_globalize(layout, -1, asked, found, NULL, &err), DAP_ERR_ARG, &err, "rank -1");
}

/* Checks all elements (rank -1), or all positions of that process's buffer: one by one, all at once, and one
 * outside. */
static void check_places(const dap_layout *layout, const random_array *array, int rank, test_random *random)
{
  const int ndim = array->ndim;
  const size_t bytes = (size_t)ndim * sizeof *asked;
  int64_t count = 0;
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&array->model, rank); !w.done; brute_walk_next(&w), count++) {
    if (!EXPECT(count < POSITIONS)) return;
    memcpy(&asked[count * ndim], rank < 0 ? w.global : w.local, bytes);
    memcpy(&places[count * ndim], rank < 0 ? w.local : w.global, bytes);
    owners[count] = rank < 0 ? w.owner : w.part == BRUTE_OWNED;
    EXPECT(w.part != BRUTE_OWNED || rank < 0 || w.owner == rank);
    EXPECT_OK(ask_one(layout, rank, &asked[count * ndim], &err), &err);
    check_told(count, 1, ndim);
  }
  EXPECT_OK(ask_all(layout, rank, count, &err), &err);
  check_told(0, count, ndim);
  if (count > 0 && ndim > 0) check_outside(layout, rank, count, random);
}

void check_layout(const dap_layout *layout, const random_array *array, test_random *random)
{
  check_ranks(layout, array);
  for (int k = 0; k < array->ndim; k++) check_axis(layout, array, k);
  for (int rank = -1; rank < array->nprocs; rank++) check_places(layout, array, rank, random);
}
