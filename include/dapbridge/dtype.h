/* dapbridge/dtype.h: the element types of an array. */
#ifndef DAPBRIDGE_DTYPE_H
#define DAPBRIDGE_DTYPE_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The letter is the kind, the number the bytes of one element. Complex types are (real, imaginary) pairs,
 * as in C and Fortran. 0 is not a type, so that a zeroed struct is detected. F2 is IEEE half precision; F16
 * is C's long double where that has 16 bytes. Solvers take neither these two, nor integers, nor bool; plans
 * move and convert all types. */
typedef enum dap_dtype {
  DAP_NONE = 0,
  DAP_BOOL,
  DAP_I1,
  DAP_U1,
  DAP_I2,
  DAP_U2,
  DAP_I4,
  DAP_U4,
  DAP_I8,
  DAP_U8,
  DAP_F4,
  DAP_F8,
  DAP_C8,
  DAP_C16,
  DAP_F2,
  DAP_F16,
  DAP_C32
} dap_dtype;

/* Bytes of one element; 0 if `dtype` is not one of the enumerators. Not collective. */
DAP_API int64_t dap_dtype_size(dap_dtype dtype);

/* The type's name as numpy spells it ("float64"), or "none". Static text. Not collective. */
DAP_API const char *dap_dtype_name(dap_dtype dtype);

/* The type's PEP 3118 format in native order ("d", "Zd", "?"), or "". Static text. Not collective.
 * Source: PEP 3118, "Additions to the struct string-syntax". */
DAP_API const char *dap_dtype_format(dap_dtype dtype);

/* Parses the PEP 3118 format of one element: an optional byte-order mark ('@' '^' '=' '<' '>' '!') and a
 * type code. Without a mark, with '@' or with '^' the codes have C's sizes, otherwise the standard sizes of
 * Python's struct module. NULL means "B" (unsigned bytes), as in PEP 3118. *swapped tells whether the byte
 * order is opposite to this machine's; false for one-byte elements. Not collective.
 * Errors: DAP_ERR_ARG (`dtype` is NULL), DAP_ERR_BUFFER (not the format of one of these types),
 * DAP_ERR_UNSUPPORTED (opposite byte order and `swapped` is NULL). On error *dtype is DAP_NONE and *swapped
 * is false. */
DAP_API dap_status dap_dtype_parse(const char *format, dap_dtype *dtype, bool *swapped, dap_error *err);

/* The same for a type string of numpy's array interface: byte order ('<' or '>'; '|', '=' or no mark for this
 * machine's), kind and bytes: "<f8", ">i4", "|b1". DAP_ERR_BUFFER also if it is NULL. Not collective.
 * Source: numpy, "The array interface protocol", typestr. */
DAP_API dap_status dap_dtype_parse_numpy(const char *typestr, dap_dtype *dtype, bool *swapped,
                                         dap_error *err);

/* True iff `to` can represent every value of `from`, so that the cast is lossless: enough mantissa bits,
 * enough range, a sign if `from` has one, an imaginary part if it has one. Not collective. Lossy casts
 * behave as follows everywhere in the library: to an integer type, values saturate at the ends of the range
 * (where C's casts between integers wrap), NaN becomes 0 and fractions are truncated; to a floating-point
 * type, values are rounded to nearest, ties to even; from a complex to a real type, the real part is taken;
 * to bool, the result is whether the value is nonzero. */
DAP_API bool dap_dtype_holds(dap_dtype to, dap_dtype from);

#ifdef __cplusplus
}
#endif

#endif
