/**
 * @file
 * The struct dap_adapter, which describes an adapter. An adapter presents distributed arrays as objects of
 * another library.
 *
 * A view is an object of the other library that stands for a distributed array. If the library can work in
 * the array's buffer, the object uses that buffer, and the view is called shared. Otherwise the object uses
 * memory that dapbridge or the library allocates, and the view is called moved. dapbridge moves elements to
 * this memory and back. A program gets, uses and restores shared and moved views in the same way.
 *
 * An adapter is a constant struct of type dap_adapter. The callback `share` decides whether the library can
 * share the buffer, and `lay` describes the memory of moved views. Other callbacks create the library's
 * objects (`open`), destroy them (`close`), and return them to the caller (`show`). dapbridge does the rest:
 * it checks requests, plans moves and runs them, converts elements, makes the processes agree on statuses,
 * and reports why a view is shared or moved. An adapter's public functions call functions that view_calls.h
 * declares, and its callbacks call functions that view_plan.h declares.
 *
 * bridge/docs/adapter.md is a guide with an example, and tests/view/toy.c is a complete adapter. dapbridge's
 * own adapters for ScaLAPACK and PETSc use this header.
 */
#ifndef DAPBRIDGE_ADAPTER_H
#define DAPBRIDGE_ADAPTER_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <dapbridge/plan.h>
#include <dapbridge/view.h>
#include <dapbridge/view_calls.h>
#include <dapbridge/view_plan.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The data and callbacks of an adapter. Members that an adapter does not need must be zero.
 *
 * dapbridge calls each callback on every process of the view's communicator, including processes without a
 * part of the array. Unless its comment says otherwise, a callback must not communicate, and its status may
 * differ between processes. dapbridge makes the processes agree on the status of each callback before it
 * calls the next one. If a callback fails on any process, all processes get the error of the lowest rank on
 * which it failed.
 *
 * A callback that may be collective must call dap_agree(view->comm, ...) itself before each collective step
 * that some processes might not reach. dapbridge also makes the processes agree on the final status of the
 * callback.
 *
 * Two views are of the same kind if they have the same layout, strides, type, alignment, byte order, part,
 * access and sharing option. In addition, `words` must return the same values for both. A form is the data
 * that all views of a kind have in common. If keeps_forms is true, dapbridge stores the form of a kind in the
 * communicator's context (context.h) after the first view of the kind has been opened. Later views of that
 * kind use the stored form. For these later views, dapbridge does not call `prepare`, `share`, `lay` or
 * `plan`, and `open` must not change dap_view.form or the targets. So a form must not depend on buffer
 * addresses, on objects that are destroyed with the view, or on options that `words` omits.
 *
 * bridge/docs/adapter.md, "What each callback may do", says when dapbridge calls each callback and what
 * happens if the callback fails.
 */
struct dap_adapter {
  const char *name; /**< name of a view in messages, such as "matrix" */
  /** name of the public function that gets a view, for error messages, such as "dap_scalapack_get"; NULL
   * means "dap_view_get" */
  const char *function;
  size_t object_size;  /**< size in bytes of the public struct of a view, such as dap_scalapack_matrix */
  size_t handle;       /**< offset of the dap_view_handle in the public struct, from offsetof() */
  size_t options_size; /**< size of the adapter's options, in bytes */
  size_t form_size;    /**< size of dap_view.form, in bytes */
  size_t state_size;   /**< size of dap_view.state, in bytes */
  int targets;         /**< number of targets (dap_view_target) of a view, 1 to DAP_VIEW_TARGETS */
  /** names of the targets in messages, such as "local vector"; NULL means `name` */
  const char *target_names[DAP_VIEW_TARGETS];

  /** the only element type that the library supports; DAP_NONE means any type that `check` accepts */
  dap_dtype dtype;
  const char *dtype_name; /**< the library's name for this type, for messages */
  bool ranges;      /**< true: `share` can share a range of `layout` (dap_view.start and dap_view.shape) */
  bool fills_halos; /**< true: dap_view_store() and dap_view_restore() also fill communication padding */
  bool part_comm;   /**< true: dapbridge must create the communicator dap_view.part */
  bool keeps_forms; /**< true: dapbridge stores forms in the communicator's context */

  /* ---- called for each view, before any communication ---- */

  /** Checks whether the library supports the request. dapbridge has already checked and set the members
   * `options`, `layout`, `start`, `shape`, `dtype` and `local` of `view`. */
  dap_status (*check)(dap_view *view, dap_error *err);
  /** Fills words[DAP_VIEW_WORDS] with the values of those options on which the form depends. Returns the
   * number of words, which must be the same on every process. dapbridge calls `words` again after `open`
   * (bridge/docs/adapter.md, "The order of the calls"). */
  int (*words)(const dap_view *view, dap_view_word words[]);
  /** Returns bits that describe this process's buffer. view->votes receives the bits that all processes have
   * set. */
  uint64_t (*vote)(const dap_view *view);
  /** Returns true if this process may still use a stored form. Either all processes use it, or none does. */
  bool (*is_usable)(const dap_view *view, const void *form);
  /** Returns true if this process knows that a stored form can never be used again. */
  bool (*is_over)(const void *form);

  /* ---- called for each new form ---- */

  /** Computes the data that `share` and `lay` need, and stores it in view->form. May be collective. */
  dap_status (*prepare)(dap_view *view, dap_error *err);
  /** If a target can share the buffer, returns DAP_OK and writes to reason[DAP_ERROR_TEXT] why sharing is
   * possible. Otherwise returns DAP_ERR_SHARE and writes the first condition that is not met to `why`. If
   * this callback is NULL, no buffer is ever shared. */
  dap_status (*share)(dap_view *view, int target, char reason[], dap_error *why);
  /** Calls dap_view_lay() to describe the memory of a moved target. */
  dap_status (*lay)(dap_view *view, int target, dap_error *err);
  /** Plans the moves and creates everything else that the form contains, except the targets. Collective, with
   * the same status on every process. If this callback is NULL, dapbridge calls dap_view_plan_usual(). */
  dap_status (*plan)(dap_view *view, dap_error *err);
  /** Plans the moves of a reverse halo update (phase DAP_VIEW_REVERSE), or fails if the update is not
   * possible. Adds moves only once for each form. Collective, with the same status on every process. */
  dap_status (*plan_reverse)(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
  /** Completes a reverse halo update, after its moves and before padding and ghosts are refreshed. */
  dap_status (*add_reverse)(dap_view *view, dap_padding padding, dap_error *err);
  /** Frees the data in `form`. Some of these data may not have been created. MPI may have been finalised. */
  void (*release)(void *form);

  /* ---- called for each view ---- */

  /** Creates the library's objects and stores them in view->state. May be collective. */
  dap_status (*open)(dap_view *view, dap_error *err);
  /** Gets the library's memory for a moved target. dapbridge then writes this memory (`access` is DAP_WRITE)
   * or reads it (DAP_READ). *memory may be NULL if there are no elements. May be collective. If this callback
   * is NULL, dapbridge allocates the memory. */
  dap_status (*get_memory)(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
  /** Returns the memory to the library and notifies the library if the target has changed. May be collective
   * only if `get_memory` returns the same status on every process. */
  dap_status (*restore_memory)(dap_view *view, int target, dap_access access, void *memory, dap_error *err);
  /** Notifies the library that elements of a shared target have changed. */
  dap_status (*changed)(dap_view *view, int target, dap_error *err);
  /** Returns DAP_OK if the library can be called, or DAP_ERR_LIBRARY and the reason if the library has been
   * finalised. The result must be the same on every process. */
  dap_status (*is_alive)(dap_error *err);
  /** Destroys the library's objects, even if `open` failed or was never called. May be collective. */
  dap_status (*close)(dap_view *view, dap_error *err);
  /** Frees the remaining data in view->state. Some of these data may not have been created. The library or
   * MPI may have been finalised. */
  void (*drop)(dap_view *view);

  /* ---- called to inform the caller ---- */

  /** Fills the public struct, which is zeroed except for its handle. Always sets the report (shared, reason,
   * moved_bytes). Sets the members that refer to the library's objects only if the view is live (`lives` is
   * true). */
  void (*show)(const dap_view *view, bool lives, void *object);
  /** Writes the beginning of a view's description, such as "12 x 12 matrix". Truncates the text like
   * snprintf(). If this callback is NULL, the description begins with `name`. */
  int (*describe)(const dap_view *view, char *text, size_t capacity);
};

#ifdef __cplusplus
}
#endif

#endif
