/* Tests what a plan tells the function of the log, also for pointers that are not plans. */
#include "mpi_test.h"
#include "plans.h"
#include "sanitizer.h"

#include <dapbridge/log.h>
#include <inttypes.h>

typedef struct record {
  int lines;
  char last[1024];
} record;

static void keep(void *context, const char *line)
{
  record *r = context;
  r->lines++;
  (void)snprintf(r->last, sizeof r->last, "%s", line);
}

/* Moves 60 numbers from rows of processes to columns. */
static dap_plan *make(void)
{
  const int procs = test_nprocs();
  const dap_dist rows[] = {dap_dist_even(10, procs), dap_dist_local(6)};
  const dap_dist columns[] = {dap_dist_local(10), dap_dist_even(6, procs)};
  return plan_of(2, rows, columns, NULL);
}

static void a_plan_is_told_of(void **state)
{
  (void)state;
  record r = {0};
  char start[256];
  EXPECT(!dap_log_is_on());
  dap_log_set(keep, &r);
  EXPECT(dap_log_is_on());
  dap_plan *plan = make();
  const dap_plan_stats stats = dap_plan_summarize(plan);
  EXPECT_INT(r.lines, 1);
  (void)snprintf(start, sizeof start, "plan: sends %" PRId64 " bytes and receives %" PRId64, stats.bytes_sent,
                 stats.bytes_received);
  EXPECT_MSG(!strncmp(r.last, start, strlen(start)), "%s", r.last);
  EXPECT_MSG((strstr(r.last, " by ") != NULL) == (stats.bytes_sent > 0), "%s", r.last);
  EXPECT(strstr(r.last, " s") && !strchr(r.last, '\n'));
  dap_plan_destroy(&plan);
  dap_log_set(NULL, NULL);
  plan = make();
  EXPECT(!dap_log_is_on());
  EXPECT_INT(r.lines, 1);
  dap_plan_destroy(&plan);
  SETTLE();
}

static void a_long_line_is_cut(void **state)
{
  (void)state;
  record r = {0};
  char text[1500];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  dap_log("nobody %s", "hears");
  dap_log_set(keep, &r);
  dap_log("%d %s", 5, text);
  dap_log_set(NULL, NULL);
  EXPECT(r.lines == 1 && strlen(r.last) == 1023 && !strncmp(r.last, "5 xxx", 5));
  SETTLE();
}

static void a_foreign_plan_is_refused(void **state)
{
  (void)state;
  static char memory[4096];
  const dap_side foreign = {.layout = (const dap_layout *)memory, .contiguous = true};
  dap_plan *plan = (dap_plan *)memory;
  dap_error err = {0};
  double element = 0;
  EXPECT_FAIL(dap_plan_begin(plan, &element, &element, &err), DAP_ERR_ARG, &err, "plan is not a plan");
  EXPECT_FAIL(dap_plan_end(plan, &err), DAP_ERR_ARG, &err, "plan is not a plan");
  EXPECT_FAIL(dap_plan_run(plan, &element, &element, &err), DAP_ERR_ARG, &err, "plan is not a plan");
  dap_plan_destroy(&plan);
  EXPECT(plan == NULL);
  EXPECT_FAIL(dap_plan_create(MPI_COMM_WORLD, &foreign, &foreign, 8, NULL, &plan, &err), DAP_ERR_ARG, &err,
              "layout is not a layout");
#if !UNDER_SANITIZER /* because it looks for reads of freed memory */
  plan = make();
  dap_plan *volatile stale = plan;
  dap_plan_destroy(&plan);
  EXPECT_FAIL(dap_plan_run(stale, &element, &element, &err), DAP_ERR_ARG, &err, "destroyed");
#endif
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_plan_is_told_of),
    cmocka_unit_test(a_long_line_is_cut),
    cmocka_unit_test(a_foreign_plan_is_refused),
};

MPI_TEST_MAIN(tests)
