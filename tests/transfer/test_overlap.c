/* Overlaps of two axes, expanded strided run by strided run, against elements dealt out one by one. */
#include "brute.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { CASES = 3000, MAX_PROCS = 5, MAX_SIZE = 60 };

typedef struct place {
  int64_t from, to;
} place;

/* What process p of `from` sends to q of `to`, in the order of q's buffer: elements of the window. */
static int64_t expect_places(const brute_axis *from, int p, const brute_axis *to, int q,
                             const dap_axis_part *part, bool halos, place places[])
{
  int64_t count = 0;
  for (int64_t at = 0; at < to->extent[q]; at++) {
    const int64_t global = to->held[q][at], index = global - part->to_start;
    const bool owned = to->owner[global] == q && to->local[global] == at;
    if (index < 0 || index >= part->length || (!owned && !halos)) continue;
    if (from->owner[index + part->from_start] != p) continue;
    places[count++] = (place){from->local[index + part->from_start], at};
  }
  return count;
}

/* Elements lo to hi, piece by piece. */
static void check_pieces(const dap_overlap *overlap, const place places[], int64_t lo, int64_t hi)
{
  int64_t seen = lo;
  dap_pieces pieces = dap_pieces_of(overlap, lo, hi);
  for (dap_strided_run run; dap_pieces_next(&pieces, &run);) {
    EXPECT_INT(run.before, seen);
    for (int64_t i = 0; i < run.count; i++)
      for (int64_t j = 0; j < run.length; j++, seen++) {
        if (!EXPECT(seen < hi)) return;
        const bool same = EXPECT_INT(run.from + i * run.from_step + j, places[seen].from) &&
                          EXPECT_INT(run.to + i * run.to_step + j, places[seen].to);
        if (!same) return;
      }
  }
  EXPECT_INT(seen, hi);
}

/* Where positions of the destination fall between the elements. */
static void check_ranks(const dap_overlap *overlap, const place places[], int64_t count)
{
  for (int64_t i = 0; i < count; i++) EXPECT_INT(dap_overlap_to(overlap, i), places[i].to);
  for (int64_t to = 0, rank = 0; to <= BRUTE_SIZE; to++) {
    while (rank < count && places[rank].to < to) rank++;
    EXPECT_INT(dap_overlap_rank(overlap, to), rank);
  }
}

static void check_overlap(test_random *random, const dap_overlap *overlap, const place places[],
                          int64_t count)
{
  if (!EXPECT_INT(overlap->elements, count)) return;
  check_pieces(overlap, places, 0, count);
  check_ranks(overlap, places, count);
  const int64_t lo = test_random_int(random, 0, count), hi = test_random_int(random, lo, count);
  check_pieces(overlap, places, lo, hi);
}

/* A part of an axis of `from` elements for one of `to`. */
static dap_axis_part random_part(test_random *random, int64_t from, int64_t to)
{
  const int64_t shorter = from < to ? from : to;
  const int64_t length = test_random_one_in(random, 3) ? test_random_int(random, 0, shorter) : shorter;
  return (dap_axis_part){.from_start = test_random_int(random, 0, from - length),
                         .to_start = test_random_int(random, 0, to - length),
                         .length = length};
}

static void meet_randomly(test_random *random)
{
  static brute_axis brute[2];
  static int64_t lengths[2][BRUTE_PROCS];
  static place places[BRUTE_SIZE];
  dap_dist dists[2];
  dap_layout *layouts[2] = {NULL, NULL};
  dap_error err;
  int64_t size[2] = {test_random_int(random, 0, MAX_SIZE), 0};
  size[1] = test_random_one_in(random, 2) ? size[0] : test_random_int(random, 0, MAX_SIZE);
  for (int s = 0; s < 2; s++) {
    dists[s] = random_dist_of(random, (int)test_random_int(random, 1, MAX_PROCS), size[s], true, lengths[s]);
    EXPECT(brute_deal(&dists[s], &brute[s]));
    EXPECT_OK(dap_layout_create(1, &dists[s], &layouts[s], &err), &err);
  }
  dap_axis_part part = random_part(random, size[0], size[1]);
  for (int p = 0; p < dists[0].procs; p++)
    for (int q = 0; q < dists[1].procs; q++) {
      const bool halos = test_random_one_in(random, 2);
      dap_overlap overlap;
      part.region = halos ? DAP_REGION_ALL : DAP_REGION_OWNED;
      EXPECT_OK(dap_overlap_create(&layouts[0]->maps[0], p, &layouts[1]->maps[0], q, &part, &overlap, &err),
                &err);
      check_overlap(random, &overlap, places,
                    expect_places(&brute[0], p, &brute[1], q, &part, halos, places));
      dap_overlap_release(&overlap);
    }
  dap_layout_destroy(&layouts[0]);
  dap_layout_destroy(&layouts[1]);
}

static void meets_random_axes(void **state)
{
  (void)state;
  test_random random = test_random_init(30);
  for (int i = 0; i < CASES; i++) {
    TEST_CASE("seed %llu, case %d", (unsigned long long)test_seed(), i);
    meet_randomly(&random);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(meets_random_axes)};
MPI_TEST_MAIN(tests)
