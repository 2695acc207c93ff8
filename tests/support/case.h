/* Describes layouts by rows of tables. The brute-force model deals them out to any number of processes.
 *
 * A row of a folder's table contains a case_layout and members of its own (options, forms, expectations).
 * case_side() makes a test_side from the row, and case_create() makes only a layout. The rows in layouts.c
 * are used by all folders. */
#ifndef DAP_TEST_CASE_H
#define DAP_TEST_CASE_H

#include "side.h"

/* How the elements of an axis are dealt to its processes. */
typedef enum case_cut {
  /* Ranges, which can have halos and boundary padding. */
  CUT_EVEN,      /* lengths that differ by at most 1 */
  CUT_CEIL,      /* equal lengths, the last shorter, then none */
  CUT_IRREGULAR, /* lengths in the ratio 1, 3, 2, 1, 3, 2 ... */
  CUT_HOLES,     /* every second process has no elements */
  CUT_LAST,      /* the last process has all elements */
  CUT_PADDED,    /* an even cut with a halo */
  CUT_RING,      /* an even cut with a halo that wraps round at the outer edges */
  /* Blocks that are dealt in turn. */
  CUT_CYCLIC,        /* blocks of `block` elements */
  CUT_ROTATED,       /* the same, but the last process has the first block */
  CUT_ONE_BLOCK,     /* one block for each process */
  CUT_ROTATED_BLOCK, /* the same, but the last process has the first block */
  /* Lists that have each index once. */
  CUT_ASCENDING,  /* ranges of equal length */
  CUT_DEALT,      /* single indices in turn */
  CUT_BACKWARDS,  /* ranges in falling order, the last range on process 0 */
  CUT_SHUFFLED,   /* single indices in turn, each list in random order */
  CUT_ONE_HOLDER, /* the last process has all, the other lists are empty */
  CUT_LOTS,       /* each index on a process that is drawn, in random order */
  /* Lists in which the lowest process that has an index owns it. */
  CUT_EDGES,       /* ranges that share some indices with the next process */
  CUT_OVERLAPS,    /* as CUT_LOTS, and a third of the other processes have an index too */
  CUT_TWO_HOLDERS, /* each index on two processes, in random order */
  CUT_EVERYWHERE,  /* all indices on every process, in another order on each */
  CUT_LOTS_BEHIND, /* as CUT_LOTS, then copies of indices that lower processes own */
  /* Lists with owners: ranges, and ghosts from the next process's range. */
  CUT_GHOSTS,        /* ghosts are its first half; the list is shuffled, and owners are flags */
  CUT_GHOSTS_BEHIND, /* the same ghosts in order, behind owned indices */
  CUT_GHOST_RUNS,    /* nine or eight in turn of each twelve, behind owned indices */
  CUT_GHOST_STRIDES, /* ghosts with strides: singles, a run of nine, and runs of three */
  CUT_COPIES,        /* all on every process: dap_dist_replicated() */
  CUT_PARTIAL        /* an addend on every process: dap_dist_partial() */
} case_cut;

enum { CASE_NDIM = 4 };

/* The axes over which the processes are spread, as bits. */
enum { ALL_AXES = 0, FIRST_AXIS = 1, SECOND_AXIS = 2, THIRD_AXIS = 4, FOURTH_AXIS = 8, ONE_PROCESS = 16 };

/* A layout for any number of processes. Sizes leave room for halos and boundaries on six processes. With both
 * halos, an axis has at most BRUTE_SIZE elements. */
typedef struct case_layout {
  const char *why;
  int ndim;
  int64_t size[CASE_NDIM]; /* includes boundary padding */
  unsigned axes;           /* MPI_Dims_create() spreads the processes over these */
  case_cut cut[CASE_NDIM];
  int64_t block[CASE_NDIM];       /* of CUT_CYCLIC and CUT_ROTATED; 0: 2 */
  int64_t halo[CASE_NDIM];        /* this and the members below are for ranges */
  int64_t boundary[CASE_NDIM][2]; /* boundary padding at the low and the high end */
  bool periodic[CASE_NDIM];
  bool wraps[CASE_NDIM]; /* periodic, and the outer edges have a halo too */
  bool shuffled;         /* ranks are in a random order */
  bool transposed;       /* the first axis is the fastest among ranks */
  bool assembled;        /* assembled from all processes' dictionaries, so it does not know all indices */
} case_layout;

/* The rows of layouts.c, which the tests of all folders use. */
extern const case_layout named_layouts[];
extern const int named_layout_count;

/* Makes an axis of `procs` processes. `halo` is for CUT_PADDED and CUT_RING, and blocks have three elements.
 * Members of the distribution point to *memory. */
dap_dist cut_axis(case_cut cut, int64_t size, int procs, int64_t halo, test_random *random,
                  random_memory *memory);

/* Deals the row's array to `nprocs` processes. Returns false if the array is illegal there, or too long. */
bool case_try(const case_layout *c, int nprocs, test_random *random, random_array *array);

/* Deals the row's array to `nprocs` processes. Fails the test, and names the row, if the array is illegal
 * there, or if it is to be assembled and dictionaries cannot describe it. Collective on MPI_COMM_WORLD. */
void case_deal(const case_layout *c, int nprocs, test_random *random, random_array *array);

/* Makes the row a side on all processes, or with ONE_PROCESS on the first one. Collective on
 * MPI_COMM_WORLD. */
test_side case_side(const case_layout *c, int64_t itemsize, test_form form, test_random *random,
                    random_array *array);

/* Makes only a layout of the row, over exactly `procs` [ndim] processes. Ranges and blocks may be longer than
 * those of the model. Ends the program if lists are. Collective on MPI_COMM_WORLD. */
dap_layout *case_create(const case_layout *c, const int procs[], test_random *random);

#endif
