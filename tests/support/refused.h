/* An allocation that one process alone is refused, each in turn, in what all processes do together. */
#ifndef DAP_TEST_REFUSED_H
#define DAP_TEST_REFUSED_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

/* What came of it, on any process. */
typedef struct refusal {
  bool was_met; /* the allocation that was to be refused */
  bool failed;  /* the call */
} refusal;

/* After allocations_start(number) and a collective call, whose status this is: allocations are refused no
 * more. A failure is recorded where a call failed without a refusal. Collective on MPI_COMM_WORLD. */
refusal refusal_of(int64_t number, dap_status status);

/* Calls refuse() with 1, 2, ... on the first process, then on the last, and with 0 on all others, until it
 * returns false: there is no allocation of that number. With every fifth number where there are several
 * nodes, with every third where test_scale() is more than 1. Few allocations are a failure.
 * Collective on MPI_COMM_WORLD. */
void refuse_each(const char *why, bool (*refuse)(const void *trial, int64_t number), const void *trial);

#endif
