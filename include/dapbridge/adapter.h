/**
 * @file
 * How another library is bridged to.
 *
 * A view is a distributed array as an object of another library. Its memory is the array's own buffer if the
 * library can work there (shared). Otherwise it is memory of the view or of the library, and elements are
 * moved to it and back. A view is got, used and restored in the same way in both cases.
 *
 * An adapter is one const table, dap_adapter. Its functions say when the buffer can be shared (share), and
 * what the memory looks like if not (lay). They make the library's objects (open), end them (close), and hand
 * them to the caller (show). The functions below do the rest: checks, agreement between processes, choice of
 * the part, plans, moves, conversions, the reason and the report. An adapter's own functions call them.
 *
 * bridge/docs/adapter.md is a guide with an example, and tests/view/toy.c a complete adapter. ScaLAPACK's and
 * PETSc's adapters are written on this header.
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
  DAP_VIEW_ARRAY = -1,  /**< the caller's buffer, in place of a target's number */
  DAP_VIEW_TARGETS = 4, /**< most targets of an adapter */
  DAP_VIEW_WORDS = 24   /**< most words of a form */
};

/** A view as its adapter sees it. */
typedef struct dap_view dap_view;

/** The last member of the adapter's public struct. Zeroed: no live view. It must stay where it was filled: a
 * copy is refused. */
typedef struct dap_view_handle {
  dap_view *view; /**< the live view; NULL: there is none */
  uint64_t magic; /**< marks the place where the handle was filled */
} dap_view_handle;

/** What a caller asks for. All but the array's local part must be the same on every process. */
typedef struct dap_view_request {
  MPI_Comm comm;       /**< exactly the layout's processes, in rank order */
  dap_darray array;    /**< layout of the whole, and this process's part */
  dap_access access;   /**< whether elements are read, written, or both */
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< part of the array; zeroed: all */
  bool lossy;          /**< allow casts that can lose values, if the library has elements of one type only */
  /** [options_size bytes] the adapter's own options; copied. Data that they point at must last for the call.
   * NULL: zeros. */
  const void *options;
} dap_view_request;

/** One memory of the library: a matrix has one, a field two (a local and a global vector). */
typedef struct dap_view_target {
  bool wanted; /**< the bit of dap_view.wanted */
  bool shared; /**< it is the caller's buffer, or a window of it; the same on every process */
  char reason
      [DAP_ERROR_TEXT]; /**< why shared, or the first condition that failed; the same on every process */
  dap_layout *layout;   /**< of a moved target: the layout given to dap_view_lay() */
  int *ranks; /**< of a moved target: [processes of layout] ranks in the view's communicator; NULL: rank i */
  int member; /**< of a moved target: this process in `layout`; -1: it has no part */
  int64_t strides[DAP_MAX_NDIM]; /**< of a moved target: [axes of layout] bytes, of this process's memory */
} dap_view_target;

/** A view as its adapter sees it. The adapter sets only form, state, wanted and keep. */
struct dap_view {
  const struct dap_adapter *adapter; /**< the table of the adapter */

  /* ---- the request, checked ---- */

  MPI_Comm
      comm; /**< the library's own, of the caller's processes in their order, as long as the view lives */
  MPI_Comm caller;     /**< the caller's; MPI_COMM_NULL once dap_view_get() has returned */
  int rank;            /**< rank of this process in both */
  dap_access access;   /**< as requested */
  dap_sharing sharing; /**< as requested */
  bool lossy;          /**< as requested */
  const void *options; /**< [options_size bytes] as requested; never NULL */

  /* ---- the part of the array, an array of its own ---- */

  dap_layout
      *layout;   /**< its processes are ranks ranks[] of comm; it has padding and all else of the array */
  int nprocs;    /**< number of the part's processes */
  int *ranks;    /**< [nprocs] ranks of the part's processes in comm */
  int member;    /**< this process in layout; -1: it has no part */
  bool is_apart; /**< the part's processes are not all of comm, or in another order */
  /** Exactly the part's processes in the order of layout, if the adapter has part_comm set. It is the
   * library's own, and is comm itself unless the part is apart. MPI_COMM_NULL on other processes. */
  MPI_Comm part;
  /** The window of the caller's buffer, without dictionaries; zeroed if there is no part. */
  dap_array local;
  dap_dtype dtype; /**< type of the array's elements, on every process */
  /** start and shape leave out some of layout's elements. Then only an adapter with `ranges` is asked to
   * share. */
  bool is_range;
  int64_t start[DAP_MAX_NDIM]; /**< [axes of layout] first index asked for */
  int64_t shape[DAP_MAX_NDIM]; /**< [axes of layout] extents asked for */

  /* ---- the adapter's ---- */

  /** Bit t: target t is wanted. All are, unless `check` takes some away. What decides that belongs to
   * `words`. */
  unsigned wanted;
  bool keep;                /**< the form may be kept; true, unless `check` or `prepare` forbids it */
  uint64_t votes;           /**< those bits that `vote` gave on every process */
  void *form;               /**< [form_size] data that all views of one kind have in common */
  void *state;              /**< [state_size] this view's own data */
  dap_view_target *targets; /**< [targets of the adapter] */
  /** Memory of a moved target without `get_memory`, on a cache line: zeros, then the moved elements. Else
   * NULL. */
  void *memory[DAP_VIEW_TARGETS];
  int64_t moved_bytes; /**< bytes that this process copied or sent for the view so far */
};

/** A fact that decides about the kind of a view. With a name it must also be the same on every process.
 * Otherwise the error says that `name` is "not the same as on rank 0". */
typedef struct dap_view_word {
  const char *name; /**< such as "options: block_size[0]"; NULL: this process's own fact */
  uint64_t value;   /**< the fact */
} dap_view_word;

/**
 * An adapter. Zeroed members are left out.
 *
 * Each function runs on every process of the view's communicator, also on those without a part. Unless its
 * comment says otherwise it is local: it sends nothing, and may fail on some processes only. The layer then
 * agrees before anything else is called, so that the public function fails on all with the text of the lowest
 * rank. A function that may be collective agrees by itself, dap_agree(view->comm, ...), on facts that decide
 * whether its next collective step is reached. The layer agrees on its result.
 *
 * A form is what all views of one kind have in common: same layout, strides, type, alignment, byte order,
 * part, access, sharing and words. With keeps_forms a form is kept with the communicator once the first view
 * of its kind is open. Later views come without prepare, share, lay and plan, and their `open` must leave
 * dap_view.form and the targets as they are. So a form must not depend on options beyond the words, on the
 * address of a buffer, or on objects that end with the view.
 */
typedef struct dap_adapter {
  const char *name; /**< name of a view, in messages: "matrix" */
  /** Name of the function that calls dap_view_get(), such as "dap_scalapack_get", for errors of processes
   * that are in another one. NULL: dap_view_get. */
  const char *function;
  size_t object_size;  /**< bytes of the public struct */
  size_t handle;       /**< offset of the dap_view_handle in the public struct: offsetof() */
  size_t options_size; /**< bytes of the adapter's options */
  size_t form_size;    /**< bytes of dap_view.form */
  size_t state_size;   /**< bytes of dap_view.state */
  int targets;         /**< number of targets, 1 to DAP_VIEW_TARGETS */
  const char *target_names[DAP_VIEW_TARGETS]; /**< names in messages: "local vector"; NULL: as `name` */

  dap_dtype dtype; /**< the only type of the library's elements; DAP_NONE: any that `check` lets pass */
  const char *dtype_name; /**< the library's name for that type, for messages */
  bool ranges;            /**< share() can see a range (dap_view.start, shape) of layout in place */
  bool fills_halos;       /**< store and restore fill the array's communication padding too */
  bool part_comm;         /**< dap_view.part is wanted */
  bool keeps_forms;       /**< forms are kept with the communicator */

  /* ---- asked for each view, before any communication ---- */

  /** Checks that the library can serve the request. options, layout, start, shape, dtype and local are
   * checked and set. If it fails, `drop` is called, and nothing else. */
  dap_status (*check)(dap_view *view, dap_error *err);
  /** Fills words[DAP_VIEW_WORDS] with the facts of the options that decide about the form, and returns their
   * number, the same on every process. It is called again after `open`, before a new form is kept. By then a
   * word without a name may be that of an object which was made. A later view that is given the object finds
   * the form. */
  int (*words)(const dap_view *view, dap_view_word words[]);
  /** Returns a set of bits. Those that all processes set are in view->votes afterwards. */
  uint64_t (*vote)(const dap_view *view);
  /** Returns whether this process may still use a kept form. If one process may not, all make a new one. */
  bool (*is_usable)(const dap_view *view, const void *form);
  /** Returns whether the purpose of a kept form has gone for ever, as far as this process knows. If all
   * processes say so, the form is released when the next one is kept. */
  bool (*is_over)(const void *form);

  /* ---- asked for each form ---- */

  /** Computes in view->form what share and lay need. May be collective on view->comm, if it agrees on its own
   * statuses. */
  dap_status (*prepare)(dap_view *view, dap_error *err);
  /** Decides whether a target can share the buffer: DAP_OK with the reason in reason[DAP_ERROR_TEXT], or
   * DAP_ERR_SHARE with the first condition that fails. Elements have the library's type, in this machine's
   * byte order. NULL: never. */
  dap_status (*share)(dap_view *view, int target, char reason[], dap_error *why);
  /** Describes the memory of a target that is moved, by dap_view_lay(). */
  dap_status (*lay)(dap_view *view, int target, dap_error *err);
  /** Plans the moves with dap_view_plan() and dap_view_plan_usual(), which are collective and agreed. All
   * processes return before a move that fails, or none. It also makes what a form needs besides its targets.
   * NULL: dap_view_plan_usual(). */
  dap_status (*plan)(dap_view *view, dap_error *err);
  /** Adds the moves of DAP_VIEW_REVERSE that a reverse halo update needs, once for each form and before
   * anything has changed, and refuses what is not possible. Collective and agreed, like `plan`. */
  dap_status (*plan_reverse)(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
  /** Does the rest of a reverse halo update after these moves, before padding and ghosts are refreshed. All
   * processes call it. */
  dap_status (*add_reverse)(dap_view *view, dap_padding padding, dap_error *err);
  /** Frees the data in view->form, also of a half-made one. Not collective. May be called after MPI has been
   * finalised. */
  void (*release)(void *form);

  /* ---- done for each view ---- */

  /** Makes the library's objects, in view->state. May be collective. If it fails on a process, close and drop
   * are called on all, also where it succeeded. */
  dap_status (*open)(dap_view *view, dap_error *err);
  /** Gets the memory of a moved target, to be written to (DAP_WRITE) or read (DAP_READ); NULL if there are no
   * elements. If it fails on any process, nothing is moved. NULL, with restore_memory NULL: the view's own
   * memory. May be collective. */
  dap_status (*get_memory)(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
  /** Gives the memory back. It is called if get_memory succeeded, also if the moves failed, and must tell the
   * library that a target has changed. May be collective only if get_memory has agreed. */
  dap_status (*restore_memory)(dap_view *view, int target, dap_access access, void *memory, dap_error *err);
  /** Lets the library notice that a shared target was written to behind its back. */
  dap_status (*changed)(dap_view *view, int target, dap_error *err);
  /** Returns DAP_OK as long as the library can be called at all, and DAP_ERR_LIBRARY with the reason if it
   * has been finalised. The result must be the same on every process, as it is not agreed on. MPI is running.
   */
  dap_status (*is_alive)(dap_error *err);
  /** Ends the library's objects, also of a view that was never opened, or not to the end. It is not called if
   * the library is not alive or MPI has been finalised. May be collective. The view ends even if it fails. */
  dap_status (*close)(dap_view *view, dap_error *err);
  /** Frees all else in view->state, of any half-made view. Not collective. May be called after the library or
   * MPI has been finalised. */
  void (*drop)(dap_view *view);

  /* ---- what the caller sees ---- */

  /** Fills the public struct, which is zeroed except for the handle: reports (shared, reason, moved_bytes)
   * always, objects if the view lives. Called after every function below. */
  void (*show)(const dap_view *view, bool lives, void *object);
  /** Writes the view's first words, like snprintf(): "12 x 12 matrix". NULL: the name. */
  int (*describe)(const dap_view *view, char *text, size_t capacity);
} dap_adapter;

/* ---- what an adapter's public functions call --------------------------------------------------------- */

/**
 * Gets an array as a view, and fills the adapter's public struct.
 *
 * The array may be dropped afterwards. Its buffer must stay until the view is restored. A shared view of a
 * kind that was had before costs one reduction, and the adapter's `open`. It costs two if processes differ in
 * votes or in which kept forms fit.
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
 *  - DAP_ERR_ARG: an argument is NULL, out of range, or differs between processes (named), or the
 *    communicator has another size
 *  - DAP_ERR_BUFFER: the local part does not match the layout, a lossy cast was not allowed, or the buffer
 *    cannot be written to, with DAP_WRITE
 *  - DAP_ERR_SHARE: the buffer cannot be shared, with DAP_SHARE_OR_FAIL
 *  - DAP_ERR_RANGE: the memory of a target exceeds 2^63 - 1 bytes
 *  - DAP_ERR_REMOTE: not all processes know the owner of an index along a 'u' axis that the part leaves out
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, or DAP_WRITE to a part that leaves out a replicated axis, which
 *    would write one of the copies only
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 *  - any status of the adapter's functions
 * @see dap_view_restore()
 */
DAP_API dap_status dap_view_get(const dap_adapter *adapter, const dap_view_request *request, void *object,
                                dap_error *err);

/**
 * Ends a view, and writes back what was got with DAP_WRITE, as dap_view_store() does.
 *
 * The public struct then has only the report. After the library or MPI has been finalised, the function frees
 * this process's own memory. Collective on the communicator of dap_view_get(), which may have been freed.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct; may be NULL, zeroed, or that of a view that has ended
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, and the view has ended, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is a copy of a view, or that of another adapter. On this process alone, and
 *    nothing happens.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_discard()
 */
DAP_API dap_status dap_view_restore(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Elements of a shared target that were changed stay changed. The public struct then has only the report.
 * After the library or MPI has been finalised, the function frees this process's own memory. Collective on
 * the communicator of dap_view_get(), which may have been freed.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct; may be NULL, zeroed, or that of a view that has ended
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, and the view has ended, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `object` is a copy of a view, or that of another adapter. On this process alone, and
 *    nothing happens.
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_restore()
 */
DAP_API dap_status dap_view_discard(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Moves the array's present elements to the targets of a live view, as dap_view_get() did with DAP_READ.
 *
 * Shared targets are told that they have changed. Collective on the view's communicator.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct of a live view that was got with DAP_READ
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: NULL, not a live view, or a view without DAP_READ; on this process alone
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
 * @param object   the public struct of a live view that was got with DAP_WRITE
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: NULL, not a live view, or a view without DAP_WRITE; on this process alone
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
 * @param object   the public struct of a live view that was got with DAP_WRITE
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: NULL, not a live view, or a view without DAP_WRITE; on this process alone
 *  - DAP_ERR_LIBRARY: MPI or the library failed, or has been finalised
 *  - DAP_ERR_NOMEM
 *  - any status of the adapter's functions
 * @see dap_view_halo_reverse(), dap_plan_create_halo()
 */
DAP_API dap_status dap_view_halo(const dap_adapter *adapter, void *object, dap_error *err);

/**
 * Adds communication padding, with corners, and ghosts of the array, or of the part, to the elements on their
 * owners.
 *
 * It does so in place, like dap_plan_create_halo_reverse() with these options. Targets that are moved stay as
 * they are. The plans are kept with the view's form. Collective on the view's communicator.
 *
 * @param adapter  table of the adapter
 * @param object   the public struct of a live view that was got with DAP_WRITE
 * @param combine  how values are combined; DAP_COMBINE_NONE: their sum. The same on every process.
 * @param padding  what becomes of padding and ghosts; the same on every process
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: NULL, not a live view, or a view without DAP_WRITE; on this process alone
 *  - DAP_ERR_ARG: an argument is out of range or differs between processes, or the largest or smallest of
 *    complex elements is asked for
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

/** Defines, in an adapter's source file, its functions prefix_restore, _discard, _load, _store and _halo of
 * the public struct `type`. Its header declares them. */
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
 * @param layout   layout of the target's elements. Its shape is view->shape in the order of its axes, or any
 *                 for an adapter with its own `plan`. The function takes the caller's reference over, also on
 *                 error.
 * @param ranks    [processes of layout] ranks in view->comm; copied. NULL: rank i.
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
  DAP_VIEW_IN,     /**< by get with DAP_READ, and by load */
  DAP_VIEW_OUT,    /**< by store and restore */
  DAP_VIEW_HALO,   /**< by halo, and, with fills_halos, after the moves out */
  DAP_VIEW_REVERSE /**< by halo_reverse, when padding and ghosts have been added to their owners */
} dap_view_phase;

/** One end of a move. */
typedef struct dap_view_end {
  int target; /**< number of a target, or DAP_VIEW_ARRAY */
  /** Side of the plan. Without a layout it gets layout, ranks and strides of the target or of the array, and
   * without a part all of it. A side with a layout needs strides or .contiguous, too. Without a type: that of
   * the target, or of the array, whose byte order is known. */
  dap_side side;
  int64_t
      offset; /**< bytes from the beginning of the memory, or of the window, to the side's first element */
} dap_view_end;

/** A move of a view's elements. */
typedef struct dap_view_move {
  dap_view_end from;   /**< source; not used by a halo update */
  dap_view_end to;     /**< destination */
  bool fill_halos;     /**< the same as dap_plan_options.fill_halos */
  bool adds;           /**< adds to the elements of `to` instead of replacing them */
  bool is_halo_update; /**< dap_plan_create_halo() of `to` */
} dap_view_move;

/**
 * Adds the usual moves to a view's form.
 *
 * They move all of the array to each moved target that is wanted, as the access asks for, and back. With
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
 * Moves run in the order in which they were added. Those from or to a target count in moved_bytes. Collective
 * on view->comm.
 *
 * @param view   the view
 * @param phase  when the move is run; at most 12 moves in each phase
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
