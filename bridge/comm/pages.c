/* Memory with a name, which other processes of the machine can map: POSIX shared memory. All users see names,
 * so none can be guessed, the memory is its owner's alone, and what is found under a name is looked at. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Reserved at a time: a signal makes the system start such a piece anew, and no more. */
enum { PIECE = 1 << 24, TRIES = 100 /* of names */ };

static dap_status fail(const char *what, int code, int64_t bytes, dap_error *err)
{
  char reason[128] = "";
  if (strerror_r(code, reason, sizeof reason) || !reason[0])
    return dap_fail(err, DAP_ERR_NOMEM, "shared memory of %" PRId64 " bytes: %s: error %d", bytes, what,
                    code);
  return dap_fail(err, DAP_ERR_NOMEM, "shared memory of %" PRId64 " bytes: %s: %s", bytes, what, reason);
}

#if _POSIX_SHARED_MEMORY_OBJECTS > 0 && _POSIX_ADVISORY_INFO > 0

static dap_status map(int file, int64_t bytes, char **at, dap_error *err)
{
  void *mapped = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return fail("mmap", errno, bytes, err);
  *at = mapped;
  return DAP_OK;
}

/* Another may have taken a name, if only to be in the way: then the next one is as good. */
static int create_file(char name[DAP_PAGES_NAME])
{
  int file = -1;
  errno = EEXIST;
  for (int i = 0; i < TRIES && file < 0 && errno == EEXIST; i++) {
    (void)snprintf(name, DAP_PAGES_NAME, "/dap-%016" PRIx64, dap_process_draw());
    file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  }
  return file;
}

/* Takes the name back on error. */
static dap_status fill_file(const char *name, int64_t bytes, char **at, int file, dap_error *err)
{
  const dap_status s =
      ftruncate(file, (off_t)bytes) ? fail("ftruncate", errno, bytes, err) : map(file, bytes, at, err);
  if (s) dap_pages_forget(name);
  return s;
}

dap_status dap_pages_create(char name[DAP_PAGES_NAME], int64_t bytes, char **at, int *file, dap_error *err)
{
  *at = NULL;
  name[0] = '\0';
  DAP_REQUIRE((int64_t)(off_t)bytes == bytes && (uint64_t)bytes <= SIZE_MAX, err, DAP_ERR_NOMEM,
              "shared memory of %" PRId64 " bytes: more than this system has addresses for", bytes);
  *file = create_file(name);
  const dap_status s =
      *file < 0 ? fail("shm_open", errno, bytes, err) : fill_file(name, bytes, at, *file, err);
  if (s) name[0] = '\0';
  return s;
}

/* Whether the file system has room, for one that counts it; so that a size far beyond does not take all
 * there is. */
static int check_room(int file, int64_t bytes)
{
  struct statvfs room;
  if (fstatvfs(file, &room) || room.f_blocks == 0 || room.f_frsize == 0) return 0;
  return (uint64_t)bytes / room.f_frsize > room.f_bavail ? ENOSPC : 0;
}

dap_status dap_pages_reserve(int file, int64_t bytes, dap_error *err)
{
  int code = check_room(file, bytes);
  for (int64_t at = 0, piece = 0; at < bytes && !code; at += piece) {
    piece = dap_smaller(PIECE, bytes - at);
    do code = posix_fallocate(file, (off_t)at, (off_t)piece);
    while (code == EINTR);
  }
  return code ? fail("posix_fallocate", code, bytes, err) : DAP_OK;
}

/* On a machine that is not the maker's, a name may be somebody else's. */
static dap_status check_owner(int file, int64_t bytes, dap_error *err)
{
  struct stat found;
  if (fstat(file, &found)) return fail("fstat", errno, bytes, err);
  const bool is_closed = (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  DAP_REQUIRE(found.st_uid == geteuid() && is_closed && found.st_size >= bytes, err, DAP_ERR_UNSUPPORTED,
              "shared memory of %" PRId64 " bytes: another's has its name", bytes);
  return DAP_OK;
}

dap_status dap_pages_open(const char *name, int64_t bytes, char **at, dap_error *err)
{
  *at = NULL;
  const int file = shm_open(name, O_RDWR, 0);
  if (file < 0) {
    const bool is_hidden = errno == ENOENT || errno == EACCES;
    const dap_status s = fail("shm_open", errno, bytes, err);
    return is_hidden ? DAP_ERR_UNSUPPORTED : s;
  }
  dap_status s = check_owner(file, bytes, err);
  if (!s) s = map(file, bytes, at, err);
  (void)close(file);
  return s;
}

void dap_pages_forget(const char *name)
{
  (void)shm_unlink(name);
}

void dap_pages_close(int file)
{
  if (file >= 0) (void)close(file);
}

#else

dap_status dap_pages_create(char name[DAP_PAGES_NAME], int64_t bytes, char **at, int *file, dap_error *err)
{
  name[0] = '\0';
  *at = NULL;
  *file = -1;
  return fail("shm_open", ENOSYS, bytes, err);
}

dap_status dap_pages_reserve(int file, int64_t bytes, dap_error *err)
{
  (void)file;
  return fail("posix_fallocate", ENOSYS, bytes, err);
}

dap_status dap_pages_open(const char *name, int64_t bytes, char **at, dap_error *err)
{
  (void)name;
  *at = NULL;
  return fail("shm_open", ENOSYS, bytes, err);
}

void dap_pages_close(int file)
{
  (void)file;
}

void dap_pages_forget(const char *name)
{
  (void)name;
}

#endif

void dap_pages_release(char *at, int64_t bytes)
{
  if (at) (void)munmap(at, (size_t)bytes);
}
