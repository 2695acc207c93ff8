/* Compares elements that the kernels copy with copies that are made one by one: nests of loops, elements of
 * several sources in turn, and listed places. Each set of kernels that this processor can run is tested.
 * Nothing around the destination's elements may change.
 *
 * Private: plans use only the best set of kernels. */
#include "mpi_test.h"
#include "transfer_impl.h"

enum { MOST_LOOPS = 6, RANDOM_CASES = 4000, MOST_SOURCES = 16, GUARD = 192 };

/* Sizes of elements that are copied in their own way, and the sizes around them; offsets in bytes from a
 * multiple of 64. */
static const int64_t itemsizes[] = {1, 2, 3, 4, 5, 8, 12, 13, 16, 20, 24, 32, 40, 92, 130};
static const size_t offsets[] = {0, 8, 16, 1, 48, 4};
enum { ITEMSIZES = sizeof itemsizes / sizeof itemsizes[0], OFFSETS = sizeof offsets / sizeof offsets[0] };

/* ---- memory ------------------------------------------------------------------------------------------- */

/* Returns `size` random bytes from a table whose length divides nothing, beginning at `seed`. A sanitizer
 * sees reads beyond the end. */
static char *allocate(size_t size, size_t seed)
{
  enum { PERIOD = 8191 };
  static char bytes[2 * PERIOD];
  char *memory = malloc(size > 0 ? size : 1);
  test_random random = test_random_init(42);
  if (!memory) abort();
  for (int i = 0; i < PERIOD && (i || !bytes[0]); i++)
    bytes[i] = bytes[i + PERIOD] = (char)(test_random_bits(&random) | (i == 0));
  for (size_t at = 0; at < size; at += PERIOD)
    memcpy(memory + at, bytes + seed * 397 % PERIOD, size - at < PERIOD ? size - at : PERIOD);
  return memory;
}

/* Where elements are copied to, and what it must become. The copy begins `start` bytes behind the beginning
 * of guarded memory. */
typedef struct place {
  size_t start, size;
  char *got, *want;
} place;

/* The elements begin `offset` bytes behind a multiple of 64. */
static place place_make(size_t bytes, size_t offset)
{
  place to = {.size = bytes + offset + (size_t)2 * GUARD};
  to.got = allocate(to.size, 2);
  to.want = allocate(to.size, 2);
  to.start = GUARD / 2 + (64 - (uintptr_t)(to.got + GUARD / 2) % 64) + offset;
  return to;
}

static void place_check(place *to)
{
  size_t at = 0;
  if (memcmp(to->got, to->want, to->size) != 0) {
    while (to->got[at] == to->want[at]) at++;
    EXPECT_MSG(false, "byte %td of the destination is %d, not %d", (ptrdiff_t)(at - to->start), to->got[at],
               to->want[at]);
  }
  free(to->got);
  free(to->want);
}

/* ---- the form of a nest ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
  const char *why;
  int64_t bytes;
  int depth;
  dap_loop loops[4];
  dap_nest want; /* sorted and widened */
} shapes[] = {
  {"no loops are one element", 8, 0, {{0}}, {.bytes = 8}},
  {"loops of one iteration are dropped", 8, 2, {{1, 5, 7}, {1, 8, 8}}, {.bytes = 8}},
  {"a contiguous line is one element", 8, 1, {{10, 8, 8}}, {.bytes = 80}},
  {"a contiguous box is one element, whatever the order of its loops", 4, 3,
   {{3, 16, 16}, {5, 48, 48}, {4, 4, 4}}, {.bytes = 240}},
  {"rows of a matrix are elements", 8, 2, {{3, 100, 40}, {5, 8, 8}},
   {.bytes = 40, .depth = 1, .loops = {{3, 100, 40}}}},
  {"a box in a box has one loop for each axis but the fastest", 1, 3,
   {{2, 1000, 90}, {3, 100, 10}, {4, 1, 1}},
   {.bytes = 4, .depth = 2, .loops = {{3, 100, 10}, {2, 1000, 90}}}},
  {"two axes that continue each other at both ends are one loop", 2, 3,
   {{5, 40, 80}, {4, 10, 20}, {3, 2, 2}}, {.bytes = 6, .depth = 1, .loops = {{20, 10, 20}}}},
  {"axes that continue each other at one end only stay two", 2, 2, {{5, 40, 100}, {4, 10, 20}},
   {.bytes = 2, .depth = 2, .loops = {{4, 10, 20}, {5, 40, 100}}}},
  {"a transposition has the destination's fast axis first", 8, 2, {{7, 8, 400}, {50, 56, 8}},
   {.bytes = 8, .depth = 2, .loops = {{50, 56, 8}, {7, 8, 400}}}},
  {"backwards at both ends is forwards", 8, 1, {{10, -8, -8}}, {.from = -72, .to = -72, .bytes = 80}},
  {"backwards in the destination becomes backwards in the source", 8, 1, {{10, 8, -16}},
   {.from = 72, .to = -144, .bytes = 8, .depth = 1, .loops = {{10, -8, 16}}}},
  {"one element of the source for all is not widened", 8, 1, {{10, 0, 8}},
   {.bytes = 8, .depth = 1, .loops = {{10, 0, 8}}}},
};
/* clang-format on */

static void has_one_form_for_each_shape(void **state)
{
  (void)state;
  for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
    const dap_nest *want = &shapes[s].want;
    dap_nest given = {.bytes = shapes[s].bytes}, got;
    TEST_CASE("%s", shapes[s].why);
    for (int i = 0; i < shapes[s].depth; i++)
      dap_nest_add(&given, shapes[s].loops[i].count, shapes[s].loops[i].from, shapes[s].loops[i].to);
    dap_nest_sort(&given, &got);
    dap_nest_widen(&got);
    EXPECT(got.from == want->from && got.to == want->to && got.bytes == want->bytes);
    EXPECT_INT(got.depth, want->depth);
    for (int i = 0; i < got.depth && i < want->depth; i++)
      EXPECT_MSG(!memcmp(&got.loops[i], &want->loops[i], sizeof got.loops[i]), "loop %d is another", i);
  }
  SETTLE();
}

/* ---- copies of nests ---------------------------------------------------------------------------------- */

typedef struct nest_case {
  const char *why;
  int loops;
  int64_t counts[MOST_LOOPS], steps[2][MOST_LOOPS]; /* of the source and of the destination */
  int64_t first[2], size[2]; /* bytes from the lowest to the first element, and bytes of all elements */
  int64_t bytes;
  size_t offset[2];
  bool stream;
} nest_case;

/* Copies element number `i`, as the loops say. */
static void copy_element(const nest_case *c, int64_t i, const char *from, char *to)
{
  int64_t at[2] = {c->first[0], c->first[1]};
  for (int k = 0; k < c->loops; k++) {
    for (int end = 0; end < 2; end++) at[end] += i % c->counts[k] * c->steps[end][k];
    i /= c->counts[k];
  }
  memcpy(to + at[1], from + at[0], (size_t)c->bytes);
}

static void check_nest(const dap_kernels *set, const nest_case *c, const char *from)
{
  dap_nest given = {.from = c->first[0], .to = c->first[1], .bytes = c->bytes}, nest;
  place to = place_make((size_t)c->size[1], c->offset[1]);
  int64_t all = 1;
  TEST_CASE("%s, %s: %d loops %d, %d, %d ... of %d bytes, offsets %d and %d%s, seed %llu", set->name, c->why,
            c->loops, (int)c->counts[0], (int)c->counts[1], (int)c->counts[2], (int)c->bytes,
            (int)c->offset[0], (int)c->offset[1], c->stream ? ", streaming" : "",
            (unsigned long long)test_seed());
  for (int k = 0; k < c->loops; k++) {
    all *= c->counts[k];
    dap_nest_add(&given, c->counts[k], c->steps[0][k], c->steps[1][k]);
  }
  for (int64_t i = 0; i < all; i++) copy_element(c, i, from, to.want + to.start);
  dap_nest_sort(&given, &nest);
  dap_nest_widen(&nest);
  dap_nest_copy(set, &nest, from, to.got + to.start, c->stream);
  set->fence();
  place_check(&to);
}

static void check_sets(const nest_case *c)
{
  char *from = allocate((size_t)c->size[0] + c->offset[0], 1);
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++)
    if ((*set)->is_usable()) check_nest(*set, c, from + c->offset[0]);
  free(from);
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

/* One end of a block: which axis is the inner one, its steps in elements, and bytes added to its rows. */
typedef struct block_end {
  int inner;
  int64_t step, pad;
  bool backwards[2];
} block_end;

enum { WHOLE_LINES = -1 /* rows begin at multiples of a line */ };

static const struct form {
  const char *why;
  block_end ends[2];
} forms[] = {
    {"one run", {{1, 1, 0, {0}}, {1, 1, 0, {0}}}},
    {"one run, axis 0 inside", {{0, 1, 0, {0}}, {0, 1, 0, {0}}}},
    {"rows into a matrix", {{1, 1, 0, {0}}, {1, 1, WHOLE_LINES, {0}}}},
    {"rows out of a matrix", {{0, 1, 40, {0}}, {0, 1, 0, {0}}}},
    {"rows backwards", {{1, 1, 0, {true, false}}, {1, 1, 8, {0}}}},
    {"elements of rows backwards on both sides", {{1, 1, 0, {true, true}}, {1, 1, 8, {true, true}}}},
    {"elements of rows backwards on one side", {{1, 1, 0, {0}}, {1, 1, 0, {false, true}}}},
    {"transposed", {{0, 1, 0, {0}}, {1, 1, 0, {0}}}},
    {"transposed, the other order", {{1, 1, 0, {0}}, {0, 1, 0, {0}}}},
    {"transposed to whole lines", {{0, 1, 0, {0}}, {1, 1, WHOLE_LINES, {0}}}},
    {"transposed to whole lines, the other order", {{1, 1, WHOLE_LINES, {0}}, {0, 1, WHOLE_LINES, {0}}}},
    {"transposed, destination padded by less than a line", {{0, 1, 0, {0}}, {1, 1, 16, {0}}}},
    {"transposed, odd padding", {{0, 1, 3, {0}}, {1, 1, 5, {0}}}},
    {"transposed, source's lines backwards", {{0, 1, 0, {false, true}}, {1, 1, WHOLE_LINES, {0}}}},
    {"transposed, source's elements backwards", {{0, 1, 0, {true, false}}, {1, 1, WHOLE_LINES, {0}}}},
    {"transposed, destination backwards", {{0, 1, 0, {0}}, {1, 1, WHOLE_LINES, {true, true}}}},
    {"gathered at 2", {{1, 2, 0, {0}}, {1, 1, 0, {0}}}},
    {"gathered at 3, axis 0 inside", {{0, 3, 0, {0}}, {0, 1, WHOLE_LINES, {0}}}},
    {"gathered backwards", {{1, 5, 8, {false, true}}, {1, 1, 0, {0}}}},
    {"spread at 2", {{1, 1, 0, {0}}, {1, 2, 0, {0}}}},
    {"spread at 4, axis 0 inside", {{0, 1, 0, {0}}, {0, 4, 0, {0}}}},
    {"strided on both sides", {{1, 2, 1, {0}}, {1, 3, 7, {0}}}},
    {"transposed, source strided", {{0, 2, 0, {0}}, {1, 1, WHOLE_LINES, {0}}}},
    {"transposed, destination strided", {{0, 1, 0, {0}}, {1, 2, WHOLE_LINES, {true, false}}}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void check_block(const struct form *form, int64_t rows, int64_t columns, int64_t bytes,
                        const size_t offset[2], bool stream)
{
  nest_case c = {form->why,       2, {rows, columns}, .bytes = bytes, .offset = {offset[0], offset[1]},
                 .stream = stream};
  for (int k = 0; k < 2; k++) {
    const block_end *e = &form->ends[k];
    const int64_t row = c.counts[e->inner] * e->step * bytes;
    c.steps[k][e->inner] = e->step * bytes;
    c.steps[k][1 - e->inner] = row + (e->pad == WHOLE_LINES ? (64 - row % 64) % 64 : e->pad);
    c.size[k] = rows * columns > 0 ? bytes : 0;
    for (int axis = 0; axis < 2 && c.size[k] > 0; axis++) {
      const int64_t length = (c.counts[axis] - 1) * c.steps[k][axis];
      c.size[k] += length;
      if (!e->backwards[axis]) continue;
      c.first[k] += length;
      c.steps[k][axis] *= -1;
    }
  }
  check_sets(&c);
}

static size_t draw_offset(test_random *random)
{
  return offsets[test_random_int(random, 0, OFFSETS - 1)];
}

/* Tries every form of every shape. Of shapes that are not small one in test_scale() is tried, and of large
 * ones one in four of these. */
static void copies_blocks(void **state)
{
  (void)state;
  static const int64_t extents[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130};
  enum { EXTENTS = sizeof extents / sizeof extents[0] };
  test_random random = test_random_init(40);
  for (int i = 0; i < FORMS * ITEMSIZES * EXTENTS * EXTENTS * 2; i++) {
    const int64_t rows = extents[i / 2 % EXTENTS], columns = extents[i / 2 / EXTENTS % EXTENTS];
    const int s = i / 2 / EXTENTS / EXTENTS % ITEMSIZES, f = i / 2 / EXTENTS / EXTENTS / ITEMSIZES;
    if (rows * columns > 2000 && !test_random_one_in(&random, 4)) continue;
    if (rows * columns > 81 && !test_random_one_in(&random, test_scale())) continue;
    const size_t offset[] = {draw_offset(&random), draw_offset(&random)};
    check_block(&forms[f], rows, columns, itemsizes[s], offset, i % 2);
  }
  SETTLE();
}

/* Copies blocks of more than one panel along both axes. */
static void copies_large_blocks(void **state)
{
  (void)state;
  static const size_t offset[] = {16, 16};
  for (int f = 0; f < FORMS; f++)
    for (int s = 0; s < 6; s++)
      check_block(&forms[f], s % 2 ? 37 : 1090, s % 2 ? 2053 : 45, INT64_C(4) << s / 2, offset, true);
  SETTLE();
}

/* ---- random nests ------------------------------------------------------------------------------------- */

/* Draws the steps of a buffer. The axes are in a random order, and some run backwards. Gaps between lines are
 * 0, a few elements, up to a cache line, or of any length. */
static void draw_steps(test_random *random, nest_case *c, int end)
{
  int order[MOST_LOOPS];
  int64_t size = c->bytes;
  c->size[end] = c->bytes;
  for (int k = 0; k < c->loops; k++) order[k] = k;
  test_shuffle(random, c->loops, order);
  for (int i = 0; i < c->loops; i++) {
    const int k = order[i], gap = (int)test_random_int(random, 0, 7);
    if (gap == 0) size += test_random_int(random, 1, 3) * c->bytes;
    if (gap == 1) size += (64 - size % 64) % 64;
    if (gap == 2) size += test_random_int(random, 1, 90);
    c->steps[end][k] = size;
    c->size[end] += (c->counts[k] - 1) * size;
    size *= c->counts[k];
    if (!test_random_one_in(random, 6)) continue;
    c->first[end] += (c->counts[k] - 1) * c->steps[end][k];
    c->steps[end][k] *= -1;
  }
}

static void copies_random_nests(void **state)
{
  (void)state;
  test_random random = test_random_init(42);
  for (int i = 0; i < test_cases(RANDOM_CASES); i++) {
    nest_case c = {.why = "random",
                   .loops = (int)test_random_int(&random, 0, MOST_LOOPS),
                   .bytes = test_random_one_in(&random, 3) ? test_random_int(&random, 1, 140)
                                                           : INT64_C(4) << test_random_int(&random, 0, 2),
                   .offset = {(size_t)test_random_int(&random, 0, 63), draw_offset(&random)},
                   .stream = test_random_one_in(&random, 2)};
    int64_t left = test_random_one_in(&random, 10) ? 20000 : 1500; /* elements */
    for (int k = 0; k < c.loops; k++) {
      const int64_t most = test_random_one_in(&random, 3) ? left : dap_smaller(left, 20);
      c.counts[k] = test_random_int(&random, 1, most);
      left /= c.counts[k];
    }
    for (int end = 0; end < 2; end++) draw_steps(&random, &c, end);
    if (c.size[0] <= 1 << 22 && c.size[1] <= 1 << 22) check_sets(&c);
  }
  SETTLE();
}

/* Two stretches share a streamed line. There are `stretches` blocks of `length` elements behind each other in
 * the destination. In the source they are in rows, or transposed. */
static void joins_lines_of_stretches(void **state)
{
  (void)state;
  for (int64_t bytes = 4; bytes <= 16; bytes *= 2)
    for (int64_t length = 1; length <= 40; length++)
      for (int transposed = 0; transposed < 2; transposed++)
        for (size_t o = 0; o < OFFSETS; o++) {
          const int64_t stretches = 9, columns = 21, line = length * stretches * bytes;
          const int64_t row = transposed ? (columns + 2) * bytes : bytes;
          const int64_t column = transposed ? bytes : 2 * line;
          check_sets(&(nest_case){.why = transposed ? "stretches, transposed" : "stretches",
                                  .loops = 3,
                                  .counts = {length, stretches, columns},
                                  .steps = {{row, 2 * length * row, column}, {bytes, length * bytes, line}},
                                  .size = {2 * stretches * length * row + columns * column, columns * line},
                                  .bytes = bytes,
                                  .offset = {0, offsets[o]},
                                  .stream = true});
        }
  SETTLE();
}

/* ---- elements of several sources in turn -------------------------------------------------------------- */

static void check_interleave(const dap_kernels *set, const char *const from[], int sources, int64_t count,
                             int64_t itemsize, size_t offset, bool stream)
{
  place to = place_make((size_t)(count * itemsize), offset);
  TEST_CASE("%s: %d elements of %d bytes from %d sources, offset %d, streaming %d", set->name, (int)count,
            (int)itemsize, sources, (int)offset, stream);
  for (int64_t i = 0; i < count; i++)
    memcpy(to.want + to.start + i * itemsize, from[i % sources] + i / sources * itemsize, (size_t)itemsize);
  dap_interleave_copy(set, to.got + to.start, from, sources, count, itemsize, stream);
  set->fence();
  place_check(&to);
}

/* Destinations have two or three of all offsets, and are streamed or not, in turn. */
static void interleaves(void **state)
{
  (void)state;
  static const int64_t counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 129, 300, 517, 1024};
  enum { COUNTS = sizeof counts / sizeof counts[0] };
  for (int i = 0; i < (MOST_SOURCES - 1) * COUNTS * ITEMSIZES; i++) {
    const int sources = 2 + i / ITEMSIZES / COUNTS;
    const int64_t count = counts[i / ITEMSIZES % COUNTS], itemsize = itemsizes[i % ITEMSIZES];
    char *memory[MOST_SOURCES];
    const char *from[MOST_SOURCES];
    for (size_t k = 0; k < (size_t)sources; k++) {
      memory[k] = allocate((size_t)((count - (int64_t)k + sources - 1) / sources * itemsize) + k % 7, k + 3);
      from[k] = memory[k] + k % 7;
    }
    for (const dap_kernels *const *set = dap_kernels_all(); *set; set++)
      for (int o = (i / ITEMSIZES + i) % 5; o < 2 * OFFSETS && (*set)->is_usable(); o += 5)
        check_interleave(*set, from, sources, count, itemsize, offsets[o / 2], o % 2);
    for (int k = 0; k < sources; k++) free(memory[k]);
  }
  SETTLE();
}

static void best_is_first_usable(void **state)
{
  (void)state;
  const dap_kernels *const *all = dap_kernels_all();
  int count = 0, first = -1;
  for (; all[count]; count++)
    if (first < 0 && all[count]->is_usable()) first = count;
  EXPECT(count > 0 && all[count - 1]->is_usable() && strcmp(all[count - 1]->name, "plain") == 0);
  EXPECT(first >= 0 && dap_kernels_best() == all[first]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(has_one_form_for_each_shape), cmocka_unit_test(copies_blocks),
    cmocka_unit_test(copies_large_blocks),         cmocka_unit_test(copies_random_nests),
    cmocka_unit_test(joins_lines_of_stretches),    cmocka_unit_test(interleaves),
    cmocka_unit_test(best_is_first_usable),
};
MPI_TEST_MAIN(tests)
