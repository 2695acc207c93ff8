/* dap_agree_words(): the same words on every process, or everyone hears who differs in what. */
#include "mpi_test.h"

enum { WORDS = 4 };
static const char *const names[WORDS] = {"width", "height", "depth", "colour"};

typedef struct row {
  const char *why;
  uint64_t common[WORDS];
  int word;      /* that the culprit changes; -1: none */
  uint64_t bits; /* exclusive-or'ed to it */
} row;

static const row rows[] = {
    {"all the same", {1, 2, 3, 4}, -1, 0},
    {"all zero: no bit is set anywhere", {0, 0, 0, 0}, -1, 0},
    {"all ones: every bit is set everywhere", {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, -1, 0},
    {"the first word differs in its lowest bit", {1, 2, 3, 4}, 0, 1},
    {"the last word differs in its highest bit", {1, 2, 3, 4}, 3, UINT64_C(1) << 63},
    {"a bit is set on one process only", {0, 0, 0, 0}, 1, 8},
    {"a bit is missing on one process only", {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0}, 2, 8},
};

static void check_row(const row *r, int culprit)
{
  uint64_t words[WORDS];
  dap_error err = {.rank = -1};
  memcpy(words, r->common, sizeof words);
  if (r->word >= 0 && test_rank() == culprit) words[r->word] ^= r->bits;
  const dap_status s = dap_agree_words(MPI_COMM_WORLD, words, names, WORDS, &err);
  const bool differs = r->word >= 0 && test_nprocs() > 1;
  expect_same_error(MPI_COMM_WORLD, s, &err, differs ? DAP_ERR_ARG : DAP_OK, differs ? names[r->word] : "");
  /* A rank 0 that differs is seen by the others; rank 1 is the lowest of them. */
  if (differs) EXPECT_INT(err.rank, culprit == 0 ? 1 : culprit);
  EXPECT_INT(dap_agree_words(MPI_COMM_WORLD, words, names, WORDS, NULL), differs ? DAP_ERR_ARG : DAP_OK);
}

static void compares_every_row(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      TEST_CASE("%s, on rank %d", rows[i].why, culprit);
      check_row(&rows[i], culprit);
      SETTLE();
    }
}

/* The same rows, as bits: those that all set, whoever lacks one. */
static void common_bits(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      const row *r = &rows[i];
      const int word = r->word < 0 ? 0 : r->word;
      TEST_CASE("%s, on rank %d", r->why, culprit);
      const uint64_t others = r->common[word], its = r->word < 0 ? others : others ^ r->bits;
      uint64_t bits = test_rank() == culprit ? its : others;
      dap_error err = {.rank = -1};
      EXPECT_OK(dap_agree_bits(MPI_COMM_WORLD, "dap_bits", DAP_OK, &bits, &err), &err);
      EXPECT(bits == (test_nprocs() > 1 ? its & others : its));
      const dap_status fails = test_rank() == culprit ? dap_fail(&err, DAP_ERR_RANGE, "no") : DAP_OK;
      const dap_status s = dap_agree_bits(MPI_COMM_WORLD, "dap_bits", fails, &bits, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_RANGE, "no");
      SETTLE();
    }
}

static void names_the_first_word_that_differs(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  const uint64_t off = last > 0 && test_rank() == last;
  const uint64_t words[WORDS] = {7, 8 + off, 9 + off, 10};
  dap_error err = {.rank = -1};
  const dap_status s = dap_agree_words(MPI_COMM_WORLD, words, names, WORDS, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, last > 0 ? DAP_ERR_ARG : DAP_OK, last > 0 ? "height" : "");
  if (last > 0) EXPECT(!strstr(err.text, "depth"));
  EXPECT_INT(dap_agree_words(MPI_COMM_WORLD, words, names, 0, &err), DAP_OK);
  EXPECT_FAIL(dap_agree_words(MPI_COMM_WORLD, words, names, 65, &err), DAP_ERR_ARG, &err, "count|65");
  EXPECT_FAIL(dap_agree_words(MPI_COMM_WORLD, words, names, -1, &err), DAP_ERR_ARG, &err, "count|-1");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(compares_every_row),
    cmocka_unit_test(common_bits),
    cmocka_unit_test(names_the_first_word_that_differs),
};

MPI_TEST_MAIN(tests)
