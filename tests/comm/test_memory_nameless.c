/* Memory that the processes of a node share, as it usually is: a file without a name, which others open among
 * the open files of its maker. Another user of the machine cannot, at no time from when it is there. */
#define _GNU_SOURCE /* O_TMPFILE, setgroups(); NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"
#include "mpi_test.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, BYTES = 5000 };

static struct {
  int files;   /* without a name, that the library has made */
  int tries;   /* of another user to open one */
  int opened;  /* what it could open: 1 to read, 2 to write */
  int owns[2]; /* the same of this user */
} seen;

/* What a process can open, as another user if that is to be had: 1 to read, 2 to write; -1: it is not to be
 * had. */
static int open_in_child(const char *path, bool as_nobody)
{
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    if (as_nobody && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))) _exit(255);
    const int can_read = open(path, O_RDONLY | O_CLOEXEC), can_write = open(path, O_RDWR | O_CLOEXEC);
    _exit((can_read >= 0) + 2 * (can_write >= 0));
  }
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static void look_at(int file)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
  EXPECT(!fstat(file, &status));
  EXPECT_INT(status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO), S_IRUSR | S_IWUSR);
  EXPECT_INT(status.st_nlink, 0);
  EXPECT_INT(status.st_uid, geteuid());
  const int opened = open_in_child(path, true), owns = open_in_child(path, false);
  seen.files++;
  seen.tries += opened >= 0;
  seen.opened |= opened > 0 ? opened : 0;
  seen.owns[0] += owns & 1;
  seen.owns[1] += owns >> 1 & 1;
}

/* The names are the linker's, see -Wl,--wrap. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);

int __wrap_open(const char *path, int flags, mode_t mode)
{
  const int file = __real_open(path, flags, mode);
  if (file >= 0 && (flags & O_TMPFILE) == O_TMPFILE) look_at(file);
  return file;
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* The mask is not what keeps them out. */
static void only_the_owner_opens_it(void **state)
{
  (void)state;
  enum { MEMORIES = 4 };
  dap_node node;
  dap_memory memory;
  dap_error err = {0};
  if (geteuid() != 0) test_skip("only root can become a second user");
  EXPECT_OK(dap_node_create(MPI_COMM_WORLD, &node, NULL), NULL);
  const mode_t before = umask(0);
  for (int i = 0; i < MEMORIES; i++) {
    EXPECT_OK(dap_memory_create(&node, BYTES, &memory, &err), &err);
    EXPECT_MSG(memory.size == node.size, "no shared memory: %s", err.text);
    dap_memory_release(&memory);
  }
  (void)umask(before);
  EXPECT_MSG(seen.opened == 0, "another user opens it: %d", seen.opened);
  EXPECT_INT(seen.files, MEMORIES);
  EXPECT_INT(seen.owns[0], seen.files); /* so it is the right file that is tried */
  EXPECT_INT(seen.owns[1], seen.files);
  dap_node_release(&node);
  SETTLE();
  if (seen.tries == 0) test_skip("nobody cannot be had here");
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_owner_opens_it)};

MPI_TEST_MAIN(tests)
