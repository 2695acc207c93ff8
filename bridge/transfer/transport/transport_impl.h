/* Moves the elements of a transfer (layer 4 of 4). The layer copies, packs and sends chunks, and puts them in
 * place while a plan is under way. The transport of a channel is decided in steps:
 *     plan   setup        finds whether both processes are on one node, with memory to share
 *     plan   schedule     chooses slots there, messages between nodes, and none within a process
 *     plan   two_phase    replaces messages with messages in two phases, if these are much fewer
 *     run    direct       replaces them all with one copy, if a buffer is in memory that both see */
#ifndef DAP_TRANSPORT_IMPL_H
#define DAP_TRANSPORT_IMPL_H

#include "plan_impl.h"

/* ---- copy.c ----------------------------------------------------------------------------------------- */

typedef struct dap_copy {
  const dap_channel *channel;
  const dap_chunk *chunk;
  /* Each end: buffers [arrays] with these strides [ndim] in bytes; or the chunk's elements, packed in the
   * exchange's order, one array behind another. */
  const char *const *from;
  char *const *to;
  const int64_t *from_strides, *to_strides; /* NULL: packed */
  const char *from_packed;
  char *to_packed;
  int64_t from_item, to_item;     /* bytes of an element at each end */
  const dap_transform *transform; /* NULL: none */
  const dap_kernels *kernels;
  bool stream; /* store past the caches */
} dap_copy;

/* Copies the chunk's arrays, one after the other, except those that have no source. */
void dap_copy_run(const dap_copy *copy);
/* Makes the chunk's loops in one array, unsorted: two for each axis in the exchange's order, over stretches
 * and over the elements of one. False: the chunk is more than one nest. */
bool dap_copy_nest(const dap_copy *copy, dap_nest *nest);

/* ---- node_window.c ---------------------------------------------------------------------------------- */

/* The addresses of a process's buffers of one array in this run. */
typedef struct dap_buffer_address {
  dap_segment from, to;
} dap_buffer_address;

/* The form of a process's buffers in every run: source and destination. */
typedef struct dap_buffer_form {
  int64_t strides[2][DAP_MAX_NDIM]; /* bytes, by axis of the problem */
  bool swapped[2];                  /* whether elements are in the other byte order */
} dap_buffer_form;

/* The words that a process publishes at every run. Those that others await first share a cache line. Only
 * this process writes them; dap_node_window_say() tells in which order others see them. */
typedef struct dap_control {
  _Alignas(64) _Atomic uint64_t published; /* last run whose addresses are there */
  /* this process's fault, by the run's parity; a broken plan may store it while others read it */
  _Atomic int64_t fault[2];
  _Atomic int64_t failure; /* a run has failed there, see dap_failure_of(); 0: none has */
  /* some array's destination [0], source [1] is in shared memory; by the run's parity */
  bool is_shared[2][2];
  _Atomic bool is_away;               /* it waits, and has given its core to others */
  _Alignas(64) _Atomic uint64_t done; /* last run in which it is through with the others' buffers */
} dap_control;

/* Returns the bytes of a part before its slots. */
int64_t dap_node_window_bytes(int exchanges, int node_size, int64_t arrays);
/* Returns the offset of the slots for the receiver in the sender's part. */
int64_t *dap_node_window_offset(const dap_node_window *window, int sender, int exchange, int receiver);
dap_control *dap_node_window_control(const dap_node_window *window, int node_rank);
/* Returns the addresses [arrays] of a process in this run. */
dap_buffer_address *dap_node_window_addresses(const dap_node_window *window, int node_rank);
dap_buffer_form *dap_node_window_form(const dap_node_window *window, int node_rank);
/* Returns a wait during which the node's processes see whether this one has given its core away. */
dap_wait dap_node_window_wait(const dap_node_window *window, double seconds);
/* Says in this process's control (`published` or `done` there) that it has come to this run. */
void dap_node_window_say(const dap_node_window *window, _Atomic uint64_t *said);
/* Says on standard error that process `rank` waits long for `missing`; -1: it is not known for whom. */
void dap_node_window_report(const dap_node_window *window, int rank, int missing, dap_wait *wait);
/* Waits until a process has said so. If that process has given up its core, this one does so at once, so
 * that it can run there. False: `seconds` have passed; 0 seconds: there is no limit. */
bool dap_node_window_await(const dap_node_window *window, int node_rank, const _Atomic uint64_t *said,
                           double seconds);

/* ---- slots.c, messages.c ---------------------------------------------------------------------------- */

/* A transport of packed chunks. No function waits. */
typedef struct dap_transport_ops {
  const char *name;
  /* Finds the place of the next chunk, free at the sender or filled at the receiver. NULL: not yet. */
  dap_status (*slot)(dap_channel *channel, char **at, dap_error *err);
  dap_status (*send)(const dap_plan *plan, dap_channel *channel, int64_t bytes, dap_error *err);
  /* Is told that the last chunk has been put in place. NULL: nothing is to be done. */
  dap_status (*taken)(const dap_plan *plan, dap_channel *channel, dap_error *err);
} dap_transport_ops;
extern const dap_transport_ops dap_transport_slots, dap_transport_messages, dap_transport_two_phase;
/* Starts a channel in a run: posts receives, as many as there are slots. */
dap_status dap_messages_start(const dap_plan *plan, dap_channel *channel, dap_error *err);
/* Sends plan->fault to the receiver in place of all chunks of a channel, and ends the channel. */
dap_status dap_messages_refuse(const dap_plan *plan, dap_channel *channel, dap_error *err);
/* Returns the fault that the sender has said, where channel->state.is_refused. */
int64_t dap_messages_fault(const dap_channel *channel);
/* Tests whether all messages of a channel are over. */
dap_status dap_messages_test_all(const dap_channel *channel, bool *over, dap_error *err);
/* Ends a message, if it can be ended after a failure of MPI. False: MPI may still use its buffer. */
bool dap_messages_abandon(MPI_Request *request, bool is_send);

/* Returns the transport of a channel that has one. */
static inline const dap_transport_ops *dap_transport_of(const dap_channel *channel)
{
  return channel->transport == DAP_TRANSPORT_STAGED ? &dap_transport_slots
         : channel->in_two_phases                   ? &dap_transport_two_phase
                                                    : &dap_transport_messages;
}

/* Begins a run of a channel that is sent through slots; and takes back its last chunk, which the receiver
 * does not know of yet. */
void dap_slots_begin(dap_channel *channel);
void dap_slots_take_back(dap_channel *channel);

/* ---- eager.c ---------------------------------------------------------------------------------------- */

/* Whether the channel is started when a run begins, before it is known that it is not direct. */
bool dap_eager_may(const dap_channel *channel);
/* Starts these channels, in a run that is published, and sends their eager chunks. */
void dap_eager_start(const dap_plan *plan);
/* Takes eager chunks back, because the channel is direct after all, or one of its ends is at fault. */
void dap_eager_take_back(dap_channel *channel);

/* ---- store_tuner.c ---------------------------------------------------------------------------------- */

/* Whether the next chunk that is sent is to be written past the caches. */
bool dap_store_tuner_choose(dap_channel *channel);
/* Begins to measure the time to pack the next chunk, or to put it in place; 0: it is not measured. */
double dap_store_tuner_start(const dap_channel *channel);
/* End the measurement of a chunk that is packed, and of one that is in place, together with `others`
 * chunks. */
void dap_store_tuner_packed(dap_channel *channel, int64_t bytes, bool streamed, double start);
void dap_store_tuner_taken(const dap_channel *channel, int others, double start);

/* ---- buffers.c -------------------------------------------------------------------------------------- */

/* Makes the buffers of messages, and the tables of addresses of this process's and others' buffers. */
dap_status dap_buffers_create(dap_plan *plan, dap_error *err);
void dap_buffers_release(dap_plan *plan);
/* Returns the offset of the slots in a process's part of the window. */
int64_t dap_buffers_slots_offset(const dap_plan *plan);
/* Writes this process's part of the window: the form of its buffers and the offsets of its slots. */
void dap_buffers_publish(dap_plan *plan);
/* Finds the slots of all channels, once all processes have published. */
void dap_buffers_attach(dap_plan *plan);

/* ---- failures.c ------------------------------------------------------------------------------------- */

/* Announces to each other process, once, that a run has failed here. */
void dap_failure_announce(dap_plan *plan);
/* Returns a wait for others in a run; and makes one step of it, mainly for process `rank`. Now and then a
 * step looks whether a run has failed on one of them. If so, plan->first_fault becomes negative, and the wait
 * may be in vain. DAP_ERR_LIBRARY: the wait takes longer than plan->wait_seconds. */
dap_wait dap_failure_wait(const dap_plan *plan);
dap_status dap_failure_wait_step(dap_plan *plan, int rank, dap_wait *wait, dap_error *err);
/* Fails this run, because process `rank` has not answered within plan->wait_seconds. */
dap_status dap_failure_time_out(dap_plan *plan, int rank, dap_error *err);
/* Looks whether a run has failed on another process: plan->first_fault becomes negative. */
dap_status dap_failure_check(dap_plan *plan, dap_error *err);
/* Looks whether a run has failed on one process of this node. */
void dap_failure_check_process(dap_plan *plan, int node_rank);

/* ---- direct.c --------------------------------------------------------------------------------------- */

/* Waits until the processes of the node that this one exchanges with have begun; takes over their faults. */
dap_status dap_direct_await(dap_plan *plan, dap_error *err);
/* Starts the channels that have not been started yet. Channels with a fault at one end move nothing. */
dap_status dap_direct_start(dap_plan *plan, dap_error *err);

/* ---- chunks.c --------------------------------------------------------------------------------------- */

/* Returns the copy that puts the next chunk of a channel in place: from `packed`, or from the sources if that
 * is NULL. The copy's transform is in *own. */
dap_copy dap_chunk_placing(const dap_plan *plan, const dap_channel *channel, const char *packed,
                           dap_transform *own);
/* Sends the next chunk of a channel, if there is room for it; receives it, if it is there; or copies it
 * directly. */
dap_status dap_chunk_send(const dap_plan *plan, dap_channel *channel, bool *sent, dap_error *err);
dap_status dap_chunk_receive(dap_plan *plan, dap_channel *channel, bool *received, dap_error *err);
/* Ends a chunk that was received and has been put in place. */
dap_status dap_chunk_taken(const dap_plan *plan, dap_channel *channel, dap_error *err);
/* Ends a channel whose sender has said that it is at fault. */
void dap_chunk_refused(dap_plan *plan, dap_channel *channel);
void dap_chunk_copy(const dap_plan *plan, dap_channel *channel);

/* ---- interleave.c, progress.c ----------------------------------------------------------------------- */

/* Writes the next tile of an exchange that is interleaved, if all its elements are there. Adds to *moved if
 * so, and to *left if tiles are left. */
dap_status dap_interleave_some(dap_plan *plan, dap_exchange *exchange, int64_t *moved, int64_t *left,
                               dap_error *err);
/* Moves all elements of a run; fewer if a process has failed, see dap_failure_wait_step(). */
dap_status dap_progress_all(dap_plan *plan, dap_error *err);

#endif
