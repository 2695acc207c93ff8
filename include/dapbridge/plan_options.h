/**
 * @file
 * Plans and their options: transports, limits of memory, and computations on the way.
 */
#ifndef DAPBRIDGE_PLAN_OPTIONS_H
#define DAPBRIDGE_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A move that can be run many times. dap_plan_create() creates a plan. */
typedef struct dap_plan dap_plan;

/** How elements can move from one process to another. dap_plan_describe() uses the same names. Elements that
 * stay on a process are always copied directly. The value 8 is reserved. */
typedef enum dap_transport {
  /** Between processes of a node, if dap_array_alloc() (shared.h) made one of the two buffers. Elements are
   * copied once. If only this transport is allowed, all sources or all destinations of a run must be such
   * buffers. */
  DAP_TRANSPORT_DIRECT = 1,
  DAP_TRANSPORT_STAGED = 2,  /**< between processes of a node, through slots in shared memory */
  DAP_TRANSPORT_MESSAGES = 4 /**< between any processes: MPI messages, packed in the destination's order */
} dap_transport;

/** How the values that several processes have for one element are combined. */
typedef enum dap_combine {
  DAP_COMBINE_NONE = 0, /**< the element has the owner's value */
  DAP_COMBINE_SUM,      /**< the values are added up */
  DAP_COMBINE_MAX,      /**< the largest value; only for real elements; NaN if any value is NaN */
  DAP_COMBINE_MIN       /**< the smallest value; only for real elements; NaN if any value is NaN */
} dap_combine;

/** What happens to padding and ghosts after their values have been combined with those of their owners. */
typedef enum dap_padding {
  DAP_PADDING_KEEP = 0, /**< they are not changed */
  DAP_PADDING_CLEAR,    /**< all bytes become 0 */
  DAP_PADDING_REFRESH /**< they receive the owners' new values, in a second pass with half of memory_bytes */
} dap_padding;

/** Options of a plan. They are the same on every process. NULL or a zeroed struct means the defaults. If
 * alpha or beta is set, the plan computes destination = alpha * op(source) + beta * destination, where op
 * conjugates or does nothing. alpha, beta and `conjugate` need a dtype on both sides. A factor with an
 * imaginary part needs complex elements. */
typedef struct dap_plan_options {
  bool fill_halos; /**< also fill the destination's communication padding, with the owners' values */
  /** Size of the longest message or slot in bytes, at most 2^31 - 1. 0 means 512 KiB for messages. For slots
   * it means a quarter of the smallest second-level cache of all processes. */
  int64_t message_bytes;
  int64_t memory_bytes; /**< limit for messages and slots on each process, in bytes; 0 means 64 MiB */
  unsigned transports;  /**< dap_transport bits that may be used; 0 means all */
  bool conjugate;       /**< conjugate complex elements */
  bool from_owners;     /**< read replicated elements from their owner, not from the nearest copy */
  bool lossy;           /**< allow a lossy cast, see dap_dtype_holds() */
  bool allow_empty;     /**< allow a halo update that has no padding and no ghosts to fill */
  const double *alpha;  /**< [2] real and imaginary part; NULL means 1 */
  /** [2] real and imaginary part; NULL means 0, and the destination is not read. Copies on 'u' axes, and
   * padding that is filled, receive the owner's result in a second pass with half of memory_bytes. If only
   * DAP_TRANSPORT_DIRECT is allowed, all destinations must be shared for that pass. */
  const double *beta;
  dap_combine combine; /**< needs dtypes on both sides; DAP_COMBINE_MAX and _MIN exclude alpha and beta */
  dap_padding padding; /**< used by dap_plan_create_halo_reverse() */
  /** Number of arrays that one run moves together, at most 2^31 - 1; 0 means 1. All arrays have the plan's
   * layouts, strides and types. See dap_plan_begin_many(). */
  int64_t arrays;
} dap_plan_options;

#ifdef __cplusplus
}
#endif

#endif
