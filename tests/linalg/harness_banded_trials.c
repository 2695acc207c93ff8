/* Trials of band and tridiagonal systems. */
#include "banded.h"

const int64_t band_widths[BAND_WIDTHS][2] = {{1, 1}, {0, 0}, {2, 1}, {0, 3}, {3, 0}, {1, 4}, {4, 2}, {7, 7}};

static formula *entry_for(band_kind k, int number)
{
  static formula *const general[] = {entry_any, entry_dominant, entry_hollow};
  if (band_is_positive(k)) return entry_strong;
  return general[number % 3];
}

/* A tridiagonal matrix with zeros on its diagonal is singular where its order is odd. */
static bool is_singular(band_kind k, int64_t n, formula *entry)
{
  return entry == entry_hollow && (n < 2 || k == THREE || band.lower + band.upper < 3) && n % 2 == 1;
}

void bands_everywhere(band_kind k)
{
  static const int64_t columns[] = {3, 1, 0, 20, -1};
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t *width = band_widths[(t.number + t.number / BAND_WIDTHS) % BAND_WIDTHS];
    band_choose(k, t.size[0], width[0], width[1], entry_for(k, t.number));
    if (band.entry == entry_hollow &&
        (band.lower == 0 || band.upper == 0 || is_singular(k, t.size[0], band.entry)))
      band.entry = entry_dominant;
    band_check(k, &t, columns[t.number % 5]);
  }
}

trial band_trial(int number, int64_t n)
{
  return (trial){.number = number,
                 .source = &sources[number % 2],
                 .type = &element_types[number % ELEMENT_TYPES],
                 .size = {n, n},
                 .grid = {1, test_nprocs()}};
}
