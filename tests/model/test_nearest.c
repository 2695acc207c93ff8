/* Finds the known word that is nearest to a mistyped one. Private: public calls know only the words of the
 * library. */
#include "mpi_test.h"
#include "nearest.h"

static void the_nearest_word_is_found(void **state)
{
  (void)state;
  static const char *const known[] = {"check", "describe", "draw", "explain",
                                      "plan",  "gesv",     "syev", "syevd"};
  static const struct {
    const char *word, *nearest, *why;
  } rows[] = {
      {"chek", "check", "a letter is missing"},
      {"cheeck", "check", "one too many"},
      {"chekc", "check", "two are exchanged"},
      {"drew", "draw", "another letter"},
      {"explian", "explain", "exchanged in the middle"},
      {"discribe", "describe", "long"},
      {"gesvx2", "gesv", "two letters of six"},
      {"syevd", "syevd", "the word itself, behind one that is near"},
      {"syevx", "syev", "the first of two that are as near"},
      {"run", NULL, "another word"},
      {"pl", NULL, "too short to be like another"},
      {"", NULL, "no letters"},
      {"checkcheckcheckcheckcheckcheck", NULL, "too long"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *best = NULL;
    TEST_CASE("'%s': %s", rows[i].word, rows[i].why);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
      best = dap_nearer(rows[i].word, known[k], best);
    EXPECT_MSG(!best == !rows[i].nearest && (!best || !strcmp(best, rows[i].nearest)), "'%s'",
               best ? best : "none");
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_nearest_word_is_found),
};

MPI_TEST_MAIN(tests)
