#define _POSIX_C_SOURCE 200809L
#include "allocations.h"
#include "sanitizer.h"

#include <dirent.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- counted -------------------------------------------------------------------------------------- */

static _Atomic int64_t count, refused, held, peak;

void allocations_start(int64_t number)
{
  atomic_store(&refused, number);
  atomic_store(&count, 0);
  atomic_store(&held, 0);
  atomic_store(&peak, 0);
}

void allocations_refuse(int64_t number)
{
  atomic_store(&refused, number > 0 ? atomic_load(&count) + number : 0);
}

int64_t allocations_held(void)
{
  return atomic_load(&held);
}

int64_t allocations_peak(void)
{
  return atomic_load(&peak);
}

static int64_t size_of(void *memory)
{
  return memory ? (int64_t)malloc_usable_size(memory) : 0;
}

static void *taken(void *memory)
{
  const int64_t now = atomic_fetch_add(&held, size_of(memory)) + size_of(memory);
  int64_t most = atomic_load(&peak);
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
  }
  return memory;
}

int64_t allocations_count(void)
{
  return atomic_load(&count);
}

static bool is_refused(void)
{
  return atomic_fetch_add(&count, 1) + 1 == atomic_load(&refused);
}

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t items, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
  return is_refused() ? NULL : taken(__real_malloc(size));
}

void *__wrap_calloc(size_t items, size_t size)
{
  return is_refused() ? NULL : taken(__real_calloc(items, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
  if (is_refused()) return NULL;
  const int64_t before = size_of(memory);
  void *const after = taken(__real_realloc(memory, size)); /* both may be held for a while */
  if (after) atomic_fetch_sub(&held, before);
  return after;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return is_refused() ? NULL : taken(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
  atomic_fetch_sub(&held, size_of(memory));
  __real_free(memory);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- asked of the system --------------------------------------------------------------------------- */

int64_t open_files(void)
{
  DIR *files = opendir("/proc/self/fd");
  int64_t number = 0;
  if (!files) return -1;
  while (readdir(files)) number++;
  (void)closedir(files);
  return number;
}

int64_t mapped_files(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  int64_t number = 0;
  if (!maps) return -1;
  while (fgets(line, sizeof line, maps)) number += strstr(line, "/dev/shm") != NULL;
  (void)fclose(maps);
  return number;
}

int64_t resident_bytes(void)
{
  FILE *sizes = fopen("/proc/self/statm", "r");
  int64_t pages = -1;
  if (!sizes) return -1;
  if (fscanf(sizes, "%*s %" SCNd64, &pages) != 1) pages = -1;
  (void)fclose(sizes);
  return UNDER_SANITIZER || pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}
