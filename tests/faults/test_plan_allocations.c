/* An allocation that one process alone is refused, while a plan of moves_rows.c or a shared array is made:
 * each in turn. All learn of it, in the same words, and the next plan is none the worse. */
#include "allocations.h"
#include "moves.h"
#include "mpi_test.h"
#include "refused.h"

#include <dapbridge/context.h>
#include <dapbridge/shared.h>
#include <inttypes.h>

/* On a communicator that may not have been seen, so that what it keeps is made as well. Allocation number
 * `number` of this process is refused, or of none if 0. Returns whether there was one on any. */
static bool refuse_one(const void *given, int64_t number)
{
  const trial *t = given;
  trial_comm c = trial_comm_make(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  allocations_start(number);
  const dap_status s = trial_make(t, &c, &plan, &err);
  const refusal r = refusal_of(number, s);
  if (r.failed) {
    /* what can only go through shared memory cannot go where there is none */
    const bool is_direct = t->row->options.transports == DAP_TRANSPORT_DIRECT && s == DAP_ERR_UNSUPPORTED;
    expect_same_error(MPI_COMM_WORLD, s, &err, is_direct ? DAP_ERR_UNSUPPORTED : DAP_ERR_NOMEM, "memory");
    EXPECT(plan == NULL);
  } else if (EXPECT_OK(trial_run(t, plan, &err), &err)) {
    trial_check(t);
  }
  dap_plan_destroy(&plan);
  trial_comm_free(t, &c);
  return r.was_met;
}

static void while_a_plan_is_made(void **state)
{
  (void)state;
  const int64_t files = open_files(), maps = mapped_files();
  test_random random = test_random_init(120);
  for (int r = 0; r < moves_count; r++) {
    if (!trial_is_possible(&moves[r], 1)) continue;
    trial t = trial_start(&moves[r], 1, &random);
    refuse_each(moves[r].why, refuse_one, &t);
    trial_end(&t);
    SETTLE();
  }
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

/* dap_array_alloc(): refused everywhere, or shared, or private memory on all of the node. */
static bool refuse_array(const void *given, int64_t number)
{
  const dap_layout *layout = given;
  dap_array array;
  dap_error err = {0};
  bool shared = false;
  allocations_start(number);
  const dap_status s = dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err);
  const refusal r = refusal_of(number, s);
  int seen[] = {!s && shared, !s && !shared};
  MPI_Allreduce(MPI_IN_PLACE, seen, 2, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  EXPECT_MSG(test_nodes() > 1 || !(seen[0] && seen[1]), "shared on some processes of the node only");
  if (r.failed) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
  if (!s) memset(array.data, 1, 8); /* is there */
  dap_array_release(&array);
  return r.was_met;
}

static void while_an_array_is_made(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(40, test_nprocs()), dap_dist_even(50, 1)};
  dap_layout *layout = NULL;
  dap_context *context = NULL; /* made before, as it stays with MPI_COMM_WORLD */
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_context_get(MPI_COMM_WORLD, NULL, &context, &err), &err);
  dap_context_release(&context);
  const int64_t files = open_files(), maps = mapped_files();
  if (test_nprocs() > 1) refuse_each("an array", refuse_array, layout);
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Where waits have a limit, calls of MPI are messages whose memory is allocated in each call. A process that
 * begins a step without memory keeps nothing of it; the others give up. */
static void under_a_limit(void **state)
{
  (void)state;
  for (int64_t number = 0; number <= 2 && test_nprocs() > 1; number++)
    for (int victim = 0; victim < test_nprocs(); victim++) {
      if (number == 2 && victim > 0) continue; /* copies of messages, which may stay with MPI */
      const bool is_refused = number > 0 && test_rank() == victim;
      MPI_Comm comm;
      dap_error err = {0};
      TEST_CASE("allocation %" PRId64 " of rank %d is refused", number, victim);
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      EXPECT_OK(dap_wait_limit(comm, number > 0 ? 0.2 : 60, &err), &err);
      MPI_Barrier(MPI_COMM_WORLD);
      allocations_start(is_refused ? number : 0);
      const dap_status s = dap_agree(comm, DAP_OK, &err);
      const int64_t held = allocations_held();
      EXPECT(!is_refused || allocations_count() >= number);
      allocations_start(0);
      if (number == 0) EXPECT_OK(s, &err);
      if (is_refused) EXPECT_FAIL(s, DAP_ERR_NOMEM, &err, "memory");
      if (is_refused || number == 0) EXPECT_INT(held, 0);
      MPI_Comm_free(&comm);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(while_a_plan_is_made),
                                          cmocka_unit_test(while_an_array_is_made),
                                          cmocka_unit_test(under_a_limit)};
MPI_TEST_MAIN(tests)
