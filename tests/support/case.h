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
  CUT_IRREGULAR, /* lengths as 1, 3, 2, 1, 3, 2 ... */
  CUT_HOLES,     /* every second process has none */
  CUT_LAST,      /* all on the last process */
  CUT_PADDED,    /* an even cut with a halo */
  CUT_RING,      /* the same, with halos that wrap round at the outer edges */
  /* Blocks in turn. */
  CUT_CYCLIC,        /* of `block` elements */
  CUT_ROTATED,       /* the same, the first on the last process */
  CUT_ONE_BLOCK,     /* one for each process */
  CUT_ROTATED_BLOCK, /* the same, the first on the last process */
  /* Lists with each index once. */
  CUT_ASCENDING,  /* ranges, as an even cut */
  CUT_DEALT,      /* single indices in turn */
  CUT_BACKWARDS,  /* ranges, the last to process 0, each in falling order */
  CUT_SHUFFLED,   /* in turn, each list in random order */
  CUT_ONE_HOLDER, /* all on the last process, the other lists are empty */
  CUT_LOTS,       /* each on a process drawn by lot, in random order */
  /* Lists in which the lowest process that has an index owns it. */
  CUT_EDGES,       /* ranges that share some indices with the next process */
  CUT_OVERLAPS,    /* as CUT_LOTS, and a third of the others have it too */
  CUT_TWO_HOLDERS, /* every index on two processes, in random order */
  CUT_EVERYWHERE,  /* all on every process, in another order on each */
  CUT_LOTS_BEHIND, /* as CUT_LOTS, with copies of what lower processes own behind */
  /* Lists with owners: ranges, and some of the next process's. */
  CUT_GHOSTS,        /* its first half, shuffled, with flags */
  CUT_GHOSTS_BEHIND, /* the same in order, behind what is owned */
  CUT_GHOST_RUNS,    /* nine, then eight of each twelve in order, behind what is owned */
  CUT_GHOST_STRIDES, /* the same of every third, then nine together, then every block of three of four */
  CUT_COPIES,        /* all on every process: dap_dist_replicated() */
  CUT_PARTIAL        /* an addend on every process: dap_dist_partial() */
} case_cut;

enum { CASE_NDIM = 4 };

/* Axes over which the processes are spread, as bits. */
enum { ALL_AXES = 0, FIRST_AXIS = 1, SECOND_AXIS = 2, THIRD_AXIS = 4, FOURTH_AXIS = 8, ONE_PROCESS = 16 };

/* One layout for any number of processes: its sizes leave room for halos and boundaries on six. */
typedef struct case_layout {
  const char *why;
  int ndim;
  int64_t size[CASE_NDIM]; /* boundary padding included */
  unsigned axes;           /* as MPI_Dims_create() spreads the processes over these */
  case_cut cut[CASE_NDIM];
  int64_t block[CASE_NDIM];       /* of CUT_CYCLIC and CUT_ROTATED; 0: 2 */
  int64_t halo[CASE_NDIM];        /* of ranges, as what follows is */
  int64_t boundary[CASE_NDIM][2]; /* boundary padding at the low and the high end */
  bool periodic[CASE_NDIM];
  bool wraps[CASE_NDIM]; /* periodic, and the halo at the outer edges too */
  bool shuffled;         /* ranks in an order of their own */
  bool transposed;       /* ranks along the first axis first */
  bool assembled;        /* made of all processes' dictionaries: it does not know all indices */
} case_layout;

/* The rows that all folders walk through: layouts.c. */
extern const case_layout named_layouts[];
extern const int named_layout_count;

/* An axis of `procs` processes that is named by its cut; `halo` of CUT_PADDED and CUT_RING; blocks are of
 * three. *memory is behind the distribution. */
dap_dist cut_axis(case_cut cut, int64_t size, int procs, int64_t halo, test_random *random,
                  random_memory *memory);

/* Deals the row's array to `nprocs` processes. Records a failure, and returns false, if it is illegal there,
 * or if the row says that it is assembled and no dictionaries describe it. */
bool case_deal(const case_layout *c, int nprocs, test_random *random, random_array *array);

/* The row as a side on all processes, or on the first one with ONE_PROCESS. Collective on MPI_COMM_WORLD. */
test_side case_side(const case_layout *c, int64_t itemsize, test_form form, test_random *random,
                    random_array *array);

/* Only a layout of the row, over exactly `procs` [ndim] processes, so that ranges and blocks may be longer
 * than the model's. Ends the program where lists would be. Collective on MPI_COMM_WORLD. */
dap_layout *case_create(const case_layout *c, const int procs[], test_random *random);

#endif
