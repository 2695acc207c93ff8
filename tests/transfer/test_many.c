/* Moves of several arrays at once, some of whose buffers are in memory of the library's and some in private
 * memory. Random ones are in test_random_programs.c. */
#include "many.h"
#include "mpi_test.h"

static many_sides sources, destinations;

enum { ARRAYS = 5 /* the first and the last are shared where every second one is */, SALT = 11 };

/* A run with some buffers shared. Where only direct copies are allowed all sources, or all destinations, must
 * be: some of each are not enough. */
static void run_shared(const test_side *from, const test_side *to, dap_plan *plan, unsigned transports,
                       many_memory of_sources, many_memory of_destinations)
{
  dap_error err = {0};
  const bool is_refused = transports == DAP_TRANSPORT_DIRECT && test_nodes() == 1 && test_nprocs() > 1 &&
                          of_sources != MANY_SHARED && of_destinations != MANY_SHARED;
  many_make(MPI_COMM_WORLD, from, ARRAYS, of_sources, &sources);
  many_make(MPI_COMM_WORLD, to, ARRAYS, of_destinations, &destinations);
  for (int i = 0; i < ARRAYS; i++) side_fill(&sources.sides[i], i * SALT, COPIES_RIGHT);
  const dap_status s = dap_plan_run_many(plan, (const void *const *)sources.data, destinations.data, &err);
  if (is_refused)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "rank 0|only direct|dap_array_alloc()");
  else
    EXPECT_OK(s, &err);
  for (int i = 0; i < ARRAYS && !is_refused; i++)
    side_check(&destinations.sides[i], i * SALT, COPIES_RIGHT, PADDING_POISON);
  many_free(&sources);
  many_free(&destinations);
}

/* Elements dealt out one by one, to blocks and back: interleaved by the kernels where those of all are there,
 * in all arrays of a chunk. */
static void dealt_elements(void **state)
{
  (void)state;
  static random_array arrays[2];
  const int n = test_nprocs();
  const dap_dist block = dap_dist_even(200, n), dealt = dap_dist_cyclic(200, n, 1);
  test_random random = test_random_init(142);
  (void)array_deal(1, &block, NULL, &arrays[0]);
  (void)array_deal(1, &dealt, NULL, &arrays[1]);
  for (int way = 0; way < 8; way++) {
    static const unsigned transports[] = {DAP_TRANSPORT_DIRECT, DAP_TRANSPORT_STAGED, DAP_TRANSPORT_MESSAGES,
                                          0};
    const dap_plan_options o = {.transports = test_joining(transports[way / 2]), .arrays = ARRAYS};
    test_side from = side_make(&arrays[way % 2], CREATED, NULL, 8, FORM_C, &random);
    test_side to = side_make(&arrays[1 - way % 2], CREATED, NULL, 8, FORM_C, &random);
    const dap_side a = side_of(&from), b = side_of(&to);
    dap_plan *plan = NULL;
    dap_error err = {0};
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &o, &plan, &err), &err);
    for (int kind = 0; kind < MANY_KINDS * MANY_KINDS && plan; kind++) {
      TEST_CASE("%s, transports %#x, memory of kind %d", way % 2 ? "to blocks" : "from blocks", o.transports,
                kind);
      run_shared(&from, &to, plan, o.transports, (many_memory)(kind / MANY_KINDS),
                 (many_memory)(kind % MANY_KINDS));
      SETTLE();
    }
    dap_plan_destroy(&plan);
    side_free(&from);
    side_free(&to);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(dealt_elements),
};
MPI_TEST_MAIN(tests)
