/**
 * @file
 * The struct dap_array, which describes one process's part of a distributed array. It contains the data that
 * `__distarray__()` returns in Python.
 */
#ifndef DAPBRIDGE_ARRAY_H
#define DAPBRIDGE_ARRAY_H

#include <dapbridge/dim.h>
#include <dapbridge/dtype.h>
#include <dapbridge/layout.h>
#include <dapbridge/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  DAP_ARRAY_ABI = 1,    /**< version of struct dap_array; changes only if its members change */
  DAP_VERSION_TEXT = 16 /**< bytes of dap_array.version, including the NUL */
};

/** Specifies how a view accesses an array. The comments on the values describe a view that is a copy. A
 * shared view always uses the array's buffer itself. */
typedef enum dap_access {
  DAP_READ = 1,      /**< a copy starts with the array's elements and is not written back */
  DAP_WRITE = 2,     /**< a copy starts with zeros and is written back */
  DAP_READ_WRITE = 3 /**< a copy starts with the array's elements and is written back */
} dap_access;

/** Specifies whether a view may be a copy. */
typedef enum dap_sharing {
  DAP_SHARE_IF_POSSIBLE = 0, /**< share the caller's buffer if possible, otherwise copy */
  DAP_SHARE_OR_FAIL,         /**< never copy: if sharing is impossible, fail with DAP_ERR_SHARE */
  DAP_SHARE_NEVER            /**< always copy */
} dap_sharing;

/** The storage order of a new buffer. */
typedef enum dap_order {
  DAP_ORDER_C = 'C', /**< the last axis is contiguous (row-major) */
  DAP_ORDER_F = 'F'  /**< the first axis is contiguous (column-major) */
} dap_order;

/**
 * One process's part of an array: dimension dictionaries and a buffer.
 *
 * dap_array_init() fills the struct from a layout. The struct is public, so that any program can fill it:
 *
 *     dap_array a = {0};
 *     a.abi = DAP_ARRAY_ABI;
 *     strcpy(a.version, "0.10.0");
 *     a.dim_count = a.ndim = 1;
 *     a.dtype = DAP_F8;
 *     a.data = data; // 50 doubles
 *     a.shape[0] = 50;
 *     a.strides[0] = sizeof(double);
 *     a.dims[0].dist_type = 'b';
 *     a.dims[0].size = 100;
 *     a.dims[0].proc_grid_size = 2;
 *     a.dims[0].proc_grid_rank = rank;
 *     a.dims[0].start = 50 * rank;
 *     a.dims[0].stop = 50 * (rank + 1);
 *
 * To pass ownership of an array to other code, copy the struct and zero the original.
 */
typedef struct dap_array {
  int32_t abi;                    /**< DAP_ARRAY_ABI */
  int32_t dim_count;              /**< number of dictionaries in dims; must equal ndim */
  char version[DAP_VERSION_TEXT]; /**< version of the protocol, such as "0.10.0" */
  dap_dim dims[DAP_MAX_NDIM];     /**< [dim_count] one dictionary for each axis */

  dap_dtype dtype;             /**< type of the elements */
  int32_t ndim;                /**< number of axes of the buffer */
  int64_t shape[DAP_MAX_NDIM]; /**< [ndim] elements along each axis, including communication padding */
  /** [ndim] bytes from one element to the next along each axis; may be negative, or 0 (broadcast) */
  int64_t strides[DAP_MAX_NDIM];
  void *data;    /**< address of element (0, ..., 0); may be NULL if an extent is 0 */
  bool readonly; /**< true: the elements must not be changed */
  bool swapped;  /**< true: the elements' byte order is opposite to this machine's */

  void (*release)(struct dap_array *array); /**< frees the array's memory; NULL if the array owns no memory */
  void *private_data;                       /**< private data of the code that filled the struct */
} dap_array;

/** A distributed array on one process: the layout of the whole array and this process's part. The part must
 * match the layout (see dap_array_match()). The struct is passed by value and owns neither the layout nor the
 * part. */
typedef struct dap_darray {
  const dap_layout *layout; /**< layout of the whole array */
  const dap_array *local;   /**< this process's part */
} dap_darray;

/**
 * Makes one process's part of an array, with contiguous elements.
 *
 * The dictionaries follow protocol 0.10, or 0.9 if only 0.9 can express the layout. Not collective.
 *
 *     dap_array_init(&a, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err);
 *     ...
 *     dap_array_release(&a);
 *
 * @param array   receives the part, to be freed with dap_array_release(); zeroed on error
 * @param layout  layout of the whole array; may be destroyed before the array
 * @param rank    rank of the process whose part is made
 * @param dtype   type of the elements
 * @param order   storage order of the buffer
 * @param data    buffer of dap_array_bytes() bytes, which the caller owns; if NULL, the function allocates a
 *                zeroed buffer, aligned to 64 bytes
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or an argument is out of range
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_UNSUPPORTED: the protocol cannot express the layout, for example because an axis is partial
 *  - DAP_ERR_REMOTE: this process does not know which indices process `rank` has along a 'u' axis
 *  - DAP_ERR_NOMEM
 * @see dap_array_alloc()
 */
DAP_API dap_status dap_array_init(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype,
                                  dap_order order, void *data, dap_error *err);

/**
 * Frees the memory that an array owns, and zeroes the struct.
 *
 * The function calls array->release, unless this member is NULL. A second call does nothing. Not collective.
 *
 * @param array  the array; may be NULL or zeroed
 */
DAP_API void dap_array_release(dap_array *array);

/**
 * Returns the number of elements in a local buffer.
 *
 * Not collective.
 *
 * @param array  an array that passes dap_array_check()
 * @return product of the extents, including padding; 1 if there are no axes
 */
DAP_API int64_t dap_array_count(const dap_array *array);

/**
 * Returns the total size of a local buffer's elements in bytes, without gaps.
 *
 * Not collective.
 *
 * @param array  an array that passes dap_array_check()
 * @return dap_array_count() times the size of an element
 */
DAP_API int64_t dap_array_bytes(const dap_array *array);

/**
 * Checks that a local part matches the layout of the whole array.
 *
 * The function compares the number of axes and the extents. It also compares grid coordinates along those
 * axes that are not replicated and have the same number of processes in the dictionary and in the layout. It
 * does not check the type, the strides or the rest of the dictionaries. Not collective.
 *
 * @param array  layout of the whole array, and the local part
 * @param rank   rank of the process to which the part must belong
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: layout or part is NULL, or `rank` is out of range
 *  - DAP_ERR_BUFFER: an extent differs, data is NULL, or the part belongs to another process
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 */
DAP_API dap_status dap_array_match(dap_darray array, int rank, dap_error *err);

/**
 * Returns whether two local buffers, or two elements of one buffer, share memory.
 *
 * Interleaved parts, such as even and odd columns, do not overlap. The answer is exact if the strides nest,
 * that is, if each stride is at least the span of the axes with shorter strides. Parts and transposes of one
 * contiguous array have nested strides. If strides do not nest, an overlap may be missed. Not collective.
 *
 * @param a  an array that passes dap_array_check()
 * @param b  an array of any shape and type; pass `a` again to find overlaps within its buffer
 * @return true if an overlap was found
 */
DAP_API bool dap_array_overlaps(const dap_array *a, const dap_array *b);

/**
 * Copies the elements of one local buffer to another of the same shape and type.
 *
 * Strides, alignments and byte orders may differ. Not collective.
 *
 * @param from  source
 * @param to    destination; nothing is written on error
 * @param err   receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL
 *  - DAP_ERR_BUFFER: shapes or types differ, a type is invalid, data is NULL, `to` is read-only, elements of
 *    `to` overlap, or the two buffers overlap
 *  - DAP_ERR_RANGE: the strides span more than 2^63 - 1 bytes
 * @see dap_plan_create()
 */
DAP_API dap_status dap_array_copy(const dap_array *from, const dap_array *to, dap_error *err);

/**
 * Checks one process's part as far as possible without the other parts.
 *
 * The function checks the version, the dictionaries and the buffer, and whether the part can belong to a
 * complete array. dap_layout_assemble() also compares the parts of all processes. Not collective.
 *
 * @param array  the part
 * @param err    receives the error, with the broken rule; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `array` is NULL, or array->abi is not DAP_ARRAY_ABI
 *  - DAP_ERR_VERSION: the version of the protocol is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule, or the part cannot belong to a complete array
 *  - DAP_ERR_BUFFER: the shape contradicts the dictionaries, the element type is invalid, or data is NULL
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 elements or bytes
 *  - DAP_ERR_NOMEM
 */
DAP_API dap_status dap_array_check(const dap_array *array, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
