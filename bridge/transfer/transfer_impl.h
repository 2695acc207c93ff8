/* The transfer layer: the one engine that moves elements.
 *
 *     overlap      what two processes share along one axis, by formula
 *     meet         the same where indices are listed: by asking
 *     exchange     a product of overlaps: who sends what to whom
 *     copy         the kernel: elements of a product, from one strided place to another
 *     messages     the transport: packed persistent messages
 *     plan         exchanges in a row: create thinks, begin and end move */
#ifndef DAP_TRANSFER_IMPL_H
#define DAP_TRANSFER_IMPL_H

#include "comm_impl.h"
#include "model_impl.h"
#include <dapbridge/plan.h>

/* ---- overlap.c ---------------------------------------------------------------------------------- */

/* Equal stretches at equal steps along one axis, in elements: for i < count,
 * [from + i * from_step, + length) goes to [to + i * to_step, + length). */
typedef struct dap_comb {
  int64_t from, to, length;
  int64_t count, from_step, to_step;
} dap_comb;

/* What one process sends to another along one axis. Both sides list the same elements in the same order,
 * the order of the destination's buffer. */
typedef struct dap_overlap {
  dap_comb *combs; /* [size] */
  int64_t size, capacity;
  int64_t elements; /* sum of count * length */
} dap_overlap;

/* Positions that a comb speaks of: in the source buffer, the destination buffer, or a packed message. */
typedef enum dap_way {
  DAP_WAY_PACK,   /* source -> message */
  DAP_WAY_UNPACK, /* message -> destination */
  DAP_WAY_DIRECT  /* source -> destination */
} dap_way;

dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, dap_reach reach,
                              dap_way way, dap_overlap *overlap, dap_error *err);
void dap_overlap_release(dap_overlap *overlap);
/* `length` elements more, joined to the last comb if they continue it; a comb as it is; all of another. */
dap_status dap_overlap_add(dap_overlap *overlap, int64_t from, int64_t to, int64_t length, dap_error *err);
dap_status dap_overlap_append(dap_overlap *overlap, const dap_comb *comb, dap_error *err);
dap_status dap_overlap_copy(const dap_overlap *overlap, dap_overlap *copy, dap_error *err);

/* ---- copy.c ------------------------------------------------------------------------------------- */

/* A product of overlaps, one per axis, between two strided places. */
typedef struct dap_copy {
  int ndim;
  const dap_overlap *axes[DAP_MAX_NDIM]; /* [ndim] outermost loop first */
  int64_t from_strides[DAP_MAX_NDIM];    /* [ndim] bytes, in the order of axes */
  int64_t to_strides[DAP_MAX_NDIM];      /* [ndim] bytes */
  int64_t itemsize;
} dap_copy;

void dap_copy_run(const dap_copy *copy, const char *from, char *to);

/* ---- what is sent and received ------------------------------------------------------------------ */

typedef struct dap_peer {
  int rank;                 /* in the plan's communicator */
  int coords[DAP_MAX_NDIM]; /* [ndim] in the other side's grid */
  int64_t bytes;            /* of its message */
  int64_t offset;           /* of its message in the direction's buffer, bytes */
  int first_request;        /* its requests are [first_request, first_request + request_count) */
  int request_count;
} dap_peer;

/* All that this process sends, or all that it receives. */
typedef struct dap_direction {
  int procs[DAP_MAX_NDIM];         /* [ndim] extents of the other side's grid; 0: not part of this side */
  dap_overlap *with[DAP_MAX_NDIM]; /* [ndim][procs[k]] */
  dap_peer *peers;                 /* [peer_count] other processes only */
  int peer_count, peer_capacity;
  int64_t bytes;        /* of all messages, without the gaps between them */
  int64_t bytes_buffer; /* of the buffer */
  char *buffer;
  MPI_Request *requests; /* [request_count] persistent */
  int request_count;
} dap_direction;

typedef struct dap_exchange {
  dap_direction send, receive;
  bool has_own;                  /* a part stays on this process */
  dap_overlap own[DAP_MAX_NDIM]; /* [ndim] source -> destination */
  int64_t own_bytes;
} dap_exchange;

/* This process' view of both sides. */
typedef struct dap_ends {
  const dap_layout *from, *to;
  const int *from_ranks, *to_ranks;   /* NULL: identity */
  int from_process, to_process;       /* this process' number in each layout; -1: not in it */
  int rank;                           /* in the communicator */
  int64_t from_strides[DAP_MAX_NDIM]; /* [ndim] bytes */
  int64_t to_strides[DAP_MAX_NDIM];
  int64_t itemsize;
  int64_t message_bytes;
} dap_ends;

/* ---- meet.c ------------------------------------------------------------------------------------- */

/* What this process sends, receives and keeps along one axis. */
typedef struct dap_met {
  dap_overlap *send, *receive; /* [send_count], [receive_count]: processes of the other side along the axis */
  int send_count, receive_count;
  dap_overlap own;
} dap_met;

/* Collective on the plan's communicator; agreed. For axes with 'u' on a side. */
dap_status dap_meet(MPI_Comm comm, const dap_ends *ends, int axis, dap_reach reach, dap_met *met,
                    dap_error *err);
void dap_met_release(dap_met *met);

/* ---- exchange.c --------------------------------------------------------------------------------- */

/* Axes with 'u' on a side are taken from met[axis]; it is left without what was taken. Not collective. */
dap_status dap_exchange_create(const dap_ends *ends, const dap_reach reach[], dap_met met[],
                               dap_exchange *exchange, dap_error *err);
void dap_exchange_release(dap_exchange *exchange);
int64_t dap_exchange_memory(const dap_exchange *exchange, int ndim); /* bytes, without the message buffers */

/* ---- messages.c --------------------------------------------------------------------------------- */

dap_status dap_messages_create(MPI_Comm comm, int tag, int64_t message_bytes, dap_exchange *exchange,
                               dap_error *err);
void dap_messages_release(dap_exchange *exchange);

/* ---- ends.c: the arguments of a plan, checked and made uniform ------------------------------------ */

dap_status dap_ends_check(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                          const dap_plan_options *options, dap_ends *ends, dap_error *err);
dap_status dap_ends_compare(MPI_Comm comm, const dap_ends *ends, uint64_t variant, dap_error *err);

/* ---- plan.c ------------------------------------------------------------------------------------- */

struct dap_plan {
  MPI_Comm comm; /* private */
  int rank, nprocs, ndim;
  bool holds_from, holds_to; /* this process has elements there */
  dap_layout *from, *to;
  int64_t from_strides[DAP_MAX_NDIM], to_strides[DAP_MAX_NDIM];
  int64_t itemsize;
  int order[DAP_MAX_NDIM]; /* axes, slowest in a message first; the same on every process */
  int exchange_count;
  dap_exchange exchanges[DAP_MAX_NDIM]; /* [exchange_count]; its index is its tag */

  /* between begin and end */
  bool under_way;
  const char *source;
  char *destination;
  int fault, first_fault; /* this process', and the first of all: see run.c */
  MPI_Request agreement;
};

/* Plans `count` products; reach[i][k] says what product i fills along axis k. */
dap_status dap_plan_build(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                          const dap_plan_options *options, int count, dap_reach reach[][DAP_MAX_NDIM],
                          dap_plan **plan, dap_error *err);

#endif
