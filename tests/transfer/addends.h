/* Moves of numbers from sides that are replicated or partial along some axes, and their serial model. */
#ifndef DAP_TEST_TERMS_H
#define DAP_TEST_TERMS_H

#include "side.h"

enum { ADDENDS_MOST = 300 /* elements of an array whose bytes are checked */ };

/* A side on some of the processes, of axes of all kinds; partial ones in a source only. */
test_side addends_draw(test_random *random, int ndim, const int64_t size[], bool is_source, int64_t itemsize,
                       random_array *array);

/* How many addends each element has. */
int addends_count(const random_array *array);

/* Numbers of DAP_F8 or DAP_I4 by element and addend. Copies in lists, and padding, hold what must not be
 * read. And what a destination holds before. */
void addends_fill_source(const test_side *s, dap_dtype dtype, bool swapped, int salt);
void addends_fill_target(const test_side *s, dap_dtype dtype, int salt);

/* Records a failure, and returns false, unless a destination is as a run must leave it, and all gaps are
 * poison. */
bool addends_check(const test_side *s, dap_dtype dtype, int addends, const dap_plan_options *o, int salt);

/* Checks that a plan sends the fewest bytes that can be, by a closed formula: unless it fills halos, adds to
 * what is there, converts, goes in two phases, or adds up into lists with copies. Collective on
 * MPI_COMM_WORLD. */
void addends_check_sent(const test_side *from, const test_side *to, const dap_plan *plan,
                        const dap_plan_options *o);

#endif
