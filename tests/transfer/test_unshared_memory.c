/* Some processes of a plan do not share memory, although others do. A host may have no memory to share, or
 * only some processes made an array. Private: hosts are pretended. */
#define _POSIX_C_SOURCE 200809L
#include "comm_impl.h"
#include "mpi_test.h"
#include "plans.h"
#include "side.h"

#include <signal.h>
#include <sys/resource.h>

enum { SIZE = 240, FEW = 16 };

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
  static random_array arrays[2];
  test_random random = test_random_init(1);
  MPI_Comm comm;
  struct rlimit before = {0};
  const int n = test_nprocs(), host = test_rank() < 2 ? 0 : 1;
  const dap_plan_options options = {.memory_bytes = 20000};
  int64_t lengths[16];
  for (int r = 0; r < n; r++) lengths[r] = n <= 2 ? SIZE / n : r < 2 ? FEW : (SIZE - 2 * FEW) / (n - 2);
  const dap_dist rows[] = {dap_dist_lengths(SIZE, n, lengths), dap_dist_even(SIZE, 1)};
  const dap_dist columns[] = {dap_dist_even(SIZE, 1), dap_dist_even(SIZE, n)};
  dap_plan *plan = NULL;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, host) && !getrlimit(RLIMIT_FSIZE, &before));
  (void)array_deal(2, rows, NULL, &arrays[0]);
  (void)array_deal(2, columns, NULL, &arrays[1]);
  test_side from = side_make(&arrays[0], CREATED, NULL, 8, FORM_C, &random),
            to = side_make(&arrays[1], CREATED, NULL, 8, FORM_C, &random);
  const dap_side a = side_of(&from), b = side_of(&to);
  side_fill(&from, 0, COPIES_RIGHT);
  limit(host == 1, &before);
  EXPECT_OK(dap_plan_create(comm, &a, &b, sizeof(double), &options, &plan, &err), &err);
  limit(false, &before);
  SETTLE();
  EXPECT(dap_plan_summarize(plan).bytes_buffer <= 20000);
  EXPECT_OK(dap_plan_run(plan, side_data(&from), side_data(&to), &err), &err);
  side_check(&to, 0, COPIES_RIGHT, PADDING_POISON);
  dap_plan_destroy(&plan);
  side_free(&from);
  side_free(&to);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- direct copies alone ----------------------------------------------------------------------------- */

/* Memory of the library's that other processes do not see is to them as any other: nothing goes another way
 * unasked. Each process exchanges with one whose memory it does not see. */
static void direct_alone_is_refused_where_memory_is_not_seen(void **state)
{
  (void)state;
  if (test_nprocs() == 1) test_skip("one process sees all of its memory");
  if (test_nodes() > 1) return; /* that needs one node */
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, test_rank(), &half);
  int halves = 0;
  MPI_Comm_size(half, &halves);
  const dap_dist block = dap_dist_even(100 * (int64_t)test_nprocs(), test_nprocs());
  const dap_dist cyclic = dap_dist_cyclic(block.size, test_nprocs(), 1),
                 part = dap_dist_even(100 * (int64_t)halves, halves);
  const dap_plan_options options = {.transports = DAP_TRANSPORT_DIRECT};
  dap_layout *from = layout_make(1, &block, NULL), *to = layout_make(1, &cyclic, NULL),
             *parts = layout_make(1, &part, NULL);
  dap_array array = {0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  double destination[101] = {0};
  EXPECT_OK(dap_array_alloc(half, parts, DAP_F8, DAP_ORDER_C, &array, NULL, &err), &err);
  const dap_side a = side_in_c_order(from, DAP_NONE), b = side_in_c_order(to, DAP_NONE);
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
