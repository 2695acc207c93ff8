/* Asks the system what this process holds. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): sysconf() */
#include "mpi_test.h"

#include <dirent.h>
#include <inttypes.h>
#include <unistd.h>

int64_t files_in(const char *folder)
{
  DIR *open = opendir(folder);
  int64_t count = open ? -2 : -1; /* . and .. */
  while (open && readdir(open)) count++;
  if (open) (void)closedir(open);
  return count;
}

int64_t open_files(void)
{
  return files_in("/proc/self/fd");
}

int64_t mapped_files(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int64_t count = 0;
  if (!maps) return -1;
  while (fgets(line, sizeof line, maps)) count += strstr(line, "/dev/shm") != NULL;
  (void)fclose(maps);
  return count;
}

int64_t process_bytes(bool in_memory)
{
  FILE *sizes = fopen("/proc/self/statm", "r");
  int64_t pages[2];
  if (!sizes) return -1;
  const bool is_read = fscanf(sizes, "%" SCNd64 "%" SCNd64, &pages[0], &pages[1]) == 2;
  (void)fclose(sizes);
  return is_read ? pages[in_memory] * sysconf(_SC_PAGESIZE) : -1;
}

bool test_same_files(int64_t before, int64_t now)
{
#ifdef MPICH_VERSION
  return now <= before;
#else
  return now == before;
#endif
}
