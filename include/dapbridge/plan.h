/**
 * @file
 * Moves the elements of arrays from one layout to another.
 *
 * A plan is created once and run many times, on any buffers with the layouts, strides and types that it was
 * made for. It can move several arrays at once. Redistribution, transposition of storage, gather, scatter,
 * halo updates and all copies that adapters make are plans. The guide is bridge/docs/moving.md.
 *
 * Collective functions on a communicator, and the begins and ends of its plans, must come in the same order
 * on all its processes. Threads may work concurrently on different communicators (MPI_THREAD_MULTIPLE). Every
 * function returns DAP_ERR_ARG for a plan that is NULL, or destroyed as far as that can be detected.
 *
 * **Copies.** Several processes can hold copies of one element. The copies are expected to be equal.
 *
 * - On a 'u' axis an element is read from its owner, and written to all processes that list it.
 * - Along a replicated axis an element is read from the nearest copy: the copy that the reader holds, or one
 *   on the reader's node, or any other. With options.from_owners all processes read the copy at coordinate 0,
 *   so that they get the same elements even if copies differ.
 * - With options.combine the values of all processes that hold an element are combined. The owner's value
 *   comes first, then the others in the order of their ranks. Each value is converted and multiplied by
 *   alpha.
 * - If the source is partial, only its addends are combined in this order. DAP_COMBINE_NONE adds them up. If
 *   several processes hold an addend, its place in the order is the rank of its first copy, whichever copy is
 *   read.
 *
 * Elements of a replicated or partial source are moved as little as possible. Each process that lacks an
 * element receives it once. Each addend is sent once, to the process that adds it up. In two cases copies
 * receive their elements from the owner instead. One is a plan with beta. The other is a sum for an array
 * with ghosts, or with padding that is filled. The copies then receive their elements in a second or later
 * pass, in place on the destination, in its type. If only DAP_TRANSPORT_DIRECT is allowed, such passes need
 * all destinations to be shared.
 *
 * **Two groups.** dap_plan_create() accepts an intercommunicator between programs coupled by
 * MPI_Comm_connect() or MPI_Comm_spawn(), or between parts of one program. The group that holds the source
 * passes `from`, the other group `to`. Each group passes NULL, or a side without a layout, for the other
 * side. Each group chooses its role anew for every plan, so data can flow both ways. In a run the sending
 * group passes to = NULL, the receiving group from = NULL. Each group must learn the other's layout, so
 * creating a plan takes two more reductions, and one more broadcast of each layout.
 *
 * Texts of errors name a process by its rank in its group, and the group by its role: "rank 1 of the sending
 * group". err->rank is that rank. If the role is not known yet, the text says "of a group of 3". The errors
 * of dap_wait_limit() say "of this group" or "of the other group".
 *
 * **Memory** of a plan on each process is proportional to the number of peers, and to the number of runs of
 * all axes. On a cyclic axis only the runs of one period count. Buffers need further memory, within
 * options.memory_bytes; large moves are made in rounds. One case needs more memory: addends are added up on
 * replicated copies of several blocks, and no copy has an addend. Memory is then proportional to the blocks
 * of the source times the copies. dap_plan_summarize() returns the bytes.
 */
#ifndef DAPBRIDGE_PLAN_H
#define DAPBRIDGE_PLAN_H

#include <dapbridge/comm.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A move that can be run many times: dap_plan_create() makes one. */
typedef struct dap_plan dap_plan;

/** The source or the destination of a plan. The plan retains the layout and copies the arrays. */
typedef struct dap_side {
  /** The same on every process that holds a part. May be NULL on other processes, which receive the layout
   * from the lowest rank that has it. */
  const dap_layout *layout;
  /** [nprocs of layout] ranks[i] is the rank of the layout's process i in the plan's communicator. With an
   * intercommunicator it is the rank in the group that has the side. The list is the same on every process
   * that has the layout, and no rank occurs twice. NULL means that process i has rank i. */
  const int *ranks;
  const int64_t *strides; /**< [ndim] bytes between elements of this process's buffer; NULL if contiguous */
  /** This process's buffer is contiguous in C order. Arrays made by dap_array_alloc() need not be. A process
   * with a part sets either this or strides, unless the layout has no axes. */
  bool contiguous;
  dap_dtype dtype; /**< type of the elements; DAP_NONE: opaque elements of the plan's itemsize */
  bool swapped;    /**< this process's elements have the opposite byte order; needs dtypes on both sides */
  dap_part part;   /**< elements to move, the same on every process; zeroed: all */
  /** This process's array. dap_plan_create() checks that its extents and dictionaries are those of this
   * process's part, as dap_array_match() does. NULL: not checked. Ignored on processes without a part and by
   * dap_plan_preview(). */
  const dap_array *local;
} dap_side;

/**
 * Makes the side for all elements of an array whose processes are ranks 0, 1, ...
 *
 * The side has the array's layout, strides, element type and byte order. Its member `local` is set, so that
 * dap_plan_create() checks the array. On a process without a part array.local may be NULL. The side's dtype
 * is then DAP_NONE, and the caller must set it. Not collective.
 *
 * @param array  layout of the whole, and this process's part. The side points into *array.local, which must
 *               exist until the plan has been created.
 * @return the side
 * @see dap_plan_create()
 */
DAP_API dap_side dap_side_of(dap_darray array);

/** How elements can move from one process to another. dap_plan_describe() uses the same names. Elements that
 * stay on a process are always copied directly. 8 is reserved. */
typedef enum dap_transport {
  /** Same node, if dap_array_alloc() (shared.h) made one of the two buffers: one copy. If only this transport
   * is allowed, all sources or all destinations of a run must be such buffers. */
  DAP_TRANSPORT_DIRECT = 1,
  DAP_TRANSPORT_STAGED = 2,  /**< same node: through slots in memory that the node shares */
  DAP_TRANSPORT_MESSAGES = 4 /**< any two processes: MPI messages, packed in the order of the destination */
} dap_transport;

/** How the values that several processes have for one element are combined. */
typedef enum dap_combine {
  DAP_COMBINE_NONE = 0, /**< the element has the owner's value */
  DAP_COMBINE_SUM,      /**< the values are added up */
  DAP_COMBINE_MAX,      /**< the largest value; only for real elements; NaN if any value is NaN */
  DAP_COMBINE_MIN       /**< the smallest value; only for real elements; NaN if any value is NaN */
} dap_combine;

/** What happens to padding and ghosts after their values have been combined with those of their owners. */
typedef enum dap_padding {
  DAP_PADDING_KEEP = 0, /**< they are not changed */
  DAP_PADDING_CLEAR,    /**< all bytes become 0 */
  DAP_PADDING_REFRESH /**< they receive the owners' new values, in a second pass with half of memory_bytes */
} dap_padding;

/** Options of a plan, the same on every process. NULL or a zeroed struct means the defaults. With alpha or
 * beta the plan computes destination = alpha * op(source) + beta * destination, where op conjugates or does
 * nothing. alpha, beta and `conjugate` need a dtype in both sides. A factor with an imaginary part needs
 * complex elements. */
typedef struct dap_plan_options {
  bool fill_halos; /**< also fill the destination's communication padding, with the owners' values */
  /** Bytes of the longest message or slot, at most 2^31 - 1. 0 means 512 KiB for messages, and for slots a
   * quarter of the smallest second-level cache of all processes. */
  int64_t message_bytes;
  int64_t memory_bytes; /**< limit of the bytes for messages and slots on each process; 0 means 64 MiB */
  unsigned transports;  /**< dap_transport bits that may be used; 0 means all */
  bool conjugate;       /**< conjugate complex elements */
  bool from_owners;     /**< read replicated elements from their owner, not from the nearest copy */
  bool lossy;           /**< allow a lossy cast, see dap_dtype_holds() */
  bool allow_empty;     /**< allow a halo update that has no padding and no ghosts to fill */
  const double *alpha;  /**< [2] real and imaginary part; NULL means 1 */
  /** [2] real and imaginary part; NULL means 0, and the destination is not read. Copies on 'u' axes, and
   * padding that is filled, receive the owner's result in a second pass with half of memory_bytes. If only
   * DAP_TRANSPORT_DIRECT is allowed, that pass needs all destinations to be shared. */
  const double *beta;
  dap_combine combine; /**< needs dtypes on both sides; DAP_COMBINE_MAX and _MIN exclude alpha and beta */
  dap_padding padding; /**< used by dap_plan_create_halo_reverse() */
  /** Number of arrays that one run moves together, at most 2^31 - 1; 0 means 1. All arrays have the plan's
   * layouts, strides and types. See dap_plan_begin_many(). */
  int64_t arrays;
} dap_plan_options;

/**
 * Creates a plan that moves elements from the layout of `from` to the layout of `to`.
 *
 * Axis j of the source part becomes axis j of the destination part, so both parts must have the same shape.
 * Parts select any range of any axis, and permute axes. Elements outside the destination part are not
 * changed. Different element types are converted. A cast that can lose values needs options->lossy. Each
 * layout may be on only some processes of `comm`.
 *
 *     dap_side from = dap_side_of(a), to = dap_side_of(b);
 *     dap_plan_create(comm, &from, &to, 0, NULL, &plan, &err);
 *     dap_plan_run(plan, a.local->data, b.local->data, &err);
 *
 * Collective on `comm`.
 *
 * @param comm      contains the processes of both layouts; may be an intercommunicator
 * @param from, to  source and destination
 * @param itemsize  bytes of an element; 0 means the size of the sides' dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives rank, rule and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, options contradict each other, a lossy
 *    cast was not allowed, or memory_bytes is too small
 *  - DAP_ERR_BUFFER: elements of the destination overlap, it is read-only, or side.local is not this
 *    process's part
 *  - DAP_ERR_UNSUPPORTED: none of options->transports connects two processes, the parts make more than
 *    DAP_MAX_NDIM axes, or coupled programs have incompatible releases of dapbridge
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_run(), dap_plan_create_halo(), dap_plan_preview()
 */
DAP_API dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan for the halo update of an array, in place.
 *
 * A run copies the owners' values to communication padding (corners included), to ghosts of 'u' axes, and to
 * copies along replicated axes. Along a replicated axis the first copy counts as the owner. Pass the same
 * buffer as source and destination.
 *
 *     dap_side side = dap_side_of(a);
 *     dap_plan_create_halo(comm, &side, 0, NULL, &halo, &err);
 *     dap_plan_run(halo, a.local->data, a.local->data, &err);
 *
 * Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param side      the array
 * @param itemsize  bytes of an element; 0 means the size of side->dtype
 * @param options   NULL for the defaults; the same on every process. message_bytes, memory_bytes, transports,
 *                  allow_empty and arrays are used.
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, memory_bytes is too small, or there
 *    is nothing to update on several processes (see options->allow_empty)
 *  - DAP_ERR_BUFFER: elements overlap, the array is read-only, or side->local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: none of options->transports connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_halo_reverse()
 */
DAP_API dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan for the reverse halo update of an array, in place.
 *
 * A run adds the values in ghosts and in communication padding, corners included, to the elements on their
 * owners. options->combine can name another operation. options->padding says what happens to padding and
 * ghosts. Pass the same buffer as source and destination.
 *
 * Sums are the same to the last bit in every run.
 *
 * Along a replicated axis each copy is updated separately. If only DAP_TRANSPORT_DIRECT is allowed, all
 * arrays must be shared. bridge/docs/moving.md, "Adding up", has the order of the sums.
 *
 * Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param side      the array, with a dtype
 * @param itemsize  bytes of an element; 0 means the size of side->dtype
 * @param options   NULL for the defaults; the same on every process. message_bytes, memory_bytes, transports,
 *                  allow_empty, arrays, combine and padding are used.
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, memory_bytes is too small, or there is
 *    nothing to add on several processes (see options->allow_empty)
 *  - DAP_ERR_BUFFER: elements overlap, the array is read-only, or side->local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: none of options->transports connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_halo()
 */
DAP_API dap_status dap_plan_create_halo_reverse(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                                const dap_plan_options *options, dap_plan **plan,
                                                dap_error *err);

/**
 * Creates a plan that gathers all owned elements on one process.
 *
 * A run puts them in a contiguous C-order buffer of the whole array on `root`. Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param from      source
 * @param root      rank in `comm` that receives the array; the same on every process
 * @param itemsize  bytes of an element; 0 means the size of from->dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, options contradict each other,
 *    memory_bytes is too small, or `comm` is an intercommunicator
 *  - DAP_ERR_BUFFER: from->local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: none of options->transports connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_scatter()
 */
DAP_API dap_status dap_plan_create_gather(MPI_Comm comm, const dap_side *from, int root, int64_t itemsize,
                                          const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan that scatters an array from one process.
 *
 * A run reads a contiguous C-order buffer of the whole array on `root`. Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param root      rank in `comm` that has the array; the same on every process
 * @param to        destination
 * @param itemsize  bytes of an element; 0 means the size of to->dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, options contradict each other,
 *    memory_bytes is too small, or `comm` is an intercommunicator
 *  - DAP_ERR_BUFFER: elements of the destination overlap, it is read-only, or to->local is not this process's
 *    part
 *  - DAP_ERR_UNSUPPORTED: none of options->transports connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_gather()
 */
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Starts a run: packs and sends as much as possible without waiting.
 *
 * Until dap_plan_end() returns, the source must not change and the destination must not be accessed. A plan
 * cannot be begun again before that. Several plans can be active together, if all processes begin and end
 * them in the same order. No memory is allocated.
 *
 * The buffers must not overlap, except that both may be the same buffer, as in a halo update. Overlaps of
 * parts within one buffer are not checked. If both are the same buffer, both sides must have the same layout,
 * strides and type, and nothing may be scaled or conjugated. Padding and listed copies are then refreshed.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves one array
 * @param from  element (0, ..., 0) of this process's source; NULL if it has no elements
 * @param to    element (0, ..., 0) of this process's destination; NULL if it has no elements
 * @param err   receives the text of an error; may be NULL
 * @return the status of this process only. dap_plan_end() reports buffers that are NULL or overlap, and
 *         failures of MPI.
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has been begun already, or moves several arrays; nothing happens
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run(), dap_plan_begin_many()
 */
DAP_API dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Starts a run of a plan of several arrays.
 *
 * Until dap_plan_end() returns, the sources must not change and the destinations must not be accessed. All
 * elements for one process are sent in one message, if they fit in options.message_bytes. Otherwise the
 * arrays are sent one after the other, each split into messages as if it were the only one. Elements go
 * directly from process to process if all buffers of the sender, or all of the receiver, are in memory that
 * both see.
 *
 * Message buffers have the length of such messages, within options.memory_bytes. bridge/docs/moving.md,
 * "Several arrays at once", says how much memory each further array needs.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves options.arrays arrays, or one
 * @param from  [arrays] element (0, ..., 0) of each source; NULL if this process has no elements. The list
 *              may be freed after the call.
 * @param to    [arrays] element (0, ..., 0) of each destination; NULL if this process has no elements. The
 *              list may be freed after the call.
 * @param err   receives the text of an error; may be NULL
 * @return the status of this process only. dap_plan_end() reports failures of MPI, and buffers that are NULL
 *         or overlap, including those of different arrays. If very many buffers are interleaved in memory,
 *         some are not compared.
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has been begun already; nothing happens
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run_many(), dap_plan_end()
 */
DAP_API dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[],
                                       dap_error *err);

/**
 * Completes a run: all elements of this process are in place, and the plan can be run again.
 *
 * A process waits only for processes that it exchanges elements with. DAP_OK does not say that other
 * processes have their elements. An error never leaves others waiting, and no source is changed. After an
 * error destinations are unspecified.
 *
 * A plan is broken after DAP_ERR_LIBRARY. All processes must still take part in the next run, in which
 * processes that wait for this one return DAP_ERR_LIBRARY, too. Alternatively, they can agree on
 * dap_plan_is_broken(). Then destroy the plan.
 *
 * See bridge/docs/reliability.md, "Runs of plans".
 *
 * Collective on the plan's communicator.
 *
 * @param plan  has been begun
 * @param err   receives the text of an error, and the lowest rank at fault that this process knows; may be
 *              NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has not been begun. Only this process returns the error.
 *  - DAP_ERR_ARG: a buffer is NULL or overlaps, or is not shared although only DAP_TRANSPORT_DIRECT is
 *    allowed. The process with this buffer and all processes that receive from it return the error. A process
 *    that only sends elements to the process with this buffer, or exchanges elements with it in a later
 *    pass, may also return the error. The plan can be run again.
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer (dap_wait_limit())
 */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/**
 * Runs a plan: dap_plan_begin() and dap_plan_end() in one.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves one array
 * @param from  element (0, ..., 0) of this process's source; NULL if it has no elements. It must not overlap
 *              `to`, but may be the same buffer, see dap_plan_begin().
 * @param to    element (0, ..., 0) of this process's destination; NULL if it has no elements
 * @param err   receives rank and text of an error; may be NULL
 * @return the status of this process:
 *  - DAP_OK: this process has all its elements
 *  - DAP_ERR_ARG: the plan has been begun already or moves several arrays, or a buffer is at fault, on this
 *    process or on one that it exchanges elements with. The plan can be run again.
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer. The plan is broken, see dap_plan_end().
 */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Runs a plan of several arrays: dap_plan_begin_many() and dap_plan_end() in one.
 *
 *     const dap_plan_options options = {.arrays = 3};
 *     dap_plan_create_halo(comm, &side, 0, &options, &plan, &err);
 *     dap_plan_run_many(plan, (const void *[]){u, v, w}, (void *[]){u, v, w}, &err);
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves options.arrays arrays, or one
 * @param from  [arrays] element (0, ..., 0) of each source; NULL if this process has no elements
 * @param to    [arrays] element (0, ..., 0) of each destination; NULL if this process has no elements
 * @param err   receives rank and text of an error; may be NULL
 * @return the status of this process:
 *  - DAP_OK: this process has all its elements
 *  - DAP_ERR_ARG: the plan has been begun already, or a buffer is at fault, on this process or on one that it
 *    exchanges elements with. The plan can be run again.
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer. The plan is broken, see dap_plan_end().
 */
DAP_API dap_status dap_plan_run_many(dap_plan *plan, const void *const from[], void *const to[],
                                     dap_error *err);

/**
 * Returns whether a run of the plan has failed, as far as this process knows.
 *
 * A broken plan can only be destroyed. Processes on which the run failed know this at once. Processes that
 * wait for one of them know it after the next run. Other processes may never learn of it. Before it makes
 * a new plan, a program must agree on the result of this function between its processes. Not collective.
 *
 * @param plan  any pointer
 * @return true if the plan is broken, or is not a plan
 */
DAP_API bool dap_plan_is_broken(const dap_plan *plan);

/**
 * Frees a plan.
 *
 * Every process must call it, for its plans in any order. It waits for other processes in two cases only. It
 * ends a run that has been begun, and it receives matched messages of a broken plan. The function may be
 * called after the communicator has been freed, and after MPI_Finalize.
 *
 * @param plan  is set to NULL; may be NULL or point to NULL
 */
DAP_API void dap_plan_destroy(dap_plan **plan);

/**
 * Checks that all copies of each element have the same bytes as the owner's.
 *
 * The function compares copies on 'u' axes with duplicates and along replicated axes. An array without
 * duplicates passes. Use the function in programs that write all copies. Other functions do not detect copies
 * that differ. They read an element from its owner, or from any copy if it is replicated. Collective on
 * `comm`.
 *
 * @param comm   its processes are the layout's
 * @param array  layout of the whole, the same on every process, and this process's part
 * @param err    receives rank and text of an error, with the first element that differs; may be NULL
 * @return the same status on every process:
 *  - DAP_OK: all copies are equal
 *  - DAP_ERR_ARG: an argument is NULL, layouts differ between processes, or `comm` has another size
 *  - DAP_ERR_BUFFER: copies differ, or array.local does not match the layout
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_replicas_check(MPI_Comm comm, dap_darray array, dap_error *err);

/* ---- information about plans ---------------------------------------------------------------------- */

/**
 * Finds an order of the destination's processes for which few elements move to another process.
 *
 * The function considers a move of all elements to the same indices. For up to 256 processes the order is
 * optimal, because the assignment problem is solved exactly. For more processes the function uses a greedy
 * matching, largest communication volume first, in about linear time. The result moves nothing if that is
 * possible, and never more than the order ranks[i] = i. Not collective; the result is the same on every
 * process.
 *
 * @param from    layout of the source
 * @param to      layout of the destination
 * @param ranks   [nprocs of to] receives the rank of process i of `to`, for dap_side.ranks. These are the
 *                ranks of `from`, and higher ones if `to` has more processes.
 * @param before  receives the number of elements that would move to another process if ranks[i] were i; may
 *                be NULL
 * @param after   receives the number of elements that move with the new ranks; may be NULL
 * @param err     receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or shapes differ
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_RANGE: the processes hold more than 2^63 - 1 elements
 *  - DAP_ERR_NOMEM
 * @see dap_plan_volumes(), dap_layout_reorder()
 */
DAP_API dap_status dap_plan_relabel(const dap_layout *from, const dap_layout *to, int ranks[],
                                    int64_t *before, int64_t *after, dap_error *err);

/**
 * Computes the communication matrix of a move of all elements to the same indices.
 *
 * On a 'u' axis an element comes from its owner and goes to all processes that list it. Along a replicated
 * axis an element comes from the copy that the reader holds, or from the first copy if the reader holds none.
 * A plan, which knows the nodes, reads the nearest copy. Each addend of a partial source counts. Padding that
 * a plan can fill does not count.
 *
 * Time and memory grow with the entries of the matrix. Along each axis they grow with the runs of the side
 * that has fewer runs. Not collective.
 *
 * @param from      layout of the source
 * @param to        layout of the destination
 * @param elements  [nprocs of from][nprocs of to] receives the number of elements that process q of `to`
 *                  receives from process p of `from`
 * @param err       receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or shapes differ
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_RANGE: the processes hold more than 2^63 - 1 elements
 *  - DAP_ERR_NOMEM
 * @see dap_plan_relabel()
 */
DAP_API dap_status dap_plan_volumes(const dap_layout *from, const dap_layout *to, int64_t elements[],
                                    dap_error *err);

/** Statistics of one run of a plan on this process, for all arrays. Bytes moved are counted in the source's
 * type.
 */
typedef struct dap_plan_stats {
  int64_t bytes_local;       /**< bytes copied from source to destination on this process */
  int64_t bytes_sent;        /**< bytes sent to others by any transport, including bytes_handed_on */
  int64_t bytes_received;    /**< bytes received from others, including those to be handed on */
  int64_t messages_sent;     /**< messages sent or slots filled; direct copies do not count */
  int64_t messages_received; /**< messages received or slots read; direct copies do not count */
  int64_t rounds;            /**< largest number of messages to or from any one process */
  int64_t bytes_buffer;      /**< bytes of message buffers and of this process's part of the node's slots */
  int64_t bytes_plan;        /**< bytes of all other memory of the plan */
  int64_t bytes_handed_on;   /**< part of bytes_sent that another process sent here first, in two phases */
  int64_t phases;            /**< 2 if elements pass through a third process (bridge/docs/model.md); else 1 */
} dap_plan_stats;

/**
 * Estimates the statistics of a plan on one process, without MPI and without creating the plan.
 *
 * The function assumes that no two processes share a node. Bytes moved are exact, unless the real plan reads
 * other copies of replicated elements because of its nodes. Messages and buffers are computed as if all
 * processes were like this one.
 *
 * The number of phases, and with 'u' axes the bytes handed on, are estimates: see bridge/docs/model.md,
 * "Messages in two phases". Not collective.
 *
 * @param nprocs    processes of the communicator
 * @param rank      the process
 * @param from, to  source and destination, with the strides of `rank`. Both need a layout.
 * @param itemsize  bytes of an element; 0 means the size of the sides' dtype
 * @param options   NULL for the defaults
 * @param stats     receives the statistics; zeroed on error
 * @param err       receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid, options contradict each other, a lossy cast was not allowed, or
 *    memory_bytes is too small
 *  - DAP_ERR_BUFFER: elements of the destination overlap
 *  - DAP_ERR_UNSUPPORTED: two processes need messages, which options->transports excludes, or the parts make
 *    more than DAP_MAX_NDIM axes
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM
 * @see dap_plan_summarize()
 */
DAP_API dap_status dap_plan_preview(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                    int64_t itemsize, const dap_plan_options *options, dap_plan_stats *stats,
                                    dap_error *err);

/**
 * Returns this process's statistics of one run of a plan (bytes, messages, memory).
 *
 * Not collective.
 *
 * @param plan  the plan
 * @return the statistics; zeros for a pointer that is not a plan
 * @see dap_plan_preview()
 */
DAP_API dap_plan_stats dap_plan_summarize(const dap_plan *plan);

/**
 * Writes a description of this process's plan: which elements it moves, how, and why.
 *
 * Like snprintf(), it writes at most `capacity` bytes with a closing NUL. (NULL, 0) only finds the length.
 * Not collective.
 *
 * @param plan      the plan; for a pointer that is not a plan the text says why not
 * @param text      receives the description; NULL if `capacity` is 0
 * @param capacity  bytes of `text`
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_plan_describe(const dap_plan *plan, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
