/**
 * @file
 * Plan options: transports, limits on memory, and computations on the moved elements.
 */
#ifndef DAPBRIDGE_PLAN_OPTIONS_H
#define DAPBRIDGE_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A plan is a move of elements that can be run many times. dap_plan_create() creates a plan. */
typedef struct dap_plan dap_plan;

/**
 * Ways to move elements from one process to another. dap_plan_describe() reports the ways that a plan uses.
 *
 * Elements that stay on a process are always copied directly. For direct copies between processes of a node,
 * one of the two buffers must be from dap_array_alloc() (shared.h). If only DAP_TRANSPORT_DIRECT is allowed,
 * all sources or all destinations of a run must be such buffers. The value 8 is reserved.
 */
typedef enum dap_transport {
  DAP_TRANSPORT_DIRECT = 1,  /**< direct copies from source to destination, between processes of a node */
  DAP_TRANSPORT_STAGED = 2,  /**< copies through slots (small buffers in shared memory) on a node */
  DAP_TRANSPORT_MESSAGES = 4 /**< MPI messages; elements are packed in the destination's storage order */
} dap_transport;

/** Ways to combine the values that several processes hold for one element. */
typedef enum dap_combine {
  /** only the owner's value is used; for partial sources and in reverse halo updates, the values are added */
  DAP_COMBINE_NONE = 0,
  DAP_COMBINE_SUM, /**< the values are added up */
  DAP_COMBINE_MAX, /**< the largest value; only for real elements; NaN if any value is NaN */
  DAP_COMBINE_MIN  /**< the smallest value; only for real elements; NaN if any value is NaN */
} dap_combine;

/** Specifies what happens to padding and ghosts after a reverse halo update has combined their values with
 * the owners' values. */
typedef enum dap_padding {
  DAP_PADDING_KEEP = 0, /**< padding and ghosts keep their values */
  DAP_PADDING_CLEAR,    /**< all bytes of padding and ghosts are set to 0 */
  /** padding and ghosts receive the owners' new values, in a second pass that uses half of memory_bytes */
  DAP_PADDING_REFRESH
} dap_padding;

/**
 * Plan options, which must be the same on every process. NULL or a zeroed struct means the defaults.
 *
 * If `alpha` or `beta` is set, a run computes destination = alpha * op(source) + beta * destination. Here op
 * is the complex conjugate if `conjugate` is set, and the identity otherwise. `alpha`, `beta`, `conjugate`
 * and `combine` require a dtype on both sides. If `alpha` or `beta` has an imaginary part, the elements must
 * be complex. DAP_COMBINE_MAX and DAP_COMBINE_MIN cannot be used with `alpha` or `beta`.
 *
 * If `beta` is NULL, the destination is not read. If `beta` is set, a second pass copies the owner's result
 * to all other copies and, with fill_halos, to padding. This pass uses half of memory_bytes. If only
 * DAP_TRANSPORT_DIRECT is allowed, this pass requires all destinations to be in shared memory.
 *
 * If `arrays` is set, all arrays of a run must have the layouts, strides and types of the plan
 * (bridge/docs/moving.md, "Several arrays at once").
 */
typedef struct dap_plan_options {
  bool fill_halos; /**< also fill the destination's communication padding with the owners' values */
  /** Largest size of a message or slot in bytes, at most 2^31 - 1. For messages, 0 means 512 KiB. For slots,
   * 0 means a quarter of the smallest second-level cache on any process. */
  int64_t message_bytes;
  int64_t memory_bytes; /**< limit on the bytes of messages and slots on each process; 0 means 64 MiB */
  unsigned transports;  /**< dap_transport bits that may be used; 0 means all */
  bool conjugate;       /**< conjugate complex elements */
  bool from_owners;     /**< read replicated elements from the copy at coordinate 0, not the nearest copy */
  bool lossy;           /**< allow casts that can lose values; see dap_dtype_holds() */
  bool allow_empty;     /**< allow a halo update that has nothing to fill: no padding and no ghosts */
  const double *alpha;  /**< [2] real and imaginary parts; NULL means 1 */
  const double *beta;   /**< [2] real and imaginary parts; NULL means 0 */
  dap_combine combine;  /**< how the values that several processes hold for one element are combined */
  dap_padding padding;  /**< what happens to padding and ghosts in a reverse halo update */
  int64_t arrays;       /**< number of arrays that one run moves together, at most 2^31 - 1; 0 means 1 */
} dap_plan_options;

#ifdef __cplusplus
}
#endif

#endif
