/* Ignores leaks of MPI when it starts and ends, as mpi_test.c does. This file is linked to programs that are
 * run as tests, but do not use mpi_test.c. */
#include <mpi.h>

#include "sanitizer.h"

static int started(int code)
{
  test_ignore_leaks(false);
  return code;
}

int MPI_Init(int *argc, char ***argv)
{
  test_ignore_leaks(true);
  return started(PMPI_Init(argc, argv));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  test_ignore_leaks(true);
  return started(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize(void)
{
  test_ignore_leaks(true);
  const int code = PMPI_Finalize();
  test_ignore_leaks(false);
  return code;
}
