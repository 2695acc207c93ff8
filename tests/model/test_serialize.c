/* Layouts packed into words and made again: against the layout that was packed, and element by element
 * against the brute-force model; and words that were damaged on the way. */
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>
#include <limits.h>
#include <model_impl.h>

enum { CASES = 1500, DAMAGED = 400 /* layouts */ };

/* The layout made again from its words, or NULL, which is recorded. */
static dap_layout *send(const dap_layout *layout)
{
  int64_t *words = NULL, count = 0;
  dap_layout *arrived = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_pack(layout, &words, &count, &err), &err);
  /* behind a block of just as many words, so that a sanitizer sees what reads beyond */
  int64_t *exact = malloc((size_t)count * sizeof *exact);
  if (EXPECT(exact != NULL && words != NULL)) {
    memcpy(exact, words, (size_t)count * sizeof *exact);
    EXPECT_OK(dap_layout_unpack(exact, count, &arrived, &err), &err);
  }
  free(exact);
  free(words);
  return arrived;
}

/* Also what only plans and parts ask for, such as whether all lists are in order. */
static bool packs_alike(const dap_layout *a, const dap_layout *b)
{
  int64_t *words[2] = {NULL}, counts[2] = {0};
  EXPECT_OK(dap_layout_pack(a, &words[0], &counts[0], NULL), NULL);
  EXPECT_OK(dap_layout_pack(b, &words[1], &counts[1], NULL), NULL);
  const bool alike =
      counts[0] == counts[1] && memcmp(words[0], words[1], (size_t)counts[0] * sizeof *words[0]) == 0;
  free(words[0]);
  free(words[1]);
  return alike;
}

/* ---- what is to be the same ------------------------------------------------------------------------ */

static void same_axis(const dap_layout *layout, const random_array *array, int k)
{
  const brute_axis *axis = &array->model.axes[k];
  EXPECT_INT(dap_layout_procs(layout, k), axis->procs);
  EXPECT_INT(dap_layout_size(layout, k), axis->size);
  for (int c = 0; c < axis->procs; c++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, c, halo);
    EXPECT_INT(dap_layout_owned(layout, k, c), axis->owned[c]);
    EXPECT_INT(dap_layout_extent(layout, k, c), axis->extent[c]);
    EXPECT(halo[0] == axis->halo[c][0] && halo[1] == axis->halo[c][1]);
    EXPECT_INT(dap_layout_knows(layout, k, c), axis->kind != 'u' || axis->whole);
  }
}

static bool has_lists(const random_array *array)
{
  for (int k = 0; k < array->ndim; k++)
    if (array->model.axes[k].kind == 'u' && !array->model.axes[k].whole) return true;
  return false;
}

/* Where each element is: as dealt, or known elsewhere only. */
static void same_places(const dap_layout *layout, const random_array *array)
{
  const bool is_remote = has_lists(array);
  for (brute_walk w = brute_walk_start(&array->model, -1); !w.done; brute_walk_next(&w)) {
    int64_t local[DAP_MAX_NDIM];
    int rank = -1;
    dap_error err = {0};
    if (is_remote) {
      EXPECT_STATUS(dap_layout_locate(layout, w.global, &rank, local, &err), DAP_ERR_REMOTE, &err);
      continue;
    }
    EXPECT_OK(dap_layout_locate(layout, w.global, &rank, local, &err), &err);
    EXPECT_INT(rank, w.owner);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(local[k], w.local[k]);
  }
}

static void same_ranks(const dap_layout *layout, const random_array *array)
{
  EXPECT_INT(dap_layout_nprocs(layout), array->nprocs);
  for (int rank = 0; rank < array->nprocs; rank++) {
    int want[DAP_MAX_NDIM], got[DAP_MAX_NDIM];
    brute_coords(&array->model, rank, want);
    dap_layout_coords(layout, rank, got);
    for (int k = 0; k < array->ndim; k++) EXPECT_INT(got[k], want[k]);
    EXPECT_INT(dap_layout_rank(layout, want), rank);
  }
}

static void arrives_as_sent(const random_array *array)
{
  dap_layout *layout = random_array_layout(array);
  dap_layout *arrived = layout ? send(layout) : NULL;
  if (!arrived) {
    dap_layout_destroy(&layout);
    return;
  }
  EXPECT(dap_layout_is_equal(layout, arrived) && dap_layout_is_equal(arrived, layout));
  EXPECT(dap_layout_hash(layout) == dap_layout_hash(arrived) && packs_alike(layout, arrived));
  EXPECT_INT(dap_layout_count(arrived), array->model.count);
  EXPECT_INT(dap_layout_is_row_major(arrived), dap_layout_is_row_major(layout));
  for (int k = 0; k < array->ndim; k++) {
    const dap_axis x = dap_layout_axis(layout, k), y = dap_layout_axis(arrived, k);
    EXPECT(x.dist_type == y.dist_type && x.periodic == y.periodic && x.one_to_one == y.one_to_one);
    EXPECT(x.first_owner == y.first_owner && x.block_size == y.block_size);
    EXPECT(x.boundary[0] == y.boundary[0] && x.boundary[1] == y.boundary[1]);
    same_axis(arrived, array, k);
  }
  same_places(arrived, array);
  same_ranks(arrived, array);
  dap_layout *twice = send(arrived), *copy = NULL;
  EXPECT(dap_layout_is_equal(twice, layout) && dap_layout_hash(twice) == dap_layout_hash(layout));
  EXPECT_OK(dap_layout_reorder(arrived, array->model.ranks, &copy, NULL), NULL);
  EXPECT(dap_layout_is_equal(copy, layout));
  dap_layout_destroy(&copy);
  dap_layout_destroy(&twice);
  dap_layout_destroy(&arrived);
  dap_layout_destroy(&layout);
}

/* ---- tables and random layouts ---------------------------------------------------------------------- */

static const int64_t uneven[] = {5, 0, 7}, list_lengths[] = {3, 2, 4};
static const int64_t list0[] = {4, 0, 6}, list1[] = {1, 5}, list2[] = {3, 2, 6, 1};
static const int64_t *const lists[] = {list0, list1, list2};
static const int64_t short_lengths[] = {3, 2, 2};

static const struct {
  const char *why;
  int ndim;
  dap_dist dists[2];
  int ranks[6];
  bool has_ranks;
} rows[] = {
    {.why = "a scalar"},
    {.why = "uneven lengths, one of them 0",
     .ndim = 1,
     .dists = {{.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 12, .lengths = uneven}}},
    {.why = "halos and boundary",
     .ndim = 1,
     .dists = {{.kind = DAP_DIST_EVEN, .procs = 3, .size = 12, .halo = 2, .boundary = {1, 3}}}},
    {.why = "halos that wrap round",
     .ndim = 1,
     .dists = {{.kind = DAP_DIST_EVEN, .procs = 3, .size = 12, .halo = 2, .periodic = true, .wraps = true}}},
    {.why = "blocks dealt from another first owner, and an order of ranks",
     .ndim = 2,
     .dists = {{.kind = DAP_DIST_CYCLIC, .procs = 3, .size = 11, .block_size = 2, .first_owner = 2},
               {.kind = DAP_DIST_CEIL, .procs = 2, .size = 5}},
     .ranks = {3, 5, 0, 1, 4, 2},
     .has_ranks = true},
    {.why = "lists with duplicates",
     .ndim = 1,
     .dists =
         {{.kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 7, .lengths = list_lengths, .indices = lists}}},
    {.why = "lists that are said to be one to one",
     .ndim = 2,
     .dists = {{.kind = DAP_DIST_UNSTRUCTURED,
                .procs = 3,
                .size = 7,
                .lengths = short_lengths,
                .indices = lists,
                .one_to_one = true},
               {.kind = DAP_DIST_EVEN, .procs = 2, .size = 4}},
     .ranks = {5, 4, 3, 2, 1, 0},
     .has_ranks = true},
    {.why = "full copies", .ndim = 1, .dists = {{.kind = DAP_DIST_REPLICATED, .procs = 4, .size = 3}}},
    {.why = "no elements, over three processes",
     .ndim = 2,
     .dists = {{.kind = DAP_DIST_EVEN, .procs = 3, .size = 0},
               {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 5, .block_size = INT64_MAX}}},
};

static void table(void **state)
{
  (void)state;
  static random_array array;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    if (array_deal(rows[i].ndim, rows[i].dists, rows[i].has_ranks ? rows[i].ranks : NULL, &array))
      arrives_as_sent(&array);
  }
  SETTLE();
}

static void random_layouts(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(91);
  for (int i = 0; i < CASES; i++) {
    int64_t size[4];
    const int ndim = (int)test_random_int(&random, 1, 4), nprocs = (int)test_random_int(&random, 1, 8);
    random_shape(&random, ndim, 200, size);
    random_array_draw(&random, nprocs, ndim, size, &array);
    TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), i, random_array_text(&array));
    arrives_as_sent(&array);
  }
  SETTLE();
}

/* ---- damaged ---------------------------------------------------------------------------------------- */

/* Whether the words are refused. */
static bool is_refused(const int64_t words[], int64_t count)
{
  dap_layout *layout = (dap_layout *)&count;
  dap_error err = {0};
  int64_t *exact = malloc((size_t)(count > 0 ? count : 1) * sizeof *exact);
  if (!EXPECT(exact != NULL)) return false;
  memcpy(exact, words, (size_t)count * sizeof *exact);
  const dap_status s = dap_layout_unpack(exact, count, &layout, &err);
  free(exact);
  return s == DAP_ERR_ARG && !layout && strstr(err.text, "fingerprint");
}

static int64_t odd_word(test_random *random, int64_t word)
{
  static const int64_t odd[] = {0,         1,         -1,  2,   INT_MAX, INT64_C(1) << 31, INT64_C(1) << 62,
                                INT64_MAX, INT64_MIN, 'b', 'c', 'u'};
  const int64_t how = test_random_int(random, 0, 3);
  if (how == 0) return word + (test_random_one_in(random, 2) ? 1 : -1);
  if (how == 1) return word ^ (INT64_C(1) << test_random_int(random, 0, 62));
  return odd[test_random_int(random, 0, sizeof odd / sizeof odd[0] - 1)];
}

/* Any word changed, any length cut. */
static void damaged_words(void **state)
{
  (void)state;
  static random_array array;
  test_random random = test_random_init(92);
  for (int i = 0; i < DAMAGED; i++) {
    int64_t size[4], *words = NULL, count = 0;
    const int ndim = (int)test_random_int(&random, 0, 3),
              nprocs = ndim ? (int)test_random_int(&random, 1, 8) : 1;
    random_shape(&random, ndim, 100, size);
    random_array_draw(&random, nprocs, ndim, size, &array);
    TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), i, random_array_text(&array));
    dap_layout *layout = random_array_layout(&array);
    EXPECT_OK(dap_layout_pack(layout, &words, &count, NULL), NULL);
    for (int64_t at = 0; at < count; at++) {
      const int64_t was = words[at];
      words[at] = odd_word(&random, was);
      if (words[at] != was) EXPECT_MSG(is_refused(words, count), "word %d was not missed", (int)at);
      words[at] = was;
    }
    for (int64_t length = 0; length < count; length++)
      EXPECT_MSG(is_refused(words, length), "%d words are enough", (int)length);
    free(words);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void no_layout(void **state)
{
  (void)state;
  int64_t *words = NULL, count = 0;
  dap_error err = {0};
  EXPECT_FAIL(dap_layout_pack(NULL, &words, &count, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT(!words);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(table),
    cmocka_unit_test(random_layouts),
    cmocka_unit_test(damaged_words),
    cmocka_unit_test(no_layout),
};

MPI_TEST_MAIN(tests)
