#define _POSIX_C_SOURCE 200809L
#include "allocations.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

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
#define REFUSABLE(name, declared, given)                                                                     \
  __typeof__(name) __real_##name, __wrap_##name;                                                             \
  void *__wrap_##name declared                                                                               \
  {                                                                                                          \
    return is_refused() ? NULL : taken(__real_##name given);                                                 \
  }
REFUSABLE(malloc, (size_t size), (size))
REFUSABLE(calloc, (size_t items, size_t size), (items, size))
REFUSABLE(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

__typeof__(realloc) __real_realloc, __wrap_realloc;
void *__wrap_realloc(void *memory, size_t size)
{
  if (is_refused()) return NULL;
  const int64_t before = size_of(memory);
  void *const after = taken(__real_realloc(memory, size)); /* both may be held for a while */
  if (after) atomic_fetch_sub(&held, before);
  return after;
}

__typeof__(free) __real_free, __wrap_free;
void __wrap_free(void *memory)
{
  atomic_fetch_sub(&held, size_of(memory));
  __real_free(memory);
}
/* NOLINTEND(bugprone-reserved-identifier) */
