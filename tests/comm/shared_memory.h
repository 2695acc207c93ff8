/* Makes arrays for the tests of dap_array_alloc(), and looks at shared memory from outside the library. It
 * reads the system's list of mappings, and sets limits that leave no more memory. Private: no public
 * function tells where another process's elements are. */
#ifndef DAP_TEST_SHARED_MEMORY_H
#define DAP_TEST_SHARED_MEMORY_H

#include "comm_impl.h"

#include <dapbridge/shared.h>

/* ---- limits ------------------------------------------------------------------------------------------- */

/* A limit that a process exceeds. */
typedef enum test_limit {
  LIMIT_SIZE,  /* no file and no shared memory larger than LIMIT_BYTES */
  LIMIT_FILES, /* no further open file */
  LIMIT_SPACE  /* no more than a few MiB of further memory */
} test_limit;

enum { LIMIT_BYTES = 1 << 16 };

/* Sets the limit on this process, until limit_end(). */
void limit_start(test_limit limit);
void limit_end(void);

/* ---- the system --------------------------------------------------------------------------------------- */

/* Returns the number of mappings of shared memory without a name on this process, except those that
 * contexts keep. Returns a negative number if the system does not list them. */
int count_mappings(void);
/* Returns the lowest number that a newly opened file would get. */
int lowest_file(void);

/* ---- arrays ------------------------------------------------------------------------------------------- */

enum { RANKS = 64, ROWS = 5, COLUMNS = 20 /* per process, in tests where the size does not matter */ };

/* Makes a layout in which every process has shape[]: the first axis is cut, the others are whole. */
dap_layout *make_layout(int nprocs, int ndim, const int64_t shape[]);

/* make_usual_layout() has ROWS x COLUMNS elements on each process; the other function makes an array of
 * it. */
dap_layout *make_usual_layout(void);
dap_array make_array(const dap_layout *layout, bool *shared);

/* Returns the same array with its elements at another address. */
dap_array array_at(const dap_array *array, void *data);

/* Checks that all elements are zero. */
void expect_zeros(const dap_array *array);

/* Wrappers of dap_segment_find() and dap_segment_at(). */
dap_segment segment_of(const void *at);
char *segment_at(const dap_segment *segment);

/* Collects the places where the arrays of all processes begin. Collective. */
void tell_segments(MPI_Comm comm, const void *at, dap_segment segments[]);

#endif
