/* dapbridge/plan.h: moving the elements of one layout's buffers to another's.
 *
 * Threads may work at the same time on different communicators (MPI_THREAD_MULTIPLE). Collective functions on
 * one communicator, and the begins and ends of its plans, come in the same order on all its processes.
 *
 * A plan is thought out once and run many times, on any buffers of the form it was made for.
 * Redistribution, transposition of storage, gather to and scatter from one process, replication of
 * ghost points and every copy an adapter makes are plans. */
#ifndef DAPBRIDGE_PLAN_H
#define DAPBRIDGE_PLAN_H

#include <dapbridge/comm.h>
#include <dapbridge/layout.h>
#include <dapbridge/part.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dap_plan dap_plan;

/* One end of a plan: a layout, who holds it, and the form of this process's buffer. */
typedef struct dap_side {
  const dap_layout *layout; /* the same on every process that holds a part; NULL on others: they are told by
                               the lowest rank that has it. Retained by the plan */
  const int *ranks;         /* [nprocs of layout] which rank of the plan's communicator is process i of the
                               layout; the same on every process that has the layout, no rank twice; NULL: rank i.
                               Copied */
  const int64_t *strides;   /* [ndim] bytes, this process's own; NULL: C order, contiguous (which arrays of
                               dap_array_alloc() are not). Copied */
  dap_dtype dtype;          /* of the elements; DAP_NONE: opaque elements of the plan's itemsize */
  bool swapped;  /* this process's elements are in the other byte order; needs dtypes on both sides */
  dap_part part; /* the elements that take part, the same on every process; zeroed: all */
} dap_side;

/* The side that this array is: its layout, strides, element type and byte order, by processes 0, 1, ..., in whole.
 * `local` may be NULL on a process that holds no part; its dtype is then DAP_NONE and to be set. What `local` points
 * at must last until the plan is made. Not collective. */
DAP_API dap_side dap_side_of(dap_darray array);

/* Ways from one process to another, by the names that dap_plan_describe() gives them. The part that stays on a
 * process is always copied directly. */
typedef enum dap_transport {
  DAP_TRANSPORT_DIRECT =
      1, /* same node, and one of the two buffers is dap_array_alloc()'s (shared.h): one copy.
                                Allowed alone, all sources or all destinations of a run must be */
  DAP_TRANSPORT_STAGED = 2,   /* same node: through slots in memory shared by the node */
  DAP_TRANSPORT_MESSAGES = 4, /* any two processes: MPI messages, packed in the destination's order */
  DAP_TRANSPORT_FETCHED =
      8 /* same node, in place of DAP_TRANSPORT_STAGED, which must be allowed too: what lies in few
                               long stretches in both buffers the receiver reads from the sender's memory, where the
                               operating system lets it: one copy. Linux */
} dap_transport;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_plan_options {
  bool fill_halos;       /* also fill the destination's communication padding with the owners' values */
  int64_t message_bytes; /* longest single message or slot; 0: 512 KiB. At most 2^31 - 1 */
  int64_t memory_bytes;  /* most that the buffers between processes may take on any process; 0: 64 MiB */
  unsigned transports;   /* dap_transport bits that may be used; 0: all */
  bool conjugate;        /* of complex elements */
  bool lossy; /* allow a cast that can lose something: see dap_dtype_holds(), and there what becomes of it */
  const double *alpha; /* [2] real, imaginary; NULL: 1. destination = alpha * op(source) + beta * destination;
                            with dtypes on both sides, and imaginary parts for complex elements only */
  const double *beta;  /* [2] NULL: 0, and the destination is not read. Copies on 'u' axes, and padding if
                            filled, get their owner's sum, in a second pass, which has half of memory_bytes; of
                            transports DAP_TRANSPORT_DIRECT alone needs all destinations for it */
} dap_plan_options;

/* Plans the move of elements of `itemsize` bytes (0: as the sides' dtypes say), from the buffers of `from` to those
 * of `to`: axis j of from.part goes to axis j of to.part, so both must have as many axes, of the same extents. Parts make
 * sub-arrays, permutations and sections of it; unlike dap_layout_part() any range of any axis will do. What lies outside
 * stays as it is. An element that several processes hold (a 'u' axis) is read from its
 * owner and written to all. Where dtypes differ elements are converted.
 * Collective on `comm`; the first plan there duplicates it and finds out about its nodes, later ones cost two
 * short reductions. Each layout may live on any part of `comm`'s processes: with a one-process layout as `to` the
 * plan is a gather, as `from` a scatter. The caller owns *plan.
 * Memory: per process, the runs of each axis (their sum, not their product), what a message needs for each
 * peer, and buffers within options.memory_bytes for the elements that cross processes, in which large moves are
 * done in rounds; dap_plan_summarize() tells. Time: the runs of each axis.
 * Errors, the same on every process: DAP_ERR_ARG (NULL, a layout that no process knows, itemsize < 1 or other
 * than the dtype's, parts outside or of other shapes, swapped without dtypes, ranks outside `comm`
 * or twice, layouts or options that differ between processes, a memory cap that not even one element a peer
 * fits, alpha, beta or conjugate without dtypes, a lossy cast without leave, a layout with 'u' axes that this
 * process assembled in another one's place), DAP_ERR_BUFFER (elements of the destination at one place), DAP_ERR_UNSUPPORTED
 * (none of options.transports joins two processes), DAP_ERR_RANGE (a local buffer exceeds 2^63 - 1 bytes),
 * DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error *plan is NULL. */
DAP_API dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Plans the halo update of one padded array: its communication padding, corners included, is filled
 * with the owners' values, in place. Run it with the same buffer as source and destination. Collective
 * on `comm`; `side` as above; of the options only message_bytes, memory_bytes and transports count. Errors as above. An
 * array without halos gives a plan that does nothing. */
DAP_API dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Plans the gather of all owned elements to the process `root` of `comm`, whose destination is one C-order
 * contiguous buffer of the whole array; and the scatter from such a buffer on `root` to all. Collective
 * on `comm`; sides, options and errors as above; `root` outside `comm` is DAP_ERR_ARG. */
DAP_API dap_status dap_plan_create_gather(MPI_Comm comm, const dap_side *from, int root, int64_t itemsize,
                                          const dap_plan_options *options, dap_plan **plan, dap_error *err);
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Starts moving: says where this process's buffers are, packs and posts what can be, and returns. Collective on the
 * plan's communicator. `from` and `to` point at element (0, ..., 0) of this process's buffers; NULL where it holds
 * no elements. Until dap_plan_end() returns, `from` must not change and `to` must not be touched, and they must
 * not overlap (a halo plan's are equal, and may be where both sides have one form, so that copies and padding are renewed;
 * where parts move within one buffer this is not checked). One plan can be
 * under way once at a time, several plans at the same time, begun and ended in orders that are the same everywhere. Nothing is allocated.
 * Errors: DAP_ERR_ARG (a NULL plan, or one already begun: on that process alone, and nothing
 * happens), DAP_ERR_LIBRARY. A NULL buffer where there are elements, and buffers that overlap, are reported by
 * dap_plan_end(). */
DAP_API dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err);

/* Does the rest and waits for the other processes. Collective on the plan's communicator. Afterwards every
 * element is in place and the plan can begin again.
 * Errors: DAP_ERR_ARG (a NULL plan, or not begun: on that process alone; a NULL buffer given to begin, overlapping
 * ones, or buffers that are not shared where only DAP_TRANSPORT_DIRECT is allowed: on every process, and no destination was written),
 * DAP_ERR_LIBRARY (MPI's; memory of another process that DAP_TRANSPORT_FETCHED could not read: on that process alone, and
 * the plan can begin again). */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/* dap_plan_begin() and dap_plan_end() in one. Collective; errors as theirs. */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);

/* Frees the plan and sets it to NULL. Every process does so, in any order among its plans; only a plan that
 * was begun is waited for, since it is ended first. May come after `comm` is freed, and after MPI_Finalize.
 * Accepts NULL and a pointer to NULL. Every function refuses a plan that was destroyed, or none at all, with
 * DAP_ERR_ARG, as far as can be seen of memory that is not the library's any more. */
DAP_API void dap_plan_destroy(dap_plan **plan);

/* Checks that all holders of an element of a 'u' axis with duplicates hold the same bytes as its owner.
 * Collective on `comm`, as dap_layout_assemble().
 * Errors, the same on every process: DAP_ERR_BUFFER naming the first element that differs, or for extents that
 * are not the layout's; DAP_ERR_ARG (a NULL, layouts that differ, a communicator of another size), DAP_ERR_RANGE,
 * DAP_ERR_NOMEM, DAP_ERR_LIBRARY. An array without duplicates passes. */
DAP_API dap_status dap_replicas_check(MPI_Comm comm, dap_darray array, dap_error *err);

/* ---- before a plan is made ------------------------------------------------------------------------ */

/* The order of the destination's processes that moves least, when all elements of the one go to the same indices of the
 * other. (Rank r is then the process i of `to` for which ranks[i] is r.) Sets ranks[nprocs of to], for dap_side.ranks of the
 * destination: of the ranks that `from` runs on and, where `to` has more processes, those that follow, which one
 * is process i of `to`. *before and *after (may be NULL) are the elements that change process with ranks i and
 * with these. Least of all orders for up to 256 processes (an assignment problem, solved exactly); beyond, a
 * greedy matching, largest communication volume first, in time that grows about with the number of processes: nothing
 * moves where an order exists that needs no move, and never more than in the given order. Not collective; gives the same on every process.
 * Errors: DAP_ERR_ARG (NULL, shapes that differ), DAP_ERR_REMOTE (a 'u' axis not known here), DAP_ERR_RANGE (copies on 'u'
 * axes are more than 2^63 - 1 elements), DAP_ERR_NOMEM. */
DAP_API dap_status dap_plan_relabel(const dap_layout *from, const dap_layout *to, int ranks[],
                                    int64_t *before, int64_t *after, dap_error *err);

/* What one run of the plan does on this process. Bytes are the source's. */
typedef struct dap_plan_stats {
  int64_t bytes_local;       /* copied from source to destination on this process */
  int64_t bytes_sent;        /* to other processes, by whatever transport */
  int64_t bytes_received;    /* from other processes */
  int64_t messages_sent;     /* messages, or slots filled; but where a run is direct there are none */
  int64_t messages_received; /* messages, or slots read; the same */
  int64_t rounds;            /* most messages to or from any one process */
  int64_t bytes_buffer; /* extra memory: buffers of messages and this process's part of the node's slots */
  int64_t bytes_plan;   /* memory of everything else the plan holds */
} dap_plan_stats;

/* An estimate of what rank `rank` of a communicator of `nprocs` processes, all on nodes of their own, would do in the
 * plan that dap_plan_create() makes of the same arguments: without MPI, and without making it. Bytes moved are exact; messages
 * and buffers are as if all processes were like this one. Strides and options
 * as there, those of `rank`. Both layouts must be known. Not collective.
 * Errors: as dap_plan_create()'s; DAP_ERR_REMOTE (a 'u' axis not known here). */
DAP_API dap_status dap_plan_preview(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                    int64_t itemsize, const dap_plan_options *options, dap_plan_stats *stats,
                                    dap_error *err);

/* The figures of this process; zeros where dap_plan_run() would refuse the plan. Not collective. */
DAP_API dap_plan_stats dap_plan_summarize(const dap_plan *plan);

/* Writes the plan of this process in words, or why it is none; as dap_layout_describe(). Not collective. */
DAP_API size_t dap_plan_describe(const dap_plan *plan, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
