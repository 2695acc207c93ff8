/* Makes arrays with many axes, random or given. The brute-force model deals out their elements, and layouts
 * can be made from them. */
#ifndef DAP_TEST_RANDOM_ARRAY_H
#define DAP_TEST_RANDOM_ARRAY_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#include "brute.h"

typedef struct random_array {
  int ndim, nprocs;
  dap_dist dists[DAP_MAX_NDIM];
  random_memory memory[DAP_MAX_NDIM]; /* behind them */
  brute_array model;
} random_array;

/* An array of given distributions, whose lists stay the caller's; ranks NULL: in row-major order. False:
 * they are illegal, which is recorded as EXPECT() does. */
bool array_deal(int ndim, const dap_dist dists[], const int ranks[], random_array *array);

/* An array of `size` [ndim] over exactly `nprocs` processes, of axes of any kind, its ranks in any order. */
void random_array_draw(test_random *random, int nprocs, int ndim, const int64_t size[], random_array *array);

/* Sizes of `ndim` axes, some of them 0, with a product of at most `most`. */
void random_shape(test_random *random, int ndim, int64_t most, int64_t size[]);

/* A layout of given distributions; ranks NULL: in row-major order. NULL if that failed, which is recorded. */
dap_layout *layout_make(int ndim, const dap_dist dists[], const int ranks[]);

/* Its layout, made by dap_layout_create() and, where ranks are not in row-major order, dap_layout_reorder().
 * NULL if that failed, which is recorded as EXPECT() does. */
dap_layout *random_array_layout(const random_array *array);

/* Whether protocol `version` has words for an axis, or for all of them. Version 0.10 has none for halos that
 * wrap round. Versions 0.9 and 0.0.1 have none for boundary padding of a periodic axis, and 0.0.1 has none
 * for lists that are one to one. */
bool dist_is_sayable(const dap_dist *dist, const char *version);
bool random_array_is_sayable(const random_array *array, const char *version);

/* Whether its layout can be assembled from dictionaries. Some version must have words for all axes, and none
 * may be replicated, because readers take that for lists. */
bool random_array_can_assemble(const random_array *array);

/* Whether each index of lists belongs to the lowest process that has it, as readers of dictionaries
 * believe. */
bool random_array_lowest_own(const random_array *array);

/* The distributions in words, for a test's label. Static memory. */
const char *random_array_text(const random_array *array);

/* ---- what processes export ---------------------------------------------------------------------- */

/* Turns the indices of all 'u' axes of an array into a random integer type that can hold them, in memory that
 * the caller frees with free(*memory). Exits the test program when memory is out. */
void random_indices(test_random *random, dap_array *array, void **memory);

/* The part of this process in MPI_COMM_WORLD of an array of bytes with one 'u' axis, in protocol 0.10; its
 * elements are not to be read. */
dap_array list_part(int64_t size, int64_t count, dap_dtype dtype, const void *indices);

/* The layout as dap_layout_assemble() makes it from what the processes of `comm` export in protocol
 * `version` (NULL: the one that dap_array_init() takes), which must be able to say it. Collective on
 * `comm`, which has the layout's processes. NULL if that failed, which is recorded. `types` draws the types
 * of indices, and may be this process's own. */
dap_layout *assemble_again(MPI_Comm comm, const dap_layout *layout, const char *version, test_random *types);

/* An array on all processes is right, and its dictionaries assemble to this layout. Collective. */
void expect_dictionaries(const dap_layout *layout, const dap_array *array);

/* What readers of its dictionaries make of a layout: replicated axes are lists to them. NULL if that failed,
 * which is recorded. And whether `got` is that. */
dap_layout *layout_as_read(const dap_layout *layout);
bool is_as_read(const dap_layout *got, const dap_layout *layout);

#endif
