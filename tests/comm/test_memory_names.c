/* Tests shared memory while it is made. It has no name, or, if the system requires one, a file name that
 * all users of the machine can see.
 *
 * No other user may open it, guess the next name, block it, or replace it. Private: memory is made without
 * an array, and its names are inspected. */
#define _GNU_SOURCE /* O_TMPFILE, setgroups(); NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"
#include "mpi_test.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, NAME = 64, KEPT = 256, BYTES = 5000 };

/* ---- the system, as the library sees it ---------------------------------------------------------------- */

/* Objects that another user has put where the library looks for memory. */
typedef struct stranger {
  const char *why;
  mode_t mode;
  off_t bytes;
  bool needs_root;
} stranger;

static struct {
  int squats;              /* number of names that are taken before the library gets them */
  void (*made)(int index); /* called when names[index] exists; NULL: not called */
  const stranger *found;   /* object that replaces the memory of other processes; NULL: none */
  char names[KEPT][NAME];  /* names that the library made on this process */
  int count;
  char taken[KEPT][NAME]; /* names that the squatter took */
  int taken_count;
  int reserved;  /* pieces of memory */
  bool nameless; /* whether the system allows files without a name */
  int files;     /* number of files without a name that the library made */
} system_now;

/* The linker requires these names, see -Wl,--wrap. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_shm_open(const char *name, int flags, mode_t mode);
int __wrap_shm_open(const char *name, int flags, mode_t mode);
int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __real_posix_fallocate(int file, off_t at, off_t bytes);
int __wrap_posix_fallocate(int file, off_t at, off_t bytes);

static int strangers; /* attempts of strangers */

static void take_name(const char *name)
{
  const int file = __real_shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (!EXPECT(file >= 0) || !EXPECT(system_now.taken_count < KEPT)) return;
  snprintf(system_now.taken[system_now.taken_count++], NAME, "%s", name);
  EXPECT(!close(file));
}

static int open_stranger(const stranger *s)
{
  char name[NAME];
  snprintf(name, sizeof name, "/test-%016" PRIx64, dap_process_draw());
  const int file = __real_shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  EXPECT(file >= 0 && !shm_unlink(name) && !fchmod(file, s->mode) && !ftruncate(file, s->bytes));
  if (s->needs_root) EXPECT(!fchown(file, NOBODY, NOBODY));
  return file;
}

int __wrap_shm_open(const char *name, int flags, mode_t mode)
{
  if (!(flags & O_CREAT)) {
    const int there = __real_shm_open(name, flags, mode); /* the maker's file */
    if (!system_now.found || there < 0) return there;
    EXPECT(!close(there));
    return open_stranger(system_now.found);
  }
  if (system_now.squats > 0) {
    system_now.squats--;
    take_name(name);
  }
  const int file = __real_shm_open(name, flags, mode);
  if (file < 0 || !EXPECT(system_now.count < KEPT)) return file;
  snprintf(system_now.names[system_now.count++], NAME, "%s", name);
  if (system_now.made) system_now.made(system_now.count - 1);
  errno = 0;
  return file;
}

static int open_as(bool as_nobody, const char *path, int (*open_it)(const char *, int, mode_t));

/* Checks an open file without a name: another user cannot open it through the maker's open files. This
 * user can, which shows that the right file is tried. */
static void look_at(int file)
{
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
  EXPECT(!fstat(file, &status));
  EXPECT_INT(status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO), S_IRUSR | S_IWUSR);
  EXPECT_INT(status.st_nlink, 0);
  EXPECT_INT(status.st_uid, geteuid());
  system_now.files++;
  const int opened = open_as(true, path, __real_open);
  EXPECT_MSG(opened <= 0, "another user opens it: %d", opened);
  strangers += opened >= 0;
  EXPECT_INT(open_as(false, path, __real_open), 3);
}

/* Pretends a system on which memory needs a name: files without one fail, and /proc does not show files of
 * others. */
int __wrap_open(const char *path, int flags, mode_t mode)
{
  if (system_now.nameless) {
    const int file = __real_open(path, flags, mode);
    if (file >= 0 && (flags & O_TMPFILE) == O_TMPFILE) look_at(file);
    return file;
  }
  const bool is_memory = !strcmp(path, "/dev/shm"), is_others = !strncmp(path, "/proc/", 6);
  if (!is_memory && !is_others) return __real_open(path, flags, mode);
  errno = is_memory ? EOPNOTSUPP : EACCES;
  return -1;
}

static bool is_there(const char *name)
{
  const int file = __real_shm_open(name, O_RDONLY, 0);
  if (file >= 0) EXPECT(!close(file));
  return file >= 0;
}

/* Checks that the name is gone when memory is reserved, so that nothing can be left behind. */
int __wrap_posix_fallocate(int file, off_t at, off_t bytes)
{
  system_now.reserved++;
  for (int i = 0; i < system_now.count; i++)
    EXPECT_MSG(!is_there(system_now.names[i]), "%s is still there when it is used", system_now.names[i]);
  return __real_posix_fallocate(file, at, bytes);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void start(dap_node *node)
{
  memset(&system_now, 0, sizeof system_now);
  EXPECT_OK(dap_node_create(MPI_COMM_WORLD, node, NULL), NULL);
}

static void end(dap_node *node)
{
  dap_node_release(node);
  for (int i = 0; i < system_now.taken_count; i++) EXPECT(!shm_unlink(system_now.taken[i]));
  memset(&system_now, 0, sizeof system_now);
  SETTLE();
}

/* Makes memory. Returns whether it could be made. Another test checks its contents. */
static bool try_memory(const dap_node *node, dap_error *err, bool *never)
{
  dap_memory memory;
  *never = false;
  if (!EXPECT_OK(dap_memory_create(node, BYTES, &memory, err), err)) return false;
  const bool is_had = memory.size == node->size;
  *never = memory.never;
  if (is_had) memory.parts[node->rank][BYTES - 1] = 1;
  dap_memory_release(&memory);
  return is_had;
}

/* ---- names --------------------------------------------------------------------------------------------- */

static uint64_t digits_of(const char *name)
{
  uint64_t digits = 0;
  EXPECT_MSG(sscanf(name, "/dap-%16" SCNx64, &digits) == 1 && strlen(name) == 21, "the name %s", name);
  return digits;
}

/* Checks that neither half of a name equals the same half of the other, or is next to it. By chance this
 * fails once in 10^8 runs. */
static void compare_names(uint64_t a, uint64_t b)
{
  const int64_t halves[] = {(int64_t)(a >> 32) - (int64_t)(b >> 32),
                            (int64_t)(a & UINT32_MAX) - (int64_t)(b & UINT32_MAX)};
  for (int i = 0; i < 2; i++)
    EXPECT_MSG(halves[i] != 0 && halves[i] != 1 && halves[i] != -1,
               "%016" PRIx64 " can be guessed by %016" PRIx64, b, a);
}

/* Returns the number of names for one memory: its own, and one before it, removed at once, if there are
 * other processes. */
static int names_each(void)
{
  return test_nprocs() > 1 ? 2 : 1;
}

static void names_cannot_be_guessed(void **state)
{
  (void)state;
  enum { MEMORIES = 4 };
  dap_node node;
  dap_error err = {0};
  bool never;
  uint64_t own[MEMORIES], all[MEMORIES * 64];
  start(&node);
  for (int i = 0; i < MEMORIES; i++) EXPECT(try_memory(&node, &err, &never));
  if (EXPECT_INT(system_now.count, MEMORIES * names_each()) && EXPECT(system_now.reserved >= MEMORIES))
    for (int i = 0; i < MEMORIES; i++) own[i] = digits_of(system_now.names[names_each() * (i + 1) - 1]);
  else
    memset(own, 0, sizeof own);
  MPI_Allgather(own, MEMORIES, MPI_UINT64_T, all, MEMORIES, MPI_UINT64_T, MPI_COMM_WORLD);
  for (int a = 0; a < MEMORIES * test_nprocs(); a++)
    for (int b = 0; b < a; b++) compare_names(all[a], all[b]);
  for (int i = 0; i < system_now.count; i++) EXPECT(!is_there(system_now.names[i]));
  end(&node);
}

/* If another user takes names before the library does, the library must take other names, and not do
 * without shared memory. */
static void a_taken_name_is_passed_over(void **state)
{
  (void)state;
  dap_node node;
  dap_error err = {0};
  bool never;
  start(&node);
  for (int culprit = 0; culprit <= test_nprocs(); culprit++) {
    TEST_CASE("the first names of rank %d are taken, or of all", culprit);
    system_now.squats = culprit == test_rank() || culprit == test_nprocs() ? 20 : 0;
    EXPECT_MSG(try_memory(&node, &err, &never), "no shared memory: %s", err.text);
    EXPECT_INT(system_now.squats, 0);
  }
  TEST_CASE("all names of rank 0 are taken");
  system_now.squats = test_rank() == 0 ? KEPT / 2 : 0;
  EXPECT(!try_memory(&node, &err, &never) && !never);
  EXPECT_MSG(test_contains(err.text, "rank 0|shm_open|exists"), "%s", err.text);
  end(&node);
}

/* ---- another user -------------------------------------------------------------------------------------- */

/* Returns how a process can open a file, as another user if possible: 1 to read, 2 to write. Returns -1 if
 * it cannot become another user. */
static int open_as(bool as_nobody, const char *path, int (*open_it)(const char *, int, mode_t))
{
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    if (as_nobody && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))) _exit(255);
    const int can_read = open_it(path, O_RDONLY, 0), can_write = open_it(path, O_RDWR, 0);
    _exit((can_read >= 0) + 2 * (can_write >= 0));
  }
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static void let_a_stranger_try(int index)
{
  /* NOLINTNEXTLINE(bugprone-reserved-identifier) */
  const int opened = open_as(true, system_now.names[index], __real_shm_open);
  EXPECT_MSG(opened <= 0, "another user opens %s: %d", system_now.names[index], opened);
  strangers += opened >= 0;
}

/* Makes memory with a mask that excludes nobody. Other users must still be kept out. */
static void make_with_strangers(bool nameless)
{
  enum { MEMORIES = 4 };
  dap_node node;
  dap_error err = {0};
  bool never;
  if (geteuid() != 0) test_skip("only root can become a second user");
  start(&node);
  system_now.made = let_a_stranger_try;
  system_now.nameless = nameless;
  strangers = 0;
  const mode_t before = umask(0);
  for (int i = 0; i < MEMORIES; i++) EXPECT_MSG(try_memory(&node, &err, &never), "%s", err.text);
  (void)umask(before);
  EXPECT_INT(system_now.count, nameless ? 0 : MEMORIES * names_each());
  EXPECT_INT(system_now.files, nameless ? MEMORIES : 0);
  end(&node);
  if (strangers == 0) test_skip("nobody cannot be had here");
}

static void only_the_owner_opens_a_name(void **state)
{
  (void)state;
  make_with_strangers(false);
}

static void only_the_owner_opens_nameless_memory(void **state)
{
  (void)state;
#ifdef __linux__
  make_with_strangers(true);
#endif
}

/* ---- another file of the name ------------------------------------------------------------------------- */

static const stranger found[] = {
    {"as it should be", 0600, BYTES, false},      {"longer", 0600, 2 * BYTES, false},
    {"too short", 0600, BYTES - 1, false},        {"everybody may read it", 0604, BYTES, false},
    {"a group may write it", 0620, BYTES, false}, {"another user's", 0600, BYTES, true},
};

static void opened_memory_is_checked(void **state)
{
  (void)state;
  dap_node node;
  start(&node);
  for (int i = 0; i < (int)(sizeof found / sizeof found[0]) && node.size > 1; i++) {
    dap_error err = {0};
    bool never;
    if (found[i].needs_root && geteuid() != 0) continue;
    TEST_CASE("%s", found[i].why);
    system_now.found = test_rank() == 0 ? &found[i] : NULL;
    EXPECT_INT(try_memory(&node, &err, &never), i < 2);
    EXPECT_INT(never, i >= 2);
    if (i >= 2) EXPECT_MSG(test_contains(err.text, "rank 0|5000 bytes|another's"), "%s", err.text);
  }
  end(&node);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_cannot_be_guessed),     cmocka_unit_test(a_taken_name_is_passed_over),
    cmocka_unit_test(only_the_owner_opens_a_name), cmocka_unit_test(only_the_owner_opens_nameless_memory),
    cmocka_unit_test(opened_memory_is_checked),
};

MPI_TEST_MAIN(tests)
