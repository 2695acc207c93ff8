/* Tests dap_lines_allocate(): zeroed memory, its alignment, and the kind of its pages. Private: no public
 * call requests INT64_MAX bytes. */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier): madvise() */
#include "model_impl.h"
#include "mpi_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 1 << 21 };

static bool is_zero(const unsigned char *at, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i++)
    if (at[i]) return false;
  return true;
}

/* Returns whether the system was advised to use huge pages at `at`. */
static bool is_advised(const void *at)
{
  char line[512];
  bool is_inside = false, advised = false;
  FILE *file = fopen("/proc/self/smaps", "re");
  while (file && fgets(line, sizeof line, file)) {
    uint64_t from, to;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
      is_inside = (uint64_t)(uintptr_t)at >= from && (uint64_t)(uintptr_t)at < to;
    if (is_inside && !strncmp(line, "VmFlags:", 8)) advised = strstr(line, " hg") != NULL;
  }
  if (file) (void)fclose(file);
  return advised;
}

/* Returns whether the system accepts advice about huge pages and shows it. Emulators of processors do not. */
static bool shows_advice(void)
{
  enum { BYTES = 4 * HUGE_PAGE };
  char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  const bool is_shown = madvise(at, BYTES, MADV_HUGEPAGE) == 0 && is_advised(at + BYTES / 2);
  (void)munmap(at, BYTES);
  return is_shown;
}

static void buffers_are_zeroed_and_aligned(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t bytes;
    int64_t unit;
  } rows[] = {{"one byte", 1, LINE},
              {"a line", LINE, LINE},
              {"of the heap", 100000, LINE},
              {"the largest in small pages", 2 * HUGE_PAGE - 1, LINE},
              {"the smallest in huge pages", 2 * HUGE_PAGE, HUGE_PAGE},
              {"not a multiple of a huge page", 5 * HUGE_PAGE + 7, HUGE_PAGE}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int turn = 0; turn < 3; turn++) { /* later turns reuse memory if possible */
      TEST_CASE("%s, turn %d", rows[i].why, turn);
      unsigned char *at = dap_lines_allocate(rows[i].bytes);
      if (!EXPECT(at)) break;
      EXPECT_INT((int64_t)((uintptr_t)at % (uintptr_t)rows[i].unit), 0);
      EXPECT(is_zero(at, rows[i].bytes));
      if (rows[i].unit == HUGE_PAGE && shows_advice()) EXPECT(is_advised(at + rows[i].bytes / 2));
      memset(at, 0xA5, (size_t)rows[i].bytes);
      dap_lines_free(at);
    }
  SETTLE();
}

static void oversized_memory_is_refused(void **state)
{
  (void)state;
  EXPECT(!dap_lines_allocate(INT64_MAX));
  EXPECT(!dap_lines_allocate(INT64_MAX - HUGE_PAGE));
  dap_lines_free(NULL);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(buffers_are_zeroed_and_aligned),
    cmocka_unit_test(oversized_memory_is_refused),
};

MPI_TEST_MAIN(tests)
