/**
 * @file
 * The source or the destination of a plan: a layout, and the type and strides of each process's buffer.
 */
#ifndef DAPBRIDGE_SIDE_H
#define DAPBRIDGE_SIDE_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/part.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The source or the destination of a plan. The plan keeps a reference to the layout, and copies everything
 * else that it needs.
 *
 * Every process that has a part must pass the same `layout`. Other processes may pass NULL, and then receive
 * the layout from the lowest rank that passes it. `ranks` must be the same on every process that passes a
 * layout, and must not contain any rank twice. If the plan's communicator is an intercommunicator, ranks[i]
 * is the rank in the group that has this side.
 *
 * A process with a part must set either `contiguous` or `strides`, unless the layout has no axes. Buffers
 * from dap_array_alloc() are not always contiguous.
 *
 * If `local` is set, dap_plan_create() checks that the extents and dictionaries of this part match the
 * layout, like dap_array_match(). `local` is ignored on processes without a part, and by dap_plan_preview().
 */
typedef struct dap_side {
  const dap_layout *layout; /**< layout of the whole array */
  /** [nprocs of layout] rank of the layout's process i in the communicator; NULL: process i has rank i */
  const int *ranks;
  const int64_t *strides; /**< [ndim] strides of this process's buffer, in bytes; NULL if contiguous */
  bool contiguous;        /**< true if this process's buffer is contiguous in C order */
  dap_dtype dtype;        /**< type of the elements; DAP_NONE: any type of `itemsize` bytes, not converted */
  bool swapped;  /**< true if this process's elements have the opposite byte order; both sides need a dtype */
  dap_part part; /**< part of the array to move, the same on every process; zeroed: the whole array */
  const dap_array *local; /**< this process's part, which must match the layout; NULL means no check */
} dap_side;

/**
 * Makes a side that covers a whole array. Process i of the layout has rank i in the communicator.
 *
 * The side has the layout, strides, type and byte order of the array. On a process without a part,
 * array.local may be NULL; the caller must then set the side's `dtype`. Not collective.
 *
 * @param array  layout of the whole array, and this process's part. The side points into *array.local, which
 *               must exist until the plan has been created.
 * @return the side
 * @see dap_plan_create()
 */
DAP_API dap_side dap_side_of(dap_darray array);

#ifdef __cplusplus
}
#endif

#endif
