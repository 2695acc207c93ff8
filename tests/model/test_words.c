/* Tests texts of errors with and without a rule, cut to fit. Private: public functions pass only texts of
 * other lengths to dap_error_name_rank(). */
#include "model_impl.h"
#include "mpi_test.h"

static void an_error_is_written(void **state)
{
  (void)state;
  dap_error err = {.rank = 5, .rule = 6, .text = "before"};
  EXPECT_INT(dap_fail(&err, DAP_ERR_RANGE, "axis %d: %s", 3, "too long"), DAP_ERR_RANGE);
  EXPECT(err.rank == -1 && err.rule == 0 && !strcmp(err.text, "axis 3: too long"));
  EXPECT_INT(dap_fail_rule(&err, 14, DAP_ERR_DIM, "start %d", 7), DAP_ERR_DIM);
  EXPECT(err.rank == -1 && err.rule == 14 && !strcmp(err.text, "start 7 (rule 14)"));
  EXPECT_INT(dap_fail(&err, DAP_ERR_ARG, "%s", ""), DAP_ERR_ARG);
  EXPECT(err.rule == 0 && !strcmp(err.text, ""));
  EXPECT_INT(dap_fail(NULL, DAP_ERR_SHARE, "nobody %s", "hears"), DAP_ERR_SHARE);
  EXPECT_INT(dap_fail_rule(NULL, 2, DAP_ERR_VERSION, "nobody %s", "hears"), DAP_ERR_VERSION);
  SETTLE();
}

/* Text that does not fit is cut, but the rule's number remains. */
static void a_long_error_is_cut(void **state)
{
  (void)state;
  static const char suffix[] = " (rule 14)";
  for (int length = DAP_ERROR_TEXT - 16; length < DAP_ERROR_TEXT + 4; length++) {
    dap_error err;
    const size_t tail = strlen(suffix);
    const size_t plain = length < DAP_ERROR_TEXT ? (size_t)length : DAP_ERROR_TEXT - 1;
    const size_t before = plain + tail < DAP_ERROR_TEXT ? plain : DAP_ERROR_TEXT - 1 - tail;
    TEST_CASE("%d bytes", length);
    memset(&err, '#', sizeof err);
    (void)dap_fail(&err, DAP_ERR_DIM, "%0*d", length, 0);
    EXPECT_INT(strlen(err.text), plain);
    EXPECT_INT(strspn(err.text, "0"), plain);
    memset(&err, '#', sizeof err);
    (void)dap_fail_rule(&err, 14, DAP_ERR_DIM, "%0*d", length, 0);
    EXPECT_INT(strspn(err.text, "0"), before);
    EXPECT(!strcmp(err.text + before, suffix));
  }
  SETTLE();
}

/* A rank in front of a long text cuts the text, but not its rule. */
static void a_rank_is_put_before_an_error(void **state)
{
  (void)state;
  static const char begin[] = "rank 12: ", suffix[] = " (rule 14)";
  for (int length = DAP_ERROR_TEXT - 32; length < DAP_ERROR_TEXT; length++)
    for (int rule = 0; rule <= 14; rule += 14) {
      dap_error err = {0};
      const size_t head = strlen(begin), tail = rule ? strlen(suffix) : 0;
      const size_t all = head + (size_t)length + tail, room = DAP_ERROR_TEXT - 1;
      TEST_CASE("%d bytes, rule %d", length, rule);
      (void)(rule ? dap_fail_rule(&err, rule, DAP_ERR_DIM, "%0*d", length, 0)
                  : dap_fail(&err, DAP_ERR_DIM, "%0*d", length, 0));
      dap_error_name_rank(12, &err);
      EXPECT(err.rank == 12 && err.rule == rule && !strncmp(err.text, begin, head));
      EXPECT_INT(strlen(err.text), all < room ? all : room);
      EXPECT_INT(strspn(err.text + head, "0"), (all < room ? all : room) - head - tail);
      EXPECT(!rule || !strcmp(err.text + strlen(err.text) - tail, suffix));
    }
  SETTLE();
}

static void statuses_have_names(void **state)
{
  (void)state;
  static const char *const names[] = {"OK",     "ARG",     "NOMEM",   "VERSION",     "DIM",
                                      "LAYOUT", "BUFFER",  "RANGE",   "UNSUPPORTED", "SHARE",
                                      "REMOTE", "LIBRARY", "NUMERIC", "FILE"};
  for (int s = DAP_OK; s <= DAP_ERR_FILE; s++) EXPECT(!strcmp(dap_status_name((dap_status)s), names[s]));
  EXPECT(!strcmp(dap_status_name((dap_status)(DAP_ERR_FILE + 1)), "unknown"));
  EXPECT(!strcmp(dap_status_name((dap_status)-1), "unknown"));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(statuses_have_names),
    cmocka_unit_test(an_error_is_written),
    cmocka_unit_test(a_long_error_is_cut),
    cmocka_unit_test(a_rank_is_put_before_an_error),
};

MPI_TEST_MAIN(tests)
