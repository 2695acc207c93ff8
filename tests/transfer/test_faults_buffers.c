/* One process lacks a buffer in a run in which all processes receive from it. All processes must get the same
 * error. Afterwards the same plan must move all elements.
 *
 * Private: hosts are pretended. */
#include "case.h"
#include "comm_impl.h"
#include "many.h"
#include "mpi_test.h"

static random_array arrays[2];
static many_sides sources, destinations; /* of one array each, in shared memory */

/* Without one buffer the run fails. With it, the same plan moves all elements. No source may change. */
static void run_without(MPI_Comm comm, const test_side *from, const test_side *to, unsigned transports,
                        bool is_source)
{
  const dap_side a = side_of(from), b = side_of(to);
  const dap_plan_options options = {.transports = transports};
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(dap_plan_create(comm, &a, &b, from->itemsize, &options, &plan, &err), &err)) return;
  for (int run = 0; run < 4; run++) {
    const bool lacks = run % 2 == 0 && test_rank() == test_nprocs() - 1;
    side_fill(from, run, COPIES_RIGHT);
    side_poison(to);
    EXPECT_OK(dap_plan_begin(plan, lacks && is_source ? NULL : side_data(from),
                             lacks && !is_source ? NULL : side_data(to), &err),
              &err);
    const dap_status s = dap_plan_end(plan, &err);
    if (run % 2)
      EXPECT_OK(s, &err);
    else
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, is_source ? "source|NULL" : "destination|NULL");
    side_check(from, run, COPIES_RIGHT, PADDING_POISON);
    if (run % 2) side_check(to, run, COPIES_RIGHT, PADDING_POISON);
  }
  dap_plan_destroy(&plan);
}

static void buffers_of_one_process(void **state)
{
  (void)state;
  const case_layout even = {"", 1, .size = {60}}, dealt = {"", 1, {60}, .cut = {CUT_CYCLIC}, .block = {1}};
  test_random random = test_random_init(130);
  test_side from = case_side(&even, 8, FORM_C, &random, &arrays[0]),
            to = case_side(&dealt, 8, FORM_C, &random, &arrays[1]);
  many_make(MPI_COMM_WORLD, &from, 1, MANY_SHARED, &sources);
  many_make(MPI_COMM_WORLD, &to, 1, MANY_SHARED, &destinations);
  for (int hosts = 1; hosts <= 3; hosts++)
    for (unsigned transports = 0; transports <= 7; transports++)
      for (int is_source = 0; is_source < 2; is_source++) {
        MPI_Comm comm = MPI_COMM_NULL;
        if ((hosts > 1 || test_nodes() > 1) && transports && !(transports & DAP_TRANSPORT_MESSAGES)) continue;
        TEST_CASE("%d hosts, transports %#x, no %s", hosts, transports, is_source ? "source" : "destination");
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(dap_node_pretend(comm, test_rank() % hosts));
        if (transports != DAP_TRANSPORT_DIRECT) run_without(comm, &from, &to, transports, is_source);
        run_without(comm, &sources.sides[0], &destinations.sides[0], transports, is_source);
        MPI_Comm_free(&comm);
        SETTLE();
      }
  many_free(&sources);
  many_free(&destinations);
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_of_one_process)};
MPI_TEST_MAIN(tests)
