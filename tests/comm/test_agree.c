/* Tests dap_agree(), which returns the status, text and rule of the lowest failing rank on every process.
 * Tests dap_agree_words(), which checks that words are equal on every process, or reports the process and
 * the word that differ. */
#include "mpi_test.h"
#include "mutate.h"

#include <dapbridge/rules.h>

/* Returns a different status for each rank, so that the test notices a mix-up. */
static dap_status status_of(int rank)
{
  return (dap_status)(DAP_ERR_ARG + rank % DAP_ERR_LIBRARY);
}

/* Agrees with `fails ? status_of(rank) : OK`, and checks the results for the lowest failing rank. */
static void agree_and_check(MPI_Comm comm, bool fails, int lowest, bool with_err)
{
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  dap_error err = {.rank = 41, .text = "untouched"};
  if (fails) (void)dap_fail(&err, DAP_ERR_ARG, "axis %d is wrong", rank);
  const dap_status got = dap_agree(comm, fails ? status_of(rank) : DAP_OK, with_err ? &err : NULL);
  EXPECT_INT(got, lowest < 0 ? DAP_OK : status_of(lowest));
  char want[64];
  snprintf(want, sizeof want, "rank %d: axis %d is wrong", lowest, lowest);
  if (with_err && lowest < 0) EXPECT(err.rank == 41 && !strcmp(err.text, "untouched"));
  if (with_err && lowest >= 0)
    EXPECT_MSG(!strcmp(err.text, want), "text is \"%s\", not \"%s\"", err.text, want);
  if (with_err && lowest >= 0) EXPECT_INT(err.rank, lowest);
}

static void any_subset_may_fail(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  for (unsigned mask = 0; mask < 1u << nprocs; mask++) {
    int lowest = -1;
    for (int rank = nprocs - 1; rank >= 0; rank--)
      if (mask >> rank & 1) lowest = rank;
    TEST_CASE("failing ranks %#x", mask);
    agree_and_check(MPI_COMM_WORLD, mask >> test_rank() & 1, lowest, true);
  }
  SETTLE();
}

/* A process may pass NULL for the dap_error. If it fails, the text is the name of its status. */
static void err_may_be_null(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  for (int culprit = 0; culprit < nprocs; culprit++) {
    const bool mine = test_rank() == culprit;
    TEST_CASE("rank %d fails; the others have no err", culprit);
    agree_and_check(MPI_COMM_WORLD, mine, culprit, mine);
    TEST_CASE("rank %d fails and has no err", culprit);
    dap_error err = {0};
    const dap_status got = dap_agree(MPI_COMM_WORLD, mine ? DAP_ERR_RANGE : DAP_OK, mine ? NULL : &err);
    EXPECT_INT(got, DAP_ERR_RANGE);
    char want[32];
    snprintf(want, sizeof want, "rank %d: ", culprit);
    if (!mine) EXPECT(!strncmp(err.text, want, strlen(want)) && strstr(err.text, "RANGE"));
    if (!mine) EXPECT_INT(err.rank, culprit);
  }
  EXPECT_INT(dap_agree(MPI_COMM_WORLD, DAP_OK, NULL), DAP_OK);
  SETTLE();
}

/* The rule belongs to the text. It is 0 if the lowest failing rank broke no rule. */
static void the_rule_is_agreed(void **state)
{
  (void)state;
  for (int culprit = 0; culprit < test_nprocs(); culprit++)
    for (int rule = 0; rule <= DAP_RULES; rule++) {
      dap_error err = {.rule = 99};
      dap_status s = DAP_OK;
      TEST_CASE("rank %d breaks rule %d, those behind it another", culprit, rule);
      if (test_rank() > culprit) s = dap_fail_rule(&err, DAP_RULES + 1, DAP_ERR_BUFFER, "extent");
      if (test_rank() == culprit)
        s = rule ? dap_fail_rule(&err, rule, DAP_ERR_DIM, "size") : dap_fail(&err, DAP_ERR_DIM, "size");
      s = dap_agree(MPI_COMM_WORLD, s, &err);
      s = dap_agree(MPI_COMM_WORLD, s, &err); /* agrees once more, as an outer function does */
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_DIM, "size");
      EXPECT_INT(err.rank, culprit);
      expect_rule(&err, rule);
    }
  dap_error err = {.rule = 99};
  EXPECT_INT(dap_agree(MPI_COMM_WORLD, DAP_OK, &err), DAP_OK);
  EXPECT_INT(err.rule, 99);
  SETTLE();
}

static void ranks_are_the_communicators_own(void **state)
{
  (void)state;
  MPI_Comm half = MPI_COMM_NULL;
  int rank = 0, size = 0;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() % 2, -test_rank(), &half); /* reverses the order */
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  for (int culprit = 0; culprit < size; culprit++) agree_and_check(half, rank == culprit, culprit, true);
  MPI_Comm_free(&half);
  SETTLE();
}

static void a_long_text_is_cut_alike(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  dap_error err = {0};
  dap_status s = DAP_OK;
  if (test_rank() == last) s = dap_fail(&err, DAP_ERR_LIBRARY, "%0*d", 2 * DAP_ERROR_TEXT, 5);
  s = dap_agree(MPI_COMM_WORLD, s, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "0000000|rank");
  EXPECT_INT(strlen(err.text), DAP_ERROR_TEXT - 1);
  SETTLE();
}

/* Agrees many times in a row, with random failures. No agreement may receive another's message. */
static void many_agreements_in_a_row(void **state)
{
  (void)state;
  test_random random = test_random_init(10);
  for (int i = 0; i < 500; i++) {
    int lowest = -1;
    bool mine = false;
    for (int rank = test_nprocs() - 1; rank >= 0; rank--) {
      const bool fails = test_random_one_in(&random, 6);
      if (fails) lowest = rank;
      if (rank == test_rank()) mine = fails;
    }
    TEST_CASE("agreement %d", i);
    agree_and_check(MPI_COMM_WORLD, mine, lowest, true);
  }
  SETTLE();
}

static void mpi_types_have_the_right_size(void **state)
{
  (void)state;
  for (dap_dtype dtype = DAP_BOOL; dtype <= DAP_C32; dtype++) {
    int bytes = 0;
    const bool is_long = dtype == DAP_F16 || dtype == DAP_C32;
    TEST_CASE("%s", dap_dtype_name(dtype));
    if (dtype == DAP_F2 || (is_long && sizeof(long double) != 16)) {
      EXPECT(dap_dtype_mpi(dtype) == MPI_DATATYPE_NULL); /* MPI lacks this type */
      continue;
    }
    if (EXPECT(dap_dtype_mpi(dtype) != MPI_DATATYPE_NULL)) MPI_Type_size(dap_dtype_mpi(dtype), &bytes);
    EXPECT_INT(bytes, dap_dtype_size(dtype));
  }
  EXPECT(dap_dtype_mpi(DAP_NONE) == MPI_DATATYPE_NULL);
  EXPECT(dap_dtype_mpi((dap_dtype)99) == MPI_DATATYPE_NULL);
  EXPECT(dap_dtype_mpi(DAP_F8) == MPI_DOUBLE && dap_dtype_mpi(DAP_I4) == MPI_INT32_T);
  SETTLE();
}

/* Communicators that make agreement impossible are refused before any message is sent. */
static void wrong_communicators_are_refused(void **state)
{
  (void)state;
  dap_error err = {0};
  const uint64_t word = 1;
  const char *const name = "word";
  dap_array array = {0};
  dap_layout *layout = NULL;
  EXPECT_FAIL(dap_agree(MPI_COMM_NULL, DAP_OK, &err), DAP_ERR_ARG, &err, "MPI_COMM_NULL");
  EXPECT_FAIL(dap_agree_words(MPI_COMM_NULL, &word, &name, 1, &err), DAP_ERR_ARG, &err, "MPI_COMM_NULL");
  if (test_nprocs() > 1) {
    MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
    const int side = test_rank() == 0;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side ? 1 : 0, 7, &both);
    EXPECT_FAIL(dap_agree(both, DAP_OK, &err), DAP_ERR_ARG, &err, "intercommunicator");
    EXPECT_FAIL(dap_layout_assemble(both, &array, &layout, &err), DAP_ERR_ARG, &err, "intercommunicator");
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  }
  SETTLE();
}

/* Two functions whose names are equal in the first `same` bytes, and differ or end after them. */
typedef struct name_row {
  const char *why;
  int same, length; /* `length` is the length of the culprit's name */
} name_row;

static const name_row name_rows[] = {
    {"the names have nothing in common", 0, 20},
    {"the names differ in the last of 20 bytes", 19, 20},
    {"one name is the beginning of the other", 20, 20},
    {"the names differ in byte 63", 62, 100},
    {"the names differ in byte 64", 63, 100},
    {"one name has 64 bytes more, which the other lacks", 63, 63},
    {"the names differ in byte 192", 191, 250},
    {"the names are longer than any text and differ in the last byte", 299, 300},
};

static void names_are_compared_to_the_end(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof name_rows / sizeof name_rows[0]; i++)
    for (int culprit = 0; culprit < test_nprocs() && test_nprocs() > 1; culprit++) {
      const name_row *row = &name_rows[i];
      char name[400] = "";
      dap_error err = {0};
      TEST_CASE("%s, on rank %d", row->why, culprit);
      memset(name, 'x', (size_t)row->same);
      if (test_rank() == culprit)
        memset(name + row->same, 'y', (size_t)(row->length - row->same));
      else
        memset(name + row->same, 'z', 64);
      const dap_status s = dap_agree_call(MPI_COMM_WORLD, name, DAP_OK, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "this process is in |, rank 0 in ");
      EXPECT_INT(err.rank, culprit == 0 ? 1 : culprit);
    }
  SETTLE();
}

/* ---- words --------------------------------------------------------------------------------------------- */

enum { WORDS = 4 };
static const char *const words_named[WORDS] = {"width", "height", "depth", "colour"};

typedef struct word_row {
  const char *why;
  uint64_t common[WORDS];
  int word;      /* index of the word that the culprit changes; -1: none */
  uint64_t bits; /* exclusive-or'ed with the word */
} word_row;

static const word_row word_rows[] = {
    {"all the same", {1, 2, 3, 4}, -1, 0},
    {"all zero: no bit is set anywhere", {0, 0, 0, 0}, -1, 0},
    {"all ones: every bit is set everywhere", {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, -1, 0},
    {"the first word differs in its lowest bit", {1, 2, 3, 4}, 0, 1},
    {"the last word differs in its highest bit", {1, 2, 3, 4}, 3, UINT64_C(1) << 63},
    {"a bit is set on one process only", {0, 0, 0, 0}, 1, 8},
    {"a bit is missing on one process only", {UINT64_MAX, UINT64_MAX, UINT64_MAX, 0}, 2, 8},
};

static void check_words(const word_row *r, int culprit)
{
  uint64_t words[WORDS];
  dap_error err = {.rank = -1};
  memcpy(words, r->common, sizeof words);
  if (r->word >= 0 && test_rank() == culprit) words[r->word] ^= r->bits;
  const dap_status s = dap_agree_words(MPI_COMM_WORLD, words, words_named, WORDS, &err);
  const bool differs = r->word >= 0 && test_nprocs() > 1;
  expect_same_error(MPI_COMM_WORLD, s, &err, differs ? DAP_ERR_ARG : DAP_OK,
                    differs ? words_named[r->word] : "");
  /* If rank 0 differs, the other ranks notice it, and rank 1 is the lowest of them. */
  if (differs) EXPECT_INT(err.rank, culprit == 0 ? 1 : culprit);
  EXPECT_INT(dap_agree_words(MPI_COMM_WORLD, words, words_named, WORDS, NULL),
             differs ? DAP_ERR_ARG : DAP_OK);
}

static void words_are_compared(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof word_rows / sizeof word_rows[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      TEST_CASE("%s, on rank %d", word_rows[i].why, culprit);
      check_words(&word_rows[i], culprit);
      SETTLE();
    }
}

/* Uses the same rows as bits: the result has the bits that all processes set. */
static void common_bits(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof word_rows / sizeof word_rows[0]; i++)
    for (int culprit = 0; culprit < test_nprocs(); culprit++) {
      const word_row *r = &word_rows[i];
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
  const dap_status s = dap_agree_words(MPI_COMM_WORLD, words, words_named, WORDS, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, last > 0 ? DAP_ERR_ARG : DAP_OK, last > 0 ? "height" : "");
  if (last > 0) EXPECT(!strstr(err.text, "depth"));
  EXPECT_INT(dap_agree_words(MPI_COMM_WORLD, words, words_named, 0, &err), DAP_OK);
  EXPECT_FAIL(dap_agree_words(MPI_COMM_WORLD, words, words_named, 65, &err), DAP_ERR_ARG, &err, "count|65");
  EXPECT_FAIL(dap_agree_words(MPI_COMM_WORLD, words, words_named, -1, &err), DAP_ERR_ARG, &err, "count|-1");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_are_compared_to_the_end),
    cmocka_unit_test(wrong_communicators_are_refused),
    cmocka_unit_test(any_subset_may_fail),
    cmocka_unit_test(err_may_be_null),
    cmocka_unit_test(the_rule_is_agreed),
    cmocka_unit_test(ranks_are_the_communicators_own),
    cmocka_unit_test(a_long_text_is_cut_alike),
    cmocka_unit_test(many_agreements_in_a_row),
    cmocka_unit_test(mpi_types_have_the_right_size),
    cmocka_unit_test(words_are_compared),
    cmocka_unit_test(common_bits),
    cmocka_unit_test(names_the_first_word_that_differs),
};

MPI_TEST_MAIN(tests)
