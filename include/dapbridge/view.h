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
  DAP_VIEW_ARRAY = -1,  /**< stands for the caller's buffer instead of a target */
  DAP_VIEW_TARGETS = 4, /**< largest number of targets of an adapter */
  DAP_VIEW_WORDS = 24   /**< largest number of words of a form */
};

/** A view as its adapter sees it. */
typedef struct dap_view dap_view;

/** The table of an adapter: adapter.h defines it. */
typedef struct dap_adapter dap_adapter;

/** The last member of the adapter's public struct. A zeroed handle has no live view. The handle must stay at
 * the address where it was filled, because copies are refused. */
typedef struct dap_view_handle {
  dap_view *view; /**< the live view; NULL if there is none */
  uint64_t magic; /**< depends on the address of the handle, so that a copy of it is noticed */
} dap_view_handle;

/** A caller's request. Everything except array.local must be the same on every process. */
typedef struct dap_view_request {
  MPI_Comm comm;       /**< exactly the layout's processes; rank i is process i */
  dap_darray array;    /**< layout of the whole, and this process's part */
  dap_access access;   /**< whether elements are read, written, or both */
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< part of the array; zeroed: all */
  bool lossy;          /**< allow casts that can lose values, if the library supports only one element type */
  /** [options_size bytes] the adapter's options, which dapbridge copies. Data that they point to must exist
   * until the call returns. NULL means zeros. */
  const void *options;
} dap_view_request;

/** A block of memory that the library works on. A matrix has one target; a field has two (global and local
 * vector). */
typedef struct dap_view_target {
  bool wanted; /**< its bit of dap_view.wanted is set */
  bool shared; /**< the target is the caller's buffer, or a window of it; the same on every process */
  /** why the target is shared, or the first condition that failed; the same on every process */
  char reason[DAP_ERROR_TEXT];
  dap_layout *layout; /**< of a moved target: the layout given to dap_view_lay() */
  /** of a moved target: [processes of layout] ranks in the view's communicator; NULL means rank i */
  int *ranks;
  int member; /**< of a moved target: number of this process in `layout`; -1: it has no part */
  /** of a moved target: [axes of layout] strides of this process's memory, in bytes */
  int64_t strides[DAP_MAX_NDIM];
} dap_view_target;

/** A view as its adapter sees it. The adapter sets only form, state, wanted and keep. */
struct dap_view {
  const dap_adapter *adapter; /**< the table of the adapter */

  /* ---- the request, checked ---- */

  /** dapbridge's communicator of the caller's processes, in the same order; exists while the view lives */
  MPI_Comm comm;
  MPI_Comm caller;     /**< the caller's communicator; MPI_COMM_NULL once dap_view_get() has returned */
  int rank;            /**< rank of this process in both communicators */
  dap_access access;   /**< as requested */
  dap_sharing sharing; /**< as requested */
  bool lossy;          /**< as requested */
  const void *options; /**< [options_size bytes] as requested; never NULL */

  /* ---- the part of the array, an array of its own ---- */

  dap_layout *layout; /**< the part's layout, with the array's padding; process i is rank ranks[i] of comm */
  int nprocs;         /**< number of the part's processes */
  int *ranks;         /**< [nprocs] ranks of the part's processes in comm */
  int member;         /**< number of this process in `layout`; -1: it has no part */
  bool is_apart;      /**< the part's processes are only some of comm's, or are in another order */
  /** Communicator of the part's processes, in the order of `layout`, if the adapter has part_comm set.
   * dapbridge owns it. It is `comm` itself unless is_apart is true, and MPI_COMM_NULL on processes without a
   * part. */
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
   * report the facts on which this depends. */
  unsigned wanted;
  bool keep;                /**< true if the form may be kept; `check` and `prepare` can clear it */
  uint64_t votes;           /**< the bits that `vote` set on every process */
  void *form;               /**< [form_size] data that all views of one kind have in common */
  void *state;              /**< [state_size] data of this view */
  dap_view_target *targets; /**< [targets of the adapter] */
  /** Memory of a moved target, if the adapter has no `get_memory`; else NULL. It begins on a cache line, and
   * is zeroed before elements are moved to it. */
  void *memory[DAP_VIEW_TARGETS];
  int64_t moved_bytes; /**< bytes that this process has copied or sent for the view so far */
};

/** A fact on which the kind of a view depends. A fact with a name must be the same on every process. If the
 * fact differs, the error says that `name` is "not the same as on rank 0". */
typedef struct dap_view_word {
  const char *name; /**< such as "options: block_size[0]"; NULL if the fact may differ between processes */
  uint64_t value;   /**< the fact */
} dap_view_word;

#ifdef __cplusplus
}
#endif

#endif
