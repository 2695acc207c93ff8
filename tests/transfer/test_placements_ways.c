/* All pairs of placements of a tensor, with several tensors at once, by direct copies alone, and in little
 * memory: every element, and the fewest bytes; all at once and as trees. */
#include "mpi_test.h"
#include "problem_impl.h"
#include "tensors.h"

#include <dapbridge/shared.h>
#include <inttypes.h>

enum { ARRAYS = 3, VALUES = ARRAYS * TENSOR_ELEMENTS };

static double private_values[2][VALUES]; /* of the source, and of the destination */
static dap_array shared[2];              /* the same in memory that all share */
static double *values[2];                /* one of these */
static const void *sources[ARRAYS];
static void *destinations[ARRAYS];

static void set_values(bool from_shared, bool to_shared)
{
  values[0] = from_shared ? shared[0].data : private_values[0];
  values[1] = to_shared ? shared[1].data : private_values[1];
  for (int a = 0; a < ARRAYS; a++) {
    sources[a] = values[0] + a * TENSOR_ELEMENTS;
    destinations[a] = values[1] + a * TENSOR_ELEMENTS;
  }
}

/* ---- one plan ------------------------------------------------------------------------------------------ */

/* Every array has elements of its own. */
static void run(const tensor *from, const tensor *to, dap_plan *plan, int arrays, int shift)
{
  dap_error err = {0};
  for (int a = 0; a < arrays; a++) {
    tensor_fill(from, shift + 10 * a, values[0] + a * TENSOR_ELEMENTS);
    tensor_spoil(values[1] + a * TENSOR_ELEMENTS);
  }
  if (!EXPECT_OK(dap_plan_begin_many(plan, sources, destinations, &err), &err)) return;
  if (!EXPECT_OK(dap_plan_end(plan, &err), &err)) return;
  for (int a = 0; a < arrays; a++)
    if (!tensor_check(to, tensor_addends(from), shift + 10 * a, 0, values[1] + a * TENSOR_ELEMENTS)) return;
}

static void move(const tensor *from, const tensor *to, const dap_plan_options *o)
{
  const dap_side a = tensor_side(from), b = tensor_side(to);
  const int arrays = o->arrays > 0 ? (int)o->arrays : 1;
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, o, &plan, &err), &err)) {
    tensor_check_bytes(from, to, plan, arrays);
    for (int shift = 0; shift < 2; shift++) run(from, to, plan, arrays, shift);
  }
  dap_plan_destroy(&plan);
}

static unsigned tree(int fan_out)
{
  return DAP_FORCED_FAN_OUT * (unsigned)fan_out;
}

/* All pairs, with options that each is given. */
static void all_pairs(dap_plan_options (*options_of)(int number))
{
  const tensor_mesh *mesh = tensor_world();
  for (int number = 0; number < TENSOR_PAIRS; number++) {
    const tensor_pair p = tensor_pair_of(number);
    const dap_plan_options o = options_of(number);
    tensor x = tensor_make(mesh, p.from, number % 2), y = tensor_make(mesh, p.to, number / 2 % 2);
    TEST_CASE("%s on %d x %d, %" PRId64 " arrays, transports %#x", p.name, mesh->extents[0], mesh->extents[1],
              o.arrays, o.transports);
    move(&x, &y, &o);
    tensor_free(&x);
    tensor_free(&y);
    if (number % 9 == 8) SETTLE();
  }
}

/* ---- several arrays ------------------------------------------------------------------------------------ */

static dap_plan_options several(int number)
{
  static const unsigned ways[] = {0, DAP_TRANSPORT_STAGED, DAP_TRANSPORT_MESSAGES};
  return (dap_plan_options){.arrays = 2 + number % 2,
                            .transports = test_joining(ways[number / 3 % 3]) | tree(number / 2 % 3),
                            .message_bytes = number % 5 == 0 ? 40 : 0};
}

static void several_tensors(void **state)
{
  (void)state;
  set_values(false, false);
  all_pairs(several);
  set_values(false, true);
  all_pairs(several);
}

/* ---- direct copies ------------------------------------------------------------------------------------- */

static dap_plan_options direct(int number)
{
  return (dap_plan_options){.transports = test_joining(DAP_TRANSPORT_DIRECT) | tree(number % 3),
                            .arrays = number % 4 == 0 ? ARRAYS : 1};
}

static void direct_copies_alone(void **state)
{
  (void)state;
  set_values(true, true);
  all_pairs(direct);
}

/* Destinations that others read in a later pass, and sources that their receivers add up, must be shared. */
static void direct_copies_that_cannot_be(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  static const place cut[2] = {S0, S0}, addends[2] = {P, P}, whole[2] = {R, R};
  const dap_plan_options o = {.transports = DAP_TRANSPORT_DIRECT | tree(1)};
  for (int i = 0; i < 2; i++) {
    tensor x = tensor_make(tensor_world(), i ? addends : cut, false),
           y = tensor_make(tensor_world(), whole, false);
    const dap_side a = tensor_side(&x), b = tensor_side(&y);
    const bool is_refused = test_nprocs() > (i ? 1 : 2); /* of two the first pass reaches both */
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%s", i ? "addends" : "blocks");
    set_values(i == 0, i == 1);
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &o, &plan, &err), &err);
    tensor_fill(&x, 0, values[0]);
    tensor_spoil(values[1]);
    const dap_status s = dap_plan_run(plan, values[0], values[1], &err);
    if (is_refused)
      EXPECT_FAIL(s, DAP_ERR_ARG, &err, "only direct|dap_array_alloc()");
    else if (EXPECT_OK(s, &err))
      tensor_check(&y, tensor_addends(&x), 0, 0, values[1]);
    set_values(true, true);
    run(&x, &y, plan, 1, 1);
    dap_plan_destroy(&plan);
    tensor_free(&x);
    tensor_free(&y);
    SETTLE();
  }
}

/* ---- little memory ---------------------------------------------------------------------------------- */

/* Whether there is a plan in so little memory: it is right, or all refuse it. */
static bool fits(const tensor *from, const tensor *to, int64_t memory_bytes, int fan_out)
{
  const dap_side a = tensor_side(from), b = tensor_side(to);
  const dap_plan_options o = {.transports = DAP_TRANSPORT_MESSAGES | tree(fan_out),
                              .memory_bytes = memory_bytes};
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &o, &plan, &err);
  if (s) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "memory_bytes|too little|passes");
    EXPECT(plan == NULL);
    return false;
  }
  EXPECT(dap_plan_summarize(plan).bytes_buffer <= memory_bytes);
  run(from, to, plan, 1, 0);
  dap_plan_destroy(&plan);
  return true;
}

/* Terms of two processes: each adds up a half in the first pass, a message each way, and hands it to all
 * others in the second, which takes more. */
static void memory_of_a_later_pass(void **state)
{
  (void)state;
  enum { LINE = 64, FIRST = 2 * 2 * LINE /* of two passes, a slot of each of two messages */ };
  static const place addends[2] = {R, P}, whole[2] = {R, R};
  const int P_all = test_nprocs();
  if (P_all == 1) return;
  const tensor_mesh two = {.extents = {1, 2}, .ranks = {0, 1}};
  tensor x = tensor_make(&two, addends, false), near = tensor_make(&two, whole, false),
         all = tensor_make(tensor_world(), whole, false);
  set_values(false, false);
  for (int fan_out = 0; fan_out < 2; fan_out++) {
    TEST_CASE("fan_out %d: among two", fan_out);
    EXPECT(!fits(&x, &near, FIRST - 1, fan_out));
    EXPECT(fits(&x, &near, FIRST, fan_out));
    SETTLE();
  }
  TEST_CASE("and to all");
  const int64_t later =
      (int64_t)2 * P_all * LINE; /* of a process with a half: to all others, and the other half */
  EXPECT(!fits(&x, &all, later - 1, 0));
  EXPECT(fits(&x, &all, later, 0));
  for (int64_t bytes = 1; bytes < 1 << 16; bytes *= 2) (void)fits(&x, &all, bytes, 1);
  EXPECT(fits(&x, &all, 1 << 16, 1));
  tensor_free(&x);
  tensor_free(&near);
  tensor_free(&all);
  SETTLE();
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_even((int64_t)VALUES * test_nprocs(), test_nprocs());
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  for (int i = 0; i < 2; i++)
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &shared[i], NULL, &err), &err);
  dap_layout_destroy(&layout);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) dap_array_release(&shared[i]);
  return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(several_tensors, set_up, tear_down),
    cmocka_unit_test_setup_teardown(direct_copies_alone, set_up, tear_down),
    cmocka_unit_test_setup_teardown(direct_copies_that_cannot_be, set_up, tear_down),
    cmocka_unit_test_setup_teardown(memory_of_a_later_pass, set_up, tear_down),
};
MPI_TEST_MAIN(tests)
