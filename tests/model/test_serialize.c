/* Packs layouts into words and unpacks them, also from damaged words. Private: public calls send words
 * between processes, which are never damaged. */
#include "layouts.h"
#include "random_array.h"

#include <inttypes.h>
#include <limits.h>
#include <model_impl.h>

enum { CASES = 1500, DAMAGED = 400 /* number of layouts */ };

/* Returns the layout that is unpacked from its words, or NULL, which is recorded. */
static dap_layout *send(const dap_layout *layout)
{
  int64_t *words = NULL, count = 0;
  dap_layout *arrived = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_pack(layout, &words, &count, &err), &err);
  /* The words fill the memory exactly, so that a sanitizer notices reads beyond it. */
  int64_t *exact = malloc((size_t)count * sizeof *exact);
  if (EXPECT(exact != NULL && words != NULL)) {
    memcpy(exact, words, (size_t)count * sizeof *exact);
    EXPECT_OK(dap_layout_unpack(exact, count, &arrived, &err), &err);
  }
  free(exact);
  free(words);
  return arrived;
}

/* Compares the packed words, which include facts that only plans and parts use, such as whether all lists
 * are sorted. */
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

/* Compares the summaries, which tell whether owners were given. */
static bool says_alike(const dap_layout *a, const dap_layout *b)
{
  char texts[2][512] = {""};
  (void)dap_layout_summary(a, texts[0], sizeof texts[0]);
  (void)dap_layout_summary(b, texts[1], sizeof texts[1]);
  return EXPECT_MSG(!strcmp(texts[0], texts[1]), "%s arrives as %s", texts[0], texts[1]);
}

static void arrives_as_sent(dap_layout *layout)
{
  dap_layout *arrived = layout ? send(layout) : NULL, *twice = arrived ? send(arrived) : NULL;
  EXPECT(arrived && dap_layout_is_equal(layout, arrived) && dap_layout_is_equal(arrived, layout));
  EXPECT(arrived && dap_layout_hash(layout) == dap_layout_hash(arrived) && packs_alike(layout, arrived));
  EXPECT(arrived && says_alike(layout, arrived));
  EXPECT(twice && dap_layout_is_equal(twice, layout) && dap_layout_hash(twice) == dap_layout_hash(layout));
  dap_layout_destroy(&twice);
  dap_layout_destroy(&arrived);
  dap_layout_destroy(&layout);
}

/* ---- rows and random layouts --------------------------------------------------------------------- */

static void rows(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "scalar",
      "12: b[5,0,7]",
      "12 on 3: b(halo 2, boundary 1 3)",
      "12 on 3: b(halo 2, periodic, wraps)",
      "11x5 on 3x2: c(2, first 2), b(ceil); ranks 3 5 0 1 4 2",
      "7: u[4,0,6][1,5][3,2,6,1]",
      "7: u[4,0,~6][1,5][3,2,6,~1]",
      "7x4 on 3x2: u[4,0,6][1,5][3,2](one to one), b; ranks 5 4 3 2 1 0",
      "3 on 4: r",
      "0x5 on 3x2: b, c(9223372036854775807)",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    TEST_CASE("%s", texts[i]);
    arrives_as_sent(read_layout(texts[i]));
  }
  SETTLE();
}

/* An unpacked layout does not contain the lists. The lengths are known, and the indices are not. */
static void lists_stay_behind(void **state)
{
  (void)state;
  dap_layout *layout = read_layout("7x2 on 3x1: u[4,0,6][1,5][3,2,6,1], b"), *arrived = send(layout);
  int rank = -1;
  int64_t local[2];
  dap_error err = {0};
  EXPECT_STATUS(dap_layout_locate(arrived, (const int64_t[]){5, 1}, &rank, local, &err), DAP_ERR_REMOTE,
                &err);
  EXPECT(!dap_layout_knows(arrived, 0, 2) && dap_layout_knows(arrived, 1, 0));
  EXPECT_INT(dap_layout_extent(arrived, 0, 2), 4);
  EXPECT_INT(dap_layout_owned(arrived, 0, 2), 2);
  dap_layout_destroy(&arrived);
  dap_layout_destroy(&layout);
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
    arrives_as_sent(random_array_layout(&array));
  }
  SETTLE();
}

/* ---- damaged ---------------------------------------------------------------------------------------- */

/* Returns whether the words are refused. */
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

/* Changes any word, and cuts at any length. */
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
    cmocka_unit_test(rows),          cmocka_unit_test(lists_stay_behind), cmocka_unit_test(random_layouts),
    cmocka_unit_test(damaged_words), cmocka_unit_test(no_layout),
};

MPI_TEST_MAIN(tests)
