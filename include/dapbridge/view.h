/**
 * @file
 * A view as its adapter sees it: the caller's request, the part of the array, and the targets.
 */
#ifndef DAPBRIDGE_VIEW_H
#define DAPBRIDGE_VIEW_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  DAP_VIEW_ARRAY = -1,  /**< stands for the caller's buffer where a target's number is expected */
  DAP_VIEW_TARGETS = 4, /**< largest number of targets of an adapter */
  DAP_VIEW_WORDS = 24   /**< largest number of words that dap_adapter.words may return */
};

/** A view as its adapter sees it. */
typedef struct dap_view dap_view;

/** An adapter. adapter.h defines the struct. */
typedef struct dap_adapter dap_adapter;

/** The last member of an adapter's public struct. While a view is live, the handle refers to the view. A
 * zeroed handle does not refer to a view. The handle must stay at the address where dapbridge filled it,
 * because dapbridge refuses copies of the handle. */
typedef struct dap_view_handle {
  dap_view *view; /**< the live view; NULL if there is none */
  uint64_t magic; /**< depends on the handle's address, so that dapbridge detects copies of the handle */
} dap_view_handle;

/** A caller's request for a view. All members except array.local must be the same on every process. dapbridge
 * copies `options`. Data to which the options point must exist until dap_view_get() returns. */
typedef struct dap_view_request {
  MPI_Comm comm;       /**< contains exactly the layout's processes: rank i is process i of the layout */
  dap_darray array;    /**< layout of the whole array, and this process's part */
  dap_access access;   /**< whether elements are read, written, or both */
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< part of the array that the view covers; zeroed means the whole array */
  bool lossy;          /**< allow casts that can lose values, for libraries with only one element type */
  const void *options; /**< [options_size bytes] the adapter's options; NULL means that all bytes are 0 */
} dap_view_request;

/** A block of memory that the adapter's library works on. A view of a matrix has one target. A view of a
 * field has two: the global and the local vector. */
typedef struct dap_view_target {
  bool wanted; /**< true if the target's bit of dap_view.wanted is set */
  bool shared; /**< true if the target is the caller's buffer or a window of it; the same on every process */
  /** why the target is shared, or the first unmet condition for sharing; the same on every process */
  char reason[DAP_ERROR_TEXT];
  dap_layout *layout; /**< moved target: the layout that was passed to dap_view_lay() */
  /** moved target: [processes of layout] ranks in dap_view.comm; NULL means that process i has rank i */
  int *ranks;
  int member; /**< moved target: number of this process in `layout`; -1: the process has no part */
  /** moved target: [axes of layout] strides of this process's memory, in bytes */
  int64_t strides[DAP_MAX_NDIM];
} dap_view_target;

/**
 * A view as its adapter sees it. The adapter may change only `wanted`, `keep`, and the data at `form` and
 * `state`.
 *
 * If is_apart is true and the adapter sets part_comm, dapbridge creates and later frees the communicator
 * `part`. If is_apart is false and the adapter sets part_comm, `part` is `comm` itself. On processes without
 * a part, `part` is MPI_COMM_NULL.
 *
 * If is_range is true, dapbridge calls `share` only if the adapter sets `ranges`.
 *
 * All bits of `wanted` are set, unless `check` clears some. If `check` clears bits, `words` must report the
 * options on which the wanted targets depend.
 *
 * If the adapter has no `get_memory`, `memory` contains the address of each moved target's memory, aligned to
 * a cache line. dapbridge zeroes the memory before it moves elements there.
 */
struct dap_view {
  const dap_adapter *adapter; /**< the adapter that made the view */

  /* ---- the request, checked ---- */

  /** dapbridge's duplicate of the caller's communicator; exists as long as the view */
  MPI_Comm comm;
  MPI_Comm caller;     /**< the caller's communicator; MPI_COMM_NULL once dap_view_get() has returned */
  int rank;            /**< rank of this process in both communicators */
  dap_access access;   /**< access that the caller requested */
  dap_sharing sharing; /**< sharing option that the caller requested */
  bool lossy;          /**< true if the caller allows casts that can lose values */
  const void *options; /**< [options_size bytes] copy of the caller's options; never NULL */

  /* ---- the part of the array, as a separate array ---- */

  /** layout of the part, with the array's padding; process i of `layout` has rank ranks[i] in `comm` */
  dap_layout *layout;
  int nprocs;    /**< number of processes of `layout` */
  int *ranks;    /**< [nprocs] ranks of the processes of `layout` in `comm` */
  int member;    /**< number of this process in `layout`; -1: the process has no part */
  bool is_apart; /**< true if `layout` has fewer processes than `comm`, or has them in a different order */
  MPI_Comm part; /**< communicator of the processes of `layout`, in the same order, if part_comm is set */
  /** this process's part: a window of the caller's buffer, without dictionaries; zeroed on processes without
   * a part */
  dap_array local;
  dap_dtype dtype;             /**< type of the array's elements; set on every process */
  bool is_range;               /**< true if `start` and `shape` leave out elements of `layout` */
  int64_t start[DAP_MAX_NDIM]; /**< [axes of layout] first index of the requested range */
  int64_t shape[DAP_MAX_NDIM]; /**< [axes of layout] extents of the requested range */

  /* ---- data of the adapter ---- */

  unsigned wanted;          /**< bit t is set if target t is wanted */
  bool keep;                /**< true if dapbridge may store the form; `check` and `prepare` can clear it */
  uint64_t votes;           /**< the bits that `vote` has set on every process */
  void *form;               /**< [form_size] data that all views of one kind have in common */
  void *state;              /**< [state_size] data of this view */
  dap_view_target *targets; /**< [number of targets] the targets of the view */
  /** memory of each moved target, if the adapter has no `get_memory`; otherwise NULL */
  void *memory[DAP_VIEW_TARGETS];
  int64_t moved_bytes; /**< bytes that this process has copied or sent for the view so far */
};

/** A word is a value on which the kind of a view depends (see adapter.h). If the word has a name, the value
 * must be the same on every process. If the values differ, the error says that `name` is "not the same as on
 * rank 0". */
typedef struct dap_view_word {
  /** name in messages, such as "options: block_size[0]"; NULL if the value may differ between processes */
  const char *name;
  uint64_t value; /**< the value */
} dap_view_word;

#ifdef __cplusplus
}
#endif

#endif
