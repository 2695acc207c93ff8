/* dap_plan_options.from_owners: where all copies of an array but the owners' are wrong, every process gets
 * the owners' elements, by every transport, and where copies hand each other elements as a tree. */
#include "case.h"
#include "mpi_test.h"
#include "problem_impl.h"
#include "side.h"

enum { ITEM = 8 /* bytes of an element */ };

static const unsigned ways[] = {0,
                                DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_STAGED,
                                DAP_FORCED_FAN_OUT,
                                2 * DAP_FORCED_FAN_OUT,
                                DAP_TRANSPORT_MESSAGES | DAP_FORCED_FAN_OUT};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- every kind of destination, of a source that all processes have ---------------------------------- */

static const struct {
  const char *why;
  case_cut from[2], to[2];
} rows[] = {
    {"each process reads none of its own but the first", {CUT_COPIES, CUT_CYCLIC}, {CUT_COPIES, CUT_CYCLIC}},
    {"copies become blocks", {CUT_COPIES, CUT_COPIES}, {CUT_EVEN, CUT_CYCLIC}},
    {"copies along one axis, then along the other", {CUT_EVEN, CUT_COPIES}, {CUT_COPIES, CUT_EVEN}},
    {"copies become lists with ghosts", {CUT_COPIES, CUT_EVEN}, {CUT_GHOSTS, CUT_COPIES}},
    {"lists of copies in another order become copies",
     {CUT_TWO_HOLDERS, CUT_COPIES},
     {CUT_COPIES, CUT_PADDED}},
};

/* A side of 24 x 24 elements. */
static test_side make(const case_cut cuts[2], test_random *random, random_array *array)
{
  const case_layout c = {"", 2, {24, 24}, .cut = {cuts[0], cuts[1]}, .block = {3, 3}, .halo = {1, 1}};
  return case_side(&c, ITEM, (test_form)test_random_int(random, 0, FORM_COUNT - 1), random, array);
}

static void kinds(void **state)
{
  (void)state;
  static random_array arrays[2];
  test_random random = test_random_init(42);
  for (size_t i = 0; i < (sizeof rows / sizeof rows[0]) * WAYS; i++) {
    TEST_CASE("%s, transports %u", rows[i / WAYS].why, ways[i % WAYS]);
    test_side from = make(rows[i / WAYS].from, &random, &arrays[0]);
    test_side to = make(rows[i / WAYS].to, &random, &arrays[1]);
    side_move(&from, &to, &(dap_plan_options){.transports = ways[i % WAYS], .from_owners = true});
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

/* All copies are combined, or one is read: not both. */
static void refused_with_combine(void **state)
{
  (void)state;
  const dap_dist copies = dap_dist_replicated(12, test_nprocs()), even = dap_dist_even(12, test_nprocs());
  const dap_plan_options options = {.combine = DAP_COMBINE_SUM, .from_owners = true};
  dap_layout *from = NULL, *to = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &copies, &from, &err), &err);
  EXPECT_OK(dap_layout_create(1, &even, &to, &err), &err);
  const dap_side a = {.layout = from, .contiguous = true, .dtype = DAP_F8},
                 b = {.layout = to, .contiguous = true, .dtype = DAP_F8};
  const dap_status s = dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "options.combine|options.from_owners");
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(refused_with_combine)};
MPI_TEST_MAIN(tests)
