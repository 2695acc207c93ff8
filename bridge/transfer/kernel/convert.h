/* Converts rows of elements to and from the types that transforms compute in. */
#ifndef DAP_CONVERT_H
#define DAP_CONVERT_H

#include <dapbridge/dtype.h>
#include <stddef.h>
#include <string.h>

/* Loads `count` numbers of a real element type, `stride` bytes apart and not aligned, to work[i * step]; and
 * stores them. Numbers are stored rounded to the nearest, ties to even. Integers are cut off towards 0, and
 * at the ends of the type's range; NaN becomes 0. Bools say whether a number is not 0. Any byte except 0 is a
 * true bool. */
typedef void dap_load(const char *from, int64_t stride, void *work, int64_t step, int64_t count);
typedef void dap_store(const void *work, int64_t step, char *to, int64_t stride, int64_t count);

/* A type to compute in. `work` is an array of it, and pairs in it are (real, imaginary). Element types
 * without a function have NULL. Complex types have none, because their parts are loaded and stored. */
typedef struct dap_working {
  size_t size; /* bytes */
  dap_load *load[DAP_C32 + 1];
  dap_store *store[DAP_C32 + 1];
  /* NULL for integers, which are only moved. */
  void (*scale)(void *work, int64_t count, double factor);
  void (*scale_complex)(void *work, int64_t pairs, const double factor[2]); /* scale by a complex number */
  void (*add)(void *work, const void *more, int64_t count);
  void (*larger)(void *work, const void *more, int64_t count);  /* NaN if either is */
  void (*smaller)(void *work, const void *more, int64_t count); /* NaN if either is */
  void (*conjugate)(void *work, int64_t pairs);
  void (*fold)(void *work, int64_t pairs); /* replaces a real part that is 0 with the imaginary part */
} dap_working;

extern const dap_working dap_working_integer;     /* int64_t; larger numbers become its maximum */
extern const dap_working dap_working_double;      /* double */
extern const dap_working dap_working_long_double; /* long double */

/* half.c. Convert IEEE's binary16, for which C has no type. Values are rounded to the nearest, ties to
 * even. */
double dap_half_value(uint16_t half);
uint16_t dap_half_of(double value);
uint16_t dap_half_of_long(long double value);

/* DAP_F16's long double. Bytes that pad x87's type are never set. */
typedef struct dap_quad {
  unsigned char bytes[16];
} dap_quad;
long double dap_quad_value(dap_quad quad);
dap_quad dap_quad_of(long double value);

/* Write a dap_load and a dap_store, in files that name the type to compute in `working`. `value` is the
 * result for the element or working number x. Elements side by side have their own loop with constant
 * strides, so that compilers make vector instructions of it. */
#define DAP_LOAD(name, type, value)                                                                          \
  static working name##_value(const char *at)                                                                \
  {                                                                                                          \
    type x;                                                                                                  \
    memcpy(&x, at, sizeof x);                                                                                \
    return (working)(value);                                                                                 \
  }                                                                                                          \
  static void name(const char *from, int64_t stride, void *work, int64_t step, int64_t count)                \
  {                                                                                                          \
    working *w = work;                                                                                       \
    const int64_t size = (int64_t)sizeof(type);                                                              \
    if (stride == size && step == 1)                                                                         \
      for (int64_t i = 0; i < count; i++) w[i] = name##_value(from + i * size);                              \
    else                                                                                                     \
      for (int64_t i = 0; i < count; i++) w[i * step] = name##_value(from + i * stride);                     \
  }

#define DAP_STORE(name, type, value)                                                                         \
  static void name##_value(working x, char *at)                                                              \
  {                                                                                                          \
    const type y = (value);                                                                                  \
    memcpy(at, &y, sizeof y);                                                                                \
  }                                                                                                          \
  static void name(const void *work, int64_t step, char *to, int64_t stride, int64_t count)                  \
  {                                                                                                          \
    const working *w = work;                                                                                 \
    const int64_t size = (int64_t)sizeof(type);                                                              \
    if (stride == size && step == 1)                                                                         \
      for (int64_t i = 0; i < count; i++) name##_value(w[i], to + i * size);                                 \
    else                                                                                                     \
      for (int64_t i = 0; i < count; i++) name##_value(w[i * step], to + i * stride);                        \
  }

/* The integer that a real number x becomes. high + 1 is a power of two: where `working` cannot hold `high`,
 * it is rounded up to that, and adding 1 changes nothing. NaN fails all comparisons. */
#define DAP_TRUNCATE(type, low, high)                                                                        \
  (type)(x >= (working)(high) + 1 ? (high) : x > (working)(low) ? (type)x : x <= (working)(low) ? (low) : 0)

/* Write the functions of bool and the integers except loads of uint64_t. `integer(type, low, high)` is the
 * integer of a type with these limits that a working number x becomes. */
#define DAP_LOAD_INTEGERS                                                                                    \
  DAP_LOAD(load_bool, uint8_t, x != 0)                                                                       \
  DAP_LOAD(load_i1, int8_t, x)                                                                               \
  DAP_LOAD(load_u1, uint8_t, x)                                                                              \
  DAP_LOAD(load_i2, int16_t, x)                                                                              \
  DAP_LOAD(load_u2, uint16_t, x)                                                                             \
  DAP_LOAD(load_i4, int32_t, x)                                                                              \
  DAP_LOAD(load_u4, uint32_t, x)                                                                             \
  DAP_LOAD(load_i8, int64_t, x)
#define DAP_STORE_INTEGERS(integer)                                                                          \
  DAP_STORE(store_bool, uint8_t, x != 0)                                                                     \
  DAP_STORE(store_i1, int8_t, integer(int8_t, INT8_MIN, INT8_MAX))                                           \
  DAP_STORE(store_u1, uint8_t, integer(uint8_t, 0, UINT8_MAX))                                               \
  DAP_STORE(store_i2, int16_t, integer(int16_t, INT16_MIN, INT16_MAX))                                       \
  DAP_STORE(store_u2, uint16_t, integer(uint16_t, 0, UINT16_MAX))                                            \
  DAP_STORE(store_i4, int32_t, integer(int32_t, INT32_MIN, INT32_MAX))                                       \
  DAP_STORE(store_u4, uint32_t, integer(uint32_t, 0, UINT32_MAX))

/* Entries of a table for bool and the integers; `what` is load or store. */
#define DAP_INTEGERS(what)                                                                                   \
  [DAP_BOOL] = what##_bool, [DAP_I1] = what##_i1, [DAP_U1] = what##_u1, [DAP_I2] = what##_i2,                \
  [DAP_U2] = what##_u2, [DAP_I4] = what##_i4, [DAP_U4] = what##_u4, [DAP_I8] = what##_i8,                    \
  [DAP_U8] = what##_u8

#endif
