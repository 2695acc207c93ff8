/* Arrays of dap_array_alloc()'s for its tests, and elements that say who wrote them. Private: only plans ask
 * where another process's elements are, and no public function does. */
#ifndef DAP_TEST_MARKS_H
#define DAP_TEST_MARKS_H

#include "comm_impl.h"

#include <dapbridge/shared.h>

enum { RANKS = 64, ROWS = 5, COLUMNS = 20 /* on each process, where it does not matter */ };

/* Every process has shape[]: the first axis is cut, the others are whole. */
dap_layout *make_layout(int nprocs, int ndim, const int64_t shape[]);

/* The usual array of all processes of `comm`, ROWS x COLUMNS each. */
dap_array make_array(MPI_Comm comm, bool *shared);

/* The byte that `writer` leaves at an offset; 1 .. 255. */
unsigned char mark(int writer, int64_t offset);

/* All bytes of all elements of a buffer of that form at `base`. Checked: writer -1 stands for zeros. */
void write_marks(const dap_array *form, char *base, int writer);
void check_marks(const dap_array *form, const char *base, int writer);

/* dap_segment_find(), dap_segment_at() and dap_segment_seen(), each on its own. */
dap_segment segment_of(const void *at);
char *segment_at(const dap_segment *segment);
bool segment_seen(const dap_segment *segment, uint64_t id);

/* Where the arrays of all processes begin, as each tells it. */
void tell_segments(MPI_Comm comm, const void *at, dap_segment segments[]);

#endif
