/* Creates POSIX shared memory that other processes of the machine can map. On Linux it has no name if
 * possible, so that a process that is killed at any moment leaves nothing behind. Other processes find it
 * among the open files of its maker, in /proc. If they cannot look there, the memory has a name for a while.
 * All users see names, so a name cannot be guessed, only the owner can open the memory, and its owner is
 * checked. */
#define _GNU_SOURCE /* O_TMPFILE; NOLINT(bugprone-reserved-identifier) */
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

/* Memory is reserved in pieces, because a signal makes the system start a piece anew. */
enum { PIECE = 1 << 24, TRIES = 100 /* of names */ };

/* strerror_r() returns a text in GNU's C library, and a number elsewhere. */
#ifdef __GLIBC__
static const char *describe(const char *text, const char *buffer)
{
  (void)buffer;
  return text;
}
#else
static const char *describe(int code, const char *buffer)
{
  return code ? "" : buffer;
}
#endif

static dap_status fail(const char *what, int code, int64_t bytes, dap_error *err)
{
  char buffer[128] = "";
  const char *reason = describe(strerror_r(code, buffer, sizeof buffer), buffer);
  if (!reason[0])
    return dap_fail(err, DAP_ERR_NOMEM, "shared memory of %" PRId64 " bytes: %s: error %d", bytes, what,
                    code);
  return dap_fail(err, DAP_ERR_NOMEM, "shared memory of %" PRId64 " bytes: %s: %s", bytes, what, reason);
}

/* A system that cannot reserve memory creates none, so there is none to find or open. */
#if _POSIX_SHARED_MEMORY_OBJECTS > 0 && _POSIX_ADVISORY_INFO > 0
static const bool has_pages = true;
#else
static const bool has_pages = false;
#define posix_fallocate(file, at, bytes) ((void)(file), (void)(at), (void)(bytes), ENOSYS)
#endif

static dap_status map(int file, int64_t bytes, char **at, dap_error *err)
{
  void *mapped = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return fail("mmap", errno, bytes, err);
  *at = mapped;
  return DAP_OK;
}

/* Opens a file without a name in the folder of the C library's shared memory. */
static int open_nameless(void)
{
#ifdef O_TMPFILE
  return open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
#else
  return -1;
#endif
}

/* Somebody may have taken a name, even on purpose. Then it tries another one. */
static int open_named(char name[DAP_PAGES_NAME])
{
  int file = -1;
  errno = EEXIST;
  for (int i = 0; i < TRIES && file < 0 && errno == EEXIST; i++) {
    (void)snprintf(name, DAP_PAGES_NAME, "/dap-%016" PRIx64, dap_process_draw());
    file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  }
  if (file < 0) name[0] = '\0';
  return file;
}

static void forget(char name[DAP_PAGES_NAME])
{
  if (name[0]) dap_pages_forget(name);
  name[0] = '\0';
}

static int create(char name[DAP_PAGES_NAME], bool keeps_name)
{
  const int nameless = keeps_name ? -1 : open_nameless();
  if (nameless >= 0) return nameless;
  const int file = open_named(name);
  const int code = errno;
  if (!keeps_name) forget(name);
  errno = code;
  return file;
}

dap_status dap_pages_create(char name[DAP_PAGES_NAME], bool keeps_name, int64_t bytes, char **at, int *file,
                            dap_error *err)
{
  *at = NULL;
  *file = -1;
  name[0] = '\0';
  if (!has_pages) return fail("shm_open", ENOSYS, bytes, err);
  DAP_REQUIRE((int64_t)(off_t)bytes == bytes && (uint64_t)bytes <= SIZE_MAX, err, DAP_ERR_NOMEM,
              "shared memory of %" PRId64 " bytes: more than this system has addresses for", bytes);
  *file = create(name, keeps_name);
  if (*file < 0) return fail("shm_open", errno, bytes, err);
  const dap_status s =
      ftruncate(*file, (off_t)bytes) ? fail("ftruncate", errno, bytes, err) : map(*file, bytes, at, err);
  if (s) forget(name);
  return s;
}

/* Writes the numbers that identify a file. */
static bool identify(int file, dap_pages_place *place)
{
  struct stat status;
  if (fstat(file, &status)) return false;
  place->device = (uint64_t)status.st_dev;
  place->number = (uint64_t)status.st_ino;
  return true;
}

static uint64_t find_space(void)
{
  struct stat status;
  return stat("/proc/self/ns/pid", &status) ? 0 : (uint64_t)status.st_ino;
}

/* Returns whether the process has ended, if the system tells: it was killed, and perhaps not waited for yet.
 * Then memory must not get a name, which would stay. */
static bool is_gone(const dap_pages_place *place)
{
  char path[64], text[512] = "";
  if (place->space == 0 || place->space != find_space()) return false;
  (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", place->process);
  FILE *file = fopen(path, "re");
  if (!file) return errno == ENOENT;
  const bool is_read = fgets(text, sizeof text, file) != NULL;
  (void)fclose(file);
  const char *state = strrchr(text, ')'); /* it comes behind the program's name: proc(5) */
  return !is_read || (state && (strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0));
}

void dap_pages_find(int file, dap_pages_place *place)
{
  *place = (dap_pages_place){.process = (int64_t)getpid(), .file = file, .space = find_space()};
  (void)identify(file, place); /* on error the numbers are 0, which no file has */
}

/* In another container the process's number may be that of another process, so the file is identified. */
dap_status dap_pages_open_at(const dap_pages_place *place, int64_t bytes, char **at, dap_error *err)
{
  char path[64];
  dap_pages_place found = {0};
  *at = NULL;
  (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%d", place->process, place->file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    const int code = errno;
    const dap_status s = fail("open", code, bytes, err);
    return code == EMFILE || code == ENFILE || code == ENOMEM || is_gone(place) ? s : DAP_ERR_UNSUPPORTED;
  }
  const bool is_it = identify(file, &found) && found.device == place->device && found.number == place->number;
  const dap_status s = is_it ? map(file, bytes, at, err) : fail("open", ENOENT, bytes, err);
  (void)close(file);
  return is_it ? s : DAP_ERR_UNSUPPORTED;
}

/* Returns ENOSPC if the file system counts its room and has too little. Without this check, a far too large
 * size would take all the room before it fails. */
static int check_room(int file, int64_t bytes)
{
  struct statvfs room;
  if (fstatvfs(file, &room) || room.f_blocks == 0 || room.f_frsize == 0) return 0;
  return (uint64_t)bytes / room.f_frsize > room.f_bavail ? ENOSPC : 0;
}

/* Takes pages, huge ones if the system has such for shared memory, and maps them at once. Otherwise each page
 * is mapped by an interrupt when it is first used. A system that cannot do this refuses. */
static void populate(char *at, int64_t bytes)
{
#ifdef MADV_HUGEPAGE
  (void)madvise(at, (size_t)bytes, MADV_HUGEPAGE);
#endif
#ifdef MADV_POPULATE_WRITE
  (void)madvise(at, (size_t)bytes, MADV_POPULATE_WRITE);
#endif
}

dap_status dap_pages_reserve(int file, char *mapped, int64_t bytes, dap_error *err)
{
  int code = check_room(file, bytes);
  if (!code) populate(mapped, bytes);
  for (int64_t at = 0, piece = 0; at < bytes && !code; at += piece) {
    piece = dap_smaller(PIECE, bytes - at);
    do code = posix_fallocate(file, (off_t)at, (off_t)piece);
    while (code == EINTR);
  }
  return code ? fail("posix_fallocate", code, bytes, err) : DAP_OK;
}

/* Refuses memory of somebody else, who may have the same name on another machine. */
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

void dap_pages_release(char *at, int64_t bytes)
{
  if (at) (void)munmap(at, (size_t)bytes);
}
