/* Tests memory without a name after its process was killed. Private: no process can be killed between these
 * steps of a public call. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): kill(), waitid() */
#include "comm_impl.h"
#include "mpi_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 5000 };

/* Starts a child that makes memory without a name and waits to be killed. Returns 0 if the system has no
 * such memory. */
static pid_t start_maker(dap_pages_place *place)
{
  int ends[2];
  fflush(NULL);
  if (!EXPECT(!pipe(ends))) return 0;
  const pid_t child = fork();
  if (child == 0) {
    char *at;
    dap_pages_place own;
    dap_error err = {0};
    if (dap_pages_create(false, BYTES, &own, &at, &err)) own.process = 0;
    if (write(ends[1], &own, sizeof own) != (ssize_t)sizeof own) _exit(1);
    for (;;) (void)pause();
  }
  EXPECT(child > 0 && read(ends[0], place, sizeof *place) == (ssize_t)sizeof *place);
  EXPECT(!close(ends[0]) && !close(ends[1]));
  return child;
}

static dap_status open_place(const dap_pages_place *place)
{
  char *at = NULL;
  dap_error err = {0};
  const dap_status s = dap_pages_open(place, &at, &err);
  dap_pages_release(at, BYTES);
  return s;
}

/* After DAP_ERR_UNSUPPORTED the others would make memory with names, which would remain if MPI ended them. */
static void killed_process_gets_no_name(void **state)
{
  (void)state;
  dap_pages_place place = {0};
  int status = 0;
  const pid_t child = start_maker(&place);
  if (place.process == 0 || place.space == 0) {
    print_message("there is no /proc, or no memory without a name: not tried\n");
  } else {
    dap_pages_place closed = place, elsewhere = place;
    siginfo_t ended;
    closed.file = 1000;
    elsewhere.space++;
    TEST_CASE("the process is there");
    EXPECT_INT(open_place(&place), DAP_OK);
    EXPECT_INT(open_place(&closed), DAP_ERR_UNSUPPORTED);
    TEST_CASE("it has been killed, and nobody has asked for its status");
    EXPECT(!kill(child, SIGKILL) && !waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT));
    EXPECT_INT(open_place(&place), DAP_ERR_NOMEM);
    EXPECT_INT(open_place(&elsewhere), DAP_ERR_UNSUPPORTED);
    TEST_CASE("and somebody has");
    EXPECT_INT(waitpid(child, &status, 0), child);
    EXPECT_INT(open_place(&place), DAP_ERR_NOMEM);
    EXPECT_INT(open_place(&elsewhere), DAP_ERR_UNSUPPORTED);
  }
  if (child > 0 && (place.process == 0 || place.space == 0))
    EXPECT(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(killed_process_gets_no_name)};
MPI_TEST_MAIN(tests)
