/* Random rows: any types, strides and factors, against the model in number.h. */
#include "mpi_test.h"
#include "number.h"
#include "transfer_impl.h"

#include <math.h>

enum { CASES = 6000, MOST = 600 /* elements: some rows have several blocks */, GAP = 9, POISON = 0xFF };
enum { ARENA = (MOST + 1) * (NUMBER_BYTES + GAP) };

/* A row of elements in memory. */
typedef struct row {
  dap_dtype dtype;
  int64_t stride, first; /* bytes */
  unsigned char memory[ARENA];
} row;

/* Whatever address: elements begin anywhere, with gaps and backwards, and a source may be one element for
 * all. */
static void draw_row(test_random *random, row *r, int64_t count, bool may_be_one)
{
  const int64_t size = dap_dtype_size(r->dtype);
  r->stride = size + (test_random_one_in(random, 2) ? 0 : test_random_int(random, 0, GAP));
  if (test_random_one_in(random, 3)) r->stride = -r->stride;
  if (may_be_one && test_random_one_in(random, 8)) r->stride = 0;
  r->first = test_random_int(random, 0, GAP);
  if (r->stride < 0) r->first -= (count - 1) * r->stride;
  memset(r->memory, POISON, sizeof r->memory);
}

static unsigned char *at(row *r, int64_t i)
{
  return r->memory + r->first + i * r->stride;
}

/* ---- exact: products and sums that need no rounding before the last ------------------------------- */

static long double draw_part(test_random *random, bool specials)
{
  const long double odd[] = {(long double)NAN, (long double)INFINITY, (long double)-INFINITY, -0.0L, 1e300L};
  if (specials && test_random_one_in(random, 10)) return odd[test_random_int(random, 0, 4)];
  return (long double)test_random_int(random, -400, 400) / 4;
}

static void draw_factor(test_random *random, double factor[2])
{
  static const double numbers[] = {0, 0, 1, 1, -1, 0.5, 2, -3};
  factor[0] = numbers[test_random_int(random, 0, 7)];
  factor[1] = test_random_one_in(random, 3) ? numbers[test_random_int(random, 0, 7)] : 0;
}

static bool is_zero(const double factor[2])
{
  return factor[0] == 0 && factor[1] == 0;
}

static number expected(const dap_transform *t, number from, number old)
{
  if (t->conjugate && number_is_complex(t->from)) from.im = -from.im;
  number sum = {0, 0};
  if (!is_zero(t->alpha)) sum = number_times(t->alpha, from);
  if (is_zero(t->beta)) return sum;
  const number more = number_times(t->beta, old);
  if (is_zero(t->alpha)) return more;
  return (number){sum.re + more.re, sum.im + more.im};
}

/* Factors whose imaginary part cannot reach a real destination do not count; the library does not read it
 * for them, and NaN or infinity in it would otherwise. */
static void draw_transform(test_random *random, dap_transform *t)
{
  *t = (dap_transform){.from = (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES)};
  t->to = (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES);
  t->conjugate = test_random_one_in(random, 3);
  draw_factor(random, t->alpha);
  draw_factor(random, t->beta);
  if (test_random_one_in(random, 3)) t->beta[0] = t->beta[1] = 0;
  if (!number_is_complex(t->to)) t->beta[1] = 0;
  if (!number_is_complex(t->to) && !number_is_complex(t->from)) t->alpha[1] = 0;
}

static void check_rows(const dap_transform *t, int64_t count, row *from, row *to, const row *before)
{
  static bool is_element[ARENA];
  static row was;
  was = *before;
  memset(is_element, 0, sizeof is_element);
  const bool is_moved = t->alpha[0] == 1 && t->alpha[1] == 0 && is_zero(t->beta);
  for (int64_t i = 0; i < count; i++) {
    unsigned char want[NUMBER_BYTES] = {0};
    number_write(t->to, expected(t, number_read(t->from, at(from, i)), number_read(t->to, at(&was, i))),
                 want);
    const number x = number_read(t->to, at(to, i)), y = number_read(t->to, want);
    if (!EXPECT_MSG(number_is(x, y, is_moved), "element %lld is (%Lg, %Lg), not (%Lg, %Lg)", (long long)i,
                    x.re, x.im, y.re, y.im))
      return;
    for (int64_t b = 0; b < dap_dtype_size(t->to); b++) is_element[at(to, i) - to->memory + b] = true;
  }
  for (int b = 0; b < ARENA; b++)
    if (!is_element[b] && !EXPECT_MSG(to->memory[b] == POISON, "byte %d is not of an element", b)) return;
}

static void rows_are_transformed(void **state)
{
  (void)state;
  static row from, to, before;
  test_random random = test_random_init(71);
  for (int c = 0; c < CASES; c++) {
    dap_transform t;
    draw_transform(&random, &t);
    const int64_t count = test_random_int(&random, 0, test_random_one_in(&random, 10) ? MOST : 20);
    from.dtype = t.from, to.dtype = t.to;
    draw_row(&random, &from, count, true);
    draw_row(&random, &to, count, false);
    /* With complex factors infinity and NaN spread over both parts, in ways that C leaves open. */
    const bool specials = t.alpha[1] == 0 && t.beta[1] == 0;
    for (int64_t i = 0; i < count; i++) {
      number_write(t.from, (number){draw_part(&random, specials), draw_part(&random, specials)},
                   at(&from, i));
      if (!is_zero(t.beta))
        number_write(t.to, (number){draw_part(&random, specials), draw_part(&random, specials)}, at(&to, i));
    }
    before = to;
    TEST_CASE(
        "seed %llu, case %d: %s -> %s%s, alpha (%g, %g), beta (%g, %g), strides %lld %lld, %lld elements",
        (unsigned long long)test_seed(), c, dap_dtype_name(t.from), dap_dtype_name(t.to),
        t.conjugate ? " conj" : "", t.alpha[0], t.alpha[1], t.beta[0], t.beta[1], (long long)from.stride,
        (long long)to.stride, (long long)count);
    dap_transform_row(&t, (const char *)at(&from, 0), from.stride, (char *)at(&to, 0), to.stride, count);
    check_rows(&t, count, &from, &to, &before);
    SETTLE();
  }
}

/* ---- rounded: any numbers, to within what rounding may do ----------------------------------------- */

static double draw_double(test_random *random)
{
  return ldexp((double)test_random_int(random, INT64_MIN / 2, INT64_MAX / 2),
               (int)test_random_int(random, -66, -56));
}

static long double digits_of(dap_dtype dtype)
{
  switch (dtype) {
  case DAP_F2:
    return 11;
  case DAP_F4:
  case DAP_C8:
    return FLT_MANT_DIG;
  default:
    return DBL_MANT_DIG;
  }
}

static bool is_near(long double got, long double want, long double sizes, long double digits)
{
  return fabsl(got - want) <= fabsl(want) * exp2l(-digits) + sizes * 8 * exp2l(-DBL_MANT_DIG);
}

static void rounding_is_all_that_differs(void **state)
{
  (void)state;
  static const dap_dtype types[] = {DAP_F2, DAP_F4, DAP_F8, DAP_F16, DAP_C8, DAP_C16, DAP_C32};
  test_random random = test_random_init(72);
  for (int c = 0; c < CASES; c++) {
    unsigned char from[NUMBER_BYTES], to[NUMBER_BYTES];
    dap_transform t = {.from = types[test_random_int(&random, 0, 6)],
                       .to = types[test_random_int(&random, 0, 6)]};
    for (int part = 0; part < 2; part++) {
      t.alpha[part] = draw_double(&random);
      t.beta[part] = number_is_complex(t.to) ? draw_double(&random) : 0;
    }
    number_write(t.from, (number){(long double)draw_double(&random), (long double)draw_double(&random)},
                 from);
    number_write(t.to, (number){(long double)draw_double(&random), (long double)draw_double(&random)}, to);
    if (t.to == DAP_F2) t.alpha[0] /= 64, t.alpha[1] /= 64; /* stay where halves are dense */
    const number x = number_read(t.from, from), old = number_read(t.to, to), want = expected(&t, x, old);
    const long double sizes =
        (fabsl(x.re) + fabsl(x.im)) * (long double)(fabs(t.alpha[0]) + fabs(t.alpha[1])) +
        (fabsl(old.re) + fabsl(old.im)) * (long double)(fabs(t.beta[0]) + fabs(t.beta[1]));
    TEST_CASE("seed %llu, case %d: %s -> %s", (unsigned long long)test_seed(), c, dap_dtype_name(t.from),
              dap_dtype_name(t.to));
    dap_transform_row(&t, (const char *)from, 0, (char *)to, 0, 1);
    const number got = number_read(t.to, to);
    const long double least = t.to == DAP_F2 ? 0x1p-24L / 2 / 8 * exp2l(DBL_MANT_DIG) : 0; /* subnormal */
    EXPECT_MSG(is_near(got.re, want.re, sizes + least, digits_of(t.to)), "%Lg, not %Lg", got.re, want.re);
    if (number_is_complex(t.to))
      EXPECT_MSG(is_near(got.im, want.im, sizes, digits_of(t.to)), "%Lg i, not %Lg i", got.im, want.im);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_are_transformed),
    cmocka_unit_test(rounding_is_all_that_differs),
};
MPI_TEST_MAIN(tests)
