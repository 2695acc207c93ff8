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
  random_memory memory[DAP_MAX_NDIM]; /* memory that dists points to */
  brute_array model;
} random_array;

/* Makes an array of given distributions, whose lists still belong to the caller. `ranks` NULL: row-major
 * order. Records a failure, and returns false, if they are illegal. */
bool array_deal(int ndim, const dap_dist dists[], const int ranks[], random_array *array);

/* Draws an array of `size` [ndim] over exactly `nprocs` processes, with axes of any kind and ranks in any
 * order. */
void random_array_draw(test_random *random, int nprocs, int ndim, const int64_t size[], random_array *array);

/* Draws sizes of `ndim` axes, whose product is at most `most`. Some are 0, and none is above test_most. */
void random_shape(test_random *random, int ndim, int64_t most, int64_t size[]);

/* Makes a layout of given distributions. `ranks` NULL: row-major order. Records a failure, and returns NULL,
 * if it cannot. */
dap_layout *layout_make(int ndim, const dap_dist dists[], const int ranks[]);

/* Makes the array's layout. Records a failure, and returns NULL, if it cannot. */
dap_layout *random_array_layout(const random_array *array);

/* Return whether protocol `version` can describe an axis, or all axes. 0.10 cannot describe halos that wrap
 * round. 0.9 and 0.0.1 cannot describe boundary padding of a periodic axis, and 0.0.1 cannot say
 * one_to_one. */
bool dist_is_sayable(const dap_dist *dist, const char *version);
bool random_array_is_sayable(const random_array *array, const char *version);

/* Returns whether the layout can be assembled from dictionaries. Some version must be able to describe all
 * axes. An axis must not be replicated, because readers take such axes for lists. */
bool random_array_can_assemble(const random_array *array);

/* Returns whether the lowest process that has an index owns it. Readers of dictionaries assume that. */
bool random_array_lowest_own(const random_array *array);

/* Returns a text that describes the array, for a test's label. The text is in static memory. */
const char *random_array_text(const random_array *array);

/* ---- what processes export ---------------------------------------------------------------------- */

/* Converts the indices of all 'u' axes of an array to a random integer type that can hold them. The caller
 * frees them by free(*memory). */
void random_indices(test_random *random, dap_array *array, void **memory);

/* Makes this process's part of an array over MPI_COMM_WORLD, with one 'u' axis, in protocol 0.10. Elements
 * are bytes that must not be read. */
dap_array list_part(int64_t size, int64_t count, dap_dtype dtype, const void *indices);

/* Exports the layout on the processes of `comm`, and returns the layout that is assembled from these
 * dictionaries. Protocol `version` must be able to describe it; NULL: the version that dap_array_init()
 * takes. `types` draws the types of indices, and may differ between processes. Records a failure, and returns
 * NULL, if it cannot. Collective on `comm`, which has the layout's processes. */
dap_layout *assemble_again(MPI_Comm comm, const dap_layout *layout, const char *version, test_random *types);

/* Checks an array on all processes, and that its dictionaries assemble to this layout. Collective. */
void expect_dictionaries(const dap_layout *layout, const dap_array *array);

/* layout_as_read() makes the layout that readers of the dictionaries get, in which replicated axes are lists.
 * It records a failure, and returns NULL, if it cannot. is_as_read() returns whether `got` is that
 * layout. */
dap_layout *layout_as_read(const dap_layout *layout);
bool is_as_read(const dap_layout *got, const dap_layout *layout);

#endif
