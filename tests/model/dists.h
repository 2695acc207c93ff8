/* Distributions for tables, where no function can be called; and lists of indices. */
#ifndef DAP_TEST_DISTS_H
#define DAP_TEST_DISTS_H

#include <dapbridge/layout.h>

#define EVEN(size_, procs_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_EVEN, .procs = (procs_), .size = (size_)                                                \
  }
#define CEIL(size_, procs_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_CEIL, .procs = (procs_), .size = (size_)                                                \
  }
#define CYCLIC(size_, procs_, bs_, first_)                                                                   \
  {                                                                                                          \
    .kind = DAP_DIST_CYCLIC, .procs = (procs_), .size = (size_), .block_size = (bs_),                        \
    .first_owner = (first_)                                                                                  \
  }
#define LENGTHS(size_, of_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_LENGTHS, .procs = 3, .size = (size_), .lengths = (of_)                                  \
  }
#define LISTS(size_, lengths_, of_)                                                                          \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_)      \
  }
#define ONE_TO_ONE(size_, lengths_, of_)                                                                     \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_),     \
    .one_to_one = true                                                                                       \
  }
#define WHOLE(size_, procs_)                                                                                 \
  {                                                                                                          \
    .kind = DAP_DIST_REPLICATED, .procs = (procs_), .size = (size_)                                          \
  }
#define WRAPPED(size_, procs_, halo_, low_, high_)                                                           \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_), .boundary = {(low_), (high_)}, .periodic = true,    \
    .wraps = true                                                                                            \
  }
#define PADDED(size_, procs_, halo_, low_, high_)                                                            \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_), .boundary = {(low_), (high_) }                      \
  }

/* Five elements over three processes. */
static const int64_t lengths_5[] = {2, 0, 3}, lengths_full[] = {2, 1, 3};
static const int64_t list_few[] = {4, 1}, list_none[] = {0}, list_many[] = {0, 3, 2};
static const int64_t *const lists[] = {list_few, list_none, list_many};
static const int64_t *const lists_without[] = {list_few, NULL, list_many};

#endif
