/* Plans with 'u' axes: each row says why it is there. Every element is checked against the brute-force
 * model. */
#include "axis_procs.h"
#include "case.h"
#include "mpi_test.h"
#include "side.h"

typedef struct row_axis {
  case_cut kind;
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
    {"lists that are ranges", 1, {29}, {{CUT_ASCENDING, ALL}}, {{CUT_EVEN, ALL}}, FORM_C, FORM_C, 8},
    {"the same lists on both sides: nothing moves",
     1,
     {29},
     {{CUT_SHUFFLED, ALL}},
     {{CUT_SHUFFLED, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"lists to cyclic", 1, {29}, {{CUT_SHUFFLED, ALL}}, {{CUT_CYCLIC, ALL}}, FORM_C, FORM_C, 8},
    {"cyclic to lists", 1, {29}, {{CUT_CYCLIC, ALL}}, {{CUT_SHUFFLED, ALL}}, FORM_C, FORM_C, 8},
    {"regular lists to others", 1, {40}, {{CUT_DEALT, ALL}}, {{CUT_BACKWARDS, ALL}}, FORM_C, FORM_C, 4},
    {"falling lists read rising",
     1,
     {31},
     {{CUT_BACKWARDS, ALL}},
     {{CUT_EVEN, ALL}},
     FORM_NEGATIVE,
     FORM_C,
     8},
    {"empty lists in the source", 1, {17}, {{CUT_ONE_HOLDER, ALL}}, {{CUT_DEALT, ALL}}, FORM_C, FORM_C, 8},
    {"empty lists in the destination",
     1,
     {17},
     {{CUT_DEALT, ALL}},
     {{CUT_ONE_HOLDER, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"fewer indices than processes", 1, {2}, {{CUT_DEALT, ALL}}, {{CUT_SHUFFLED, ALL}}, FORM_C, FORM_C, 8},
    {"no index at all", 1, {0}, {{CUT_DEALT, ALL}}, {{CUT_COPIES, ALL}}, FORM_C, FORM_C, 8},
    {"to a copy on every process", 1, {23}, {{CUT_EVEN, ALL}}, {{CUT_COPIES, ALL}}, FORM_C, FORM_C, 8},
    {"from the first of the copies only", 1, {23}, {{CUT_COPIES, ALL}}, {{CUT_EVEN, ALL}}, FORM_C, FORM_C, 8},
    {"every copy becomes the first", 1, {23}, {{CUT_COPIES, ALL}}, {{CUT_COPIES, ALL}}, FORM_C, FORM_C, 8},
    {"copies in orders of their own",
     1,
     {23},
     {{CUT_EVERYWHERE, ALL}},
     {{CUT_EVERYWHERE, ALL}},
     FORM_C,
     FORM_C,
     3},
    {"shared indices come from the lower process",
     1,
     {33},
     {{CUT_EDGES, ALL}},
     {{CUT_CYCLIC, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"shared indices go to both processes",
     1,
     {33},
     {{CUT_CYCLIC, ALL}},
     {{CUT_EDGES, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"shared by some, held by others",
     1,
     {33},
     {{CUT_EDGES, ALL}},
     {{CUT_EVERYWHERE, ALL}},
     FORM_C,
     FORM_C,
     16},
    {"a list over one process has an order",
     1,
     {20},
     {{CUT_SHUFFLED, ONE}},
     {{CUT_EVEN, ALL}},
     FORM_C,
     FORM_C,
     8},
    {"from all to a list over one process",
     1,
     {20},
     {{CUT_CYCLIC, ALL}},
     {{CUT_SHUFFLED, ONE}},
     FORM_C,
     FORM_C,
     8},
    {"rows by lists, columns whole",
     2,
     {19, 12},
     {{CUT_SHUFFLED, ALL}, {CUT_EVEN, ONE}},
     {{CUT_EVEN, ONE}, {CUT_CYCLIC, ALL}},
     FORM_C,
     FORM_F,
     8},
    {"many rows by a list over one process: a gap-free part of the destination for each",
     2,
     {250, 3},
     {{CUT_SHUFFLED, ONE}, {CUT_EVEN, ONE}},
     {{CUT_EVEN, ALL}, {CUT_EVEN, ONE}},
     FORM_C,
     FORM_C,
     8},
    {"the same with one column",
     1,
     {250},
     {{CUT_SHUFFLED, ONE}},
     {{CUT_EVEN, ALL}},
     FORM_C,
     FORM_NEGATIVE,
     16},
    {"three numbers at each place of a list",
     2,
     {120, 3},
     {{CUT_SHUFFLED, ALL}, {CUT_EVEN, ONE}},
     {{CUT_SHUFFLED, ALL}, {CUT_EVEN, ONE}},
     FORM_C,
     FORM_C,
     4},
    {"five numbers at each place, some tens of bytes",
     2,
     {90, 5},
     {{CUT_DEALT, ALL}, {CUT_EVEN, ONE}},
     {{CUT_SHUFFLED, ALL}, {CUT_EVEN, ONE}},
     FORM_C,
     FORM_WINDOW,
     8},
    {"as many bytes at each place as are still no call",
     2,
     {60, 127},
     {{CUT_SHUFFLED, ALL}, {CUT_EVEN, ONE}},
     {{CUT_BACKWARDS, ALL}, {CUT_EVEN, ONE}},
     FORM_C,
     FORM_C,
     1},
    {"lists along both axes",
     2,
     {19, 12},
     {{CUT_SHUFFLED, LARGER}, {CUT_DEALT, SMALLER}},
     {{CUT_EDGES, LARGER}, {CUT_BACKWARDS, SMALLER}},
     FORM_F,
     FORM_WINDOW,
     8},
    {"lists beside padding: the source's interior, the destination's padding left or filled",
     2,
     {19, 26},
     {{CUT_SHUFFLED, LARGER}, {CUT_PADDED, SMALLER}},
     {{CUT_PADDED, LARGER}, {CUT_SHUFFLED, SMALLER}},
     FORM_C,
     FORM_C,
     8},
    {"lists into padding", 1, {26}, {{CUT_SHUFFLED, ALL}}, {{CUT_PADDED, ALL}}, FORM_C, FORM_C, 8},
    {"lists into a ring", 1, {26}, {{CUT_EDGES, ALL}}, {{CUT_RING, ALL}}, FORM_C, FORM_C, 8},
    {"copies beside a ring",
     2,
     {26, 7},
     {{CUT_EVEN, ALL}, {CUT_EVEN, ONE}},
     {{CUT_RING, LARGER}, {CUT_EVERYWHERE, SMALLER}},
     FORM_C,
     FORM_F,
     8},
    {"a list and two other axes, strides of all kinds",
     3,
     {7, 12, 10},
     {{CUT_CYCLIC, ONE}, {CUT_EDGES, ALL}, {CUT_EVEN, ONE}},
     {{CUT_EVEN, LARGER}, {CUT_COPIES, ONE}, {CUT_SHUFFLED, SMALLER}},
     FORM_PERMUTED,
     FORM_NEGATIVE,
     5},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- arrays ---------------------------------------------------------------------------------------- */

static void make_array(const row *r, const row_axis axes[], test_random *random, random_array *array)
{
  int ranks[BRUTE_PROCS], nprocs = 1;
  dap_dist dists[3];
  for (int k = 0; k < r->ndim; k++) {
    const int procs = axis_procs_of(axes[k].procs);
    dists[k] = cut_axis(axes[k].kind, r->size[k], procs, 2, random, &array->memory[k]);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_every_row),
    cmocka_unit_test(gathers_and_scatters),
};
MPI_TEST_MAIN(tests)
