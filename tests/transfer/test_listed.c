/* Plans with 'u' axes: each row says why it is there. Every element is checked against the brute-force model. */
#include "mpi_test.h"
#include "sides.h"

/* An axis of a row: how its elements are dealt to the processes. */
typedef enum axis_kind {
  IN_ORDER,   /* lists of contiguous stretches, in rank order: as an even cut */
  DEALT,      /* lists of single indices in turns */
  BACKWARDS,  /* contiguous stretches, the last to rank 0, each in falling order */
  SHUFFLED,   /* in random order */
  ONE_HOLDER, /* all on the last process, the other lists are empty */
  OVERLAP,    /* contiguous stretches that share some indices with the next process */
  EVERYWHERE, /* all on every process, in another order on each */
  WHOLE,      /* dap_dist_whole() */
  EVEN,
  CYCLIC,
  PADDED,
  RING /* padded, with halos that wrap round */
} axis_kind;

typedef enum axis_procs { ONE, ALL, SPLIT /* the squarest factors, the larger first */ } axis_procs;

typedef struct row_axis {
  axis_kind kind;
  axis_procs procs;
} row_axis;

typedef struct row {
  const char *why;
  int ndim;
  int64_t size[3];
  row_axis from[3], to[3];
  test_form from_form, to_form;
  int64_t itemsize;
} row;

static const row rows[] = {
    {"lists that are ranges", 1, {29}, {{IN_ORDER, ALL}}, {{EVEN, ALL}}, FORM_C, FORM_C, 8},
    {"the same lists on both sides: nothing moves",
     1,
     {29},
     {{SHUFFLED, ALL}},
     {{SHUFFLED, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"lists to cyclic", 1, {29}, {{SHUFFLED, ALL}}, {{CYCLIC, ALL}}, FORM_C, FORM_C, 8},
    {"cyclic to lists", 1, {29}, {{CYCLIC, ALL}}, {{SHUFFLED, ALL}}, FORM_C, FORM_C, 8},
    {"regular lists to others", 1, {40}, {{DEALT, ALL}}, {{BACKWARDS, ALL}}, FORM_C, FORM_C, 4},
    {"falling lists read rising", 1, {31}, {{BACKWARDS, ALL}}, {{EVEN, ALL}}, FORM_NEGATIVE, FORM_C, 8},
    {"empty lists in the source", 1, {17}, {{ONE_HOLDER, ALL}}, {{DEALT, ALL}}, FORM_C, FORM_C, 8},
    {"empty lists in the destination", 1, {17}, {{DEALT, ALL}}, {{ONE_HOLDER, ALL}}, FORM_C, FORM_C, 8},
    {"fewer indices than processes", 1, {2}, {{DEALT, ALL}}, {{SHUFFLED, ALL}}, FORM_C, FORM_C, 8},
    {"no index at all", 1, {0}, {{DEALT, ALL}}, {{WHOLE, ALL}}, FORM_C, FORM_C, 8},
    {"to a copy on every process", 1, {23}, {{EVEN, ALL}}, {{WHOLE, ALL}}, FORM_C, FORM_C, 8},
    {"from the first of the copies only", 1, {23}, {{WHOLE, ALL}}, {{EVEN, ALL}}, FORM_C, FORM_C, 8},
    {"every copy becomes the first", 1, {23}, {{WHOLE, ALL}}, {{WHOLE, ALL}}, FORM_C, FORM_C, 8},
    {"copies in orders of their own", 1, {23}, {{EVERYWHERE, ALL}}, {{EVERYWHERE, ALL}}, FORM_C, FORM_C, 3},
    {"shared indices come from the lower process",
     1,
     {33},
     {{OVERLAP, ALL}},
     {{CYCLIC, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"shared indices go to both processes", 1, {33}, {{CYCLIC, ALL}}, {{OVERLAP, ALL}}, FORM_C, FORM_C, 8},
    {"shared by some, held by others", 1, {33}, {{OVERLAP, ALL}}, {{EVERYWHERE, ALL}}, FORM_C, FORM_C, 16},
    {"a list over one process has an order", 1, {20}, {{SHUFFLED, ONE}}, {{EVEN, ALL}}, FORM_C, FORM_C, 8},
    {"from all to a list over one process", 1, {20}, {{CYCLIC, ALL}}, {{SHUFFLED, ONE}}, FORM_C, FORM_C, 8},
    {"rows by lists, columns whole",
     2,
     {19, 12},
     {{SHUFFLED, ALL}, {EVEN, ONE}},
     {{EVEN, ONE}, {CYCLIC, ALL}},
     FORM_C,
     FORM_F,
     8},
    {"lists along both axes",
     2,
     {19, 12},
     {{SHUFFLED, SPLIT}, {DEALT, SPLIT}},
     {{OVERLAP, SPLIT}, {BACKWARDS, SPLIT}},
     FORM_F,
     FORM_WINDOW,
     8},
    {"lists beside padding: the source's interior, the destination's padding left or filled",
     2,
     {19, 26},
     {{SHUFFLED, SPLIT}, {PADDED, SPLIT}},
     {{PADDED, SPLIT}, {SHUFFLED, SPLIT}},
     FORM_C,
     FORM_C,
     8},
    {"lists into padding", 1, {26}, {{SHUFFLED, ALL}}, {{PADDED, ALL}}, FORM_C, FORM_C, 8},
    {"lists into a ring", 1, {26}, {{OVERLAP, ALL}}, {{RING, ALL}}, FORM_C, FORM_C, 8},
    {"copies beside a ring",
     2,
     {26, 7},
     {{EVEN, ALL}, {EVEN, ONE}},
     {{RING, SPLIT}, {EVERYWHERE, SPLIT}},
     FORM_C,
     FORM_F,
     8},
    {"a list and two other axes, strides of all kinds",
     3,
     {7, 12, 10},
     {{CYCLIC, ONE}, {OVERLAP, ALL}, {EVEN, ONE}},
     {{EVEN, SPLIT}, {WHOLE, ONE}, {SHUFFLED, SPLIT}},
     FORM_PERMUTED,
     FORM_NEGATIVE,
     5},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- arrays ---------------------------------------------------------------------------------------- */

static void push(random_memory *memory, int64_t p, int64_t index)
{
  memory->lists[p][memory->lengths[p]++] = index;
}

static void shuffle(test_random *random, int64_t list[], int64_t length)
{
  for (int64_t i = length - 1; i > 0; i--) {
    const int64_t other = test_random_int(random, 0, i), kept = list[i];
    list[i] = list[other];
    list[other] = kept;
  }
}

static dap_dist make_lists(axis_kind kind, int64_t size, int procs, test_random *random,
                           random_memory *memory)
{
  const int64_t each = (size + procs - 1) / procs;
  for (int p = 0; p < procs; p++) {
    memory->lengths[p] = 0;
    memory->indices[p] = memory->lists[p];
  }
  for (int64_t i = 0; i < size; i++) {
    const int64_t falling = size - 1 - i, at = i / each;
    if (kind == IN_ORDER || kind == OVERLAP) push(memory, at, i);
    if (kind == OVERLAP && procs > 1 && i % each >= each - 2) push(memory, (at + 1) % procs, i);
    if (kind == DEALT || kind == SHUFFLED) push(memory, i % procs, i);
    if (kind == BACKWARDS) push(memory, at, falling);
    if (kind == ONE_HOLDER) push(memory, procs - 1, i);
    for (int p = 0; p < procs && kind == EVERYWHERE; p++) push(memory, p, i);
  }
  for (int p = 0; p < procs; p++)
    if (kind == SHUFFLED || kind == EVERYWHERE) shuffle(random, memory->lists[p], memory->lengths[p]);
  return dap_dist_unstructured(size, procs, memory->lengths, memory->indices);
}

static dap_dist make_axis(axis_kind kind, int64_t size, int procs, test_random *random, random_memory *memory)
{
  dap_dist dist = dap_dist_padded(size, procs, 2);
  dist.periodic = dist.wraps = kind == RING;
  if (kind == PADDED || kind == RING) return dist;
  if (kind == WHOLE) return dap_dist_whole(size, procs);
  if (kind == EVEN) return dap_dist_even(size, procs);
  if (kind == CYCLIC) return dap_dist_cyclic(size, procs, 3);
  return make_lists(kind, size, procs, random, memory);
}

static void make_array(const row *r, const row_axis axes[], test_random *random, random_array *array)
{
  const int P = test_nprocs();
  int split[2] = {P, 1}, ranks[BRUTE_PROCS], used = 0, nprocs = 1;
  dap_dist dists[3];
  for (int f = 1; f * f <= P; f++)
    if (P % f == 0) split[1] = f;
  split[0] = P / split[1];
  for (int k = 0; k < r->ndim; k++) {
    const int procs = axes[k].procs == ONE ? 1 : axes[k].procs == ALL ? P : split[used++];
    dists[k] = make_axis(axes[k].kind, r->size[k], procs, random, &array->memory[k]);
    nprocs *= procs;
  }
  random_ranks(random, nprocs, ranks);
  (void)array_deal(r->ndim, dists, ranks, array);
}

/* ---- moved ----------------------------------------------------------------------------------------- */

static void move(const test_side *from, const test_side *to, const dap_plan_options *options)
{
  const dap_side a = side_of(from), b = side_of(to);
  dap_plan *plan = NULL;
  dap_error err;
  const bool made =
      EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, from->itemsize, options, &plan, &err), &err);
  for (int64_t shift = 0; shift < 2 && made; shift++) {
    side_fill(from, shift, COPIES_WRONG);
    side_poison(to);
    EXPECT_OK(dap_plan_begin(plan, side_data(from), side_data(to), &err), &err);
    EXPECT_OK(dap_plan_end(plan, &err), &err);
    side_check(to, shift, COPIES_RIGHT, options->fill_halos ? PADDING_FILLED : PADDING_POISON);
    side_check(from, shift, COPIES_WRONG, PADDING_POISON);
  }
  dap_plan_destroy(&plan);
}

/* Layouts made and assembled, in any combination; the sides on all processes or, where that fits, in another
 * order; whole messages and parts of them. */
static void moves_every_row(void **state)
{
  (void)state;
  static random_array arrays[2];
  test_random random = test_random_init(23);
  for (int i = 0; i < ROWS; i++)
    for (int origins = 0; origins < 9; origins++) {
      const row *r = &rows[i];
      int ranks[2][BRUTE_PROCS];
      make_array(r, r->from, &random, &arrays[0]);
      make_array(r, r->to, &random, &arrays[1]);
      TEST_CASE("%s, layouts %d: %s", r->why, origins, random_array_text(&arrays[0]));
      test_side from =
          side_make(&arrays[0], (side_origin)(origins % 3), random_part(&random, arrays[0].nprocs, ranks[0]),
                    r->itemsize, r->from_form, &random);
      test_side to =
          side_make(&arrays[1], (side_origin)(origins / 3), random_part(&random, arrays[1].nprocs, ranks[1]),
                    r->itemsize, r->to_form, &random);
      const dap_plan_options options = {.fill_halos = origins % 2, .message_bytes = origins % 4 ? 0 : 37};
      move(&from, &to, &options);
      side_free(&from);
      side_free(&to);
      SETTLE();
    }
}

/* ---- gather, scatter ------------------------------------------------------------------------------- */

static void gather_and_scatter(const test_side *s, int root)
{
  const dap_side part = side_of(s);
  unsigned char *whole = calloc((size_t)(s->array->model.count * s->itemsize) + 1, 1);
  const bool here = test_rank() == root;
  dap_plan *gather = NULL, *scatter = NULL;
  dap_error err;
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &part, root, s->itemsize, NULL, &gather, &err), &err))
    for (int64_t shift = 0; shift < 2; shift++) {
      side_fill(s, shift, COPIES_WRONG);
      EXPECT_OK(dap_plan_run(gather, side_data(s), here ? whole : NULL, &err), &err);
      if (here) whole_check(s->array, s->itemsize, shift, whole);
    }
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, root, &part, s->itemsize, NULL, &scatter, &err),
                &err))
    for (int64_t shift = 2; shift < 4; shift++) {
      whole_fill(s->array, s->itemsize, shift, whole);
      side_poison(s);
      EXPECT_OK(dap_plan_run(scatter, here ? whole : NULL, side_data(s), &err), &err);
      side_check(s, shift, COPIES_RIGHT, PADDING_POISON);
    }
  dap_plan_destroy(&gather);
  dap_plan_destroy(&scatter);
  free(whole);
}

static void gathers_and_scatters(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(24);
  for (int i = 0; i < ROWS; i++) {
    const int root = i % test_nprocs();
    make_array(&rows[i], rows[i].from, &random, &array);
    TEST_CASE("gather to and scatter from %d: %s", root, rows[i].why);
    test_side s = side_make(&array, (side_origin)(i % 3), NULL, rows[i].itemsize, rows[i].from_form, &random);
    gather_and_scatter(&s, root);
    side_free(&s);
    SETTLE();
  }
}

/* ---- what a plan costs ------------------------------------------------------------------------------ */

static dap_plan_stats stats_of(const dap_dist *from, const dap_dist *to)
{
  dap_layout *a = NULL, *b = NULL;
  dap_plan *plan = NULL;
  dap_plan_stats stats = {0};
  dap_error err;
  EXPECT_OK(dap_layout_create(1, from, &a, &err), &err);
  EXPECT_OK(dap_layout_create(1, to, &b, &err), &err);
  const dap_side x = {.layout = a}, y = {.layout = b};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &x, &y, 8, NULL, &plan, &err), &err))
    stats = dap_plan_stats_get(plan);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  return stats;
}

/* Only the first holder of a copy sends, one message to each process that wants it. */
static void sends_each_element_once(void **state)
{
  (void)state;
  const int P = test_nprocs(), rank = test_rank();
  const dap_dist whole = dap_dist_whole(10 * P, P), even = dap_dist_even(10 * P, P);
  TEST_CASE("whole to even");
  dap_plan_stats stats = stats_of(&whole, &even);
  EXPECT_INT(stats.messages_sent, rank == 0 ? P - 1 : 0);
  EXPECT_INT(stats.bytes_sent, rank == 0 ? 80 * (P - 1) : 0);
  EXPECT_INT(stats.bytes_received, rank == 0 ? 0 : 80);
  EXPECT_INT(stats.bytes_local, rank == 0 ? 80 : 0);
  TEST_CASE("even to whole");
  stats = stats_of(&even, &whole);
  EXPECT_INT(stats.messages_sent, P - 1);
  EXPECT_INT(stats.messages_received, P - 1);
  EXPECT_INT(stats.bytes_sent, 80 * (P - 1));
  EXPECT_INT(stats.bytes_local, 80);
  TEST_CASE("whole to whole");
  stats = stats_of(&whole, &whole);
  EXPECT_INT(stats.bytes_received, rank == 0 ? 0 : 80 * P);
  EXPECT_INT(stats.bytes_local, rank == 0 ? 80 * P : 0);
  SETTLE();
}

/* A plan remembers regular lists as the ranges or steps that they are; a list that has no order costs a word for
 * each of its elements, and not more than some. */
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
  shuffle(&random, lists[1], size);
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

/* ---- refused ---------------------------------------------------------------------------------------- */

/* Lists that differ on one process are another layout, also where what differs is known to others only. */
static void refuses_lists_that_differ(void **state)
{
  (void)state;
  static random_array arrays[2];
  static random_memory memory;
  const int P = test_nprocs(), culprit = P - 1;
  if (P == 1) return;
  test_random random = test_random_init(26);
  dap_dist dist = make_lists(SHUFFLED, 12, P, &random, &arrays[0].memory[0]);
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

/* An assembled layout knows the lists where they were told; a side that puts its processes elsewhere is refused by
 * all, not guessed. A layout that knows all lists can go anywhere. */
static void refuses_lists_that_are_elsewhere(void **state)
{
  (void)state;
  static random_array array;
  const int P = test_nprocs();
  int reversed[BRUTE_PROCS];
  if (P == 1) return;
  test_random random = test_random_init(28);
  const dap_dist dist = make_lists(SHUFFLED, 12, P, &random, &array.memory[0]);
  EXPECT(array_deal(1, &dist, NULL, &array));
  for (int p = 0; p < P; p++) reversed[p] = P - 1 - p;
  for (int origin = CREATED; origin <= ASSEMBLED; origin++)
    for (int which = 0; which < 2; which++) {
      TEST_CASE("origin %d, the side %s is elsewhere", origin, which ? "to" : "from");
      test_side s = side_make(&array, (side_origin)origin, NULL, 8, FORM_C, &random);
      const dap_side here = side_of(&s), there = {.layout = s.layout, .ranks = reversed};
      dap_plan *plan = NULL;
      dap_error err = {0};
      const dap_status status = dap_plan_create(MPI_COMM_WORLD, which ? &here : &there,
                                                which ? &there : &here, 8, NULL, &plan, &err);
      EXPECT_MSG(origin == CREATED ? status == DAP_OK : status == DAP_ERR_REMOTE || status == DAP_ERR_ARG,
                 "%s", dap_status_name(status));
      expect_same_error(MPI_COMM_WORLD, status, &err, status, which ? "to" : "from");
      dap_plan_destroy(&plan);
      side_free(&s);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_every_row),           cmocka_unit_test(gathers_and_scatters),
    cmocka_unit_test(sends_each_element_once),   cmocka_unit_test(remembers_regular_lists_as_runs),
    cmocka_unit_test(refuses_lists_that_differ), cmocka_unit_test(refuses_lists_that_are_elsewhere),
};
MPI_TEST_MAIN(tests)
