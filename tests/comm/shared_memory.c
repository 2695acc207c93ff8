/* Private: contexts keep memory that no public function tells of. */
#define _POSIX_C_SOURCE 200809L
#include "shared_memory.h"

#include "mpi_test.h"

#include "comm_impl.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- limits ---------------------------------------------------------------------------------------- */

static struct {
  int resource;
  struct rlimit before;
} limited;

void limit_start(test_limit limit)
{
  const int lowest = lowest_file(); /* what is open below it stays of use, to MPI too */
  limited.resource = limit == LIMIT_SIZE ? RLIMIT_FSIZE : RLIMIT_NOFILE;
  struct rlimit now;
  (void)signal(SIGXFSZ, SIG_IGN);
  EXPECT(!getrlimit(limited.resource, &limited.before));
  now = limited.before;
  now.rlim_cur = limit == LIMIT_SIZE ? LIMIT_BYTES : (rlim_t)lowest;
  EXPECT(!setrlimit(limited.resource, &now));
}

void limit_end(void)
{
  EXPECT(!setrlimit(limited.resource, &limited.before));
}

int lowest_file(void)
{
  const int file = open("/dev/null", O_RDONLY);
  EXPECT(file >= 0 && !close(file));
  return file;
}

/* ---- the system's lists ------------------------------------------------------------------------------ */

#ifdef __APPLE__ /* whose linker has no --wrap */

int count_names(void)
{
  return -1;
}

#else

/* Names that this process has given and that may still be there. */
static char names[1024][32];
static int name_count;

/* The names are the linker's, see -Wl,--wrap. NOLINTBEGIN(bugprone-reserved-identifier) */
int __real_shm_open(const char *name, int flags, mode_t mode);
int __wrap_shm_open(const char *name, int flags, mode_t mode);

int __wrap_shm_open(const char *name, int flags, mode_t mode)
{
  const int file = __real_shm_open(name, flags, mode);
  if (file < 0 || !(flags & O_CREAT)) return file;
  if (name_count == 1024) (void)count_names();
  if (EXPECT(name_count < 1024)) snprintf(names[name_count++], sizeof names[0], "%s", name);
  return file;
}

/* Forgets those that are gone. */
int count_names(void)
{
  int count = 0;
  for (int i = 0; i < name_count; i++) {
    const int file = __real_shm_open(names[i], O_RDONLY, 0);
    if (file < 0) continue;
    EXPECT(!close(file));
    memmove(names[count++], names[i], sizeof names[0]);
  }
  name_count = count;
  return count;
}
/* NOLINTEND(bugprone-reserved-identifier) */

#endif

/* What contexts keep as long as there are the communicators. */
static int count_kept(void)
{
  int count = 0;
  const dap_self *self = dap_self_lock(false);
  for (const dap_context *c = self ? self->contexts : NULL; c; c = c->next)
    for (int i = 0; i < c->pool.segment_count; i++) count += c->pool.segments[i].size;
  dap_self_unlock();
  return count;
}

int count_mappings(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  if (!maps) return -1;
  char line[1024];
  int count = 0;
  while (fgets(line, sizeof line, maps)) /* without a name, or with one */
    count += strstr(line, "/dev/shm/#") || strstr(line, "/dap-");
  fclose(maps);
  return count - count_kept();
}
