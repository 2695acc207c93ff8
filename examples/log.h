/* With DAPBRIDGE_LOG=info, rank 0 prints the decisions of the library on standard error. */
#include <dapbridge/log.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_line(void *file, const char *line)
{
  (void)fprintf((FILE *)file, "%s\n", line);
}

static void log_if_wanted(void)
{
  const char *level = getenv("DAPBRIDGE_LOG");
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && level && !strcmp(level, "info")) dap_log_set(print_line, stderr);
}
