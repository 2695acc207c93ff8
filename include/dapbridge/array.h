/* dapbridge/array.h: one process's part of a distributed array, as __distarray__() returns it. */
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
  DAP_ARRAY_ABI = 1,    /* form of struct dap_array; changes only if its members do */
  DAP_VERSION_TEXT = 16 /* bytes of a protocol version, with the closing NUL */
};

/* What a caller means to do with an array's elements through a view of it. */
typedef enum dap_access {
  DAP_READ = 1,  /* elements come in; changes are not written back, but a shared view is the buffer itself */
  DAP_WRITE = 2, /* elements go out; what was in the array before is not read */
  DAP_READ_WRITE = 3 /* both */
} dap_access;

/* When an adapter's view may be a copy. */
typedef enum dap_sharing {
  DAP_SHARE_IF_POSSIBLE = 0, /* share the caller's buffer where the layouts agree, else move */
  DAP_SHARE_OR_FAIL,         /* never copy: DAP_ERR_SHARE with the reason instead */
  DAP_SHARE_NEVER            /* always copy */
} dap_sharing;

/* The order in which a new buffer runs through its elements. */
typedef enum dap_order {
  DAP_ORDER_C = 'C', /* last dimension contiguous (row-major) */
  DAP_ORDER_F = 'F'  /* first dimension contiguous (column-major) */
} dap_order;

/* One process's dimension dictionaries and buffer. An open struct, so that any producer can fill one:
 *
 *     dap_array a = {.abi = DAP_ARRAY_ABI, .version = "0.10.0", .dim_count = 1, .ndim = 1, .dtype = DAP_F8,
 *                    .data = p, .shape = {50}, .strides = {8},
 *                    .dims = {{.dist_type = 'b', .size = 100, .proc_grid_size = 2, .proc_grid_rank = rank,
 *                              .start = 50 * rank, .stop = 50 * (rank + 1)}}};
 *
 * or dap_array_init() can fill it from a layout. Moving one is copying the struct and zeroing the old. */
typedef struct dap_array {
  int32_t abi;                    /* DAP_ARRAY_ABI */
  int32_t dim_count;              /* dictionaries in dims; must equal ndim */
  char version[DAP_VERSION_TEXT]; /* of the protocol: "0.10.0" */
  dap_dim dims[DAP_MAX_NDIM];     /* [dim_count] */

  dap_dtype dtype;
  int32_t ndim;                  /* of the buffer */
  int64_t shape[DAP_MAX_NDIM];   /* [ndim] elements, communication padding included */
  int64_t strides[DAP_MAX_NDIM]; /* [ndim] bytes from one element to the next; any sign, 0 = broadcast */
  void *data;                    /* element (0, ..., 0); may be NULL when an extent is 0 */
  bool readonly;
  bool swapped; /* the elements' bytes are in the other order than this machine's */

  void (*release)(struct dap_array *array); /* frees what private_data owns; NULL: nothing to free */
  void *private_data;                       /* the producer's */
} dap_array;

/* A distributed array as one process sees it: the whole's layout and this process's part of it, which must match
 * (dap_array_match()). Passed by value; it owns neither. */
typedef struct dap_darray {
  const dap_layout *layout;
  const dap_array *local;
} dap_darray;

/* Fills *array with the dictionaries, extents and contiguous strides that process `rank` of `layout`
 * has, in `order`. The dictionaries are those of protocol 0.10, or of 0.9 where only that can say what the
 * layout is. `data` is the caller's buffer of dap_array_bytes() bytes and stays the caller's; or NULL, and
 * a zeroed buffer aligned to 64 bytes is allocated. End it with dap_array_release(); `layout` may be
 * destroyed before that. Not collective.
 * Errors: DAP_ERR_ARG (NULL, rank outside the layout's grid, unknown dtype or order), DAP_ERR_RANGE (the
 * buffer exceeds 2^63 - 1 bytes), DAP_ERR_UNSUPPORTED (neither version can say it), DAP_ERR_REMOTE (`rank`
 * has a 'u' axis that this process does not know), DAP_ERR_NOMEM. On error *array is zeroed. */
DAP_API dap_status dap_array_init(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype,
                                  dap_order order, void *data, dap_error *err);

/* Calls the array's release function, if it has one, and zeroes the struct. Accepts NULL and a zeroed
 * array, so calling it twice is safe. Not collective. */
DAP_API void dap_array_release(dap_array *array);

/* Local elements (the product of shape; 1 when ndim is 0) and their bytes; 0 where an extent is 0.
 * For arrays that pass dap_array_check(). Not collective. */
DAP_API int64_t dap_array_count(const dap_array *array);
DAP_API int64_t dap_array_bytes(const dap_array *array);

/* Checks that the buffer of array.local can be that of process `rank` of array.layout: as many dimensions, extents that are the
 * layout's there, communication padding included, and data where there are elements. Dictionaries, element type and
 * strides are not looked at. Not collective; of a layout that was assembled too, any rank may be asked for.
 * Errors: DAP_ERR_ARG (NULL, rank outside the layout's grid), DAP_ERR_BUFFER with the dimension and both extents. */
DAP_API dap_status dap_array_match(dap_darray array, int rank, dap_error *err);

/* Whether an element of a's buffer shares memory with one of b's; a and b being the same struct, whether two of its
 * elements share memory. Parts of one buffer between whose elements those of the other lie, such as its even and odd
 * columns, do not overlap. The answer is exact for buffers whose strides nest: along each axis at least what the axes of
 * shorter strides span. Otherwise the search is bounded, and an overlap may go unseen. Element types and shapes may
 * differ; buffers without elements overlap nothing. For arrays that pass dap_array_check(). Not collective. */
DAP_API bool dap_array_overlaps(const dap_array *a, const dap_array *b);

/* Copies between two local buffers of equal shape and element type, either of which may be strided, unaligned
 * or swapped; what is in the other byte order is put right. How a byte-swapped
 * array is read: make an array of the same layout with dap_array_init() and copy it there. Not collective.
 * Errors: DAP_ERR_ARG (NULL), DAP_ERR_BUFFER (shapes or types differ, data is NULL, `to` is read-only or has
 * a zero stride along an extent > 1, naming the dimension; elements of `to` overlap each other or those of `from`, as
 * dap_array_overlaps() says), but not for the strides or data of an array without elements; DAP_ERR_RANGE (strides that span more than 64 bits). On error nothing is written. */
DAP_API dap_status dap_array_copy(const dap_array *from, const dap_array *to, dap_error *err);

/* Checks what one process alone can: abi, version, number of dictionaries, every key of every
 * dictionary against the protocol's rules, local extents against the buffer's shape, element type, and
 * that there is data where there are elements; and that other processes could make a whole array of it.
 * Not collective; dap_layout_assemble() does it, and more, on all processes at once.
 * Errors: DAP_ERR_ARG (NULL, abi), DAP_ERR_VERSION, DAP_ERR_DIM, DAP_ERR_BUFFER, DAP_ERR_RANGE,
 * DAP_ERR_NOMEM. A broken rule of the protocol is in err->rule. */
DAP_API dap_status dap_array_check(const dap_array *array, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
