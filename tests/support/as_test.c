/* Ignores leaks of MPI when it starts and ends, as mpi_test.c does. This file is linked to programs that are
 * run as tests, but do not use mpi_test.c. */
#include <mpi.h>

#include "sanitizer.h"

#define IGNORED(name, declared, given)                                                                       \
  int name declared                                                                                          \
  {                                                                                                          \
    test_ignore_leaks(true);                                                                                 \
    const int code = P##name given;                                                                          \
    test_ignore_leaks(false);                                                                                \
    return code;                                                                                             \
  }
IGNORED(MPI_Init, (int *argc, char ***argv), (argc, argv))
IGNORED(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided),
        (argc, argv, required, provided))
IGNORED(MPI_Finalize, (void), ())
