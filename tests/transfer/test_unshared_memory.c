/* Where processes do not share memory, though others of the same plan do: on a host that has none to share,
 * and of arrays that some of the processes made. */
#define _POSIX_C_SOURCE 200809L
#include "board.h"
#include "comm_impl.h"
#include "mpi_test.h"

#include <signal.h>
#include <sys/resource.h>

enum { SIZE = 512, FEW = 32 };

/* ---- a host without memory to share ------------------------------------------------------------------ */

/* Processes that no file can grow for have no shared memory. */
static void limit(bool lacks, const struct rlimit *before)
{
  struct rlimit now = *before;
  if (lacks) now.rlim_cur = 0;
  (void)signal(SIGXFSZ, SIG_IGN);
  EXPECT(!setrlimit(RLIMIT_FSIZE, &now));
}

/* Slots are of one size on all hosts. The second host's processes have more to send, so that without them
 * slots would be larger; and they are without memory to share. */
static void slots_fit_where_a_host_lacks_memory(void **state)
{
  (void)state;
  MPI_Comm comm;
  struct rlimit before = {0};
  const int n = test_nprocs(), host = test_rank() < 2 ? 0 : 1;
  const dap_plan_options options = {.memory_bytes = 100000};
  int64_t lengths[16];
  for (int r = 0; r < n; r++) lengths[r] = n == 2 ? SIZE / 2 : r < 2 ? FEW : (SIZE - 2 * FEW) / (n - 2);
  const dap_dist rows[] = {dap_dist_lengths(SIZE, n, lengths), dap_dist_even(SIZE, 1)};
  const dap_dist columns[] = {dap_dist_even(SIZE, 1), dap_dist_even(SIZE, n)};
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, host) && !getrlimit(RLIMIT_FSIZE, &before));
  board from = board_make(comm, rows, DAP_ORDER_C, false), to = board_make(comm, columns, DAP_ORDER_C, false);
  const dap_side a = board_side(&from), b = board_side(&to);
  board_fill(&from, test_rank());
  limit(host == 1, &before);
  EXPECT_OK(dap_plan_create(comm, &a, &b, sizeof(double), &options, &plan, &err), &err);
  limit(false, &before);
  SETTLE();
  EXPECT(dap_plan_summarize(plan).bytes_buffer <= 100000);
  EXPECT_OK(dap_plan_run(plan, from.array.data, to.array.data, &err), &err);
  EXPECT_INT(board_wrong(&to, test_rank()), 0);
  dap_plan_destroy(&plan);
  board_free(&from), board_free(&to);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- direct copies alone ----------------------------------------------------------------------------- */

/* Memory of the library's that other processes do not see is to them as any other: nothing goes another way
 * unasked. Each process exchanges with one whose memory it does not see. */
static void direct_alone_is_refused_where_memory_is_not_seen(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, test_rank(), &half);
  int halves = 0;
  MPI_Comm_size(half, &halves);
  const dap_dist block = dap_dist_even(100 * (int64_t)test_nprocs(), test_nprocs());
  const dap_dist cyclic = dap_dist_cyclic(block.size, test_nprocs(), 1),
                 part = dap_dist_even(100 * (int64_t)halves, halves);
  const dap_plan_options options = {.transports = DAP_TRANSPORT_DIRECT};
  dap_layout *from = NULL, *to = NULL, *parts = NULL;
  dap_array array = {0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  double destination[101] = {0};
  EXPECT_OK(dap_layout_create(1, &block, &from, &err), &err);
  EXPECT_OK(dap_layout_create(1, &cyclic, &to, &err), &err);
  EXPECT_OK(dap_layout_create(1, &part, &parts, &err), &err);
  EXPECT_OK(dap_array_alloc(half, parts, DAP_F8, DAP_ORDER_C, &array, NULL, &err), &err);
  const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &options, &plan, &err), &err);
  SETTLE();
  const dap_status s = dap_plan_run(plan, array.data, destination, &err);
  EXPECT_FAIL(s, DAP_ERR_ARG, &err, "options.transports|direct");
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  dap_layout_destroy(&parts);
  MPI_Comm_free(&half);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(slots_fit_where_a_host_lacks_memory),
    cmocka_unit_test(direct_alone_is_refused_where_memory_is_not_seen),
};
MPI_TEST_MAIN(tests)
