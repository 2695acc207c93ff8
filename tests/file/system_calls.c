#define _XOPEN_SOURCE 700 /* pread(); NOLINT(bugprone-reserved-identifier) */
#include "system_calls.h"

#include "mpi_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

int system_calls_made[SYSTEM_CALLS], system_calls_failing[SYSTEM_CALLS], system_calls_most,
    system_calls_error = EIO;

static bool fails(system_call call)
{
  errno = system_calls_error;
  return ++system_calls_made[call] == system_calls_failing[call];
}

void system_calls_refuse(int call, int number, int rank)
{
  memset(system_calls_made, 0, sizeof system_calls_made);
  memset(system_calls_failing, 0, sizeof system_calls_failing);
  if (test_rank() == rank) system_calls_failing[call] = number;
}

bool system_calls_met(int call, int number, int rank)
{
  int met = system_calls_made[call] >= number;
  MPI_Bcast(&met, 1, MPI_INT, rank, MPI_COMM_WORLD);
  memset(system_calls_failing, 0, sizeof system_calls_failing);
  return met;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): names that the linker requires */
int __real_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *found);
int __real_ftruncate(int fd, off_t length);
ssize_t __real_pread(int fd, void *data, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t at);
int __real_fsync(int fd);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_open(const char *path, int flags, ...);
int __wrap_stat(const char *path, struct stat *found);
int __wrap_ftruncate(int fd, off_t length);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return fails(CALL_OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_stat(const char *path, struct stat *found)
{
  return fails(CALL_STAT) ? -1 : __real_stat(path, found);
}

int __wrap_ftruncate(int fd, off_t length)
{
  return fails(CALL_TRUNCATE) ? -1 : __real_ftruncate(fd, length);
}

/* Returns whether this call is interrupted. Otherwise *bytes becomes the number of bytes that it moves. */
static bool is_interrupted(system_call call, size_t *bytes)
{
  if (!system_calls_most) return false;
  if (*bytes > (size_t)system_calls_most) *bytes = (size_t)system_calls_most;
  errno = EINTR;
  return system_calls_made[call] % 2 == 0;
}

ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t at)
{
  return fails(CALL_READ) || is_interrupted(CALL_READ, &bytes) ? -1 : __real_pread(fd, data, bytes, at);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t at)
{
  return fails(CALL_WRITE) || is_interrupted(CALL_WRITE, &bytes) ? -1 : __real_pwrite(fd, data, bytes, at);
}

int __wrap_fsync(int fd)
{
  return fails(CALL_SYNC) ? -1 : __real_fsync(fd);
}

int __wrap_close(int fd)
{
  const bool failed = fails(CALL_CLOSE);
  const int code = __real_close(fd);
  errno = EIO;
  return failed ? -1 : code;
}

int __wrap_rename(const char *from, const char *to)
{
  return fails(CALL_RENAME) ? -1 : __real_rename(from, to);
}
/* NOLINTEND(bugprone-reserved-identifier) */
