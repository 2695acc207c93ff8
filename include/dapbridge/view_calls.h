/**
 * @file
 * Calls that get, load, store and restore any view: the public functions of an adapter call these.
 *
 * An adapter's header declares functions for its own public struct, such as dap_scalapack_restore().
 * DAP_VIEW_FUNCTIONS defines most of them.
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
 * Gets an array as a view, and fills the adapter's public struct.
 *
 * After the call only the array's buffer must exist until the view has ended. Later views of a kind cost less
 * than the first: see bridge/docs/adapter.md, "The order of the calls".
 *
 * Collective on request->comm.
 *
 * @param adapter  table of the adapter; static data
 * @param request  what the caller asks for
 * @param object   the adapter's public struct, to be ended with dap_view_restore() or dap_view_discard();
 *                 zeroed on error
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, out of range, or differs between processes (the text names it), or the
 *    communicator does not have the layout's size
 *  - DAP_ERR_BUFFER: the local part does not match the layout, a lossy cast was not allowed, or, with
 *    DAP_WRITE, the buffer cannot be written to
 *  - DAP_ERR_SHARE: the buffer cannot be shared, but the caller requires it by DAP_SHARE_OR_FAIL
 *  - DAP_ERR_RANGE: the memory of a target exceeds 2^63 - 1 bytes
 *  - DAP_ERR_REMOTE: not all processes know the owner of an index along a 'u' axis that the part leaves out
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, or, with DAP_WRITE, the part leaves out a replicated axis, so
 *    that only one of the copies would be written
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 *  - any status of the adapter's functions
 * @see dap_view_restore()
 */
DAP_API dap_status dap_view_get(const dap_adapter *adapter, const dap_view_request *request, void *object,
                                dap_error *err);

/**
 * Ends a view. If it has DAP_WRITE, its elements are first written back, as by dap_view_store().
 *
 * After that, the public struct has only the report. After the library or MPI has been finalised, the
 * function frees only the memory of this process. Collective on the communicator of dap_view_get(), which may
 * have been freed.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct; may be NULL, zeroed, or that of a view that has ended
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, and the view has ended, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is a copy of a view, or that of another adapter. Only this process returns the
 *    error, and nothing happens.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_discard()
 */
DAP_API dap_status dap_view_restore(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Elements of a shared target that were changed stay changed. After that, the public struct has only the
 * report. After the library or MPI has been finalised, the function frees only the memory of this process.
 * Collective on the communicator of dap_view_get(), which may have been freed.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct; may be NULL, zeroed, or that of a view that has ended
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, and the view has ended, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is a copy of a view, or that of another adapter. Only this process returns the
 *    error, and nothing happens.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_restore()
 */
DAP_API dap_status dap_view_discard(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Moves the array's current elements to the targets of a live view, as dap_view_get() did with DAP_READ.
 *
 * The library is told that shared targets have changed. Collective on the view's communicator.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct of a live view with DAP_READ
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is NULL, not a live view, or a view without DAP_READ. Only this process returns
 *    the error.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_store()
 */
DAP_API dap_status dap_view_load(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Moves the elements of a live view back to the array.
 *
 * If the adapter has fills_halos, the communication padding and ghosts of the array, or of the part, are
 * filled, too. Collective on the view's communicator.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct of a live view with DAP_WRITE
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is NULL, not a live view, or a view without DAP_WRITE. Only this process returns
 *    the error.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_load(), dap_view_restore()
 */
DAP_API dap_status dap_view_store(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Fills the communication padding and ghosts of the array, or of the part, from their owners, in place.
 *
 * Targets that are moved stay as they are. Collective on the view's communicator.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct of a live view with DAP_WRITE
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is NULL, not a live view, or a view without DAP_WRITE. Only this process returns
 *    the error.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_halo_reverse(), dap_plan_create_halo()
 */
DAP_API dap_status dap_view_halo(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Adds the values in communication padding and ghosts of the array, or of the part, to the elements on their
 * owners.
 *
 * The function works in place, corners included, like a plan from dap_plan_create_halo_reverse() with these
 * options. Targets that are moved stay as they are. The plans are kept with the view's form. Collective on
 * the view's communicator.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct of a live view with DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE: their sum. The same on every process.
 * @param padding  what happens to padding and ghosts; the same on every process
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is NULL, not a live view, or a view without DAP_WRITE. Only this process returns
 *    the error.
 *  - DAP_ERR_ARG: an argument is out of range or differs between processes, or `combine` is DAP_COMBINE_MAX
 *    or _MIN and the elements are complex
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_halo()
 */
DAP_API dap_status dap_view_halo_reverse(const dap_adapter *adapter, void *object, dap_combine combine,
                                         dap_padding padding, dap_error *err);

/**
 * Writes a view in words: "12 x 12 matrix; moved, 1152 bytes moved: " and the reason.
 *
 * If there are several targets, each has a line. Like snprintf(), it writes at most `capacity` bytes with a
 * closing NUL. (NULL, 0) only finds the length. Not collective.
 *
 * @param adapter   table of the adapter
 * @param object    the public struct
 * @param text      receives the description; NULL if `capacity` is 0
 * @param capacity  bytes of `text`
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_view_describe(const dap_adapter *adapter, const void *object, char *text, size_t capacity);

/* NOLINTBEGIN(bugprone-macro-parentheses): types stand alone */

/** Defines an adapter's functions prefix_restore, _discard, _load, _store and _halo, which take the public
 * struct `type`. The adapter's source file uses it, and its header declares the functions. */
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
 * Returns the live view behind a public struct.
 *
 * Not collective.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct; may be NULL
 * @return the view; NULL: there is none
 */
DAP_API dap_view *dap_view_of(const dap_adapter *adapter, const void *object);

#ifdef __cplusplus
}
#endif

#endif
