/* Nests of loops are sorted and merged to the form that each shape must have. Each set of kernels that this
 * processor can run copies them, and the results are compared with copies made element by element. Nothing
 * around the destination's elements may change. Private: plans use only the best set of kernels. */
#include "kernel_memory.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { MOST_LOOPS = 6, RANDOM_CASES = 4000 };

/* ---- the form ------------------------------------------------------------------------------------- */

static const struct form {
  const char *why;
  int64_t bytes;
  int depth;
  dap_loop loops[4];
  dap_nest want; /* sorted and widened */
} forms[] = {
    {"no loops are one element", 8, 0, {{0}}, {.bytes = 8}},
    {"loops of one iteration are dropped", 8, 2, {{1, 5, 7}, {1, 8, 8}}, {.bytes = 8}},
    {"a contiguous line is one element", 8, 1, {{10, 8, 8}}, {.bytes = 80}},
    {"a contiguous box is one element, whatever the order of its loops",
     4,
     3,
     {{3, 16, 16}, {5, 48, 48}, {4, 4, 4}},
     {.bytes = 240}},
    {"rows of a matrix are elements",
     8,
     2,
     {{3, 100, 40}, {5, 8, 8}},
     {.bytes = 40, .depth = 1, .loops = {{3, 100, 40}}}},
    {"a box in a box has one loop for each axis but the fastest",
     1,
     3,
     {{2, 1000, 90}, {3, 100, 10}, {4, 1, 1}},
     {.bytes = 4, .depth = 2, .loops = {{3, 100, 10}, {2, 1000, 90}}}},
    {"two axes that continue each other at both ends are one loop",
     2,
     3,
     {{5, 40, 80}, {4, 10, 20}, {3, 2, 2}},
     {.bytes = 6, .depth = 1, .loops = {{20, 10, 20}}}},
    {"axes that continue each other at one end only stay two",
     2,
     2,
     {{5, 40, 100}, {4, 10, 20}},
     {.bytes = 2, .depth = 2, .loops = {{4, 10, 20}, {5, 40, 100}}}},
    {"a transposition has the destination's fast axis first",
     8,
     2,
     {{7, 8, 400}, {50, 56, 8}},
     {.bytes = 8, .depth = 2, .loops = {{50, 56, 8}, {7, 8, 400}}}},
    {"backwards at both ends is forwards", 8, 1, {{10, -8, -8}}, {.from = -72, .to = -72, .bytes = 80}},
    {"backwards in the destination becomes backwards in the source",
     8,
     1,
     {{10, 8, -16}},
     {.from = 72, .to = -144, .bytes = 8, .depth = 1, .loops = {{10, -8, 16}}}},
    {"one element of the source for all is not widened",
     8,
     1,
     {{10, 0, 8}},
     {.bytes = 8, .depth = 1, .loops = {{10, 0, 8}}}},
};

static void has_one_form_for_each_shape(void **state)
{
  (void)state;
  for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
    const struct form *form = &forms[f];
    dap_nest given = {.bytes = form->bytes}, got;
    TEST_CASE("%s", form->why);
    for (int i = 0; i < form->depth; i++)
      dap_nest_add(&given, form->loops[i].count, form->loops[i].from, form->loops[i].to);
    dap_nest_sort(&given, &got);
    dap_nest_widen(&got);
    EXPECT_INT(got.from, form->want.from);
    EXPECT_INT(got.to, form->want.to);
    EXPECT_INT(got.bytes, form->want.bytes);
    if (!EXPECT_INT(got.depth, form->want.depth)) continue;
    for (int i = 0; i < got.depth; i++) {
      EXPECT_INT(got.loops[i].count, form->want.loops[i].count);
      EXPECT_INT(got.loops[i].from, form->want.loops[i].from);
      EXPECT_INT(got.loops[i].to, form->want.loops[i].to);
    }
  }
  SETTLE();
}

/* ---- copies --------------------------------------------------------------------------------------- */

typedef struct nest_case {
  int loops;
  int64_t counts[MOST_LOOPS], from_steps[MOST_LOOPS], to_steps[MOST_LOOPS];
  int64_t from, to; /* bytes from the lowest to the first element */
  int64_t from_size, to_size, bytes;
  size_t from_offset, to_offset;
  bool stream;
} nest_case;

/* Element by element, as the loops are given: number `i` of them all. */
static void copy_element(const nest_case *c, int64_t i, const char *from, char *to)
{
  int64_t from_at = c->from, to_at = c->to;
  for (int k = 0; k < c->loops; k++) {
    from_at += i % c->counts[k] * c->from_steps[k];
    to_at += i % c->counts[k] * c->to_steps[k];
    i /= c->counts[k];
  }
  memcpy(to + to_at, from + from_at, (size_t)c->bytes);
}

static void check_nest(const dap_kernels *set, const nest_case *c)
{
  dap_nest given = {.from = c->from, .to = c->to, .bytes = c->bytes}, nest;
  place from = place_source((size_t)c->from_size, c->from_offset, 1);
  place to = place_destination((size_t)c->to_size, c->to_offset);
  place want = place_expected(&to);
  int64_t all = 1;
  for (int k = 0; k < c->loops; k++) {
    all *= c->counts[k];
    dap_nest_add(&given, c->counts[k], c->from_steps[k], c->to_steps[k]);
  }
  for (int64_t i = 0; i < all; i++) copy_element(c, i, from.start, want.start);
  dap_nest_sort(&given, &nest);
  dap_nest_widen(&nest);
  dap_nest_copy(set, &nest, from.start, to.start, c->stream);
  set->fence();
  place_check(&to, &want);
  place_free(&from);
  place_free(&to);
  place_free(&want);
}

/* Steps of a buffer with the axes in a random order, gaps between lines that are nothing, a few elements,
 * up to a cache line, or anything, and some axes backwards. Returns its bytes. */
static int64_t draw_steps(test_random *random, const nest_case *c, int64_t steps[], int64_t *first)
{
  int order[MOST_LOOPS];
  int64_t size = c->bytes, last = c->bytes;
  *first = 0;
  for (int k = 0; k < c->loops; k++) order[k] = k;
  test_shuffle(random, c->loops, order);
  for (int i = 0; i < c->loops; i++) {
    const int k = order[i], gap = (int)test_random_int(random, 0, 7);
    if (gap == 0) size += test_random_int(random, 1, 3) * c->bytes;
    if (gap == 1) size += (64 - size % 64) % 64;
    if (gap == 2) size += test_random_int(random, 1, 90);
    steps[k] = size;
    last += (c->counts[k] - 1) * size;
    size *= c->counts[k];
    if (!test_random_one_in(random, 6)) continue;
    *first += (c->counts[k] - 1) * steps[k];
    steps[k] = -steps[k];
  }
  return last;
}

static nest_case draw_case(test_random *random)
{
  nest_case c = {.loops = (int)test_random_int(random, 0, MOST_LOOPS),
                 .bytes = test_random_one_in(random, 3) ? test_random_int(random, 1, 140)
                                                        : INT64_C(4) << test_random_int(random, 0, 2),
                 .from_offset = (size_t)test_random_int(random, 0, 63),
                 .to_offset = kernel_offsets[test_random_int(random, 0, KERNEL_OFFSETS - 1)],
                 .stream = test_random_one_in(random, 2)};
  int64_t left = test_random_one_in(random, 10) ? 20000 : 1500; /* elements */
  for (int k = 0; k < c.loops; k++) {
    const int64_t most = test_random_one_in(random, 3) ? left : dap_smaller(left, 20);
    c.counts[k] = test_random_int(random, 1, most);
    left /= c.counts[k];
  }
  c.from_size = draw_steps(random, &c, c.from_steps, &c.from);
  c.to_size = draw_steps(random, &c, c.to_steps, &c.to);
  return c;
}

static void copies_random_nests(void **state)
{
  (void)state;
  test_random random = test_random_init(42);
  for (int i = 0; i < test_cases(RANDOM_CASES); i++) {
    const nest_case c = draw_case(&random);
    if (c.from_size > 1 << 22 || c.to_size > 1 << 22) continue;
    for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
      if (!(*set)->is_usable()) continue;
      TEST_CASE("case %d, %s: %d loops of %d bytes, offsets %d and %d%s, seed %llu", i, (*set)->name, c.loops,
                (int)c.bytes, (int)c.from_offset, (int)c.to_offset, c.stream ? ", streaming" : "",
                (unsigned long long)test_seed());
      check_nest(*set, &c);
    }
    SETTLE();
  }
}

/* Streamed lines that two stretches share: blocks of `length` elements, `stretches` of them behind each
 * other in the destination, in rows of the source or transposed. */
static void joins_lines_of_stretches(void **state)
{
  (void)state;
  for (int64_t bytes = 4; bytes <= 16; bytes *= 2)
    for (int64_t length = 1; length <= 40; length++)
      for (int transposed = 0; transposed < 2; transposed++)
        for (size_t o = 0; o < KERNEL_OFFSETS; o++) {
          const int64_t stretches = 9, columns = 21, line = length * stretches * bytes;
          const int64_t row = transposed ? (columns + 2) * bytes : bytes;
          const int64_t column = transposed ? bytes : 2 * line;
          const nest_case c = {.loops = 3,
                               .counts = {length, stretches, columns},
                               .from_steps = {row, 2 * length * row, column},
                               .to_steps = {bytes, length * bytes, line},
                               .from_size = 2 * stretches * length * row + columns * column,
                               .to_size = columns * line,
                               .bytes = bytes,
                               .to_offset = kernel_offsets[o],
                               .stream = true};
          for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
            if (!(*set)->is_usable()) continue;
            TEST_CASE("%s: stretches of %d elements of %d bytes%s, offset %d", (*set)->name, (int)length,
                      (int)bytes, transposed ? ", transposed" : "", (int)kernel_offsets[o]);
            check_nest(*set, &c);
          }
          SETTLE();
        }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(has_one_form_for_each_shape),
    cmocka_unit_test(copies_random_nests),
    cmocka_unit_test(joins_lines_of_stretches),
};
MPI_TEST_MAIN(tests)
