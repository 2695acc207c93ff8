/* Deals elements of several sources to one destination, with each set of kernels that this processor can
 * run. The results are compared with copies that are made one by one. Nothing around the destination's
 * elements may change. Private: plans use only the best set of kernels. */
#include "kernel_memory.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { MAX_SOURCES = 16 };

static void check_interleave(const dap_kernels *set, const place from[], int sources, int64_t count,
                             int64_t itemsize, size_t offset, bool stream)
{
  const char *starts[MAX_SOURCES];
  for (int k = 0; k < sources; k++) starts[k] = from[k].start;
  place to = place_destination((size_t)(count * itemsize), offset);
  place want = place_expected(&to);
  for (int64_t i = 0; i < count; i++)
    memcpy(want.start + i * itemsize, starts[i % sources] + i / sources * itemsize, (size_t)itemsize);
  dap_interleave_copy(set, to.start, starts, sources, count, itemsize, stream);
  set->fence();
  place_check(&to, &want);
  place_free(&to);
  place_free(&want);
}

/* From the same sources to destinations at all offsets. */
static void check_interleaves(const dap_kernels *set, int sources, int64_t count, int64_t itemsize)
{
  place from[MAX_SOURCES];
  for (int k = 0; k < sources; k++) {
    const int64_t elements = (count - k + sources - 1) / sources;
    from[k] = place_source((size_t)(elements * itemsize), (size_t)k % 7, (size_t)k + 3);
  }
  for (int o = 0; o < 2 * KERNEL_OFFSETS; o++) {
    TEST_CASE("%s: %d elements of %d bytes from %d sources, offset %d, streaming %d", set->name, (int)count,
              (int)itemsize, sources, (int)kernel_offsets[o / 2], o % 2);
    check_interleave(set, from, sources, count, itemsize, kernel_offsets[o / 2], o % 2 == 1);
  }
  for (int k = 0; k < sources; k++) place_free(&from[k]);
}

static void interleaves(void **state)
{
  static const int64_t counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 129, 300, 517, 1024};
  (void)state;
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
    if (!(*set)->is_usable()) continue;
    for (int sources = 2; sources <= MAX_SOURCES; sources++)
      for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++)
        for (int s = 0; s < KERNEL_ITEMSIZES; s++)
          check_interleaves(*set, sources, counts[n], kernel_itemsizes[s]);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(interleaves)};
MPI_TEST_MAIN(tests)
