/* Overlaps of two axes, expanded comb by comb, against elements dealt out one by one. */
#include "brute.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { CASES = 3000, MAX_PROCS = 5, MAX_SIZE = 60 };

typedef struct place {
  int64_t from, to;
} place;

/* What process p of `from` sends to q of `to`, in the order of q's buffer. */
static int64_t expect_places(const brute_axis *from, int p, const brute_axis *to, int q, bool halos,
                             dap_way way, place places[])
{
  int64_t count = 0;
  for (int64_t at = 0; at < to->extent[q]; at++) {
    const int64_t global = to->held[q][at];
    const bool owned = to->owner[global] == q && to->local[global] == at;
    if (from->owner[global] != p || (!owned && !halos)) continue;
    places[count] =
        (place){way == DAP_WAY_UNPACK ? count : from->local[global], way == DAP_WAY_PACK ? count : at};
    count++;
  }
  return count;
}

static void check_overlap(const dap_overlap *overlap, const place places[], int64_t count)
{
  int64_t seen = 0;
  for (int64_t c = 0; c < overlap->size; c++) {
    const dap_comb *comb = &overlap->combs[c];
    for (int64_t i = 0; i < comb->count; i++)
      for (int64_t j = 0; j < comb->length; j++, seen++) {
        if (!EXPECT(seen < count)) return;
        const bool same = EXPECT_INT(comb->from + i * comb->from_step + j, places[seen].from) &&
                          EXPECT_INT(comb->to + i * comb->to_step + j, places[seen].to);
        if (!same) return;
      }
  }
  EXPECT_INT(seen, count);
  EXPECT_INT(overlap->elements, count);
}

static void meet_randomly(test_random *random)
{
  static brute_axis brute[2];
  static int64_t lengths[2][BRUTE_PROCS];
  static place places[BRUTE_SIZE];
  dap_dist dists[2];
  dap_layout *layouts[2] = {NULL, NULL};
  dap_error err;
  const int64_t size = test_random_int(random, 0, MAX_SIZE);
  for (int s = 0; s < 2; s++) {
    dists[s] = random_dist_of(random, (int)test_random_int(random, 1, MAX_PROCS), size, true, lengths[s]);
    EXPECT(brute_deal(&dists[s], &brute[s]));
    EXPECT_OK(dap_layout_create(1, &dists[s], &layouts[s], &err), &err);
  }
  for (int p = 0; p < dists[0].procs; p++)
    for (int q = 0; q < dists[1].procs; q++)
      for (int way = DAP_WAY_PACK; way <= DAP_WAY_DIRECT; way++) {
        const bool halos = test_random_one_in(random, 2);
        dap_overlap overlap;
        EXPECT_OK(dap_overlap_create(&layouts[0]->maps[0], p, &layouts[1]->maps[0], q,
                                     halos ? DAP_REACH_ALL : DAP_REACH_OWNED, (dap_way)way, &overlap, &err),
                  &err);
        check_overlap(&overlap, places,
                      expect_places(&brute[0], p, &brute[1], q, halos, (dap_way)way, places));
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
