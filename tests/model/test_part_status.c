/* A part that cannot be had in place cannot be had by any process: dap_array_part() has the status of
 * dap_layout_part() on every rank, whether the rank has some of the part or not. */
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/part.h>
#include <inttypes.h>

enum { CASES = 3000, AXES = 4, PROCS = 8, COUNT = 400 };

/* The same status, and no array where there is an error. Returns whether some rank has no part. */
static bool check_ranks(const dap_layout *layout, const dap_part *part, dap_status want)
{
  bool lacks = false;
  for (int rank = 0; rank < dap_layout_nprocs(layout); rank++) {
    dap_array whole, own;
    dap_error err = {0};
    if (!EXPECT_OK(dap_array_init(&whole, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err)) break;
    const dap_status s = dap_array_part((dap_darray){layout, &whole}, rank, part, &own, &err);
    EXPECT_MSG(s == want, "rank %d: %s, not %s: %s", rank, dap_status_name(s), dap_status_name(want),
               s ? err.text : "");
    if (s) EXPECT(own.abi == 0);
    lacks = lacks || own.abi == 0;
    dap_array_release(&own);
    dap_array_release(&whole);
  }
  return lacks;
}

static dap_status status_of(const dap_layout *layout, const dap_part *part)
{
  dap_layout *cut = NULL;
  const dap_status s = dap_layout_part(layout, part, &cut, NULL, NULL);
  dap_layout_destroy(&cut);
  return s;
}

/* Index 3 of axis 0, which half of the processes have. */
static void each_cause(void **state)
{
  (void)state;
  const int64_t six = 6, mixed[] = {5, 1, 2, 0, 4, 3}, *const lists[] = {mixed};
  dap_dist wrapping = dap_dist_padded(6, 2, 1);
  wrapping.periodic = true;
  const struct {
    const char *why;
    dap_dist dist;
    int64_t start, extent;
    dap_status want;
  } rows[] = {
      {"any range of blocks is an array", dap_dist_even(6, 2), 1, 4, DAP_OK},
      {"a list of which a range lies at unequal distances", dap_dist_unstructured(6, 1, &six, lists), 1, 5,
       DAP_ERR_SHARE},
      {"a range that begins inside a block", dap_dist_cyclic(9, 2, 3), 1, 8, DAP_ERR_SHARE},
      {"a range beyond the end", dap_dist_even(6, 2), 1, 6, DAP_ERR_ARG},
      {"padding that wraps round is not in the part", wrapping, 1, 4, DAP_OK},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_dist dists[] = {dap_dist_even(4, 2), rows[i].dist};
    dap_layout *layout = NULL;
    const dap_part part = {.naxes = 1,
                           .axes = (int[]){1},
                           .start = (int64_t[]){3, rows[i].start},
                           .shape = (int64_t[]){0, rows[i].extent}};
    TEST_CASE("%s", rows[i].why);
    EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
    EXPECT_INT(status_of(layout, &part), rows[i].want);
    EXPECT(check_ranks(layout, &part, rows[i].want));
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

typedef struct choice {
  int naxes, axes[AXES];
  int64_t start[AXES], shape[AXES];
} choice;

static choice draw_part(test_random *random, const random_array *whole)
{
  choice c = {0};
  int order[AXES] = {0, 1, 2, 3};
  test_shuffle(random, whole->ndim, order);
  c.naxes = (int)test_random_int(random, 0, whole->ndim);
  for (int j = 0; j < whole->ndim; j++) {
    const int64_t size = whole->model.axes[order[j]].size;
    if (j < c.naxes) c.axes[j] = order[j];
    c.start[order[j]] = test_random_int(random, 0, size > 0 ? size - 1 : 0);
    c.shape[order[j]] = test_random_int(random, 0, size - c.start[order[j]]);
  }
  return c;
}

static void all_ranks_of_random_parts(void **state)
{
  (void)state;
  test_random random = test_random_init(4013);
  int refused = 0, lacking = 0;
  for (int i = 0; i < CASES; i++) {
    int64_t size[AXES];
    random_array whole;
    const int nprocs = (int)test_random_int(&random, 1, PROCS), ndim = (int)test_random_int(&random, 1, AXES);
    random_shape(&random, ndim, COUNT, size);
    random_array_draw(&random, nprocs, ndim, size, &whole);
    if (!random_array_is_sayable(&whole, "0.10.0") && !random_array_is_sayable(&whole, "0.9.0")) continue;
    const choice c = draw_part(&random, &whole);
    const dap_part part = {.naxes = c.naxes, .axes = c.axes, .start = c.start, .shape = c.shape};
    dap_layout *layout = random_array_layout(&whole);
    TEST_CASE("seed %" PRIu64 ", case %d: %s, %d axes kept", test_seed(), i, random_array_text(&whole),
              c.naxes);
    const dap_status want = status_of(layout, &part);
    const bool lacks = check_ranks(layout, &part, want);
    refused += want == DAP_ERR_SHARE;
    lacking += !want && lacks;
    dap_layout_destroy(&layout);
    SETTLE();
  }
  EXPECT_MSG(refused > CASES / 20 && lacking > CASES / 20, "%d refused, %d on some ranks only", refused,
             lacking);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_cause),
    cmocka_unit_test(all_ranks_of_random_parts),
};
MPI_TEST_MAIN(tests)
