/* Elements combined with others in place: rows, blocks and lists of any types, against the model in number.h.
 * What is around them must not change. */
#include "buffers.h"
#include "mpi_test.h"
#include "number.h"
#include "transfer_impl.h"

#include <math.h>

enum { CASES = 4000, MOST = 700 /* elements */, GAP = 9 };
enum { ARENA = 2 * MOST * (NUMBER_BYTES + GAP) };

/* Elements of both sides, by their places in memory, and how they are combined. */
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

/* Of two that are equal the new one, as zeros have signs. */
static long double extreme(dap_reduce_op reduce_op, long double a, long double b)
{
  if (isnan(a) || isnan(b)) return (long double)NAN;
  return (reduce_op == DAP_REDUCE_OP_MAX ? b > a : b < a) ? b : a;
}

static number expected(const dap_transform *t, number a, number b)
{
  if (t->reduce_op == DAP_REDUCE_OP_SUM) return (number){a.re + b.re, a.im + b.im};
  return (number){extreme(t->reduce_op, a.re, b.re), 0};
}

/* Whatever the library has changed. */
static void check(const combination *c)
{
  static unsigned char rest[ARENA];
  memcpy(rest, c->to, sizeof rest);
  for (int64_t i = 0; i < c->count; i++) {
    const size_t size = (size_t)dap_dtype_size(c->t.to);
    const number a = read_element(c->t.from, c->t.from_swapped, c->from + c->from_at[i]),
                 b = read_element(c->t.to, c->t.to_swapped, c->before + c->to_at[i]),
                 got = read_element(c->t.to, c->t.to_swapped, c->to + c->to_at[i]);
    unsigned char held[NUMBER_BYTES] = {0};
    number_write(c->t.to, expected(&c->t, a, b), held);
    const number want = number_read(c->t.to, held);
    if (!EXPECT_MSG(number_is(got, want, true),
                    "element %lld: (%Lg, %Lg) and (%Lg, %Lg) are (%Lg, %Lg), not (%Lg, %Lg)", (long long)i,
                    a.re, a.im, b.re, b.im, got.re, got.im, want.re, want.im))
      return;
    memcpy(rest + c->to_at[i], c->before + c->to_at[i], size);
  }
  EXPECT_MSG(memcmp(rest, c->before, sizeof rest) == 0, "bytes that are of no element have changed");
}

/* ---- elements --------------------------------------------------------------------------------------- */

/* Sums are exact, or need no rounding but the last. What a type does not hold becomes the nearest that it
 * holds, so integers are at the ends of their range. */
static long double draw_part(test_random *random)
{
  static const long double ends[] = {INT8_MAX,   INT8_MIN,  UINT8_MAX, INT16_MAX,  INT16_MIN,
                                     UINT16_MAX, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX,
                                     INT64_MIN,  1e30L,     -1e30L,    0.0L,       -0.0L};
  const long double odd[] = {(long double)NAN, (long double)INFINITY, (long double)-INFINITY};
  enum { ENDS = sizeof ends / sizeof ends[0], ODD = sizeof odd / sizeof odd[0] };
  if (NUMBER_IS_WIDE && test_random_one_in(random, 4)) return ends[test_random_int(random, 0, ENDS - 1)];
  if (test_random_one_in(random, 12)) return odd[test_random_int(random, 0, ODD - 1)];
  return (long double)test_random_int(random, -400, 400) / 4;
}

static void fill(test_random *random, combination *c)
{
  for (int i = 0; i < ARENA; i++) c->from[i] = c->to[i] = (unsigned char)(i * 7 + 1);
  for (int64_t i = 0; i < c->count; i++) {
    write_element(c->t.from, c->t.from_swapped, (number){draw_part(random), draw_part(random)},
                  c->from + c->from_at[i]);
    write_element(c->t.to, c->t.to_swapped, (number){draw_part(random), draw_part(random)},
                  c->to + c->to_at[i]);
  }
  memcpy(c->before, c->to, sizeof c->before);
}

/* Mostly of one type in this machine's byte order, as most plans have them. */
static void draw_transform(test_random *random, dap_transform *t)
{
  *t = (dap_transform){.from = (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES),
                       .alpha = {1, 0},
                       .beta = {1, 0},
                       .from_swapped = test_random_one_in(random, 6),
                       .to_swapped = test_random_one_in(random, 6)};
  t->to =
      test_random_one_in(random, 6) ? (dap_dtype)test_random_int(random, DAP_BOOL, NUMBER_TYPES) : t->from;
  if (!number_is_complex(t->from) && !number_is_complex(t->to))
    t->reduce_op = (dap_reduce_op)test_random_int(random, DAP_REDUCE_OP_SUM, DAP_REDUCE_OP_MIN);
}

static void label(int index, const char *what, const combination *c)
{
  TEST_CASE("seed %llu, case %d: %s, %s of %s%s and %s%s, %lld elements", (unsigned long long)test_seed(),
            index, what, reduce_ops[c->t.reduce_op], dap_dtype_name(c->t.from),
            c->t.from_swapped ? ", swapped" : "", dap_dtype_name(c->t.to), c->t.to_swapped ? ", swapped" : "",
            (long long)c->count);
}

/* ---- rows and blocks -------------------------------------------------------------------------------- */

/* Few, as many as processors have in their registers and one more or less, or many. */
static int64_t draw_count(test_random *random, int64_t most)
{
  const int64_t around[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 256, 512};
  const int64_t count = around[test_random_int(random, 0, 10)] + test_random_int(random, -1, 1);
  return count < 0 ? 0 : count > most ? most : count;
}

/* Steps of n[0] x n[1] elements, either axis the one with the smaller steps, with gaps or without, forward or
 * backward; returns the first one's place. */
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

enum { UNUSED = 5 /* numbers before a list's first */ };

/* The places of one end. */
typedef struct list {
  dap_places places;
  int64_t at[MOST]; /* positions */
  uint32_t narrow[MOST + UNUSED];
  int64_t wide[MOST + UNUSED];
} list;

/* Positions that differ, in any order. */
static void draw_positions(test_random *random, int64_t count, int64_t at[])
{
  for (int64_t i = 0, next = 0; i < count; i++, next++) at[i] = next += test_random_int(random, 0, 1);
  test_shuffle_long(random, count, at);
}

/* One after the other, or listed in 4 or 8 bytes, behind some that are not used. `bytes` are at each. */
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
  for (int i = 0; i < test_cases(CASES); i++) {
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

/* ---- to the last bit -------------------------------------------------------------------------------- */

/* Any bits but those of NaN. */
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

/* Numbers near each other, whose sums lose digits; and what is subnormal or too large. */
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

/* ---- which transforms ----------------------------------------------------------------------------- */

static void others_are_converted(void **state)
{
  (void)state;
  const dap_transform sum = {.from = DAP_F8, .to = DAP_F8, .alpha = {1, 0}, .beta = {1, 0}};
  dap_transform t = sum;
  for (int i = 0; i < COMMON; i++) {
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
    cmocka_unit_test(rows_and_blocks),
    cmocka_unit_test(lists),
    cmocka_unit_test(sums_are_rounded_once),
    cmocka_unit_test(others_are_converted),
};
MPI_TEST_MAIN(tests)
