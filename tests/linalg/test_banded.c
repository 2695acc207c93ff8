/* Band matrices against the matrix that the band stands for: in every layout, of every size. */
#include "banded.h"

static void banded(void **state)
{
  (void)state;
  bands_everywhere(BANDED);
}

static void positive(void **state)
{
  (void)state;
  bands_everywhere(LOWER);
  bands_everywhere(UPPER);
}

/* Blocks as short as they come, last ones shorter: from fewer columns than processes on. */
static void every_size(void **state)
{
  (void)state;
  int number = 1;
  for (int64_t n = 1; n<60; n += test_scale()> 1 ? 5 : 1) {
    for (int w = 0; w < BAND_WIDTHS; w++, number++) {
      const band_kind k = (band_kind)((number / 3) % BAND_KINDS);
      const trial t = band_trial(number, n);
      band_choose(k, n, band_widths[w][0], band_widths[w][1],
                  band_is_positive(k) ? entry_strong : entry_dominant);
      TEST_CASE("%s, n = %d, %d and %d diagonals, %s", band_names[k], (int)n, (int)band.lower,
                (int)band.upper, t.type->name);
      band_check(k, &t, number % 4);
    }
  }
}

/* More diagonals than the matrix has, and bands that are nearly full. */
static void wide(void **state)
{
  (void)state;
  static const int64_t wides[][3] = {{1, 3, 2},    {2, 5, 0},  {3, 0, 9},  {6, 5, 5},
                                     {40, 39, 39}, {90, 7, 8}, {300, 9, 2}};
  for (size_t i = 0; i < sizeof wides / sizeof wides[0]; i++) {
    const trial t = band_trial((int)i, wides[i][0]);
    TEST_CASE("n = %d, %d and %d diagonals", (int)wides[i][0], (int)wides[i][1], (int)wides[i][2]);
    band_choose(BANDED, wides[i][0], wides[i][1], wides[i][2], entry_any);
    band_check(BANDED, &t, 2);
    for (band_kind k = LOWER; k <= UPPER && wides[i][0] < 10; k++) {
      band_choose(k, wides[i][0], wides[i][1], wides[i][1], entry_strong);
      band_check(k, &t, 2);
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(banded), cmocka_unit_test(positive),
                                          cmocka_unit_test(every_size), cmocka_unit_test(wide)};
LINALG_TEST_MAIN(tests)
