/* Makes MPI's derived datatypes for the elements that go from one process to another. */
#ifndef DAP_BENCH_TYPES_H
#define DAP_BENCH_TYPES_H

#include "methods.h"

/* Returns the committed type of the elements from process `from` to process `to`, in the source's or in
 * the destination's buffer of this process. *count is 1, or 0 if there are none; then no type is made. */
MPI_Datatype bench_type_between(const bench_job *job, int from, int to, bool source, int *count);

#endif
