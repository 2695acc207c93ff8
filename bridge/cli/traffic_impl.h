/* Declares what the files of `dapbridge plan` share: it prints the cost of moving an array to another
 * layout. */
#ifndef DAP_TRAFFIC_IMPL_H
#define DAP_TRAFFIC_IMPL_H

#include "cli_impl.h"

#include <dapbridge/plan.h>

/* ---- traffic.c ----------------------------------------------------------------------------------- */

enum {
  TRAFFIC_PAIRS = 1 << 24, /* most pairs of processes that are counted */
  TRAFFIC_ASKED = 256,     /* most processes whose plans are previewed */
  TRAFFIC_CHUNK = 1 << 19  /* bytes of the longest message, as dap_plan_options.message_bytes has it */
};

typedef struct traffic {
  const dap_layout *from, *to;
  int rows, columns; /* processes of `from` and of `to` */
  int nprocs;        /* the larger of the two */
  dap_dtype type;
  long node;                      /* ranks on each node */
  int64_t *bytes;                 /* [rows][columns] from the source's process to the destination's */
  int64_t kept, on_node, between; /* bytes that stay on a process, that stay on a node, and others */
  int largest[2];                 /* the pair of processes with the most bytes, if any are sent */
  int64_t most;                   /* bytes that this pair moves, in one message or several */
  int64_t pairs;                  /* pairs of processes with bytes to move */
  int asked;                      /* processes whose plans were previewed, for the members below */
  int64_t messages;               /* messages that these processes send */
  int64_t busiest;                /* most messages that one of them sends */
  int64_t buffer, plan; /* most bytes that one of them needs: for messages and slots, and for the rest */
  int64_t phases;
} traffic;

/* Finds the cost of a move. traffic_release() must follow, also on error. Errors: DAP_ERR_ARG (shapes
 * differ), DAP_ERR_RANGE (too many processes or elements), DAP_ERR_NOMEM. */
dap_status traffic_init(const dap_layout *from, const dap_layout *to, dap_dtype type, long node, traffic *t,
                        dap_error *err);
void traffic_release(traffic *t);
/* Returns the bytes of the longest message; -1: not known, because messages go in two phases. */
int64_t traffic_message(const traffic *t);
int64_t traffic_bytes(const traffic *t, int p, int q);
bool traffic_on_node(const traffic *t, int p, int q);

typedef struct traffic_text {
  char text[32];
} traffic_text;
/* Returns bytes with a unit in powers of 1000, such as "4.5 MB". */
traffic_text traffic_in_units(int64_t bytes);

/* ---- svg_traffic.c -------------------------------------------------------------------------------- */

/* Draws the communication matrix in colours to options->output. Reports errors on standard error. */
cli_exit traffic_draw(const cli_options *options, const traffic *t);

#endif
