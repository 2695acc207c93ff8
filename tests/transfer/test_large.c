/* Moves more than 2^31 bytes from each process, and uses layouts of more than 2^32 elements. The tests need
 * 9 GiB and several minutes, so they run only on request. Elements are bytes computed from the global
 * index; first some are checked, and then all. */
#include <dapbridge/shared.h>

#include "mpi_test.h"

#include <inttypes.h>

enum { SAMPLES = 100000 };

typedef struct row {
  const char *why;
  int ndim;
  int64_t size[2];
  int64_t from_block[2], to_block[2]; /* blocks of a cyclic cut of each axis; 0: an even cut; -1: not cut */
  bool is_swapped, is_shared, is_fortran;
  unsigned transports;
} row;

#define LONG ((INT64_C(1) << 32) + 98765)

static const row rows[] = {
    {"messages: each process sends all that it has",
     1,
     {LONG},
     {0},
     {0},
     true,
     false,
     false,
     DAP_TRANSPORT_MESSAGES},
    {"slots", 1, {LONG}, {0}, {0}, true, false, false, DAP_TRANSPORT_STAGED},
    {"direct", 1, {LONG}, {0}, {0}, true, true, false, DAP_TRANSPORT_DIRECT},
    {"blocks of a megabyte", 1, {LONG}, {0}, {1 << 20}, false, false, false, 0},
    {"blocks of a line: 2^25 runs a process", 1, {LONG}, {0}, {64}, false, false, false, 0},
    {"rows longer than 2^30", 2, {3, LONG / 3}, {-1, 0}, {-1, 64}, true, false, false, 0},
    {"rows to columns", 2, {65600, 65700}, {0, -1}, {-1, 64}, true, false, false, 0},
    {"C order to Fortran order", 2, {65600, 65700}, {0, -1}, {-1, 0}, true, false, true, 0},
};

/* ---- one side --------------------------------------------------------------------------------------- */

typedef struct side {
  int ranks[6], process;
  dap_layout *layout;
  dap_array array;
} side;

/* Spreads row-major numbers over bytes, so that neighbours, rows, and elements 2^32 apart have different
 * bytes. */
static unsigned char byte_of(int64_t flat)
{
  return (unsigned char)((uint64_t)flat * UINT64_C(0x9E3779B97F4A7C15) >> 56);
}

static side make_side(const row *r, const int64_t blocks[], bool is_swapped, dap_order order, bool is_shared)
{
  const int n = test_nprocs();
  side s = {0};
  dap_dist dists[2];
  dap_error err = {0};
  for (int i = 0; i < n; i++) s.ranks[i] = is_swapped ? n - 1 - i : i;
  s.process = is_swapped ? n - 1 - test_rank() : test_rank();
  for (int k = 0; k < r->ndim; k++)
    dists[k] = blocks[k] > 0 ? dap_dist_cyclic(r->size[k], n, blocks[k])
                             : dap_dist_even(r->size[k], blocks[k] ? 1 : n);
  EXPECT_OK(dap_layout_create(r->ndim, dists, &s.layout, &err), &err);
  if (is_shared)
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, s.layout, DAP_U1, order, &s.array, NULL, &err), &err);
  else
    EXPECT_OK(dap_array_init(&s.array, s.layout, s.process, DAP_U1, order, NULL, &err), &err);
  return s;
}

/* Writes or checks `length` elements, which are `step` apart in the row-major order of the array. */
static bool visit_run(unsigned char *at, int64_t flat, int64_t step, int64_t length, bool writes)
{
  for (int64_t j = 0; j < length; j++, flat += step)
    if (writes)
      at[j] = byte_of(flat);
    else if (at[j] != byte_of(flat))
      return EXPECT_MSG(false, "element %" PRId64 " is %02x, not %02x", flat, at[j], byte_of(flat));
  return true;
}

/* Goes through the part of this process in the order of its memory. Uses the runs of the map along the axis
 * whose elements are adjacent, and along the other one. */
static bool visit(const row *r, const side *s, bool writes)
{
  int coords[DAP_MAX_NDIM];
  const int inner = r->ndim == 2 && s->array.strides[0] == 1 ? 0 : r->ndim - 1, outer = 1 - inner;
  const int64_t inner_step = inner == r->ndim - 1 ? 1 : r->size[1],
                outer_step = inner_step == 1 ? r->size[1] : 1;
  unsigned char *const data = s->array.data;
  dap_layout_coords(s->layout, s->process, coords);
  for (dap_run lines = {0};
       r->ndim == 1 ? lines.length == 0 : dap_layout_next_run(s->layout, outer, coords[outer], &lines);) {
    if (r->ndim == 1) lines.length = 1;
    for (int64_t i = 0; i < lines.length; i++) {
      unsigned char *const line = data + (r->ndim == 1 ? 0 : (lines.local + i) * s->array.strides[outer]);
      for (dap_run run = {0}; dap_layout_next_run(s->layout, inner, coords[inner], &run);)
        if (!visit_run(line + run.local, (lines.global + i) * outer_step + run.global * inner_step,
                       inner_step, run.length, writes))
          return false;
    }
  }
  return true;
}

/* Checks some elements, wherever the map puts them. */
static bool check_samples(const row *r, const side *s)
{
  test_random random = test_random_init(150);
  for (int n = 0; n < SAMPLES; n++) {
    int64_t global[2] = {0}, local[2] = {0}, flat = 0, at = 0;
    int process = -1;
    dap_error err = {0};
    for (int k = 0; k < r->ndim; k++) {
      global[k] = test_random_int(&random, 0, r->size[k] - 1);
      if (n < 8) global[k] = n & 1 << k ? r->size[k] - 1 : 0; /* the corners */
      flat = flat * r->size[k] + global[k];
    }
    if (!EXPECT_OK(dap_layout_locate(s->layout, global, &process, local, &err), &err)) return false;
    if (process != s->process) continue;
    for (int k = 0; k < r->ndim; k++) at += local[k] * s->array.strides[k];
    const unsigned char got = ((const unsigned char *)s->array.data)[at];
    if (got != byte_of(flat))
      return EXPECT_MSG(false, "element %" PRId64 " is %02x, not %02x", flat, got, byte_of(flat));
  }
  return true;
}

/* ---- moved ------------------------------------------------------------------------------------------ */

static void check_row(const row *r)
{
  side from = make_side(r, r->from_block, false, DAP_ORDER_C, r->is_shared);
  side to = make_side(r, r->to_block, r->is_swapped, r->is_fortran ? DAP_ORDER_F : DAP_ORDER_C, false);
  const dap_side a = {.layout = from.layout, .ranks = from.ranks, .strides = from.array.strides};
  const dap_side b = {.layout = to.layout, .ranks = to.ranks, .strides = to.array.strides};
  const dap_plan_options options = {.transports = r->transports};
  dap_plan *plan = NULL;
  dap_error err = {0};
  visit(r, &from, true);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 1, &options, &plan, &err), &err)) {
    const double planned = MPI_Wtime() - start;
    const dap_plan_stats stats = dap_plan_summarize(plan);
    EXPECT(!r->is_swapped || r->ndim > 1 || stats.bytes_sent > INT64_C(1) << 31);
    EXPECT(stats.bytes_buffer <= 64 << 20);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (EXPECT_OK(dap_plan_run(plan, from.array.data, to.array.data, &err), &err)) {
      print_message("%s: %.2f s, planned in %.2f s\n", r->why, MPI_Wtime() - begin, planned);
      if (check_samples(r, &to)) visit(r, &to, false);
    }
  }
  dap_plan_destroy(&plan);
  dap_array_release(&from.array);
  dap_array_release(&to.array);
  dap_layout_destroy(&from.layout);
  dap_layout_destroy(&to.layout);
}

static void moves_more_than_32_bits_count(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    check_row(&rows[i]);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(moves_more_than_32_bits_count)};
MPI_TEST_MAIN(tests)
