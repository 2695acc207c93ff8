/* Tests dap_layout_lookup() with many questions at once, and its refusals. comm_assemble looks up elements
 * of random arrays. */
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>

/* Elements that this process looks up, and the answers. */
typedef struct questions {
  int64_t count;
  int64_t *global, *local; /* [count][ndim] */
  int *ranks;              /* [count] */
} questions;

static questions make_questions(int64_t count, int ndim)
{
  const size_t words = (size_t)count * (size_t)ndim + 1;
  questions q = {.count = count};
  q.global = calloc(words, sizeof *q.global);
  q.local = calloc(words, sizeof *q.local);
  q.ranks = calloc((size_t)count + 1, sizeof *q.ranks);
  if (q.global && q.local && q.ranks) return q;
  fprintf(stderr, "out of memory\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
  return q;
}

static void free_questions(questions *q)
{
  free(q->global);
  free(q->local);
  free(q->ranks);
}

/* ---- more questions than go into one round ------------------------------------------------------- */

/* Returns the first index that all processes hold. assemble_large() makes a 'u' array of `size` elements,
 * dealt one by one, with each list reversed. Its last eighth is on all processes, so the first one owns
 * it. */
static int64_t shared_from(int64_t size)
{
  return size - size / 8;
}

static dap_layout *assemble_large(int64_t size)
{
  const int P = test_nprocs(), me = test_rank();
  const int64_t own = (shared_from(size) - me + P - 1) / P, count = own + size / 8;
  int64_t *indices = calloc((size_t)count + 1, sizeof *indices);
  for (int64_t i = 0; i < own; i++) indices[i] = me + (own - 1 - i) * P;
  for (int64_t i = own; i < count; i++) indices[i] = shared_from(size) + i - own;
  const dap_array part = list_part(size, count, DAP_I8, indices);
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &part, &layout, &err), &err);
  free(indices);
  return layout;
}

static void check_large(const dap_layout *layout, int64_t size, const questions *q)
{
  const int P = test_nprocs();
  dap_error err = {0};
  const dap_status s =
      dap_layout_lookup(MPI_COMM_WORLD, layout, q->count, q->global, q->ranks, q->local, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_OK, NULL);
  for (int64_t i = 0; i < q->count; i++) {
    const int64_t index = q->global[i];
    const bool shared = index >= shared_from(size);
    const int64_t owner = shared ? 0 : index % P, own = (shared_from(size) - owner + P - 1) / P;
    const bool good = q->ranks[i] == owner &&
                      q->local[i] == (shared ? own + index - shared_from(size) : own - 1 - index / P);
    if (!EXPECT_MSG(good, "index %" PRId64 ": rank %d, position %" PRId64, index, q->ranks[i], q->local[i]))
      return;
  }
}

/* Some processes look up many elements, in two or more rounds, and the others one or none. Then all look
 * up elements whose owners one process knows. */
static void many_rounds(void **state)
{
  (void)state;
  enum { SIZE = 100000, MANY = 300000 };
  const int P = test_nprocs(), me = test_rank();
  test_random own = test_random_init(3000 + (uint64_t)me);
  dap_layout *layout = assemble_large(SIZE);
  SETTLE();
  for (int asker = 0; asker < P; asker++) {
    TEST_CASE("process %d asks for %d elements", asker, MANY);
    questions q = make_questions(me == asker ? MANY : me % 2, 1);
    for (int64_t i = 0; i < q.count; i++) q.global[i] = test_random_int(&own, 0, SIZE - 1);
    check_large(layout, SIZE, &q);
    free_questions(&q);
    SETTLE();
  }
  TEST_CASE("all ask one process");
  questions q = make_questions(MANY / P, 1);
  for (int64_t i = 0; i < q.count; i++) q.global[i] = SIZE - 1 - test_random_int(&own, 0, SIZE / P - 1);
  check_large(layout, SIZE, &q);
  free_questions(&q);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- refused ------------------------------------------------------------------------------------- */

typedef enum mistake {
  INDEX_HIGH,
  INDEX_LOW,
  COUNT_NEGATIVE,
  GLOBAL_NULL,
  RANKS_NULL,
  LOCAL_NULL,
  LAYOUT_NULL,
  LAYOUT_OTHER,
  LAYOUT_SMALLER
} mistake;

static const struct {
  const char *why;
  mistake mistake;
  bool everywhere; /* on all processes, and not only on the last one */
  int least;       /* least number of processes */
  const char *parts;
} rows[] = {
    {"an index behind the last", INDEX_HIGH, false, 1, "element 2|axis 1|index 7|6"},
    {"a negative index", INDEX_LOW, false, 1, "element 1|axis 0|index -1"},
    {"a negative count", COUNT_NEGATIVE, false, 1, "count -1"},
    {"no elements", GLOBAL_NULL, false, 1, "global"},
    {"nowhere for ranks", RANKS_NULL, false, 1, "ranks"},
    {"nowhere for positions", LOCAL_NULL, false, 1, "local"},
    {"no layout", LAYOUT_NULL, false, 1, "layout"},
    {"no layout anywhere", LAYOUT_NULL, true, 1, "layout"},
    {"another layout on one process", LAYOUT_OTHER, false, 2, "layout|not the same"},
    {"a layout of fewer processes", LAYOUT_SMALLER, true, 2, "1 processes"},
};

static void refuses_every_row(void **state)
{
  (void)state;
  const int P = test_nprocs(), culprit = P - 1;
  const dap_dist dists[] = {dap_dist_replicated(5, P), dap_dist_even(7, 1)};
  const dap_dist others[] = {dap_dist_replicated(5, P), dap_dist_cyclic(7, 1, 7)};
  const dap_dist smaller[] = {dap_dist_replicated(5, 1), dap_dist_even(7, 1)};
  dap_layout *layout = NULL, *other = NULL, *small = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  EXPECT_OK(dap_layout_create(2, others, &other, NULL), NULL);
  EXPECT_OK(dap_layout_create(2, smaller, &small, NULL), NULL);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].least > P) continue;
    TEST_CASE("%s", rows[i].why);
    const bool errs = rows[i].everywhere || test_rank() == culprit;
    const mistake m = errs ? rows[i].mistake : (mistake)-1;
    int64_t global[] = {0, 0, m == INDEX_LOW ? -1 : 1, 2, 4, m == INDEX_HIGH ? 7 : 6}, local[6];
    int ranks[3];
    const dap_layout *given = m == LAYOUT_NULL      ? NULL
                              : m == LAYOUT_OTHER   ? other
                              : m == LAYOUT_SMALLER ? small
                                                    : layout;
    const int64_t count = m == COUNT_NEGATIVE ? -1 : errs || test_rank() % 2 ? 3 : 0;
    for (int text = 1; text >= 0; text--) {
      dap_error err = {0};
      const dap_status s = dap_layout_lookup(MPI_COMM_WORLD, given, count, m == GLOBAL_NULL ? NULL : global,
                                             m == RANKS_NULL ? NULL : ranks, m == LOCAL_NULL ? NULL : local,
                                             text ? &err : NULL);
      if (text)
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, rows[i].parts);
      else
        EXPECT_INT(s, DAP_ERR_ARG);
      if (text) EXPECT_INT(err.rank, rows[i].everywhere ? 0 : culprit);
    }
    SETTLE();
  }
  TEST_CASE("no communicator");
  dap_error err = {0};
  EXPECT_FAIL(dap_layout_lookup(MPI_COMM_NULL, layout, 0, NULL, NULL, NULL, &err), DAP_ERR_ARG, &err, "comm");
  dap_layout_destroy(&layout);
  dap_layout_destroy(&other);
  dap_layout_destroy(&small);
  SETTLE();
}

/* Checks that the answers are right, or that all processes receive one refusal, but never a guess. */
static void expect_right_or_refused(MPI_Comm comm, const dap_layout *layout, const dap_layout *truth)
{
  int64_t global[20], local[20], place;
  int ranks[20], rank;
  const int64_t count = dap_layout_count(truth);
  dap_error err = {0};
  for (int64_t i = 0; i < count; i++) global[i] = i;
  const dap_status s = dap_layout_lookup(comm, layout, count, global, ranks, local, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, s ? DAP_ERR_ARG : DAP_OK, "axis 0|proc_grid_rank");
  for (int64_t i = 0; i < count && !s; i++) {
    EXPECT_OK(dap_layout_locate(truth, &i, &rank, &place, &err), &err);
    EXPECT_INT(ranks[i], rank);
    EXPECT_INT(local[i], place);
  }
}

/* Moves an assembled layout to other processes, so that each process has the indices of another
 * coordinate. */
static void layouts_in_other_hands(void **state)
{
  (void)state;
  const int P = test_nprocs();
  static random_memory memory;
  test_random random = test_random_init(14);
  int reversed[BRUTE_PROCS];
  for (int p = 0; p < P; p++) reversed[p] = P - 1 - p;
  const dap_dist dist = random_lists(&random, P, 20, &memory);
  dap_layout *created = NULL, *other = NULL, *moved = NULL;
  MPI_Comm backwards = MPI_COMM_NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &created, NULL), NULL);
  EXPECT_OK(dap_layout_reorder(created, reversed, &other, NULL), NULL);
  dap_layout *assembled = assemble_again(MPI_COMM_WORLD, created, NULL, &random);
  TEST_CASE("a communicator in reverse");
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank(), &backwards);
  expect_right_or_refused(backwards, assembled, created);
  MPI_Comm_free(&backwards);
  SETTLE();
  TEST_CASE("reordered");
  EXPECT_OK(dap_layout_reorder(assembled, reversed, &moved, NULL), NULL);
  expect_right_or_refused(MPI_COMM_WORLD, moved, other);
  dap_layout_destroy(&created);
  dap_layout_destroy(&other);
  dap_layout_destroy(&assembled);
  dap_layout_destroy(&moved);
  SETTLE();
}

static const struct CMUnitTest tests[] = {

    cmocka_unit_test(many_rounds),
    cmocka_unit_test(refuses_every_row),
    cmocka_unit_test(layouts_in_other_hands),
};

MPI_TEST_MAIN(tests)
