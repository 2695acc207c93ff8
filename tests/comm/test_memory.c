/* Checks the memory that a process allocates while it assembles a 'u' axis: at most three times the bytes
 * of its own indices, for any number of indices. Every allocation of the process counts, including MPI's. */
#include "mpi_test.h"
#include "sanitizer.h"

#include <inttypes.h>
#include <stdatomic.h>

/* ---- counting allocations -------------------------------------------------------------------------- */

static _Atomic int64_t held, most; /* bytes */

static void count_up(int64_t bytes)
{
  const int64_t now = atomic_fetch_add(&held, bytes) + bytes;
  int64_t seen = atomic_load(&most);
  while (now > seen && !atomic_compare_exchange_weak(&most, &seen, now)) continue;
}

/* MANY: number of indices of a row. ROUNDS: bytes that rounds of questions need for any number of indices;
 * they matter if there are few. */
#if UNDER_SANITIZER
/* Declared here because some compilers do not have sanitizer/allocator_interface.h. */
int __sanitizer_install_malloc_and_free_hooks(void (*after)(const volatile void *, size_t),
                                              void (*before)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

enum { MANY = 1000000, ROUNDS = 10000000, MEASURED = true };

static void after_malloc(const volatile void *memory, size_t size)
{
  (void)memory;
  count_up((int64_t)size);
}

static void before_free(const volatile void *memory)
{
  count_up(-(int64_t)__sanitizer_get_allocated_size(memory));
}

static void start_counting(void)
{
  static bool started;
  if (!started) __sanitizer_install_malloc_and_free_hooks(after_malloc, before_free);
  started = true;
}

#elif defined(__GLIBC__)
#include <malloc.h>

enum { MANY = 4000000, ROUNDS = 0, MEASURED = true };

/* glibc's own functions. These names remain if a program defines functions with the usual names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void *counted(void *memory)
{
  count_up((int64_t)malloc_usable_size(memory));
  return memory;
}

void *malloc(size_t size)
{
  return counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
  return counted(__libc_calloc(count, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
  return counted(__libc_memalign(alignment, size));
}

/* glibc may copy the memory, so both copies count, even if it grows in place. */
void *realloc(void *memory, size_t size)
{
  const int64_t before = (int64_t)malloc_usable_size(memory);
  void *moved = __libc_realloc(memory, size);
  if (!moved && size > 0) return NULL;
  (void)counted(moved);
  count_up(-before);
  return moved;
}

void free(void *memory)
{
  count_up(-(int64_t)malloc_usable_size(memory));
  __libc_free(memory);
}

static void start_counting(void)
{
}

#else
enum { MANY = 1000000, ROUNDS = 0, MEASURED = false };

static void start_counting(void)
{
}
#endif

/* ---- lists ----------------------------------------------------------------------------------------- */

/* Returns element i of a permutation of 0 .. size - 1 that needs no table. It repeats a bijection on the
 * next power of two until the result is below `size`. */
static int64_t shuffled(int64_t size, int64_t i)
{
  int bits = 2;
  while (INT64_C(1) << bits < size) bits++;
  const uint64_t mask = (UINT64_C(1) << bits) - 1;
  uint64_t x = (uint64_t)i;
  do
    for (int round = 0; round < 3; round++) {
      x ^= x >> (bits / 2);
      x = (x * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x632BE59BD9B4E019)) & mask;
    }
  while (x >= (uint64_t)size);
  return (int64_t)x;
}

/* Makes a list of `count` shuffled indices from the i-th on, which continues with the first one after the
 * last. */
static dap_dim list_of(int64_t size, int procs, int coord, int64_t first, int64_t count, dap_dtype dtype)
{
  int64_t *wide = malloc((size_t)count * (size_t)dap_dtype_size(dtype) + 1);
  int32_t *narrow = (int32_t *)wide;
  EXPECT(wide != NULL);
  for (int64_t i = 0; i < count && wide; i++) {
    const int64_t index = shuffled(size, (first + i) % size);
    if (dtype == DAP_I8) wide[i] = index;
    if (dtype == DAP_I4) narrow[i] = (int32_t)index;
  }
  return (dap_dim){.dist_type = 'u',
                   .indices_dtype = dtype,
                   .size = size,
                   .proc_grid_size = procs,
                   .proc_grid_rank = coord,
                   .index_count = wide ? count : 0,
                   .indices = wide};
}

typedef struct row {
  const char *why;
  int ndim;
  int procs[2];
  int64_t size[2];
  int copies; /* processes along an axis that hold the same index */
  dap_dtype dtype;
} row;

static const row rows[] = {
    {"one axis, int64", 1, {4, 1}, {MANY, 0}, 1, DAP_I8},
    {"one axis, int32", 1, {4, 1}, {MANY, 0}, 1, DAP_I4},
    {"one axis, every index on two processes, int32", 1, {4, 1}, {MANY / 2, 0}, 2, DAP_I4},
    {"two axes on 2 x 2, int64", 2, {2, 2}, {MANY / 2, MANY / 4}, 1, DAP_I8},
    {"two axes on 2 x 2, int32", 2, {2, 2}, {MANY / 2, MANY / 4}, 1, DAP_I4},
};

/* Makes the part of this process. *bytes is the size of its indices. */
static dap_array make_part(const row *r, int64_t *bytes)
{
  static char element;
  dap_array part = {.abi = DAP_ARRAY_ABI,
                    .version = "0.10.0",
                    .dim_count = r->ndim,
                    .ndim = r->ndim,
                    .dtype = DAP_I1,
                    .data = &element}; /* strides are 0, because the elements are not read */
  int coords[2] = {test_rank() / r->procs[1], test_rank() % r->procs[1]};
  *bytes = 0;
  for (int k = 0; k < r->ndim; k++) {
    const int64_t each = r->size[k] / r->procs[k], count = r->copies * each;
    part.dims[k] = list_of(r->size[k], r->procs[k], coords[k], coords[k] * each, count, r->dtype);
    part.shape[k] = count;
    *bytes += count * dap_dtype_size(r->dtype);
  }
  return part;
}

static void check_row(const row *r)
{
  int64_t bytes = 0;
  dap_array part = make_part(r, &bytes);
  dap_layout *layout = NULL;
  dap_error err = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const int64_t before = atomic_load(&held);
  atomic_store(&most, before);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &part, &layout, &err), &err);
  const double spent[2] = {(double)(atomic_load(&most) - before), (double)(atomic_load(&held) - before)};
  const double seconds = MPI_Wtime() - begin;
  double worst[2] = {0, 0};
  MPI_Reduce(spent, worst, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  print_message("%s: %.1f MB of indices, at most %.2f times that, %.2f times kept, %.2f s\n", r->why,
                (double)bytes / 1e6, worst[0] / (double)bytes, worst[1] / (double)bytes, seconds);
  EXPECT_MSG(!MEASURED || spent[0] > 0, "nothing was counted");
  EXPECT_MSG(spent[0] <= 3 * (double)bytes + ROUNDS, "%.0f bytes for %" PRId64 " of indices", spent[0],
             bytes);
  for (int k = 0; k < r->ndim; k++)
    EXPECT_INT(dap_layout_owned(layout, k, 0), r->copies * r->size[k] / r->procs[k]);
  dap_layout_destroy(&layout);
  for (int k = 0; k < r->ndim; k++) free((void *)part.dims[k].indices);
}

static void stays_within_bounds(void **state)
{
  (void)state;
  start_counting();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    check_row(&rows[i]);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(stays_within_bounds)};

MPI_TEST_MAIN(tests)
