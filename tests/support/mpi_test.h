/* Runs collective tests with cmocka.
 *
 * A failed assertion of cmocka leaves the function on one process, and the other processes then wait for
 * ever. So EXPECT() only records the first failure of a process. All processes call SETTLE(), which
 * combines the verdicts, and the test fails on all processes or on none. */
#ifndef DAP_MPI_TEST_H
#define DAP_MPI_TEST_H

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dapbridge/array.h>
#include <dapbridge/comm.h>
#include <dapbridge/plan.h>

#include "random.h"
#include "sanitizer.h"

/* The rank of this process in MPI_COMM_WORLD, and the number of processes. Valid inside tests. */
int test_rank(void);
int test_nprocs(void);

/* Returns whether something holds on any process. Collective on MPI_COMM_WORLD, by calls of MPI that no test
 * makes fail. */
bool test_any(bool own);

/* Return how many files a folder has, how many files this process has open, and how many of its mappings are
 * in /dev/shm. -1: the system does not tell. */
int64_t files_in(const char *folder);
int64_t open_files(void);
int64_t mapped_files(void);

/* Returns the size of this process's address space, or how much of it is in memory. -1: the system does not
 * tell. */
int64_t process_bytes(bool in_memory);

/* Returns whether no file was left open, from the counts before and now. They must be equal, except that
 * MPICH may close some of its own files. */
bool test_same_files(int64_t before, int64_t now);

/* Returns `memory`. Ends the program if it is NULL. */
void *test_must(void *memory);

/* Sets a limit of time. After it the program ends, and prints the text, which tells what the process was
 * doing. So processes cannot wait for each other for ever. The next call, or the end of a test, replaces
 * the limit. 0: there is no limit. */
void watchdog(unsigned seconds, const char *format, ...) DAP_PRINTF(2, 3);

/* ---- nodes on which MPI has placed the processes: one or several -------------------------------- */

/* Returns the lowest rank of MPI_COMM_WORLD on the node of process `rank`. It is the same for processes on
 * one node. */
int test_node(int rank);
/* Returns whether process `rank` is on this process's node. */
bool test_is_mate(int rank);
/* Return how many processes are on this process's node, and how many nodes have processes. */
int test_mates(void);
int test_nodes(void);

/* Returns transports for a plan of all processes. If some are named and there are several nodes, messages are
 * added. */
unsigned test_joining(unsigned transports);

/* ---- checks: they record and never leave; true iff the check held ------------------------------ */

#define EXPECT(condition) test_expect((condition), __FILE__, __LINE__, "%s", #condition)
#define EXPECT_MSG(condition, ...) test_expect((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Checks that two integers are equal. The message shows both. */
#define EXPECT_INT(got, want) test_expect_int((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)

/* Check that `call` returns DAP_OK, or `want`. The message shows the text in `err` (dap_error *, may be
 * NULL). */
#define EXPECT_OK(call, err) test_expect_status((call), DAP_OK, NULL, (err), #call, __FILE__, __LINE__)
#define EXPECT_STATUS(call, want, err)                                                                       \
  test_expect_status((call), (want), NULL, (err), #call, __FILE__, __LINE__)

/* Checks that `call` returns `want`, and that the text in `err` contains every part of `parts`. '|' separates
 * parts: "axis 1|block_size|0". A part may be empty. */
#define EXPECT_FAIL(call, want, err, parts)                                                                  \
  test_expect_status((call), (want), (parts), (err), #call, __FILE__, __LINE__)

/* Checks the outcome (status, *err) of a collective call. On every process of `comm` the status must be
 * `want`. Texts must be the same byte for byte, and contain every part of `parts`. err->rank must be the
 * same, and a rank of `comm`. If `want` is DAP_OK, only the status is checked. Collective on `comm`. */
#define expect_same_error(comm, status, err, want, parts)                                                    \
  test_expect_same_error((comm), (status), (err), (want), (parts), __FILE__, __LINE__)

/* Names the case under test. Failures are recorded with this name until the next SETTLE() or TEST_CASE(). */
#define TEST_CASE(...) test_case(__VA_ARGS__)

/* Returns if no process has a failure. Otherwise prints the failures of the lowest ranks that have one, and
 * fails the test on all processes. Collective on MPI_COMM_WORLD. */
#define SETTLE() test_settle(__FILE__, __LINE__)

/* Tries `one` with the numbers 0 to count - 1, and settles after each. `one` must not settle itself, and
 * draws its case from `random`. If a case fails, it is drawn again with arrays of at most 1, 2, 4, ...
 * elements along an axis (test_most), and the first of these that fails is reported, too. Collective on
 * MPI_COMM_WORLD. */
void test_each(int count, uint64_t stream, void (*one)(int number, test_random *random));

/* Leaves the test before its first check, and says why. If no test fails, the program's exit code and ctest
 * report that something was skipped. All processes must call it. */
void test_skip(const char *why);

/* ---- main --------------------------------------------------------------------------------------- */

/* Starts MPI, runs the tests on all processes, and ends MPI. Only rank 0 prints, unless DAP_TEST_LOUD is set.
 * A test that ends with unsettled failures fails. Returns the same exit code on every process. */
int mpi_test_main(int *argc, char ***argv, const struct CMUnitTest *tests, size_t count);

/* The steps of mpi_test_main(), for a program with several groups of tests (suite.c). mpi_test_end() takes
 * the number of failed tests, and returns the exit code. */
void mpi_test_start(int *argc, char ***argv);
int mpi_test_group(const struct CMUnitTest *tests, size_t count);
int mpi_test_end(int failed);

/* Defines the program's main(). With DAP_TEST_MEMBER it defines the function that a suite calls (dap_test()
 * in cmake/DapTest.cmake). */
#ifdef DAP_TEST_MEMBER
int DAP_TEST_MEMBER(void);
#define MPI_TEST_MAIN(tests)                                                                                 \
  int DAP_TEST_MEMBER(void)                                                                                  \
  {                                                                                                          \
    return mpi_test_group(tests, sizeof(tests) / sizeof((tests)[0]));                                        \
  }
#else
#define MPI_TEST_MAIN(tests)                                                                                 \
  int main(int argc, char **argv)                                                                            \
  {                                                                                                          \
    return mpi_test_main(&argc, &argv, tests, sizeof(tests) / sizeof((tests)[0]));                           \
  }
#endif

/* ---- behind the macros -------------------------------------------------------------------------- */

bool test_expect(bool condition, const char *file, int line, const char *format, ...) DAP_PRINTF(4, 5);
bool test_expect_int(int64_t got, int64_t want, const char *what, const char *file, int line);
bool test_expect_status(dap_status status, dap_status want, const char *parts, const dap_error *err,
                        const char *call, const char *file, int line);
bool test_expect_same_error(MPI_Comm comm, dap_status status, const dap_error *err, dap_status want,
                            const char *parts, const char *file, int line);
void test_case(const char *format, ...) DAP_PRINTF(1, 2);
void test_settle(const char *file, int line);

/* Forgets the failure that a check has just recorded, and returns the check's result. This is for checks that
 * must fail. Nothing else may have failed since the last SETTLE(). */
bool test_quiet(bool held);

/* Returns whether `text` contains every part of `parts`. '|' separates parts. */
bool test_contains(const char *text, const char *parts);

#endif
