/* dapbridge/dtype.h: the element types of an array. */
#ifndef DAPBRIDGE_DTYPE_H
#define DAPBRIDGE_DTYPE_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Letter = kind, number = bytes of one element. Complex types are (real, imaginary) pairs, as C's and
 * Fortran's are. 0 is no type, so a zeroed struct is caught. F2 is IEEE's half, F16 C's long double where
 * that has 16 bytes; like the integers and bool they reach no solver, but plans move and convert them. */
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

/* Bytes of one element; 0 when `dtype` is none of the enumerators. Not collective. */
DAP_API int64_t dap_dtype_size(dap_dtype dtype);

/* The type's name as numpy spells it ("float64"), or "none". Static text. Not collective. */
DAP_API const char *dap_dtype_name(dap_dtype dtype);

/* The type's PEP 3118 format in native order ("d", "Zd", "?"), or "". Static text. Not collective.
 * Source: PEP 3118, "Additions to the struct string-syntax". */
DAP_API const char *dap_dtype_format(dap_dtype dtype);

/* Reads a PEP 3118 format of one element: an optional byte-order mark ('@' '^' '=' '<' '>' '!'), then a
 * type code; without a mark, with '@' or with '^' the codes have C's sizes, else struct's standard sizes.
 * NULL means "B" (unsigned bytes), as PEP 3118 says. *swapped says whether the format is in the other byte
 * order than this machine's; false where an element is one byte.
 * Returns DAP_OK and sets *dtype and *swapped; DAP_ERR_ARG for a NULL dtype; DAP_ERR_BUFFER for a format
 * that is not one of these types; DAP_ERR_UNSUPPORTED for one in the other byte order when `swapped` is
 * NULL. On error *dtype is DAP_NONE and *swapped false. Not collective. */
DAP_API dap_status dap_dtype_parse(const char *format, dap_dtype *dtype, bool *swapped, dap_error *err);

/* The same for a type string of numpy's array interface: a byte-order mark ('<' '>' '|' '=', or none, and
 * the last three mean this machine's), kind and bytes: "<f8", ">i4", "|b1". DAP_ERR_BUFFER also for NULL.
 * Source: numpy, "The array interface protocol", typestr. */
DAP_API dap_status dap_dtype_parse_numpy(const char *typestr, dap_dtype *dtype, bool *swapped,
                                         dap_error *err);

/* True iff every value of `from` is one of `to`, so that a cast from one to the other loses nothing: as many bits of
 * mantissa, as wide a range, a sign if `from` has one, an imaginary part if it has one. Not collective.
 * What a cast that loses something makes of a value, everywhere in the library: integers take the nearest end of their range
 * where it lies beyond (they saturate, where C's casts of integers wrap round), 0 for NaN, and cut a fraction off; floats
 * are rounded to the nearest, ties to even; of a complex value real types take the real part; bool is whether it is not 0. */
DAP_API bool dap_dtype_holds(dap_dtype to, dap_dtype from);

#ifdef __cplusplus
}
#endif

#endif
