/* Makes the arrays of dap_array_alloc()'s tests, and looks at shared memory outside the library: the system's
 * list of mappings, and limits under which there is no more memory. Private: only plans ask where another
 * process's elements are, and no public function does. */
#ifndef DAP_TEST_SHARED_MEMORY_H
#define DAP_TEST_SHARED_MEMORY_H

#include "comm_impl.h"

#include <dapbridge/shared.h>

/* ---- limits ------------------------------------------------------------------------------------------- */

/* A limit that a process runs into. */
typedef enum test_limit {
  LIMIT_SIZE,  /* no file, and no shared memory, of more than LIMIT_BYTES */
  LIMIT_FILES, /* no further file may be opened */
  LIMIT_SPACE  /* no memory of more than a few MiB */
} test_limit;

enum { LIMIT_BYTES = 1 << 16 };

/* On this process, until limit_end(). */
void limit_start(test_limit limit);
void limit_end(void);

/* ---- the system --------------------------------------------------------------------------------------- */

/* Lines in the list of what is mapped here from shared memory that has no name any more, but for what
 * contexts keep; -1: the system has no such list. */
int count_mappings(void);
/* The lowest number that a file opened now would get. */
int lowest_file(void);

/* ---- arrays ------------------------------------------------------------------------------------------- */

enum { RANKS = 64, ROWS = 5, COLUMNS = 20 /* on each process, where it does not matter */ };

/* Every process has shape[]: the first axis is cut, the others are whole. */
dap_layout *make_layout(int nprocs, int ndim, const int64_t shape[]);

/* The usual layout of all processes, ROWS x COLUMNS each; and an array of it. */
dap_layout *make_usual_layout(void);
dap_array make_array(const dap_layout *layout, bool *shared);

/* The same array with its elements at another address. */
dap_array array_at(const dap_array *array, void *data);

/* All elements are zero, which is checked. */
void expect_zeros(const dap_array *array);

/* dap_segment_find(), dap_segment_at() and dap_segment_seen(), each on its own. */
dap_segment segment_of(const void *at);
char *segment_at(const dap_segment *segment);
bool segment_seen(const dap_segment *segment, uint64_t id);

/* Where the arrays of all processes begin, as each tells it. */
void tell_segments(MPI_Comm comm, const void *at, dap_segment segments[]);

#endif
