/**
 * @file
 * Functions that get, load, store and restore the views of any adapter. The public functions of an adapter
 * call these functions.
 *
 * An adapter's header declares functions, such as dap_scalapack_restore(), for the adapter's own public
 * struct. The DAP_VIEW_FUNCTIONS macro defines most of these functions. The caller may free the communicator
 * and the layout while a view is live. All processes of the communicator that was passed to dap_view_get()
 * must call the collective functions, even if the caller has freed the communicator. After MPI or the
 * adapter's library has been finalised, functions that end views do nothing except free memory.
 */
#ifndef DAPBRIDGE_VIEW_CALLS_H
#define DAPBRIDGE_VIEW_CALLS_H

#include <dapbridge/plan_options.h>
#include <dapbridge/view.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gets a view of an array and fills the adapter's public struct.
 *
 * The array's buffer must exist until the view has ended. The communicator, the layout and the options may be
 * freed after the call.
 *
 * Collective on request->comm.
 *
 * @param adapter  the adapter, in static memory
 * @param request  the caller's request
 * @param object   the adapter's public struct; receives the view, to be ended with dap_view_restore() or
 *                 dap_view_discard(); zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, or the communicator and the layout
 *    have different numbers of processes
 *  - DAP_ERR_BUFFER: the local part does not match the layout, a lossy cast is not allowed, or the access
 *    includes DAP_WRITE although the buffer is read-only
 *  - DAP_ERR_SHARE: sharing is not possible, and the request has DAP_SHARE_OR_FAIL
 *  - DAP_ERR_RANGE: the memory of a target exceeds 2^63 - 1 bytes
 *  - DAP_ERR_REMOTE: the part leaves out a 'u' axis, and the owner of the chosen index is unknown
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, or a part to be written leaves out a replicated axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 *  - any status that the adapter's callbacks return
 * @see dap_view_restore()
 */
DAP_API dap_status dap_view_get(const dap_adapter *adapter, const dap_view_request *request, void *object,
                                dap_error *err);

/**
 * Ends a view. If the access includes DAP_WRITE, the function first moves elements back to the array, like
 * dap_view_store().
 *
 * The view ends even if the function fails, and only the report (shared, reason, moved_bytes) remains in the
 * public struct. However, nothing happens if `object` is a bitwise copy or belongs to another adapter.
 * Collective.
 *
 * @param adapter  the adapter
 * @param object   struct of a view, which may have ended; may be NULL or zeroed
 * @param err      receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is a bitwise copy or belongs to another adapter; only this process fails, and
 *    nothing happens
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI or the adapter's library failed or has been finalised
 *  - any status that the adapter's callbacks return
 * @see dap_view_discard()
 */
DAP_API dap_status dap_view_restore(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Changes to shared targets remain in the array. The view ends even if the function fails, and only the
 * report (shared, reason, moved_bytes) remains in the public struct. However, nothing happens if `object` is
 * a bitwise copy or belongs to another adapter. Collective.
 *
 * @param adapter  the adapter
 * @param object   struct of a view, which may have ended; may be NULL or zeroed
 * @param err      receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is a bitwise copy or belongs to another adapter; only this process fails, and
 *    nothing happens
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI or the adapter's library failed or has been finalised
 *  - any status that the adapter's callbacks return
 */
DAP_API dap_status dap_view_discard(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Moves the array's current elements to the moved targets of a view.
 *
 * dapbridge tells the adapter's library that elements of shared targets may have changed. Collective.
 *
 * @param adapter  the adapter
 * @param object   struct of a live view whose access includes DAP_READ
 * @param err      receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` does not refer to a live view with DAP_READ; only this process fails
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI or the adapter's library failed or has been finalised
 *  - any status that the adapter's callbacks return
 * @see dap_view_store()
 */
DAP_API dap_status dap_view_load(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Moves the elements of a view back to the array.
 *
 * If the adapter sets fills_halos, communication padding and ghosts are also filled. Collective.
 *
 * @param adapter  the adapter
 * @param object   struct of a live view whose access includes DAP_WRITE
 * @param err      receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` does not refer to a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI or the adapter's library failed or has been finalised
 *  - any status that the adapter's callbacks return
 * @see dap_view_load(), dap_view_restore()
 */
DAP_API dap_status dap_view_store(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Fills communication padding and ghosts of the array, or of the view's part, with the owners' values.
 *
 * Moved targets are not changed. Collective.
 *
 * @param adapter  the adapter
 * @param object   struct of a live view whose access includes DAP_WRITE
 * @param err      receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` does not refer to a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI or the adapter's library failed or has been finalised
 *  - any status that the adapter's callbacks return
 * @see dap_view_halo_reverse()
 */
DAP_API dap_status dap_view_halo(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Combines the values in communication padding and ghosts of the view's array or part with the owners'
 * values.
 *
 * The function works in place, like a plan from dap_plan_create_halo_reverse(). Moved targets are not
 * changed. Collective.
 *
 * @param adapter  the adapter
 * @param object   struct of a live view whose access includes DAP_WRITE
 * @param combine  how values are combined (DAP_COMBINE_NONE means their sum); the same on every process
 * @param padding  what happens to padding and ghosts afterwards; the same on every process
 * @param err      receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` does not refer to a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_ARG: an argument is out of range or differs between processes, or `combine` is DAP_COMBINE_MAX
 *    or _MIN for complex elements
 *  - DAP_ERR_LIBRARY: MPI or the adapter's library failed or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status that the adapter's callbacks return
 * @see dap_view_halo()
 */
DAP_API dap_status dap_view_halo_reverse(const dap_adapter *adapter, void *object, dap_combine combine,
                                         dap_padding padding, dap_error *err);

/**
 * Writes a description of a view to `text`, like snprintf().
 *
 * An example is "12 x 12 matrix; moved, 1152 bytes moved: <reason>". If a view has several targets, the
 * description contains a line for each target. Not collective.
 *
 * @param adapter   the adapter
 * @param object    the public struct
 * @param text      receives the description; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_view_describe(const dap_adapter *adapter, const void *object, char *text, size_t capacity);

/* NOLINTBEGIN(bugprone-macro-parentheses): types stand alone */

/** Defines an adapter's functions prefix_restore, _discard, _load, _store and _halo, which take a pointer to
 * the public struct `type`. Use the macro in the adapter's source file. The adapter's header declares the
 * functions. */
#define DAP_VIEW_CALLS(prefix, type, adapter)                                                                \
  dap_status prefix##_restore(type *object, dap_error *err)                                                  \
  {                                                                                                          \
    return dap_view_restore(&(adapter), object, err);                                                        \
  }                                                                                                          \
  dap_status prefix##_discard(type *object, dap_error *err)                                                  \
  {                                                                                                          \
    return dap_view_discard(&(adapter), object, err);                                                        \
  }                                                                                                          \
  dap_status prefix##_load(type *object, dap_error *err)                                                     \
  {                                                                                                          \
    return dap_view_load(&(adapter), object, err);                                                           \
  }                                                                                                          \
  dap_status prefix##_store(type *object, dap_error *err)                                                    \
  {                                                                                                          \
    return dap_view_store(&(adapter), object, err);                                                          \
  }                                                                                                          \
  dap_status prefix##_halo(type *object, dap_error *err)                                                     \
  {                                                                                                          \
    return dap_view_halo(&(adapter), object, err);                                                           \
  }

/** Defines the functions of DAP_VIEW_CALLS, and prefix_describe. */
#define DAP_VIEW_FUNCTIONS(prefix, type, adapter)                                                            \
  DAP_VIEW_CALLS(prefix, type, adapter)                                                                      \
  size_t prefix##_describe(const type *object, char *text, size_t capacity)                                  \
  {                                                                                                          \
    return dap_view_describe(&(adapter), object, text, capacity);                                            \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

/**
 * Returns the live view to which a public struct refers.
 *
 * Not collective.
 *
 * @param adapter  the adapter
 * @param object   the public struct; may be NULL
 * @return the view; NULL if there is none
 */
DAP_API dap_view *dap_view_of(const dap_adapter *adapter, const void *object);

#ifdef __cplusplus
}
#endif

#endif
