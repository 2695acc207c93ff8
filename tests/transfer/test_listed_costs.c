/* Tests what plans with 'u' axes cost, and what they refuse. */
#include "case.h"
#include "mpi_test.h"
#include "plans.h"

/* ---- what a plan costs ------------------------------------------------------------------------------ */

static dap_plan_stats stats_of(const dap_dist *from, const dap_dist *to)
{
  dap_plan *plan = plan_of(1, from, to, NULL);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_plan_destroy(&plan);
  return stats;
}

/* Replicated elements are read on the same process. From lists only the owner sends, in one message to each
 * process that wants elements. */
static void sends_each_element_once(void **state)
{
  (void)state;
  const int P = test_nprocs();
  const dap_dist whole = dap_dist_replicated(10 * P, P), even = dap_dist_even(10 * P, P);
  TEST_CASE("whole to even");
  dap_plan_stats stats = stats_of(&whole, &even);
  EXPECT_INT(stats.messages_sent, 0);
  EXPECT_INT(stats.bytes_received, 0);
  EXPECT_INT(stats.bytes_local, 80);
  TEST_CASE("even to whole");
  stats = stats_of(&even, &whole);
  EXPECT_INT(stats.messages_sent, P - 1);
  EXPECT_INT(stats.messages_received, P - 1);
  EXPECT_INT(stats.bytes_sent, 80 * (P - 1));
  EXPECT_INT(stats.bytes_local, 80);
  TEST_CASE("whole to whole");
  stats = stats_of(&whole, &whole);
  EXPECT_INT(stats.bytes_received, 0);
  EXPECT_INT(stats.bytes_local, 80 * P);
  SETTLE();
}

/* A plan must keep a regular list as ranges or steps. An unordered list costs a word for each element, and
 * little more. */
static void remembers_regular_lists_as_runs(void **state)
{
  (void)state;
  enum { EACH = 20000 };
  const int P = test_nprocs();
  const int64_t size = (int64_t)EACH * P;
  int64_t *lists[2] = {calloc((size_t)size, sizeof(int64_t)), calloc((size_t)size, sizeof(int64_t))};
  const int64_t *indices[2][BRUTE_PROCS];
  int64_t lengths[BRUTE_PROCS];
  test_random random = test_random_init(25);
  for (int p = 0; p < P; p++) {
    indices[0][p] = lists[0] + p * EACH;
    indices[1][p] = lists[1] + p * EACH;
    lengths[p] = EACH;
  }
  for (int64_t i = 0; i < size; i++) lists[0][i] = lists[1][i] = i;
  test_shuffle(&random, size, lists[1]);
  const dap_dist ranges = dap_dist_unstructured(size, P, lengths, indices[0]);
  const dap_dist random_order = dap_dist_unstructured(size, P, lengths, indices[1]);
  const dap_dist cyclic = dap_dist_cyclic(size, P, 1), even = dap_dist_even(size, P);
  const int64_t to_cyclic = stats_of(&ranges, &cyclic).bytes_plan,
                to_even = stats_of(&ranges, &even).bytes_plan;
  EXPECT_MSG(to_cyclic < 16384 && to_even < 16384, "%lld and %lld bytes", (long long)to_cyclic,
             (long long)to_even);
  const int64_t any = stats_of(&random_order, &even).bytes_plan;
  EXPECT_MSG(any < (int64_t)EACH * 400, "%lld bytes for %d elements", (long long)any, EACH);
  free(lists[0]);
  free(lists[1]);
  SETTLE();
}

/* ---- what is asked ---------------------------------------------------------------------------------- */

static int questions; /* rounds of questions */
static int64_t words; /* words of the questions of this process */

/* Replaces the function of MPI. */
int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                 MPI_Comm comm)
{
  int nprocs = 0;
  questions++;
  MPI_Comm_size(comm, &nprocs);
  for (int p = 0; p < nprocs && type == MPI_INT; p++) words += ((const int *)from)[p];
  return PMPI_Alltoall(from, count, type, to, to_count, to_type, comm);
}

/* Returns the questions of a halo update, whose elements are checked, or of a reverse update. */
static int questions_of(int ndim, const case_cut kinds[], bool reverse)
{
  static random_array array;
  test_random random = test_random_init(27);
  dap_dist dists[3];
  dap_plan *plan = NULL;
  dap_error err;
  for (int k = 0; k < ndim; k++)
    dists[k] =
        cut_axis(kinds[k], 24, kinds[k] == CUT_GHOSTS ? test_nprocs() : 1, 1, &random, &array.memory[k]);
  EXPECT(array_deal(ndim, dists, NULL, &array));
  test_side s = side_make(&array, CREATED, NULL, 8, FORM_C, &random);
  dap_side side = side_of(&s);
  side.dtype = DAP_F8;
  questions = 0;
  EXPECT_OK(reverse ? dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, NULL, &plan, &err)
                    : dap_plan_create_halo(MPI_COMM_WORLD, &side, 0, NULL, &plan, &err),
            &err);
  const int asked = questions;
  side_fill(&s, 0, COPIES_WRONG);
  if (plan && !reverse && EXPECT_OK(dap_plan_run(plan, side_data(&s), side_data(&s), &err), &err))
    side_check(&s, 0, COPIES_RIGHT, PADDING_FILLED);
  dap_plan_destroy(&plan);
  side_free(&s);
  return asked;
}

/* Products that need the same elements of a list must not ask again. A process that owns none of the elements
 * is not asked. */
static void asks_once(void **state)
{
  (void)state;
  for (int reverse = 0; reverse < 2 && test_nprocs() > 1; reverse++) {
    TEST_CASE("reverse %d", reverse);
    const int once = questions_of(1, (const case_cut[]){CUT_GHOSTS}, reverse);
    EXPECT(once > 0);
    EXPECT_INT(questions_of(2, (const case_cut[]){CUT_GHOSTS, CUT_RING}, reverse), once);
    EXPECT_INT(questions_of(3, (const case_cut[]){CUT_GHOSTS, CUT_RING, CUT_RING}, reverse), once);
    /* for all that is listed, with the padding before it; and for the ghosts */
    EXPECT_INT(questions_of(3, (const case_cut[]){CUT_RING, CUT_RING, CUT_GHOSTS}, reverse), 2 * once);
  }
  SETTLE();
}

/* Returns the words of all questions. The elements are on the first processes, and must go to the last one in
 * another order. */
static int64_t words_of(const dap_dist *from)
{
  enum { SIZE = 200 };
  const int last = test_nprocs() - 1;
  const int64_t length = SIZE;
  int64_t list[SIZE], all = 0;
  const int64_t *const lists[] = {list};
  test_random random = test_random_init(29);
  for (int i = 0; i < SIZE; i++) list[i] = i;
  test_shuffle(&random, SIZE, list);
  const dap_dist listed = dap_dist_unstructured(SIZE, 1, &length, lists);
  dap_layout *a = layout_make(1, from, NULL), *b = layout_make(1, &listed, NULL);
  dap_plan *plan = NULL;
  dap_error err;
  const dap_side x = side_in_c_order(a, DAP_F8),
                 y = {.layout = b, .ranks = &last, .contiguous = true, .dtype = DAP_F8};
  words = 0;
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &x, &y, 0, NULL, &plan, &err), &err);
  MPI_Allreduce(&words, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  return all;
}

/* If there are copies, only the one that is read is told what is wanted, and no process is told if the reader
 * has a copy. If there are addends, all are told. */
static void tells_those_that_are_read(void **state)
{
  (void)state;
  const int others = test_nprocs() - 1;
  if (others == 0) return;
  const dap_dist one = dap_dist_even(200, 1), copies = dap_dist_replicated(200, others),
                 own = dap_dist_replicated(200, others + 1), addends = dap_dist_partial(200, others),
                 all_addends = dap_dist_partial(200, others + 1);
  const int64_t once = words_of(&one);
  EXPECT(once > 0);
  EXPECT_INT(words_of(&copies), once);
  EXPECT_INT(words_of(&own), 0);
  EXPECT_INT(words_of(&addends), once * others);
  EXPECT_INT(words_of(&all_addends), once * others);
  SETTLE();
}

/* ---- how it is cut ---------------------------------------------------------------------------------- */

/* A chunk must have whole nodes, not one component of many nodes. */
static void keeps_components_together(void **state)
{
  (void)state;
  enum { OWNED = 100, GHOST = 20, COMPONENTS = 3, NODES = 10 /* of a message */ };
  const int P = test_nprocs();
  int64_t lists[BRUTE_PROCS][OWNED + GHOST], lengths[BRUTE_PROCS], owned[BRUTE_PROCS];
  const int64_t *indices[BRUTE_PROCS];
  for (int p = 0; p < P; p++) {
    for (int64_t i = 0; i < OWNED + GHOST; i++) lists[p][i] = (p * OWNED + i) % (P * OWNED);
    indices[p] = lists[p];
    owned[p] = OWNED;
    lengths[p] = OWNED + (P > 1 ? GHOST : 0);
  }
  const dap_dist dists[] = {dap_dist_unstructured_ghosted((int64_t)P * OWNED, P, lengths, owned, indices),
                            dap_dist_local(COMPONENTS)};
  const dap_plan_options o = {.message_bytes = NODES * COMPONENTS * (int64_t)sizeof(double),
                              .allow_empty = true};
  dap_plan *plan = plan_of(2, dists, NULL, &o);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  EXPECT_INT(stats.messages_received, P > 1 ? GHOST / NODES : 0);
  EXPECT_INT(stats.messages_sent, P > 1 ? GHOST / NODES : 0);
  dap_plan_destroy(&plan);
  SETTLE();
}

/* ---- refused ---------------------------------------------------------------------------------------- */

/* Lists that differ on one process make another layout, also if only other processes know the difference. */
static void refuses_lists_that_differ(void **state)
{
  (void)state;
  static random_array arrays[2];
  static random_memory memory;
  const int P = test_nprocs(), culprit = P - 1;
  if (P == 1) return;
  test_random random = test_random_init(26);
  dap_dist dist = cut_axis(CUT_SHUFFLED, 12, P, 0, &random, &arrays[0].memory[0]);
  EXPECT(array_deal(1, &dist, NULL, &arrays[0]));
  memory = arrays[0].memory[0];
  for (int p = 0; p < P; p++) memory.indices[p] = memory.lists[p];
  memory.lists[0][0] = arrays[0].memory[0].lists[1][0];
  memory.lists[1][0] = arrays[0].memory[0].lists[0][0];
  dist = dap_dist_unstructured(12, P, memory.lengths, memory.indices);
  EXPECT(array_deal(1, &dist, NULL, &arrays[1]));
  for (int origin = CREATED; origin <= ASSEMBLED; origin++) {
    TEST_CASE("origin %d", origin);
    test_side right = side_make(&arrays[0], (side_origin)origin, NULL, 8, FORM_C, &random);
    test_side wrong = side_make(&arrays[1], (side_origin)origin, NULL, 8, FORM_C, &random);
    const dap_side a = side_of(&right), b = side_of(test_rank() == culprit ? &wrong : &right);
    dap_plan *plan = NULL;
    dap_error err;
    const dap_status s = dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "the layout of to|rank 0");
    EXPECT_INT(err.rank, culprit);
    EXPECT(plan == NULL);
    dap_plan_destroy(&plan);
    side_free(&right);
    side_free(&wrong);
    SETTLE();
  }
}

/* An assembled layout knows lists where they were told. If a side puts its processes elsewhere, all must
 * refuse it. A layout that knows all lists can go anywhere. */
static void refuses_lists_that_are_elsewhere(void **state)
{
  (void)state;
  static random_array array;
  const int P = test_nprocs();
  int reversed[BRUTE_PROCS];
  if (P == 1) return;
  test_random random = test_random_init(28);
  const dap_dist dist = cut_axis(CUT_SHUFFLED, 12, P, 0, &random, &array.memory[0]);
  EXPECT(array_deal(1, &dist, NULL, &array));
  for (int p = 0; p < P; p++) reversed[p] = P - 1 - p;
  for (int origin = CREATED; origin <= ASSEMBLED; origin++)
    for (int which = 0; which < 2; which++) {
      TEST_CASE("origin %d, the side %s is elsewhere", origin, which ? "to" : "from");
      test_side s = side_make(&array, (side_origin)origin, NULL, 8, FORM_C, &random);
      const dap_side here = side_of(&s), there = {.layout = s.layout, .ranks = reversed, .contiguous = true};
      dap_plan *plan = NULL;
      dap_error err = {0};
      const dap_status status = dap_plan_create(MPI_COMM_WORLD, which ? &here : &there,
                                                which ? &there : &here, 8, NULL, &plan, &err);
      expect_same_error(MPI_COMM_WORLD, status, &err, origin == CREATED ? DAP_OK : DAP_ERR_ARG,
                        which ? "to: axis 0" : "from: axis 0");
      dap_plan_destroy(&plan);
      side_free(&s);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sends_each_element_once),
    cmocka_unit_test(remembers_regular_lists_as_runs),
    cmocka_unit_test(asks_once),
    cmocka_unit_test(tells_those_that_are_read),
    cmocka_unit_test(keeps_components_together),
    cmocka_unit_test(refuses_lists_that_differ),
    cmocka_unit_test(refuses_lists_that_are_elsewhere),
};
MPI_TEST_MAIN(tests)
