/* A second, slow model of distributed arrays deals out elements one at a time, without a formula. The model
 * shares nothing with the library except struct dap_dist, so that it can contradict the library. */
#ifndef DAP_TEST_BRUTE_H
#define DAP_TEST_BRUTE_H

#include <dapbridge/layout.h>

#include "random.h"

/* The most elements of an axis, and positions of a buffer along it, and the most processes. */
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

/* Fills *axis, and returns true, if the distribution is legal. Its size and the extents that follow must be
 * at most BRUTE_SIZE, and procs at most BRUTE_PROCS. */
bool brute_deal(const dap_dist *dist, brute_axis *axis);

/* Lists the elements that the process at `coord` holds along an axis of ranges or blocks, of any size. `halo`
 * has the widths of its communication padding. Returns [extent] global indices, which the caller frees. The
 * extent is -1 if the distribution is illegal. */
int64_t *brute_hold(const dap_dist *dist, int coord, const int64_t halo[2], int64_t *extent);

/* Return whether the process at `coord` owns the element at `position` of its buffer, and whether the
 * position is communication padding. If neither holds, the element is a copy, which another process owns. */
bool brute_owns(const brute_axis *axis, int coord, int64_t position);
bool brute_pads(const brute_axis *axis, int coord, int64_t position);

/* ---- many axes ---------------------------------------------------------------------------------- */

typedef struct brute_array {
  int ndim, nprocs;
  int64_t count; /* elements */
  brute_axis axes[DAP_MAX_NDIM];
  int ranks[BRUTE_PROCS];  /* [nprocs] rank at each place of the grid, the last coordinate fastest */
  int places[BRUTE_PROCS]; /* [BRUTE_PROCS] place of each rank */
} brute_array;

/* Returns whether all distributions are legal. `ranks` NULL: row-major order. */
bool brute_array_deal(int ndim, const dap_dist dists[], const int ranks[], brute_array *array);

void brute_coords(const brute_array *array, int rank, int coords[]);
/* Returns the rank that owns an element. `local` receives its position there. */
int brute_find(const brute_array *array, const int64_t global[], int64_t local[]);

/* The kinds of positions of a buffer. */
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
  int64_t local[DAP_MAX_NDIM];  /* [ndim] position; if rank is -1, in the owner's buffer */
  int64_t global[DAP_MAX_NDIM]; /* [ndim] the element there */
  int64_t flat;                 /* the element's number in C order */
  int owner;                    /* rank that owns it */
  brute_part part;
  bool alike; /* a copy along axes that are whole; along the others it is owned */
  bool done;
  int64_t step[DAP_MAX_NDIM]; /* private: steps along the axes */
} brute_walk;

brute_walk brute_walk_start(const brute_array *array, int rank);
void brute_walk_next(brute_walk *walk);

/* ---- random cases: brute_random.c --------------------------------------------------------------- */

/* Draws a legal distribution of `size` elements over `procs` processes. It is cyclic, or contiguous with a
 * halo up to 3 wide that does not wrap round. `lengths` [BRUTE_PROCS] is memory for dist->lengths. */
dap_dist random_dist_of(test_random *random, int procs, int64_t size, int64_t *lengths);

/* The memory that the members of a drawn dap_dist point to. */
typedef struct random_memory {
  int64_t lengths[BRUTE_PROCS];
  int64_t lists[BRUTE_PROCS][BRUTE_SIZE];
  const int64_t *indices[BRUTE_PROCS];
  int64_t owned[BRUTE_PROCS];
  bool flags[BRUTE_PROCS][BRUTE_SIZE];
  const bool *is_owned[BRUTE_PROCS];
} random_memory;

void list_push(random_memory *memory, int64_t p, int64_t index); /* adds to the list of process p */

/* Draws lists that contain every index of `size`. They have duplicates or not, are in order or not, and
 * consist of single indices or of contiguous stretches. Some lists are empty. Sometimes owners are given, by
 * number or by flags. */
dap_dist random_lists(test_random *random, int procs, int64_t size, random_memory *memory);

/* Draws a legal distribution of any kind: one of random_dist_of(), lists, or whole copies. Some contiguous
 * ones are periodic, and some of these have halos that wrap round. */
dap_dist random_any_dist(test_random *random, int procs, int64_t size, random_memory *memory);

/* Draws a grid: procs[ndim] with the product `nprocs`. */
void random_grid(test_random *random, int nprocs, int ndim, int procs[]);

/* Draws an order of ranks: ranks[nprocs]. About half of them are 0, 1, 2, ... */
void random_ranks(test_random *random, int nprocs, int ranks[]);

/* Returns a text that describes the distribution, for a test's label. The text is in static memory until
 * eight calls later. */
const char *dist_text(const dap_dist *dist);

#endif
