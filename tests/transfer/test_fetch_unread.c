/* What the kernel does not let one process read: that one says so, nobody waits for ever, everything else
 * arrives, and the next run is right, or says what is wrong with it. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): syscall() */
#include "mpi_test.h"

#include <dapbridge/array.h>
#include <dapbridge/plan.h>

#include "buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  ROWS = 400,
  COLUMNS = 1024,
  ITEM = 8,
  ALL = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES | DAP_TRANSPORT_FETCHED
};

static bool refuses; /* memory such as a device's */
static size_t most; /* bytes that a call reads, as the kernel's does not read 2^31; 0: what the kernel does */

static long call(pid_t process, const struct iovec *to, unsigned long to_count, const struct iovec *from,
                 unsigned long from_count, unsigned long flags)
{
  return syscall(SYS_process_vm_readv, process, to, to_count, from, from_count, flags);
}

ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long to_count,
                         const struct iovec *from, unsigned long from_count, unsigned long flags)
{
  struct iovec first[64];
  size_t left = most;
  unsigned long count = 0;
  errno = EFAULT;
  if (refuses) return -1;
  if (most == 0) return call(process, to, to_count, from, from_count, flags);
  for (; count < to_count && left > 0; left -= first[count++].iov_len)
    first[count] = (struct iovec){to[count].iov_base, to[count].iov_len < left ? to[count].iov_len : left};
  return call(process, first, count, from, from_count, flags);
}

static bool is_fetched(const dap_plan *plan)
{
  static char text[1 << 16];
  (void)dap_plan_describe(plan, text, sizeof text);
  return strstr(text, "read by the receiver") != NULL;
}

/* What the local array holds before a halo update, and after it: kept, since to fill and to check every
 * element takes longer than all updates. */
typedef struct states {
  dap_layout *layout;
  dap_array *array;
  size_t bytes;
  unsigned char *before, *after; /* NULL until an update has been checked */
} states;

static void *copy_of(const states *s)
{
  void *copy = malloc(s->bytes + 1);
  if (EXPECT(copy != NULL)) memcpy(copy, s->array->data, s->bytes);
  return copy;
}

static void start(states *s)
{
  if (s->before) {
    memcpy(s->array->data, s->before, s->bytes);
    return;
  }
  fill_global(s->layout, test_rank(), s->array);
  s->before = copy_of(s);
}

static void check_updated(states *s)
{
  if (s->after && !memcmp(s->array->data, s->after, s->bytes)) return;
  if (check_global(s->layout, test_rank(), s->array, PADDING_FILLED) && !s->after) s->after = copy_of(s);
}

/* Rows of a halo are read, columns go in many chunks through few slots: who stopped would keep its
 * neighbours waiting. */
static void one_process_cannot_read(void **state)
{
  (void)state;
  const int n = test_nprocs(), across = n % 2 ? 1 : 2;
  const dap_dist dists[] = {dap_dist_padded((int64_t)n * ROWS, n / across, 1),
                            dap_dist_padded((int64_t)COLUMNS * across, across, 1)};
  const dap_plan_options options = {.message_bytes = 512, .transports = ALL};
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_array array = {0};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  const dap_side side = {.layout = layout, .strides = array.strides};
  states seen = {.layout = layout, .array = &array, .bytes = (size_t)(array.shape[0] * array.strides[0])};
  EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, ITEM, &options, &plan, &err), &err);
  for (int victim = 0; victim < n; victim++) {
    TEST_CASE("rank %d cannot read", victim);
    start(&seen);
    refuses = test_rank() == victim;
    const dap_status s = dap_plan_run(plan, array.data, array.data, &err);
    const bool hit = refuses && is_fetched(plan) && n / across > 1;
    refuses = false;
    EXPECT_MSG(s == (hit ? DAP_ERR_LIBRARY : DAP_OK), "status %d: %s", (int)s, s ? err.text : "");
    if (!s) check_updated(&seen);
    MPI_Barrier(MPI_COMM_WORLD);
    expect_same_error(MPI_COMM_WORLD, dap_plan_run(plan, test_rank() ? array.data : NULL, array.data, &err),
                      &err, DAP_ERR_ARG, "rank 0: the source buffer is NULL");
    MPI_Barrier(MPI_COMM_WORLD);
    start(&seen);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(dap_plan_run(plan, array.data, array.data, &err), &err);
    check_updated(&seen);
    SETTLE();
  }
  free(seen.before);
  free(seen.after);
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
}

/* ---- passes ------------------------------------------------------------------------------------------- */

enum { SIZE = 60000 };

static double source[SIZE], copy[SIZE];

static bool is_right(void)
{
  for (int i = 0; i < SIZE; i++)
    if (copy[i] != i + 0.5) return false;
  return true;
}

static dap_status run_tree(dap_plan *plan, bool fails, dap_error *err)
{
  for (int i = 0; i < SIZE; i++) copy[i] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  refuses = fails;
  const dap_status s = dap_plan_run(plan, source, copy, err);
  refuses = false;
  MPI_Barrier(MPI_COMM_WORLD);
  return s;
}

/* From the first process to copies on all. */
static dap_plan *make_tree(void)
{
  const dap_dist one = dap_dist_local(SIZE), all = dap_dist_replicated(SIZE, test_nprocs());
  const dap_plan_options options = {.fan_out = 1, .transports = ALL};
  dap_layout *from = NULL, *to = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &one, &from, &err), &err);
  EXPECT_OK(dap_layout_create(1, &all, &to, &err), &err);
  const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, ITEM, &options, &plan, &err), &err);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  for (int i = 0; i < SIZE; i++) source[i] = i + 0.5;
  return plan;
}

/* What one copy could not read it must not hand on as if it were right: whoever has wrong elements learns of
 * it, also of those that another was to have for it. */
static void copies_hand_on_what_is_right(void **state)
{
  (void)state;
  dap_plan *plan = make_tree();
  dap_error err = {0};
  for (int victim = 0; victim < test_nprocs(); victim++) {
    TEST_CASE("rank %d cannot read", victim);
    int failed = run_tree(plan, test_rank() == victim, &err) != DAP_OK, hit = is_fetched(plan) && victim == 1;
    EXPECT_MSG(failed || is_right(), "wrong elements, and no error");
    if (failed) EXPECT_MSG(strstr(err.text, "read") != NULL, "%s", err.text);
    MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD); /* the first to get all, and to hand it on */
    if (hit && test_nprocs() > 2) EXPECT_MSG(failed, "rank 1 had nothing to hand on");
    EXPECT_OK(run_tree(plan, false, &err), &err);
    EXPECT(is_right());
    SETTLE();
  }
  dap_plan_destroy(&plan);
}

/* ---- calls that read a part ------------------------------------------------------------------------ */

static void what_a_call_leaves_the_next_reads(void **state)
{
  (void)state;
  static const size_t limits[] = {SIZE * ITEM / 2, SIZE * ITEM / 3 + 1, SIZE * ITEM - 1, 8191};
  dap_plan *plan = make_tree();
  dap_error err = {0};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    TEST_CASE("%zu bytes a call", limits[i]);
    most = limits[i];
    EXPECT_OK(run_tree(plan, false, &err), &err);
    EXPECT(is_right());
    SETTLE();
  }
  most = 0;
  dap_plan_destroy(&plan);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_process_cannot_read),
                                          cmocka_unit_test(copies_hand_on_what_is_right),
                                          cmocka_unit_test(what_a_call_leaves_the_next_reads)};
MPI_TEST_MAIN(tests)
