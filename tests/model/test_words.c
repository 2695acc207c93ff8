/* Texts of errors with and without a rule, and texts cut to fit. */
#include "model_impl.h"
#include "mpi_test.h"

/* ---- errors ------------------------------------------------------------------------------------- */

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

/* What does not fit is cut; a rule's number is kept. */
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

/* A rank in front of it cuts a long text, but not its rule. */
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

/* ---- texts -------------------------------------------------------------------------------------- */

/* Every capacity: cut to fit, closed, nothing written behind. */
static void a_text_is_cut_to_fit(void **state)
{
  (void)state;
  dap_layout *layout = NULL;
  const dap_dist dist = dap_dist_cyclic(10, 3, 4);
  char whole[256], part[256];
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  const size_t length = dap_layout_describe(layout, whole, sizeof whole);
  EXPECT(length > 20 && length < sizeof whole);
  for (size_t capacity = 0; capacity < sizeof part; capacity++) {
    memset(part, '#', sizeof part);
    TEST_CASE("capacity %zu", capacity);
    EXPECT_INT(dap_layout_describe(layout, part, capacity), length);
    const size_t kept = capacity == 0 ? 0 : capacity - 1 < length ? capacity - 1 : length;
    EXPECT(!memcmp(part, whole, kept));
    EXPECT(capacity == 0 || part[kept] == 0);
    EXPECT(part[capacity] == '#');
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_error_is_written),
    cmocka_unit_test(a_long_error_is_cut),
    cmocka_unit_test(a_rank_is_put_before_an_error),
    cmocka_unit_test(a_text_is_cut_to_fit),
};

MPI_TEST_MAIN(tests)
