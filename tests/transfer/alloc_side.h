/* Buffers in memory of the library's, of the form that a test's buffer has; and what a plan between two
 * sides has to move, counted by the brute-force model. */
#ifndef DAP_TEST_LENT_H
#define DAP_TEST_LENT_H

#include <dapbridge/shared.h>

#include "side.h"

/* A side whose buffer lies in the memory of a dap_array_alloc() array. */
typedef struct alloc_side {
  dap_array array; /* of bytes */
  test_side side;  /* the layout is the other side's */
} alloc_side;

/* The same side with a poisoned buffer of the same strides in such memory, which the processes of `comm`
 * share.
 * Collective on `comm`. Ended with alloc_side_free(), before side_free() of the other. */
alloc_side alloc_side_make(MPI_Comm comm, const test_side *side);
void alloc_side_free(alloc_side *alloc);

/* Elements that this process is to receive. */
typedef struct traffic {
  int64_t kept;     /* from itself */
  int64_t received; /* from others */
  bool is_foreign;  /* some come from a process of another host, or on any process do: see hosts */
  bool crosses;     /* on any process some come from others */
} traffic;

/* Counts a move of all elements, with communication padding if `halos`. hosts [processes] (NULL: one host).
 * Collective on MPI_COMM_WORLD. */
traffic traffic_count(const test_side *from, const test_side *to, bool halos, const int hosts[]);

#endif
