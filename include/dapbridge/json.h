/* dapbridge/json.h: one process's part of an array as JSON text, for the command `dapbridge`, for files and
 * for other programs. Nothing in this header is collective; export.h writes the parts of all processes. */
#ifndef DAPBRIDGE_JSON_H
#define DAPBRIDGE_JSON_H

#include <dapbridge/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what this process exports, as one JSON object on one line:
 *     {"__version__": "0.10.0", "dim_data": [{"dist_type": "b", "size": 100, ...}, ...],
 *      "buffer": {"shape": [50], "dtype": "<f8", "strides": [8]}}
 * with the keys and types of the array's version (0.0.1: "dimdata" and others; those of 0.10 if the version
 * is unknown), without keys whose value is what their absence means. Elements are not written. If dtype is
 * DAP_NONE, there is only the "buffer_shape" instead of the buffer.
 *
 * Like snprintf(), it writes at most `capacity` bytes to `text`, with a closing NUL, and sets *length to the
 * length of the full text; (NULL, 0) only finds the length. The array need not be right, so that the command
 * can say what is wrong with it; but its lists of indices are read.
 * Errors: DAP_ERR_ARG (NULL, abi), DAP_ERR_BUFFER (more dimensions than there can be, an unknown dtype),
 * DAP_ERR_DIM (a list of indices that is NULL, of negative length, or of no integer type). On error *length
 * is 0 and the text is empty. */
DAP_API dap_status dap_array_json(const dap_array *array, char *text, size_t capacity, size_t *length,
                                  dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
