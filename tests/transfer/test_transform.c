/* Tests transforms of single values. Every pair of types is compared at the ends of their ranges with the
 * model in number.h. Known elements are compared byte by byte.
 *
 * Private: plans reach few of these cases. */
#include "mpi_test.h"
#include "number.h"
#include "transfer_impl.h"

#include <math.h>

static const dap_transform plain = {.alpha = {1, 0}};

/* ---- every pair --------------------------------------------------------------------------------- */

/* Values near the ends of all types. A value that the source cannot hold becomes the nearest that it can
 * hold, so each type has its own ends. */
static const long double edges[] = {
    0.0L,
    -0.0L,
    1.0L,
    -1.0L,
    0.5L,
    -0.5L,
    1.5L,
    -1.5L,
    2.75L,
    -2.75L,
    0.1L,
    127.0L,
    127.5L,
    128.0L,
    -128.0L,
    -128.5L,
    -129.0L,
    255.0L,
    255.9L,
    256.0L,
    2047.0L,
    2049.0L,
    2051.0L,
    32767.0L,
    32768.0L,
    -32768.0L,
    -32769.0L,
    65503.0L,
    65504.0L,
    65519.0L,
    65520.0L,
    65535.0L,
    65535.5L,
    65536.0L,
    16777217.0L,
    16777219.0L,
    2147483647.0L,
    2147483648.0L,
    -2147483648.0L,
    -2147483649.0L,
    4294967295.0L,
    4294967296.0L,
    0x1.002000000000001p0L,  /* to half in one step, not through double */
    9007199254740993.0L,     /* 2^53 + 1 */
    -9007199254740993.0L,    /* and its negative */
    9007199791611905.0L,     /* 2^53 + 2^29 + 1: to float in one step, not through double */
    9223372036854775807.0L,  /* 2^63 - 1 */
    9223372036854775808.0L,  /* 2^63 */
    -9223372036854775808.0L, /* -2^63 */
    9223372036854774784.0L,  /* the double below 2^63 */
    18446744073709551615.0L, /* 2^64 - 1 */
    18446744073709551616.0L, /* 2^64 */
    18446744073709549568.0L, /* the double below 2^64 */
    -1.8446744073709551616e19L,
    3.4028234e38L,
    3.4028236e38L,
    3.5e38L,
    1e-38L,
    1e-45L,
    -1e-46L,
    1e300L,
    -1e300L,
    1.7976931348623157e308L,
    5e-324L,
    0x1p-14L,
    0x1p-15L,
    0x1p-24L,
    0x1p-25L,
    0x1.8p-25L,
    -0x1p-26L,
    0x1.FFCp-15L};

enum { EDGES = sizeof edges / sizeof edges[0], SPECIALS = 5 };

static long double edge(int i)
{
  const long double specials[SPECIALS] = {(long double)INFINITY, (long double)-INFINITY, (long double)NAN,
                                          LDBL_MAX, LDBL_TRUE_MIN};
  return i < EDGES ? edges[i] : specials[i - EDGES];
}

static void check_pair(dap_dtype from, dap_dtype to, number value)
{
  unsigned char source[NUMBER_BYTES] = {0}, got[NUMBER_BYTES], want[NUMBER_BYTES] = {0};
  dap_transform t = plain;
  t.from = from, t.to = to;
  memset(got, 0xFF, sizeof got); /* NaN in a floating-point type */
  number_write(from, value, source);
  number_write(to, number_read(from, source), want);
  dap_transform_row(&t, (char *)source, 0, (char *)got, 0, 1);
  EXPECT_MSG(number_is(number_read(to, got), number_read(to, want), true),
             "%s (%Lg, %Lg) to %s is (%Lg, %Lg), not (%Lg, %Lg)", dap_dtype_name(from),
             number_read(from, source).re, number_read(from, source).im, dap_dtype_name(to),
             number_read(to, got).re, number_read(to, got).im, number_read(to, want).re,
             number_read(to, want).im);
  const size_t size = (size_t)dap_dtype_size(to);
  for (size_t i = size; i < sizeof got; i++) EXPECT_INT(got[i], 0xFF);
  if (to <= DAP_U8) EXPECT(memcmp(got, want, size) == 0); /* a bool is 0 or 1 */
}

static void every_pair_converts_its_edges(void **state)
{
  (void)state;
  if (!NUMBER_IS_WIDE) skip();
  for (int from = DAP_BOOL; from <= NUMBER_TYPES; from++)
    for (int to = DAP_BOOL; to <= NUMBER_TYPES; to++) {
      TEST_CASE("%s -> %s", dap_dtype_name((dap_dtype)from), dap_dtype_name((dap_dtype)to));
      for (int i = 0; i < EDGES + SPECIALS; i++) {
        check_pair((dap_dtype)from, (dap_dtype)to, (number){edge(i), edge((i + 7) % (EDGES + SPECIALS))});
        check_pair((dap_dtype)from, (dap_dtype)to, (number){0, edge(i)});
      }
      SETTLE();
    }
}

/* ---- known elements ----------------------------------------------------------------------------- */

#define BYTES(type, ...) (const type[]){__VA_ARGS__}, (int)(sizeof((const type[]){__VA_ARGS__}))

/* Elements before and after, and the old destination. NULL stands for bytes 0xFF, which are NaN in a
 * float. */
static const struct known {
  const char *why;
  dap_transform t;
  const void *from;
  int from_bytes;
  const void *want;
  int want_bytes;
  const void *old;
} known[] = {
#define T(FROM, TO, conj, ar, ai, br, bi)                                                                    \
  {                                                                                                          \
    .from = DAP_##FROM, .to = DAP_##TO, .conjugate = (conj), .alpha = {ar, ai}, .beta = { br, bi }           \
  }
#define REDUCE_OP(FROM, TO, how)                                                                             \
  {                                                                                                          \
    .from = DAP_##FROM, .to = DAP_##TO, .alpha = {1, 0}, .beta = {1, 0}, .reduce_op = DAP_REDUCE_OP_##how    \
  }
    {"the larger, and NaN", REDUCE_OP(F8, F8, MAX), BYTES(double, 1, 5, NAN, 2),
     BYTES(double, 3, 5, NAN, NAN), (const double[]){3, -5, 0, NAN}},
    {"the smaller, and NaN", REDUCE_OP(F4, F4, MIN), BYTES(float, 1, 5, NAN, 2),
     BYTES(float, 1, -5, NAN, NAN), (const float[]){3, -5, 0, NAN}},
    {"the larger of 2^63 - 1 and 2^63 - 2", REDUCE_OP(I8, I8, MAX), BYTES(int64_t, INT64_MAX - 1, INT64_MAX),
     BYTES(int64_t, INT64_MAX, INT64_MAX), (const int64_t[]){INT64_MAX, INT64_MAX - 1}},
    {"the smaller, converted", REDUCE_OP(I2, F8, MIN), BYTES(int16_t, -7, 7), BYTES(double, -7, 0.5),
     (const double[]){0.5, 0.5}},
    {"2^53 + 1 does not go through double", T(I8, U8, 0, 1, 0, 0, 0), BYTES(int64_t, 9007199254740993),
     BYTES(uint64_t, 9007199254740993u), NULL},
    {"2^64 - 1 stays", T(U8, U8, 0, 1, 0, 0, 0), BYTES(uint64_t, UINT64_MAX), BYTES(uint64_t, UINT64_MAX),
     NULL},
    {"2^64 - 1 is cut off", T(U8, I8, 0, 1, 0, 0, 0), BYTES(uint64_t, UINT64_MAX), BYTES(int64_t, INT64_MAX),
     NULL},
    {"-1 is cut off", T(I8, U8, 0, 1, 0, 0, 0), BYTES(int64_t, -1), BYTES(uint64_t, 0), NULL},
    {"large to byte", T(I4, I1, 0, 1, 0, 0, 0), BYTES(int32_t, -1000, 1000), BYTES(int8_t, -128, 127), NULL},
    {"towards 0", T(F8, I4, 0, 1, 0, 0, 0), BYTES(double, -1.9, 1.9, -0.5), BYTES(int32_t, -1, 1, 0), NULL},
    {"NaN and infinities", T(F8, I8, 0, 1, 0, 0, 0), BYTES(double, NAN, INFINITY, -INFINITY),
     BYTES(int64_t, 0, INT64_MAX, INT64_MIN), NULL},
    {"2^63 and 1e300", T(F8, I8, 0, 1, 0, 0, 0), BYTES(double, 0x1p63, 1e300),
     BYTES(int64_t, INT64_MAX, INT64_MAX), NULL},
    {"2^64 and 2^63", T(F4, U8, 0, 1, 0, 0, 0), BYTES(float, 0x1p64f, 0x1p63f),
     BYTES(uint64_t, UINT64_MAX, UINT64_C(1) << 63), NULL},
    {"once rounded", T(I8, F4, 0, 1, 0, 0, 0), BYTES(int64_t, 9007199791611905), BYTES(float, 0x1.000002p53f),
     NULL},
    {"any byte is true", T(BOOL, I4, 0, 1, 0, 0, 0), BYTES(uint8_t, 0, 1, 2, 255), BYTES(int32_t, 0, 1, 1, 1),
     NULL},
    {"any byte is true", T(BOOL, F8, 0, 1, 0, 0, 0), BYTES(uint8_t, 0, 1, 2, 255), BYTES(double, 0, 1, 1, 1),
     NULL},
    {"not 0 is true", T(F8, BOOL, 0, 1, 0, 0, 0), BYTES(double, -0.0, 0.1, 5e-324, NAN),
     BYTES(uint8_t, 0, 1, 1, 1), NULL},
    {"256 is true", T(I4, BOOL, 0, 1, 0, 0, 0), BYTES(int32_t, 256, 0, -1), BYTES(uint8_t, 1, 0, 1), NULL},
    {"i is not 0", T(C16, BOOL, 0, 1, 0, 0, 0), BYTES(double, 0, 1, 0, 0, 1, 0), BYTES(uint8_t, 1, 0, 1),
     NULL},
    {"imaginary part dropped", T(C8, F8, 0, 1, 0, 0, 0), BYTES(float, 1.5f, NAN, -2, 3),
     BYTES(double, 1.5, -2), NULL},
    {"imaginary part 0", T(I2, C8, 0, 1, 0, 0, 0), BYTES(int16_t, 3, -4), BYTES(float, 3, 0, -4, 0), NULL},
    {"halves", T(F4, F2, 0, 1, 0, 0, 0), BYTES(float, 1, -2, 65504, 65520, 0x1p-24f, 0x1p-25f),
     BYTES(uint16_t, 0x3C00, 0xC000, 0x7BFF, 0x7C00, 1, 0), NULL},
    {"from halves", T(F2, I4, 0, 1, 0, 0, 0), BYTES(uint16_t, 0x3C00, 0xC000, 0x7BFF, 0x7C00, 0x7E00),
     BYTES(int32_t, 1, -2, 65504, INT32_MAX, 0), NULL},
    {"conjugate", T(C16, C16, 1, 1, 0, 0, 0), BYTES(double, 1, 2, -0.0, 0.0, 0.0, -0.0),
     BYTES(double, 1, -2, -0.0, -0.0, 0.0, 0.0), NULL},
    {"conjugate of reals", T(F8, C16, 1, 1, 0, 0, 0), BYTES(double, 1), BYTES(double, 1, 0.0), NULL},
    {"NaN keeps its payload", T(F4, F8, 0, 1, 0, 0, 0), BYTES(uint32_t, 0xFFC12345),
     BYTES(uint64_t, 0xFFF82468A0000000), NULL},
    {"NaN keeps what fits", T(F8, F4, 0, 1, 0, 0, 0), BYTES(uint64_t, 0x7FF82468A0000001),
     BYTES(uint32_t, 0x7FC12345), NULL},
    {"NaN of half", T(F2, F8, 0, 1, 0, 0, 0), BYTES(uint16_t, 0xFE01), BYTES(uint64_t, 0xFFF8040000000000),
     NULL},
    {"conjugate NaN", T(C16, C16, 1, 1, 0, 0, 0), BYTES(uint64_t, 0x7FF8000000000007, 0x7FF8000000000009),
     BYTES(uint64_t, 0x7FF8000000000007, 0xFFF8000000000009), NULL},
    {"beta 0 does not read NaN", T(F8, F8, 0, 2, 0, 0, 0), BYTES(double, 3), BYTES(double, 6), NULL},
    {"alpha 0 does not read NaN", T(F8, F8, 0, 0, 0, 3, 0), BYTES(double, NAN, INFINITY),
     BYTES(double, 6, -0.0), (const double[]){2, -0.0}},
    {"both 0", T(C16, C8, 0, 0, 0, 0, 0), BYTES(double, NAN, INFINITY), BYTES(float, 0, 0), NULL},
    {"a real alpha keeps to the parts", T(C16, C16, 0, 2, 0, 0, 0), BYTES(double, INFINITY, 1, NAN, 1),
     BYTES(double, INFINITY, 2, NAN, 2), NULL},
    {"i * i", T(C8, F4, 0, 0, 1, 0, 0), BYTES(float, 0, 1), BYTES(float, -1), NULL},
    {"i * conj(i)", T(C8, C16, 1, 0, 1, 0, 0), BYTES(float, 0, 1), BYTES(double, 1, 0), NULL},
    {"complex alpha of reals", T(I4, C16, 0, 2, 3, 0, 0), BYTES(int32_t, 5), BYTES(double, 10, 15), NULL},
    {"imaginary alpha, reals", T(F8, F8, 0, 0, 3, 0, 0), BYTES(double, 5), BYTES(double, 0), NULL},
    {"imaginary beta, reals: not read", T(F8, F8, 0, 1, 0, 0, 3), BYTES(double, 5), BYTES(double, 5), NULL},
    {"complex beta", T(F8, C16, 0, 1, 0, 0, 1), BYTES(double, 5), BYTES(double, 5 - 3, 2),
     (const double[]){2, 3}},
    {"beta 1", T(F4, F4, 0, 1, 0, 1, 0), BYTES(float, 1, 2), BYTES(float, 11, 22), (const float[]){10, 20}},
    {"float rounded once", T(F4, F4, 0, 1, 0, 1, 0), BYTES(float, 16777216.0f), BYTES(float, 16777218.0f),
     (const float[]){1.25f}},
    {"saturates", T(I1, I1, 0, 2, 0, 1, 0), BYTES(int8_t, 100, -100, 3), BYTES(int8_t, 127, -128, 7),
     (const int8_t[]){1, 1, 1}},
    {"fractions are dropped last", T(I4, I4, 0, 0.5, 0, 0.5, 0), BYTES(int32_t, 1, -3), BYTES(int32_t, 1, -1),
     (const int32_t[]){1, 0}},
    {"signed half way", T(F2, F2, 0, -0.5, 0, 0, 0), BYTES(uint16_t, 0x3C00), BYTES(uint16_t, 0xB800), NULL},
};

static void known_elements_come_out(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const struct known *k = &known[i];
    unsigned char got[64], want[64];
    const int64_t from_size = dap_dtype_size(k->t.from), to_size = dap_dtype_size(k->t.to);
    TEST_CASE("%s: %s -> %s", k->why, dap_dtype_name(k->t.from), dap_dtype_name(k->t.to));
    EXPECT_INT(k->from_bytes / from_size, k->want_bytes / to_size);
    memset(got, 0xFF, sizeof got);
    memset(want, 0xFF, sizeof want);
    if (k->old) memcpy(got, k->old, (size_t)k->want_bytes);
    memcpy(want, k->want, (size_t)k->want_bytes);
    dap_transform_row(&k->t, k->from, from_size, (char *)got, to_size, k->want_bytes / to_size);
    for (int b = 0; b < (int)sizeof got; b++)
      EXPECT_MSG(got[b] == want[b], "byte %d is %02X, not %02X", b, got[b], want[b]);
  }
  SETTLE();
}

/* 64-bit integers and long double are computed in long double. */
static void wide_arithmetic_is_exact(void **state)
{
  (void)state;
  if (!NUMBER_IS_WIDE) skip();
  static const int64_t from = -9007199254740993;
  int64_t to = 4611686018427387905;
  dap_transform t = {.from = DAP_I8, .to = DAP_I8, .alpha = {-1, 0}, .beta = {1, 0}};
  dap_transform_row(&t, (const char *)&from, 8, (char *)&to, 8, 1);
  EXPECT_INT(to, 4611686018427387905 + 9007199254740993);
  long double wide[2] = {0x1.0000000000000002p0L, 1}, out[2] = {1, 0};
  t = (dap_transform){.from = DAP_C32, .to = DAP_C32, .conjugate = true, .alpha = {2, 0}, .beta = {1, 0}};
  dap_transform_row(&t, (const char *)wide, sizeof wide, (char *)out, sizeof out, 1);
  EXPECT(out[0] == 3 + 0x1p-62L && out[1] == -2);
  SETTLE();
}

/* ---- which are copies --------------------------------------------------------------------------- */

static void copies_are_known(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    dap_transform t;
    bool want;
  } rows[] = {
      {"nothing to do", T(F8, F8, 0, 1, 0, 0, 0), true},
      {"two types", T(I4, U4, 0, 1, 0, 0, 0), false},
      {"same bytes, other type", T(F8, C8, 0, 1, 0, 0, 0), false},
      {"conjugate", T(C16, C16, 1, 1, 0, 0, 0), false},
      {"conjugate of reals", T(F16, F16, 1, 1, 0, 0, 0), true},
      {"alpha", T(F8, F8, 0, 2, 0, 0, 0), false},
      {"alpha 0", T(F8, F8, 0, 0, 0, 0, 0), false},
      {"beta", T(F8, F8, 0, 1, 0, 1, 0), false},
      {"complex alpha", T(C8, C8, 0, 1, 1, 0, 0), false},
      {"imaginary part of alpha has no effect", T(F4, F4, 0, 1, 1, 0, 0), true},
      {"imaginary beta", T(C8, C8, 0, 1, 0, 0, 1), false},
      {"imaginary part of beta has no effect", T(I4, I4, 0, 1, 0, 0, 1), true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    EXPECT_INT(dap_transform_is_copy(&rows[i].t), rows[i].want);
  }
  SETTLE();
}

/* ---- to the last bit -------------------------------------------------------------------------------- */

/* Draws any bits except those of NaN. */
static double draw_bits(test_random *random)
{
  for (;;) {
    const uint64_t bits = test_random_bits(random);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (!isnan(x)) return x;
  }
}

static float draw_float(test_random *random)
{
  for (;;) {
    const uint32_t bits = (uint32_t)test_random_bits(random);
    float x;
    memcpy(&x, &bits, sizeof x);
    if (!isnan(x)) return x;
  }
}

/* Numbers are near each other, so that sums lose digits; or subnormal, or too large. */
static void sums_are_rounded_once(void **state)
{
  (void)state;
  enum { SUMS = 100000 };
  const dap_transform f4 = {.from = DAP_F4, .to = DAP_F4, .alpha = {1, 0}, .beta = {1, 0}},
                      f8 = {.from = DAP_F8, .to = DAP_F8, .alpha = {1, 0}, .beta = {1, 0}};
  test_random random = test_random_init(173);
  for (int i = 0; i < SUMS; i++) {
    const double x = draw_bits(&random),
                 y = i % 2 ? draw_bits(&random) : x * (double)test_random_int(&random, -9, 9) / 7;
    const float u = draw_float(&random),
                v = i % 2 ? draw_float(&random) : u * (float)test_random_int(&random, -9, 9) / 7;
    double wide = y;
    float narrow = v;
    dap_transform_row(&f8, (const char *)&x, 8, (char *)&wide, 8, 1);
    dap_transform_row(&f4, (const char *)&u, 4, (char *)&narrow, 4, 1);
    const double sum = x + y;
    const float rounded = (float)((double)u + (double)v);
    if (isnan(sum) || isnan(rounded)) continue;
    EXPECT_MSG(memcmp(&wide, &sum, sizeof sum) == 0, "%a + %a is %a, not %a", x, y, wide, sum);
    EXPECT_MSG(memcmp(&narrow, &rounded, sizeof rounded) == 0, "%a + %a is %a, not %a", (double)u, (double)v,
               (double)narrow, (double)rounded);
  }
  SETTLE();
}

static void others_are_converted(void **state)
{
  (void)state;
  static const dap_dtype common[] = {DAP_I4, DAP_I8, DAP_F4, DAP_F8, DAP_C8, DAP_C16};
  const dap_transform sum = {.from = DAP_F8, .to = DAP_F8, .alpha = {1, 0}, .beta = {1, 0}};
  dap_transform t = sum;
  for (int i = 0; i < (int)(sizeof common / sizeof common[0]); i++) {
    t.from = t.to = common[i];
    EXPECT(dap_combine_find(&t) != NULL);
  }
  t = sum, t.from = DAP_F4;
  EXPECT(!dap_combine_find(&t));
  t = sum, t.from_swapped = true;
  EXPECT(!dap_combine_find(&t));
  t = sum, t.to_swapped = true;
  EXPECT(!dap_combine_find(&t));
  t = sum, t.alpha[0] = 2;
  EXPECT(!dap_combine_find(&t));
  t = sum, t.beta[0] = 0;
  EXPECT(!dap_combine_find(&t));
  t = sum, t.from = t.to = DAP_C16, t.conjugate = true;
  EXPECT(!dap_combine_find(&t));
  t.conjugate = false, t.alpha[1] = 1;
  EXPECT(!dap_combine_find(&t));
  t = (dap_transform){.alpha = {1, 0}, .beta = {1, 0}};
  EXPECT(!dap_combine_find(&t));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_pair_converts_its_edges), cmocka_unit_test(known_elements_come_out),
    cmocka_unit_test(wide_arithmetic_is_exact),      cmocka_unit_test(copies_are_known),
    cmocka_unit_test(sums_are_rounded_once),         cmocka_unit_test(others_are_converted),
};
MPI_TEST_MAIN(tests)
