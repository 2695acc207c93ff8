/* One axis: every answer of a layout against elements dealt out one at a time. */
#include "brute.h"
#include "model_impl.h"
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>

/* Runs that there should be: one of a range, one a block, or as long as the indices allow. */
static int64_t expect_runs(const brute_axis *brute, const dap_dist *dist, int coord)
{
  int64_t runs = 0, before = -2; /* the index owned at the position before; -2: none */
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

/* Owned elements, as runs in the order of the buffer. */
static void check_runs(const dap_layout *layout, const brute_axis *brute, const dap_dist *dist, int coord)
{
  const int64_t blocks = expect_runs(brute, dist, coord);
  int64_t listed = 0, count = 0, behind = 0;
  EXPECT(dap_layout_knows(layout, 0, coord));
  for (dap_run run = {0}; dap_layout_next_run(layout, 0, coord, &run); count++) {
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

/* The transfer layer's question: the first run that ends behind an element. */
static void check_run_after(const dap_layout *layout, const brute_axis *brute, int coord)
{
  const dap_map *map = &layout->maps[0];
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

/* The stretches that a transfer fills, spread out to positions, against what the buffer holds. */
static void check_fill(const dap_layout *layout, const brute_axis *brute, int coord, dap_region region)
{
  const dap_map *map = &layout->maps[0];
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

static void check_elements(const dap_layout *layout, const brute_axis *brute)
{
  dap_error err = {0};
  for (int64_t i = 0; i < brute->size; i++) {
    int rank = -1;
    int64_t local = -1;
    EXPECT_OK(dap_layout_locate(layout, &i, &rank, &local, &err), &err);
    EXPECT_INT(rank, brute->owner[i]);
    EXPECT_INT(local, brute->local[i]);
  }
  for (int p = 0; p < brute->procs; p++)
    for (int64_t local = 0; local < brute->extent[p]; local++) {
      int64_t global = -1;
      bool owned = false;
      EXPECT_OK(dap_layout_globalize(layout, p, &local, &global, &owned, &err), &err);
      EXPECT_INT(global, brute->held[p][local]);
      EXPECT_INT(owned, brute_owns(brute, p, local));
    }
}

/* Start and stop count communication padding in 0.10 only; padding at the edges is a halo if it wraps
 * round. */
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

/* The dictionary says what the buffer holds, and passes the check of one process. */
static void check_dim(const dap_layout *layout, const brute_axis *brute, const dap_dist *dist, int coord,
                      const char *version)
{
  static double element;
  const bool is_0_10 = !strcmp(version, "0.10.0");
  const bool wraps = brute->kind == 'b' && dist->wraps && dist->halo > 0;
  const bool edges = brute->kind == 'b' && dist->periodic && (dist->boundary[0] > 0 || dist->boundary[1] > 0);
  const bool promises = !strcmp(version, "0.0.1") && dist->kind == DAP_DIST_UNSTRUCTURED && dist->one_to_one;
  const int64_t extent = brute->extent[coord];
  dap_error err = {0};
  dap_dim dim;
  const dap_status s = dap_layout_dim(layout, version, 0, coord, &dim, &err);
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

static void check_axis(const dap_layout *layout, const brute_axis *brute, const dap_dist *dist)
{
  const dap_axis axis = dap_layout_axis(layout, 0);
  EXPECT_INT(axis.dist_type, brute->kind);
  EXPECT_INT(axis.periodic, dist->periodic);
  EXPECT_INT(axis.one_to_one, dist->one_to_one);
  EXPECT_INT(axis.procs, dist->procs);
  EXPECT_INT(axis.size, dist->size);
  EXPECT_INT(axis.block_size, dist->block_size);
  EXPECT_INT(axis.boundary[0], dist->boundary[0]);
  EXPECT_INT(axis.boundary[1], dist->boundary[1]);
  if (dist->size > 0) EXPECT_INT(axis.first_owner, dist->first_owner);
  EXPECT_INT(dap_layout_size(layout, 0), dist->size);
  EXPECT_INT(dap_layout_count(layout), dist->size);
  EXPECT_INT(dap_layout_procs(layout, 0), dist->procs);
  EXPECT_INT(dap_layout_nprocs(layout), dist->procs);
}

/* Everything that can be asked; or, when the distribution is illegal, that it is refused. Returns
 * whether it was legal. */
static bool check_dist(const dap_dist *dist)
{
  static brute_axis brute;
  dap_error err = {0};
  dap_layout *layout = NULL;
  TEST_CASE("%s", dist_text(dist));
  if (!brute_deal(dist, &brute)) {
    dap_layout *const other = (dap_layout *)&brute;
    layout = other;
    EXPECT_FAIL(dap_layout_create(1, dist, &layout, &err), DAP_ERR_DIM, &err, "axis 0");
    EXPECT(layout == NULL);
    return false;
  }
  if (!EXPECT_OK(dap_layout_create(1, dist, &layout, &err), &err)) return true;
  check_axis(layout, &brute, dist);
  for (int p = 0; p < dist->procs; p++) {
    int64_t halo[2] = {-1, -1};
    dap_layout_halo(layout, 0, p, halo);
    EXPECT_INT(halo[0], brute.halo[p][0]);
    EXPECT_INT(halo[1], brute.halo[p][1]);
    EXPECT_INT(dap_layout_owned(layout, 0, p), brute.owned[p]);
    EXPECT_INT(dap_layout_extent(layout, 0, p), brute.extent[p]);
    check_runs(layout, &brute, dist, p);
    if (brute.kind != 'u') check_run_after(layout, &brute, p);
    for (dap_region region = DAP_REGION_OWNED; region <= DAP_REGION_ALL && brute.kind != 'u'; region++)
      check_fill(layout, &brute, p, region);
    check_dim(layout, &brute, dist, p, "0.10.0");
    check_dim(layout, &brute, dist, p, "0.9.0");
    check_dim(layout, &brute, dist, p, "0.0.1");
  }
  check_elements(layout, &brute);
  dap_layout_destroy(&layout);
  return true;
}

/* Each contiguous distribution with halos and boundary widths, fitting and not. */
static void check_paddings(dap_dist dist, int *legal, int *refused)
{
  static const struct {
    int64_t boundary[2];
    bool periodic, wraps;
  } edges[] = {
      {{0, 0}, false, false}, {{1, 0}, true, false}, {{0, 2}, false, false},
      {{2, 1}, true, false},  {{0, 0}, true, true}, /* the halo wraps round */
      {{0, 0}, false, true},                        /* but only where the axis is periodic */
      {{1, 0}, true, true},                         /* and has no edges */
  };
  for (dist.halo = 0; dist.halo <= 3; dist.halo++)
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
      dist.boundary[0] = edges[i].boundary[0];
      dist.boundary[1] = edges[i].boundary[1];
      dist.periodic = edges[i].periodic;
      dist.wraps = edges[i].wraps;
      *(check_dist(&dist) ? legal : refused) += 1;
    }
}

static void contiguous_axes(void **state)
{
  (void)state;
  int legal = 0, refused = 0;
  for (int64_t size = 0; size <= 13; size++)
    for (int procs = 1; procs <= 5; procs++)
      for (dap_dist_kind cut = DAP_DIST_EVEN; cut <= DAP_DIST_CEIL; cut++)
        check_paddings((dap_dist){.kind = cut, .procs = procs, .size = size}, &legal, &refused);
  EXPECT(legal > 500 && refused > 500);
  SETTLE();
}

/* All lengths 0..3 on three processes, and some that do not add up. */
static void axes_of_given_lengths(void **state)
{
  (void)state;
  int legal = 0, refused = 0;
  for (int code = 0; code < 64; code++) {
    const int64_t lengths[3] = {code % 4, code / 4 % 4, code / 16};
    const int64_t size = lengths[0] + lengths[1] + lengths[2];
    dap_dist dist = {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = size, .lengths = lengths};
    check_paddings(dist, &legal, &refused);
    dist.size = size + 1;
    EXPECT(!check_dist(&dist));
    dist.size = size - 1;
    EXPECT(!check_dist(&dist));
  }
  EXPECT(legal > 100 && refused > 100);
  SETTLE();
}

static void cyclic_axes(void **state)
{
  (void)state;
  static const int64_t blocks[] = {1, 2, 3, 4, 5, 20};
  for (int64_t size = 0; size <= 13; size++)
    for (int procs = 1; procs <= 5; procs++)
      for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        for (int first = 0; first < procs; first++) {
          const dap_dist dist = {.kind = DAP_DIST_CYCLIC,
                                 .procs = procs,
                                 .size = size,
                                 .block_size = blocks[i],
                                 .first_owner = first};
          EXPECT(check_dist(&dist));
        }
  SETTLE();
}

/* All ways in which two processes can list 0 .. 2 elements of an axis of two, in and out of range. */
static void axes_of_given_lists(void **state)
{
  (void)state;
  int legal = 0, refused = 0;
  for (int code = 0; code < 9 * 256; code++) {
    const int64_t lengths[2] = {code % 3, code / 3 % 3};
    int64_t lists[2][2];
    for (int i = 0; i < 4; i++) lists[i / 2][i % 2] = (code / 9 >> 2 * i) % 4 - 1; /* -1 .. 2 */
    const int64_t *const indices[2] = {lists[0], lists[1]};
    dap_dist dist = dap_dist_unstructured(2, 2, lengths, indices);
    for (int one_to_one = 0; one_to_one < 2; one_to_one++) {
      dist.one_to_one = one_to_one;
      *(check_dist(&dist) ? &legal : &refused) += 1;
    }
  }
  EXPECT_MSG(legal > 100 && refused > 1000, "%d legal, %d refused", legal, refused);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contiguous_axes),
    cmocka_unit_test(axes_of_given_lengths),
    cmocka_unit_test(cyclic_axes),
    cmocka_unit_test(axes_of_given_lists),
};

MPI_TEST_MAIN(tests)
