/* Declares the checks of plans on simulated ranks. Each rank prints its first failures. */
#ifndef DAP_TEST_CHECK_H
#define DAP_TEST_CHECK_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

/* Limits of a plan's bytes for any number of ranks: in all, and for each peer. With replicated or partial
 * axes, each pass also has two overlaps for each process along an axis; MOST_EMPTY is the size of an
 * empty one. */
enum { MOST_PLAN = 16 << 10, MOST_PEER = 2304, MOST_EMPTY = 72 };

/* Must be freed before MPI ends, because callbacks of attributes cannot call MPI in the simulator's
 * MPI_Finalize(). */
extern MPI_Comm everyone;
extern int my_rank, nprocs;
extern const char *test_name; /* name of the current test */

void expect(const char *which, int64_t got, int64_t want);
void expect_most(const char *which, int64_t got, int64_t most);
void must(dap_status s, const dap_error *err);
int64_t largest(int64_t value); /* returns the largest value of all ranks; collective */
int finish(void);               /* returns the exit code, the same on all ranks; collective */

/* An array of DAP_I8, in which each element is its number in the whole. */
typedef struct made {
  dap_layout *layout;
  dap_array array;
} made;

/* Makes and runs a plan. Checks that all elements are where the map says, and that this rank's messages
 * match the plan. `known` is the destination's layout as one process knows it; if given, its preview must
 * match. Collective. */
void move(made *from, made *to, bool fills, const dap_layout *known);
/* Checks a halo update in the same way, without a preview. Each way has as many messages as this rank has
 * neighbours, and they carry all copies in its buffer. */
void update(made *a, int neighbours);

/* ---- wire.c: messages of this simulated rank are counted ----------------------------------------------- */

typedef struct wire {
  int64_t messages, bytes; /* messages of elements that were sent, and their bytes */
  int64_t numbers;         /* other messages that the library sends one by one */
  int peers;               /* processes that received elements */
  int64_t received;        /* posted receives of elements */
} wire;

void wire_start(void); /* restarts counting at 0 */
wire wire_end(void);

#endif
