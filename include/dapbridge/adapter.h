/* dapbridge/adapter.h: how another library is bridged to, in about 100 lines.
 *
 * A view is a distributed array as an object of another library. Its memory is the array's own buffer if
 * the library can work there (shared); else it is memory of the view or of the library, to and from which
 * the elements are moved. Whichever it is, a view is got, used and restored in the same way.
 *
 * An adapter is one const table, dap_adapter: when the buffer can be shared (share), what the memory looks
 * like if not (lay), how the library's objects are made (open) and ended (close), and how they are handed
 * to the caller (show). Checks, agreement between processes, choice of the part, plans, moves,
 * conversions, the reason and the report come from the functions below, which an adapter's own
 * dap_<library>_get() and so on call. bridge/docs/adapter.md is a guide with an example, tests/view/toy.c
 * a complete adapter. ScaLAPACK's and PETSc's are written on this header. */
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
  DAP_VIEW_ARRAY = -1, /* the caller's buffer, where a target's number is asked for */
  DAP_VIEW_TARGETS = 4,
  DAP_VIEW_WORDS = 24
};

typedef struct dap_view dap_view;

/* What the adapter's public struct ends in. Zeroed: no live view. It must stay where it was filled: a copy
 * is refused. */
typedef struct dap_view_handle {
  dap_view *view;
  uint64_t magic;
} dap_view_handle;

/* What a caller asks for; dap_darray, dap_access, dap_sharing: array.h; dap_part: part.h. All but the
 * array's local part must be the same on every process. */
typedef struct dap_view_request {
  MPI_Comm comm; /* exactly the layout's processes, in rank order */
  dap_darray array;
  dap_access access;
  dap_sharing sharing;
  dap_part part;
  bool lossy; /* allow casts that can lose something, where the library has elements of one type only */
  /* The adapter's own [options_size bytes], copied; what they point at must last for the call. NULL:
   * zeros. */
  const void *options;
} dap_view_request;

/* One memory of the library's: a matrix has one, a field two (a local and a global vector). */
typedef struct dap_view_target {
  bool wanted;                 /* as dap_view.wanted says */
  bool shared;                 /* it is the caller's buffer, or a window of it; the same on every process */
  char reason[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed; the same on every process */
  /* Of one that is moved, as dap_view_lay() set it. */
  dap_layout *layout;
  int *ranks;                    /* [processes of layout] of the view's communicator; NULL: rank i */
  int member;                    /* this process in layout; -1: it has no part */
  int64_t strides[DAP_MAX_NDIM]; /* bytes, of this process's memory */
} dap_view_target;

/* A view as its adapter sees it. The adapter sets form, state, wanted and keep alone. */
struct dap_view {
  const struct dap_adapter *adapter;

  /* ---- the request, checked ---- */

  MPI_Comm comm; /* the library's own, of the caller's processes in their order, as long as the view lives */
  MPI_Comm caller; /* the caller's; MPI_COMM_NULL once dap_view_get() has returned */
  int rank;        /* of this process in both */
  dap_access access;
  dap_sharing sharing;
  bool lossy;
  const void *options; /* [options_size]; never NULL */

  /* ---- the part of the array, an array of its own ---- */

  dap_layout *layout; /* its processes are ranks ranks[] of comm; padding and all else as the array has it */
  int nprocs;
  int *ranks;    /* [nprocs] */
  int member;    /* this process in layout; -1: it has no part */
  bool is_apart; /* the part's processes are not all of comm, or in another order */
  /* Exactly the part's processes in the order of layout, if the adapter has part_comm set; the library's own,
   * and comm itself if the part is not apart. MPI_COMM_NULL on others. */
  MPI_Comm part;
  dap_array
      local; /* the window of the caller's buffer, without dictionaries; zeroed where there is no part */
  dap_dtype dtype; /* of the array's elements, on every process */
  bool is_range; /* start and shape leave out some of layout's elements: then only an adapter with `ranges` is
                      asked to share */
  int64_t start[DAP_MAX_NDIM]; /* [axes of layout] first index asked for, */
  int64_t shape[DAP_MAX_NDIM]; /* and extents */

  /* ---- the adapter's ---- */

  /* Bit t: target t is. All, unless `check` takes some away; what decides about that belongs to `words`. */
  unsigned wanted;
  bool keep;                /* the form may be kept; true, unless `check` or `prepare` forbids it */
  uint64_t votes;           /* those bits that `vote` gave on every process */
  void *form;               /* [form_size] what is the same for all views of one kind */
  void *state;              /* [state_size] this view's own */
  dap_view_target *targets; /* [adapter's targets] */
  /* Of a moved target without `get_memory`, on a cache line: zeros, then what is moved there. Else NULL. */
  void *memory[DAP_VIEW_TARGETS];
  int64_t moved_bytes; /* that this process copied or sent for the view so far */
};

/* A fact that decides about the kind of a view. With a name it must also be the same on every process, or
 * else the error says "<name>: not the same as on rank 0". */
typedef struct dap_view_word {
  const char *name; /* "options: block_size[0]"; NULL: this process's own fact */
  uint64_t value;
} dap_view_word;

/* An adapter. Zeroed members are left out.
 *
 * Each function runs on every process of the view's communicator, those without a part included. Unless
 * its comment says otherwise it is local: it sends nothing, and may fail on some processes alone. The
 * layer then agrees, before anything else is called, so that the public function fails on all with the
 * text of the lowest rank. One that may be collective agrees by itself (dap_agree(view->comm, ...)) on
 * whatever decides whether its next collective step is reached; the layer agrees on what it returns.
 *
 * A form is what all views of one kind have in common: same layout, strides, type, alignment, byte order,
 * part, access, sharing and words. With keeps_forms a form is kept with the communicator once the first
 * view of its kind is open, and later ones come without prepare, share, lay and plan. Their open must leave
 * dap_view.form and the targets as they are, so a form must not depend on one view's options beyond its
 * words, on the address of its buffer, or on objects that end with the view. */
typedef struct dap_adapter {
  const char *name; /* of a view, in messages: "matrix" */
  /* The function that calls dap_view_get(), "dap_scalapack_get", told to processes that are in another one.
   * NULL: dap_view_get. */
  const char *function;
  size_t object_size;  /* of the public struct, */
  size_t handle;       /* and where in it the dap_view_handle is: offsetof() */
  size_t options_size; /* of the adapter's options */
  size_t form_size, state_size;
  int targets;                                /* 1 .. DAP_VIEW_TARGETS */
  const char *target_names[DAP_VIEW_TARGETS]; /* "local vector"; NULL: as name */

  dap_dtype dtype; /* the only type that the library's elements have, DAP_NONE: any that `check` lets pass; */
  const char *dtype_name; /* and what the library calls it, for messages */
  bool ranges;            /* share() can see a range (dap_view.start, shape) of layout where it lies */
  bool fills_halos;       /* store and restore fill the array's communication padding too */
  bool part_comm;         /* dap_view.part is wanted */
  bool keeps_forms;       /* forms are kept with the communicator */

  /* ---- asked for each view, before any communication ---- */

  /* Is the request one that the library can serve? options, layout, start, shape, dtype and local are
   * checked and set. Where it fails drop is called, and nothing else. */
  dap_status (*check)(dap_view *view, dap_error *err);
  /* Fills words[DAP_VIEW_WORDS] with what of the options decides about the form, and returns how many; the
   * same number on every process. Asked again after `open`, before a new form is kept: a word without a name
   * may by then be that of an object which was made, so that the form is found by those who give that
   * object. */
  int (*words)(const dap_view *view, dap_view_word words[]);
  /* Bits of which those count that all processes set (dap_view.votes). */
  uint64_t (*vote)(const dap_view *view);
  /* May this process still use a kept form? If one may not, all make a new one. */
  bool (*is_usable)(const dap_view *view, const void *form);
  /* Has what a kept form is for gone for ever, as far as this process knows? Where all say so it is released
   * when the next one is kept. */
  bool (*is_over)(const void *form);

  /* ---- asked for each form ---- */

  /* Thinks out what share and lay need, into view->form. May be collective on view->comm, if it agrees on
   * its own statuses. */
  dap_status (*prepare)(dap_view *view, dap_error *err);
  /* The predicate: DAP_OK with reason[DAP_ERROR_TEXT] saying why, or DAP_ERR_SHARE with the first
   * condition that fails. Elements have the library's type, in this machine's byte order. NULL: never. */
  dap_status (*share)(dap_view *view, int target, char reason[], dap_error *why);
  /* Describes the memory of a target that is moved, by dap_view_lay(). */
  dap_status (*lay)(dap_view *view, int target, dap_error *err);
  /* Plans the moves with dap_view_plan() and dap_view_plan_usual(), which are collective and agreed:
   * nothing may return before but on all processes alike. Also the place to make what a form needs beyond
   * its targets. NULL: dap_view_plan_usual(). */
  dap_status (*plan)(dap_view *view, dap_error *err);
  /* What a reverse halo update needs that the array's layout does not know of. plan_reverse makes it, before
   * anything has changed, and refuses what cannot be; collective and agreed, like plan. add_reverse does it
   * when padding and ghosts have been added, before they are refreshed; all processes call it. */
  dap_status (*plan_reverse)(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err);
  dap_status (*add_reverse)(dap_view *view, dap_padding padding, dap_error *err);
  /* Frees what view->form holds, of a half-made one too. Not collective. MPI may be over. */
  void (*release)(void *form);

  /* ---- done for each view ---- */

  /* Makes the library's objects, in view->state. May be collective. Where it fails close and drop are called
   * on all processes, those included where it succeeded. */
  dap_status (*open)(dap_view *view, dap_error *err);
  /* Gets the memory of a moved target, NULL where there are no elements, to be written to (DAP_WRITE) or
   * read (DAP_READ); restored after. Where get_memory fails, on any process, nothing is moved. restore_memory
   * is called where get_memory succeeded, whether the moves did or not, and must tell the library that a
   * target has changed. Both NULL: the view's own memory. May be collective, but restore_memory only with
   * what get_memory has agreed on. */
  dap_status (*get_memory)(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
  dap_status (*restore_memory)(dap_view *view, int target, dap_access access, void *memory, dap_error *err);
  /* A shared target was written to behind the library's back: lets it notice. */
  dap_status (*changed)(dap_view *view, int target, dap_error *err);
  /* DAP_OK as long as the library can be called at all, DAP_ERR_LIBRARY with the reason if it has been
   * finalised; the same on every process, as it is not agreed on. MPI is running. */
  dap_status (*is_alive)(dap_error *err);
  /* Ends the library's objects, of a view too that was never opened, or not to the end; not called if the
   * library is not alive, or MPI is over. May be collective. The view ends even where it fails. */
  dap_status (*close)(dap_view *view, dap_error *err);
  /* Frees what else view->state holds, of any half-made view. Not collective. The library and MPI may be
   * over. */
  void (*drop)(dap_view *view);

  /* ---- what the caller sees ---- */

  /* Fills the public struct, zeroed but for the handle: reports (shared, reason, moved_bytes) always,
   * objects if the view lives. Called after every function below. */
  void (*show)(const dap_view *view, bool lives, void *object);
  /* The view's first words, as snprintf(): "12 x 12 matrix". NULL: the name. */
  int (*describe)(const dap_view *view, char *text, size_t capacity);
} dap_adapter;

/* ---- what an adapter's public functions call --------------------------------------------------------- */

/* Gives the array of *request as a view, and fills *object, the adapter's public struct. Collective on
 * request->comm. The array may be dropped afterwards; its buffer must stay until the view is restored.
 * Cost of a shared view of a kind that was had before: one reduction, two where processes differ in votes or
 * in which kept forms fit, and what the adapter's open does.
 * Errors, the same on every process: DAP_ERR_ARG (NULL, an access, a sharing or a part outside its range,
 * a communicator of another size; anything that differs between processes, named), DAP_ERR_BUFFER (extents
 * that are not the layout's, no data, DAP_WRITE to a read-only buffer or one with a zero stride, a lossy
 * cast without leave), DAP_ERR_SHARE (with DAP_SHARE_OR_FAIL), DAP_ERR_RANGE (the memory of a target
 * exceeds 2^63 - 1 bytes), DAP_ERR_REMOTE (an index along a 'u' axis whose owner not all processes know),
 * DAP_ERR_UNSUPPORTED (a partial axis; DAP_WRITE to a part that leaves out a replicated axis, as only one of
 * the copies would be written), DAP_ERR_NOMEM, DAP_ERR_LIBRARY, and the adapter's own. On error *object is
 * zeroed. */
DAP_API dap_status dap_view_get(const dap_adapter *adapter, const dap_view_request *request, void *object,
                                dap_error *err);

/* Ends a view: with DAP_WRITE the array then holds what dap_view_store() leaves there. Collective on the
 * communicator of dap_view_get(), which may have been freed. *object then has no more than the report.
 * Accepts NULL, a zeroed object and a view that has ended; after the library, or MPI, was finalised it
 * frees what is this process's own.
 * Errors: DAP_ERR_ARG for a copy of a view, on that process alone, and nothing happens. DAP_ERR_LIBRARY,
 * also for a library that was finalised before, DAP_ERR_NOMEM and the adapter's own, the same on every
 * process: the view is ended all the same. */
DAP_API dap_status dap_view_restore(const dap_adapter *adapter, void *object, dap_error *err);

/* The same without writing anything back: of a shared target, what was changed stays changed. */
DAP_API dap_status dap_view_discard(const dap_adapter *adapter, void *object, dap_error *err);

/* For a view that goes on. load: what the array holds goes to the targets that are moved, as
 * dap_view_get() did with DAP_READ; shared ones are told that they have changed. store: the other way, and
 * with fills_halos the array's communication padding and ghosts (of a part: the part's) are filled. halo:
 * only these, in place, from their owners; targets that are moved stay as they are. Collective as
 * dap_view_restore().
 * Errors: DAP_ERR_ARG (NULL, no live view, a view without DAP_READ (load) or DAP_WRITE (the others): on
 * that process alone), DAP_ERR_LIBRARY, DAP_ERR_NOMEM and the adapter's own, the same on every process. */
DAP_API dap_status dap_view_load(const dap_adapter *adapter, void *object, dap_error *err);
DAP_API dap_status dap_view_store(const dap_adapter *adapter, void *object, dap_error *err);
DAP_API dap_status dap_view_halo(const dap_adapter *adapter, void *object, dap_error *err);

/* The other way: what is in the array's communication padding, corners included, and in its ghosts (of a
 * part: the part's) is added to the elements that it stands for, or combined with them otherwise, in place,
 * as by dap_plan_create_halo_reverse() with these options; targets that are moved stay as they are. combine
 * DAP_COMBINE_NONE: their sum. The plans are kept with the view's form. Collective as dap_view_restore().
 * Errors: as dap_view_halo()'s, and DAP_ERR_ARG, the same on every process (an argument out of range, or not
 * the same on all; the largest or smallest of complex elements). */
DAP_API dap_status dap_view_halo_reverse(const dap_adapter *adapter, void *object, dap_combine combine,
                                         dap_padding padding, dap_error *err);

/* Writes the view in words to `text` of `capacity` bytes, as dap_layout_describe(): "12 x 12 matrix;
 * moved, 1152 bytes moved: <reason>"; of several targets a line each. Not collective. */
DAP_API size_t dap_view_describe(const dap_adapter *adapter, const void *object, char *text, size_t capacity);

/* In an adapter's source file: its functions <prefix>_restore, _discard, _load, _store, _halo and
 * _describe of the public struct `type`, by the functions above. Its header declares them.
 * DAP_VIEW_CALLS: all but _describe. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types stand alone */
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
#define DAP_VIEW_FUNCTIONS(prefix, type, adapter)                                                            \
  DAP_VIEW_CALLS(prefix, type, adapter)                                                                      \
  size_t prefix##_describe(const type *object, char *text, size_t capacity)                                  \
  {                                                                                                          \
    return dap_view_describe(&(adapter), object, text, capacity);                                            \
  }
/* NOLINTEND(bugprone-macro-parentheses) */

/* The live view behind a public struct; NULL: there is none. Not collective. */
DAP_API dap_view *dap_view_of(const dap_adapter *adapter, const void *object);

/* ---- what an adapter's own functions call ------------------------------------------------------------ */

/* For `lay`: a moved target's elements are laid out as `layout`, whose shape is view->shape in the order
 * of its axes (of an adapter with its own `plan`: any), and whose process i is rank ranks[i] of view->comm
 * (NULL: rank i; copied). Takes the reference to `layout` over, also on error. This process's memory has
 * the extents of its part of layout, and `strides` [axes], in bytes; NULL: contiguous in `order`. Not
 * collective.
 * Errors: DAP_ERR_ARG (layout is NULL; a rank outside), DAP_ERR_NOMEM. */
DAP_API dap_status dap_view_lay(dap_view *view, int target, dap_layout *layout, const int ranks[],
                                dap_order order, const int64_t strides[], dap_error *err);

/* When a move is run. */
typedef enum dap_view_phase {
  DAP_VIEW_IN,  /* by get with DAP_READ, and load */
  DAP_VIEW_OUT, /* by store and restore */
  DAP_VIEW_HALO /* by halo, and, with fills_halos, after the moves out */
} dap_view_phase;

/* One end of a move: a target's number or DAP_VIEW_ARRAY, and the side of a plan; a side without a layout:
 * all of that target, or the part of the array. A side with a layout needs strides or .contiguous, too.
 * Without a type: that of the target, or of the array, whose byte order is known. */
typedef struct dap_view_end {
  int target;
  dap_side side;
  int64_t offset; /* bytes from the beginning of the memory, or of the window, to the side's first element */
} dap_view_end;

typedef struct dap_view_move {
  dap_view_end from, to;
  bool fill_halos;     /* as dap_plan_options.fill_halos */
  bool is_halo_update; /* dap_plan_create_halo() of `to`; `from` is not looked at */
} dap_view_move;

/* Adds the usual moves: all of the array to each moved target that is wanted, as the access asks for, and
 * back; with fills_halos into the array's padding too. Collective on view->comm; agreed. Errors as below. */
DAP_API dap_status dap_view_plan_usual(dap_view *view, dap_error *err);

/* Adds a move to a phase of the view's form; they run in the order in which they were added, 12 a phase at
 * most. Moves from or to a target are counted in moved_bytes. Collective on view->comm; agreed.
 * Errors: as dap_plan_create()'s. */
DAP_API dap_status dap_view_plan(dap_view *view, dap_view_phase phase, const dap_view_move *move,
                                 dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
