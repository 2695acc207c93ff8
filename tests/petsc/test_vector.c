/* Tests arrays as vectors without a grid: which are shared, which are moved, and where each element is. The
 * rows of the table cover edges that random draws seldom meet. */
#include "live.h"

#include <inttypes.h>

#define NEVER                                                                                                \
  {                                                                                                          \
    .sharing = DAP_SHARE_NEVER                                                                               \
  }

/* clang-format off */
static const live_row structured[] = {
  {{"block, a copy", 1, .size = {37}}, 0, MOVED, "copy|asked for", .vector = NEVER},
  {.layout = {"no elements", 1, .size = {0}}, 0, SHARED},
  {.layout = {"padded", 1, {37}, .halo = {2}}, 0, SHARED},
  {.layout = {"padded, with a boundary", 1, {37}, .halo = {1}, .boundary = {{2, 1}}}, 0, SHARED},
  {.layout = {"cyclic, a block each", 1, {35}, .cut = {CUT_ONE_BLOCK}}, 0, SHARED},
  {.layout = {"rotated, a block each", 1, {35}, .cut = {CUT_ROTATED_BLOCK}}, 0, SHARED},
  {.layout = {"rotated, several blocks", 1, {37}, .cut = {CUT_ROTATED}}, 0, MOVED, "axis 0|cyclic"},
  {.layout = {"shuffled ranks, rotated", 1, {35}, .cut = {CUT_ROTATED_BLOCK}, .shuffled = true}, 0, SHARED},
  {.layout = {"shuffled ranks, padded, assembled", 1, {37}, .halo = {1}, .shuffled = true, .assembled = true},
   0, SHARED},
  {{"the other byte order", 1, .size = {37}}, 0, MOVED, "other byte order", .bytes = SWAPPED},
  {.layout = {"rows, padded along them", 2, {17, 5}, FIRST_AXIS, .halo = {1, 1}, .wraps = {false, true}}, 0,
   MOVED, "not contiguous|C order"},
  {.layout = {"columns", 2, .size = {5, 17}, SECOND_AXIS}, 0, MOVED, "axis 0|slower|C order"},
  {.layout = {"columns of one row", 2, .size = {1, 17}, SECOND_AXIS}, 0, SHARED},
  {.layout = {"all on one process, by a faster axis of one element", 4, .size = {20, 8, 1, 1}, THIRD_AXIS}, 0,
   MOVED, "axis 2|axis 0 is slower|C order"},
  {{"columns, F order of entries", 2, .size = {5, 17}, SECOND_AXIS}, 0, SHARED, .form = FORM_F,
   .vector = {.order = DAP_ORDER_F}},
  {{"columns, F order of entries, not of the buffer", 2, .size = {5, 17}, SECOND_AXIS}, 0, MOVED,
   "not contiguous|F order", .vector = {.order = DAP_ORDER_F}},
  {{"rows, F order of the buffer", 2, .size = {17, 5}, FIRST_AXIS}, 0, MOVED, "not contiguous|C order",
   .form = FORM_F},
  {{"rows, F order of entries", 2, .size = {17, 5}, FIRST_AXIS}, 0, MOVED, "axis 1|slower|F order",
   .form = FORM_F, .vector = {.order = DAP_ORDER_F}},
  {{"fewer rows than processes", 2, .size = {2, 30}, FIRST_AXIS}, 0, MOVED, .vector = NEVER},
  {.layout = {"no columns", 2, .size = {7, 0}, FIRST_AXIS}, 0, SHARED},
  {.layout = {"3-D, slabs behind one", 3, .size = {1, 13, 3}, SECOND_AXIS}, 0, SHARED},
  {{"3-D, F order of both, last axis", 3, {3, 4, 13}, THIRD_AXIS, .halo = {0, 0, 1}}, 0, SHARED,
   .form = FORM_F, .vector = {.order = DAP_ORDER_F}},
  {{"4-D, moved, F order", 4, .size = {7, 2, 3, 4}, THIRD_AXIS}, 0, MOVED, .vector = {.order = DAP_ORDER_F}},
};

static const live_row lists[] = {
  {.layout = {"lists", 1, {41}, .cut = {CUT_LOTS}}, 0, LISTED, "list"},
  {.layout = {"lists, shuffled ranks, assembled", 1, {41}, .cut = {CUT_LOTS}, .shuffled = true,
   .assembled = true}, 0, LISTED},
  {{"lists, natural", 1, {41}, .cut = {CUT_LOTS}}, 0, MOVED, "axis 0|unstructured",
   .vector = {.natural = true}},
  {.layout = {"ascending lists", 1, {41}, .cut = {CUT_ASCENDING}}, 0, SHARED},
  {.layout = {"ghosts behind", 1, {41}, .cut = {CUT_LOTS_BEHIND}}, 0, LISTED, "ghosts behind"},
  {.layout = {"ghosts anywhere", 1, {41}, .cut = {CUT_OVERLAPS}}, 0, MOVED, "ghosts|follow"},
  {.layout = {"a copy everywhere", 1, {23}, .cut = {CUT_COPIES}}, 0, MOVED, "axis 0|replicated"},
  {.layout = {"lists of rows", 2, {41, 3}, FIRST_AXIS, .cut = {CUT_LOTS}}, 0, LISTED, "list"},
  {.layout = {"ghosts of columns", 2, {4, 23}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_OVERLAPS}}, 0, MOVED,
   "axis 0|slower"},
  {.layout = {"ranges with ghosts: natural order, no AO", 1, {41}, .cut = {CUT_GHOSTS_BEHIND}}, 0, SHARED},
  {{"ranges with ghosts, assembled, ranks in another order", 1, {41}, .cut = {CUT_GHOSTS_BEHIND},
   .shuffled = true, .assembled = true}, 0, SHARED, .vector = {.natural = true}},
  {.layout = {"fewer nodes than processes", 1, {2}, .cut = {CUT_GHOSTS_BEHIND}}, 0, SHARED},
  {.layout = {"ghosts among owned nodes", 1, {41}, .cut = {CUT_GHOSTS}}, 0, MOVED, "ghosts|follow"},
  {{"components in blocks, ghosts behind", 2, {31, 3}, FIRST_AXIS, .cut = {CUT_LOTS_BEHIND}}, 0, LISTED,
   .vector = {.block_size = 3}},
  {{"components of ranges in blocks", 2, {31, 2}, FIRST_AXIS, .cut = {CUT_GHOSTS_BEHIND}}, 0, SHARED,
   .vector = {.block_size = 2}},
  {{"blocks across nodes", 2, {48, 3}, FIRST_AXIS, .cut = {CUT_GHOSTS_BEHIND}}, 0, MOVED,
   "axis 0|ghosts|3 entries", .vector = {.block_size = 4}},
  {.layout = {"no components", 2, {31, 0}, FIRST_AXIS, .cut = {CUT_LOTS_BEHIND}}},
  {{"nodes last, F order of both", 2, {3, 31}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_LOTS_BEHIND}}, 0, LISTED,
   .form = FORM_F, .vector = {.order = DAP_ORDER_F, .block_size = 3}},
  {{"nodes first, F order of the buffer", 2, {31, 3}, FIRST_AXIS, .cut = {CUT_LOTS_BEHIND}}, 0, MOVED,
   "not contiguous|C order", .form = FORM_F},
  {.layout = {"nodes last, C order of entries", 2, {3, 31}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_LOTS_BEHIND}},
   0, MOVED, "axis 0|slower|C order"},
};

static const live_row blocks[] = {
  {{"blocks of two, even on each process", 2, .size = {17, 4}, FIRST_AXIS}, 0, SHARED,
   .vector = {.block_size = 2}},
  {{"blocks across processes", 1, {36}, .cut = {CUT_HOLES}}, .vector = {.block_size = 9}},
  {{"blocks of five", 1, .size = {35}}, 0, MOVED, "block size 5", .vector = {.block_size = 5}},
  {{"blocks of six, rows of four, a copy", 2, .size = {9, 4}, FIRST_AXIS}, 0, MOVED,
   .vector = {.block_size = 6, .sharing = DAP_SHARE_NEVER}},
  {{"blocks of a copy in F order", 2, .size = {6, 10}, FIRST_AXIS}, 0, MOVED, .vector = {.block_size = 12,
   .order = DAP_ORDER_F, .sharing = DAP_SHARE_NEVER}},
  {{"blocks of lists", 1, {42}, .cut = {CUT_LOTS}}, .vector = {.block_size = 3}},
};
/* clang-format on */

static void try_row(const live_row *row, dap_access access)
{
  live a;
  TEST_CASE("%s; access %d, form %d", row->layout.why, (int)access, (int)row->form);
  live_make_row(&a, row);
  live_try_vector(&a, row, access);
  live_free(&a);
  SETTLE();
}

static void check_rows(const live_row rows[], size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (int access = DAP_READ; access <= DAP_READ_WRITE; access++) try_row(&rows[i], (dap_access)access);
}

static void ranges(void **state)
{
  (void)state;
  check_rows(structured, sizeof structured / sizeof structured[0]);
}

static void lists_and_ghosts(void **state)
{
  (void)state;
  check_rows(lists, sizeof lists / sizeof lists[0]);
}

static void entries_in_blocks(void **state)
{
  (void)state;
  check_rows(blocks, sizeof blocks / sizeof blocks[0]);
}

static void named_layouts_become_vectors(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * named_layout_count; i++) {
    const live_row row = {.layout = named_layouts[i / 2], .form = (test_form)((i / 2 + i % 2) % FORM_COUNT)};
    try_row(&row, i % 2 ? DAP_READ_WRITE : DAP_WRITE);
  }
}

static void random_layout(int number, test_random *random)
{
  live a;
  live_row want = {.vector = {.order = test_random_one_in(random, 3) ? DAP_ORDER_F : DAP_ORDER_C,
                              .natural = test_random_one_in(random, 4)}};
  if (test_random_one_in(random, 5)) want.vector.sharing = DAP_SHARE_NEVER;
  live_draw(&a, random, 4);
  TEST_CASE("seed %" PRIu64 ", case %d, order %d, natural %d: %s", test_seed(), number,
            (int)want.vector.order, want.vector.natural, random_array_text(a.model));
  live_try_vector(&a, &want, (dap_access)test_random_int(random, DAP_READ, DAP_READ_WRITE));
  live_free(&a);
}

/* The seed is printed. A run is repeated with DAP_TEST_SEED. */
static void random_layouts_become_vectors(void **state)
{
  (void)state;
  test_each(test_cases(400), 94, random_layout);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(ranges),
    cmocka_unit_test(lists_and_ghosts),
    cmocka_unit_test(entries_in_blocks),
    cmocka_unit_test(named_layouts_become_vectors),
    cmocka_unit_test(random_layouts_become_vectors),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
