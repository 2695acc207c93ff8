/* What a receiver has the kernel read from the sender's memory: which flows those are, and that every
 * element arrives, run after run, wherever the buffers are. Halo updates and redistributions of doubles. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): process_vm_readv() */
#include "mpi_test.h"

#include <dapbridge/array.h>
#include <dapbridge/plan.h>

#include "buffers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WIDE = 1024 /* elements that are long enough for one stretch */, ITEM = 8 };

typedef enum verdict { FETCHED, OTHERWISE } verdict;

typedef struct row {
  const char *why;
  int ndim;
  int64_t size[3]; /* of axis 0 for each process */
  int64_t halo[3];
  bool ring, moves; /* periodic; a redistribution to `to_block` along axis 0, of which slices are sent */
  int64_t to_block;
  dap_order order; /* of the destination */
  unsigned transports;
  dap_dtype to; /* DAP_NONE: bytes as they are */
  verdict want;
} row;

#define C DAP_ORDER_C
#define F DAP_ORDER_F
#define ALL (DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES | DAP_TRANSPORT_FETCHED)

static const row rows[] = {
    {"rows as halos", 2, {4, WIDE}, {1, 0}, false, false, 0, C, ALL, DAP_NONE, FETCHED},
    {"several rows", 2, {4, WIDE}, {3, 0}, false, false, 0, C, ALL, DAP_NONE, FETCHED},
    {"planes, without a gap between their rows",
     3,
     {4, 32, 32},
     {1, 0},
     false,
     false,
     0,
     C,
     ALL,
     DAP_NONE,
     FETCHED},
    {"in a ring of two both halos come from one process",
     2,
     {4, WIDE},
     {1, 0},
     true,
     false,
     0,
     C,
     ALL,
     DAP_NONE,
     FETCHED},
    {"short rows", 2, {4, WIDE / 8}, {1, 0}, false, false, 0, C, ALL, DAP_NONE, OTHERWISE},
    {"columns: elements far apart", 2, {64, WIDE}, {1, 0}, false, false, 0, F, ALL, DAP_NONE, OTHERWISE},
    {"only slots are allowed",
     2,
     {4, WIDE},
     {1, 0},
     false,
     false,
     0,
     C,
     DAP_TRANSPORT_STAGED,
     DAP_NONE,
     OTHERWISE},
    {"not if it is not named", 2, {4, WIDE}, {1, 0}, false, false, 0, C, 0, DAP_NONE, OTHERWISE},
    {"not without slots",
     2,
     {4, WIDE},
     {1, 0},
     false,
     false,
     0,
     C,
     DAP_TRANSPORT_FETCHED | DAP_TRANSPORT_MESSAGES,
     DAP_NONE,
     OTHERWISE},
    {"with slots",
     2,
     {4, WIDE},
     {1, 0},
     false,
     false,
     0,
     C,
     DAP_TRANSPORT_FETCHED | DAP_TRANSPORT_STAGED,
     DAP_NONE,
     FETCHED},
    {"rows to other processes, several to each",
     2,
     {12, WIDE},
     {0},
     false,
     true,
     2,
     C,
     ALL,
     DAP_NONE,
     FETCHED},
    {"a line", 1, {24 * WIDE}, {0}, false, true, 2 * WIDE, C, ALL, DAP_NONE, FETCHED},
    {"more stretches than are kept", 1, {400 * WIDE}, {0}, false, true, WIDE, C, ALL, DAP_NONE, OTHERWISE},
    {"stored the other way round", 2, {64, 64}, {0}, false, true, 32, F, ALL, DAP_NONE, OTHERWISE},
    {"elements that become others", 1, {24 * WIDE}, {0}, false, true, 2 * WIDE, C, ALL, DAP_C16, OTHERWISE},
};

static const dap_plan_options all_named = {.transports = ALL};

/* Of the processes of this node, in a circle. */
static int next_mate(int step)
{
  const int n = test_nprocs();
  int rank = (test_rank() + step + n) % n;
  while (!test_is_mate(rank)) rank = (rank + step + n) % n;
  return rank;
}

/* Whether this system lets a process read its neighbour's memory; the same on all. */
static bool is_allowed(void)
{
  uint64_t word = 77, own[2] = {(uint64_t)getpid(), (uint64_t)(uintptr_t)&word}, other[2], got = 0;
  const int next = next_mate(1), last = next_mate(-1);
  MPI_Sendrecv(own, 2, MPI_UINT64_T, next, 0, other, 2, MPI_UINT64_T, last, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  void *const there = (void *)(uintptr_t)other[1]; /* NOLINT(performance-no-int-to-ptr): of another process */
  const struct iovec to = {&got, sizeof got}, from = {there, sizeof got};
  int yes = process_vm_readv((pid_t)other[0], &to, 1, &from, 1, 0) == (ssize_t)sizeof got && got == 77;
  MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return yes;
}

static dap_layout *make_layout(const row *r, int64_t block)
{
  dap_dist dists[3];
  dap_layout *layout = NULL;
  dap_error err = {0};
  const int n = test_nprocs();
  for (int k = 0; k < r->ndim; k++) {
    dists[k] = dap_dist_padded(k ? r->size[k] : n * r->size[k], k ? 1 : n, r->halo[k]);
    dists[k].periodic = dists[k].wraps = r->ring && k == 0;
  }
  if (block > 0) dists[0] = dap_dist_cyclic(n * r->size[0], n, block);
  EXPECT_OK(dap_layout_create(r->ndim, dists, &layout, &err), &err);
  return layout;
}

static dap_array make_array(const dap_layout *layout, dap_dtype dtype, dap_order order)
{
  dap_array array = {0};
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), dtype, order, NULL, &err), &err);
  return array;
}

/* Whether two processes of a node have anything to send to each other: neighbours, where these are halos. */
static bool has_mates(bool moves, bool ring)
{
  const int n = test_nprocs();
  for (int r = 0; r + 1 < n; r++)
    if (moves ? test_nodes() < n : test_node(r) == test_node(r + 1)) return true;
  return ring && n > 1 && test_node(0) == test_node(n - 1);
}

/* As the plan says of itself. */
static void check_words(const dap_plan *plan, bool want)
{
  static char text[1 << 16];
  (void)dap_plan_describe(plan, text, sizeof text);
  int found = strstr(text, "read by the receiver") != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  EXPECT_MSG(found == want, "it says: %s", text);
}

static void check_runs(const row *r, dap_plan *plan, const dap_layout *a, const dap_layout *b)
{
  const dap_dtype to_type = r->to ? r->to : DAP_F8;
  for (int run = 0; run < 3; run++) { /* buffers that are new every time: others are told where they are */
    dap_array from = make_array(a, DAP_F8, r->moves ? C : r->order);
    dap_array to = r->moves ? make_array(b, to_type, r->order) : from;
    dap_error err = {0};
    fill_global(a, test_rank(), &from);
    if (EXPECT_OK(dap_plan_run(plan, from.data, to.data, &err), &err) && !r->to)
      check_global(b, test_rank(), &to, PADDING_FILLED);
    MPI_Barrier(MPI_COMM_WORLD);
    dap_array_release(&from);
    if (r->moves) dap_array_release(&to);
  }
}

static void check_row(const row *r, bool allowed)
{
  dap_layout *a = make_layout(r, 0), *b = r->moves ? make_layout(r, r->to_block) : dap_layout_retain(a);
  dap_array from = make_array(a, DAP_F8, r->moves ? C : r->order),
            to = make_array(b, r->to ? r->to : DAP_F8, r->order);
  const dap_side source = {.layout = a, .strides = from.strides, .dtype = r->to ? DAP_F8 : DAP_NONE};
  const dap_side target = {.layout = b, .strides = to.strides, .dtype = r->to};
  const dap_plan_options options = {.transports = test_joining(r->transports)};
  const int64_t item = r->to ? 0 : ITEM;
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = r->moves
                           ? dap_plan_create(MPI_COMM_WORLD, &source, &target, item, &options, &plan, &err)
                           : dap_plan_create_halo(MPI_COMM_WORLD, &source, item, &options, &plan, &err);
  if (EXPECT_OK(s, &err)) {
    check_words(plan, r->want == FETCHED && allowed && has_mates(r->moves, r->ring));
    check_runs(r, plan, a, b);
  }
  dap_plan_destroy(&plan);
  dap_array_release(&from);
  dap_array_release(&to);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
}

static void fetches_long_stretches(void **state)
{
  (void)state;
  const bool allowed = is_allowed();
  if (!allowed) print_message("the system does not let processes read each other's memory\n");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    check_row(&rows[i], allowed);
    SETTLE();
  }
}

/* Bytes that are turned round on the way go another one: whoever's are. */
static void bytes_are_turned_round(void **state)
{
  (void)state;
  const row r = {.ndim = 1, .size = {24 * WIDE}, .moves = true, .to_block = 2 * WIDE, .order = C};
  dap_layout *a = make_layout(&r, 0), *b = make_layout(&r, r.to_block);
  for (int turned = 1; turned < 4; turned++) {
    TEST_CASE("%s", turned == 1 ? "the source's" : turned == 2 ? "the destination's" : "both");
    dap_array from = make_array(a, DAP_F8, C), to = make_array(b, DAP_F8, C), sent = make_array(a, DAP_F8, C),
              got = make_array(b, DAP_F8, C);
    sent.swapped = turned & 1;
    got.swapped = turned & 2;
    const dap_side source = {.layout = a, .contiguous = true, .dtype = DAP_F8, .swapped = sent.swapped};
    const dap_side target = {.layout = b, .contiguous = true, .dtype = DAP_F8, .swapped = got.swapped};
    dap_plan *plan = NULL;
    dap_error err = {0};
    fill_global(a, test_rank(), &from);
    EXPECT_OK(dap_array_copy(&from, &sent, &err), &err);
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &source, &target, ITEM, &all_named, &plan, &err), &err);
    EXPECT_OK(dap_plan_run(plan, sent.data, got.data, &err), &err);
    EXPECT_OK(dap_array_copy(&got, &to, &err), &err);
    check_global(b, test_rank(), &to, PADDING_FILLED);
    dap_plan_destroy(&plan);
    dap_array *arrays[] = {&from, &to, &sent, &got};
    for (int i = 0; i < 4; i++) dap_array_release(arrays[i]);
    SETTLE();
  }
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
}

/* One process has no buffer: all say so, and nobody's halos were written. */
static void nothing_is_written_after_a_fault(void **state)
{
  (void)state;
  const row *r = &rows[0];
  dap_layout *layout = make_layout(r, 0);
  dap_array array = make_array(layout, DAP_F8, C);
  const dap_side side = {.layout = layout, .strides = array.strides};
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, ITEM, &all_named, &plan, &err), &err);
  for (int victim = 0; victim < test_nprocs() && plan; victim++) {
    TEST_CASE("rank %d has no buffer", victim);
    fill_global(layout, test_rank(), &array);
    void *data = test_rank() == victim ? NULL : array.data;
    expect_same_error(MPI_COMM_WORLD, dap_plan_run(plan, data, data, &err), &err, DAP_ERR_ARG, "NULL");
    check_global(layout, test_rank(), &array, PADDING_POISON);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(dap_plan_run(plan, array.data, array.data, &err), &err);
    check_global(layout, test_rank(), &array, PADDING_FILLED);
    SETTLE();
  }
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
}

/* Columns of WIDE elements from buffers that are stored by columns. Process 0 goes through its own row by
 * row, and so all do; the others' buffers are of the order that is given. */
static void move_columns(dap_dist from_columns, dap_dist to_columns, dap_order others)
{
  const dap_dist from[] = {dap_dist_replicated(WIDE, 1), from_columns}, to[] = {from[0], to_columns};
  dap_layout *a = NULL, *b = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, from, &a, &err), &err);
  EXPECT_OK(dap_layout_create(2, to, &b, &err), &err);
  dap_array source = make_array(a, DAP_F8, F), target = make_array(b, DAP_F8, test_rank() == 0 ? C : others);
  const dap_side sides[] = {{.layout = a, .strides = source.strides},
                            {.layout = b, .strides = target.strides}};
  fill_global(a, test_rank(), &source);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &sides[0], &sides[1], ITEM, &all_named, &plan, &err), &err);
  check_words(plan, is_allowed() && has_mates(true, false));
  EXPECT_OK(dap_plan_run(plan, source.data, target.data, &err), &err);
  check_global(b, test_rank(), &target, PADDING_FILLED);
  SETTLE();
  dap_plan_destroy(&plan);
  dap_array_release(&source);
  dap_array_release(&target);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
}

/* Whose columns they are is not where a line of them begins: the last process gets one column, not the
 * first, of a source that is stored by columns, and its own buffer has no gaps either. */
static void a_column_from_the_middle(void **state)
{
  (void)state;
  const int n = test_nprocs();
  int64_t all[16] = {0}, few[16] = {0};
  all[0] = n + 1;
  for (int c = 0; c < n; c++) few[c] = c == 0 ? 2 : 1;
  move_columns(dap_dist_lengths(n + 1, n, all), dap_dist_lengths(n + 1, n, few), C);
}

/* The same of the destination: the last process's second column comes from process 0, its first is its
 * own. */
static void a_column_to_the_middle(void **state)
{
  (void)state;
  const int n = test_nprocs();
  dap_dist dealt = dap_dist_cyclic(2 * n, n, 1);
  dealt.first_owner = 1 % n;
  move_columns(dealt, dap_dist_even(2 * n, n), F);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fetches_long_stretches), cmocka_unit_test(bytes_are_turned_round),
    cmocka_unit_test(a_column_from_the_middle), cmocka_unit_test(a_column_to_the_middle),
    cmocka_unit_test(nothing_is_written_after_a_fault)};
MPI_TEST_MAIN(tests)
