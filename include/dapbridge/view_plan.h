/**
 * @file
 * Functions that describe a view's memory and plan its moves. An adapter's callbacks `lay`, `plan` and
 * `plan_reverse` call these functions. The planned moves are stored in the view's form: the data that all
 * views of one kind have in common (adapter.h).
 */
#ifndef DAPBRIDGE_VIEW_PLAN_H
#define DAPBRIDGE_VIEW_PLAN_H

#include <dapbridge/side.h>
#include <dapbridge/view.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Describes the memory of a moved target. dap_adapter.lay calls this function.
 *
 * The memory has the extents of this process's part of `layout`. Not collective.
 *
 * @param view     the view
 * @param target   number of the target
 * @param layout   layout of the target's elements, whose shape must be view->shape unless the adapter has a
 *                 `plan` callback. The function takes ownership of the caller's reference, even if it fails.
 * @param ranks    [processes of layout] ranks in view->comm, which are copied; NULL means that process i has
 *                 rank i
 * @param order    storage order; used if `strides` is NULL
 * @param strides  [axes of layout] strides in bytes, which dapbridge copies; NULL means contiguous
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, or has more processes than view->comm
 *  - DAP_ERR_RANGE: the memory exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM
 */
DAP_API dap_status dap_view_lay(dap_view *view, int target, dap_layout *layout, const int ranks[],
                                dap_order order, const int64_t strides[], dap_error *err);

/** Determines which functions run a move. */
typedef enum dap_view_phase {
  DAP_VIEW_IN,  /**< run by dap_view_load(), and by dap_view_get() if the access includes DAP_READ */
  DAP_VIEW_OUT, /**< run by dap_view_store(), and by dap_view_restore() if the access includes DAP_WRITE */
  /** run by dap_view_halo(), and after the moves of DAP_VIEW_OUT if the adapter sets fills_halos */
  DAP_VIEW_HALO,
  /** run by dap_view_halo_reverse(), after padding and ghosts have been combined with the owners' elements */
  DAP_VIEW_REVERSE
} dap_view_phase;

/**
 * The source or the destination of a move.
 *
 * If side.layout is NULL, dapbridge uses the layout, ranks and strides of the target or of the array.
 * Otherwise side.strides or side.contiguous must be set. If side.part is zeroed, all elements are moved. If
 * side.dtype is DAP_NONE, dapbridge uses the type of the target, or the type and byte order of the array.
 */
typedef struct dap_view_end {
  int target;    /**< number of a target, or DAP_VIEW_ARRAY */
  dap_side side; /**< the side that is passed to the plan */
  /** bytes from the start of the target's memory, or of the array's window, to the first element */
  int64_t offset;
} dap_view_end;

/** A move of a view's elements. */
typedef struct dap_view_move {
  dap_view_end from;   /**< source; ignored if is_halo_update is true */
  dap_view_end to;     /**< destination */
  bool fill_halos;     /**< also fill the destination's communication padding with the owners' values */
  bool adds;           /**< true if elements are added to those of `to` instead of replacing them */
  bool is_halo_update; /**< true if the move is a halo update of `to` (dap_plan_create_halo()) */
} dap_view_move;

/**
 * Plans the default moves for a view, and adds them to the view's form.
 *
 * Depending on the access, elements move from the array to each wanted moved target, in the opposite
 * direction, or both. If the adapter sets fills_halos, the array's communication padding is also filled.
 * Collective on view->comm.
 *
 * @param view  the view
 * @param err   receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a phase already has 12 moves, or a target's shape differs from the part's shape
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only
 *  - DAP_ERR_UNSUPPORTED: a part adds too many axes (DAP_MAX_NDIM)
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_view_plan_usual(dap_view *view, dap_error *err);

/**
 * Plans a move for a view, and adds the move to the view's form.
 *
 * The functions that dap_view_phase lists for `phase` run the move. Moves run in the order in which they were
 * added. dap_view.moved_bytes counts the bytes of moves from or to targets. Collective on view->comm.
 *
 * @param view   the view
 * @param phase  phase in which the move runs; each phase has at most 12 moves
 * @param move   the move
 * @param err    receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the phase already has 12 moves, or the source or destination of the move is invalid or
 *    differs between processes
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only
 *  - DAP_ERR_UNSUPPORTED: a part adds too many axes (DAP_MAX_NDIM)
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_view_plan(dap_view *view, dap_view_phase phase, const dap_view_move *move,
                                 dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
