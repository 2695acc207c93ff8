/* Elements in the other byte order, and checks of copies.
 *
 * Rows of layouts are in case.h now: a table that still calls variant_dist(), variant_shuffle() and
 * variant_assemble() becomes one of case_layout and calls case_create(). */
#ifndef DAP_TEST_VARIANTS_H
#define DAP_TEST_VARIANTS_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#include "random.h"

enum { VARIANT_PROCS = 32, VARIANT_SIZE = 256 };

/* The memory behind an unstructured dap_dist. */
typedef struct variant_lists {
  int64_t lengths[VARIANT_PROCS];
  int64_t memory[VARIANT_PROCS][VARIANT_SIZE];
  const int64_t *lists[VARIANT_PROCS];
} variant_lists;

/* Each of `size` indices in the list of a process drawn by lot, and with `overlap` in those of others too;
 * the lists in no order. */
dap_dist variant_dist(test_random *random, int64_t size, int procs, bool overlap, variant_lists *lists);

/* Puts some indices of lower processes behind each list that has none twice, as ghosts. */
void variant_add_ghosts(int procs, variant_lists *lists);

/* The same layout with its ranks dealt anew; takes the other over. */
dap_layout *variant_shuffle(test_random *random, dap_layout *layout);

/* The same layout as dap_layout_assemble() makes it of the dictionaries that all export; takes the other
 * over. Collective. */
dap_layout *variant_assemble(MPI_Comm comm, dap_layout *layout);

/* Turns the bytes of all elements round, in place, and says so in array->swapped. */
void variant_swap(dap_array *array);

/* Local positions that are no communication padding: what this process owns or has a copy of. */
int64_t variant_held(const dap_layout *layout, int rank);

/* As check_global() with PADDING_POISON; but copies of elements that another process owns must be there. */
bool variant_check(const dap_layout *layout, int rank, const dap_array *array);

#endif
