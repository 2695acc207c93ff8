/* Messages in two phases, instead of one from each process to each other.
 *
 *     relay_route      by way of which process, and whether that pays
 *     relay_tell       what others send by way of this one
 *     relay_make       in which messages
 *     relay            a run of them */
#ifndef DAP_RELAY_IMPL_H
#define DAP_RELAY_IMPL_H

#include "transport_impl.h"

/* ---- relay_route.c ---------------------------------------------------------------------------------- */

/* Messages in two phases: processes are in the order of their ranks in the rows of a grid, of which the last
 * one may be shorter. What one has for another, a piece, goes to the process in the sender's row and the
 * receiver's column (if that place is empty, to the one above it), and from there to the receiver. So each
 * process has one message for each column, and then one for each row. */
int dap_relay_columns(int nprocs);
int dap_relay_via(int columns, int nprocs, int from, int to);

/* What goes by way of this process: from `sources`, to `targets`; ranks ascend, and it is one of both. */
typedef struct dap_relay_load {
  int *sources, *targets; /* [source_count], [target_count] */
  int source_count, target_count;
  int64_t *bytes, *at; /* [source_count][target_count] of pieces, and where they lie in the plan's buffer */
} dap_relay_load;
/* Of pieces only this process's own are known. Released with dap_relay_load_release() in any case. */
dap_status dap_relay_load_create(const dap_plan *plan, dap_relay_load *load, dap_error *err);
void dap_relay_load_release(dap_relay_load *load);
int64_t dap_relay_bytes(const dap_channel *channel); /* of its piece */

/* words[DAP_RELAY_WORDS]: what processes tell each other, to be reduced to the least of all; and whether from
 * that there are two phases, as far as memory allows. */
enum { DAP_RELAY_WORDS = 3 };
void dap_relay_propose(const dap_plan *plan, const dap_plan_options *options, int64_t words[]);
bool dap_relay_pays(const dap_plan *plan, const dap_plan_options *options, const int64_t words[]);

/* ---- relay_tell.c ----------------------------------------------------------------------------------- */

/* Completes the load: each process tells those that its pieces go by way of. Collective on the plan's
 * communicator; agreed. */
dap_status dap_relay_tell(const dap_plan *plan, dap_relay_load *load, dap_error *err);
/* The same for a process alone: from the layouts; where elements are listed, as if all had so many for others
 * as this process has. */
dap_status dap_relay_guess(const dap_plan *plan, dap_relay_load *load, dap_error *err);

/* ---- relay.c ---------------------------------------------------------------------------------------- */

typedef enum dap_relay_kind {
  DAP_RELAY_TO_ROW,
  DAP_RELAY_FROM_ROW,
  DAP_RELAY_TO_COLUMN,
  DAP_RELAY_FROM_COLUMN,
  DAP_RELAY_KINDS
} dap_relay_kind;

typedef struct dap_relay_message {
  int rank;
  int64_t at, bytes; /* in the plan's buffer; to a column: pieces, */
  MPI_Datatype type; /* where they lie. MPI_DATATYPE_NULL: bytes one behind another */
  int pieces, left;  /* to a row: channels that are packed in it, and those that are not packed yet */
  MPI_Request request;
} dap_relay_message;

struct dap_relay {
  dap_relay_message *messages[DAP_RELAY_KINDS]; /* [counts[kind]] one allocation; ranks ascend */
  int counts[DAP_RELAY_KINDS], capacity;
  int64_t handed_on; /* bytes of others that go to the column */
  bool is_handed_on; /* in this run */
};
/* A run: posts all receives. */
dap_status dap_relay_start(const dap_plan *plan, dap_error *err);
/* Sends to the column once all is there that is to go there. Adds to *moved if anything has gone on, and to
 * *left what is not over; none is left only when no message needs this process any more. */
dap_status dap_relay_go_on(const dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err);
/* Until all messages of a run are over, or a process has failed: others wait for what comes by way of this
 * one, whatever is wrong with its buffers. */
dap_status dap_relay_finish(dap_plan *plan, dap_error *err);
int64_t dap_relay_memory(const dap_relay *relay); /* bytes, without buffers of elements; of NULL 0 */
/* False: MPI may still use the buffer. */
bool dap_relay_release(dap_plan *plan);

/* ---- relay_make.c ----------------------------------------------------------------------------------- */

/* Two phases, if that pays, from what all have proposed, and fits in memory everywhere. Collective on the
 * plan's communicator; agreed. */
dap_status dap_relay_create(dap_plan *plan, const dap_plan_options *options, const int64_t words[],
                            dap_error *err);
/* For this process alone, without buffers. */
dap_status dap_relay_create_alone(dap_plan *plan, const dap_plan_options *options, const int64_t words[],
                                  dap_error *err);

#endif
