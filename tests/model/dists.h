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
#define GHOSTED(size_, lengths_, of_, owned_)                                                                \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_),     \
    .owned = (owned_)                                                                                        \
  }
#define FLAGGED(size_, lengths_, of_, is_owned_)                                                             \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_),     \
    .is_owned = (is_owned_)                                                                                  \
  }
#define WHOLE(size_, procs_)                                                                                 \
  {                                                                                                          \
    .kind = DAP_DIST_REPLICATED, .procs = (procs_), .size = (size_)                                          \
  }
#define ADDENDS(size_, procs_)                                                                               \
  {                                                                                                          \
    .kind = DAP_DIST_PARTIAL, .procs = (procs_), .size = (size_)                                             \
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
static const int64_t first_1_1_3[] = {1, 1, 3}, first_2_1_2[] = {2, 1, 2}, first_2_0_3[] = {2, 0, 3},
                     first_3_0_2[] = {3, 0, 2}, first_2_0_2[] = {2, 0, 2}, first_negative[] = {2, -1, 3};
static const bool flags_few[] = {true, false}, flags_one[] = {true}, flags_all[] = {true, true, true};
static const bool *const flags[] = {flags_few, flags_one, flags_all};
static const bool *const flags_without[] = {flags_few, NULL, flags_all};
static const int64_t list_one[] = {1};
static const int64_t *const lists_ghosted[] = {list_few, list_one, list_many}; /* 1 on two */
static const int64_t *const lists_without[] = {list_few, NULL, list_many};

#endif
