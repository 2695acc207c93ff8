#define _POSIX_C_SOURCE 200809L
#include "shared_memory.h"

#include "mpi_test.h"

#include "comm_impl.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
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

int count_names(void)
{
  char own[32];
  snprintf(own, sizeof own, "%016" PRIx64, dap_process_id());
  DIR *names = opendir("/dev/shm");
  if (!names) return -1;
  int count = 0;
  for (const struct dirent *entry = readdir(names); entry; entry = readdir(names))
    count += strstr(entry->d_name, own) != NULL;
  closedir(names);
  return count;
}

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
  while (fgets(line, sizeof line, maps)) count += strstr(line, "/dap-") != NULL;
  fclose(maps);
  return count - count_kept();
}
