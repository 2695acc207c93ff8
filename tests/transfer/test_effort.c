/* options.effort: plans of every kind are measured when they are made, and move all elements rightly in the
 * way that was chosen; they say what was tried. Which way is fastest is not tested: that is the machine's. */
#include "mpi_test.h"
#include "pair.h"
#include "placements.h"
#include "row_move.h"
#include "two_groups.h"

#include "transfer_impl.h"

#include <dapbridge/log.h>
#include <inttypes.h>

enum { CASES = 4, TEXT = 16384 };

static pair drawn;
static double stands_at; /* a clock that does not go on; 0: it does */

double MPI_Wtime(void)
{
  return stands_at > 0 ? stands_at : PMPI_Wtime();
}

static const dap_plan_options measured = {.effort = DAP_PLAN_MEASURE};

static int count_of(const char *text, const char *part)
{
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
  return count;
}

/* It says of each way how long it took, and of one that it was chosen; on all processes the same. */
static void check_words(const dap_plan *plan)
{
  static char text[TEXT];
  int counts[2];
  (void)dap_plan_describe(plan, text, sizeof text);
  const char *first = strstr(text, "as estimated: measured ");
  EXPECT_MSG(first != NULL, "%s", text);
  counts[0] = count_of(text, ": measured ");
  counts[1] = -counts[0];
  MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  EXPECT_MSG(counts[0] == -counts[1] && count_of(text, " us a run, chosen\n") == 1, "%s", text);
  EXPECT_INT(plan->measurement->count, counts[0]);
}

/* ---- moves and halo updates --------------------------------------------------------------------------- */

static void run_pair(const pair *c, dap_plan *plan, const dap_plan_options *o)
{
  const traffic t = traffic_count(&c->from, &c->to, o->fill_halos, NULL);
  for (int i = 0; i < MEMORIES; i++) run_in(c, plan, o, &memories[i], &t, i);
}

static void moves_are_measured(void **state)
{
  (void)state;
  test_random random = test_random_init(164);
  for (int i = 0; i < CASES; i++) {
    draw_pair(&random, MPI_COMM_WORLD, &drawn);
    const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .fill_halos = i % 2, .allow_empty = true};
    const dap_side a = as_given(&drawn, &drawn.from), b = as_given(&drawn, &drawn.to);
    dap_plan *plan = NULL;
    dap_error err = {0};
    label("measured", i, &drawn, &o);
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, drawn.from.itemsize, &o, &plan, &err), &err)) {
      check_words(plan);
      run_pair(&drawn, plan, &o);
    }
    dap_plan_destroy(&plan);
    if (EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &b, drawn.to.itemsize, &o, &plan, NULL), NULL)) {
      check_words(plan);
      side_poison(&drawn.to);
      side_fill(&drawn.to, 3, COPIES_ALL_WRONG);
      EXPECT_OK(dap_plan_run(plan, side_data(&drawn.to), side_data(&drawn.to), &err), &err);
      side_check(&drawn.to, 3, COPIES_RIGHT, PADDING_FILLED);
    }
    dap_plan_destroy(&plan);
    free_pair(&drawn);
    SETTLE();
  }
}

/* Processes that share no memory with some others. */
static void on_several_hosts(void **state)
{
  (void)state;
  test_random random = test_random_init(165);
  for (int p = 1; p < PLACEMENTS; p++) {
    int hosts[BRUTE_PROCS] = {0};
    MPI_Comm comm = comm_at(&placements[p], hosts);
    draw_pair(&random, comm, &drawn);
    const dap_side a = as_given(&drawn, &drawn.from), b = as_given(&drawn, &drawn.to);
    dap_plan *plan = NULL;
    dap_error err = {0};
    label(placements[p].why, p, &drawn, &measured);
    if (EXPECT_OK(dap_plan_create(comm, &a, &b, drawn.from.itemsize, &measured, &plan, &err), &err)) {
      check_words(plan);
      run_pair(&drawn, plan, &measured);
    }
    dap_plan_destroy(&plan);
    free_pair(&drawn);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

/* Each group knows its side alone. */
static void between_two_groups(void **state)
{
  (void)state;
  test_random random = test_random_init(166);
  for (int sender = 0; sender < 2 && test_nprocs() > 1; sender++) {
    test_random own = test_random_init(950 + (uint64_t)test_rank());
    two_groups g = two_groups_make(test_nprocs() / 2, INTERLEAVED);
    dap_side from, to;
    int ranks[2][BRUTE_PROCS];
    dap_plan *plan = NULL;
    dap_error err = {0};
    draw_groups(&random, &g, sender, &drawn);
    label("two groups", sender, &drawn, &measured);
    const dap_side *a = side_in_group(&g, sender, &drawn.from, drawn.tells, &own, &from, ranks[0]);
    const dap_side *b = side_in_group(&g, 1 - sender, &drawn.to, drawn.tells, &own, &to, ranks[1]);
    if (EXPECT_OK(dap_plan_create(g.inter, a, b, drawn.from.itemsize, &measured, &plan, &err), &err)) {
      check_words(plan);
      run_pair(&drawn, plan, &measured);
    }
    dap_plan_destroy(&plan);
    free_pair(&drawn);
    two_groups_free(&g);
    SETTLE();
  }
}

/* ---- others ------------------------------------------------------------------------------------------- */

enum { LENGTH = 40, FIELDS = 3 };

/* Numbers in even parts with a padding of 1; each process has its own number everywhere. Their sums are
 * updated, in several arrays at once. */
static void sums_of_several_arrays(void **state)
{
  (void)state;
  const int n = test_nprocs(), rank = test_rank();
  const dap_dist dists[] = {dap_dist_padded(LENGTH * n, n, 1)};
  const dap_plan_options o = {
      .effort = DAP_PLAN_MEASURE, .arrays = FIELDS, .allow_empty = true, .padding = DAP_PADDING_REFRESH};
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  double numbers[FIELDS][LENGTH + 2];
  void *data[FIELDS];
  EXPECT_OK(dap_layout_create(1, dists, &layout, &err), &err);
  const int64_t extent = dap_layout_extent(layout, 0, rank), low = rank > 0,
                last = extent - 1 - (rank < n - 1);
  const dap_side side = {.layout = layout, .contiguous = true, .dtype = DAP_F8};
  for (int f = 0; f < FIELDS; f++) {
    for (int64_t i = 0; i < extent; i++) numbers[f][i] = 100 * f + rank;
    data[f] = numbers[f];
  }
  if (EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &o, &plan, &err), &err)) {
    check_words(plan);
    EXPECT_OK(dap_plan_run_many(plan, (const void *const *)data, data, &err), &err);
    for (int f = 0; f < FIELDS; f++)
      for (int64_t i = low; i <= last; i++) {
        const bool is_low = i == low && rank > 0, is_high = i == last && rank < n - 1;
        const double want =
            100 * f * (1 + is_low + is_high) + rank + (is_low ? rank - 1 : 0) + (is_high ? rank + 1 : 0);
        EXPECT_MSG(numbers[f][i] == want, "array %d, number %" PRId64 ": %g", f, i, numbers[f][i]);
      }
  }
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void gathers_and_scatters(void **state)
{
  (void)state;
  const int n = test_nprocs(), root = n - 1;
  const dap_dist dists[] = {dap_dist_cyclic(17, n, 2), dap_dist_local(5)};
  dap_layout *layout = NULL;
  dap_plan *gather = NULL, *scatter = NULL;
  dap_error err = {0};
  int64_t whole[17 * 5] = {0};
  test_random random = test_random_init(167);
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  test_buffer part = test_buffer_make(layout, test_rank(), 8, FORM_NEGATIVE, &random);
  const dap_side side = {.layout = layout, .strides = part.strides};
  fill_bytes(layout, test_rank(), part.data, part.strides, 8);
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &side, root, 8, &measured, &gather, &err), &err)) {
    check_words(gather);
    EXPECT_OK(dap_plan_run(gather, part.data, whole, &err), &err);
  }
  fill_poison(layout, test_rank(), part.data, part.strides, 8);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, root, &side, 8, &measured, &scatter, &err), &err)) {
    check_words(scatter);
    EXPECT_OK(dap_plan_run(scatter, whole, part.data, &err), &err);
  }
  check_bytes(layout, test_rank(), part.data, part.strides, 8, PADDING_POISON);
  check_gaps(&part);
  dap_plan_destroy(&gather);
  dap_plan_destroy(&scatter);
  test_buffer_free(&part);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- what is said of it ------------------------------------------------------------------------------- */

static int lines;
static char last[1024];

static void keep(void *context, const char *line)
{
  (void)context;
  lines++;
  (void)snprintf(last, sizeof last, "%s", line);
}

static dap_status make(const dap_plan_options *o, dap_plan **plan, dap_error *err)
{
  return row_plan(30, 1, o, plan, err);
}

static void the_log_is_told(void **state)
{
  (void)state;
  dap_plan *plan = NULL;
  dap_error err = {0};
  lines = 0;
  dap_log_set(keep, NULL);
  EXPECT_OK(make(&measured, &plan, &err), &err);
  dap_log_set(NULL, NULL);
  EXPECT_INT(lines, 2);
  EXPECT_MSG(test_contains(last, "plan carried in the fastest of | ways: |; measured in "), "%s", last);
  dap_plan_destroy(&plan);
  SETTLE();
}

/* No run takes as long as the clock can tell. */
static void a_clock_that_tells_nothing(void **state)
{
  (void)state;
  dap_plan *plan = NULL;
  dap_error err = {0};
  stands_at = 1000;
  const bool made = EXPECT_OK(make(&measured, &plan, &err), &err);
  stands_at = 0;
  if (made) {
    check_words(plan);
    EXPECT_INT(plan->measurement->chosen, 0);
  }
  dap_plan_destroy(&plan);
  SETTLE();
}

/* Direct copies alone need memory that is the library's. */
static void nothing_to_measure(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  char text[4096];
  const dap_plan_options direct = {.effort = DAP_PLAN_MEASURE, .transports = DAP_TRANSPORT_DIRECT};
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(make(&direct, &plan, &err), &err)) {
    (void)dap_plan_describe(plan, text, sizeof text);
    EXPECT_MSG(!strstr(text, "measured") && !plan->measurement, "%s", text);
  }
  dap_plan_destroy(&plan);
  SETTLE();
}

static void all_make_the_same_effort(void **state)
{
  (void)state;
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_plan_options some = {.effort =
                                     test_rank() == test_nprocs() - 1 ? DAP_PLAN_MEASURE : DAP_PLAN_ESTIMATE};
  const dap_plan_options none = {.effort = (dap_plan_effort)2};
  if (test_nprocs() > 1) {
    expect_same_error(MPI_COMM_WORLD, make(&some, &plan, &err), &err, DAP_ERR_ARG, "effort: not the same");
    EXPECT(plan == NULL);
  }
  expect_same_error(MPI_COMM_WORLD, make(&none, &plan, &err), &err, DAP_ERR_ARG, "effort 2");
  EXPECT(plan == NULL);
  SETTLE();
}

/* A preview has nobody to run with. */
static void previews_ignore_it(void **state)
{
  (void)state;
  const dap_dist from[] = {dap_dist_even(30, 3)}, to[] = {dap_dist_cyclic(30, 3, 1)};
  const dap_plan_options o = {.effort = DAP_PLAN_MEASURE, .wisdom = "/nowhere/wisdom"};
  dap_layout *a = NULL, *b = NULL;
  dap_error err = {0};
  dap_plan_stats stats, usual;
  EXPECT_OK(dap_layout_create(1, from, &a, &err), &err);
  EXPECT_OK(dap_layout_create(1, to, &b, &err), &err);
  const dap_side source = {.layout = a, .contiguous = true}, target = {.layout = b, .contiguous = true};
  EXPECT_OK(dap_plan_preview(3, 1, &source, &target, 8, &o, &stats, &err), &err);
  EXPECT_OK(dap_plan_preview(3, 1, &source, &target, 8, NULL, &usual, &err), &err);
  EXPECT(!memcmp(&stats, &usual, sizeof stats));
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_are_measured),   cmocka_unit_test(on_several_hosts),
    cmocka_unit_test(between_two_groups),   cmocka_unit_test(sums_of_several_arrays),
    cmocka_unit_test(gathers_and_scatters), cmocka_unit_test(the_log_is_told),
    cmocka_unit_test(nothing_to_measure),   cmocka_unit_test(all_make_the_same_effort),
    cmocka_unit_test(previews_ignore_it),   cmocka_unit_test(a_clock_that_tells_nothing),
};
MPI_TEST_MAIN(tests)
