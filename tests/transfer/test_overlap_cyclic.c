/* Tests overlaps of cyclic axes, which are computed by formula. Every element is compared with arithmetic of
 * the tests' own. There may be no more strided runs than by joining all stretches one by one, and axes of any
 * length may need only the memory for their first periods.
 *
 * Private: the runs of an axis have no public function. */
#include "mpi_test.h"
#include "transfer_impl.h"

#include <inttypes.h>

enum { RANDOM_CASES = 300, PAIRS = 64, SAMPLES = 200 };

/* block 0: the axis is cut as evenly as possible. */
typedef struct axis {
  int64_t size, block;
  int procs, first_owner;
} axis;

typedef struct place {
  int64_t from, to, index; /* index: the number among all elements that move */
} place;

/* ---- another way ------------------------------------------------------------------------------------ */

static dap_dist dist_of(const axis *a)
{
  dap_dist dist = a->block ? dap_dist_cyclic(a->size, a->procs, a->block) : dap_dist_even(a->size, a->procs);
  dist.first_owner = a->first_owner;
  return dist;
}

static void locate(const axis *a, int64_t global, int *owner, int64_t *local)
{
  if (a->block) {
    *owner = (int)((global / a->block + a->first_owner) % a->procs);
    *local = global / a->block / a->procs * a->block + global % a->block;
    return;
  }
  const int64_t each = a->size / a->procs, more = a->size % a->procs, wide = more * (each + 1);
  *owner = (int)(global < wide ? global / (each + 1) : more + (global - wide) / each);
  *local = global < wide ? global % (each + 1) : (global - wide) % each;
}

/* All elements of each pair of processes, in order. */
typedef struct dealt {
  place *places[PAIRS];
  int64_t count[PAIRS];
} dealt;

static dealt deal(const axis *from, const axis *to, const dap_axis_part *part)
{
  dealt d = {0};
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < from->procs * to->procs && pass == 1; i++)
      d.places[i] = malloc((size_t)(d.count[i] + 1) * sizeof *d.places[i]);
    memset(d.count, 0, sizeof d.count);
    for (int64_t i = 0; i < part->length; i++) {
      int p, q;
      place at = {.index = i};
      locate(from, part->from_start + i, &p, &at.from);
      locate(to, part->to_start + i, &q, &at.to);
      const int pair = p * to->procs + q;
      if (pass == 1) d.places[pair][d.count[pair]] = at;
      d.count[pair]++;
    }
  }
  return d;
}

static void forget(dealt *d)
{
  for (int i = 0; i < PAIRS; i++) free(d->places[i]);
}

/* ---- the same --------------------------------------------------------------------------------------- */

/* Checks that the overlap has the elements lo to hi and no others. */
static bool check_elements(const dap_overlap *overlap, const place places[], int64_t lo, int64_t hi)
{
  int64_t seen = lo;
  if (!EXPECT_INT(overlap->elements, hi - lo)) return false;
  dap_pieces pieces = dap_pieces_of(overlap, 0, hi - lo);
  for (dap_strided_run run; dap_pieces_next(&pieces, &run);) {
    if (!EXPECT_INT(run.before, seen - lo)) return false;
    for (int64_t i = 0; i < run.count; i++)
      for (int64_t j = 0; j < run.length; j++, seen++)
        if (!EXPECT(seen < hi) || !EXPECT_INT(run.from + i * run.from_step + j, places[seen].from) ||
            !EXPECT_INT(run.to + i * run.to_step + j, places[seen].to))
          return false;
  }
  return EXPECT_INT(seen, hi);
}

/* Checks tiles of `extent` positions, one after the other. */
static bool check_parts(const dap_overlap *overlap, const place places[], int64_t extent)
{
  dap_parts want = {0};
  for (int64_t i = 0, next; i < overlap->elements; i = next) {
    for (next = i + 1; next < overlap->elements && places[next].to / extent == places[i].to / extent;) next++;
    want.count++;
    want.largest = dap_larger(want.largest, next - i);
  }
  const dap_parts parts = dap_parts_of(overlap, extent);
  return EXPECT_MSG(parts.count == want.count && parts.largest == want.largest,
                    "tiles of %" PRId64 ": %" PRId64 " parts of %" PRId64 " at most, not %" PRId64
                    " of %" PRId64,
                    extent, parts.count, parts.largest, want.count, want.largest);
}

/* Asks by number, by element, by position and by tiles. */
static bool check_questions(test_random *random, const dap_overlap *overlap, const place places[])
{
  int64_t seen = 0;
  for (int64_t i = 0; i < dap_overlap_run_count(overlap); i++) {
    const dap_strided_run run = dap_overlap_run(overlap, i);
    if (!EXPECT_INT(run.before, seen) || !EXPECT_INT(run.to, places[seen].to) ||
        !EXPECT_INT(run.from, places[seen].from))
      return false;
    seen += run.length * run.count;
  }
  if (!EXPECT_INT(seen, overlap->elements)) return false;
  const int64_t reach = seen > 0 ? places[seen - 1].to + 2 : 1;
  const int64_t extents[] = {1, 64, test_random_int(random, 2, 20), test_random_int(random, 1, reach), reach};
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
    if (!check_parts(overlap, places, extents[i])) return false;
  for (int64_t i = 0; i < SAMPLES && seen > 0; i++) {
    const int64_t element = i < 3 ? (seen - 1) * i / 2 : test_random_int(random, 0, seen - 1);
    const int64_t to = places[element].to, next = element + 1 < seen ? places[element + 1].to : to + 5;
    if (!EXPECT_INT(dap_overlap_to(overlap, element), to) ||
        !EXPECT_INT(dap_overlap_rank(overlap, to), element) ||
        !EXPECT_INT(dap_overlap_rank(overlap, to + 1), element + 1) ||
        !EXPECT_INT(dap_overlap_rank(overlap, next), element + 1))
      return false;
  }
  return EXPECT_INT(dap_overlap_rank(overlap, 0), 0);
}

/* Returns the number of runs if each stretch is added to the one that it continues. */
static int64_t joined_runs(const place places[], int64_t count)
{
  dap_overlap joined = {0};
  dap_error err;
  for (int64_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && places[next].index == places[next - 1].index + 1;) next++;
    EXPECT_OK(dap_overlap_add(&joined, places[i].from, places[i].to, next - i, &err), &err);
  }
  EXPECT_OK(dap_overlap_finish(&joined, &err), &err);
  const int64_t runs = dap_overlap_run_count(&joined);
  dap_overlap_release(&joined);
  return runs;
}

/* Checks parts of the overlap, copies, and the overlap of the move back. */
static bool check_derived(test_random *random, const dap_overlap *overlap, place places[])
{
  const int64_t count = overlap->elements, lo = test_random_int(random, 0, count),
                hi = test_random_one_in(random, 3) ? count : test_random_int(random, lo, count);
  dap_overlap made = {0};
  dap_error err;
  bool same = EXPECT_OK(dap_overlap_slice(overlap, lo, hi, &made, &err), &err) &&
              check_elements(&made, places, lo, hi) && check_questions(random, &made, places + lo);
  dap_overlap_release(&made);
  same = same && EXPECT_OK(dap_overlap_copy(overlap, &made, &err), &err) &&
         EXPECT_OK(dap_overlap_reverse(&made, &err), &err);
  for (int64_t i = 0; i < count; i++) places[i] = (place){places[i].to, places[i].from, places[i].index};
  same = same && check_elements(&made, places, 0, count) && check_questions(random, &made, places);
  dap_overlap_release(&made);
  same = same && EXPECT_OK(dap_overlap_mirror(overlap, &made, &err), &err);
  for (int64_t i = 0; i < count; i++) places[i].to = places[i].from;
  same = same && check_elements(&made, places, 0, count) && check_questions(random, &made, places);
  dap_overlap_release(&made);
  return same;
}

static int64_t most_stored; /* of the overlaps that were checked */

static bool check_pair(test_random *random, const dap_overlap *overlap, place places[], int64_t count)
{
  const int64_t one_by_one = joined_runs(places, count), runs = dap_overlap_run_count(overlap);
  if (overlap->size > most_stored) most_stored = overlap->size;
  if (!check_elements(overlap, places, 0, count) || !check_questions(random, overlap, places)) return false;
  if (!EXPECT_MSG(runs <= one_by_one, "%" PRId64 " runs, and %" PRId64 " joined one by one", runs,
                  one_by_one))
    return false;
  return check_derived(random, overlap, places);
}

static void check_axes(test_random *random, const axis *from, const axis *to, const dap_axis_part *part)
{
  const dap_dist dists[2] = {dist_of(from), dist_of(to)};
  dap_layout *layouts[2] = {NULL, NULL};
  dap_error err;
  watchdog(20, "two axes");
  dealt d = deal(from, to, part);
  most_stored = 0;
  for (int s = 0; s < 2; s++) EXPECT_OK(dap_layout_create(1, &dists[s], &layouts[s], &err), &err);
  for (int p = 0; p < from->procs; p++)
    for (int q = 0; q < to->procs; q++) {
      dap_overlap overlap;
      const int pair = p * to->procs + q;
      TEST_CASE("cyclic(%" PRId64 ") of %" PRId64 " on %d from %d to cyclic(%" PRId64 ") of %" PRId64
                " on %d from %d, [%" PRId64 ", %" PRId64 "), %d to %d",
                from->block, from->size, from->procs, from->first_owner, to->block, to->size, to->procs,
                to->first_owner, part->from_start, part->from_start + part->length, p, q);
      EXPECT_OK(dap_overlap_create(&layouts[0]->maps[0], p, &layouts[1]->maps[0], q, part, &overlap, &err),
                &err);
      (void)check_pair(random, &overlap, d.places[pair], d.count[pair]);
      dap_overlap_release(&overlap);
    }
  forget(&d);
  dap_layout_destroy(&layouts[0]);
  dap_layout_destroy(&layouts[1]);
}

/* ---- a few thousand elements ------------------------------------------------------------------------ */

typedef struct row {
  const char *why;
  axis from, to;
  int64_t stored; /* most runs or points of a pair */
} row;

static const row rows[] = {
    {"one by one to blocks: one run", {20011, 1, 3, 1}, {20011, 0, 2, 0}, 1},
    {"blocks to one by one: one run", {20011, 0, 2, 0}, {20011, 1, 3, 2}, 1},
    {"other numbers of processes: one run", {20011, 1, 3, 0}, {20011, 1, 4, 1}, 1},
    {"as many processes, shifted: one run or nothing", {20011, 1, 3, 0}, {20011, 1, 3, 1}, 1},
    {"one process on a side: cut parts, and one run", {20011, 5, 1, 0}, {20011, 7, 3, 2}, 2},
    {"one process on the other side", {20011, 5, 3, 1}, {20011, 7, 1, 0}, 2},
    {"blocks in line: one run", {20011, 6, 2, 0}, {20011, 12, 2, 1}, 3},
    {"within blocks: a run in each, the first is kept", {20011, 1, 2, 0}, {20011, 64, 2, 0}, 5},
    {"the same, the other way", {20011, 64, 2, 0}, {20011, 1, 2, 0}, 5},
    {"parts of blocks", {20011, 64, 2, 0}, {20011, 96, 2, 1}, 12},
    {"pairs to triples, hardly joined: a table of points", {90001, 2, 2, 0}, {90001, 3, 3, 0}, 9000},
    {"a period of many runs", {90001, 10, 4, 1}, {90001, 33, 3, 2}, 200},
    {"a period that is nearly the axis", {5000, 40, 3, 0}, {5000, 41, 2, 0}, 120},
    {"a period longer than the axis", {5000, 300, 3, 0}, {5000, 301, 2, 0}, 40},
    {"a single period and a part", {1300, 8, 3, 0}, {1300, 9, 2, 1}, 300},
    {"more points in a period than in a table", {200003, 101, 2, 0}, {200003, 1, 7, 3}, 20000},
};

static bool keeps_all; /* of rows for which a period would be enough; long rows would take all memory */

static void keeps_one_period(void **state)
{
  (void)state;
  test_random random = test_random_init(31);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_axis_part all = {.length = rows[i].from.size};
    check_axes(&random, &rows[i].from, &rows[i].to, &all);
    TEST_CASE("%s", rows[i].why);
    if (!EXPECT_MSG(most_stored <= rows[i].stored, "%" PRId64 " runs or points", most_stored))
      keeps_all = true;
    SETTLE();
  }
}

static axis random_axis(test_random *random, int64_t size)
{
  const bool even = test_random_one_in(random, 5), small = test_random_one_in(random, 2);
  axis a = {.size = size, .procs = (int)test_random_int(random, 1, 5)};
  if (!even) a.block = test_random_int(random, 1, small ? 4 : 40);
  if (!even && size > 0) a.first_owner = (int)test_random_int(random, 0, a.procs - 1);
  return a;
}

static void meets_random_cyclic_axes(void **state)
{
  (void)state;
  test_random random = test_random_init(32);
  for (int i = 0; i < RANDOM_CASES; i++) {
    const int64_t size[2] = {test_random_int(&random, 0, 4000), test_random_int(&random, 0, 4000)};
    const axis from = random_axis(&random, size[0]), to = random_axis(&random, size[1]);
    const int64_t most = size[0] < size[1] ? size[0] : size[1];
    const int64_t length = test_random_one_in(&random, 3) ? test_random_int(&random, 0, most) : most;
    const dap_axis_part part = {.from_start = test_random_int(&random, 0, size[0] - length),
                                .to_start = test_random_int(&random, 0, size[1] - length),
                                .length = length};
    check_axes(&random, &from, &to, &part);
    SETTLE();
  }
}

/* ---- of any length ---------------------------------------------------------------------------------- */

#define LONG (INT64_C(1) << 28)
#define LONGEST ((INT64_C(1) << 45) + 12345)

/* To look at each stretch of the longest rows would take days, and a list would not fit into memory. */
static const row long_rows[] = {
    {"one by one to blocks", {LONG, 1, 2, 0}, {LONG, 0, 2, 0}, 1},
    {"blocks to one by one", {LONGEST, 0, 2, 0}, {LONGEST, 1, 2, 0}, 1},
    {"one by one to other numbers of processes", {LONGEST, 1, 2, 0}, {LONGEST, 1, 3, 1}, 1},
    {"one by one to blocks dealt", {LONG, 1, 2, 0}, {LONG, 64, 2, 0}, 5},
    {"the same, longer", {LONGEST, 1, 2, 1}, {LONGEST, 64, 2, 0}, 5},
    {"blocks dealt to one by one", {LONGEST, 64, 2, 0}, {LONGEST, 1, 2, 0}, 5},
    {"long blocks to one by one", {LONGEST, 1 << 20, 2, 0}, {LONGEST, 1, 2, 0}, 5},
    {"blocks to others", {LONGEST, 64, 2, 0}, {LONGEST, 96, 3, 0}, 12},
    {"a table of points", {LONGEST, 2, 2, 0}, {LONGEST, 3, 3, 0}, 9000},
    {"many processes, which hardly ever meet", {LONGEST, 1, 8, 5}, {LONGEST, 1, 7, 3}, 1},
};

/* Checks that an element is at the places that the test has computed. */
static bool check_sample(const dap_overlap *overlap, const place *at)
{
  const int64_t element = dap_overlap_rank(overlap, at->to);
  dap_strided_run run = {0};
  if (!EXPECT(element < overlap->elements) || !EXPECT_INT(dap_overlap_rank(overlap, at->to + 1), element + 1))
    return false;
  dap_pieces pieces = dap_pieces_of(overlap, element, element + 1);
  return EXPECT_INT(dap_overlap_to(overlap, element), at->to) && EXPECT(dap_pieces_next(&pieces, &run)) &&
         EXPECT_INT(run.to, at->to) && EXPECT_INT(run.from, at->from) && EXPECT_INT(run.before, element) &&
         EXPECT_INT(run.length * run.count, 1);
}

/* There are too many tiles to look at all of them. So this checks bounds, and the tiles around some
 * positions. */
static bool check_long_parts(test_random *random, const dap_overlap *overlap, int64_t extent)
{
  const dap_parts parts = dap_parts_of(overlap, extent);
  const int64_t last = overlap->elements > 0 ? dap_overlap_to(overlap, overlap->elements - 1) : -1;
  int64_t most = 0;
  for (int n = 0; n < SAMPLES && last >= 0; n++) {
    const int64_t tile = test_random_int(random, 0, last) / extent * extent;
    most = dap_larger(most, dap_overlap_rank(overlap, tile + extent) - dap_overlap_rank(overlap, tile));
  }
  return EXPECT(most <= parts.largest && 2 * most >= parts.largest) &&
         EXPECT(parts.count <= last / extent + 1) && EXPECT(parts.count * parts.largest >= overlap->elements);
}

static void meet_long(const row *r, dap_overlap overlaps[])
{
  const dap_dist dists[2] = {dist_of(&r->from), dist_of(&r->to)};
  const dap_axis_part all = {.length = r->from.size};
  dap_layout *layouts[2] = {NULL, NULL};
  dap_error err;
  int64_t elements = 0;
  for (int s = 0; s < 2; s++) EXPECT_OK(dap_layout_create(1, &dists[s], &layouts[s], &err), &err);
  for (int i = 0; i < r->from.procs * r->to.procs; i++) {
    EXPECT_OK(dap_overlap_create(&layouts[0]->maps[0], i / r->to.procs, &layouts[1]->maps[0], i % r->to.procs,
                                 &all, &overlaps[i], &err),
              &err);
    elements += overlaps[i].elements;
    EXPECT_MSG(overlaps[i].size <= r->stored && overlaps[i].capacity <= r->stored, "%" PRId64 " stored",
               overlaps[i].capacity);
  }
  EXPECT_INT(elements, r->from.size);
  dap_layout_destroy(&layouts[0]);
  dap_layout_destroy(&layouts[1]);
}

static void takes_no_longer_for_long_axes(void **state)
{
  (void)state;
  test_random random = test_random_init(33);
  for (size_t i = 0; i < sizeof long_rows / sizeof long_rows[0] && EXPECT(!keeps_all); i++) {
    const row *r = &long_rows[i];
    static dap_overlap overlaps[PAIRS];
    TEST_CASE("%s", r->why);
    watchdog(20, "%s", r->why);
    meet_long(r, overlaps);
    for (int n = 0; n < 10 * SAMPLES; n++) {
      const int64_t near = test_random_int(&random, 0, 500),
                    any = test_random_int(&random, 0, r->from.size - 1);
      const int64_t global = n % 3 == 0 ? near : n % 3 == 1 ? r->from.size - 1 - near : any;
      int p, q;
      place at = {.index = global};
      locate(&r->from, global, &p, &at.from);
      locate(&r->to, global, &q, &at.to);
      if (!check_sample(&overlaps[p * r->to.procs + q], &at)) break;
    }
    for (int k = 0; k < r->from.procs * r->to.procs; k++)
      EXPECT(check_long_parts(&random, &overlaps[k], 4096) && check_long_parts(&random, &overlaps[k], 1000));
    for (int k = 0; k < PAIRS; k++) dap_overlap_release(&overlaps[k]);
    SETTLE();
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keeps_one_period),
    cmocka_unit_test(meets_random_cyclic_axes),
    cmocka_unit_test(takes_no_longer_for_long_axes),
};
MPI_TEST_MAIN(tests)
