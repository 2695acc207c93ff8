/* Ignores leaks of MPI when it starts and ends, as as_test.c does for programs in C. Open MPI's modules for
 * Fortran call MPI's functions by the names of its profiling interface. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT */

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "sanitizer.h"

#define IGNORED(name, declared, given)                                                                       \
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
IGNORED(PMPI_Init, (int *argc, char ***argv), (argc, argv))
IGNORED(PMPI_Init_thread, (int *argc, char ***argv, int required, int *provided),
        (argc, argv, required, provided))
IGNORED(PMPI_Finalize, (void), ())
