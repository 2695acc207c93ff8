/* dapbridge/array.h: one process's part of a distributed array, as __distarray__() returns it. Nothing in
 * this header is collective. */
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
  DAP_ARRAY_ABI = 1,    /* version of struct dap_array; changes only if its members do */
  DAP_VERSION_TEXT = 16 /* bytes of a protocol version, with the closing NUL */
};

/* How an array is accessed through a view. A shared view is the array's buffer itself, whatever the
 * access. */
typedef enum dap_access {
  DAP_READ = 1,      /* a copy starts with the array's elements and is not written back */
  DAP_WRITE = 2,     /* a copy starts as zeros and is written back */
  DAP_READ_WRITE = 3 /* both */
} dap_access;

/* Whether a view may be a copy. */
typedef enum dap_sharing {
  DAP_SHARE_IF_POSSIBLE = 0, /* share the caller's buffer if possible, otherwise copy */
  DAP_SHARE_OR_FAIL,         /* never copy: fail with DAP_ERR_SHARE and the reason instead */
  DAP_SHARE_NEVER            /* always copy */
} dap_sharing;

/* The storage order of a new buffer. */
typedef enum dap_order {
  DAP_ORDER_C = 'C', /* last dimension contiguous (row-major) */
  DAP_ORDER_F = 'F'  /* first dimension contiguous (column-major) */
} dap_order;

/* One process's dimension dictionaries and buffer. dap_array_init() fills it from a layout; but it is an open
 * struct, so that any producer can fill it:
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
 * To hand one over, copy the struct and zero the original. */
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
  bool swapped; /* the elements' byte order is opposite to this machine's */

  void (*release)(struct dap_array *array); /* frees what private_data owns; NULL: nothing to free */
  void *private_data;                       /* for the producer's use */
} dap_array;

/* A distributed array as seen by one process: the layout of the whole and this process's part, which must
 * match (dap_array_match()). Passed by value; owns neither. */
typedef struct dap_darray {
  const dap_layout *layout;
  const dap_array *local;
} dap_darray;

/* Fills *array with the dictionaries, extents and contiguous strides of process `rank` of `layout`, in
 * storage order `order`. The dictionaries are those of protocol 0.10, or of 0.9 where only that can express
 * the layout. `data` is a buffer of dap_array_bytes() bytes, which stays the caller's, or NULL: then a
 * zeroed buffer aligned to 64 bytes is allocated. Free it with dap_array_release(); `layout` may be
 * destroyed before.
 * Errors: DAP_ERR_ARG (NULL, rank outside the layout's grid, unknown dtype or order), DAP_ERR_RANGE (more
 * than 2^63 - 1 bytes), DAP_ERR_UNSUPPORTED (neither version can express the layout), DAP_ERR_REMOTE
 * (`rank` has indices along a 'u' axis that this process does not know), DAP_ERR_NOMEM. On error *array is
 * zeroed. */
DAP_API dap_status dap_array_init(dap_array *array, const dap_layout *layout, int rank, dap_dtype dtype,
                                  dap_order order, void *data, dap_error *err);

/* Calls the array's release function, if it has one, and zeroes the struct. Accepts NULL and a zeroed
 * array, so that calling it twice is safe. */
DAP_API void dap_array_release(dap_array *array);

/* The number of local elements (the product of shape; 1 if ndim is 0), and their bytes. For arrays that pass
 * dap_array_check(). */
DAP_API int64_t dap_array_count(const dap_array *array);
DAP_API int64_t dap_array_bytes(const dap_array *array);

/* Checks that array.local can be the part of process `rank` of array.layout. It must have the layout's number
 * of dimensions, the extents that the layout has there (communication padding included), and data if there
 * are elements. Dictionaries with the layout's grid, if there are any, must name that place in it: those of
 * another rank, or of its rank in another communicator, do not. Along replicated axes every place is right.
 * Nothing else that dictionaries say is checked, nor are element type and strides. Any rank may be asked for,
 * also of an assembled layout.
 * Errors: DAP_ERR_ARG (NULL, rank outside the layout's grid), DAP_ERR_BUFFER (naming the dimension and both
 * extents, or both places). */
DAP_API dap_status dap_array_match(dap_darray array, int rank, dap_error *err);

/* Whether an element of a's buffer shares memory with an element of b's; if a == b, whether two of its
 * elements share memory. Interleaved parts of one buffer, such as its even and its odd columns, do not
 * overlap. The answer is exact for buffers whose strides nest, i.e. where the stride of each axis is at
 * least the span of the axes with shorter strides; otherwise the search is bounded and may miss an overlap.
 * Element types and shapes may differ; a buffer without elements overlaps nothing. For arrays that pass
 * dap_array_check(). */
DAP_API bool dap_array_overlaps(const dap_array *a, const dap_array *b);

/* Copies the elements between two local buffers of equal shape and element type. Either may be strided,
 * unaligned or in the opposite byte order; bytes are swapped where the orders differ. (To read a
 * byte-swapped array, copy it to one that dap_array_init() makes of the same layout.)
 * Errors: DAP_ERR_ARG (NULL); DAP_ERR_BUFFER (shapes or types differ, data is NULL, `to` is read-only or
 * has a zero stride along an extent > 1, or its elements overlap each other or those of `from`, as far as
 * dap_array_overlaps() can tell); DAP_ERR_RANGE (strides that span more than 64 bits). Strides and data of
 * arrays without elements are not checked. On error nothing is written. */
DAP_API dap_status dap_array_copy(const dap_array *from, const dap_array *to, dap_error *err);

/* Checks all that one process can check on its own: abi, version, number of dictionaries, each key of each
 * dictionary against the protocol's rules, the buffer's shape against the dictionaries, element type, data
 * where there are elements, and that this part can belong to a complete array. dap_layout_assemble() does
 * the same, and checks the parts against each other, on all processes.
 * Errors: DAP_ERR_ARG (NULL, abi), DAP_ERR_VERSION, DAP_ERR_DIM, DAP_ERR_BUFFER, DAP_ERR_RANGE,
 * DAP_ERR_NOMEM. err->rule is the broken rule of the protocol. */
DAP_API dap_status dap_array_check(const dap_array *array, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
