/* The memory of a plan must grow with the sum of the axes' runs, not with their product. The tests also
 * check what the plan says about itself. Private: the runs of an axis have no public function. */
#include "mpi_test.h"
#include "plans.h"
#include "transfer_impl.h"

#include <inttypes.h>

/* Returns the bytes of the plan from row slabs to blocks of `nb` on a square grid, for an n x n array. */
static int64_t plan_bytes(int64_t n, int64_t nb)
{
  const int procs = test_nprocs(), side = procs == 4 ? 2 : 1;
  const dap_dist slabs[] = {dap_dist_even(n, procs), dap_dist_even(n, 1)};
  const dap_dist blocks[] = {dap_dist_cyclic(n, side, nb), dap_dist_cyclic(n, procs / side, nb)};
  dap_plan *plan = plan_of(2, slabs, blocks, NULL);
  const int64_t bytes = dap_plan_summarize(plan).bytes_plan;
  dap_plan_destroy(&plan);
  return bytes;
}

/* Each process has 1000 x 1000 runs or more. A list of all of them would take 16 MB. */
static void does_not_grow_with_the_product_of_runs(void **state)
{
  (void)state;
  const int64_t small = plan_bytes(40, 1), large = plan_bytes(2000, 1);
  EXPECT_MSG(large < 64 * 1024, "a plan for 2000 x 2000 single elements holds %lld bytes", (long long)large);
  EXPECT_MSG(large <= small + 4096, "regular runs cost nothing: %lld bytes for 40 x 40, %lld for 2000 x 2000",
             (long long)small, (long long)large);
  SETTLE();
}

/* Runs at equal steps are one strided run, however many there are. Irregular runs are listed one by one. */
static void joins_regular_runs(void **state)
{
  (void)state;
  const dap_dist cyclic = dap_dist_cyclic(1000000, 3, 1), block = dap_dist_even(1000000, 2);
  const dap_dist fives = dap_dist_cyclic(100, 3, 5), sevens = dap_dist_cyclic(100, 2, 7);
  dap_layout *a = layout_make(1, &cyclic, NULL), *b = layout_make(1, &block, NULL),
             *c = layout_make(1, &fives, NULL), *d = layout_make(1, &sevens, NULL);
  const dap_axis_part all = {.length = 1000000};
  dap_overlap overlap;
  dap_error err;
  EXPECT_OK(dap_overlap_create(&a->maps[0], 1, &b->maps[0], 0, &all, &overlap, &err), &err);
  EXPECT_INT(overlap.size, 1);
  EXPECT_INT(overlap.elements, 166667);
  dap_overlap_release(&overlap);
  EXPECT_OK(dap_overlap_create(&b->maps[0], 1, &b->maps[0], 1, &all, &overlap, &err), &err);
  EXPECT_INT(overlap.size, 1);
  EXPECT_INT(overlap.runs[0].count, 1);
  EXPECT_INT(overlap.runs[0].length, 500000);
  dap_overlap_release(&overlap);
  EXPECT_OK(dap_overlap_create(&c->maps[0], 0, &d->maps[0], 1, &all, &overlap, &err), &err);
  EXPECT(overlap.size > 2);
  dap_overlap_release(&overlap);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  dap_layout_destroy(&c);
  dap_layout_destroy(&d);
  SETTLE();
}

/* These bytes cannot be counted in 32 bits. The plan is made, but not run. */
static void counts_in_64_bits(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  if (procs == 1) return;
  const int64_t half = INT64_C(3) << 30;
  const dap_dist halves[] = {dap_dist_even(2 * half, 2)}, one[] = {dap_dist_even(2 * half, 1)};
  const int last = procs - 1;
  const int pair[] = {0, last};
  dap_layout *from = layout_make(1, halves, NULL), *to = layout_make(1, one, NULL);
  dap_plan *plan = NULL;
  dap_error err;
  const dap_side a = {.layout = from, .ranks = pair, .contiguous = true},
                 b = {.layout = to, .ranks = &last, .contiguous = true};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 1, NULL, &plan, &err), &err)) {
    const dap_plan_stats stats = dap_plan_summarize(plan);
    const int rank = test_rank();
    EXPECT_INT(stats.bytes_sent, rank == 0 ? half : 0);
    EXPECT(rank == 0 ? stats.messages_sent >= 3 : stats.messages_sent == 0);
    EXPECT(stats.bytes_buffer <= 64 << 20);
    EXPECT_INT(stats.bytes_received, rank == last ? half : 0);
    EXPECT_INT(stats.bytes_local, rank == last ? half : 0);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

/* A plan describes both layouts in one line each, and gives the figures of dap_plan_summarize(). */
static void describes_itself(void **state)
{
  (void)state;
  const dap_dist even = dap_dist_even(24, test_nprocs()), cyclic = dap_dist_cyclic(24, test_nprocs(), 2);
  dap_layout *from = layout_make(1, &even, NULL), *to = layout_make(1, &cyclic, NULL);
  dap_plan *plan = plan_of(1, &even, &cyclic, NULL);
  char text[4096], parts[512], layouts[2][128];
  (void)dap_layout_summary(from, layouts[0], sizeof layouts[0]);
  (void)dap_layout_summary(to, layouts[1], sizeof layouts[1]);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  (void)snprintf(parts, sizeof parts,
                 "8 bytes|from: %s\n|to: %s\n|rank %d: keeps %" PRId64 " bytes, sends %" PRId64 " in",
                 layouts[0], layouts[1], test_rank(), stats.bytes_local, stats.bytes_sent);
  const size_t length = dap_plan_describe(plan, text, sizeof text);
  EXPECT_INT(length, strlen(text));
  EXPECT_MSG(test_contains(text, parts), "%s lacks a part of %s", text, parts);
  char less[20];
  EXPECT_INT(dap_plan_describe(plan, less, sizeof less), length);
  EXPECT(strlen(less) == sizeof less - 1 && !strncmp(less, text, sizeof less - 1));
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

/* A plan also says how elements are changed. */
static void describes_what_changes(void **state)
{
  (void)state;
  const dap_dist even = dap_dist_even(24, test_nprocs());
  const double alpha[] = {2, -1}, beta[] = {0.5, 0};
  const dap_plan_options options = {.conjugate = true, .alpha = alpha, .beta = beta};
  dap_layout *layout = layout_make(1, &even, NULL);
  dap_plan *plan = NULL;
  dap_error err = {0};
  char text[4096];
  const dap_side from = side_in_c_order(layout, DAP_C8), to = side_in_c_order(layout, DAP_C16);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &from, &to, 0, &options, &plan, &err), &err)) {
    (void)dap_plan_describe(plan, text, sizeof text);
    EXPECT_MSG(
        test_contains(text, "complex64 to complex128|conjugated, scaled by 2-1i, destination by 0.5+0i"),
        "%s lacks a part", text);
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Compares dap_plan_preview() with the plan. All processes are alike, and all elements go by messages. */
static void previews_what_it_makes(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  const int64_t size = 48 * procs;
  const dap_dist even[] = {dap_dist_even(size, procs), dap_dist_even(60, 1)};
  const dap_dist columns[] = {dap_dist_even(size, 1), dap_dist_cyclic(60, procs, 60 / procs / 2 + 1)};
  const dap_plan_options options = {.transports = DAP_TRANSPORT_MESSAGES, .message_bytes = 4096};
  dap_layout *from = layout_make(2, even, NULL), *to = layout_make(2, columns, NULL);
  const dap_side a = side_in_c_order(from, DAP_F8), b = side_in_c_order(to, DAP_F8);
  dap_plan *plan = plan_of(2, even, columns, &options);
  expect_preview(&a, &b, 0, &options, plan);
  EXPECT(procs == 1 || dap_plan_summarize(plan).messages_sent > procs - 1);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

enum { LISTED = 64 };

/* Each process knows all lists of an axis, and elements move to and from these lists. Previews are compared
 * with the plans. */
static void lists_that_are_known_have_previews(void **state)
{
  (void)state;
  const int n = test_nprocs();
  int64_t indices[LISTED], lengths[16];
  const int64_t *lists[16];
  for (int i = 0; i < LISTED; i++) indices[i] = i * 37 % LISTED;
  for (int r = 0; r < n; r++) {
    const int first = LISTED * r / n;
    lengths[r] = LISTED * (r + 1) / n - first;
    lists[r] = indices + first;
  }
  const dap_dist listed[] = {dap_dist_unstructured(LISTED, n, lengths, lists), dap_dist_even(3, 1)};
  const dap_dist even[] = {dap_dist_even(LISTED, n), dap_dist_even(3, 1)};
  dap_layout *layouts[2] = {layout_make(2, listed, NULL), layout_make(2, even, NULL)};
  const dap_side a = side_in_c_order(layouts[0], DAP_F8), b = side_in_c_order(layouts[1], DAP_F8);
  dap_plan *there = plan_of(2, listed, even, NULL), *back = plan_of(2, even, listed, NULL);
  expect_preview(&a, &b, 0, NULL, there);
  expect_preview(&b, &a, 0, NULL, back);
  dap_plan_destroy(&there);
  dap_plan_destroy(&back);
  for (int i = 0; i < 2; i++) dap_layout_destroy(&layouts[i]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(does_not_grow_with_the_product_of_runs),
    cmocka_unit_test(joins_regular_runs),
    cmocka_unit_test(counts_in_64_bits),
    cmocka_unit_test(describes_itself),
    cmocka_unit_test(describes_what_changes),
    cmocka_unit_test(previews_what_it_makes),
    cmocka_unit_test(lists_that_are_known_have_previews),
};
MPI_TEST_MAIN(tests)
