/* Names for those of random_array.h and buffers.h; tests/petsc and tests/linalg still have these. */
#ifndef DAP_TEST_VARIANTS_H
#define DAP_TEST_VARIANTS_H

#include "buffers.h"
#include "random_array.h"

#define VARIANT_PROCS BRUTE_PROCS
#define variant_lists random_memory
#define variant_dist lists_by_lot
#define variant_add_ghosts add_copies
#define variant_shuffle shuffled_layout
#define variant_assemble assembled_layout
#define variant_swap turn_array

#endif
