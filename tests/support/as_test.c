/* Ignores leaks of MPI when it starts and ends, as mpi_test.c does. This file is linked to programs that are
 * run as tests, but do not use mpi_test.c. Open MPI's modules for Fortran call MPI's functions by the names
 * of its profiling interface. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT */

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "sanitizer.h"

#define IGNORED_AS(name, declared, given)                                                                    \
  int name declared                                                                                          \
  {                                                                                                          \
    int(*next) declared = NULL;                                                                              \
    void *const found = dlsym(RTLD_NEXT, #name);                                                             \
    memcpy(&next, &found, sizeof next);                                                                      \
    test_ignore_leaks(true);                                                                                 \
    const int code = next given;                                                                             \
    test_ignore_leaks(false);                                                                                \
    return code;                                                                                             \
  }
#define IGNORED(name, declared, given) IGNORED_AS(name, declared, given) IGNORED_AS(P##name, declared, given)
IGNORED(MPI_Init, (int *argc, char ***argv), (argc, argv))
IGNORED(MPI_Init_thread, (int *argc, char ***argv, int required, int *provided),
        (argc, argv, required, provided))
IGNORED(MPI_Finalize, (void), ())
