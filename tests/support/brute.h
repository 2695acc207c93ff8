/* A second, slow model of one axis: elements dealt out one at a time, without a formula.
 *
 * It shares nothing with the library but struct dap_dist, so that it can contradict it. */
#ifndef DAP_TEST_BRUTE_H
#define DAP_TEST_BRUTE_H

#include <dapbridge/layout.h>

#include "random.h"

enum { BRUTE_SIZE = 256, BRUTE_PROCS = 32 };

typedef struct brute_axis {
  int64_t size;
  int procs;
  int owner[BRUTE_SIZE];                 /* [size] coordinate that owns the element */
  int64_t local[BRUTE_SIZE];             /* [size] its position in the owner's buffer */
  int64_t owned[BRUTE_PROCS];            /* [procs] elements owned */
  int64_t halo[BRUTE_PROCS][2];          /* [procs] communication padding at the low and the high end */
  int64_t extent[BRUTE_PROCS];           /* [procs] elements in the buffer */
  int64_t held[BRUTE_PROCS][BRUTE_SIZE]; /* [procs][extent] global index at each position of the buffer */
} brute_axis;

/* True iff the distribution is legal: then *axis is filled. size <= BRUTE_SIZE, procs <= BRUTE_PROCS. */
bool brute_deal(const dap_dist *dist, brute_axis *axis);

/* A random legal distribution of at most `max_size` elements over exactly `procs` processes. `lengths`
 * [BRUTE_PROCS] is the memory behind dist->lengths. Halos up to 3 wide if `halos`. */
dap_dist random_dist(test_random *random, int procs, int64_t max_size, bool halos, int64_t *lengths);

/* The same of exactly `size` elements. */
dap_dist random_dist_of(test_random *random, int procs, int64_t size, bool halos, int64_t *lengths);

/* A random grid: procs[ndim] with product `nprocs`. */
void random_grid(test_random *random, int nprocs, int ndim, int procs[]);

/* The distribution in words, for a test's label. Static memory, overwritten by the fourth call after. */
const char *dist_text(const dap_dist *dist);

#endif
