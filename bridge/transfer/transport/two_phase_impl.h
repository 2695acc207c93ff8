/* Declares messages in two phases, instead of one from each process to each other. Processes are in the
 * order of their ranks in the rows of a grid, whose last row may be shorter. All that one process has for
 * another is a piece, which goes by way of the process in the sender's row and the receiver's column. */
#ifndef DAP_TWO_PHASE_IMPL_H
#define DAP_TWO_PHASE_IMPL_H

#include "transport_impl.h"

/* ---- two_phase_route.c ------------------------------------------------------------------------------ */

int dap_two_phase_columns(int nprocs);
/* Returns the process between, which may be the sender or the receiver itself. If the grid has none there, it
 * is the one above. */
int dap_two_phase_via(int columns, int nprocs, int from, int to);

/* A process's proposal. The least words of all processes are taken. The most messages and bytes of any
 * process are negated, so that the least is the most. */
enum { DAP_TWO_PHASE_IS_OPEN, DAP_TWO_PHASE_MINUS_MESSAGES, DAP_TWO_PHASE_MINUS_BYTES, DAP_TWO_PHASE_WORDS };
void dap_two_phase_propose(const dap_plan *plan, int64_t words[]);
/* Whether two phases pay by the proposals of all. Memory may still forbid them. */
bool dap_two_phase_pays(const dap_plan *plan, const int64_t words[]);

/* ---- two_phase_pieces.c ----------------------------------------------------------------------------- */

/* Messages of a process, in the order in which they lie in the plan's buffer. Those along the column are sent
 * from where their pieces were packed or received. */
typedef enum dap_two_phase_kind {
  DAP_TWO_PHASE_TO_ROW,
  DAP_TWO_PHASE_FROM_ROW,
  DAP_TWO_PHASE_TO_COLUMN,
  DAP_TWO_PHASE_FROM_COLUMN,
  DAP_TWO_PHASE_KINDS
} dap_two_phase_kind;

typedef struct dap_two_phase_piece {
  dap_two_phase_kind kind; /* the first message here that contains it */
  int peer;                /* the process at the other end of that message; this one: there is none */
  int from, to;            /* the piece's sender and receiver */
  int64_t bytes, at;       /* at: its place in the plan's buffer */
  dap_channel *channel;    /* NULL: this process only forwards it */
  struct dap_two_phase_message *message; /* the message of that kind; NULL: none */
} dap_two_phase_piece;

typedef struct dap_two_phase_pieces {
  dap_two_phase_piece *all; /* [count] */
  int count, capacity;
} dap_two_phase_pieces;

/* Lists all pieces. The caller frees pieces->all in any case. Collective on the plan's communicator, unless
 * the plan is for one process only; agreed. Such a process finds the pieces of others by the layouts. Where
 * elements are listed, it takes others to have as many elements for a process as it has itself. */
dap_status dap_two_phase_pieces_find(const dap_plan *plan, dap_two_phase_pieces *pieces, dap_error *err);

/* ---- two_phase.c ------------------------------------------------------------------------------------ */

typedef struct dap_two_phase_message {
  int rank;
  int64_t at, bytes; /* place and size in the plan's buffer */
  MPI_Datatype type; /* the pieces of a message to the column; MPI_DATATYPE_NULL: bytes one behind another */
  int pieces, left;  /* pieces of a message to the row, and those that are not packed yet */
  MPI_Request request;
} dap_two_phase_message;

struct dap_two_phase {
  dap_two_phase_message *messages[DAP_TWO_PHASE_KINDS]; /* [counts[kind]] one allocation; ranks ascend */
  int counts[DAP_TWO_PHASE_KINDS], capacity;
  int64_t forwarded;  /* bytes of other processes that go to the column */
  bool has_forwarded; /* this process has sent them in this run */
};
/* Starts a run: posts all receives. */
dap_status dap_two_phase_start(const dap_plan *plan, dap_error *err);
/* Sends to the column once all pieces for it are there. Adds messages that have completed to *moved, and
 * those that have not to *left. None is left only when no message needs this process any more. */
dap_status dap_two_phase_progress(const dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err);
/* Ends a run: completes all messages, unless a process has failed. Others wait for pieces that this process
 * forwards, even if its own buffers are at fault. */
dap_status dap_two_phase_finish(dap_plan *plan, dap_error *err);
int64_t dap_two_phase_memory(const dap_two_phase *two_phase); /* bytes, without elements; NULL: 0 */
/* Ends and frees the messages. False: MPI may still use the buffer. */
bool dap_two_phase_release(dap_plan *plan);

/* ---- two_phase_make.c ------------------------------------------------------------------------------- */

/* Gives a plan two phases if they pay by the proposals of all, and fit in memory on all processes. Collective
 * on the plan's communicator; agreed. A plan that is one process's alone gets no buffers. */
dap_status dap_two_phase_create(dap_plan *plan, const int64_t words[], dap_error *err);

#endif
