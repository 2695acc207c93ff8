/* Declarations of `dapbridge plan`, which says what moving an array from one layout to another takes.
 *
 *     traffic        the figures
 *     traffic_text   as text
 *     traffic_json   as JSON
 *     svg_traffic    as a picture: the communication matrix in colours */
#ifndef DAP_TRAFFIC_IMPL_H
#define DAP_TRAFFIC_IMPL_H

#include "cli_impl.h"

#include <dapbridge/plan.h>

/* ---- traffic.c ----------------------------------------------------------------------------------- */

enum {
  TRAFFIC_PAIRS = 1 << 24, /* most pairs of processes that are counted */
  TRAFFIC_ASKED = 256,     /* most processes whose messages and memory are found */
  TRAFFIC_CHUNK = 1 << 19  /* bytes of the longest message, as dap_plan_options.message_bytes has it */
};

typedef struct traffic {
  const dap_layout *from, *to;
  int rows, columns; /* processes of `from` and of `to` */
  int nprocs;        /* the larger of the two */
  dap_dtype type;
  long node;                      /* ranks on each node */
  int64_t *bytes;                 /* [rows][columns] from the source's process to the destination's */
  int64_t kept, on_node, between; /* bytes that stay on a process, that stay on its node, others */
  int largest[2];                 /* the pair of processes with the most bytes, if any are sent */
  int64_t most;                   /* bytes that this pair moves, in one message or several */
  int64_t pairs;                  /* (source, destination) with bytes to move */
  int asked;                      /* processes that the members below are about */
  int64_t messages;               /* that these processes send */
  int64_t busiest;                /* most messages that one of them sends */
  int64_t buffer, plan;           /* most memory on one: for messages and slots, and for the rest */
  int64_t phases;
} traffic;

/* Errors: DAP_ERR_ARG (shapes differ), DAP_ERR_RANGE (too many processes or elements), DAP_ERR_NOMEM. Ended
 * with traffic_release(), also on error. */
dap_status traffic_init(const dap_layout *from, const dap_layout *to, dap_dtype type, long node, traffic *t,
                        dap_error *err);
void traffic_release(traffic *t);
/* Returns the bytes of the longest message; -1: not known, in two phases. */
int64_t traffic_message(const traffic *t);
int64_t traffic_bytes(const traffic *t, int p, int q);
bool traffic_on_node(const traffic *t, int p, int q);

/* ---- traffic_text.c, traffic_json.c, svg_traffic.c ------------------------------------------------- */

enum { TRAFFIC_NUMBER = 32 /* bytes of a number with its unit */ };
/* "4.5 MB": three digits or more, in powers of 1000. */
void traffic_write_bytes(int64_t bytes, char text[TRAFFIC_NUMBER]);

/* Both return false where there is no memory. */
bool traffic_print(const traffic *t);
bool traffic_print_json(const traffic *t);
/* Draws to options->output. Reports errors on standard error. */
cli_exit traffic_draw(const cli_options *options, const traffic *t);

#endif
