/* Plans on simulated ranks, and what must be true of each. A check prints the first failures of a rank. */
#ifndef DAP_TEST_CHECK_H
#define DAP_TEST_CHECK_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

/* Bytes of any plan here, however many ranks there are: in all, and for each peer. With replicated or partial
 * axes also, in each pass, for each process along an axis, twice: an overlap, even of nothing. */
enum { MOST_PLAN = 16 << 10, MOST_PEER = 2304, MOST_EMPTY = 72 };

/* Freed before MPI ends: the simulator's MPI_Finalize() lets callbacks of attributes call nothing of MPI. */
extern MPI_Comm everyone;
extern int my_rank, nprocs;
extern const char *test_name; /* is tested */

void expect(const char *which, int64_t got, int64_t want);
void expect_most(const char *which, int64_t got, int64_t most);
void must(dap_status s, const dap_error *err);
int64_t largest(int64_t value); /* of all ranks; collective */
int finish(void);               /* the exit code, the same on all; collective */

/* An array of DAP_I8: the number of each element in the whole. */
typedef struct made {
  dap_layout *layout;
  dap_array array;
} made;

/* Makes and runs a plan: all elements are where the map says, what a rank sends and receives is what the plan
 * says, and with `known`, the destination's layout as one process knows it, what its preview says.
 * Collective. */
void move(made *from, made *to, bool fills, const dap_layout *known);
/* The same of a halo update, of which there is no preview: there are as many messages each way as this rank
 * has neighbours, which send all copies that its buffer has. */
void update(made *a, int neighbours);

#endif
