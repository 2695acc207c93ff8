/**
 * @file
 * Moves of a view. The functions `lay`, `plan` and `plan_reverse` of an adapter call the functions of this
 * header.
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
 * Describes the memory of a moved target, for dap_adapter.lay.
 *
 * The extents of this process's memory are those of its part of `layout`. Not collective.
 *
 * @param view     the view
 * @param target   number of the target
 * @param layout   layout of the target's elements, with the extents view->shape unless the adapter has a
 *                 `plan` function. The function takes over the caller's reference, even on error.
 * @param ranks    [processes of layout] ranks in view->comm, which dapbridge copies; NULL means rank i
 * @param order    storage order, if `strides` is NULL
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

/** When a move is run. */
typedef enum dap_view_phase {
  DAP_VIEW_IN,     /**< run by get with DAP_READ, and by load */
  DAP_VIEW_OUT,    /**< run by store and restore */
  DAP_VIEW_HALO,   /**< run by halo, and with fills_halos also after DAP_VIEW_OUT */
  DAP_VIEW_REVERSE /**< run by halo_reverse, after padding and ghosts have been added to their owners */
} dap_view_phase;

/** One end of a move. */
typedef struct dap_view_end {
  int target; /**< number of a target, or DAP_VIEW_ARRAY */
  /** Side of the plan. If its layout is NULL, dapbridge uses the layout, ranks and strides of the target or
   * of the array. A side with a layout also needs strides or .contiguous. If `side.part` is zeroed, all
   * elements are moved. If `side.dtype` is DAP_NONE, dapbridge uses the type of the target, or the type and
   * byte order of the array. */
  dap_side side;
  int64_t offset; /**< bytes from the beginning of the memory, or of the window, to the first element */
} dap_view_end;

/** A move of a view's elements. */
typedef struct dap_view_move {
  dap_view_end from;   /**< source; not used by a halo update */
  dap_view_end to;     /**< destination */
  bool fill_halos;     /**< like dap_plan_options.fill_halos */
  bool adds;           /**< adds to the elements of `to` instead of replacing them */
  bool is_halo_update; /**< the move is a halo update of `to`, by dap_plan_create_halo() */
} dap_view_move;

/**
 * Adds the usual moves to a view's form. They move all elements to each wanted moved target, and back, as the
 * access requires.
 *
 * If the adapter sets fills_halos, the array's communication padding is also filled. Collective on
 * view->comm.
 *
 * @param view  the view
 * @param err   receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a phase has 12 moves already, or the target's shape is not the part's
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only
 *  - DAP_ERR_UNSUPPORTED: the parts make more than DAP_MAX_NDIM axes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_view_plan_usual(dap_view *view, dap_error *err);

/**
 * Adds a move to a phase of a view's form.
 *
 * Moves run in the order in which they were added. Moves from or to a target are counted in moved_bytes.
 * Collective on view->comm.
 *
 * @param view   the view
 * @param phase  when the move runs; each phase has at most 12 moves
 * @param move   the move
 * @param err    receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the phase has 12 moves already, or an end of the move is invalid or differs
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only
 *  - DAP_ERR_UNSUPPORTED: the parts make more than DAP_MAX_NDIM axes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_view_plan(dap_view *view, dap_view_phase phase, const dap_view_move *move,
                                 dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
