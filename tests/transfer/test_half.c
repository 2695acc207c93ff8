/* Tests all half-precision numbers. The rounding between every two neighbours is compared with arithmetic.
 * Private: plans would move each number separately. */
#include "convert.h"
#include "mpi_test.h"
#include "number.h"

#include <math.h>

enum { INFINITE = 0x7C00 };

static void every_half_is_read(void **state)
{
  (void)state;
  for (unsigned h = 0; h <= UINT16_MAX; h++) {
    const double got = dap_half_value((uint16_t)h);
    const long double want = number_of_half((uint16_t)h);
    EXPECT_MSG(isnan(want) ? isnan(got) : (long double)got == want, "0x%04X is %g", h, got);
    EXPECT_MSG(!signbit(got) == !(h & 0x8000), "0x%04X is %g", h, got);
  }
  SETTLE();
}

static void every_half_comes_back(void **state)
{
  (void)state;
  for (unsigned h = 0; h <= UINT16_MAX; h++) {
    const unsigned quiet = (h & 0x7FFFu) > INFINITE ? 0x0200u : 0; /* the other bits of a NaN are kept */
    EXPECT_INT(dap_half_of(dap_half_value((uint16_t)h)), h | quiet);
    EXPECT_INT(dap_half_of_long(dap_half_value((uint16_t)h)) & 0xFE00u, (h | quiet) & 0xFE00u);
    if ((h & 0x7FFFu) <= INFINITE) EXPECT_INT(dap_half_of_long(number_of_half((uint16_t)h)), h);
  }
  SETTLE();
}

static void expect_half(long double value, unsigned want)
{
  for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
    const long double x = sign ? -value : value;
    EXPECT_MSG(dap_half_of_long(x) == (want | sign), "%.22Lg is 0x%04X, not 0x%04X", x, dap_half_of_long(x),
               want | sign);
    if ((long double)(double)x == x)
      EXPECT_MSG(dap_half_of((double)x) == (want | sign), "%.17Lg is 0x%04X, not 0x%04X", x,
                 dap_half_of((double)x), want | sign);
  }
}

/* The middle between the largest number and infinity is where it would be for the next finite number. */
static void ties_go_to_even(void **state)
{
  (void)state;
  for (unsigned h = 0; h < INFINITE; h++) {
    const long double low = number_of_half((uint16_t)h);
    const long double high = h + 1 < INFINITE ? number_of_half((uint16_t)(h + 1)) : 65536;
    const long double middle = (low + high) / 2;
    expect_half(middle, h + h % 2);
    expect_half(nextafterl(middle, 0), h); /* as a double, this is the middle */
    expect_half(nextafterl(middle, INFINITY), h + 1);
    expect_half((long double)nextafter((double)middle, 0), h);
    expect_half((long double)nextafter((double)middle, INFINITY), h + 1);
    expect_half(nextafterl(low, INFINITY), h);
    expect_half(nextafterl(high, 0), h + 1);
  }
  SETTLE();
}

static void what_is_far_off_ends_at_the_ends(void **state)
{
  (void)state;
  expect_half(1e300L, INFINITE);
  expect_half(LDBL_MAX, INFINITE); /* not a double */
  expect_half((long double)INFINITY, INFINITE);
  expect_half(DBL_MIN, 0);
  expect_half((long double)DBL_TRUE_MIN, 0);
  expect_half(LDBL_TRUE_MIN, 0); /* not a double */
  EXPECT(isnan(dap_half_value(dap_half_of_long((long double)NAN))));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_half_is_read),
    cmocka_unit_test(every_half_comes_back),
    cmocka_unit_test(ties_go_to_even),
    cmocka_unit_test(what_is_far_off_ends_at_the_ends),
};
MPI_TEST_MAIN(tests)
