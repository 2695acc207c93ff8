/* Tests small axes of every kind. Legal ones must answer like the brute-force model, and all others must
 * be refused. */
#include "map_check.h"
#include "mpi_test.h"

/* Checks all answers of a legal distribution, or that an illegal one is refused. Returns whether it was
 * legal. */
static bool check_dist(const dap_dist *dist)
{
  static random_array array;
  dap_error err = {0};
  dap_layout *layout = (dap_layout *)&array; /* any value except NULL */
  TEST_CASE("%s", dist_text(dist));
  if (!brute_array_deal(1, dist, NULL, &array.model)) {
    EXPECT_FAIL(dap_layout_create(1, dist, &layout, &err), DAP_ERR_DIM, &err, "axis 0");
    EXPECT(layout == NULL);
    return false;
  }
  test_random random = test_random_init(71);
  (void)array_deal(1, dist, NULL, &array);
  layout = random_array_layout(&array);
  if (!layout) return true;
  check_layout(layout, &array, &random);
  dap_layout_destroy(&layout);
  return true;
}

/* Checks each contiguous distribution with halos and boundary widths that fit or do not fit. */
static void check_paddings(dap_dist dist, int *legal, int *refused)
{
  static const struct {
    int64_t boundary[2];
    bool periodic, wraps;
  } edges[] = {
      {{0, 0}, false, false}, {{1, 0}, true, false}, {{0, 2}, false, false},
      {{2, 1}, true, false},  {{0, 0}, true, true}, /* the halo wraps around */
      {{0, 0}, false, true},                        /* only if the axis is periodic */
      {{1, 0}, true, true},                         /* and it has no boundary */
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

/* Tests all lengths 0..3 on three processes, and some with a wrong sum. */
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

/* Tests all ways in which two processes can list 0 .. 2 indices of an axis of two, in range and out of
 * range. */
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
