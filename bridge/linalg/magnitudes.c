/* Absolute values of a column's elements, a stretch of a column at a time, in loops that compilers
 * vectorise. */
#include "linalg_impl.h"

#include <math.h>

static void of_complex(const dap_linalg_part *part, const void *at, int64_t count, double to[])
{
  const float *single = at;
  const double *wide = at;
  for (int64_t i = 0; i < count; i++)
    to[i] = part->single ? hypot((double)single[2 * i], (double)single[2 * i + 1])
                         : hypot(wide[2 * i], wide[2 * i + 1]);
}

int64_t dap_linalg_stretch(const dap_linalg_part *part, int64_t row)
{
  const int64_t left = part->extents[0] - row;
  return left < DAP_LINALG_STRETCH ? left : DAP_LINALG_STRETCH;
}

void dap_linalg_magnitudes(const dap_linalg_part *part, int64_t row, int64_t col, int64_t count, double to[])
{
  const void *at = dap_linalg_element(part, row, col);
  if (part->components == 2) {
    of_complex(part, at, count, to);
  } else if (part->single) {
    for (int64_t i = 0; i < count; i++) to[i] = fabs((double)((const float *)at)[i]);
  } else {
    for (int64_t i = 0; i < count; i++) to[i] = fabs(((const double *)at)[i]);
  }
}

double dap_linalg_total(const double values[], int64_t count)
{
  enum { LANES = 8 }; /* additions that do not wait for each other, and lose fewer digits */
  double lanes[LANES] = {0}, total = 0;
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int k = 0; k < LANES; k++) lanes[k] += values[i + k];
  for (; i < count; i++) total += values[i];
  for (int k = 0; k < LANES; k++) total += lanes[k];
  return total;
}
