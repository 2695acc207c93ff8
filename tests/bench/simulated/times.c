/* Measures the simulated time of one run: times CASE METHOD N. Prints "CASE METHOD RANKS N MICROSECONDS".
 * Private: programs cannot force phases. */
#include "times.h"
#include "problem_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm everyone;
static double first, last;

/* Lets all processes begin at one time. */
static void start(void)
{
  enum { LATER = 1000 /* us; any barrier has ended by then */ };
  double latest = 0, now = MPI_Wtime();
  MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, everyone);
  usleep((useconds_t)((latest - MPI_Wtime()) * 1e6) + LATER);
  first = MPI_Wtime();
}

static void stop(void)
{
  last = MPI_Wtime();
}

static bool run_case(const times_case *c, const char *method, const times_clock *clock)
{
  if (strcmp(method, "plan") == 0)
    times_plan(c, 0, clock);
  else if (strcmp(method, "one") == 0)
    times_plan(c, DAP_FORCED_ONE_PHASE, clock);
  else if (strcmp(method, "two") == 0)
    times_plan(c, DAP_FORCED_TWO_PHASES, clock);
  else if (strcmp(method, "pack") == 0)
    times_pack(c, clock);
  else if (strcmp(method, "alltoallw") == 0)
    times_alltoallw(c, clock);
#ifdef TIMES_WITH_GEMR2D
  else if (strcmp(method, "gemr2d") == 0)
    times_gemr2d(c, clock);
#endif
  else
    return false;
  return true;
}

static bool run(const char *name, const char *method, int64_t n, int64_t *wrong)
{
  const times_clock clock = {start, stop};
  times_case c;
  *wrong = 0;
  if (times_copies(name, method, everyone, n, &clock)) return true;
  if (!times_case_make(name, everyone, n, &c)) return false;
  const bool is_known = run_case(&c, method, &clock);
  if (is_known) *wrong = times_case_count_wrong(&c);
  times_case_free(&c);
  return is_known;
}

int main(int argc, char **argv)
{
  int rank = 0, nprocs = 0;
  int64_t wrong = 0, all_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &everyone);
  MPI_Comm_rank(everyone, &rank);
  MPI_Comm_size(everyone, &nprocs);
  const int64_t n = argc == 4 ? strtoll(argv[3], NULL, 10) : 0;
  const bool is_run = argc == 4 && run(argv[1], argv[2], n, &wrong);
  double begun = 0, ended = 0;
  MPI_Allreduce(&first, &begun, 1, MPI_DOUBLE, MPI_MIN, everyone);
  MPI_Allreduce(&last, &ended, 1, MPI_DOUBLE, MPI_MAX, everyone);
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, everyone);
  if (rank == 0 && (!is_run || all_wrong > 0))
    (void)printf("failed: %" PRId64 " elements are wrong, or no such case or method\n", all_wrong);
  else if (rank == 0)
    (void)printf("%s %s %d %" PRId64 " %.1f\n", argv[1], argv[2], nprocs, n, (ended - begun) * 1e6);
  MPI_Comm_free(&everyone);
  MPI_Finalize();
  return !is_run || all_wrong > 0;
}
