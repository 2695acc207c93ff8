/* The copy kernels, each set that this processor can run, against copies made element by element; and
 * nothing around the destination's elements may change. */
#include "mpi_test.h"
#include "transfer_impl.h"

enum { GUARD = 192, MAX_SOURCES = 16, RANDOM_CASES = 3000 };

/* ---- memory ------------------------------------------------------------------------------------- */

/* A place for elements. Sources are as large as their elements, so that a sanitizer sees what is read beyond;
 * destinations have guards around them. */
typedef struct place {
  char *memory, *start;
  size_t size;
} place;

/* The bytes of memory number `seed`: random, from a table whose length is no multiple of anything. */
static void fill(char *memory, size_t size, size_t seed)
{
  enum { PERIOD = 8191 };
  static char bytes[2 * PERIOD];
  if (!bytes[0]) {
    test_random random = test_random_init(42);
    for (int i = 0; i < PERIOD; i++)
      bytes[i] = bytes[i + PERIOD] = (char)(test_random_bits(&random) | (i == 0));
  }
  for (size_t at = 0; at < size; at += PERIOD)
    memcpy(memory + at, bytes + seed * 397 % PERIOD, size - at < PERIOD ? size - at : PERIOD);
}

static char *allocate(size_t size, size_t seed)
{
  char *memory = malloc(size > 0 ? size : 1);
  if (!memory) abort();
  fill(memory, size, seed);
  return memory;
}

static place source_of(size_t bytes, size_t offset)
{
  char *memory = allocate(bytes + offset, 1);
  return (place){.memory = memory, .start = memory + offset, .size = bytes + offset};
}

/* `start` is `offset` bytes beyond a multiple of 64. */
static place destination_of(size_t bytes, size_t offset)
{
  place to = {.size = bytes + offset + (size_t)2 * GUARD};
  to.memory = allocate(to.size, 2);
  to.start = to.memory + GUARD / 2;
  to.start += (64 - (uintptr_t)to.start % 64) + offset;
  return to;
}

/* What the destination must be: its old bytes, until elements are copied. */
static place expect_from(const place *to)
{
  place want = {.memory = allocate(to->size, 2), .size = to->size};
  want.start = want.memory + (to->start - to->memory);
  return want;
}

static void check_place(const place *got, const place *want)
{
  if (memcmp(got->memory, want->memory, got->size) == 0) return;
  size_t at = 0;
  while (got->memory[at] == want->memory[at]) at++;
  EXPECT_MSG(false, "byte %td of the destination is %d, not %d", got->memory + at - got->start,
             got->memory[at], want->memory[at]);
}

static void release(place *old)
{
  free(old->memory);
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* One side of a block: which axis is the inner one, its steps in elements, and bytes added to its rows. */
typedef struct side {
  int inner;
  int64_t step, pad;
  bool backwards[2];
} side;

/* Rows begin at multiples of a line. */
enum { WHOLE_LINES = -1 };

/* Steps of a side; returns the bytes that it covers. The first element's offset is in *first. */
static int64_t lay_out(const side *at, const int64_t n[2], int64_t itemsize, int64_t steps[2], int64_t *first)
{
  const int inner = at->inner, outer = 1 - at->inner;
  int64_t row = n[inner] * at->step * itemsize;
  row += at->pad == WHOLE_LINES ? (64 - row % 64) % 64 : at->pad;
  steps[inner] = at->step * itemsize;
  steps[outer] = row;
  int64_t bytes = itemsize;
  *first = 0;
  for (int k = 0; k < 2; k++) {
    if (n[k] == 0) return 0;
    bytes += (n[k] - 1) * steps[k];
    if (!at->backwards[k]) continue;
    *first += (n[k] - 1) * steps[k];
    steps[k] = -steps[k];
  }
  return bytes;
}

typedef struct block_case {
  side from, to;
  int64_t n[2], itemsize;
  size_t from_offset, to_offset;
  bool stream;
} block_case;

static void check_block(const dap_kernels *set, const block_case *c)
{
  dap_block block = {.n = {c->n[0], c->n[1]}, .itemsize = c->itemsize, .stream = c->stream};
  int64_t from_first, to_first;
  place from =
      source_of((size_t)lay_out(&c->from, c->n, c->itemsize, block.from_step, &from_first), c->from_offset);
  place to =
      destination_of((size_t)lay_out(&c->to, c->n, c->itemsize, block.to_step, &to_first), c->to_offset);
  place want = expect_from(&to);
  block.from = from.start + from_first;
  block.to = to.start + to_first;
  for (int64_t i = 0; i < c->n[0]; i++)
    for (int64_t j = 0; j < c->n[1]; j++)
      memcpy(want.start + to_first + i * block.to_step[0] + j * block.to_step[1],
             block.from + i * block.from_step[0] + j * block.from_step[1], (size_t)c->itemsize);
  set->copy(&block);
  set->fence();
  check_place(&to, &want);
  release(&from);
  release(&to);
  release(&want);
}

static const struct form {
  const char *why;
  side from, to;
} forms[] = {
    {"one run", {1, 1, 0, {0}}, {1, 1, 0, {0}}},
    {"one run, axis 0 inside", {0, 1, 0, {0}}, {0, 1, 0, {0}}},
    {"rows into a matrix", {1, 1, 0, {0}}, {1, 1, WHOLE_LINES, {0}}},
    {"rows out of a matrix", {0, 1, 40, {0}}, {0, 1, 0, {0}}},
    {"rows backwards", {1, 1, 0, {true, false}}, {1, 1, 8, {0}}},
    {"elements of rows backwards on both sides", {1, 1, 0, {true, true}}, {1, 1, 8, {true, true}}},
    {"elements of rows backwards on one side", {1, 1, 0, {0}}, {1, 1, 0, {false, true}}},
    {"transposed", {0, 1, 0, {0}}, {1, 1, 0, {0}}},
    {"transposed, the other order", {1, 1, 0, {0}}, {0, 1, 0, {0}}},
    {"transposed to whole lines", {0, 1, 0, {0}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed to whole lines, the other order", {1, 1, WHOLE_LINES, {0}}, {0, 1, WHOLE_LINES, {0}}},
    {"transposed, destination padded by less than a line", {0, 1, 0, {0}}, {1, 1, 16, {0}}},
    {"transposed, odd padding", {0, 1, 3, {0}}, {1, 1, 5, {0}}},
    {"transposed, source's lines backwards", {0, 1, 0, {false, true}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed, source's elements backwards", {0, 1, 0, {true, false}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed, destination backwards", {0, 1, 0, {0}}, {1, 1, WHOLE_LINES, {true, true}}},
    {"gathered at 2", {1, 2, 0, {0}}, {1, 1, 0, {0}}},
    {"gathered at 3, axis 0 inside", {0, 3, 0, {0}}, {0, 1, WHOLE_LINES, {0}}},
    {"gathered backwards", {1, 5, 8, {false, true}}, {1, 1, 0, {0}}},
    {"spread at 2", {1, 1, 0, {0}}, {1, 2, 0, {0}}},
    {"spread at 4, axis 0 inside", {0, 1, 0, {0}}, {0, 4, 0, {0}}},
    {"strided on both sides", {1, 2, 1, {0}}, {1, 3, 7, {0}}},
    {"transposed, source strided", {0, 2, 0, {0}}, {1, 1, WHOLE_LINES, {0}}},
    {"transposed, destination strided", {0, 1, 0, {0}}, {1, 2, WHOLE_LINES, {true, false}}},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static const int64_t extents[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130};
static const int64_t itemsizes[] = {1, 2, 3, 4, 5, 8, 12, 13, 16, 20, 24, 32, 40, 92, 130};
static const size_t offsets[] = {0, 8, 16, 1, 48, 4};
enum {
  EXTENTS = sizeof(extents) / sizeof(extents[0]),
  ITEMSIZES = sizeof(itemsizes) / sizeof(itemsizes[0]),
  OFFSETS = sizeof(offsets) / sizeof(offsets[0])
};

static void name_block(const dap_kernels *set, const char *why, const block_case *c)
{
  TEST_CASE("%s, %s: %d x %d of %d bytes, offsets %d and %d%s, inner %d to %d, steps %d and %d, seed %llu",
            set->name, why, (int)c->n[0], (int)c->n[1], (int)c->itemsize, (int)c->from_offset,
            (int)c->to_offset, c->stream ? ", streaming" : "", c->from.inner, c->to.inner, (int)c->from.step,
            (int)c->to.step, (unsigned long long)test_seed());
}

/* Every form of every shape, one in four of the large ones; offsets are drawn. */
static void check_form(const dap_kernels *set, const struct form *form, int64_t itemsize, test_random *random)
{
  for (int a = 0; a < EXTENTS; a++)
    for (int b = 0; b < EXTENTS; b++)
      for (int stream = 0; stream < 2; stream++) {
        if (extents[a] * extents[b] > 2000 && !test_random_one_in(random, 4)) continue;
        const block_case c = {.from = form->from,
                              .to = form->to,
                              .n = {extents[a], extents[b]},
                              .itemsize = itemsize,
                              .from_offset = offsets[test_random_int(random, 0, OFFSETS - 1)],
                              .to_offset = offsets[test_random_int(random, 0, OFFSETS - 1)],
                              .stream = stream == 1};
        name_block(set, form->why, &c);
        check_block(set, &c);
      }
}

static void copies_blocks(void **state)
{
  (void)state;
  test_random random = test_random_init(40);
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
    if (!(*set)->is_usable()) continue;
    for (int f = 0; f < FORMS; f++)
      for (int s = 0; s < ITEMSIZES; s++) check_form(*set, &forms[f], itemsizes[s], &random);
    SETTLE();
  }
}

static side random_side(test_random *random)
{
  return (side){.inner = (int)test_random_int(random, 0, 1),
                .step = test_random_one_in(random, 2) ? 1 : test_random_int(random, 1, 9),
                .pad = test_random_one_in(random, 2) ? WHOLE_LINES : test_random_int(random, 0, 80),
                .backwards = {test_random_one_in(random, 5), test_random_one_in(random, 5)}};
}

static void copies_random_blocks(void **state)
{
  (void)state;
  test_random random = test_random_init(41);
  for (int i = 0; i < RANDOM_CASES; i++) {
    const int64_t longest = test_random_one_in(&random, 500) ? 2500 : 60;
    const block_case c = {.from = random_side(&random),
                          .to = random_side(&random),
                          .n = {test_random_int(&random, 0, longest), test_random_int(&random, 0, 60)},
                          .itemsize = test_random_one_in(&random, 2)
                                          ? INT64_C(4) << test_random_int(&random, 0, 2)
                                          : test_random_int(&random, 1, 140),
                          .from_offset = (size_t)test_random_int(&random, 0, 63),
                          .to_offset = offsets[test_random_int(&random, 0, OFFSETS - 1)],
                          .stream = test_random_one_in(&random, 2)};
    for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
      if (!(*set)->is_usable()) continue;
      name_block(*set, "random", &c);
      check_block(*set, &c);
    }
  }
  SETTLE();
}

/* More than one panel along both axes. */
static void copies_large_blocks(void **state)
{
  (void)state;
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
    if (!(*set)->is_usable()) continue;
    for (int f = 0; f < FORMS; f++)
      for (int s = 0; s < 6; s++) {
        const block_case c = {.from = forms[f].from,
                              .to = forms[f].to,
                              .n = {s % 2 ? 37 : 1090, s % 2 ? 2053 : 45},
                              .itemsize = INT64_C(4) << s / 2,
                              .from_offset = 16,
                              .to_offset = 16,
                              .stream = true};
        name_block(*set, forms[f].why, &c);
        check_block(*set, &c);
      }
  }
  SETTLE();
}

/* ---- listed places ------------------------------------------------------------------------------ */

enum { PLACES = 61, MOST_BYTES = 140 /* at a place */ };

/* One end: one after the other, at equal steps with gaps, or listed in so many bytes a position. */
static const struct list {
  const char *why;
  int width;
  bool has_gaps;
} lists[] = {
    {"together", 0, false}, {"with gaps", 0, true}, {"in 4 bytes", 4, false}, {"in 8 bytes", 8, true}};
enum { LISTS = sizeof(lists) / sizeof(lists[0]), FIRST = 3 };

/* The places of all, from number FIRST on, are a permutation. */
static dap_places places_of(const struct list *list, int64_t bytes, int64_t multiplier, void *positions)
{
  for (int64_t i = 0; i < PLACES; i++) {
    const int64_t at = i * multiplier % PLACES;
    if (list->width == 4) ((uint32_t *)positions)[FIRST + i] = (uint32_t)at;
    if (list->width == 8) ((int64_t *)positions)[FIRST + i] = at;
  }
  return (dap_places){.at = {.data = list->width > 0 ? positions : NULL, .width = list->width},
                      .first = FIRST,
                      .step = bytes + (list->has_gaps ? 9 : 0)};
}

static int64_t place_at(const dap_places *p, int64_t i)
{
  if (!p->at.data) return i * p->step;
  return p->step * (p->at.width == 4 ? (int64_t)((const uint32_t *)p->at.data)[FIRST + i]
                                     : ((const int64_t *)p->at.data)[FIRST + i]);
}

static void check_pairs(const struct list *a, const struct list *b, int64_t each, int64_t itemsize)
{
  int64_t positions[2][FIRST + PLACES];
  const int64_t bytes = each * itemsize;
  const dap_places source = places_of(a, bytes, 17, positions[0]);
  const dap_places destination = places_of(b, bytes, 23, positions[1]);
  place from = source_of((size_t)((PLACES - 1) * source.step + bytes), 1);
  place to = destination_of((size_t)(PLACES * destination.step), 1);
  place want = expect_from(&to);
  for (int64_t i = 0; i < PLACES; i++)
    memcpy(want.start + place_at(&destination, i), from.start + place_at(&source, i), (size_t)bytes);
  dap_copy_pairs(&(dap_pairs){.from = from.start,
                              .to = to.start,
                              .source = source,
                              .destination = destination,
                              .count = PLACES,
                              .each = each},
                 itemsize);
  check_place(&to, &want);
  release(&from);
  release(&to);
  release(&want);
}

/* Every number of bytes that has a way of its own, and those around. */
static void copies_listed_places(void **state)
{
  (void)state;
  for (int a = 0; a < LISTS; a++)
    for (int b = 0; b < LISTS; b++)
      for (int64_t bytes = 1; bytes <= MOST_BYTES; bytes++) {
        const int64_t each = bytes % 3 == 0 ? 3 : 1;
        TEST_CASE("%d bytes at each place, from %s to %s", (int)bytes, lists[a].why, lists[b].why);
        check_pairs(&lists[a], &lists[b], each, bytes / each);
      }
  SETTLE();
}

/* ---- interleaving ------------------------------------------------------------------------------- */

static void check_interleave(const dap_kernels *set, const place from[], int sources, int64_t count,
                             int64_t itemsize, size_t offset, bool stream)
{
  const char *starts[MAX_SOURCES];
  for (int k = 0; k < sources; k++) starts[k] = from[k].start;
  place to = destination_of((size_t)(count * itemsize), offset);
  place want = expect_from(&to);
  for (int64_t i = 0; i < count; i++)
    memcpy(want.start + i * itemsize, starts[i % sources] + i / sources * itemsize, (size_t)itemsize);
  set->interleave(to.start, starts, sources, count, itemsize, stream);
  set->fence();
  check_place(&to, &want);
  release(&to);
  release(&want);
}

/* From the same sources to destinations at all offsets. */
static void check_interleaves(const dap_kernels *set, int sources, int64_t count, int64_t itemsize)
{
  place from[MAX_SOURCES];
  for (int k = 0; k < sources; k++) {
    from[k] = source_of((size_t)((count - k + sources - 1) / sources * itemsize), (size_t)k % 7);
    fill(from[k].memory, from[k].size, (size_t)k + 3);
  }
  for (int o = 0; o < 2 * OFFSETS; o++) {
    TEST_CASE("%s: %d elements of %d bytes from %d sources, offset %d, streaming %d", set->name, (int)count,
              (int)itemsize, sources, (int)offsets[o / 2], o % 2);
    check_interleave(set, from, sources, count, itemsize, offsets[o / 2], o % 2 == 1);
  }
  for (int k = 0; k < sources; k++) release(&from[k]);
}

static void interleaves(void **state)
{
  static const int64_t counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 129, 300, 517, 1024};
  (void)state;
  for (const dap_kernels *const *set = dap_kernels_all(); *set; set++) {
    if (!(*set)->is_usable()) continue;
    for (int sources = 2; sources <= MAX_SOURCES; sources++)
      for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++)
        for (int s = 0; s < ITEMSIZES; s++) check_interleaves(*set, sources, counts[n], itemsizes[s]);
    SETTLE();
  }
}

/* ---- the choice --------------------------------------------------------------------------------- */

static void best_is_first_usable(void **state)
{
  (void)state;
  const dap_kernels *const *all = dap_kernels_all();
  int count = 0, first = -1;
  for (; all[count]; count++)
    if (first < 0 && all[count]->is_usable()) first = count;
  EXPECT(count > 0 && all[count - 1]->is_usable());
  EXPECT(count > 0 && strcmp(all[count - 1]->name, "plain") == 0);
  EXPECT(first >= 0 && dap_kernels_best() == all[first]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_blocks),       cmocka_unit_test(copies_random_blocks),
    cmocka_unit_test(copies_large_blocks), cmocka_unit_test(copies_listed_places),
    cmocka_unit_test(interleaves),         cmocka_unit_test(best_is_first_usable)};
MPI_TEST_MAIN(tests)
