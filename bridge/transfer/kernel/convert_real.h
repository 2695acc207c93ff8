/* Converts all element types to and from a real type. A file includes this once, and names the type
 * `working`, its rounding to binary16 half_of(), and the dap_working to define REAL_TABLE. */
#ifndef DAP_CONVERT_REAL_H
#define DAP_CONVERT_REAL_H

#include "convert.h"

#ifdef REAL_TABLE

DAP_LOAD_INTEGERS
DAP_LOAD(load_u8, uint64_t, x)
DAP_LOAD(load_f2, uint16_t, dap_half_value(x))
DAP_LOAD(load_f4, float, x)
DAP_LOAD(load_f8, double, x)
DAP_LOAD(load_f16, dap_quad, dap_quad_value(x))

DAP_STORE_INTEGERS(DAP_TRUNCATE)
DAP_STORE(store_i8, int64_t, DAP_TRUNCATE(int64_t, INT64_MIN, INT64_MAX))
DAP_STORE(store_u8, uint64_t, DAP_TRUNCATE(uint64_t, 0, UINT64_MAX))
DAP_STORE(store_f2, uint16_t, half_of(x))
DAP_STORE(store_f4, float, (float)x)
DAP_STORE(store_f8, double, (double)x)
DAP_STORE(store_f16, dap_quad, dap_quad_of(x))

static void scale(void *work, int64_t count, double factor)
{
  working *w = work;
  for (int64_t i = 0; i < count; i++) w[i] *= factor;
}

static void scale_complex(void *work, int64_t pairs, const double factor[2])
{
  working *w = work;
  for (int64_t i = 0; i < pairs; i++) {
    const working re = w[2 * i], im = w[2 * i + 1];
    w[2 * i] = factor[0] * re - factor[1] * im;
    w[2 * i + 1] = factor[0] * im + factor[1] * re;
  }
}

static void add(void *work, const void *more, int64_t count)
{
  working *w = work;
  const working *m = more;
  for (int64_t i = 0; i < count; i++) w[i] += m[i];
}

/* A NaN fails all comparisons, and differs from itself. */
static void larger(void *work, const void *more, int64_t count)
{
  working *w = work;
  const working *m = more;
  for (int64_t i = 0; i < count; i++)
    if (m[i] > w[i] || m[i] != m[i]) w[i] = m[i];
}

static void smaller(void *work, const void *more, int64_t count)
{
  working *w = work;
  const working *m = more;
  for (int64_t i = 0; i < count; i++)
    if (m[i] < w[i] || m[i] != m[i]) w[i] = m[i];
}

static void conjugate(void *work, int64_t pairs)
{
  working *w = work;
  for (int64_t i = 0; i < pairs; i++) w[2 * i + 1] = -w[2 * i + 1];
}

static void fold(void *work, int64_t pairs)
{
  working *w = work;
  for (int64_t i = 0; i < pairs; i++)
    if (w[2 * i] == 0) w[2 * i] = w[2 * i + 1];
}

#define REALS(what) [DAP_F2] = what##_f2, [DAP_F4] = what##_f4, [DAP_F8] = what##_f8, [DAP_F16] = what##_f16

const dap_working REAL_TABLE = {
    .size = sizeof(working),
    .load = {DAP_INTEGERS(load), REALS(load)},
    .store = {DAP_INTEGERS(store), REALS(store)},
    .scale = scale,
    .scale_complex = scale_complex,
    .add = add,
    .larger = larger,
    .smaller = smaller,
    .conjugate = conjugate,
    .fold = fold,
};

#endif
#endif
