#include "memory.h"

#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Returns the number of a line "key: <number> kB", in bytes, or -1 if there is none. */
static int64_t read_key(const char *path, const char *key)
{
  int64_t found = -1;
  char line[256];
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  while (found < 0 && fgets(line, sizeof line, file)) {
    long long number;
    const size_t length = strlen(key);
    if (strncmp(line, key, length) == 0 && line[length] == ':' &&
        sscanf(line + length + 1, "%lld", &number) == 1)
      found = number * 1024;
  }
  fclose(file);
  return found;
}

static const char status[] = "/proc/self/status";
static const char rollup[] = "/proc/self/smaps_rollup";

bench_memory bench_memory_begin(void)
{
#ifdef __GLIBC__
  malloc_trim(0); /* otherwise freed memory would be used again, uncounted */
#endif
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file) {
    fputs("5", file); /* resets VmHWM to VmRSS */
    fclose(file);
  }
  return (bench_memory){.resident = file ? read_key(status, "VmRSS") : -1,
                        .shared = read_key(status, "RssShmem"),
                        .share = read_key(rollup, "Pss_Shmem")};
}

int64_t bench_memory_end(const bench_memory *begun)
{
  const int64_t peak = read_key(status, "VmHWM"), shared = read_key(status, "RssShmem");
  const int64_t share = read_key(rollup, "Pss_Shmem");
  if (begun->resident < 0 || begun->share < 0 || peak < 0 || shared < 0 || share < 0) return -1;
  const int64_t extra = peak - begun->resident - (shared - begun->shared) + (share - begun->share);
  return extra > 0 ? extra : 0;
}
