/* Plans whose messages go in two phases, by way of a process between: every element of the destination, and
 * what plans and previews say of their messages. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "mpi_calls.h"
#include "mpi_test.h"
#include "placements.h"
#include "task_many.h"
#include "two_phase_impl.h"

#include <inttypes.h>

/* ---- the grid ----------------------------------------------------------------------------------------- */

/* From each process to each there is a way: along the sender's row, or from the last row to the one above,
 * and then along the receiver's column. Nobody has more than one message for each column, and for each
 * row. */
static void ways_of_grids(void **state)
{
  (void)state;
  for (int n = 1; n <= 130; n++) {
    const int columns = dap_two_phase_columns(n);
    TEST_CASE("%d processes", n);
    EXPECT(columns * columns >= n && (columns - 1) * (columns - 1) < n);
    for (int from = 0; from < n; from++)
      for (int to = 0; to < n; to++) {
        const int via = dap_two_phase_via(columns, n, from, to), row = via / columns;
        EXPECT(via >= 0 && via < n && via % columns == to % columns);
        EXPECT(row == from / columns || (row == from / columns - 1 && via + columns >= n));
      }
  }
}

/* ---- rows --------------------------------------------------------------------------------------------- */

typedef enum cut { EVEN, DEALT, DEALT_3, FIRST, LAST_HALF, LISTED } cut;
static random_array arrays[2];
static int64_t lengths[2][BRUTE_PROCS], indices[2][2000];
static const int64_t *lists[2][BRUTE_PROCS];

static const struct {
  const char *why;
  int ndim;
  int64_t size[2];
  cut from[2], to[2]; /* in two dimensions the first is over 2 processes, if these divide all */
  int64_t arrays;
  bool is_preview_exact;
} rows[] = {
    {"each has some for each, of every extent", 1, {101}, {EVEN}, {DEALT}, 0, true},
    {"back", 1, {101}, {DEALT}, {EVEN}, 0, true},
    {"fewer elements than processes", 1, {3}, {EVEN}, {DEALT_3}, 0, true},
    {"one to all", 1, {40}, {FIRST}, {DEALT}, 0, true},
    {"all to one", 1, {40}, {DEALT}, {FIRST}, 0, true},
    {"some are empty", 1, {90}, {DEALT_3}, {LAST_HALF}, 0, true},
    {"nothing moves", 1, {60}, {EVEN}, {EVEN}, 0, true},
    {"no elements", 1, {0}, {EVEN}, {DEALT}, 0, true},
    {"two axes", 2, {30, 14}, {EVEN, DEALT}, {DEALT, EVEN}, 0, true},
    {"listed in a random order", 1, {150}, {LISTED}, {DEALT}, 0, false},
    {"listed on both sides", 1, {150}, {LISTED}, {LISTED}, 0, false},
    {"several arrays", 1, {77}, {EVEN}, {DEALT}, 5, true},
};
enum { ROWS = sizeof rows / sizeof rows[0], ARRAYS = 5 };

static dap_dist list_all(int64_t size, int n, int side, test_random *random)
{
  int64_t *all = indices[side];
  for (int64_t i = 0; i < size; i++) all[i] = i;
  for (int64_t i = size - 1; i > 0; i--) {
    const int64_t j = test_random_int(random, 0, i), kept = all[i];
    all[i] = all[j];
    all[j] = kept;
  }
  for (int p = 0; p < n; p++) {
    lists[side][p] = all + size * p / n;
    lengths[side][p] = size * (p + 1) / n - size * p / n;
  }
  return dap_dist_unstructured(size, n, lengths[side], lists[side]);
}

static dap_dist dist_of(cut kind, int64_t size, int n, int side, test_random *random)
{
  if (kind == LISTED) return list_all(size, n, side, random);
  if (kind == EVEN) return dap_dist_even(size, n);
  if (kind != LAST_HALF)
    return dap_dist_cyclic(size, n, kind == DEALT ? 1 : kind == DEALT_3 ? 3 : size > 0 ? size : 1);
  for (int p = 0, half = n / 2; p < n; p++)
    lengths[side][p] = p < half ? 0 : size * (p - half + 1) / (n - half) - size * (p - half) / (n - half);
  return dap_dist_lengths(size, n, lengths[side]);
}

static test_side make_side(int row, int side, test_random *random)
{
  const int n = test_nprocs(), first = rows[row].ndim == 1 ? n : n % 2 ? 1 : 2;
  const cut *cuts = side ? rows[row].to : rows[row].from;
  const dap_dist dists[] = {dist_of(cuts[0], rows[row].size[0], first, side, random),
                            dist_of(cuts[1], rows[row].size[1], n / first, side, random)};
  (void)array_deal(rows[row].ndim, dists, NULL, &arrays[side]);
  return side_make(&arrays[side], CREATED, NULL, 8, FORM_C, random);
}

/* Runs of several arrays, each of which holds other values. */
static void run_row(const test_side *from, const test_side *to, dap_plan *plan, int count, int run)
{
  static many_sides sources, destinations;
  dap_error err = {0};
  many_make(MPI_COMM_WORLD, from, count, MANY_PRIVATE, &sources);
  many_make(MPI_COMM_WORLD, to, count, MANY_PRIVATE, &destinations);
  for (int a = 0; a < count; a++) side_fill(&sources.sides[a], run + 3 * a, COPIES_RIGHT);
  mpi_calls_made[MPI_CALL_SEND] = mpi_calls_made[MPI_CALL_RECEIVE] = 0;
  const dap_plan_stats stats = dap_plan_summarize(plan);
  if (EXPECT_OK(dap_plan_run_many(plan, (const void *const *)sources.data, destinations.data, &err), &err))
    for (int a = 0; a < count; a++) {
      side_check(&destinations.sides[a], run + 3 * a, COPIES_RIGHT, PADDING_POISON);
      side_check(&sources.sides[a], run + 3 * a, COPIES_RIGHT, PADDING_POISON);
    }
  EXPECT_INT(mpi_calls_made[MPI_CALL_SEND], stats.messages_sent);
  EXPECT_INT(mpi_calls_made[MPI_CALL_RECEIVE], stats.messages_received);
  many_free(&sources);
  many_free(&destinations);
}

/* Both phases have as many messages as there are columns and rows, or fewer; both ends count alike. */
static void check_stats(int row, const dap_plan *plan, const dap_side *a, const dap_side *b,
                        const dap_plan_options *o)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  const int columns = dap_two_phase_columns(test_nprocs());
  dap_plan_stats preview, direct;
  dap_plan_options one = *o;
  dap_error err = {0};
  int64_t sums[] = {stats.bytes_sent, stats.messages_sent, stats.bytes_received, stats.messages_received,
                    stats.bytes_handed_on};
  MPI_Allreduce(MPI_IN_PLACE, sums, 5, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(sums[0], sums[2]);
  EXPECT_INT(sums[1], sums[3]);
  EXPECT_INT(stats.phases, sums[1] > 0 ? 2 : 1);
  EXPECT(stats.messages_sent <= 2 * columns && stats.messages_received <= 3 * columns);
  one.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_ONE_PHASE;
  EXPECT_OK(dap_plan_preview(test_nprocs(), test_rank(), a, b, 8, &one, &direct, &err), &err);
  EXPECT_OK(dap_plan_preview(test_nprocs(), test_rank(), a, b, 8, o, &preview, &err), &err);
  EXPECT_INT(direct.phases, 1);
  EXPECT_INT(direct.bytes_handed_on, 0);
  int64_t all[] = {direct.bytes_sent};
  MPI_Allreduce(MPI_IN_PLACE, all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rows[row].is_preview_exact) EXPECT_INT(sums[0], all[0] + sums[4]);
  if (!rows[row].is_preview_exact) return;
  EXPECT_INT(preview.phases, stats.phases);
  EXPECT_INT(preview.bytes_sent, stats.bytes_sent);
  EXPECT_INT(preview.bytes_received, stats.bytes_received);
  EXPECT_INT(preview.messages_sent, stats.messages_sent);
  EXPECT_INT(preview.messages_received, stats.messages_received);
  EXPECT_INT(preview.bytes_handed_on, stats.bytes_handed_on);
  EXPECT_INT(preview.bytes_local, stats.bytes_local);
  EXPECT_INT(preview.bytes_buffer, stats.bytes_buffer);
  EXPECT_INT(preview.bytes_plan, stats.bytes_plan);
}

static void moves_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(970);
  for (int row = 0; row < ROWS; row++) {
    TEST_CASE("%s", rows[row].why);
    test_side from = make_side(row, 0, &random), to = make_side(row, 1, &random);
    const dap_side a = side_of(&from), b = side_of(&to);
    const dap_plan_options o = {.transports = DAP_TRANSPORT_MESSAGES | DAP_FORCED_TWO_PHASES,
                                .arrays = rows[row].arrays};
    dap_plan *plan = NULL;
    dap_error err = {0};
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &o, &plan, &err), &err)) {
      check_stats(row, plan, &a, &b, &o);
      for (int run = 0; run < 3; run++) run_row(&from, &to, plan, o.arrays ? (int)o.arrays : 1, run);
    }
    dap_plan_destroy(&plan);
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

/* ---- chosen, without MPI ------------------------------------------------------------------------------ */

static const struct {
  const char *why;
  int nprocs, ndim;
  int64_t size[2];
  cut from[2], to[2];
  int64_t phases;
} choices[] = {
    {"little for each", 64, 1, {64 * 64}, {EVEN}, {DEALT}, 2},
    {"the last have less", 100, 1, {100 * 90 + 1}, {EVEN}, {DEALT_3}, 2},
    {"the last have nothing", 100, 1, {99 * 100 / 2}, {DEALT}, {EVEN}, 2},
    {"few processes have something", 90, 1, {45 * 90}, {EVEN}, {LAST_HALF}, 1},
    {"all to some, which have many messages", 90, 1, {45 * 90}, {DEALT}, {LAST_HALF}, 2},
    {"one to all", 81, 1, {81 * 8}, {FIRST}, {DEALT}, 2},
    {"much for each", 64, 1, {64 * 262144}, {EVEN}, {DEALT}, 1},
    {"two axes, uneven", 72, 2, {100, 77}, {EVEN, DEALT}, {DEALT, EVEN}, 2},
    {"too few processes", 63, 1, {63 * 63}, {EVEN}, {DEALT}, 1},
};
enum { CHOICES = sizeof choices / sizeof choices[0], RULE_BYTES = 16 * 1024, MOST_PROCS = 100 };

static dap_layout *lay_out_choice(int row, int side)
{
  static int64_t blocks[2][MOST_PROCS];
  const int n = choices[row].nprocs, first = choices[row].ndim == 1 ? n : 8;
  const int counts[] = {first, n / first};
  dap_dist dists[2] = {{0}};
  dap_layout *layout = NULL;
  dap_error err = {0};
  for (int k = 0; k < choices[row].ndim; k++) {
    const cut kind = (side ? choices[row].to : choices[row].from)[k];
    const int64_t size = choices[row].size[k];
    const int half = counts[k] / 2;
    for (int p = 0; p < counts[k]; p++)
      blocks[k][p] =
          p < half ? 0 : size * (p - half + 1) / (counts[k] - half) - size * (p - half) / (counts[k] - half);
    dists[k] = kind == EVEN        ? dap_dist_even(size, counts[k])
               : kind == LAST_HALF ? dap_dist_lengths(size, counts[k], blocks[k])
                                   : dap_dist_cyclic(size, counts[k],
                                                     kind == DEALT   ? 1
                                                     : kind == FIRST ? size
                                                                     : 3);
  }
  EXPECT_OK(dap_layout_create(choices[row].ndim, dists, &layout, &err), &err);
  return layout;
}

static void add_preview(int nprocs, int rank, const dap_side *a, const dap_side *b, unsigned forced,
                        dap_plan_stats *stats)
{
  const dap_plan_options o = {.transports = DAP_TRANSPORT_MESSAGES | forced};
  dap_error err = {0};
  EXPECT_OK(dap_plan_preview(nprocs, rank, a, b, 8, &o, stats, &err), &err);
}

/* The rule of docs/model.md for the most messages and bytes of any process, as one phase has them; and what
 * processes send in two is what they receive. */
static void previews_choose_alike(void **state)
{
  (void)state;
  for (int row = test_rank(); row < CHOICES; row += test_nprocs()) {
    const int n = choices[row].nprocs;
    dap_layout *from = lay_out_choice(row, 0), *to = lay_out_choice(row, 1);
    const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
    int64_t messages = 0, bytes = 0, sent_bytes = 0, received_bytes = 0, sent_messages = 0,
            received_messages = 0;
    TEST_CASE("%s", choices[row].why);
    for (int rank = 0; rank < n; rank++) {
      dap_plan_stats one, chosen;
      add_preview(n, rank, &a, &b, DAP_FORCED_ONE_PHASE, &one);
      add_preview(n, rank, &a, &b, 0, &chosen);
      EXPECT_INT(chosen.phases, choices[row].phases);
      messages = dap_larger(messages, dap_larger(one.messages_sent, one.messages_received));
      bytes = dap_larger(bytes, dap_larger(one.bytes_sent, one.bytes_received));
      sent_bytes += chosen.bytes_sent;
      received_bytes += chosen.bytes_received;
      sent_messages += chosen.messages_sent;
      received_messages += chosen.messages_received;
    }
    const bool pays = n >= 64 && messages - 2 * dap_two_phase_columns(n) > bytes / RULE_BYTES;
    EXPECT_INT(choices[row].phases, pays ? 2 : 1);
    EXPECT_INT(sent_bytes, received_bytes);
    EXPECT_INT(sent_messages, received_messages);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
}

/* ---- long ones ---------------------------------------------------------------------------------------- */

enum { EACH = 70000, RUNS = 2 };
static int64_t elements[2][EACH];

/* What is cut in one phase, as the destination is longer than a tile, is not in two. */
static void moves_what_is_cut_otherwise(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[] = {dap_dist_even((int64_t)EACH * n, n), dap_dist_cyclic((int64_t)EACH * n, n, 1)};
  dap_layout *layouts[2];
  dap_error err = {0};
  for (int i = 0; i < 2; i++) EXPECT_OK(dap_layout_create(1, &dists[i], &layouts[i], &err), &err);
  const dap_side a = {.layout = layouts[0], .contiguous = true},
                 b = {.layout = layouts[1], .contiguous = true};
  for (int phases = 1; phases <= 2 && n > 1; phases++) {
    const dap_plan_options o = {.transports = DAP_TRANSPORT_MESSAGES |
                                              (phases == 1 ? DAP_FORCED_ONE_PHASE : DAP_FORCED_TWO_PHASES)};
    dap_plan *plan = NULL;
    EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, &o, &plan, &err), &err);
    const dap_plan_stats stats = dap_plan_summarize(plan);
    EXPECT_INT(stats.phases, phases);
    EXPECT_INT(stats.rounds, phases == 1 ? 2 : 1);
    for (int run = 0; run < RUNS; run++) {
      int wrong = 0;
      for (int i = 0; i < EACH; i++) elements[0][i] = (int64_t)test_rank() * EACH + i + run;
      EXPECT_OK(dap_plan_run(plan, elements[0], elements[1], &err), &err);
      for (int i = 0; i < EACH; i++) wrong += elements[1][i] != test_rank() + (int64_t)i * n + run;
      EXPECT_INT(wrong, 0);
    }
    dap_plan_destroy(&plan);
  }
  for (int i = 0; i < 2; i++) dap_layout_destroy(&layouts[i]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ways_of_grids),
    cmocka_unit_test(moves_what_is_cut_otherwise),
    cmocka_unit_test(moves_every_row),
    cmocka_unit_test(previews_choose_alike),
};
MPI_TEST_MAIN(tests)
