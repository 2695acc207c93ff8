/* Contains what weak.h runs: two processes' ends of a plan that is made by hand, and their reductions.
 * Process 0 sends elements to process 1. Private: both ends of a plan are made in one process. */
#ifndef DAP_WEAK_PLAN_H
#define DAP_WEAK_PLAN_H

#include "transport_impl.h"

enum { WEAK_RUNS = 4 };

/* What is run. */
typedef struct weak_case {
  int chunks, slots;          /* of the channel in a run */
  unsigned transports;        /* bits of dap_transport */
  bool is_shared[2];          /* the source, the destination is in memory that both see */
  bool prefers_push;          /* if both are */
  int runs;                   /* <= WEAK_RUNS */
  int null_buffer[WEAK_RUNS]; /* whose buffer is NULL in a run, which is refused; -1: nobody's */
} weak_case;

/* Makes the plans, and says to weak.h what both see of them. */
void weak_plan_prepare(const weak_case *what);
/* For weak_program: all of the runs, by dap_plan_begin() and dap_plan_end(). */
void weak_plan_reset(void);
void weak_plan_run(int process);
/* The chunks of one run alone, by dap_chunk_send() and dap_chunk_receive(). */
void weak_plan_chunks(int process);

/* A run that process 0 gives up, as process 1 is late. Process 1 copies from a source that the program of
 * process 0 then changes. */
void weak_plan_prepare_given_up(void);
void weak_plan_reset_given_up(void);
void weak_plan_run_given_up(int process);

/* weak_board.c: the same of dap_context_reduce(). */
void weak_board_prepare(void);
void weak_board_reset(void);
void weak_board_run(int process);

#endif
