/* Converts and scales elements, and combines them with others in place. Random rows, blocks and lists of
 * any types are compared with the model in number.h, and nothing around them may change. Private: plans
 * reach few of these cases. */
#include "buffers.h"
#include "mpi_test.h"
#include "number.h"
#include "transfer_impl.h"

#include <math.h>

enum { CASES = 8000, LISTS = 4000, ROUNDED = 6000, MOST = 700 /* elements */, GAP = 9 };
enum { ARENA = 2 * MOST * (NUMBER_BYTES + GAP) };

/* Elements of both sides with their places in memory, and how they are combined. */
typedef struct combination {
  dap_transform t;
  int64_t count;
  int64_t from_at[MOST], to_at[MOST]; /* [count] bytes */
  unsigned char from[ARENA], to[ARENA], before[ARENA];
} combination;

static const char *const reduce_ops[] = {"sum", "max", "min"};

/* ---- the model -------------------------------------------------------------------------------------- */

static number read_element(dap_dtype dtype, bool swapped, const unsigned char *at)
{
  unsigned char element[NUMBER_BYTES] = {0};
  memcpy(element, at, (size_t)dap_dtype_size(dtype));
  if (swapped) turn_bytes(dtype, element);
  return number_read(dtype, element);
}

static void write_element(dap_dtype dtype, bool swapped, number value, unsigned char *at)
{
  unsigned char element[NUMBER_BYTES] = {0};
  number_write(dtype, value, element);
  if (swapped) turn_bytes(dtype, element);
  memcpy(at, element, (size_t)dap_dtype_size(dtype));
}

/* Returns the new value if both are equal, because zeros have signs. */
static long double extreme(dap_reduce_op reduce_op, long double a, long double b)
{
  if (isnan(a) || isnan(b)) return (long double)NAN;
  return (reduce_op == DAP_REDUCE_OP_MAX ? b > a : b < a) ? b : a;
}

static bool is_zero(const double factor[2])
{
  return factor[0] == 0 && factor[1] == 0;
}

static bool is_one(const double factor[2])
{
  return factor[0] == 1 && factor[1] == 0;
}

static number expected(const dap_transform *t, number from, number old)
{
  if (t->reduce_op != DAP_REDUCE_OP_SUM) return (number){extreme(t->reduce_op, from.re, old.re), 0};
  if (t->conjugate && number_is_complex(t->from)) from.im = -from.im;
  const number sum = is_zero(t->alpha) ? (number){0, 0} : number_times(t->alpha, from);
  if (is_zero(t->beta)) return sum;
  const number more = number_times(t->beta, old);
  return is_zero(t->alpha) ? more : (number){sum.re + more.re, sum.im + more.im};
}

/* Checks all that the library has changed. */
static void check(const combination *c)
{
  static unsigned char rest[ARENA];
  const bool has_signs = is_one(c->t.alpha) && (is_zero(c->t.beta) || is_one(c->t.beta));
  memcpy(rest, c->to, sizeof rest);
  for (int64_t i = 0; i < c->count; i++) {
    const size_t size = (size_t)dap_dtype_size(c->t.to);
    const number a = read_element(c->t.from, c->t.from_swapped, c->from + c->from_at[i]),
                 b = read_element(c->t.to, c->t.to_swapped, c->before + c->to_at[i]),
                 got = read_element(c->t.to, c->t.to_swapped, c->to + c->to_at[i]);
    unsigned char held[NUMBER_BYTES] = {0};
    number_write(c->t.to, expected(&c->t, a, b), held);
    const number want = number_read(c->t.to, held);
    if (!EXPECT_MSG(number_is(got, want, has_signs),
                    "element %lld: (%Lg, %Lg) and (%Lg, %Lg) are (%Lg, %Lg), not (%Lg, %Lg)", (long long)i,
                    a.re, a.im, b.re, b.im, got.re, got.im, want.re, want.im))
      return;
    memcpy(rest + c->to_at[i], c->before + c->to_at[i], size);
  }
  EXPECT_MSG(memcmp(rest, c->before, sizeof rest) == 0, "bytes that are of no element have changed");
}

/* ---- elements --------------------------------------------------------------------------------------- */

/* Products and sums need no rounding before the last one. A value that a type cannot hold becomes the nearest
 * that it can hold, so integers are at the ends of their range if nothing is scaled. With complex factors,
 * infinity and NaN spread to both parts, which C does not define. */
static long double draw_part(test_random *random, const dap_transform *t)
{
  const bool is_scaled = !is_one(t->alpha) || !(is_zero(t->beta) || is_one(t->beta)),
             is_complex = t->alpha[1] != 0 || t->beta[1] != 0;
  static const long double ends[] = {INT8_MAX,   INT8_MIN,  UINT8_MAX, INT16_MAX,  INT16_MIN,
                                     UINT16_MAX, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX,
                                     INT64_MIN,  1e30L,     -1e30L,    0.0L,       -0.0L};
  const long double odd[] = {(long double)NAN, (long double)INFINITY, (long double)-INFINITY};
  enum { ENDS = sizeof ends / sizeof ends[0], ODD = sizeof odd / sizeof odd[0] };
  if (NUMBER_IS_WIDE && !is_scaled && test_random_one_in(random, 4))
    return ends[test_random_int(random, 0, ENDS - 1)];
  if (!is_complex && test_random_one_in(random, 12)) return odd[test_random_int(random, 0, ODD - 1)];
  return (long double)test_random_int(random, -400, 400) / 4;
}

static void fill(test_random *random, combination *c)
{
  for (int i = 0; i < ARENA; i++) c->from[i] = c->to[i] = (unsigned char)(i * 7 + 1);
  for (int64_t i = 0; i < c->count; i++) {
    write_element(c->t.from, c->t.from_swapped, (number){draw_part(random, &c->t), draw_part(random, &c->t)},
                  c->from + c->from_at[i]);
    if (!is_zero(c->t.beta)) /* otherwise it is not read */
      write_element(c->t.to, c->t.to_swapped, (number){draw_part(random, &c->t), draw_part(random, &c->t)},
                    c->to + c->to_at[i]);
  }
  memcpy(c->before, c->to, sizeof c->before);
}

static void draw_factor(test_random *random, double factor[2])
{
  static const double numbers[] = {0, 0, 1, 1, -1, 0.5, 2, -3};
  factor[0] = numbers[test_random_int(random, 0, 7)];
  factor[1] = test_random_one_in(random, 3) ? numbers[test_random_int(random, 0, 7)] : 0;
}

/* If an imaginary part of a factor cannot reach a real destination, it is 0. The library does not read it
 * then, but in the model NaN or infinity would count. */
static void draw_factors(test_random *random, dap_transform *t)
{
  t->conjugate = test_random_one_in(random, 3);
  draw_factor(random, t->alpha);
  draw_factor(random, t->beta);
  if (test_random_one_in(random, 3)) t->beta[0] = t->beta[1] = 0;
  if (!number_is_complex(t->to)) t->beta[1] = 0;
  if (!number_is_complex(t->to) && !number_is_complex(t->from)) t->alpha[1] = 0;
}

/* Every second time, the types are equal, and elements are added, or the largest or smallest is taken, as in
 * plans that combine. */
static void draw_transform(test_random *random, dap_transform *t)
{
  const bool combines = test_random_one_in(random, 2);
  *t = (dap_transform){.from = (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES),
                       .alpha = {1, 0},
                       .beta = {1, 0},
                       .from_swapped = test_random_one_in(random, 6),
                       .to_swapped = test_random_one_in(random, 6)};
  const dap_dtype other = (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES);
  t->to = combines && !test_random_one_in(random, 6) ? t->from : other;
  if (!combines) draw_factors(random, t);
  if (combines && !number_is_complex(t->from) && !number_is_complex(t->to))
    t->reduce_op = (dap_reduce_op)test_random_int(random, DAP_REDUCE_OP_SUM, DAP_REDUCE_OP_MIN);
}

static void label(int index, const char *what, const combination *c)
{
  TEST_CASE("seed %llu, case %d: %s, %s of %s%s%s and %s%s, alpha (%g, %g), beta (%g, %g), %lld elements",
            (unsigned long long)test_seed(), index, what, reduce_ops[c->t.reduce_op],
            dap_dtype_name(c->t.from), c->t.from_swapped ? ", swapped" : "",
            c->t.conjugate ? ", conjugate" : "", dap_dtype_name(c->t.to), c->t.to_swapped ? ", swapped" : "",
            c->t.alpha[0], c->t.alpha[1], c->t.beta[0], c->t.beta[1], (long long)c->count);
}

/* ---- rows and blocks -------------------------------------------------------------------------------- */

/* Draws a small count, one near the number of elements in a register, or a large one. */
static int64_t draw_count(test_random *random, int64_t most)
{
  const int64_t around[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 256, 512};
  const int64_t count = around[test_random_int(random, 0, 10)] + test_random_int(random, -1, 1);
  return count < 0 ? 0 : count > most ? most : count;
}

/* Draws the steps of n[0] x n[1] elements. Either axis has the smaller steps, with gaps or without, forward
 * or backward. Returns the place of the first element. */
static int64_t draw_steps(test_random *random, int64_t size, const int64_t n[2], int64_t steps[2])
{
  const int inner = (int)test_random_int(random, 0, 1), outer = 1 - inner;
  int64_t first = test_random_int(random, 0, GAP);
  steps[inner] = size + (test_random_one_in(random, 2) ? 0 : test_random_int(random, 0, GAP));
  steps[outer] =
      steps[inner] * n[inner] + (test_random_one_in(random, 2) ? 0 : test_random_int(random, 0, GAP));
  for (int k = 0; k < 2; k++) {
    if (!test_random_one_in(random, 4)) continue;
    first += dap_larger(n[k] - 1, 0) * steps[k];
    steps[k] = -steps[k];
  }
  return first;
}

static void place_block(const int64_t n[2], int64_t first, const int64_t steps[2], int64_t at[])
{
  for (int64_t i = 0; i < n[0]; i++)
    for (int64_t j = 0; j < n[1]; j++) at[i * n[1] + j] = first + i * steps[0] + j * steps[1];
}

static void rows_and_blocks(void **state)
{
  (void)state;
  static combination c;
  test_random random = test_random_init(171);
  for (int i = 0; i < test_cases(CASES); i++) {
    int64_t n[2] = {draw_count(&random, MOST)}, from_step[2], to_step[2];
    dap_nest block = {0}, sorted;
    const bool is_row = test_random_one_in(&random, 2);
    draw_transform(&random, &c.t);
    n[1] = is_row ? 1 : draw_count(&random, MOST / dap_larger(n[0], 1));
    c.count = n[0] * n[1];
    block.from = draw_steps(&random, dap_dtype_size(c.t.from), n, from_step);
    block.to = draw_steps(&random, dap_dtype_size(c.t.to), n, to_step);
    if (is_row && test_random_one_in(&random, 8)) from_step[0] = 0; /* one element for all */
    place_block(n, block.from, from_step, c.from_at);
    place_block(n, block.to, to_step, c.to_at);
    fill(&random, &c);
    label(i, is_row ? "a row" : "a block", &c);
    for (int k = 0; k < 2; k++) dap_nest_add(&block, n[k], from_step[k], to_step[k]);
    dap_nest_sort(&block, &sorted);
    if (is_row)
      dap_transform_row(&c.t, (const char *)c.from + block.from, from_step[0], (char *)c.to + block.to,
                        to_step[0], n[0]);
    else
      dap_nest_transform(&c.t, &sorted, (const char *)c.from, (char *)c.to);
    check(&c);
    SETTLE();
  }
}

/* ---- lists ------------------------------------------------------------------------------------------ */

enum { UNUSED = 5 /* numbers before the first one of a list */ };

/* The places of one end. */
typedef struct list {
  dap_places places;
  int64_t at[MOST]; /* positions */
  uint32_t narrow[MOST + UNUSED];
  int64_t wide[MOST + UNUSED];
} list;

/* Draws different positions, in any order. */
static void draw_positions(test_random *random, int64_t count, int64_t at[])
{
  for (int64_t i = 0, next = 0; i < count; i++, next++) at[i] = next += test_random_int(random, 0, 1);
  test_shuffle(random, count, at);
}

/* Positions are adjacent, or listed in 4 or 8 bytes behind some that are not used. There are `bytes` at each
 * position. */
static void draw_list(test_random *random, int64_t count, int64_t bytes, list *l)
{
  const int64_t kind = test_random_int(random, 0, 2);
  l->places =
      (dap_places){.step = bytes + (test_random_one_in(random, 2) ? 0 : test_random_int(random, 0, GAP))};
  for (int64_t i = 0; i < count; i++) l->at[i] = i;
  if (kind == 0) return;
  l->places.first = test_random_int(random, 0, UNUSED);
  l->places.at = kind == 1 ? (dap_packed){l->narrow, 4} : (dap_packed){l->wide, 8};
  draw_positions(random, count, l->at);
  for (int64_t i = 0; i < UNUSED; i++) l->narrow[i] = UINT32_MAX, l->wide[i] = INT64_MAX / NUMBER_BYTES;
  for (int64_t i = 0; i < count; i++)
    l->narrow[l->places.first + i] = (uint32_t)l->at[i], l->wide[l->places.first + i] = l->at[i];
}

static const dap_dtype common[] = {DAP_I4, DAP_I8, DAP_F4, DAP_F8, DAP_C8, DAP_C16};
enum { COMMON = sizeof common / sizeof common[0] };

static void lists(void **state)
{
  (void)state;
  static combination c;
  static list from, to;
  test_random random = test_random_init(172);
  for (int i = 0; i < test_cases(LISTS); i++) {
    c.t = (dap_transform){
        .from = common[test_random_int(&random, 0, COMMON - 1)], .alpha = {1, 0}, .beta = {1, 0}};
    c.t.to = c.t.from;
    if (!number_is_complex(c.t.to))
      c.t.reduce_op = (dap_reduce_op)test_random_int(&random, DAP_REDUCE_OP_SUM, DAP_REDUCE_OP_MIN);
    const int64_t each = test_random_int(&random, 1, 6), size = dap_dtype_size(c.t.to);
    const int64_t count = draw_count(&random, MOST / 6);
    draw_list(&random, count, each * size, &from);
    draw_list(&random, count, each * size, &to);
    c.count = count * each;
    for (int64_t k = 0; k < c.count; k++) {
      c.from_at[k] = from.at[k / each] * from.places.step + k % each * size;
      c.to_at[k] = to.at[k / each] * to.places.step + k % each * size;
    }
    fill(&random, &c);
    label(i, "a list", &c);
    dap_combine_pairs *combine = dap_combine_find(&c.t);
    if (EXPECT(combine != NULL))
      combine(&(dap_pairs){.from = (const char *)c.from,
                           .to = (char *)c.to,
                           .source = from.places,
                           .destination = to.places,
                           .count = count,
                           .each = each});
    check(&c);
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
  for (int c = 0; c < test_cases(ROUNDED); c++) {
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
    if (t.to == DAP_F2) t.alpha[0] /= 64, t.alpha[1] /= 64; /* so that results stay where halves are dense */
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
    cmocka_unit_test(rows_and_blocks),
    cmocka_unit_test(lists),
    cmocka_unit_test(rounding_is_all_that_differs),
};
MPI_TEST_MAIN(tests)
