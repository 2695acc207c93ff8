/**
 * @file
 * The parts of an adapter, which shows distributed arrays as another library's objects.
 *
 * A view presents a distributed array as an object of another library. If the library can work in the array's
 * buffer, the object uses that buffer. Such a view is called shared. Otherwise dapbridge or the library
 * allocates other memory, and elements are moved there and back. A program gets, uses and restores a view in
 * the same way in both cases.
 *
 * An adapter is one const table, dap_adapter. Its functions decide whether the buffer can be shared (share),
 * and describe the memory that is used otherwise (lay). They make the library's objects (open), end them
 * (close), and hand them to the caller (show). The functions of view_calls.h and view_plan.h do the rest:
 * checks, agreement between processes, choice of the part, plans, moves, conversions, the reason and the
 * report. The adapter's public functions call these functions.
 *
 * bridge/docs/adapter.md is a guide with an example, and tests/view/toy.c is a complete adapter. ScaLAPACK's
 * and PETSc's adapters use this header.
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
 * An adapter. Members that the adapter does not need are zero.
 *
 * dapbridge calls each function on every process of the view's communicator, including those without a part.
 * Unless its comment says otherwise, a function is local: it does not communicate, and may fail on only some
 * of the processes. dapbridge then makes the processes agree on the result before it calls another function.
 * So the public function fails on all processes, with the text of the lowest rank that failed.
 *
 * A function that may be collective must call dap_agree(view->comm, ...) itself before each collective step
 * that some processes might not reach. dapbridge makes the processes agree on its result, too.
 *
 * Views are of the same kind if they have the same layout, strides, type, alignment, byte order, part,
 * access, sharing and `words`. A form is the data that all views of a kind have in common. If keeps_forms is
 * true, dapbridge keeps a form with the communicator once the first view of its kind is open. For later views
 * of that kind, dapbridge does not call prepare, share, lay and plan. In later views `open` must not change
 * dap_view.form or the targets. So a form must not depend on options that `words` does not report, on the
 * address of a buffer, or on objects that end with the view.
 */
struct dap_adapter {
  const char *name; /**< name of a view in messages, such as "matrix" */
  /** Name of the function that calls dap_view_get(), such as "dap_scalapack_get". The error names this
   * function if processes have called different functions. NULL means "dap_view_get". */
  const char *function;
  size_t object_size;  /**< size of the public struct, in bytes */
  size_t handle;       /**< offset of the dap_view_handle in the public struct, from offsetof() */
  size_t options_size; /**< size of the adapter's options, in bytes */
  size_t form_size;    /**< size of dap_view.form, in bytes */
  size_t state_size;   /**< size of dap_view.state, in bytes */
  int targets;         /**< number of targets, 1 to DAP_VIEW_TARGETS */
  const char *target_names[DAP_VIEW_TARGETS]; /**< names in messages, such as "local vector"; NULL: `name` */

  dap_dtype dtype;        /**< the library's only element type; DAP_NONE: any type that `check` accepts */
  const char *dtype_name; /**< the library's name for this type, for messages */
  bool ranges;            /**< share() can share part of `layout` (dap_view.start, shape) */
  bool fills_halos;       /**< store and restore also fill the array's communication padding */
  bool part_comm;         /**< dapbridge must set dap_view.part */
  bool keeps_forms;       /**< dapbridge keeps forms with the communicator */

  /* ---- asked for each view, before any communication ---- */

  /** Checks that the library can serve the request. Before the call, dapbridge has checked and set options,
   * layout, start, shape, dtype and local. If the function fails, dapbridge calls only `drop`. */
  dap_status (*check)(dap_view *view, dap_error *err);
  /** Fills words[DAP_VIEW_WORDS] with the facts in the options on which the form depends. Returns the number
   * of words, which is the same on every process. dapbridge calls the function again after `open`, before it
   * keeps a new form. A word without a name may then stand for an object that `open` made. A later view whose
   * options contain this object finds the form. */
  int (*words)(const dap_view *view, dap_view_word words[]);
  /** Returns a set of bits. dapbridge then stores in view->votes the bits that all processes have set. */
  uint64_t (*vote)(const dap_view *view);
  /** Returns whether this process may still use a kept form. If one process may not use it, all processes
   * make a new form. */
  bool (*is_usable)(const dap_view *view, const void *form);
  /** Returns whether this process knows that a kept form can never be used again. If the result is true on
   * all processes, dapbridge releases the form when it keeps the next one. */
  bool (*is_over)(const void *form);

  /* ---- asked for each form ---- */

  /** Computes the data that share and lay need, in view->form. May be collective on view->comm, if it makes
   * the processes agree on its statuses itself. */
  dap_status (*prepare)(dap_view *view, dap_error *err);
  /** Decides whether a target can share the buffer. Returns DAP_OK with the reason in reason[DAP_ERROR_TEXT],
   * or DAP_ERR_SHARE with the first condition that fails. dapbridge calls it only if the elements have the
   * library's type and this machine's byte order. NULL means that the buffer is never shared. */
  dap_status (*share)(dap_view *view, int target, char reason[], dap_error *why);
  /** Describes the memory of a moved target by calling dap_view_lay(). */
  dap_status (*lay)(dap_view *view, int target, dap_error *err);
  /** Plans the moves with dap_view_plan() and dap_view_plan_usual(). Both are collective, and return the same
   * status on every process. Before each call of one of them, either all processes return or none does.
   * `plan` also makes everything else that a form needs, except its targets. NULL means
   * dap_view_plan_usual(). */
  dap_status (*plan)(dap_view *view, dap_error *err);
  /** Adds the moves that a reverse halo update needs (DAP_VIEW_REVERSE), or fails if the update is not
   * possible. dapbridge calls it once for each form, before any element changes. Like `plan`, it is
   * collective and returns the same status on every process. */
  dap_status (*plan_reverse)(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
  /** Completes a reverse halo update. dapbridge calls it on all processes after the moves of
   * DAP_VIEW_REVERSE, before it refreshes padding and ghosts. */
  dap_status (*add_reverse)(dap_view *view, dap_padding padding, dap_error *err);
  /** Frees the data in view->form, which may be incomplete. Not collective. May be called after MPI has been
   * finalised. */
  void (*release)(void *form);

  /* ---- done for each view ---- */

  /** Makes the library's objects, in view->state. May be collective. If it fails on one process, dapbridge
   * calls close and drop on all processes. */
  dap_status (*open)(dap_view *view, dap_error *err);
  /** Gets the memory of a moved target, which dapbridge will write to (DAP_WRITE) or read (DAP_READ). The
   * memory may be NULL if it has no elements. If the function fails on any process, nothing is moved. If
   * get_memory and restore_memory are NULL, dapbridge allocates the memory. May be collective. */
  dap_status (*get_memory)(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
  /** Returns the memory to the library, and tells the library if a target has changed. dapbridge calls it
   * whenever get_memory has succeeded, even if the moves failed. May be collective only if the processes
   * agreed in get_memory. */
  dap_status (*restore_memory)(dap_view *view, int target, dap_access access, void *memory, dap_error *err);
  /** Tells the library that a shared target was changed without its knowledge. */
  dap_status (*changed)(dap_view *view, int target, dap_error *err);
  /** Returns DAP_OK as long as the library can be called at all, and DAP_ERR_LIBRARY with the reason if it
   * has been finalised. The result must be the same on every process, because dapbridge does not compare it.
   * dapbridge calls it only while MPI is running. */
  dap_status (*is_alive)(dap_error *err);
  /** Ends the library's objects, even if `open` failed or was never called. dapbridge does not call it if the
   * library is not alive, or MPI has been finalised. May be collective. The view ends even if `close`
   * fails. */
  dap_status (*close)(dap_view *view, dap_error *err);
  /** Frees everything else in view->state, which may be incomplete. Not collective. May be called after the
   * library or MPI has been finalised. */
  void (*drop)(dap_view *view);

  /* ---- what the caller sees ---- */

  /** Fills the public struct. On entry, everything in it except the handle is zero. `show` always sets the
   * reports (shared, reason, moved_bytes), but sets objects only if `lives` is true. Called after every
   * function of view_calls.h that can change the struct. */
  void (*show)(const dap_view *view, bool lives, void *object);
  /** Writes the first words of a view's description, such as "12 x 12 matrix", like snprintf(). NULL means
   * `name`. */
  int (*describe)(const dap_view *view, char *text, size_t capacity);
};

#ifdef __cplusplus
}
#endif

#endif
