/**
 * @file
 * The source or the destination of a plan: a layout, and the form of each process's buffer.
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

/** The source or the destination of a plan. A plan retains the layout and copies all lists. */
typedef struct dap_side {
  /** The layout, the same on every process that holds a part. May be NULL on other processes, which receive
   * the layout from the lowest rank that has it. */
  const dap_layout *layout;
  /** [nprocs of layout] ranks[i] is the rank of the layout's process i in the plan's communicator. With an
   * intercommunicator it is the rank in the group that has the side. The list is the same on every process
   * that has the layout, and no rank occurs twice. NULL means that process i has rank i. */
  const int *ranks;
  const int64_t *strides; /**< [ndim] strides of this process's buffer, in bytes; NULL if contiguous */
  /** True if this process's buffer is contiguous in C order. Buffers from dap_array_alloc() can have other
   * strides. A process with a part sets either `contiguous` or `strides`, unless the layout has no axes. */
  bool contiguous;
  dap_dtype dtype; /**< type of the elements; DAP_NONE: opaque elements of the plan's itemsize */
  bool swapped;    /**< this process's elements have the opposite byte order; needs dtypes on both sides */
  dap_part part;   /**< elements to move, the same on every process; zeroed: all */
  /** This process's array. dap_plan_create() checks that its extents and dictionaries are those of this
   * process's part, as dap_array_match() does. If `local` is NULL, nothing is checked. `local` is ignored on
   * processes without a part, and by dap_plan_preview(). */
  const dap_array *local;
} dap_side;

/**
 * Makes the side for all elements of an array whose processes are ranks 0, 1, ...
 *
 * The side has the array's layout, strides, type and byte order. dap_plan_create() checks its `local`. On a
 * process without a part array.local may be NULL; the caller must then set the side's dtype. Not collective.
 *
 * @param array  layout of the whole, and this process's part. The side points into *array.local, which must
 *               exist until the plan has been created.
 * @return the side
 * @see dap_plan_create()
 */
DAP_API dap_side dap_side_of(dap_darray array);

#ifdef __cplusplus
}
#endif

#endif
