/**
 * @file
 * Describes one process's part of an array as JSON.
 *
 * The `dapbridge` command and other programs can read this JSON. export.h declares functions that write the
 * parts of all processes.
 */
#ifndef DAPBRIDGE_JSON_H
#define DAPBRIDGE_JSON_H

#include <dapbridge/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes a description of this process's part to `text`, as one JSON object on one line.
 *
 *     {"__version__": "0.10.0", "dim_data": [{"dist_type": "b", "size": 100, ...}, ...],
 *      "buffer": {"shape": [50], "dtype": "<f8", "strides": [8]}}
 *
 * The object has the keys and types that the protocol version in array->version defines. If this version is
 * unknown, the object has the keys and types of version 0.10. Elements are not included, and keys that have
 * no effect, such as padding [0, 0], are omitted. If array->dtype is DAP_NONE, the object has "buffer_shape"
 * instead of "buffer". The array may break rules of the protocol, but its lists of indices must be in
 * readable memory. Like snprintf(), the function truncates the JSON to fit. If `capacity` is 0, only the
 * length is computed. Not collective.
 *
 * @param array     this process's part
 * @param text      receives the JSON; empty on error. May be NULL if `capacity` is 0.
 * @param capacity  size of `text` in bytes
 * @param length    receives the length of the full JSON, without the NUL; 0 on error
 * @param err       receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or array->abi is not DAP_ARRAY_ABI
 *  - DAP_ERR_BUFFER: the part has more than DAP_MAX_NDIM axes or dictionaries, or an unknown dtype
 *  - DAP_ERR_DIM: a list of indices is NULL, has a negative length, or is not of an integer type
 * @see dap_array_export()
 */
DAP_API dap_status dap_array_json(const dap_array *array, char *text, size_t capacity, size_t *length,
                                  dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
