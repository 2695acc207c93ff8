/* dapbridge/plan.h: moving the elements of one layout's buffers to another's.
 *
 * A plan is thought out once and run many times, on any buffers of the form it was made for.
 * Redistribution, transposition of storage, gather to and scatter from one process, replication of
 * ghost points and every copy an adapter makes are plans. */
#ifndef DAPBRIDGE_PLAN_H
#define DAPBRIDGE_PLAN_H

#include <dapbridge/comm.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dap_plan dap_plan;

/* One end of a plan: a layout, who holds it, and the form of this process' buffer. */
typedef struct dap_side {
  const dap_layout *layout; /* the same on every process; retained by the plan */
  const int *ranks;         /* [nprocs of layout] which rank of the plan's communicator is process i of the
                               layout; the same on every process, no rank twice; NULL: rank i. Copied */
  const int64_t *strides;   /* [ndim] bytes, this process' own; NULL: C order, contiguous. Copied */
} dap_side;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_plan_options {
  bool fill_halos;       /* also fill the destination's communication padding with the owners' values */
  int64_t message_bytes; /* longest single message; 0: 1 GiB */
} dap_plan_options;

/* Plans the move of all owned elements, `itemsize` bytes each, from the buffers of `from` to those of
 * `to`. (A process outside the communicator that assembled a layout with 'u' axes has no part in it: such a
 * layout's plans are made on its own communicator.) An element that several processes hold (a 'u' axis) is read from its owner and written to all.
 * Collective on `comm`, which is duplicated; both layouts must have the same shape, and each may
 * live on any part of `comm`'s processes: with a one-process layout as `to` the plan is a gather, as
 * `from` a scatter. The caller owns *plan.
 * Memory: per process, the runs of each axis (their sum, not their product), one request per message,
 * and buffers for the elements that cross processes; dap_plan_stats_get() tells. Time: the runs of each
 * axis, times the other side's processes along it.
 * Errors, the same on every process: DAP_ERR_ARG (NULL, itemsize < 1, shapes that differ, ranks outside
 * `comm` or twice, layouts or options that differ between processes, a layout with 'u' axes that this process
 * assembled in another one's place), DAP_ERR_BUFFER (a zero stride in
 * the destination), DAP_ERR_RANGE (a local buffer exceeds 2^63 - 1 bytes), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. On error *plan is NULL. */
DAP_API dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Plans the halo update of one padded array: its communication padding, corners included, is filled
 * with the owners' values, in place. Run it with the same buffer as source and destination. Collective
 * on `comm`; `side` as above; errors as above. An array without halos gives a plan that does nothing. */
DAP_API dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Plans the gather of all owned elements to the process `root` of `comm`, whose destination is one C-order
 * contiguous buffer of the whole array; and the scatter from such a buffer on `root` to all. Collective
 * on `comm`; sides, options and errors as above; `root` outside `comm` is DAP_ERR_ARG. */
DAP_API dap_status dap_plan_create_gather(MPI_Comm comm, const dap_side *from, int root, int64_t itemsize,
                                          const dap_plan_options *options, dap_plan **plan, dap_error *err);
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/* Starts moving: packs, posts all messages, and returns. Collective on the plan's communicator. `from`
 * and `to` point at element (0, ..., 0) of this process' buffers; NULL where it holds no elements. Until
 * dap_plan_end() returns, `from` must not change and `to` must not be touched, and they must not overlap
 * (a halo plan's are equal). One plan can be under way once at a time.
 * Errors: DAP_ERR_ARG (a NULL plan, or one already begun: on that process alone, and nothing happens), DAP_ERR_LIBRARY.
 * A NULL buffer where there are elements is reported by dap_plan_end(). */
DAP_API dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err);

/* Waits for the messages and unpacks them. Collective on the plan's communicator. Afterwards every
 * element is in place and the plan can begin again.
 * Errors: DAP_ERR_ARG (a NULL plan, or not begun: on that process alone; a NULL buffer given to begin: on every process,
 * and no destination was written), DAP_ERR_LIBRARY. */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/* dap_plan_begin() and dap_plan_end() in one. Collective; errors as theirs. */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);

/* Frees the plan and sets it to NULL. Collective on the plan's communicator. Accepts NULL and a pointer
 * to NULL. A plan that was begun is ended first. */
DAP_API void dap_plan_destroy(dap_plan **plan);

/* Checks that all holders of an element of a 'u' axis with duplicates hold the same bytes as its owner.
 * Collective on `comm`, as dap_layout_assemble(); `local` is this process' part of the array of `layout`.
 * Errors, the same on every process: DAP_ERR_BUFFER naming the first element that differs, or for extents that
 * are not the layout's; DAP_ERR_ARG (a NULL, layouts that differ, a communicator of another size), DAP_ERR_RANGE,
 * DAP_ERR_NOMEM, DAP_ERR_LIBRARY. An array without duplicates passes. */
DAP_API dap_status dap_replicas_check(MPI_Comm comm, const dap_layout *layout, const dap_array *local,
                                      dap_error *err);

/* What one run of the plan does on this process. */
typedef struct dap_plan_stats {
  int64_t bytes_local;       /* copied from source to destination without a message */
  int64_t bytes_sent;        /* to other processes */
  int64_t bytes_received;    /* from other processes */
  int64_t messages_sent;     /* messages */
  int64_t messages_received; /* messages */
  int64_t bytes_buffer;      /* memory of the message buffers */
  int64_t bytes_plan;        /* memory of everything else the plan holds */
} dap_plan_stats;

/* The figures of this process. Not collective. */
DAP_API dap_plan_stats dap_plan_stats_get(const dap_plan *plan);

/* Writes the plan of this process in words; as dap_layout_describe(). Not collective. */
DAP_API size_t dap_plan_describe(const dap_plan *plan, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
