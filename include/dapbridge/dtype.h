/**
 * @file
 * The element types of an array.
 */
#ifndef DAPBRIDGE_DTYPE_H
#define DAPBRIDGE_DTYPE_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An element type. In a name such as DAP_F8, the letter gives the kind, and the number gives the size of one
 * element in bytes. Complex elements are pairs (real, imaginary), as in C and Fortran. Plans move and convert
 * all types. Solver libraries compute with float32, float64, complex64 and complex128. */
typedef enum dap_dtype {
  DAP_NONE = 0, /**< no type: the value in a zeroed struct */
  DAP_BOOL,     /**< bool: one byte */
  DAP_I1,       /**< int8 */
  DAP_U1,       /**< uint8 */
  DAP_I2,       /**< int16 */
  DAP_U2,       /**< uint16 */
  DAP_I4,       /**< int32 */
  DAP_U4,       /**< uint32 */
  DAP_I8,       /**< int64 */
  DAP_U8,       /**< uint64 */
  DAP_F4,       /**< float32 */
  DAP_F8,       /**< float64 */
  DAP_C8,       /**< complex64: two float32 */
  DAP_C16,      /**< complex128: two float64 */
  DAP_F2,       /**< float16, IEEE half precision */
  DAP_F16,      /**< float128: C's long double, if its size is 16 bytes */
  DAP_C32       /**< complex256: two float128 */
} dap_dtype;

/**
 * Returns the size of one element.
 *
 * Not collective.
 *
 * @param dtype  any value
 * @return size in bytes; 0 for DAP_NONE and for invalid values
 */
DAP_API int64_t dap_dtype_size(dap_dtype dtype);

/**
 * Returns the name of a type, such as "float64", as numpy spells it.
 *
 * Not collective.
 *
 * @param dtype  any value
 * @return static string; "none" for DAP_NONE and for invalid values
 */
DAP_API const char *dap_dtype_name(dap_dtype dtype);

/**
 * Returns the format of a type, such as "d", "Zd" or "?", in the notation of PEP 3118.
 *
 * The format implies this machine's byte order. Not collective.
 *
 * Source: PEP 3118, "Additions to the struct string-syntax".
 *
 * @param dtype  any value
 * @return static string; "" for DAP_NONE and for invalid values, and for float128 and complex256 if the size
 *         of long double is not 16 bytes
 */
DAP_API const char *dap_dtype_format(dap_dtype dtype);

/**
 * Finds the type that a format of PEP 3118 describes.
 *
 * A format is a type code, optionally preceded by a byte-order character. Without this character, or with '@'
 * or '^', the code means a C type. With '=', '<', '>' or '!', the code has the standard size that Python's
 * struct module defines. Not collective.
 *
 * @param format   format of one element; NULL means "B" (uint8), as in PEP 3118
 * @param dtype    receives the type; DAP_NONE on error
 * @param swapped  set to true if the byte order is opposite to this machine's; false for one-byte elements
 *                 and on error; may be NULL
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `dtype` is NULL
 *  - DAP_ERR_BUFFER: the format does not describe a type
 *  - DAP_ERR_UNSUPPORTED: the byte order is opposite, and `swapped` is NULL
 * @see dap_dtype_parse_numpy()
 */
DAP_API dap_status dap_dtype_parse(const char *format, dap_dtype *dtype, bool *swapped, dap_error *err);

/**
 * Finds the type that a numpy type string, such as `<f8`, `>i4` or `|b1`, describes.
 *
 * A type string consists of an optional byte-order character, a letter for the kind, and the number of bytes.
 * With '|' or '=', or without a byte-order character, the byte order is that of this machine. Not collective.
 *
 * Source: numpy, "The array interface protocol", typestr.
 *
 * @param typestr  type string of one element
 * @param dtype    receives the type; DAP_NONE on error
 * @param swapped  set to true if the byte order is opposite to this machine's; false for one-byte elements
 *                 and on error; may be NULL
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `dtype` is NULL
 *  - DAP_ERR_BUFFER: `typestr` is NULL or does not describe a type
 *  - DAP_ERR_UNSUPPORTED: the byte order is opposite, and `swapped` is NULL
 * @see dap_dtype_parse()
 */
DAP_API dap_status dap_dtype_parse_numpy(const char *typestr, dap_dtype *dtype, bool *swapped,
                                         dap_error *err);

/**
 * Returns whether a cast is lossless, that is, whether `to` can represent every value of `from`.
 *
 * Lossy casts follow the same rules everywhere. Casts from floating-point to integer types truncate, and
 * saturate at the limits of the integer type. NaN becomes 0. Casts between integer types wrap around. Casts
 * to floating-point types round to nearest, ties to even. Casts from complex to real types keep the real
 * part. Casts to bool turn nonzero values into true. Not collective.
 *
 * @param to    type after the cast
 * @param from  type before the cast
 * @return true if the cast is lossless; false if it is not, or if an argument is not a type
 */
DAP_API bool dap_dtype_holds(dap_dtype to, dap_dtype from);

#ifdef __cplusplus
}
#endif

#endif
