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

static const struct CMUnitTest tests[] = {cmocka_unit_test(kinds)};
MPI_TEST_MAIN(tests)
