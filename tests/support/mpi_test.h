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

/* This process in MPI_COMM_WORLD. Valid inside tests. */
int test_rank(void);
int test_nprocs(void);

/* Whether something holds on any process. Collective on MPI_COMM_WORLD, by calls of MPI that never fail. */
bool test_any(bool own);

/* Whether no file has been left open: numbers or counts of open files. MPICH closes some of its own
 * meanwhile; with other MPIs they are equal. */
bool test_same_files(int64_t before, int64_t now);

/* The memory itself. Ends the program if there is none. */
void *test_must(void *memory);

/* From now on this process is at this, for so many seconds at most; 0: as long as it takes. If processes wait
 * for each other for ever the program ends, and prints what they were doing. */
void watchdog(unsigned seconds, const char *format, ...) DAP_PRINTF(2, 3);

/* ---- nodes on which MPI has placed the processes: one or several -------------------------------- */

/* The lowest rank, of MPI_COMM_WORLD, on the node of process `rank`: equal iff the processes are on one
 * node. */
int test_node(int rank);
/* Whether process `rank` is on this one's node. */
bool test_is_mate(int rank);
/* How many processes this one's node has, and how many nodes have processes. */
int test_mates(void);
int test_nodes(void);

/* These transports of a plan of all processes; and messages, as some are to be taken, where there are
 * several nodes. */
unsigned test_joining(unsigned transports);

/* ---- checks: they record and never leave; true iff the check held ------------------------------ */

#define EXPECT(condition) test_expect((condition), __FILE__, __LINE__, "%s", #condition)
#define EXPECT_MSG(condition, ...) test_expect((condition), __FILE__, __LINE__, __VA_ARGS__)

/* Two integers are equal; the message shows both. */
#define EXPECT_INT(got, want) test_expect_int((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)

/* `call` gives DAP_OK, or `want`; the message shows the text in `err` (dap_error *, may be NULL). */
#define EXPECT_OK(call, err) test_expect_status((call), DAP_OK, NULL, (err), #call, __FILE__, __LINE__)
#define EXPECT_STATUS(call, want, err)                                                                       \
  test_expect_status((call), (want), NULL, (err), #call, __FILE__, __LINE__)

/* `call` gives `want`, and the text in `err` contains every part of `parts`, which '|' separates:
 * "axis 1|block_size|0". A part may be empty. */
#define EXPECT_FAIL(call, want, err, parts)                                                                  \
  test_expect_status((call), (want), (parts), (err), #call, __FILE__, __LINE__)

/* The outcome (status, *err) of a collective call: on every process of `comm` the status is `want`, the
 * text is the same byte for byte and contains every part of `parts` (as above), and err->rank is the
 * same and lies in `comm`. With `want` DAP_OK only the status is looked at. Collective on `comm`. */
#define expect_same_error(comm, status, err, want, parts)                                                    \
  test_expect_same_error((comm), (status), (err), (want), (parts), __FILE__, __LINE__)

/* Names the case under test, for the failures recorded until the next SETTLE() or TEST_CASE(). */
#define TEST_CASE(...) test_case(__VA_ARGS__)

/* Collective on MPI_COMM_WORLD. Prints the failures of the lowest ranks that have one and fails the
 * test on all processes; returns when there are none. */
#define SETTLE() test_settle(__FILE__, __LINE__)

/* Leaves the test, of which no check has been made, and says why. If none fails, the program's exit code says
 * that something was skipped, and so does ctest. By all processes. */
void test_skip(const char *why);

/* ---- main --------------------------------------------------------------------------------------- */

/* Starts MPI, runs the tests on all processes with the output of all but rank 0 silenced (set
 * DAP_TEST_LOUD to hear them), ends MPI. A test that ends with unsettled failures fails. Returns the
 * exit code, the same on every process. */
int mpi_test_main(int *argc, char ***argv, const struct CMUnitTest *tests, size_t count);

/* The steps of mpi_test_main(), for a program with several groups of tests (suite.c). mpi_test_end() takes
 * the number of failed tests and returns the exit code. */
void mpi_test_start(int *argc, char ***argv);
int mpi_test_group(const struct CMUnitTest *tests, size_t count);
int mpi_test_end(int failed);

/* The program's main(), or with DAP_TEST_MEMBER what the suite calls by that name (dap_test() in
 * cmake/DapTest.cmake). */
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

/* Takes back what the check just recorded, and passes its result on: for checks that must fail. Only where
 * nothing else has failed since the last SETTLE(). */
bool test_quiet(bool held);

/* True iff `text` contains every part of `parts`, which '|' separates. */
bool test_contains(const char *text, const char *parts);

#endif
