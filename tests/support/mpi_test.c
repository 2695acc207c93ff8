#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): sigaction(), alarm() */

#include "mpi_test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

enum {
  TEXT = 1536,
  SHOWN = 3,   /* ranks whose failure SETTLE() prints */
  SKIPPED = 77 /* to ctest (dap_mpi_test() in cmake/DapTest.cmake) */
};

/* The state of the program. Tests run one after the other. */
static struct {
  int rank, nprocs;
  int failures;     /* since the last settlement */
  char first[TEXT]; /* the first failure */
  char label[TEXT / 3];
  const char *skipped; /* why something was not tried; NULL: all was */
  int *first_mate;     /* [nprocs] the lowest rank on the node of each */
} test;

int test_rank(void)
{
  return test.rank;
}

int test_nprocs(void)
{
  return test.nprocs;
}

bool test_any(bool own)
{
  int all = own;
  (void)PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return all;
}

void *test_must(void *memory)
{
  if (memory) return memory;
  fprintf(stderr, "out of memory\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
  return NULL;
}

/* ---- nodes -------------------------------------------------------------------------------------- */

/* Sends a message between all pairs of processes. MPI connects two hosts at the first message, and tests
 * count open files. */
static void meet_everyone(void)
{
  const int n = test.nprocs, self = test.rank;
  for (int step = 1; step < n; step++)
    PMPI_Sendrecv(NULL, 0, MPI_BYTE, (self + step) % n, 0, NULL, 0, MPI_BYTE, (self - step + n) % n, 0,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Finds nodes by the names that MPI gives the machines. The library asks MPI in another way. */
static void find_nodes(void)
{
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  char(*names)[MPI_MAX_PROCESSOR_NAME] = test_must(calloc((size_t)test.nprocs, sizeof *names));
  test.first_mate = test_must(calloc((size_t)test.nprocs, sizeof *test.first_mate));
  PMPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 0; r < test.nprocs; r++)
    while (strcmp(names[test.first_mate[r]], names[r]) != 0) test.first_mate[r]++;
  free(names);
  if (test_nodes() > 1) meet_everyone();
}

int test_node(int rank)
{
  return test.first_mate[rank];
}

bool test_is_mate(int rank)
{
  return test_node(rank) == test_node(test.rank);
}

int test_mates(void)
{
  int count = 0;
  for (int r = 0; r < test.nprocs; r++) count += test_is_mate(r);
  return count;
}

unsigned test_joining(unsigned transports)
{
  return transports && test_nodes() > 1 ? transports | DAP_TRANSPORT_MESSAGES : transports;
}

int test_nodes(void)
{
  int count = 0;
  for (int r = 0; r < test.nprocs; r++) count += test.first_mate[r] == r;
  return count;
}

/* ---- patience ----------------------------------------------------------------------------------- */

static char doing[512];

static void bark(int number)
{
  (void)number;
  if (write(STDOUT_FILENO, doing, strlen(doing)) < 0) _exit(2);
  _exit(1);
}

void watchdog(unsigned seconds, const char *format, ...)
{
  char text[480];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(doing, sizeof doing, "watchdog: still at %s\n", text);
  (void)signal(SIGALRM, bark);
  (void)alarm(UNDER_SANITIZER ? 5 * seconds : seconds); /* as ctest's limits */
}

/* ---- checks ------------------------------------------------------------------------------------- */

void test_case(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(test.label, sizeof test.label, format, args);
  va_end(args);
}

bool test_expect(bool condition, const char *file, int line, const char *format, ...)
{
  if (condition) return true;
  if (test.failures++) return false;
  char text[TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(test.first, sizeof test.first, "%s:%d: %s%s%s%s", file, line, test.label[0] ? "[" : "", test.label,
           test.label[0] ? "] " : "", text);
  return false;
}

bool test_quiet(bool held)
{
  if (test.failures == 1) test.failures = test.first[0] = 0;
  return held;
}

bool test_expect_int(int64_t got, int64_t want, const char *what, const char *file, int line)
{
  return test_expect(got == want, file, line, "%s is %" PRId64 ", expected %" PRId64, what, got, want);
}

bool test_contains(const char *text, const char *parts)
{
  while (true) {
    const size_t length = strcspn(parts, "|");
    char part[DAP_ERROR_TEXT];
    snprintf(part, sizeof part, "%.*s", (int)length, parts);
    if (!strstr(text, part)) return false;
    if (!parts[length]) return true;
    parts += length + 1;
  }
}

bool test_expect_status(dap_status status, dap_status want, const char *parts, const dap_error *err,
                        const char *call, const char *file, int line)
{
  const char *text = status && err ? err->text : "";
  if (!test_expect(status == want, file, line, "%s gave %s \"%s\", expected %s", call,
                   dap_status_name(status), text, dap_status_name(want)))
    return false;
  return !want || !parts ||
         test_expect(test_contains(text, parts), file, line, "%s: the text \"%s\" lacks a part of \"%s\"",
                     call, text, parts);
}

bool test_expect_same_error(MPI_Comm comm, dap_status status, const dap_error *err, dap_status want,
                            const char *parts, const char *file, int line)
{
  dap_error root = status ? *err : (dap_error){.rank = 0};
  int first = (int)status, size = 0;
  MPI_Comm_size(comm, &size);
  MPI_Bcast(&first, 1, MPI_INT, 0, comm);
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, comm);

  if (!test_expect_status(status, want, parts, err, "the collective call", file, line) || !want) return !want;
  return test_expect((int)status == first && !strcmp(err->text, root.text), file, line,
                     "text \"%s\" differs from rank 0's \"%s\"", err->text, root.text) &&
         test_expect(err->rank == root.rank && err->rank >= 0 && err->rank < size, file, line,
                     "err->rank is %d, on rank 0 it is %d, of %d processes", err->rank, root.rank, size);
}

/* ---- settlement --------------------------------------------------------------------------------- */

/* Combines the verdicts, prints the first failures on rank 0, and forgets them. Returns whether there were
 * none. */
static bool settled(void)
{
  char *all = test.rank == 0 ? calloc((size_t)test.nprocs, TEXT) : NULL;
  int failed = test.failures > 0, failing = 0;
  MPI_Allreduce(&failed, &failing, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (failing) {
    MPI_Gather(test.first, TEXT, MPI_CHAR, all, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int rank = 0, shown = 0; all && rank < test.nprocs && shown < SHOWN; rank++) {
      const char *text = all + (size_t)rank * TEXT;
      if (text[0]) print_error("rank %d of %d: %s\n", rank, test.nprocs, text);
      shown += text[0] != 0;
    }
    if (failing > SHOWN) print_error("... and %d ranks more\n", failing - SHOWN);
  }
  free(all);
  test.failures = 0;
  test.first[0] = test.label[0] = 0;
  return failing == 0;
}

void test_settle(const char *file, int line)
{
  if (!settled()) _fail(file, line);
}

/* Finds the smallest arrays with which a case fails. */
static void shrink(int number, test_random random, void (*one)(int number, test_random *random))
{
  enum { LARGEST = 256 };
  for (test_most = 1; test_most <= LARGEST; test_most *= 2) {
    test_random again = random;
    one(number, &again);
    if (settled()) continue;
    print_error("The last failure is this case, drawn with test_most = %" PRId64 ".\n", test_most);
    break;
  }
  test_most = INT64_MAX;
}

void test_each(int count, uint64_t stream, void (*one)(int number, test_random *random))
{
  test_random random = test_random_init(stream);
  for (int i = 0; i < count; i++) {
    const test_random before = random;
    one(i, &random);
    if (settled()) continue;
    shrink(i, before, one);
    fail();
  }
}

void test_skip(const char *why)
{
  test.skipped = why;
  skip();
}

static int settle_rest(void **state)
{
  (void)state;
  watchdog(0, "the end");
  return settled() ? 0 : -1;
}

/* ---- main --------------------------------------------------------------------------------------- */

/* Silences every rank except 0. Sanitizers write to file descriptor 2 from several runtimes, so it stays open
 * for them. Only the stream that cmocka prints to is replaced. glibc allows an assignment to stderr. */
static void silence(void)
{
  if (test.rank == 0 || getenv("DAP_TEST_LOUD")) return;
  fflush(NULL);
  const int null = open("/dev/null", O_WRONLY);
  if (null < 0) return;
  dup2(null, STDOUT_FILENO);
#if UNDER_SANITIZER
  FILE *nothing = fdopen(null, "w");
  if (nothing) stderr = nothing;
#else
  dup2(null, STDERR_FILENO);
  close(null);
#endif
}

/* After a crash cmocka jumps out of the test, and the other ranks would wait for this one. So each test runs
 * with the signal handlers from before cmocka. A crash then ends the program, and mpiexec ends the job. */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS};
enum { CRASHES = sizeof crashes / sizeof crashes[0] };
static struct sigaction before_cmocka[CRASHES];

static void crash_freely(void **state)
{
  const struct CMUnitTest *inner = *state;
  void *inner_state = inner->initial_state;
  for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &before_cmocka[i], NULL);
  inner->test_func(&inner_state);
}

static struct CMUnitTest wrap(const struct CMUnitTest *test_given)
{
  struct CMUnitTest wrapped = *test_given;
  if (wrapped.setup_func || wrapped.teardown_func)
    return wrapped; /* these functions share the test's state */
  wrapped.test_func = crash_freely;
  wrapped.teardown_func = settle_rest;
  memcpy(&wrapped.initial_state, &test_given, sizeof test_given); /* const struct through a plain pointer */
  return wrapped;
}

/* DAP_TEST_NODES is the expected number of hosts, if it is set (tests/hosts). Ends the program if a host is
 * missing, or if the launcher put all processes on one host. */
static void expect_nodes(void)
{
  const char *text = getenv("DAP_TEST_NODES");
  const long hosts = text ? strtol(text, NULL, 10) : 0;
  const long want = hosts < test.nprocs ? hosts : test.nprocs;
  if (!text || test_nodes() == want) return;
  if (test.rank == 0)
    (void)fprintf(stderr, "%d processes of DAP_TEST_NODES=%s hosts are on %d\n", test.nprocs, text,
                  test_nodes());
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void mpi_test_start(int *argc, char ***argv)
{
  test_ignore_leaks(true);
  MPI_Init(argc, argv);
  test_ignore_leaks(false);
  MPI_Comm_rank(MPI_COMM_WORLD, &test.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &test.nprocs);
  find_nodes();
  if (test.rank == 0)
    printf("DAP_TEST_SEED=%" PRIu64 ", %d ranks on %d node%s\n", test_seed(), test.nprocs, test_nodes(),
           test_nodes() == 1 ? "" : "s");
  fflush(stdout);
  expect_nodes();
  silence();
  for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], NULL, &before_cmocka[i]);
}

/* Prints at the end what was not tried, and returns the code by which ctest counts the program as skipped.
 * MPI still runs, because a launcher ends all processes when one has ended with such a code. */
static int exit_code(int failed)
{
  int any[2] = {failed != 0, test.skipped != NULL};
  MPI_Allreduce(MPI_IN_PLACE, any, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (any[0] || !any[1]) return any[0];
  if (test.rank == 0) printf("not tried: %s\n", test.skipped ? test.skipped : "see above");
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  return SKIPPED;
}

int mpi_test_end(int failed)
{
  free(test.first_mate);
  const int code = exit_code(failed);
  test_ignore_leaks(true);
  MPI_Finalize();
  test_ignore_leaks(false);
  return code;
}

int mpi_test_group(const struct CMUnitTest *tests, size_t count)
{
  struct CMUnitTest *own = test_must(calloc(count + 1, sizeof *own));
  for (size_t i = 0; i < count; i++) own[i] = wrap(&tests[i]);
  const int failed = _cmocka_run_group_tests("tests", own, count, NULL, NULL);
  free(own);
  return failed;
}

int mpi_test_main(int *argc, char ***argv, const struct CMUnitTest *tests, size_t count)
{
  mpi_test_start(argc, argv);
  return mpi_test_end(mpi_test_group(tests, count));
}
