/* Tests which buffers share memory, by comparison with a count of the bytes of every element. */
#include "buffers.h"
#include "mpi_test.h"

enum { ROOM = 8192 /* bytes on each side of the first elements */ };

static unsigned char memory[2 * ROOM];

/* Adds `own` to `users` for each byte of an array's elements. Returns true if a byte already had a bit of
 * `mask`. */
static bool use(const dap_array *a, unsigned char *users, unsigned char mask, unsigned char own)
{
  bool is_used = false;
  const int64_t count = dap_array_count(a), size = dap_dtype_size(a->dtype);
  for (int64_t i = 0; i < count; i++) {
    int64_t at = (unsigned char *)a->data - memory, rest = i;
    for (int k = a->ndim - 1; k >= 0; rest /= a->shape[k--]) at += rest % a->shape[k] * a->strides[k];
    for (int64_t j = 0; j < size; j++) {
      is_used = is_used || users[at + j] & mask;
      users[at + j] |= own;
    }
  }
  return is_used;
}

static bool overlaps_by_count(const dap_array *a, const dap_array *b)
{
  unsigned char users[2 * ROOM] = {0};
  if (a == b) return use(a, users, 1, 1);
  (void)use(a, users, 0, 1);
  return use(b, users, 1, 2);
}

/* Draws strides that are multiples of `unit`, with any sign, nested or not. */
static dap_array random_array(test_random *random, int unit)
{
  static const dap_dtype types[] = {DAP_U1, DAP_I2, DAP_F4, DAP_F8};
  dap_array a = {.dtype = types[test_random_int(random, 0, 3)],
                 .ndim = (int32_t)test_random_int(random, 0, 3),
                 .data = memory + ROOM + unit * test_random_int(random, -12, 12)};
  int64_t step = dap_dtype_size(a.dtype);
  const bool nests = test_random_one_in(random, 2);
  for (int k = 0; k < a.ndim; k++) {
    a.shape[k] = test_random_int(random, test_random_one_in(random, 20) ? 0 : 1, 4);
    a.strides[k] = nests ? step : unit * test_random_int(random, 0, 12);
    if (test_random_one_in(random, 3)) a.strides[k] = -a.strides[k];
    if (test_random_one_in(random, 3)) step += unit;
    step *= a.shape[k] > 0 ? a.shape[k] : 1;
  }
  return a;
}

static void random_buffers_are_as_counted(void **state)
{
  (void)state;
  test_random random = test_random_init(61);
  int seen[2][2] = {{0}};
  for (int i = 0; i < 40000; i++) {
    const int unit = test_random_one_in(&random, 2) ? 1 : 8;
    dap_array a = random_array(&random, unit), b = random_array(&random, unit);
    if (test_random_one_in(&random, 3)) { /* another part of the same array */
      const void *data = b.data;
      b = a;
      b.data = (void *)(uintptr_t)data;
    }
    TEST_CASE("pair %d", i);
    const bool own = overlaps_by_count(&a, &a), both = overlaps_by_count(&a, &b);
    if (!EXPECT_INT(dap_array_overlaps(&a, &a), own)) break;
    if (!EXPECT_INT(dap_array_overlaps(&a, &b), both)) break;
    seen[0][own]++;
    seen[1][both]++;
  }
  for (int i = 0; i < 4; i++) EXPECT(seen[i / 2][i % 2] > 1000);
  SETTLE();
}

/* Tests real sizes: the answer is exact for parts of one array, and its cost does not grow with the array. */
static void parts_of_large_arrays(void **state)
{
  (void)state;
  enum { N = 100000, ROW = 8 * 2 * N };
  static const struct {
    const char *why;
    int64_t distance; /* bytes from a's first element to b's */
    int64_t strides[2];
    bool want;
  } rows[] = {
      {"itself", 0, {ROW, 8}, true},
      {"the columns to the right of it", 8 * N, {ROW, 8}, false},
      {"one column of them is its own", 8 * N - 8, {ROW, 8}, true},
      {"half of one column is", 8 * N - 4, {ROW, 8}, true},
      {"the rows below it", (int64_t)ROW * N, {ROW, 8}, false},
      {"its last row", (int64_t)ROW * (N - 1), {ROW, 8}, true},
      {"itself, transposed", 0, {8, ROW}, true},
      {"the other columns, transposed", 8 * N, {8, ROW}, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_array a = {.dtype = DAP_F8, .ndim = 2, .data = memory, .shape = {N, N}, .strides = {ROW, 8}};
    dap_array b = a;
    b.data = (void *)((uintptr_t)a.data + (uintptr_t)rows[i].distance); /* never read */
    b.strides[0] = rows[i].strides[0];
    b.strides[1] = rows[i].strides[1];
    TEST_CASE("%s", rows[i].why);
    EXPECT_INT(dap_array_overlaps(&a, &b), rows[i].want);
    EXPECT_INT(dap_array_overlaps(&b, &a), rows[i].want);
    EXPECT(!dap_array_overlaps(&b, &b));
  }
  SETTLE();
}

/* Tests extents and strides that no memory can have, and strides that do not matter. */
static void arrays_that_cannot_overlap(void **state)
{
  (void)state;
  dap_array a = {
      .dtype = DAP_F8, .ndim = 2, .data = memory, .shape = {INT64_MAX, 3}, .strides = {INT64_MAX, 8}};
  EXPECT(!dap_array_overlaps(&a, &a));
  a.shape[0] = 0;
  EXPECT(!dap_array_overlaps(&a, &a));
  a.shape[0] = 1;
  EXPECT(!dap_array_overlaps(&a, &a));
  a.strides[0] = INT64_MIN;
  EXPECT(!dap_array_overlaps(&a, &a));
  a.strides[1] = 7;
  EXPECT(dap_array_overlaps(&a, &a));
  a.data = NULL;
  EXPECT(!dap_array_overlaps(&a, &a));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_buffers_are_as_counted),
    cmocka_unit_test(parts_of_large_arrays),
    cmocka_unit_test(arrays_that_cannot_overlap),
};

MPI_TEST_MAIN(tests)
