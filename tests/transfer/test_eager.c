/* Processes pack elements when a run begins. Sometimes this is in vain, because a buffer is wrong or both
 * processes see its memory. No later run may receive these elements. */
#include "case.h"
#include "many.h"
#include "mpi_test.h"

enum { RUNS = 60, ELEMENTS = 60, ROW = 48 };

static random_array arrays[2];
static many_sides shared[2]; /* of one array each: the source and the destination */

/* In each run, each process has each buffer in its own memory or in shared memory. In some runs one process
 * lacks a buffer. */
static void run_all(dap_plan *plan, test_random *random, const test_side *from[2], const test_side *to[2])
{
  const int n = test_nprocs(), rank = test_rank();
  for (int run = 0; run < RUNS; run++) {
    bool lacks[2] = {false, false};
    int is_shared[2] = {0, 0};
    const int mood = (int)test_random_int(random, 0, 2); /* all private, all shared, or any */
    for (int p = 0; p < n; p++)
      for (int end = 0; end < 2; end++) {
        const int any = (int)test_random_int(random, 0, 1);
        if (p == rank) is_shared[end] = mood < 2 ? mood : any;
      }
    const bool fails = test_random_int(random, 0, 2) == 0;
    const int who = (int)test_random_int(random, 0, n - 1), which = (int)test_random_int(random, 0, 1);
    if (fails && who == rank) lacks[which] = true;
    dap_error err = {0};
    TEST_CASE("run %d%s", run, fails ? ", of which one process lacks a buffer" : "");
    side_fill(from[is_shared[0]], run, COPIES_RIGHT);
    side_poison(to[is_shared[1]]);
    EXPECT_OK(dap_plan_begin(plan, lacks[0] ? NULL : side_data(from[is_shared[0]]),
                             lacks[1] ? NULL : side_data(to[is_shared[1]]), &err),
              &err);
    const dap_status s = dap_plan_end(plan, &err);
    if (fails) {
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "buffer is NULL");
    } else if (EXPECT_OK(s, &err)) {
      side_check(to[is_shared[1]], run, COPIES_RIGHT, PADDING_POISON);
    }
    SETTLE();
  }
}

static const struct {
  const char *why;
  int64_t message_bytes; /* 0: all that goes to a process is one chunk */
  unsigned transports;
} rows[] = {
    {"one chunk", 0, 0},
    {"many chunks", 64, 0},
    {"one chunk, through slots or directly", 0, DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED},
    {"one chunk, through slots", 0, DAP_TRANSPORT_STAGED},
};

static void later_runs_get_their_own(void **state)
{
  (void)state;
  const case_layout even = {"", 2, {ELEMENTS, ROW}, .axes = FIRST_AXIS},
                    dealt = {"", 2, {ELEMENTS, ROW}, FIRST_AXIS, .cut = {CUT_CYCLIC}, .block = {1}};
  test_random random = test_random_init(150);
  test_side from = case_side(&even, 8, FORM_C, &random, &arrays[0]),
            to = case_side(&dealt, 8, FORM_C, &random, &arrays[1]);
  many_make(MPI_COMM_WORLD, &from, 1, MANY_SHARED, &shared[0]);
  many_make(MPI_COMM_WORLD, &to, 1, MANY_SHARED, &shared[1]);
  const test_side *sources[] = {&from, &shared[0].sides[0]}, *destinations[] = {&to, &shared[1].sides[0]};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_side a = side_of(&from), b = side_of(&to);
    const dap_plan_options options = {.message_bytes = rows[i].message_bytes,
                                      .transports = test_joining(rows[i].transports)};
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%s", rows[i].why);
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, from.itemsize, &options, &plan, &err), &err))
      run_all(plan, &random, sources, destinations);
    dap_plan_destroy(&plan);
    SETTLE();
  }
  for (int k = 0; k < 2; k++) many_free(&shared[k]);
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(later_runs_get_their_own),
};

MPI_TEST_MAIN(tests)
