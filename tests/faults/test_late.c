/* Tests a process that comes late to a collective function or to a run. The others must say so in one line,
 * and go on when it comes.
 *
 * If waits have a limit that is long enough, runs must go on, too. The last tests are about the variables of
 * the environment for waits. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): setenv() */
#include "mpi_test.h"
#include "waits.h"

#include <dapbridge/log.h>
#include <stdlib.h>
#include <time.h>

static const char DELAY[] = "0.05"; /* seconds */

/* ---- what is said ------------------------------------------------------------------------------------ */

/* The lines that this process has logged. After the first line that is good enough, the late process is told,
 * so that it comes. */
typedef struct record {
  int late;          /* rank of the late process; -1: none is late */
  bool is_named;     /* the line must name that rank */
  char in_group[64]; /* name of the late process in two groups, such as "rank 0 of this group" */
  int lines, told, named;
  char last[1024];
} record;

enum { WORD = 77 };

/* Returns whether a line such as ": rank 0 has not come" or ": rank 0, rank 2 have not come" names the late
 * process. */
static bool names(const record *r, const char *line)
{
  const char *at = strrchr(line, ':');
  if (!at || !strstr(at, " not come")) return false;
  if (r->in_group[0]) return strstr(at, r->in_group) != NULL;
  for (at += strcspn(at, "0123456789"); *at; at += strcspn(at, "0123456789")) {
    char *end;
    if (strtol(at, &end, 10) == r->late) return true;
    at = end;
  }
  return false;
}

static void keep(void *context, const char *line)
{
  record *r = context;
  if (strncmp(line, "dapbridge: rank ", 16) != 0) return;
  const bool is_name = names(r, line);
  if (is_name || !r->named) (void)snprintf(r->last, sizeof r->last, "%s", line);
  r->lines++;
  r->named += is_name;
  if (r->told || r->late < 0 || test_rank() == r->late || (r->is_named && !is_name)) return;
  r->told = 1;
  MPI_Send(NULL, 0, MPI_BYTE, r->late, WORD, MPI_COMM_WORLD);
}

static void name_site(void *context, char *text, size_t capacity)
{
  (void)snprintf(text, capacity, "%s", (const char *)context);
}

/* Keeps lines from here on. The late process waits until another one has said that it waits. */
static void be_late(record *said)
{
  dap_log_set(keep, said);
  if (test_rank() != said->late) return;
  MPI_Probe(MPI_ANY_SOURCE, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Receives all words, and checks the lines. At least one process must have said that it waits and, with
 * `is_named`, for which rank. */
static void expect_said(record *said, const char *function)
{
  int sums[2] = {test_rank() != said->late && said->lines > 0, test_rank() != said->late && said->named > 0};
  int words = 0;
  dap_log_set(NULL, NULL);
  if (sums[0]) EXPECT_MSG(strstr(said->last, " s in ") && strstr(said->last, function), "%s", said->last);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&said->told, &words, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < words && test_rank() == said->late; i++)
    MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(sums[0] > 0);
  if (said->is_named) EXPECT(sums[1] > 0);
}

/* ---- functions and runs -------------------------------------------------------------------------------- */

/* Returns whether a line can name the late process. That needs a process on the same node that waits for
 * it. */
static bool can_name(int row, int late)
{
  const wait_row *r = &wait_rows[row];
  if (row >= WAIT_RUNS && row < WAIT_GROUPS) return true;
  if ((row < WAIT_RUNS && !r->has_context) || test_nodes() > 1) return false;
  const int hosts = r->hosts ? r->hosts : test_nprocs();
  for (int rank = 0; rank < test_nprocs(); rank++)
    if (rank != late && rank % hosts == late % hosts) return true;
  return false;
}

/* A process is named by its rank in its group, and by the group as this process calls it. */
static void name_in_group(const waiting *w, int rank, char text[64])
{
  const two_groups *g = &w->move.groups;
  const int group = two_groups_rank(g, 0, rank) < 0, own = two_groups_rank(g, group, rank);
  (void)snprintf(text, 64, "rank %d of %s group", own, group == g->own ? "this" : "the other");
}

static void expect_late(int row, int late, double limit)
{
  record said = {.late = late, .is_named = can_name(row, late)};
  bool is_right = false;
  char self[64] = "";
  dap_error err = {0};
  static waiting w;
  TEST_CASE("%s, rank %d is late, limit %g", wait_rows[row].why, late, limit);
  watchdog(60, "%s, rank %d is late, limit %g", wait_rows[row].why, late, limit);
  EXPECT_OK(wait_start(&w, row, limit, &err), &err);
  if (row >= WAIT_GROUPS) name_in_group(&w, late, said.in_group);
  if (row >= WAIT_GROUPS) name_in_group(&w, test_rank(), self);
  MPI_Barrier(MPI_COMM_WORLD);
  be_late(&said);
  EXPECT_OK(wait_take(&w, 1, &is_right, &err), &err);
  EXPECT(is_right);
  if (said.lines > 0) EXPECT_MSG(strstr(said.last, self), "%s", said.last);
  const bool is_run = row >= WAIT_RUNS && row < WAIT_GROUP_PLANS;
  expect_said(&said, is_run ? "dap_plan_end" : row >= WAIT_GROUPS ? "dap_plan_create" : "dap_");
  move_free(&w.move);
  watchdog(0, "nothing");
  SETTLE();
}

static void one_is_late(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  for (int row = 0; row < WAIT_ROWS && last > 0; row++) {
    expect_late(row, row % 2 ? last : 0, 0);
    if (row >= WAIT_RUNS && row < WAIT_GROUPS) expect_late(row, row % 2 ? 0 : last, 60);
  }
}

/* Only waits in the first step of a function are reported, because another process may never call it. Later
 * steps are not reported, even if they take longer. Here they take as long as a few reports would. */
static void later_steps_are_silent(void **state)
{
  (void)state;
  static char site[] = "main(), program.c, line 7";
  record silent = {.late = -1}, said = {.is_named = test_nodes() == 1};
  dap_error err = {0};
  static waiting w;
  if (test_nprocs() == 1) return;
  EXPECT_OK(wait_start(&w, 1, 0, &err), &err);
  dap_log_set(keep, &silent);
  if (test_rank() == 0) (void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  EXPECT_OK(dap_agree(w.move.comm, DAP_OK, &err), &err);
  EXPECT_INT(silent.lines, 0);
  dap_call_site_set(name_site, site);
  be_late(&said);
  EXPECT_OK(dap_agree_call(w.move.comm, "my_function", DAP_OK, &err), &err);
  dap_call_site_set(NULL, NULL);
  expect_said(&said, site);
  move_free(&w.move);
  SETTLE();
}

/* ---- the environment ---------------------------------------------------------------------------------- */

static void wrong_seconds_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *variable, *value;
    bool is_wrong;
  } rows[] = {
      {"DAPBRIDGE_WAIT_LIMIT", "10x", true},    {"DAPBRIDGE_WAIT_LIMIT", "-1", true},
      {"DAPBRIDGE_WAIT_LIMIT", "nan", true},    {"DAPBRIDGE_WAIT_LIMIT", "inf", true},
      {"DAPBRIDGE_WAIT_LIMIT", "ten", true},    {"DAPBRIDGE_WAIT_LIMIT", "", false},
      {"DAPBRIDGE_WAIT_LIMIT", "0", false},     {"DAPBRIDGE_WAIT_LIMIT", "60.5", false},
      {"DAPBRIDGE_WAIT_REPORT", "1 day", true}, {"DAPBRIDGE_WAIT_REPORT", "1e1", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dap_error err = {0};
    char parts[128];
    MPI_Comm comm;
    TEST_CASE("%s=%s", rows[i].variable, rows[i].value);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    (void)setenv(rows[i].variable, rows[i].value, 1);
    (void)snprintf(parts, sizeof parts, "%s is '%s', not a number of seconds", rows[i].variable,
                   rows[i].value);
    const dap_status s = dap_agree_call(comm, "my_function", DAP_OK, &err);
    (void)unsetenv(rows[i].variable);
    expect_same_error(comm, s, &err, rows[i].is_wrong ? DAP_ERR_ARG : DAP_OK, parts);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

/* Only some processes have the variable, for example because the launcher does not pass it on to all
 * hosts. */
static void a_limit_of_some_is_refused(void **state)
{
  (void)state;
  dap_error err = {0};
  MPI_Comm comm;
  if (test_nprocs() == 1) return;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (test_rank() == 0) (void)setenv("DAPBRIDGE_WAIT_LIMIT", "60", 1);
  const dap_status s = dap_agree_call(comm, "my_function", DAP_OK, &err);
  (void)unsetenv("DAPBRIDGE_WAIT_LIMIT");
  expect_same_error(comm, s, &err, DAP_ERR_ARG, "DAPBRIDGE_WAIT_LIMIT|my_function");
  MPI_Comm_free(&comm);
  SETTLE();
}

/* The program lifts the limit first. So the process that has the variable does not wait for the others. */
static void a_limit_of_some_is_lifted(void **state)
{
  (void)state;
  dap_error err = {0};
  MPI_Comm comm;
  for (int owner = 0; owner < test_nprocs() && test_nprocs() > 1; owner += test_nprocs() - 1) {
    TEST_CASE("rank %d has the variable", owner);
    watchdog(60, "rank %d has the variable", owner);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (test_rank() == owner) (void)setenv("DAPBRIDGE_WAIT_LIMIT", "60", 1);
    EXPECT_OK(dap_wait_limit(comm, 0, &err), &err);
    EXPECT_OK(dap_agree_call(comm, "my_function", DAP_OK, &err), &err);
    (void)unsetenv("DAPBRIDGE_WAIT_LIMIT");
    MPI_Comm_free(&comm);
    watchdog(0, "nothing");
    SETTLE();
  }
}

/* The limit in the environment holds on each communicator, unless the program has called dap_wait_limit(). */
static void the_environment_sets_a_limit(void **state)
{
  (void)state;
  for (int is_lifted = 0; is_lifted < 2; is_lifted++)
    for (int row = 0; row < WAIT_RUNS && test_nprocs() > 1; row += 3) {
      const int late = test_nprocs() - 1;
      char missing[64];
      record said = {.late = late};
      dap_error err = {0};
      bool is_right = false;
      static waiting w;
      TEST_CASE("%s%s", wait_rows[row].why, is_lifted ? ", lifted" : "");
      watchdog(60, "%s", wait_rows[row].why);
      (void)setenv("DAPBRIDGE_WAIT_LIMIT", is_lifted ? "0.03" : "0.7", 1); /* DELAY is longer than 0.03 */
      w.row = &wait_rows[row];
      move_start(&w.move, &move_rows[w.row->move], 1);
      MPI_Comm_dup(MPI_COMM_WORLD, &w.move.comm);
      if (is_lifted) EXPECT_OK(dap_wait_limit(w.move.comm, 0, &err), &err);
      EXPECT_OK(dap_agree_call(w.move.comm, "my_function", DAP_OK, &err), &err); /* sets the limit */
      MPI_Barrier(MPI_COMM_WORLD);
      if (is_lifted) be_late(&said);
      const dap_status s =
          is_lifted ? wait_take(&w, 0, &is_right, &err) : wait_take_late(&w, late, 0, &is_right, &err);
      (void)unsetenv("DAPBRIDGE_WAIT_LIMIT");
      (void)snprintf(missing, sizeof missing, "rank %d has not answered for 0.7 s", late);
      if (is_lifted) EXPECT(!s && is_right);
      if (is_lifted) expect_said(&said, "dap_");
      if (!is_lifted && test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
      dap_plan_destroy(&w.move.plan);
      move_end(&w.move);
      MPI_Comm_free(&w.move.comm);
      watchdog(0, "nothing");
      SETTLE();
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_limit_of_some_is_refused),
    cmocka_unit_test(a_limit_of_some_is_lifted),
    cmocka_unit_test(one_is_late),
    cmocka_unit_test(later_steps_are_silent),
    cmocka_unit_test(the_environment_sets_a_limit),
    cmocka_unit_test(wrong_seconds_are_refused), /* must be the last, because the delay is read once */
};

int main(int argc, char **argv)
{
  (void)setenv("DAPBRIDGE_WAIT_REPORT", DELAY, 1);
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
