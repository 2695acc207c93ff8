/* Copies between buffers of any strides, alignment and byte order, and compares the result with copies of
 * one element at a time. */
#include "buffers.h"
#include "mpi_test.h"
#include "mutate.h"

enum { ROOM = 4096 /* bytes on each side of an array's first element */ };

/* A buffer whose first element is in the middle, so that strides may have any sign. */
typedef struct block {
  unsigned char bytes[2 * ROOM];
  dap_array array;
} block;

/* Returns the size of the numbers in an element, which have a byte order. */
static int64_t number_bytes(dap_dtype dtype)
{
  const bool is_complex = dtype == DAP_C8 || dtype == DAP_C16 || dtype == DAP_C32;
  return dap_dtype_size(dtype) / (is_complex ? 2 : 1);
}

/* Copies an element one byte at a time. */
static void copy_element(const dap_array *from, const unsigned char *in, const dap_array *to,
                         unsigned char *out)
{
  const int64_t width = number_bytes(from->dtype);
  for (int64_t i = 0; i < dap_dtype_size(from->dtype); i++) {
    const int64_t mirrored = i / width * width + width - 1 - i % width;
    out[from->swapped == to->swapped ? i : mirrored] = in[i];
  }
}

static void copy_slowly(const dap_array *from, const dap_array *to)
{
  int64_t position[DAP_MAX_NDIM] = {0};
  if (dap_array_count(from) == 0) return;
  do copy_element(from, array_element(from, position), to, array_element(to, position));
  while (next_position(from->ndim, from->shape, position));
}

/* Draws strides without overlap, in a random order of axes, some negative and with gaps of any number of
 * bytes. */
static void random_strides(test_random *random, dap_array *array, bool may_repeat)
{
  int64_t step = dap_dtype_size(array->dtype);
  int order[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < array->ndim; k++) order[k] = k;
  for (int k = array->ndim - 1; k > 0 && test_random_one_in(random, 2); k--) {
    const int other = (int)test_random_int(random, 0, k), kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
  for (int i = array->ndim - 1; i >= 0; i--) {
    const int k = order[i];
    if (test_random_one_in(random, 3)) step += test_random_int(random, 0, 5);
    array->strides[k] = test_random_one_in(random, 3) ? -step : step;
    if (may_repeat && test_random_one_in(random, 6)) array->strides[k] = 0;
    step *= array->shape[k] > 0 ? array->shape[k] : 1;
    if (array->shape[k] <= 1 && test_random_one_in(random, 2)) array->strides[k] = 1000003;
  }
}

static void random_block(test_random *random, const dap_array *form, bool is_source, block *b)
{
  b->array = *form;
  b->array.data = b->bytes + ROOM + test_random_int(random, 0, 7);
  b->array.swapped = test_random_one_in(random, 2);
  b->array.readonly = is_source && test_random_one_in(random, 2);
  random_strides(random, &b->array, is_source);
  for (size_t i = 0; i < sizeof b->bytes; i++) b->bytes[i] = (unsigned char)test_random_int(random, 0, 255);
}

/* Moves an array's elements from one block to another one of the same form. */
static dap_array elsewhere(const block *from, block *to)
{
  dap_array array = from->array;
  memcpy(to->bytes, from->bytes, sizeof to->bytes);
  array.data = to->bytes + ((unsigned char *)from->array.data - from->bytes);
  return array;
}

static void random_copies_are_as_slow_ones(void **state)
{
  (void)state;
  static block from, to, want;
  test_random random = test_random_init(20);
  for (int i = 0; i < 4000; i++) {
    dap_array form = {.abi = DAP_ARRAY_ABI, .dtype = (dap_dtype)test_random_int(&random, DAP_BOOL, DAP_C32)};
    /* At most 3 axes of 5, or 8 of 2, with gaps: they fit into ROOM. */
    form.ndim = (int32_t)test_random_int(&random, 0, test_random_one_in(&random, 8) ? DAP_MAX_NDIM : 3);
    for (int k = 0; k < form.ndim; k++)
      form.shape[k] = test_random_int(&random, test_random_one_in(&random, 9) ? 0 : 1, form.ndim > 3 ? 2 : 4);
    if (form.ndim > 3) form.dtype = DAP_U2;
    random_block(&random, &form, true, &from);
    random_block(&random, &form, false, &to);
    const dap_array slow = elsewhere(&to, &want);
    copy_slowly(&from.array, &slow);
    TEST_CASE("copy %d: %d axes of %s", i, (int)form.ndim, dap_dtype_name(form.dtype));
    EXPECT_OK(dap_array_copy(&from.array, &to.array, NULL), NULL);
    if (!EXPECT(!memcmp(to.bytes, want.bytes, sizeof to.bytes))) break;
  }
  SETTLE();
}

/* The expected bytes of the other order are written by hand, and not computed by similar code. */
static void byte_orders_by_hand(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    dap_dtype dtype;
    unsigned char in[32], out[32];
  } rows[] = {
      {"a byte has no order", DAP_U1, {1}, {1}},
      {"nor a bool", DAP_BOOL, {1}, {1}},
      {"two bytes", DAP_F2, {1, 2}, {2, 1}},
      {"four", DAP_F4, {1, 2, 3, 4}, {4, 3, 2, 1}},
      {"eight", DAP_I8, {1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}},
      {"each half of a complex", DAP_C8, {1, 2, 3, 4, 5, 6, 7, 8}, {4, 3, 2, 1, 8, 7, 6, 5}},
      {"all of a long double, its unused bytes too",
       DAP_F16,
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
       {16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    unsigned char got[32] = {0};
    dap_array from = {.dtype = rows[i].dtype, .data = (void *)(uintptr_t)rows[i].in, .swapped = true};
    dap_array to = {.dtype = rows[i].dtype, .data = got};
    TEST_CASE("%s", rows[i].why);
    EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
    EXPECT(!memcmp(got, rows[i].out, sizeof got));
    from.swapped = false;
    to.swapped = true;
    EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
    EXPECT(!memcmp(got, rows[i].out, sizeof got));
    from.swapped = true;
    EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
    EXPECT(!memcmp(got, rows[i].in, sizeof got));
  }
  SETTLE();
}

/* A large array: adjacent rows are one copy, and a transposed array is copied along its strides. */
static void a_transposed_array_is_copied(void **state)
{
  (void)state;
  enum { ROWS = 300, COLUMNS = 200 };
  double *a = malloc(sizeof(double[ROWS * COLUMNS])), *b = malloc(sizeof(double[ROWS * COLUMNS]));
  if (EXPECT(a && b)) {
    const dap_array from = {
        .dtype = DAP_F8, .ndim = 2, .data = a, .shape = {ROWS, COLUMNS}, .strides = {8 * COLUMNS, 8}};
    dap_array to = from;
    for (int i = 0; i < ROWS * COLUMNS; i++) a[i] = i;
    to.data = b;
    EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
    EXPECT(!memcmp(a, b, sizeof(double[ROWS * COLUMNS])));
    to.strides[0] = 8;
    to.strides[1] = 8 * ROWS;
    EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
    bool good = true;
    for (int i = 0; i < ROWS * COLUMNS; i++) good = good && b[i % COLUMNS * ROWS + i / COLUMNS] == i;
    EXPECT(good);
  }
  free(a);
  free(b);
  SETTLE();
}

static void bad_pairs_are_refused(void **state)
{
  (void)state;
  static unsigned char memory[64], source[64];
  static const struct {
    const char *from, *to; /* changes of 2 x 3 shorts */
    int64_t distance;      /* of the source from the destination's memory; -1: separate memory */
    int rule;
    const char *parts;
  } rows[] = {
      {"", "ndim 1", -1, 0, "ndim is 2 and 1|number of axes"},
      {"ndim 9", "ndim 9", -1, 0, "axes|ndim 9|0 .. 8"},
      {"", "axis 1 extent 4", -1, 0, "axis 1|3 and 4"},
      {"extent -2", "extent -2", -1, 0, "axis 0|-2"},
      {"dtype uint16", "", -1, 0, "uint16 and int16"},
      {"dtype 77", "dtype 77", -1, 0, "dtype 77"},
      {"", "readonly 1", -1, 19, "read-only"},
      {"", "stride 0", -1, 19, "axis 0|stride 0"},
      {"", "stride 2", -1, 19, "several elements"},
      {"", "", 0, 0, "overlap"},
      {"", "", 6, 0, "overlap"},
      {"no_data", "", -1, 0, "from is NULL|6 elements"},
      {"", "no_data", -1, 0, "to is NULL|6 elements"},
  };
  const dap_array good = {.dtype = DAP_I2, .ndim = 2, .data = source, .shape = {2, 3}, .strides = {6, 2}};
  dap_error err = {0};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_array from = good, to = good;
    to.data = memory;
    if (rows[i].distance >= 0) from.data = memory + rows[i].distance;
    change_array(&from, rows[i].from);
    change_array(&to, rows[i].to);
    memset(memory, TEST_POISON, sizeof memory);
    TEST_CASE("%s", rows[i].parts);
    EXPECT_FAIL(dap_array_copy(&from, &to, &err), DAP_ERR_BUFFER, &err, rows[i].parts);
    EXPECT_INT(err.rule, rows[i].rule);
    for (size_t j = 0; j < sizeof memory; j++) EXPECT(memory[j] == TEST_POISON);
  }
  EXPECT_FAIL(dap_array_copy(NULL, &good, &err), DAP_ERR_ARG, &err, "from|NULL");
  EXPECT_FAIL(dap_array_copy(&good, NULL, &err), DAP_ERR_ARG, &err, "to|NULL");
  SETTLE();
}

/* An array without elements needs neither memory nor strides. A source may be read-only or repeat
 * elements. */
static void ignored_properties(void **state)
{
  (void)state;
  dap_array from = {.dtype = DAP_I2, .ndim = 2, .shape = {0, 3}}, to = from;
  EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
  static const int16_t one = 7;
  int16_t six[6] = {0};
  from = (dap_array){
      .dtype = DAP_I2, .ndim = 2, .shape = {2, 3}, .data = (void *)(uintptr_t)&one, .readonly = true};
  to = (dap_array){.dtype = DAP_I2, .ndim = 2, .shape = {2, 3}, .strides = {6, 2}, .data = six};
  EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
  for (int i = 0; i < 6; i++) EXPECT_INT(six[i], 7);
  int16_t columns[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; /* even columns to odd ones */
  from = (dap_array){.dtype = DAP_I2, .ndim = 2, .shape = {2, 2}, .strides = {8, 4}, .data = columns};
  to = from;
  to.data = &columns[0][1];
  EXPECT_OK(dap_array_copy(&from, &to, NULL), NULL);
  for (int i = 0; i < 4; i++) EXPECT_INT(columns[i / 2][i % 2 * 2 + 1], columns[i / 2][i % 2 * 2]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_copies_are_as_slow_ones),
    cmocka_unit_test(byte_orders_by_hand),
    cmocka_unit_test(a_transposed_array_is_copied),
    cmocka_unit_test(bad_pairs_are_refused),
    cmocka_unit_test(ignored_properties),
};

MPI_TEST_MAIN(tests)
