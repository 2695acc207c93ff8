/* Creates POSIX shared memory that other processes of the machine can map. On Linux it has no name if
 * possible, so that a process that is killed at any moment leaves nothing behind: others find the memory
 * among the open files of its maker, in /proc. If they cannot look there, it has a name for a while. */
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

static dap_status fail(const char *what, int code, int64_t bytes, dap_error *err)
{
  return dap_fail(err, DAP_ERR_NOMEM, "shared memory of %" PRId64 " bytes: %s: %s", bytes, what,
                  strerror(code));
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

/* ---- made ---------------------------------------------------------------------------------------------- */

/* Opens a file without a name in the folder of the C library's shared memory. */
static int create_nameless(void)
{
#ifdef O_TMPFILE
  return open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
#else
  return -1;
#endif
}

/* All users see names. So a name cannot be guessed, and only its owner can open the memory. Somebody may have
 * taken a name, even on purpose. Then it tries another one. */
static int create_named(dap_pages_place *place)
{
  int file = -1;
  errno = EEXIST;
  for (int i = 0; i < TRIES && file < 0 && errno == EEXIST; i++) {
    (void)snprintf(place->name, sizeof place->name, "/dap-%016" PRIx64, dap_process_draw());
    file = shm_open(place->name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  }
  if (file < 0) place->name[0] = '\0';
  return file;
}

static int create(bool has_name, dap_pages_place *place)
{
  const int nameless = has_name ? -1 : create_nameless();
  if (nameless >= 0) return nameless;
  const int file = create_named(place);
  const int code = errno;
  if (!has_name) dap_pages_forget(place);
  errno = code;
  return file;
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

dap_status dap_pages_create(bool has_name, int64_t bytes, dap_pages_place *place, char **at, dap_error *err)
{
  *at = NULL;
  *place = (dap_pages_place){.bytes = bytes, .process = (int64_t)getpid(), .file = -1, .space = find_space()};
  if (!has_pages) return fail("shm_open", ENOSYS, bytes, err);
  DAP_REQUIRE((int64_t)(off_t)bytes == bytes && (uint64_t)bytes <= SIZE_MAX, err, DAP_ERR_NOMEM,
              "shared memory of %" PRId64 " bytes: more than this system has addresses for", bytes);
  const int file = place->file = create(has_name, place);
  if (file < 0) return fail("shm_open", errno, bytes, err);
  (void)identify(file, place);
  const dap_status s =
      ftruncate(file, (off_t)bytes) ? fail("ftruncate", errno, bytes, err) : map(file, bytes, at, err);
  if (s) dap_pages_forget(place);
  return s;
}

void dap_pages_forget(dap_pages_place *place)
{
  if (place->name[0]) (void)shm_unlink(place->name);
  place->name[0] = '\0';
}

/* ---- opened -------------------------------------------------------------------------------------------- */

/* Returns whether the process has ended, if the system tells: it was killed, and perhaps not waited for yet.
 * Then memory must not get a name, which would stay. */
static bool is_gone(const dap_pages_place *place)
{
  int64_t parent;
  if (place->space == 0 || place->space != find_space()) return false;
  const char state = dap_process_state(place->process, &parent);
  return state == '\0' || state == 'Z' || state == 'X';
}

/* In another container the process's number may be that of another process, so the file is identified. */
static dap_status open_nameless(const dap_pages_place *place, char **at, dap_error *err)
{
  char path[64];
  dap_pages_place found = {0};
  (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%d", place->process, place->file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    const int code = errno;
    const dap_status s = fail("open", code, place->bytes, err);
    return code == EMFILE || code == ENFILE || code == ENOMEM || is_gone(place) ? s : DAP_ERR_UNSUPPORTED;
  }
  const bool is_it = identify(file, &found) && found.device == place->device && found.number == place->number;
  const dap_status s = is_it ? map(file, place->bytes, at, err) : fail("open", ENOENT, place->bytes, err);
  (void)close(file);
  return is_it ? s : DAP_ERR_UNSUPPORTED;
}

/* Refuses memory of another user, who may have the same name on another machine. */
static dap_status check_owner(int file, int64_t bytes, dap_error *err)
{
  struct stat found;
  if (fstat(file, &found)) return fail("fstat", errno, bytes, err);
  const bool is_closed = (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  DAP_REQUIRE(found.st_uid == geteuid() && is_closed && found.st_size >= bytes, err, DAP_ERR_UNSUPPORTED,
              "shared memory of %" PRId64 " bytes: another's has its name", bytes);
  return DAP_OK;
}

static dap_status open_named(const dap_pages_place *place, char **at, dap_error *err)
{
  const int file = shm_open(place->name, O_RDWR, 0);
  if (file < 0) {
    const bool is_hidden = errno == ENOENT || errno == EACCES;
    const dap_status s = fail("shm_open", errno, place->bytes, err);
    return is_hidden ? DAP_ERR_UNSUPPORTED : s;
  }
  dap_status s = check_owner(file, place->bytes, err);
  if (!s) s = map(file, place->bytes, at, err);
  (void)close(file);
  return s;
}

dap_status dap_pages_open(const dap_pages_place *place, char **at, dap_error *err)
{
  *at = NULL;
  return place->name[0] ? open_named(place, at, err) : open_nameless(place, at, err);
}

/* ---- used ---------------------------------------------------------------------------------------------- */

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

dap_status dap_pages_reserve(const dap_pages_place *place, char *mapped, dap_error *err)
{
  const int64_t bytes = place->bytes;
  int code = check_room(place->file, bytes);
  if (!code) populate(mapped, bytes);
  for (int64_t at = 0, piece = 0; at < bytes && !code; at += piece) {
    piece = dap_smaller(PIECE, bytes - at);
    do code = posix_fallocate(place->file, (off_t)at, (off_t)piece);
    while (code == EINTR);
  }
  return code ? fail("posix_fallocate", code, bytes, err) : DAP_OK;
}

void dap_pages_release(char *at, int64_t bytes)
{
  if (at) (void)munmap(at, (size_t)bytes);
}
