/* dapbridge/dtype.h: the element types of an array. */
#ifndef DAPBRIDGE_DTYPE_H
#define DAPBRIDGE_DTYPE_H

#include <dapbridge/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Letter = kind, number = bytes of one element. Native byte order. Complex types are (real, imaginary)
 * pairs, as C's and Fortran's are. 0 is no type, so a zeroed struct is caught. */
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
  DAP_C16
} dap_dtype;

/* Bytes of one element; 0 when `dtype` is none of the enumerators. Not collective. */
DAP_API int64_t dap_dtype_size(dap_dtype dtype);

/* The type's name as numpy spells it ("float64"), or "none". Static text. Not collective. */
DAP_API const char *dap_dtype_name(dap_dtype dtype);

/* The type's PEP 3118 format in native order ("d", "Zd", "?"), or "". Static text. Not collective.
 * Source: PEP 3118, "Additions to the struct string-syntax". */
DAP_API const char *dap_dtype_format(dap_dtype dtype);

/* Reads a PEP 3118 format of one element: an optional byte-order mark ('@' '=' '<' '>' '!'), then a
 * type code; without a mark or with '@' the codes have C's sizes, else struct's standard sizes. NULL
 * means "B" (unsigned bytes), as PEP 3118 says.
 * Returns DAP_OK and sets *dtype; DAP_ERR_BUFFER for a format that is not one of these types;
 * DAP_ERR_UNSUPPORTED for one in the other byte order. Not collective. */
DAP_API dap_status dap_dtype_parse(const char *format, dap_dtype *dtype, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
