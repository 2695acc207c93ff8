/* Counts the memory of plans over unordered lists: what they keep for each element, and what they need at
 * once while they are made. The counts come from the library's allocations. Each element that is received
 * or sent has two positions of four bytes. */
#include "allocations.h"
#include "case.h"
#include "mpi_test.h"

#include <dapbridge/comm.h>
#include <dapbridge/plan.h>
#include <inttypes.h>

enum {
  EACH = 100000, /* elements that a process owns */
  GHOSTS_EACH = EACH / 2,
  LISTS = EACH + GHOSTS_EACH,
  KEPT = 24, /* most bytes for an element */
  /* Bytes of questions in progress, which do not depend on their number. A process asks 2^14 questions at a
   * time, and answers 2^16. */
  ROUNDS = 16384 * 36 + 65536 * 24 + 65536,
  POSITION = 4 /* bytes of an element that is found first */
};

typedef enum kind { A_EVEN, A_LIST, ANOTHER_LIST, A_GHOSTED_LIST } kind;
typedef enum way { MOVE, PART, HALO, REVERSE } way;

/* How many elements of a process's buffer count. */
typedef struct row {
  const char *why;
  kind from, to;
  way way;
  bool is_assembled;
  int64_t elements;
} row;

static const row rows[] = {
    {"to a list", A_EVEN, A_LIST, MOVE, false, EACH},
    {"from a list", A_LIST, A_EVEN, MOVE, false, EACH},
    {"from one to another", A_LIST, ANOTHER_LIST, MOVE, false, EACH},
    {"lists that nobody has all of", A_LIST, ANOTHER_LIST, MOVE, true, EACH},
    {"a part, whose positions are found first", A_LIST, ANOTHER_LIST, PART, true, EACH},
    {"ghosts, behind what is owned", A_GHOSTED_LIST, A_GHOSTED_LIST, HALO, true, GHOSTS_EACH},
    {"the same backwards: what is listed is sorted", A_GHOSTED_LIST, A_GHOSTED_LIST, REVERSE, true,
     GHOSTS_EACH},
};

/* ---- lists --------------------------------------------------------------------------------------------- */

static int64_t *memory;
static int64_t *lists[2][BRUTE_PROCS]; /* [EACH + GHOSTS_EACH] the next process owns the ghosts */
static bool is_owned[LISTS];

static void make_lists(void)
{
  const int P = test_nprocs();
  const int64_t size = (int64_t)EACH * P;
  test_random random = test_random_init(34);
  memory = malloc((size_t)(2 * P * (int64_t)LISTS + size) * sizeof *memory);
  int64_t *all = memory + 2 * P * (int64_t)LISTS;
  for (int k = 0; k < 2; k++) {
    for (int64_t i = 0; i < size; i++) all[i] = i;
    test_shuffle(&random, size, all);
    for (int p = 0; p < P; p++) {
      int64_t *list = lists[k][p] = memory + (k * P + p) * (int64_t)LISTS;
      memcpy(list, all + p * (int64_t)EACH, EACH * sizeof *list);
      memcpy(list + EACH, all + (p + 1) % P * (int64_t)EACH, GHOSTS_EACH * sizeof *list);
      test_shuffle(&random, GHOSTS_EACH, list + EACH);
    }
  }
  for (int64_t i = 0; i < EACH; i++) is_owned[i] = true;
}

/* There are ghosts only if there are other processes. */
static int64_t extent_of(kind k)
{
  return k == A_GHOSTED_LIST && test_nprocs() > 1 ? LISTS : EACH;
}

static int64_t listed_index(kind k, int64_t i)
{
  return k == A_EVEN ? (int64_t)EACH * test_rank() + i : lists[k == ANOTHER_LIST][test_rank()][i];
}

static dap_layout *make_layout(kind k, bool is_assembled)
{
  const int P = test_nprocs();
  const int64_t *indices[BRUTE_PROCS];
  int64_t lengths[BRUTE_PROCS], owned[BRUTE_PROCS];
  dap_layout *created = NULL, *layout = NULL;
  dap_array array;
  dap_error err = {0};
  for (int p = 0; p < P; p++) {
    indices[p] = lists[k == ANOTHER_LIST][p];
    lengths[p] = extent_of(k);
    owned[p] = EACH;
  }
  const dap_dist dist = k == A_EVEN ? dap_dist_even((int64_t)EACH * P, P)
                        : k == A_GHOSTED_LIST
                            ? dap_dist_unstructured_ghosted((int64_t)EACH * P, P, lengths, owned, indices)
                            : dap_dist_unstructured((int64_t)EACH * P, P, lengths, indices);
  EXPECT_OK(dap_layout_create(1, &dist, &created, &err), &err);
  if (!is_assembled) return created;
  EXPECT_OK(dap_array_init(&array, created, test_rank(), DAP_U1, DAP_ORDER_C, NULL, &err), &err);
  const bool *const flags[] = {is_owned};
  EXPECT_OK(dap_layout_assemble_ghosted(MPI_COMM_WORLD, NULL, &array, k == A_GHOSTED_LIST ? flags : NULL,
                                        &layout, &err),
            &err);
  dap_array_release(&array);
  dap_layout_destroy(&created);
  return layout;
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static dap_status make_plan(const row *r, dap_layout *layouts[], dap_plan **plan, dap_error *err)
{
  const int64_t start = EACH / 4, shape = (int64_t)EACH * test_nprocs() - EACH / 2;
  const dap_plan_options options = {.allow_empty = true};
  dap_side from = {.layout = layouts[0], .contiguous = true, .dtype = DAP_F8},
           to = {.layout = layouts[1], .contiguous = true, .dtype = DAP_F8};
  if (r->way == HALO) return dap_plan_create_halo(MPI_COMM_WORLD, &to, 0, &options, plan, err);
  if (r->way == REVERSE) return dap_plan_create_halo_reverse(MPI_COMM_WORLD, &to, 0, &options, plan, err);
  if (r->way == PART) {
    from.part.start = to.part.start = &start;
    from.part.shape = to.part.shape = &shape;
  }
  return dap_plan_create(MPI_COMM_WORLD, &from, &to, 0, &options, plan, err);
}

/* Returns the value at position i after the run. Each index is a ghost of at most one process. */
static double value_at(const row *r, const bool ghosts[], int64_t i)
{
  const int64_t index = listed_index(r->to, i), all = (int64_t)EACH * test_nprocs();
  if (r->way == PART && (index < EACH / 4 || index >= all - EACH / 4)) return -1;
  if (r->way != REVERSE) return (double)index;
  return i < EACH ? (double)index * (ghosts[i] ? 2 : 1) : (double)index;
}

/* Finds what this process owns and the process before it holds. */
static bool *find_ghosts(kind k)
{
  const int P = test_nprocs(), before = (test_rank() + P - 1) % P;
  const int64_t size = (int64_t)EACH * P;
  bool *here = calloc((size_t)size, sizeof *here), *ghosts = calloc(EACH, sizeof *ghosts);
  for (int64_t i = EACH; i < LISTS && P > 1; i++) here[lists[k == ANOTHER_LIST][before][i]] = true;
  for (int64_t i = 0; i < EACH; i++) ghosts[i] = k != A_EVEN && here[listed_index(k, i)];
  free(here);
  return ghosts;
}

static void run_plan(const row *r, dap_plan *plan)
{
  const bool in_place = r->way == HALO || r->way == REVERSE;
  const int64_t extents[2] = {extent_of(r->from), extent_of(r->to)};
  double *from = malloc((size_t)extents[0] * sizeof *from), *to = malloc((size_t)extents[1] * sizeof *to);
  bool *ghosts = find_ghosts(r->to);
  dap_error err = {0};
  int64_t wrong = 0;
  for (int64_t i = 0; i < extents[0]; i++) from[i] = (double)listed_index(r->from, i);
  for (int64_t i = 0; i < extents[1]; i++)
    to[i] = in_place && (i < EACH || r->way == REVERSE) ? (double)listed_index(r->to, i) : -1;
  EXPECT_OK(dap_plan_run(plan, in_place ? to : from, to, &err), &err);
  for (int64_t i = 0; i < extents[1]; i++) wrong += to[i] != value_at(r, ghosts, i);
  EXPECT_INT(wrong, 0);
  free(ghosts);
  free(from);
  free(to);
}

static void check_row(const row *r)
{
  dap_layout *layouts[2] = {make_layout(r->from, r->is_assembled && r->from != A_EVEN),
                            make_layout(r->to, r->is_assembled && r->to != A_EVEN)};
  const bool is_empty = r->elements == GHOSTS_EACH && test_nprocs() == 1;
  dap_plan *plan = NULL;
  dap_error err = {0};
  allocations_start(0);
  const dap_status s = make_plan(r, layouts, &plan, &err);
  const int64_t kept = allocations_held(), peak = allocations_peak();
  if (EXPECT_OK(s, &err) && !is_empty) {
    const dap_plan_stats stats = dap_plan_summarize(plan);
    /* Slots on a node are not allocated, but messages between nodes are. */
    const int64_t buffers = test_nodes() > 1 ? stats.bytes_buffer : 0;
    const int64_t told = stats.bytes_plan, most = r->elements * (int64_t)KEPT;
    EXPECT_MSG(told < most && kept - buffers < most,
               "%" PRId64 " bytes said and %" PRId64 " kept of %" PRId64 " elements", told, kept - buffers,
               r->elements);
    const int64_t meanwhile = ROUNDS + (r->way == PART ? EACH * (int64_t)POSITION : 0);
    EXPECT_MSG(peak - buffers - meanwhile < told * 9 / 8, "%" PRId64 " bytes at a time, to keep %" PRId64,
               peak - buffers, told);
  }
  if (plan) run_plan(r, plan);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layouts[0]);
  dap_layout_destroy(&layouts[1]);
}

static void takes_little_more_than_it_keeps(void **state)
{
  (void)state;
  make_lists();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    check_row(&rows[i]);
    SETTLE();
  }
  free(memory);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(takes_little_more_than_it_keeps)};
MPI_TEST_MAIN(tests)
