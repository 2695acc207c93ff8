/* A second, slow model of distributed arrays deals out elements one at a time, without a formula. The model
 * shares nothing with the library except struct dap_dist, so that it can contradict the library. */
#ifndef DAP_TEST_BRUTE_H
#define DAP_TEST_BRUTE_H

#include <dapbridge/layout.h>

#include "random.h"

/* Most elements of an axis, and positions of a buffer along it; most processes. */
enum { BRUTE_SIZE = 256, BRUTE_PROCS = 32 };

/* ---- one axis ----------------------------------------------------------------------------------- */

typedef struct brute_axis {
  char kind;  /* 'b', 'c' or 'u' */
  bool whole; /* replicated or partial: every process has all, without lists */
  int64_t size;
  int procs;
  int owner[BRUTE_SIZE];                 /* [size] coordinate that owns the element */
  int64_t local[BRUTE_SIZE];             /* [size] its position in the owner's buffer */
  int64_t owned[BRUTE_PROCS];            /* [procs] elements owned */
  int64_t halo[BRUTE_PROCS][2];          /* [procs] communication padding at the low and the high end */
  int64_t extent[BRUTE_PROCS];           /* [procs] elements in the buffer */
  int64_t held[BRUTE_PROCS][BRUTE_SIZE]; /* [procs][extent] global index at each position of the buffer */
} brute_axis;

/* True iff the distribution is legal: then *axis is filled. size, and the extents that follow from it, are at
 * most BRUTE_SIZE, procs at most BRUTE_PROCS. */
bool brute_deal(const dap_dist *dist, brute_axis *axis);

/* Whether the process at `coord` owns what is at `position` of its buffer; whether it is communication
 * padding. What is neither, another process owns too: a duplicate. */
bool brute_owns(const brute_axis *axis, int coord, int64_t position);
bool brute_pads(const brute_axis *axis, int coord, int64_t position);

/* ---- many axes ---------------------------------------------------------------------------------- */

typedef struct brute_array {
  int ndim, nprocs;
  int64_t count; /* elements */
  brute_axis axes[DAP_MAX_NDIM];
  int ranks[BRUTE_PROCS];  /* [nprocs] rank at each place of the grid, the last coordinate fastest */
  int places[BRUTE_PROCS]; /* [nprocs] the inverse */
} brute_array;

/* True iff all distributions are legal; ranks NULL: those of row-major order. */
bool brute_array_deal(int ndim, const dap_dist dists[], const int ranks[], brute_array *array);

void brute_coords(const brute_array *array, int rank, int coords[]);
/* The rank that owns an element, and its position there. */
int brute_find(const brute_array *array, const int64_t global[], int64_t local[]);

/* What a position of a buffer is to its process. */
typedef enum brute_part {
  BRUTE_OWNED,
  BRUTE_COPY,   /* held here, and owned elsewhere */
  BRUTE_PADDING /* communication padding along some axis */
} brute_part;

/* A walk over all positions of a process's buffer, or over all elements of the array (rank -1), in C order:
 *     for (brute_walk w = brute_walk_start(&array, rank); !w.done; brute_walk_next(&w)) use(&w); */
typedef struct brute_walk {
  const brute_array *array;
  int rank;
  int coords[DAP_MAX_NDIM];
  int64_t counts[DAP_MAX_NDIM]; /* [ndim] positions along each axis */
  int64_t local[DAP_MAX_NDIM];  /* [ndim] position; the owner's where rank is -1 */
  int64_t global[DAP_MAX_NDIM]; /* [ndim] element there */
  int64_t flat;                 /* its number in C order */
  int owner;                    /* rank that owns it */
  brute_part part;
  bool alike; /* a copy along axes that are whole, and owned along the others */
  bool done;
  /* The walk's own: steps along the axes, and the above as far as the first k axes say. */
  int64_t step[DAP_MAX_NDIM];
  struct brute_prefix {
    int64_t flat;
    int place; /* of the owner on the grid */
    bool owned, pads, alike;
  } prefix[DAP_MAX_NDIM + 1];
} brute_walk;

brute_walk brute_walk_start(const brute_array *array, int rank);
void brute_walk_next(brute_walk *walk);

/* ---- random cases: brute_random.c --------------------------------------------------------------- */

/* A random legal distribution of `size` elements over `procs` processes: contiguous without wraps, with a
 * halo up to 3 wide, or cyclic. `lengths` [BRUTE_PROCS] is the memory behind dist->lengths. */
dap_dist random_dist_of(test_random *random, int procs, int64_t size, int64_t *lengths);

/* What the members of a random dap_dist point at. */
typedef struct random_memory {
  int64_t lengths[BRUTE_PROCS];
  int64_t lists[BRUTE_PROCS][BRUTE_SIZE];
  const int64_t *indices[BRUTE_PROCS];
  int64_t owned[BRUTE_PROCS];
  bool flags[BRUTE_PROCS][BRUTE_SIZE];
  const bool *is_owned[BRUTE_PROCS];
} random_memory;

void list_push(random_memory *memory, int64_t p, int64_t index); /* behind the list of process p */

/* Random lists that hold every index of `size`: with and without duplicates, in and out of order, single
 * indices and contiguous stretches, empty lists among them; some with owners, given by number or by flags. */
dap_dist random_lists(test_random *random, int procs, int64_t size, random_memory *memory);

/* A random legal distribution of any kind: those of random_dist_of() with halos, some of them periodic and
 * some of these with halos that wrap round, lists, and whole copies. */
dap_dist random_any_dist(test_random *random, int procs, int64_t size, random_memory *memory);

/* A random grid: procs[ndim] with product `nprocs`. */
void random_grid(test_random *random, int nprocs, int ndim, int procs[]);

/* A random order of ranks: ranks[nprocs], every second time 0, 1, 2, ... */
void random_ranks(test_random *random, int nprocs, int ranks[]);

/* The distribution in words, for a test's label. Static memory, overwritten by the eighth call after. */
const char *dist_text(const dap_dist *dist);

#endif
