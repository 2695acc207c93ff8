/* Moves of several arrays at once: parts, permuted axes, casts, factors, other byte orders, second passes,
 * by all transports, on one host and on several that are pretended, in messages and memory of a few bytes.
 * Every array has its own values, and every position of every destination is checked against the serial
 * model. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "placements.h"
#include "task_many.h"

#include <inttypes.h>

enum { CASES = 60, SALT = 11 /* from one array's values to the next one's */ };

static task drawn;
static many_sides sources, destinations;

static const int counts[] = {1, 2, 3, 16, MANY_MOST};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static const unsigned ways[] = {0, DAP_TRANSPORT_STAGED, DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED,
                                DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* ---- one run ------------------------------------------------------------------------------------------- */

static void run_all(task *t, dap_plan *plan, int run)
{
  unsigned char *before = malloc((size_t)(destinations.count * t->to.buffer.bytes) + 1);
  dap_error err = {0};
  if (!before) MPI_Abort(MPI_COMM_WORLD, 1);
  task_many_fill(t, &sources, &destinations, run, before);
  const bool has_from = t->from.process >= 0 || run % 2, has_to = t->to.process >= 0 || run % 2;
  if (EXPECT_OK(dap_plan_run_many(plan, has_from ? (const void *const *)sources.data : NULL,
                                  has_to ? destinations.data : NULL, &err),
                &err))
    task_many_check(t, &sources, &destinations, run, before);
  free(before);
}

/* ---- one plan, all kinds of memory -------------------------------------------------------------------- */

static void run_in_memory(MPI_Comm comm, task *t, dap_plan *plan, int count, many_memory of_sources,
                          many_memory of_destinations, int run)
{
  many_make(comm, &t->from, count, of_sources, &sources);
  many_make(comm, &t->to, count, of_destinations, &destinations);
  run_all(t, plan, run);
  many_free(&sources);
  many_free(&destinations);
}

static void check_case(int nth, const task_wish *wish, test_random *random)
{
  static const int64_t lengths[] = {0, 0, 1, 40, 4096};
  const int place = nth % PLACEMENTS, count = counts[nth / 2 % COUNTS];
  MPI_Comm comm = placed_comms[place];
  task *t = &drawn;
  task_draw(t, wish, random);
  dap_plan_options *o = &t->options;
  o->arrays = count == 1 && nth % 3 ? 0 : count;
  o->transports = test_joining(ways[nth % WAYS]);
  if (place > 0 && o->transports) o->transports |= DAP_TRANSPORT_MESSAGES;
  o->message_bytes = lengths[test_random_int(random, 0, 4)];
  o->memory_bytes = test_random_one_in(random, 3) ? 30000 : 0;
  TEST_CASE("seed %" PRIu64 ", case %d, %d arrays, transports %#x, message_bytes %" PRId64
            ", memory_bytes %" PRId64 ", %s: %s",
            test_seed(), nth, count, o->transports, o->message_bytes, o->memory_bytes, placements[place].why,
            task_text(t));
  const dap_side from = task_from(t), to = task_to(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(comm, &from, &to, task_itemsize(t), o, &plan, &err), &err)) {
    run_in_memory(comm, t, plan, count, MANY_PRIVATE, MANY_PRIVATE, 0);
    run_in_memory(comm, t, plan, count, (many_memory)(nth % MANY_KINDS), MANY_MIXED, 1);
    run_in_memory(comm, t, plan, count, MANY_SHARED, (many_memory)(nth / 3 % MANY_KINDS), 2);
    run_in_memory(comm, t, plan, count, MANY_MIXED, MANY_SHARED, 3);
    EXPECT(dap_plan_summarize(plan).bytes_buffer <= (o->memory_bytes ? o->memory_bytes : INT64_C(64) << 20));
  }
  dap_plan_destroy(&plan);
  task_free(t);
  SETTLE();
}

static void random_moves(void **state)
{
  (void)state;
  test_random random = test_random_init(140);
  for (int i = 0; i < test_cases(CASES); i++)
    check_case(i, &(task_wish){.is_plain = i % 3 == 0, .is_all = i % 4 == 0}, &random);
}

/* Elements of one type, so that blocks are interleaved, pulled and pushed as they are. */
static void moves_of_large_arrays(void **state)
{
  (void)state;
  test_random random = test_random_init(141);
  for (int i = 0; i < test_cases(CASES / 3); i++)
    check_case(i,
               &(task_wish){.ndim = 1 + i % 2, .is_plain = true, .is_all = true, .most = 200 + 50 * (i % 2)},
               &random);
}

/* ---- elements of all processes in turn ----------------------------------------------------------------- */

enum { ARRAYS = 5 /* the first and the last are shared where every second one is */ };

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
    cmocka_unit_test(place_processes),       cmocka_unit_test(random_moves),
    cmocka_unit_test(moves_of_large_arrays), cmocka_unit_test(dealt_elements),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
