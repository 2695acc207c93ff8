/* Defines the functions that compilers call with -fsanitize=thread before each access to memory. Their
 * names and arguments are those of the sanitizer's library, in which gcc and clang agree, but here they are
 * the checker of weak.h. If a compiler calls another function, it is missing when the test is linked. */
#include "weak.h"

#include <stdatomic.h>
#include <string.h>

/* NOLINTBEGIN(bugprone-reserved-identifier) */

void weak_read(const void *at, size_t bytes)
{
  if (weak_process() >= 0) weak_plain(weak_process(), at, bytes, false);
}

void weak_write(void *at, size_t bytes)
{
  if (weak_process() >= 0) weak_plain(weak_process(), at, bytes, true);
}

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
  (void)caller;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define PLAIN(name, size)                                                                                    \
  void __tsan_read##name(void *at);                                                                          \
  void __tsan_read##name(void *at)                                                                           \
  {                                                                                                          \
    weak_read(at, size);                                                                                     \
  }                                                                                                          \
  void __tsan_write##name(void *at);                                                                         \
  void __tsan_write##name(void *at)                                                                          \
  {                                                                                                          \
    weak_write(at, size);                                                                                    \
  }                                                                                                          \
  void __tsan_read_write##name(void *at);                                                                    \
  void __tsan_read_write##name(void *at)                                                                     \
  {                                                                                                          \
    weak_read(at, size);                                                                                     \
    weak_write(at, size);                                                                                    \
  }                                                                                                          \
  void __tsan_unaligned_read##name(void *at);                                                                \
  void __tsan_unaligned_read##name(void *at)                                                                 \
  {                                                                                                          \
    weak_read(at, size);                                                                                     \
  }                                                                                                          \
  void __tsan_unaligned_write##name(void *at);                                                               \
  void __tsan_unaligned_write##name(void *at)                                                                \
  {                                                                                                          \
    weak_write(at, size);                                                                                    \
  }
PLAIN(1, 1)
PLAIN(2, 2)
PLAIN(4, 4)
PLAIN(8, 8)
PLAIN(16, 16)

void __tsan_read_range(void *at, size_t bytes);
void __tsan_read_range(void *at, size_t bytes)
{
  weak_read(at, bytes);
}
void __tsan_write_range(void *at, size_t bytes);
void __tsan_write_range(void *at, size_t bytes)
{
  weak_write(at, bytes);
}

/* Clang calls these for what it is to copy or to set; gcc the C library's, which -D in CMakeLists.txt
 * renames. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
  weak_read(from, bytes);
  weak_write(to, bytes);
  return memcpy(to, from, bytes);
}
void *__tsan_memset(void *to, int value, size_t bytes);
void *__tsan_memset(void *to, int value, size_t bytes)
{
  weak_write(to, bytes);
  return memset(to, value, bytes);
}

/* ---- atomic accesses --------------------------------------------------------------------------------- */

/* A variable that only its writer loads takes no turn: it knows what is there. */
uint64_t __tsan_atomic64_load(const volatile uint64_t *at, int order);
uint64_t __tsan_atomic64_load(const volatile uint64_t *at, int order)
{
  const int p = weak_process(), atomic = weak_find(at);
  if (p < 0 || atomic < 0 || weak_writer(atomic) == p) return *at;
  weak_access access = {.atomic = atomic, .is_ordered = order != memory_order_relaxed};
  weak_turn(&access);
  return access.value;
}

void __tsan_atomic64_store(volatile uint64_t *at, uint64_t value, int order);
void __tsan_atomic64_store(volatile uint64_t *at, uint64_t value, int order)
{
  const int p = weak_process(), atomic = weak_find(at);
  weak_access access = {
      .atomic = atomic, .is_store = true, .is_ordered = order != memory_order_relaxed, .value = value};
  if (p >= 0 && atomic >= 0) weak_turn(&access);
  *at = value;
}

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
  weak_fence(order != memory_order_relaxed && order != memory_order_release,
             order != memory_order_relaxed && order != memory_order_acquire);
}

/* Hints. */
uint8_t __tsan_atomic8_load(const volatile uint8_t *at, int order);
uint8_t __tsan_atomic8_load(const volatile uint8_t *at, int order)
{
  (void)order;
  return *at;
}
void __tsan_atomic8_store(volatile uint8_t *at, uint8_t value, int order);
void __tsan_atomic8_store(volatile uint8_t *at, uint8_t value, int order)
{
  (void)order;
  *at = value;
}

/* NOLINTEND(bugprone-reserved-identifier) */

uint64_t weak_load(const uint64_t *at)
{
  return __tsan_atomic64_load(at, memory_order_relaxed);
}

void weak_store(uint64_t *at, uint64_t value)
{
  __tsan_atomic64_store(at, value, memory_order_relaxed);
}
