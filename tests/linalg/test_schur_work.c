/* The work space of dap_linalg_schur() by all processes, between guard bytes. ScaLAPACK's hseqr takes more
 * than it asks for, and how much depends on orders, blocks and grids; where its steps refuse to work as they
 * have too little, it goes on, and the form is wrong. */
#include "guards.h"
#include "schur_test.h"

#include <string.h>

/* Writes at such distances from memory of 40 bytes are found. */
static void guards_are_looked_at(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t at, before, behind;
  } rows[] = {{"nothing", 0, 0, 0},     {"the last byte", 39, 0, 0},   {"one behind", 40, 0, 1},
              {"one before", -1, 1, 0}, {"far behind", 9999, 0, 9960}, {"far before", -4096, 4096, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    guards_start();
    unsigned char *memory = calloc(5, 8);
    if (!EXPECT(memory)) continue;
    unsigned char *volatile anywhere = memory; /* sanitizers know what was allocated */
    if (i > 0) anywhere[rows[i].at] = 1;
    free(memory);
    const guards_found found = guards_stop();
    EXPECT_INT(found.freed, 1);
    EXPECT_INT(found.broken, rows[i].before + rows[i].behind > 0);
    EXPECT(found.before == rows[i].before && found.behind == rows[i].behind);
  }
  SETTLE();
}

static double complex entry_cycle(int64_t i, int64_t j) /* 1, 2, 3, ...: nothing deflates for many steps */
{
  return i == j + 1 ? 1 : i == 0 ? 1e-3 * entry_any(j, 7) : 0;
}

/* Orders around those at which hseqr does something else: 11, 49, 220 a process row (pdhseqr.f, piparmq.f).
 * */
static const int64_t orders[] = {11, 12, 47, 50, 97, 150, 221, 260, 301, 441, 600};
static const int64_t block_sizes[] = {6, 7, 16, 33, 64, 80, 120};

enum {
  ORDERS = sizeof orders / sizeof *orders,
  BLOCKS = sizeof block_sizes / sizeof *block_sizes,
  SMALL = 150
};

static void check(int number, int64_t n, int64_t block)
{
  const int nprocs = test_nprocs(), side = nprocs % 2 == 0 && nprocs > 2 ? 2 : 1;
  const bool is_tall = number / 2 % 2 == 0;
  const trial t = {.number = schur_number(number),
                   .source = &sources[number % 3],
                   .type = &element_types[number % 2], /* the real ones */
                   .size = {n, n},
                   .grid = {is_tall ? nprocs / side : side, is_tall ? side : nprocs / side}};
  TEST_CASE("%d %s in blocks of %d over %d x %d", (int)n, t.type->name, (int)block, t.grid[0], t.grid[1]);
  guards_start();
  schur_check(&t, number % 5 == 0, number % 5 == 2 ? entry_cycle : entry_any, DAP_SCHUR_HSEQR, block);
  EXPECT_GUARDS();
}

/* One process tries every other block with each order, several, which take long, one block for each order; in
 * the quick tier of the small ones. */
static void nothing_is_written_outside(void **state)
{
  (void)state;
  const bool is_quick = test_scale() > 1;
  for (int i = 0; i < ORDERS; i++)
    for (int k = 0; k < BLOCKS; k++) {
      if (is_quick && orders[i] > SMALL) continue;
      if (k == i % BLOCKS || (!is_quick && test_nprocs() == 1 && (i + k) % 2 == 0))
        check(i * (BLOCKS + 1) + k, orders[i], block_sizes[k]);
    }
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(guards_are_looked_at),
                                          cmocka_unit_test(nothing_is_written_outside)};
LINALG_TEST_MAIN(tests)
