/* dapbridge/plan.h: moving the elements of arrays from one layout to another.
 *
 * A plan is created once and run many times, on any buffers with the layouts, strides and types that it was
 * made for, or on those of several arrays at once. Redistribution, transposition of storage, gather, scatter,
 * halo updates and all copies that adapters make are plans.
 *
 * Collective functions on a communicator, and the begins and ends of its plans, must come in the same order
 * on all its processes. Threads may work concurrently on different communicators (MPI_THREAD_MULTIPLE).
 * Every function returns DAP_ERR_ARG for a plan that is NULL or, as far as that can be detected,
 * destroyed. */
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

typedef struct dap_plan dap_plan;

/* The source or the destination of a plan. The plan retains the layout and copies the arrays. */
typedef struct dap_side {
  /* The same on every process that holds a part. May be NULL on others, which get it from the lowest rank
   * that has it. */
  const dap_layout *layout;
  /* [nprocs of layout] the rank in the plan's communicator of process i of the layout; the same on every
   * process that has the layout, no rank twice. NULL: rank i. Over an intercommunicator: in the group that
   * has the side. */
  const int *ranks;
  const int64_t *strides; /* [ndim] of this process's buffer, in bytes; NULL if it is contiguous */
  /* This process's buffer is contiguous in C order; padded arrays made by dap_array_alloc() need not be.
   * A process with a part of a layout that has axes gives either this or strides. */
  bool contiguous;
  dap_dtype dtype; /* of the elements; DAP_NONE: opaque elements of the plan's itemsize */
  bool swapped;    /* this process's elements are in the opposite byte order; needs dtypes on both sides */
  dap_part part;   /* the elements to move, the same on every process; zeroed: all */
  /* This process's array. A plan is not created unless its extents and its dictionaries are those of this
   * process's part, as dap_array_match() checks them. NULL: not checked. Ignored on processes without a part
   * and by dap_plan_preview(). */
  const dap_array *local;
} dap_side;

/* The side for an array: its layout, strides, element type and byte order, on ranks 0, 1, ..., all of its
 * elements, with `local` to be checked. On a process without a part array.local may be NULL; dtype is then
 * DAP_NONE and must be set. The side points into *array.local, which must exist until the plan has been
 * created. Not collective. */
DAP_API dap_side dap_side_of(dap_darray array);

/* How elements get from one process to another, by the names used in dap_plan_describe(). Elements that
 * stay on a process are always copied directly. */
typedef enum dap_transport {
  /* Same node, one of the two buffers made by dap_array_alloc() (shared.h): one copy. If only this
   * transport is allowed, all sources or all destinations of a run must be such buffers. */
  DAP_TRANSPORT_DIRECT = 1,
  /* Same node: through slots in memory shared by the node. */
  DAP_TRANSPORT_STAGED = 2,
  /* Any two processes: MPI messages, packed in the order of the destination. */
  DAP_TRANSPORT_MESSAGES = 4
  /* 8 is reserved: it was DAP_TRANSPORT_FETCHED until version 0.2. */
} dap_transport;

/* What becomes of the values that several processes have for one element. */
typedef enum dap_combine {
  DAP_COMBINE_NONE = 0, /* the owner's value is the element's */
  DAP_COMBINE_SUM,
  DAP_COMBINE_MAX, /* of real elements; NaN if one is */
  DAP_COMBINE_MIN
} dap_combine;

/* What becomes of padding and ghosts whose values have been combined with their owners'. */
typedef enum dap_padding {
  DAP_PADDING_KEEP = 0,
  DAP_PADDING_CLEAR,  /* all bytes 0 */
  DAP_PADDING_REFRESH /* the owners' new values, by a second pass, which has half of memory_bytes */
} dap_padding;

/* NULL or zeroed: the defaults. The same on every process. With alpha or beta the plan computes destination
 * = alpha * op(source) + beta * destination, where op is the conjugation; they and `conjugate` need dtypes
 * on both sides, and imaginary parts other than 0 need complex elements. */
typedef struct dap_plan_options {
  bool fill_halos; /* also fill the destination's communication padding, with the owners' values */
  /* Size of the longest message or slot, at most 2^31 - 1; 0: 512 KiB, of slots a quarter of the second-level
   * cache, the smallest of all processes. */
  int64_t message_bytes;
  int64_t memory_bytes; /* limit of the memory for messages and slots on each process; 0: 64 MiB */
  unsigned transports;  /* dap_transport bits that may be used; 0: all */
  bool conjugate;       /* conjugate complex elements */
  bool from_owners;     /* read replicated elements from their owner, not from the nearest copy */
  bool lossy;           /* allow a lossy cast, see dap_dtype_holds() */
  bool allow_empty;     /* allow a halo update of an array (whatever its part) without padding and ghosts */
  const double *alpha;  /* [2] real and imaginary part; NULL: 1 */
  /* [2] NULL: 0, and the destination is not read. Copies on 'u' axes, and padding that is filled, get the
   * owner's result in a second pass, which has half of memory_bytes; with DAP_TRANSPORT_DIRECT alone that
   * pass needs all destinations to be shared. */
  const double *beta;
  dap_combine combine; /* needs dtypes on both sides; DAP_COMBINE_MAX and _MIN exclude alpha and beta */
  dap_padding padding; /* of dap_plan_create_halo_reverse() */
  /* That a run moves together, at most 2^31 - 1, all with the plan's sides; 0: one. See
   * dap_plan_begin_many(). */
  int64_t arrays;
} dap_plan_options;

/* Elements that several processes hold. On a 'u' axis an element is read from its owner and written to all
 * that list it; along a replicated axis it is read from the nearest: the reader itself, else a process on
 * its node, else any. Copies are expected to be equal. Where they may differ, options.from_owners makes all
 * processes read the owner's copy, which is that at coordinate 0, so that they get the same elements. With
 * options.combine the values of all holders are combined, the owner's first, then the others' by their
 * ranks, each converted and times alpha. If the source is partial, its addends are so combined
 * (DAP_COMBINE_NONE: added up), one that several have by the rank of its first copy, whichever is read; and
 * nothing else is. Of what is replicated or partial as little is moved as can be: to each process that
 * wants an element and has it not, once; of addends each once to where they are added up. (Not with beta,
 * nor where addends are added up for an array with ghosts or padding to be filled: then copies get them
 * from the owner.) Second and later passes are in place on the destination, in its type; with
 * DAP_TRANSPORT_DIRECT alone they need all destinations to be shared. */

/* Two groups: dap_plan_create() over an intercommunicator, of programs coupled by MPI_Comm_connect() or
 * MPI_Comm_spawn(), or of parts of one. The group that holds the source passes `from`, the other group `to`,
 * and each NULL, or a side without a layout, for what the other one has. Who brings what is the group's for
 * each plan, so that plans in both directions are possible. Each plan gives the layouts to the other group,
 * which takes two reductions and a broadcast of each more. All else is as on other communicators, and equal
 * in both groups. When running, the sending group passes to = NULL, the receiving from = NULL.
 * Texts of errors name a process by its rank in its group and that by what it does ("rank 1 of the sending
 * group"; "of a group of 3" where that is not known yet). The errors of dap_wait_limit() say "of this group"
 * or "of the other group". err->rank is that rank. More errors: DAP_ERR_ARG
 * (both groups bring one side, or one group both), DAP_ERR_UNSUPPORTED (the programs have releases of the
 * library that cannot be coupled; both are named). */

/* Creates a plan that moves elements of `itemsize` bytes (0: the size of the sides' dtype) from the buffers
 * of `from` to those of `to`. Axis j of from.part becomes axis j of to.part, so both need the same number
 * of axes and the same extents; parts select sub-arrays, permutations and sections, and unlike in
 * dap_layout_part() any range of any axis is possible. Different dtypes are converted. Elements outside
 * to.part are not changed. Each layout may be on a subset of `comm`: one of one process makes a gather or a
 * scatter.
 * Collective on `comm`. The first plan on `comm` duplicates it and discovers its nodes; later ones cost two
 * short reductions, and some more for later passes and 'u' axes. The caller owns *plan. Memory per process:
 * proportional to the sum of the numbers of runs of the axes (of cyclic ones in a period) and to the number
 * of peers (but where addends are added up on copies of several blocks and none has one, to the blocks of the
 * source times the copies), plus buffers within options.memory_bytes; see dap_plan_summarize(). Large moves
 * are made in rounds.
 * Errors, the same on every process: DAP_ERR_ARG (NULL; a layout that no process has; itemsize < 1 or not
 * the dtype's; a side with neither strides nor contiguous, or with both; parts out of range or of different
 * shapes; ranks outside `comm` or twice; layouts or options that differ between processes; memory_bytes too
 * small for one element per peer, in halo updates and sums per peer and axis with padding or ghosts, in
 * sums of padding that wraps round on one or two processes for some more, and in each pass; swapped, alpha,
 * beta, conjugate, combine or a partial source without dtypes; a partial destination; the largest or
 * smallest of complex elements, or with alpha or beta; from_owners with combine, unless the source is
 * partial; a lossy cast without options.lossy; an assembled layout with 'u' axes on other ranks than those
 * that assembled it), DAP_ERR_BUFFER (elements of the destination overlap; side.local is not this process's
 * part: it was made for another rank, or has other extents; that of the destination is read-only),
 * DAP_ERR_UNSUPPORTED (none of options.transports connects two processes; more than DAP_MAX_NDIM axes, with
 * those that the parts add or leave out), DAP_ERR_RANGE (buffers of more than 2^63 - 1 bytes),
 * DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error *plan is NULL. */
DAP_API dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Creates a plan for the halo update of an array: its communication padding, corners included, the ghosts of
 * its 'u' axes and its copies along replicated axes get the owners' values (of such copies the first is the
 * owner), in place. Run it with the same buffer as source and destination.
 * Collective on `comm`; arguments and errors as above, and DAP_ERR_ARG for an array on several processes that
 * has neither padding nor ghosts nor such copies, unless options.allow_empty; of the other options
 * message_bytes, memory_bytes, transports and arrays are used. */
DAP_API dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Creates a plan for the reverse halo update of an array, in place: what is in its communication padding,
 * corners included, and in the ghosts of its 'u' axes is added to the elements that it stands for, on their
 * owners, beside their own values (or options.combine); as finite elements are assembled. Then padding and
 * ghosts become what options.padding says. Along a replicated axis each process has a copy of its own, which
 * is updated on its own: contributions go to the owner in the same copy, and nothing goes from one copy to
 * another. So copies whose contributions were equal stay equal, where the ranks of each are in the same order
 * to the last bit. Values are added in the order of the ranks that have them, the owner's own first, in every
 * run, by every transport and however the axes are cut, so that sums are the same to the last bit. (What one
 * rank has of an element twice, as padding wraps round on few processes, is added in an order of its own.)
 * Run it with the same buffer as source and destination.
 * Collective on `comm`; arguments and errors as for dap_plan_create_halo(), but that copies are nothing to
 * update, and DAP_ERR_ARG for a side without dtype; of the other options message_bytes, memory_bytes,
 * transports, arrays, combine and padding are used.
 * With DAP_TRANSPORT_DIRECT alone all arrays must be shared. */
DAP_API dap_status dap_plan_create_halo_reverse(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                                const dap_plan_options *options, dap_plan **plan,
                                                dap_error *err);

/* Creates a plan that gathers all owned elements on the process `root` of `comm`, in a contiguous C-order
 * buffer of the whole array; and one that scatters such a buffer from `root`. Collective on `comm`;
 * arguments and errors as above, and DAP_ERR_ARG for `root` outside `comm`. */
DAP_API dap_status dap_plan_create_gather(MPI_Comm comm, const dap_side *from, int root, int64_t itemsize,
                                          const dap_plan_options *options, dap_plan **plan, dap_error *err);
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Starts a run: packs and sends as much as possible without waiting, and returns. Collective on the plan's
 * communicator. `from` and `to` point to element (0, ..., 0) of this process's buffers; NULL if it has
 * none. Until dap_plan_end() returns, `from` must not change and `to` must not be accessed. They must not
 * overlap, but may be equal if both sides have the same layout, strides and type, as for a halo update, and
 * nothing is scaled or conjugated; then padding and listed copies are refreshed. (For parts within one buffer
 * this is not checked.) A plan can be begun once at a time; several plans can be active together, begun and
 * ended in the same order on all processes. Nothing is allocated.
 * Errors: DAP_ERR_ARG (the plan has already been begun, or moves several arrays; on that process alone, and
 * nothing happens), DAP_ERR_LIBRARY (MPI is not running). NULL buffers where there are elements, overlaps,
 * and failures of MPI are reported by dap_plan_end(). */
DAP_API dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err);

/* The same for a plan of options.arrays arrays, or of one: from[arrays] and to[arrays] are the buffers of
 * each; a table may be NULL where this process has no elements on that side, and need not outlive the call.
 * What goes to one process is one message as long as it fits options.message_bytes; larger arrays go one
 * after the other, each cut as it would be alone. Message buffers are as long as such messages, within
 * options.memory_bytes; besides them each array takes about 200 bytes of the plan, and 8 more for each
 * process of the node that elements are sent to, and for each that they are received from; in halo updates
 * and sums so many for each axis with padding or ghosts. Elements go directly from or to the memory of
 * another process if all arrays are in memory that both see, on the sending or on the receiving side.
 * Collective; errors as above, and, by dap_plan_end(), DAP_ERR_ARG for a destination that overlaps another
 * array's buffers, as far as that is found: where very many buffers lie interleaved some are not compared. */
DAP_API dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[],
                                       dap_error *err);

/* Completes the run: every element is in place, and the plan can be run again. Collective on the plan's
 * communicator.
 *
 * A process waits only for processes that it exchanges elements with. DAP_OK says that this process has
 * all its elements, not that other processes have theirs. An error never leaves others waiting, and no
 * source is changed. What an unsuccessful run leaves in destinations is unspecified, and others may write to
 * destinations in shared memory until they have ended the run too. If the plan sends messages in two phases
 * (dap_plan_stats.phases is 2), every process waits for all, and all return an error of buffers.
 * Errors:
 * - DAP_ERR_ARG, on this process alone: the plan has not been begun.
 * - DAP_ERR_ARG: buffers are at fault: NULL or overlapping, or not shared while only DAP_TRANSPORT_DIRECT
 *   is allowed. It is returned on that process and on all that receive from it, and names the lowest such
 *   rank that is known here. Processes that only send to it, or that exchange with it in a later pass, may
 *   return it. The plan can be run again.
 * - DAP_ERR_LIBRARY: an MPI error, or a process that has not answered (dap_wait_limit()). The plan is
 *   broken: it moves nothing more on this process. All processes take part in the next run, in which those
 *   that wait for this one return DAP_ERR_LIBRARY too; or they agree by dap_plan_is_broken(). Then destroy
 *   the plan. */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/* dap_plan_begin() or dap_plan_begin_many(), and dap_plan_end(), in one. Collective; errors as theirs. */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);
DAP_API dap_status dap_plan_run_many(dap_plan *plan, const void *const from[], void *const to[],
                                     dap_error *err);

/* True iff a run of the plan has failed on the way, as far as this process knows: it can only be
 * destroyed. Processes on which it failed know at once. Those that wait for one of these know after the
 * next run, and others may not know. True also for what is no plan. A program that keeps plans agrees by
 * it on making a new one. Not collective. */
DAP_API bool dap_plan_is_broken(const dap_plan *plan);

/* Frees the plan and sets it to NULL. Every process calls it, in any order among its plans; it does not
 * wait for others, except to end a plan that has been begun, and, of one that is broken, to receive messages
 * that have been matched. It may be called after `comm` has been freed, and after MPI_Finalize. Accepts NULL
 * and a pointer to NULL. */
DAP_API void dap_plan_destroy(dap_plan **plan);

/* Checks that all copies of elements of a 'u' axis with duplicates, or a replicated one, have the same bytes
 * as on their owner. An array without duplicates passes. For programs that write all copies: elements are
 * read from their owners, or replicated ones from any, so copies that differ go unnoticed elsewhere.
 * Collective on `comm`, whose processes must be the layout's.
 * Errors, the same on every process: DAP_ERR_BUFFER (naming the first element that differs; or extents that
 * are not the layout's), DAP_ERR_ARG (NULL, different layouts, a communicator of another size),
 * DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY. */
DAP_API dap_status dap_replicas_check(MPI_Comm comm, dap_darray array, dap_error *err);

/* ---- information about plans ---------------------------------------------------------------------- */

/* Finds an order of the destination's processes with which few elements change process, for a move of all
 * elements to the same indices. Sets ranks[nprocs of to], for dap_side.ranks of the destination: ranks[i]
 * is the rank of process i of `to`, among the ranks of `from` and, if `to` has more processes, those that
 * follow. *before and *after (may be NULL) are the numbers of elements that change process with ranks[i] =
 * i and with these ranks. For up to 256 processes the order is optimal (an assignment problem, solved
 * exactly). For more it is a greedy matching, largest communication volume first, in about linear time: it
 * moves nothing if that is possible, and never more than ranks[i] = i. Not collective; the result is the
 * same on every process.
 * Errors: DAP_ERR_ARG (NULL, different shapes), DAP_ERR_REMOTE (a 'u' axis not known here), DAP_ERR_RANGE
 * (more than 2^63 - 1 copies of elements on 'u' axes), DAP_ERR_NOMEM. */
DAP_API dap_status dap_plan_relabel(const dap_layout *from, const dap_layout *to, int ranks[],
                                    int64_t *before, int64_t *after, dap_error *err);

/* The communication matrix of a move of all elements to the same indices: sets elements[p][q], [nprocs of
 * from][nprocs of to], to the number of elements that process q of `to` gets from process p of `from`. Of 'u'
 * axes an element comes from its owner and goes to all that list it; of replicated ones it comes from the
 * reader's own copy, else from the first, where a plan takes the nearest by its nodes; of a partial source
 * each addend counts. Padding that a plan can fill does not. Time and memory grow with the entries of the
 * matrix, and along each axis with the runs of the side that has fewer. Not collective.
 * Errors: DAP_ERR_ARG (NULL, different shapes), DAP_ERR_REMOTE (a 'u' axis not known here), DAP_ERR_RANGE
 * (more than 2^63 - 1 copies of elements), DAP_ERR_NOMEM. */
DAP_API dap_status dap_plan_volumes(const dap_layout *from, const dap_layout *to, int64_t elements[],
                                    dap_error *err);

/* What one run of a plan does on this process, for all arrays. Bytes moved are counted in the source's
 * type. */
typedef struct dap_plan_stats {
  int64_t bytes_local;       /* copied from source to destination on this process */
  int64_t bytes_sent;        /* to other processes, by any transport, with those that are handed on */
  int64_t bytes_received;    /* from other processes, with those to be handed on */
  int64_t messages_sent;     /* messages sent or slots filled; none where a run is direct */
  int64_t messages_received; /* messages received or slots read; none where a run is direct */
  int64_t rounds;            /* largest number of messages to or from any one process */
  int64_t bytes_buffer;      /* extra memory: message buffers and this process's part of the node's slots */
  int64_t bytes_plan;        /* all other memory of the plan */
  int64_t bytes_handed_on;   /* of bytes_sent: from a process to another, in the second of two phases */
  int64_t phases;            /* 2 if some pass has two, by way of a process between (docs/model.md), else 1 */
} dap_plan_stats;

/* Estimates, without MPI and without creating a plan, what dap_plan_create() with the same arguments would
 * give on rank `rank` of a communicator of `nprocs` processes, each on a node of its own. Bytes moved are
 * exact, but for who sends what is replicated, which nodes decide; messages and buffers are computed as if
 * all processes were like this one. Whether there are two phases is chosen from
 * what this process and the first, the middle and the last of both sides would send and receive, among
 * which the most is, unless blocks are uneven. What is handed on in the second is exact, but of 'u' axes it
 * is what this process has to send. Strides and options are those of `rank`, and both layouts must be given.
 * Not collective. Errors: those of dap_plan_create(); DAP_ERR_REMOTE (a 'u' axis not known here). */
DAP_API dap_status dap_plan_preview(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                    int64_t itemsize, const dap_plan_options *options, dap_plan_stats *stats,
                                    dap_error *err);

/* The figures of a plan on this process; zeros for a plan that dap_plan_run() would reject. Not
 * collective. */
DAP_API dap_plan_stats dap_plan_summarize(const dap_plan *plan);

/* Writes a description of this process's plan, or why it is not a valid one; as dap_layout_describe().
 * Not collective. */
DAP_API size_t dap_plan_describe(const dap_plan *plan, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
