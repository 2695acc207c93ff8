/**
 * @file
 * The parts of an adapter, which shows distributed arrays as another library's objects.
 *
 * A view is a distributed array as an object of another library. Its memory is the array's buffer if the
 * library can work there. Such a view is called shared. Otherwise the view or the library allocates memory,
 * and elements are moved to it and back. A program gets, uses and restores a view in the same way in both
 * cases.
 *
 * An adapter is one const table, dap_adapter. Its functions decide whether the buffer can be shared (share),
 * and describe the memory if it cannot (lay). They make the library's objects (open), end them (close), and
 * hand them to the caller (show). The functions below do the rest: checks, agreement between processes,
 * choice of the part, plans, moves, conversions, the reason and the report. The adapter's public functions
 * call them.
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
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  DAP_VIEW_ARRAY = -1,  /**< stands for the caller's buffer instead of a target */
  DAP_VIEW_TARGETS = 4, /**< most targets of an adapter */
  DAP_VIEW_WORDS = 24   /**< most words of a form */
};

/** A view as its adapter sees it. */
typedef struct dap_view dap_view;

/** The last member of the adapter's public struct. A zeroed handle has no live view. The handle must stay at
 * the address where it was filled, because copies are refused. */
typedef struct dap_view_handle {
  dap_view *view; /**< the live view; NULL: there is none */
  uint64_t magic; /**< marks the place where the handle was filled */
} dap_view_handle;

/** A caller's request. Everything except array.local must be the same on every process. */
typedef struct dap_view_request {
  MPI_Comm comm;       /**< exactly the layout's processes, in rank order */
  dap_darray array;    /**< layout of the whole, and this process's part */
  dap_access access;   /**< whether elements are read, written, or both */
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< part of the array; zeroed: all */
  bool lossy;          /**< allow casts that can lose values, if the library has elements of one type only */
  /** [options_size bytes] the options of the adapter; copied. Data that they point to must exist until the
   * call returns. NULL: zeros. */
  const void *options;
} dap_view_request;

/** A block of memory that the library works on: a matrix has one, a field two (global and local vector). */
typedef struct dap_view_target {
  bool wanted; /**< its bit of dap_view.wanted is set */
  bool shared; /**< it is the caller's buffer, or a window of it; the same on every process */
  char reason
      /** why it is shared, or the first condition that failed; the same on every process */
      [DAP_ERROR_TEXT];
  dap_layout *layout; /**< of a moved target: the layout given to dap_view_lay() */
  /** of a moved target: [processes of layout] ranks in the view's communicator; NULL means rank i */
  int *ranks;
  int member; /**< of a moved target: number of this process in `layout`; -1: it has no part */
  /** of a moved target: [axes of layout] strides of this process's memory, in bytes */
  int64_t strides[DAP_MAX_NDIM];
} dap_view_target;

/** A view as its adapter sees it. The adapter sets only form, state, wanted and keep. */
struct dap_view {
  const struct dap_adapter *adapter; /**< the table of the adapter */

  /* ---- the request, checked ---- */

  /** a communicator of dapbridge, with the caller's processes in their order; exists while the view lives */
  MPI_Comm comm;
  MPI_Comm caller;     /**< the caller's communicator; MPI_COMM_NULL once dap_view_get() has returned */
  int rank;            /**< rank of this process in both communicators */
  dap_access access;   /**< as requested */
  dap_sharing sharing; /**< as requested */
  bool lossy;          /**< as requested */
  const void *options; /**< [options_size bytes] as requested; never NULL */

  /* ---- the part of the array, an array of its own ---- */

  dap_layout
      *layout;   /**< the part's layout, with the array's padding; its process i is rank ranks[i] of comm */
  int nprocs;    /**< number of the part's processes */
  int *ranks;    /**< [nprocs] ranks of the part's processes in comm */
  int member;    /**< number of this process in `layout`; -1: it has no part */
  bool is_apart; /**< the part's processes are only some of comm's, or are in another order */
  /** Communicator of the part's processes, in the order of `layout`, if the adapter has part_comm set.
   * dapbridge owns it. It is comm itself unless is_apart. MPI_COMM_NULL on processes without a part. */
  MPI_Comm part;
  /** The window of the caller's buffer, without dictionaries; zeroed if there is no part. */
  dap_array local;
  dap_dtype dtype; /**< type of the array's elements, on every process */
  /** True if start and shape leave out elements of `layout`. dapbridge then asks only adapters with `ranges`
   * whether they can share the buffer. */
  bool is_range;
  int64_t start[DAP_MAX_NDIM]; /**< [axes of layout] first index of the requested range */
  int64_t shape[DAP_MAX_NDIM]; /**< [axes of layout] extents of the requested range */

  /* ---- the adapter's ---- */

  /** Bit t is set if target t is wanted. All bits are set, unless `check` clears some. `words` must then
   * report the facts that decide this. */
  unsigned wanted;
  bool keep;                /**< true if the form may be kept; `check` and `prepare` can clear it */
  uint64_t votes;           /**< the bits that `vote` set on every process */
  void *form;               /**< [form_size] data that all views of one kind have in common */
  void *state;              /**< [state_size] data of this view */
  dap_view_target *targets; /**< [targets of the adapter] */
  /** Memory of a moved target, if the adapter has no `get_memory`; else NULL. It begins on a cache line, and
   * is zeroed before elements are moved to it. */
  void *memory[DAP_VIEW_TARGETS];
  int64_t moved_bytes; /**< bytes that this process copied or sent for the view so far */
};

/** A fact on which the kind of a view depends. A fact with a name must be the same on every process. If the
 * fact differs, the error says that `name` is "not the same as on rank 0". */
typedef struct dap_view_word {
  const char *name; /**< such as "options: block_size[0]"; NULL: a fact that may differ between processes */
  uint64_t value;   /**< the fact */
} dap_view_word;

/**
 * An adapter. Members that it does not need are zero.
 *
 * dapbridge calls each function on every process of the view's communicator, including those without a part.
 * Unless its comment says otherwise, a function is local. It does not communicate, and may fail on some
 * processes only. dapbridge then agrees on the result before it calls anything else. So the public function
 * fails on all processes, with the text of the lowest rank.
 *
 * A function that may be collective must call dap_agree(view->comm, ...) itself before each collective step
 * that some processes might not reach. dapbridge agrees on its result.
 *
 * Views are of one kind if they have the same layout, strides, type, alignment, byte order, part, access,
 * sharing and words. A form is the data that all views of one kind have in common. With keeps_forms,
 * dapbridge keeps a form with the communicator once the first view of its kind is open. For later views it
 * does not call prepare, share, lay and plan, and their `open` must not change dap_view.form and the targets.
 * So a form must not depend on options that `words` does not report, on the address of a buffer, or on
 * objects that end with the view.
 */
typedef struct dap_adapter {
  const char *name; /**< name of a view, in messages: "matrix" */
  /** Name of the function that calls dap_view_get(), such as "dap_scalapack_get". The error names it if
   * processes have called different functions. NULL: dap_view_get. */
  const char *function;
  size_t object_size;  /**< bytes of the public struct */
  size_t handle;       /**< offset of the dap_view_handle in the public struct, from offsetof() */
  size_t options_size; /**< bytes of the adapter's options */
  size_t form_size;    /**< bytes of dap_view.form */
  size_t state_size;   /**< bytes of dap_view.state */
  int targets;         /**< number of targets, 1 to DAP_VIEW_TARGETS */
  const char *target_names[DAP_VIEW_TARGETS]; /**< names in messages: "local vector"; NULL: `name` */

  dap_dtype dtype;        /**< the only type of the library's elements; DAP_NONE: any that `check` accepts */
  const char *dtype_name; /**< the library's name for that type, for messages */
  bool ranges;            /**< share() can share a range of layout (dap_view.start, shape) */
  bool fills_halos;       /**< store and restore fill the array's communication padding too */
  bool part_comm;         /**< dap_view.part is wanted */
  bool keeps_forms;       /**< forms are kept with the communicator */

  /* ---- asked for each view, before any communication ---- */

  /** Checks that the library can serve the request. Before the call dapbridge has checked and set options,
   * layout, start, shape, dtype and local. If the function fails, dapbridge calls only `drop`. */
  dap_status (*check)(dap_view *view, dap_error *err);
  /** Fills words[DAP_VIEW_WORDS] with the facts of the options on which the form depends. Returns their
   * number, which is the same on every process. dapbridge calls it again after `open`, before it keeps a new
   * form. A word without a name may then stand for an object that `open` made. A later view whose options
   * have this object finds the form. */
  int (*words)(const dap_view *view, dap_view_word words[]);
  /** Returns a set of bits. Bits that all processes set are in view->votes afterwards. */
  uint64_t (*vote)(const dap_view *view);
  /** Returns whether this process may still use a kept form. If one process may not use it, all processes
   * make a new form. */
  bool (*is_usable)(const dap_view *view, const void *form);
  /** Returns whether this process knows that a kept form can never be used again. If all processes do,
   * dapbridge releases the form when it keeps the next one. */
  bool (*is_over)(const void *form);

  /* ---- asked for each form ---- */

  /** Computes the data that share and lay need, in view->form. May be collective on view->comm, if it agrees
   * on its own statuses. */
  dap_status (*prepare)(dap_view *view, dap_error *err);
  /** Decides whether a target can share the buffer: DAP_OK with the reason in reason[DAP_ERROR_TEXT], or
   * DAP_ERR_SHARE with the first condition that fails. It is called only if the elements have the library's
   * type and this machine's byte order. NULL means the buffer is never shared. */
  dap_status (*share)(dap_view *view, int target, char reason[], dap_error *why);
  /** Describes the memory of a moved target by calling dap_view_lay(). */
  dap_status (*lay)(dap_view *view, int target, dap_error *err);
  /** Plans the moves with dap_view_plan() and dap_view_plan_usual(). These are collective, and return the
   * same status on every process. Before each of these calls, either all processes return or none does.
   * `plan` also makes everything that a form needs besides its targets. NULL: dap_view_plan_usual(). */
  dap_status (*plan)(dap_view *view, dap_error *err);
  /** Adds the moves that a reverse halo update needs (DAP_VIEW_REVERSE), or fails if the update is not
   * possible. It is called once for each form, before any element changes. Like `plan`, it is collective and
   * returns the same status on every process. */
  dap_status (*plan_reverse)(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
  /** Completes a reverse halo update: dapbridge calls it on all processes after the moves of
   * DAP_VIEW_REVERSE, and before padding and ghosts are refreshed. */
  dap_status (*add_reverse)(dap_view *view, dap_padding padding, dap_error *err);
  /** Frees the data in view->form, which may be incomplete. Not collective. May be called after MPI has been
   * finalised. */
  void (*release)(void *form);

  /* ---- done for each view ---- */

  /** Makes the library's objects, in view->state. May be collective. If it fails on one process, close and
   * drop are called on all processes. */
  dap_status (*open)(dap_view *view, dap_error *err);
  /** Gets the memory of a moved target, to be written to (DAP_WRITE) or read (DAP_READ). The memory may be
   * NULL if there are no elements. If the function fails on any process, nothing is moved. If get_memory and
   * restore_memory are NULL, dapbridge allocates the memory. May be collective. */
  dap_status (*get_memory)(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
  /** Returns the memory to the library, and tells the library if a target has changed. It is called whenever
   * get_memory succeeded, even if the moves failed. May be collective only if get_memory has agreed. */
  dap_status (*restore_memory)(dap_view *view, int target, dap_access access, void *memory, dap_error *err);
  /** Tells the library that a shared target was changed without its knowledge. */
  dap_status (*changed)(dap_view *view, int target, dap_error *err);
  /** Returns DAP_OK as long as the library can be called at all, and DAP_ERR_LIBRARY with the reason if it
   * has been finalised. The result must be the same on every process, because processes do not agree on it.
   * It is called only while MPI is running. */
  dap_status (*is_alive)(dap_error *err);
  /** Ends the library's objects, even if `open` failed or was never called. It is not called if the library
   * is not alive or MPI has been finalised. May be collective. The view ends even if it fails. */
  dap_status (*close)(dap_view *view, dap_error *err);
  /** Frees everything else in view->state, which may be incomplete. Not collective. May be called after the
   * library or MPI has been finalised. */
  void (*drop)(dap_view *view);

  /* ---- what the caller sees ---- */

  /** Fills the public struct, which is zero except for the handle. It always sets the reports (shared,
   * reason, moved_bytes), and sets objects only if the view lives. Called after every function below. */
  void (*show)(const dap_view *view, bool lives, void *object);
  /** Writes the view's first words, like snprintf(): "12 x 12 matrix". NULL means the name. */
  int (*describe)(const dap_view *view, char *text, size_t capacity);
} dap_adapter;

/* ---- what an adapter's public functions call --------------------------------------------------------- */

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

/* ---- what an adapter's own functions call ------------------------------------------------------------ */

/**
 * Describes the memory of a moved target, for dap_adapter.lay.
 *
 * The extents of this process's memory are those of its part of `layout`. Not collective.
 *
 * @param view     the view
 * @param target   number of the target
 * @param layout   layout of the target's elements. Its shape is view->shape, unless the adapter has a `plan`
 *                 function. The function takes over the caller's reference, even on error.
 * @param ranks    [processes of layout] ranks in view->comm; copied. NULL means rank i.
 * @param order    storage order, if `strides` is NULL
 * @param strides  [axes of layout] bytes; copied. NULL: contiguous.
 * @param err      receives the text of an error; may be NULL
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
  int64_t
      offset; /**< bytes from the beginning of the memory, or of the window, to the side's first element */
} dap_view_end;

/** A move of a view's elements. */
typedef struct dap_view_move {
  dap_view_end from;   /**< source; not used by a halo update */
  dap_view_end to;     /**< destination */
  bool fill_halos;     /**< as dap_plan_options.fill_halos */
  bool adds;           /**< adds to the elements of `to` instead of replacing them */
  bool is_halo_update; /**< dap_plan_create_halo() of `to` */
} dap_view_move;

/**
 * Adds the usual moves to a view's form.
 *
 * They move all elements to each moved target that is wanted, and back, as the access requires. With
 * fills_halos they fill the array's padding too. Collective on view->comm.
 *
 * @param view  the view
 * @param err   receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a phase has 12 moves already, or the target's shape is not that of the part
 *  - DAP_ERR_BUFFER: elements of the destination overlap, or it is read-only
 *  - DAP_ERR_UNSUPPORTED: the parts make more than DAP_MAX_NDIM axes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_view_plan_usual(dap_view *view, dap_error *err);

/**
 * Adds a move to a phase of a view's form.
 *
 * Moves run in the order in which they were added. Moves from or to a target count in moved_bytes. Collective
 * on view->comm.
 *
 * @param view   the view
 * @param phase  when the move runs; each phase has at most 12 moves
 * @param move   the move
 * @param err    receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the phase has 12 moves already, or an end of the move is invalid or differs between
 *    processes
 *  - DAP_ERR_BUFFER: elements of the destination overlap, or it is read-only
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
