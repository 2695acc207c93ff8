/* Axes of the tests' tables, by name. */
#ifndef DAP_TEST_AXES_H
#define DAP_TEST_AXES_H

#include "brute.h"

/* How the elements of an axis are dealt to its processes. */
typedef enum axis_kind {
  /* 'u' */
  IN_ORDER,    /* contiguous stretches, in rank order: as an even cut */
  DEALT,       /* single indices in turns */
  BACKWARDS,   /* contiguous stretches, the last to rank 0, each in falling order */
  SHUFFLED,    /* in turns, in random order */
  ONE_HOLDER,  /* all on the last process, the other lists are empty */
  OVERLAP,     /* contiguous stretches that share some indices with the next process */
  TWO_HOLDERS, /* every index on two processes, in random order */
  GHOSTS,      /* contiguous stretches, and the first half of the next process's, which that owns, shuffled */
  GHOSTS_BEHIND, /* the same in order, behind what is owned */
  GHOST_RUNS,    /* nine, then eight of each twelve of the next process's in order, behind what is owned */
  GHOST_STRIDES, /* the same of every third, then nine together, then every block of three of four */
  EVERYWHERE,    /* all on every process, in another order on each */
  WHOLE,         /* dap_dist_replicated() */
  /* others */
  EVEN,
  CYCLIC,
  PADDED,
  RING /* padded, with halos that wrap round */
} axis_kind;

/* `halo` of PADDED and RING. *memory is behind the distribution. */
dap_dist make_axis(axis_kind kind, int64_t size, int procs, int64_t halo, test_random *random,
                   random_memory *memory);

#endif
