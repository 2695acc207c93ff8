/* Formulas of tall matrices that are hard to factor. */
#include "tall.h"

#include <math.h>

double complex entry_tall_graded(int64_t i, int64_t j)
{
  return entry_any(i, j) * exp2(-(double)(3 * (j % 21)) - (double)(i % 21));
}

double complex entry_tall_graded_up(int64_t i, int64_t j)
{
  return entry_any(i, j) * exp2((double)(i / 50 % 40 - 40));
}

double complex entry_tall_equal(int64_t i, int64_t j)
{
  (void)j;
  return entry_any(i, 0);
}

double complex entry_tall_dependent(int64_t i, int64_t j)
{
  return entry_any(i, j % 3) / (double)(1 + j);
}

double complex entry_tall_corner(int64_t i, int64_t j)
{
  return i == 77 && j == 3 ? 3 : 0;
}

double complex entry_tall_small(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p-90;
}

double complex entry_tall_large(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p100;
}
