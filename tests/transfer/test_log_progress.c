/* With DAPBRIDGE_LOG=progress a long run must say how much of it is done. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): setenv() */
#include "moves.h"
#include "mpi_test.h"

#include <dapbridge/log.h>
#include <stdlib.h>

enum { WORD = 77 /* tag of a message */ };

static move m;

typedef struct record {
  int late; /* the rank that is told of the first line; -1: none */
  int lines, percent;
} record;

static void keep(void *context, const char *line)
{
  record *r = context;
  int rank = -1, percent = -1;
  if (sscanf(line, "plan: rank %d has moved %d %% of its chunks in", &rank, &percent) != 2) return;
  r->lines++;
  EXPECT_INT(rank, test_rank());
  EXPECT(percent > r->percent);
  r->percent = percent;
  if (r->lines == 1 && r->late >= 0) MPI_Send(&percent, 1, MPI_INT, r->late, WORD, MPI_COMM_WORLD);
}

static int receive_percent(void)
{
  int percent = -1;
  MPI_Recv(&percent, 1, MPI_INT, MPI_ANY_SOURCE, WORD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return percent;
}

/* The last process comes when another has logged that part of its elements have arrived. A process that logs
 * later may have all. The first of two processes has nothing to log. */
static void a_late_process_leaves_some_percent(void **state)
{
  (void)state;
  const int late = test_nprocs() - 1;
  record r = {.late = test_rank() == late ? -1 : late};
  move_make(&m, &small_moves[SMALL_SINGLES], 1, test_joining(DAP_TRANSPORT_MESSAGES));
  dap_log_set(keep, &r);
  const int first = test_rank() == late && test_nprocs() > 2;
  if (first) EXPECT(receive_percent() < 100);
  move_run_right(&m, 1, "logged");
  dap_log_set(NULL, NULL);
  int words = test_rank() != late && r.lines > 0;
  MPI_Allreduce(MPI_IN_PLACE, &words, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = first; i < words && test_rank() == late; i++) (void)receive_percent();
  move_free(&m);
  SETTLE();
}

/* A run of less than a second must not log a line. */
static void short_runs_are_silent(void **state)
{
  (void)state;
  record r = {.late = -1};
  move_make(&m, &small_moves[SMALL_SINGLES], 1, 0);
  dap_log_set(keep, &r);
  MPI_Barrier(MPI_COMM_WORLD);
  const double since = MPI_Wtime();
  move_run_right(&m, 1, "logged");
  if (MPI_Wtime() - since < 1) EXPECT_INT(r.lines, 0);
  dap_log_set(NULL, NULL);
  move_free(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_late_process_leaves_some_percent),
    cmocka_unit_test(short_runs_are_silent),
};

int main(int argc, char **argv)
{
  (void)setenv("DAPBRIDGE_LOG", "progress", 1);
  (void)setenv("DAPBRIDGE_WAIT_REPORT", "0", 1);
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
