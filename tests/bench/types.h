/* MPI's derived datatypes for what one process has for another. */
#ifndef DAP_BENCH_TYPES_H
#define DAP_BENCH_TYPES_H

#include "methods.h"

/* The type, committed, of what goes from process `from` to process `to`, in the source's or in the
 * destination's buffer of this process; *count is 1, or 0 and nothing is made if nothing goes. */
MPI_Datatype bench_type_between(const bench_job *job, int from, int to, bool source, int *count);

#endif
